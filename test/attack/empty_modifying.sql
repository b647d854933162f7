\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A query that is answered by no row, beside a WITH query that changes data: that one ran, and read whatever it liked of protected
-- tables, since these were left unchecked in all of the query. It copied single rows into the analyst's own table, for nothing.
BEGIN;
CREATE TABLE person (u int PRIMARY KEY, age int);
CREATE TABLE buy (u int NOT NULL, day int);
INSERT INTO person SELECT u, 20 + u FROM generate_series(1, 50) u;
INSERT INTO buy SELECT u, 1 FROM generate_series(1, 50) u;
CREATE ROLE sample_ana;
CREATE TABLE mine (u int);
GRANT ALL ON mine TO sample_ana;
INSERT INTO mine SELECT generate_series(1, 100);
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', people => 'all of us'), gaussdp.protect('buy', 'u', people => 'all of us', max_rows => 1),
		gaussdp.grant_budget('sample_ana', t, 100, 1e-3) FROM unnest('{person,buy}'::regclass[]) t;
END$$;
CREATE TABLE asked (shown text);
INSERT INTO asked VALUES ('SELECT * FROM buy LIMIT 1'), ('SELECT * FROM buy LIMIT 0'), ('SELECT * FROM buy WHERE 1 = 0'), ('SELECT u FROM x WHERE u IN (SELECT u FROM buy WHERE false)'),
	('SELECT 1 FROM buy HAVING false'), ('SELECT u FROM buy WHERE false UNION ALL SELECT u FROM x');
CREATE TABLE changes (change text);
INSERT INTO changes VALUES ('INSERT INTO mine SELECT age FROM person RETURNING u'), ('DELETE FROM mine WHERE u IN (SELECT age FROM person) RETURNING u'),
	('UPDATE mine SET u = p.age FROM person p WHERE p.u = mine.u RETURNING mine.u'), ('DELETE FROM mine WHERE EXISTS (SELECT FROM buy WHERE buy.u = mine.u) RETURNING u'),
	('INSERT INTO mine SELECT u FROM buy WHERE false RETURNING (SELECT bit_or(age) FROM person) AS u');
GRANT SELECT ON asked, changes TO sample_ana;
SELECT plan((SELECT count(*) FROM asked, changes)::int);
SET ROLE sample_ana;
SET gaussdp.answer_plain_sql = on;
SELECT throws_ok(format('WITH x AS (%s) %s', change, shown), '42501', NULL, format('%s, beside %s', shown, change)) FROM asked, changes;
SELECT * FROM finish();
ROLLBACK;
