\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Tables whose rows are not in a heap of this server: no level reads them.
-- The catalog by which Citus says which tables it distributes is made up here.
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE ROLE storage_ana;
CREATE TABLE emp (id int PRIMARY KEY, dept int);
CREATE TABLE far (id int PRIMARY KEY, dept int);
CREATE TABLE keys (k int PRIMARY KEY);
CREATE TABLE far_keys (k int PRIMARY KEY);
CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10);
GRANT SELECT ON keys, far_keys TO storage_ana;
CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE odd (id int PRIMARY KEY) USING other;
DO $$BEGIN
	PERFORM gaussdp.protect(t, 'id'), gaussdp.grant_budget('storage_ana', t, 100, 1e-3) FROM unnest('{emp,far,parts,odd}'::regclass[]) t;
END$$;
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE sql AS 'SELECT reason FROM gaussdp.explain_privacy(query) LIMIT 1';
SELECT plan(10);

SET LOCAL ROLE storage_ana;
SELECT alike(reason('SELECT dp_count(1, 1e-6) FROM odd'), 'Rule 4 %access method%', 'another access method');
SELECT is(reason('SELECT dp_count(1, 1e-6) FROM far JOIN keys ON k = dept'), NULL, 'a heap');
SELECT is(reason('SELECT dp_count(1, 1e-6) FROM parts'), NULL, 'partitions');
RESET ROLE;

SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('far'), ('far_keys'), ('part');
SELECT lives_ok('SELECT dp_count(1, 1e-6) FROM far', 'its owner may ask a distributed table');
SELECT lives_ok('SELECT dp_count(1, 1e-6) FROM emp JOIN far_keys ON k = dept', 'and join one');
SELECT lives_ok('SELECT dp_count(1, 1e-6) FROM emp', 'a table beside it');
SELECT lives_ok('SELECT count(*) FROM far', 'an aggregate that is not private');
SET LOCAL ROLE storage_ana;
SELECT alike(reason('SELECT dp_count(1, 1e-6) FROM emp JOIN far_keys ON k = dept'), 'Rule 4 %', 'joined to one, in a level');
SELECT alike(reason('SELECT dp_count(1, 1e-6) FROM parts'), 'Rule 4 %Citus distributes%', 'a partition of it');
SELECT throws_ok('SELECT * FROM far_keys, (SELECT dp_count(1, 1e-6) FROM emp) s', '0A000', 'a query of a protected table and of table far_keys is not supported', 'a level beside a distributed table');
RESET ROLE;
SELECT * FROM finish();
ROLLBACK;
