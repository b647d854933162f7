\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Old rows of the journal are moved out, in batches; what budgets say stays provable, and what was changed is seen. The worker
-- sees committed tables only: nothing is rolled back here.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;

SELECT plan(44);
CREATE ROLE archive_ana;
CREATE ROLE archive_one;
CREATE ROLE archive_two;
CREATE ROLE archive_three;
CREATE ROLE archive_owner;
GRANT archive_one, archive_two, archive_three TO archive_ana;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id') \g /dev/null
SELECT gaussdp.grant_budget(r, 'emp', 50, 1e-6) FROM unnest('{archive_one,archive_two,archive_three}'::text[]) AS r \g /dev/null
SELECT gaussdp.grant_budget('archive_ana', 'pay', 50, 1e-6, '1 day'), gaussdp.grant_budget('public', 'pay', 50, 1e-6) \g /dev/null
CREATE FUNCTION proven() RETURNS text LANGUAGE sql AS
  $$SELECT format('%s of %s', count(*) FILTER (WHERE agrees), count(*)) FROM gaussdp.verify_journal()$$;
CREATE FUNCTION entries() RETURNS int8 LANGUAGE sql AS 'SELECT count(*) FROM gaussdp_internal.journal_entry';

-- Charges of accounts of all kinds: three groups at once, one's own, PUBLIC's
SET ROLE archive_ana;
SELECT charge('emp', 1, 10, 1e-9, 2), charge('emp', 1, 20), charge('pay', 1, 30) \g /dev/null
SELECT count(charge('pay', 1, 1000)) FROM generate_series(1, 40) \g /dev/null
SET ROLE archive_owner;
SELECT charge('pay', 1, 40) \g /dev/null
RESET ROLE;
SELECT is((SELECT array_length(more_accounts, 1) FROM gaussdp_internal.journal_entry WHERE more_accounts IS NOT NULL LIMIT 1), 4, 'further groups are named with their terms');
SELECT is(proven(), '7 of 7', 'each budget is what the journal says');
SELECT is((SELECT count(*)::int FROM gaussdp.verify_journal() WHERE spent_mu2 > 0 AND spent_mu2 = journal_mu2 AND rows > 0), 7, 'and there are some');

-- Periods and resets
UPDATE gaussdp_internal.ledger_account SET since = since - interval '1 day' WHERE role = 'archive_ana'::regrole;
SELECT is(proven(), '7 of 7', 'when a period is over');
SET ROLE archive_ana;
SELECT charge('pay', 1, 50) \g /dev/null
RESET ROLE;
SELECT is(proven(), '7 of 7', 'and when the next one has begun');
SELECT gaussdp.reset_budget('archive_one', 'emp') \g /dev/null
SELECT is(proven(), '7 of 7', 'after a reset');
SET ROLE archive_ana;
SELECT charge('emp', 1, 60) \g /dev/null
RESET ROLE;
SELECT is(proven(), '7 of 7', 'and a charge after that');
SELECT gaussdp.grant_budget('archive_two', 'emp', 40, 1e-6, '2 days'), gaussdp.revoke_budget('archive_three', 'emp') \g /dev/null
SELECT is(proven(), '7 of 7', 'after another grant and a revoke');
ALTER ROLE archive_two RENAME TO archive_gone;
SET ROLE archive_ana;
SELECT charge('emp', 1, 70) \g /dev/null
RESET ROLE;
DROP ROLE archive_gone;
CREATE ROLE archive_gone;
SELECT gaussdp.grant_budget('archive_gone', 'emp', 40, 1e-6) \g /dev/null
SELECT is(proven(), '7 of 7', 'and where a new role takes over what a dropped one had spent');

-- Who may
SET ROLE archive_owner;
SELECT is(proven(), '0 of 0', 'who owns nothing sees nothing');
SELECT throws_ok('SELECT gaussdp.archive_journal(now() - interval ''1 day'')', '42501', NULL, 'and moves nothing');
SELECT throws_ok('SELECT * FROM gaussdp.verify_archive()', '42501', NULL, 'nor looks at the archive');
RESET ROLE;
ALTER TABLE pay OWNER TO archive_owner;
SET ROLE archive_owner;
SELECT is(proven(), '3 of 3', 'an owner verifies the budgets of its own tables');
RESET ROLE;
SELECT throws_ok(format('SELECT gaussdp.archive_journal(%s)', a), state, NULL, 'archive_journal ' || a)
FROM (VALUES ('NULL', '22004'), ('now(), NULL', '22004'), ('now()', '22023'), ('''infinity''', '22023'), ('''2000-01-01'', 0', '22023'), ('''2000-01-01'', 1000001', '22023')) AS v (a, state);

-- Nothing is old enough
SELECT is(gaussdp.archive_journal(now() - interval '1 hour'), 0::int8, 'rows that are too young stay');
SELECT is((SELECT count(*)::int FROM gaussdp.verify_archive()), 0, 'and there is no checkpoint of nothing');

-- Batches
UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 year';
SET ROLE archive_ana;
SELECT charge('pay', 1, 80) \g /dev/null
RESET ROLE;
SELECT entries() AS all, sum(queries) AS queries FROM gaussdp_internal.journal_entry \gset
SELECT is(gaussdp.archive_journal(now() - interval '1 hour', 5), 5::int8, 'a batch is moved');
SELECT is(proven(), '7 of 7', 'and each budget is still proven');
SELECT is(gaussdp.archive_journal(now() - interval '1 hour', 10), 10::int8, 'and another one');
SELECT is(proven(), '7 of 7', 'and still');
SELECT is(gaussdp.archive_journal(now() - interval '1 hour'), :all::int8 - 16, 'and the rest');
SELECT is(gaussdp.archive_journal(now() - interval '1 hour'), 0::int8, 'and then no more');
SELECT is(entries(), 1::int8, 'what is younger stays');
SELECT is(proven(), '7 of 7', 'and all are proven');
SELECT is((SELECT sum(queries) FROM (SELECT queries FROM gaussdp_internal.journal_archive UNION ALL SELECT queries FROM gaussdp_internal.journal_entry) AS j), :queries::int8, 'no query is lost');
SELECT results_eq('SELECT number, rows, archived_rows, agrees FROM gaussdp.verify_archive()', format('VALUES (1, 5::int8, 5::int8, true), (2, 10, 10, true), (3, %1$s, %1$s, true)', :all - 16), 'three checkpoints, and their rows are as they were');
SET ROLE archive_ana;
SELECT charge('pay', 1, 90) \g /dev/null
RESET ROLE;
SELECT is(proven(), '7 of 7', 'charges go on');

-- What was changed is seen
BEGIN;
UPDATE gaussdp_internal.journal_archive SET query_id = 7 WHERE checkpoint = 2 AND charge = (SELECT min(charge) FROM gaussdp_internal.journal_archive WHERE checkpoint = 2);
SELECT is((SELECT string_agg(number::text, ',') FROM gaussdp.verify_archive() WHERE NOT agrees), '2', 'a row of the archive that was changed');
ROLLBACK;
BEGIN;
DELETE FROM gaussdp_internal.journal_archive WHERE checkpoint = 1 AND charge = (SELECT min(charge) FROM gaussdp_internal.journal_archive WHERE checkpoint = 1);
SELECT is((SELECT string_agg(number::text, ',') FROM gaussdp.verify_archive() WHERE NOT agrees), '1', 'one that is missing');
ROLLBACK;
BEGIN;
UPDATE gaussdp_internal.journal_checkpoint SET hash = sha256('other') WHERE number = 1;
SELECT is((SELECT string_agg(number::text, ',' ORDER BY number) FROM gaussdp.verify_archive() WHERE NOT agrees), '1,2', 'a checkpoint that was changed, by itself and the next one');
ROLLBACK;
BEGIN;
UPDATE gaussdp_internal.journal_sum SET mu2 = mu2 + 1;
SELECT isnt(proven(), '7 of 7', 'a sum that was changed');
ROLLBACK;
BEGIN;
DELETE FROM gaussdp_internal.journal_entry WHERE charge = (SELECT max(charge) FROM gaussdp_internal.journal_entry);
SELECT is(proven(), '5 of 7', 'a row of the journal that is missing, by the budgets that paid');
ROLLBACK;

-- Rows that are copied elsewhere and deleted here
DELETE FROM gaussdp_internal.journal_archive;
SELECT is(proven(), '7 of 7', 'without the rows of the archive the budgets are proven by their sums');
SELECT results_eq('SELECT number, archived_rows, agrees FROM gaussdp.verify_archive()', 'VALUES (1, NULL::int8, NULL::bool), (2, NULL, NULL), (3, NULL, NULL)', 'and nothing is said of rows that are not there');

-- Names are hashed as they are stored, whoever asks, and in whichever encoding
ALTER ROLE archive_one RENAME TO "archive_é";
SET ROLE archive_ana;
SELECT charge('emp', 1, 90) \g /dev/null
SET ROLE "archive_é";
SELECT charge('emp', 1, 90) \g /dev/null
RESET ROLE;
UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 day';
SET client_encoding = 'LATIN1';
SELECT isnt(gaussdp.archive_journal(now() - interval '1 hour'), 0::int8, 'rows with such a name are moved');
SET client_encoding = 'UTF8';
SELECT ok(agrees, 'and are as they were in another encoding') FROM gaussdp.verify_archive() WHERE number = 4;
UPDATE gaussdp_internal.journal_archive SET role = 'archive_è' WHERE checkpoint = 4 AND role = 'archive_é';
SELECT ok(NOT agrees, 'but with one letter changed') FROM gaussdp.verify_archive() WHERE number = 4;

-- What a population without a limit has spent ends at mu^2 = 2,048; the journal goes on
SELECT gaussdp.grant_budget('archive_ana', 'pay', 300, 1e-6) \g /dev/null
DO $$BEGIN
	FOR i IN 1..22 LOOP
		SET ROLE archive_ana;
		PERFORM charge('pay', 1, 0.1);
		RESET ROLE;
		PERFORM gaussdp.reset_budget('archive_ana', 'pay');
		COMMIT;
	END LOOP;
END$$;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE relation = 'pay'::regclass AND holder = 'p'), 9223372036854775807, 'a population may have spent all that is counted');
SELECT is(proven(), '7 of 7', 'and the journal proves that, too');
SELECT * FROM finish();
DROP TABLE emp, pay;
