\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What owners and analysts do wrong first, and what they are told; also after the extension has gone, which labels outlive.
SELECT plan(18);
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
