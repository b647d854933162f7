\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
\getenv testlib GAUSSDP_TESTLIB
-- A private query that is cancelled does next to nothing more: counted in rows, groups and numbers, not in time.
SELECT plan(20);
CREATE FUNCTION cancels(int, int8) RETURNS bool AS :'testlib', 'test_cancels' LANGUAGE C IMMUTABLE STRICT LEAKPROOF;
CREATE FUNCTION calls_after_cancel() RETURNS int8 AS :'testlib', 'test_calls_after_cancel' LANGUAGE C;
CREATE FUNCTION work_after_cancel(text, int) RETURNS int8 AS :'testlib', 'test_work_after_cancel' LANGUAGE C STRICT;
CREATE TABLE visit (person int NOT NULL, day int NOT NULL, cost int);
INSERT INTO visit SELECT g % 500, g % 3000, g % 100 FROM generate_series(1, 20000) g;
CREATE TABLE patient (id int PRIMARY KEY, age int);
INSERT INTO patient SELECT generate_series(0, 499), 40;
ANALYZE;
DO $$BEGIN PERFORM gaussdp.protect('visit', 'person', 30, people => 'patients'), gaussdp.protect('patient', 'id', people => 'patients'); END$$;
SET gaussdp.as_analyst = on;
SET max_parallel_workers_per_gather = 0;

-- The signal comes at the 5000th of 20,000 calls, or the 300th of 500.
CREATE FUNCTION cancelled(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	state text := 'no error';
	n int8;
BEGIN
	PERFORM calls_after_cancel();
	BEGIN
		EXECUTE query;
	EXCEPTION WHEN query_canceled THEN
		state := SQLSTATE;
	END;
	n := calls_after_cancel();
	RETURN NEXT ok(state = '57014' AND n <= 1, format('calls after the signal: %s, %s: %s', n, state, query));
END $$;
SELECT cancelled(q) FROM unnest(ARRAY[
	'SELECT dp_count(1, 1e-6) FROM visit WHERE cancels(cost, 5000)',
	'SELECT dp_sum(CASE WHEN cancels(cost, 5000) THEN cost END, 1, 1e-6, 0, 100) FROM visit',
	'SELECT dp_median(CASE WHEN cancels(cost, 5000) THEN cost END, 1, 1e-6, 0, 100) FROM visit',
	'SELECT day, dp_count(1, 1e-6) FROM visit WHERE cancels(cost, 5000) GROUP BY day HAVING dp_keep_group(1, 1e-6)',
	'SELECT day, dp_avg(CASE WHEN cancels(cost, 5000) THEN cost END, 1, 1e-6, 0, 100) FROM visit GROUP BY day HAVING dp_keep_group(1, 1e-6)',
	'SELECT dp_avg(s, 1, 1e-6, 0, 100) FROM (SELECT person, sum(cost) AS s FROM visit WHERE cancels(cost, 5000) GROUP BY person) q',
	'SELECT dp_avg(s, 1, 1e-6, 0, 100) FROM (SELECT person, count(*) AS s FROM visit GROUP BY person) q WHERE cancels(s::int, 300)',
	'SELECT dp_count(1, 1e-6) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visit WHERE cancels(cost, 5000)) q WHERE n = 1',
	'SELECT dp_count(1, 1e-6) FROM patient WHERE cancels(age, 300)',
	'SELECT dp_count(1, 1e-6) FROM patient p JOIN visit v ON v.person = p.id WHERE cancels(p.age + v.cost, 5000)',
	'SELECT dp_count(DISTINCT person, 1, 1e-6) FROM visit WHERE cancels(cost, 5000)']) q;
SET work_mem = '64kB';
SELECT cancelled(q) FROM unnest(ARRAY[
	'SELECT dp_sum(CASE WHEN cancels(cost, 5000) THEN cost END, 1, 1e-6, 0, 100) FROM visit',
	'SELECT day, dp_avg(CASE WHEN cancels(cost, 5000) THEN cost END, 1, 1e-6, 0, 100) FROM visit GROUP BY day HAVING dp_keep_group(1, 1e-6)',
	'SELECT dp_avg(s, 1, 1e-6, 0, 100) FROM (SELECT person, sum(cost) AS s FROM visit WHERE cancels(cost, 5000) GROUP BY person) q',
	'SELECT dp_count(1, 1e-6) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visit WHERE cancels(cost, 5000)) q WHERE n = 1']) q;
RESET work_mem;

-- Loops of the library without a row of the plan, which a signal finds before their first step.
SELECT is(work_after_cancel(what, n), 0::int8, format('%s: none after the signal', what))
FROM (VALUES ('noise', 10000), ('groups', 1000000), ('chunks', 2000)) AS v (what, n);
SELECT is(work_after_cancel('noise', 0), 0::int8, 'and nothing of nothing');
RESET gaussdp.as_analyst;
SELECT lives_ok('SELECT count(*) FROM visit', 'the session goes on');
SELECT * FROM finish();
