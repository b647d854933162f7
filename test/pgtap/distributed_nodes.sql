\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What administrators call of a cluster of Citus, where there is none, and on a worker, whose catalog is made up.
BEGIN;
SET LOCAL client_min_messages = error;
SELECT plan(26);
CREATE ROLE keeper;
CREATE ROLE ana;
CREATE TABLE emp (id int PRIMARY KEY, dept text, salary int);
CREATE TABLE dept (name text PRIMARY KEY);
ALTER TABLE emp OWNER TO keeper;
SELECT gaussdp.protect('emp', 'id');

-- No Citus
SELECT is_empty($$SELECT gaussdp_internal.shards_here('emp')$$, 'a table has no shards');
SELECT is_empty($$SELECT gaussdp_internal.check_nodes('emp')$$, 'no other server is asked');
SELECT throws_ok('SELECT * FROM gaussdp.' || f, '55000', 'Citus is not installed in database ' || current_database(), f) FROM unnest('{lock_down_all_nodes(),lock_down_all_nodes(true),undo_lock_down_all_nodes()}'::text[]) f;
SET LOCAL ROLE keeper;
SELECT throws_ok('SELECT * FROM ' || f, '42501', NULL, 'only a superuser calls ' || f) FROM unnest('{gaussdp.lock_down_all_nodes(),gaussdp.undo_lock_down_all_nodes(),gaussdp_internal.run_on_all_nodes($$SELECT 1$$)}'::text[]) f;
SELECT lives_ok($$SELECT gaussdp.set_bounds('emp', 'salary', 0, 100), gaussdp.grant_budget('ana', 'emp', 1, 1e-6)$$, 'declarations and budgets are made');
RESET ROLE;

-- A coordinator, and what is no catalog of Citus
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int);
SELECT lives_ok($$SELECT gaussdp.grant_budget('ana', 'emp', 1, 1e-6)$$, 'a catalog without a row');
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);
SELECT lives_ok($$SELECT gaussdp.grant_budget('ana', 'emp', 1, 1e-6)$$, 'the coordinator');
CREATE TABLE public.pg_dist_local_group AS SELECT 3 AS groupid;
SELECT lives_ok($$SELECT gaussdp.grant_budget('ana', 'emp', 1, 1e-6)$$, 'a table of that name in another schema');
DROP TABLE public.pg_dist_local_group;

-- A worker
UPDATE pg_catalog.pg_dist_local_group SET groupid = 3;
CREATE TABLE before AS SELECT gaussdp_internal.labels_of('emp'), (SELECT count(*) FROM gaussdp_internal.ledger_account), (SELECT count(*) FROM gaussdp_internal.journal_entry) AS entries;
SET LOCAL ROLE keeper;
SELECT throws_ok('SELECT gaussdp.' || f, '55000', 'protection and budgets cannot be changed on a worker of Citus', f)
FROM unnest(ARRAY['grant_budget(''ana'', ''emp'', 2, 1e-6)', 'grant_budget(''public'', ''emp'', 2, 1e-6)', 'set_population_budget(''emp'', 2, 1e-6)', 'protect(''emp'', ''id'')', 'unprotect(''emp'')', 'set_bounds(''emp'', ''salary'', 0, 9)',
	'drop_bounds(''emp'', ''salary'')', 'set_public_keys(''emp'', ''dept'', ''dept'', ''name'')', 'drop_public_keys(''emp'', ''dept'')']) f;
SELECT throws_ok('SELECT gaussdp.grant_budget(''ana'', NULL, 2, 1e-6)', '22004', NULL, 'bad arguments are told as ever');
RESET ROLE;
SELECT results_eq('SELECT * FROM before', $$SELECT gaussdp_internal.labels_of('emp'), (SELECT count(*) FROM gaussdp_internal.ledger_account), (SELECT count(*) FROM gaussdp_internal.journal_entry)$$, 'nothing was changed');
SELECT lives_ok($$SECURITY LABEL FOR gaussdp ON COLUMN emp.salary IS 'bounds=[0,9]'$$, 'labels as Citus sends them are written');
SELECT is(gaussdp_internal.labels_of('emp'), 'protected max_rows=found, id: unit, salary: bounds=[0,9]', 'and shown as one text');
SELECT lives_ok($$SELECT gaussdp.revoke_budget('ana', 'emp')$$, 'what was granted before may be revoked');
SELECT * FROM finish();
ROLLBACK;
