\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.suggest_max_rows(): for owners, as how many rows a person should count.
BEGIN;
SELECT plan(12);
SET LOCAL client_min_messages = error;
CREATE TABLE "a Person" (id int PRIMARY KEY);
INSERT INTO "a Person" SELECT generate_series(1, 100);
CREATE TABLE bill (no int PRIMARY KEY, person int REFERENCES "a Person");
INSERT INTO bill SELECT p * 100 + r, p FROM generate_series(1, 100) p, generate_series(1, CASE WHEN p <= 90 THEN 2 ELSE 20 END) r;
INSERT INTO bill VALUES (1, NULL), (2, NULL);
CREATE TABLE "Line" ("of" int NOT NULL REFERENCES bill, price int);
INSERT INTO "Line" SELECT no, 1 FROM bill, generate_series(1, 2);
SELECT gaussdp.protect('"a Person"', unit => 'id'), gaussdp.protect('bill', unit => 'person', people => 'a Person', max_rows => 4),
	gaussdp.protect('"Line"', unit => 'of', via => 'bill', via_column => 'no', max_rows => 8) \g /dev/null
CREATE TABLE plain (x int);

SELECT results_eq('SELECT max_rows, people, rows_cut FROM gaussdp.suggest_max_rows(''bill'')',
	$$VALUES (1::int8, 0::float8, 280::float8), (2, 0.9, 180), (4, 0.9, 160), (8, 0.9, 120), (16, 0.9, 40), (32, 1, 0)$$, 'each power of two up to the largest person; rows of nobody are none');
SELECT ok(bool_and(abs(noise - max_rows * dp_gaussian_sigma(1, 1e-6)) < 1e-6 AND abs(error - sqrt(noise ^ 2 + rows_cut ^ 2)) < 1e-6), 'noise is that of a count of all rows')
FROM gaussdp.suggest_max_rows('bill');
SELECT ok(bool_and(abs(noise - max_rows * dp_gaussian_sigma(0.1, 1e-9)) < 1e-6), 'at another epsilon and delta') FROM gaussdp.suggest_max_rows('bill', 0.1, 1e-9);
SELECT results_eq('SELECT max_rows, rows_cut FROM gaussdp.suggest_max_rows(''"Line"'') WHERE max_rows >= 32', 'VALUES (32::int8, 80::float8), (64, 0)', 'along a path, and names that need quotes');
SELECT results_eq('SELECT max_rows, people, rows_cut FROM gaussdp.suggest_max_rows(''"a Person"'')', 'VALUES (1::int8, 1::float8, 0::float8)', 'one row a person');
INSERT INTO "a Person" VALUES (1001);
INSERT INTO bill SELECT -i, 1001 FROM generate_series(1, 1020) i;
SELECT results_eq('SELECT max_rows, people < 1, rows_cut = 0 FROM gaussdp.suggest_max_rows(''bill'') WHERE max_rows > 64', 'VALUES (130::int8, true, false), (260, true, false), (510, true, false), (1000, true, false), (2000, false, true)',
	'rounded to two digits, so that what is declared tells of nobody');
TRUNCATE "Line";
SELECT is_empty('SELECT * FROM gaussdp.suggest_max_rows(''"Line"'')', 'an empty table has no answer');
SELECT throws_ok('SELECT * FROM gaussdp.suggest_max_rows(''plain'')', '55000', 'public.plain is not protected', 'a table without a declaration');
SELECT throws_ok('SELECT * FROM gaussdp.suggest_max_rows(''bill'', -1)', '22023', NULL, 'an epsilon that there is not');
SET LOCAL gaussdp.as_analyst = on;
SELECT throws_ok('SELECT * FROM gaussdp.suggest_max_rows(''bill'')', '55000', NULL, 'an owner who asks as an analyst does');
SET LOCAL gaussdp.as_analyst = off;
CREATE ROLE rows_ana;
SET LOCAL ROLE rows_ana;
SELECT throws_ok('SELECT * FROM gaussdp.suggest_max_rows(''bill'')', '42501', NULL, 'who may not read the table learns nothing');
SELECT throws_ok('SELECT * FROM gaussdp.suggest_max_rows(''"Line"'')', '42501', NULL, 'nor along a path');
SELECT * FROM finish();
ROLLBACK;
