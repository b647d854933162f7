\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What owners and analysts do wrong first, and what they are told; also after the extension has gone, which labels outlive.
SELECT plan(51);
CREATE ROLE mistaken_owner;
CREATE ROLE mistaken_analyst;
CREATE SCHEMA shop AUTHORIZATION mistaken_owner;
GRANT USAGE ON SCHEMA shop TO mistaken_analyst;
CREATE FUNCTION told(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text;
BEGIN
	EXECUTE command;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws('|', state, message, detail);
END $$;
CREATE FUNCTION dumped(name) RETURNS SETOF text LANGUAGE sql AS
$$SELECT substring(sql FROM 'set_bounds\(.*') FROM gaussdp.dump_declarations() sql WHERE sql ~ format('set_bounds\(''shop.customer'', ''%s''', $1)$$;
SET client_min_messages = warning;
SET ROLE mistaken_owner;
CREATE TABLE shop.customer (id int PRIMARY KEY, born date, seen timestamptz, at timestamp, since interval, points int, note text);
INSERT INTO shop.customer SELECT i, date '1950-01-01' + i % 20000, now(), now(), '1 day', i % 100, '' FROM generate_series(1, 5000) i;
CREATE VIEW shop.customers AS TABLE shop.customer;
SELECT gaussdp.protect('shop.customer', unit => 'id', people => 'customers');

-- Declarations
SELECT is(told($$SELECT gaussdp.set_bounds('shop.customer', 'note', 0, 9)$$),
	'22023|invalid bounds for column "note" of type text|Only columns of numbers, dates, times, timestamps, intervals and money can have bounds.', 'bounds of a text');
SELECT is(told($$SELECT gaussdp.set_bounds('shop.customer', 'points', 0, 1e12)$$),
	'22023|invalid bounds for column "points" of type integer|The bounds lie beyond the range of the column''s type.', 'bounds beyond the type');
SELECT is(told($$SELECT gaussdp.protect('shop.customers', unit => 'id')$$), '22023|invalid declaration|Only tables and their columns can be declared.', 'a view');

-- Bounds of dates come out of a dump as they are written, whatever the session shows.
SELECT gaussdp.set_bounds('shop.customer', 'born', '1950-01-02', '2010-01-31'), gaussdp.set_bounds('shop.customer', 'at', '2020-01-01', '2030-01-01 12:00'),
	gaussdp.set_bounds('shop.customer', 'seen', '2020-01-01 00:00+00', '2030-01-01 12:00+02'), gaussdp.set_bounds('shop.customer', 'since', '0', '1 day') \g /dev/null
SET datestyle = 'German, DMY';
SELECT is(dumped('born'), $$set_bounds('shop.customer', 'born', '1950-01-02', '2010-01-31');$$, 'a date');
SELECT is(dumped('at'), $$set_bounds('shop.customer', 'at', '2020-01-01 00:00:00', '2030-01-01 12:00:00');$$, 'a timestamp');
SELECT is(dumped('seen'), $$set_bounds('shop.customer', 'seen', '2020-01-01 00:00:00+00', '2030-01-01 10:00:00+00');$$, 'a timestamptz');
SELECT is(dumped('since'), $$set_bounds('shop.customer', 'since', 0, 86400);$$, 'an interval stays a number');
CREATE TEMP TABLE before AS SELECT "column", lower, upper FROM gaussdp.column_bounds;
SELECT sql FROM gaussdp.dump_declarations() sql WHERE sql ~ 'set_bounds' \gexec
SELECT set_eq('SELECT "column", lower, upper FROM gaussdp.column_bounds', 'SELECT * FROM before', 'run again they change nothing');
SELECT gaussdp.set_bounds('shop.customer', 'born', 0.25, 0.75) \g /dev/null
SELECT is(dumped('born'), $$set_bounds('shop.customer', 'born', 0.25, 0.75);$$, 'parts of days stay numbers');
SELECT gaussdp.drop_bounds('shop.customer', 'born') \g /dev/null

SELECT gaussdp.set_bounds('shop.customer', 'points', 0, 100) \g /dev/null

-- Budgets
SELECT is(told($$SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 1238.5, delta => 1e-6)$$),
	'22023|epsilon is out of range: 1238.5|With delta 1e-06, epsilon must be at most 1238: it must be worth a mu^2 of less than 2048.', 'a budget that is too large');
SELECT is(told($$SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 1238, delta => 1e-6)$$), 'done', 'the largest one that this tells');
SELECT is(told($$SELECT gaussdp.revoke_budget('mistaken_owner', 'shop.customer')$$), 'done', 'a budget that there is not');
-- The default of a grant fits into it.
SELECT is(told($$SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 3, delta => 1e-6, max_epsilon_per_query => 0.5, default_epsilon => 1, default_delta => 1e-8)$$),
	'22023|default_epsilon is out of range: 1|With default_delta 1e-08, default_epsilon must be at most 0.618: the max_epsilon_per_query of the grant is worth no more.', 'a default above the limit of a query');
SELECT is(told($$SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 3, delta => 1e-6, default_epsilon => 4, default_delta => 1e-8)$$),
	'22023|default_epsilon is out of range: 4|With default_delta 1e-08, default_epsilon must be at most 3.58: the epsilon of the grant is worth no more.', 'and above the whole budget');
SELECT is(told($$SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 0.1, delta => 1e-6, default_epsilon => 0.01, default_delta => 0.1)$$),
	'22023|default_delta is out of range: 0.1|With any default_epsilon it is worth more than the epsilon of the grant.', 'a delta that no epsilon makes up for');
SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 3, delta => 1e-6, max_epsilon_per_query => 0.5, default_epsilon => 0.618, default_delta => 1e-8) \g /dev/null
SET ROLE mistaken_analyst;
SET gaussdp.answer_plain_sql = on;
SELECT is(told('SELECT count(*) FROM shop.customer'), 'done', 'the largest that this tells is answered');
SELECT matches(told('SELECT count(*), sum(points) FROM shop.customer'), '^53400', 'two of them cost too much');
RESET gaussdp.answer_plain_sql;
SET ROLE mistaken_owner;

-- Bounds that stand in the query hold however large they are, also of what has none.
SELECT gaussdp.grant_budget('mistaken_analyst', 'shop.customer', epsilon => 500, delta => 1e-6, default_epsilon => 20, default_delta => 1e-8) \g /dev/null
SET ROLE mistaken_analyst;
SET gaussdp.answer_plain_sql = on;
CREATE FUNCTION pg_temp.year(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found float8;
BEGIN
	EXECUTE sql INTO found;
	RETURN round(found);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT is(pg_temp.year('SELECT stddev(least(greatest(extract(year FROM born), 1900), 2020)) FROM shop.customer'), '4', 'clamped to years');
SELECT is(pg_temp.year('SELECT 10 * regr_r2(least(2020, greatest(1900, extract(year FROM born)))::float8, points) FROM shop.customer'), '0', 'in a pair, and cast');
SELECT is(pg_temp.year('SELECT stddev(greatest(extract(year FROM born), 1900)) FROM shop.customer'), 'dp_stddev needs bounds, and none are declared for its value', 'one end is no bound');

-- Years of dates, and days and ages between them, have the bounds that follow from those of the dates.
RESET ROLE;
SELECT gaussdp.set_bounds('shop.customer', 'born', '1950-01-02', '2010-01-31') \g /dev/null
SET ROLE mistaken_analyst;
CREATE FUNCTION pg_temp.moves(value text) RETURNS numeric LANGUAGE sql AS
$$SELECT round(l2_sensitivity::numeric, 6) FROM gaussdp.explain_privacy(format('SELECT sum(%s) FROM shop.customer', value), exact => true)$$;
SELECT is(pg_temp.moves(value), round(by, 6), value) FROM (VALUES
	('extract(year FROM born) - 1950', 60::numeric), ('date_part(''year'', born) - 1950', 60), ('extract(year FROM born + 364) - 1950', 61), ('extract(isoyear FROM born) - 1949', 61), ('extract(month FROM born)', 12),
	('extract(year FROM greatest(born, ''1960-01-01'')) - 1980', 30), ('extract(year FROM at) - 2020', 10), ('extract(year FROM at::date - 1) - 2025', 6), ('extract(year FROM seen) - 2020', 10),
	('born - date ''1950-01-01''', date '2010-01-31' - '1950-01-01'), ('(born - date ''1950-01-02'') / 365', 60), ('current_date - born', current_date - date '1950-01-02'),
	('extract(year FROM at) - extract(year FROM born)', 80), ('extract(year FROM age(timestamp ''2020-01-30'', born::timestamp)) - 9', 61), ('extract(year FROM age(timestamp ''2020-01-31'', born::timestamp)) - 10', 60),
	('extract(year FROM age(date ''2020-06-01'', born))', 70), ('date_part(''year'', age(at, born::timestamp)) - 9', 70), ('extract(epoch FROM at - timestamp ''2020-01-01'') / 86400', 3653.5)) AS v (value, by);
SELECT ok(pg_temp.moves('extract(year FROM age(current_date, born))') BETWEEN 76 AND 200, 'an age of today');
SELECT is(pg_temp.year('SELECT stddev(extract(year FROM born)) FROM shop.customer'), '4', 'so that a deviation needs no bounds of its own');
SELECT is(pg_temp.year(format('SELECT stddev(%s) FROM shop.customer', value)), 'dp_stddev needs bounds, and none are declared for its value', value || ' has none')
FROM unnest(ARRAY['extract(day FROM age(born))', 'extract(year FROM to_date(note, ''YYYY''))', 'extract(epoch FROM since)', 'extract(epoch FROM age(born))', 'extract(microseconds FROM born)']) AS value;

-- A column that depends on a primary key need not be grouped by.
SET ROLE mistaken_owner;
CREATE TABLE shop.head (points int PRIMARY KEY, name text NOT NULL);
INSERT INTO shop.head VALUES (1, 'Ada'), (2, 'Bea');
GRANT SELECT ON shop.head TO mistaken_analyst;
CREATE TABLE shop.subject (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE shop.taught () INHERITS (shop.subject);
INSERT INTO shop.subject VALUES (1, 'Latin');
INSERT INTO shop.taught VALUES (1, 'Greek');
GRANT SELECT ON shop.subject TO mistaken_analyst;
CREATE TABLE shop.bought (id int PRIMARY KEY, customer int NOT NULL, price int NOT NULL);
INSERT INTO shop.bought SELECT i, i, 5 FROM generate_series(1, 5000) i;
CREATE TABLE shop.thing (bought int NOT NULL, n int NOT NULL);
INSERT INTO shop.thing SELECT 1 + i % 5000, 2 FROM generate_series(1, 10000) i;
SELECT gaussdp.protect('shop.bought', unit => 'customer', max_rows => 1, people => 'customers'), gaussdp.protect('shop.thing', unit => 'bought', max_rows => 2, via => 'shop.bought') \g /dev/null
SET ROLE mistaken_analyst;
SELECT set_eq('SELECT h.points, h.name, count(*) BETWEEN 20 AND 80 FROM shop.head h LEFT JOIN shop.customer c ON c.points = h.points GROUP BY h.points', $$VALUES (1, 'Ada', true), (2, 'Bea', true)$$, 'of a public table');
SELECT is(round(avg(total)), 9::numeric, 'of purchases, from their things') FROM (SELECT b.id, b.customer, sum(n) + b.price AS total FROM shop.bought b JOIN shop.thing t ON t.bought = b.id GROUP BY b.id) s;
SELECT results_eq('SELECT s.id, s.name IS NULL, s.n FROM (SELECT id, name, count(*) AS n FROM shop.subject GROUP BY id) s, (SELECT count(*) FROM shop.customer) c', 'VALUES (1, false, 2::bigint)', 'groups stay as they are where a child has the same key');

-- Labels outlive the extension: PostgreSQL's privileges hold then, and nothing else is said.
RESET ROLE;
SET gaussdp.allow_drop = on;
DROP EXTENSION gaussdp;
SET ROLE mistaken_analyst;
SELECT matches(told('SELECT count(*) FROM shop.customer'), '^42501\|permission denied for table customer', 'without the extension: no privilege');
SELECT matches(told('SELECT * FROM shop.customer'), '^42501\|permission denied for table customer', 'nor for rows');
SET ROLE mistaken_owner;
SELECT is((SELECT count(*) FROM shop.customer), 5000::bigint, 'the owner reads the table');
SELECT * FROM finish();
