\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What an attack on window functions of one person's rows tried in vain: orders that could show other people's rows, windows that could hold
-- them, and values that could make a call fail.
BEGIN;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TYPE pair AS (a numeric, b text);
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE person (u int PRIMARY KEY, age int);
CREATE TABLE buy (u int NOT NULL, day int, zero float8, name varchar(10) COLLATE loose, code bpchar, doc json, parts pair, x numeric, at date, ts timestamp, big int8);
CREATE TABLE days (day int, label text COLLATE loose);
SELECT setseed(0.5);
INSERT INTO person SELECT u, u FROM generate_series(1, 12) u;
INSERT INTO buy SELECT 1 + i % 12, random(), (ARRAY[0, '-0'::float8])[1 + random()::int], (ARRAY['a', 'A'])[1 + random()::int], (ARRAY['a', 'a '])[1 + random()::int],
	(ARRAY['{"a":1}', '{"a": 1}'])[1 + random()::int]::json, ROW((ARRAY[1.0, 1.00])[1 + random()::int], 'a')::pair, (ARRAY[1.0, 1.00, 'NaN', 2])[1 + (random() * 3)::int],
	(ARRAY['infinity', '-infinity', '2020-01-01'])[1 + (random() * 2)::int]::date, (ARRAY['infinity', '-infinity', '4714-11-24 00:00:00 BC'])[1 + (random() * 2)::int]::timestamp, (ARRAY[9223372036854775807, -9223372036854775808])[1 + random()::int]
	FROM generate_series(1, 700) i;
INSERT INTO days SELECT i % 2, (ARRAY['b', 'B'])[1 + random()::int] FROM generate_series(1, 7) i;
CREATE INDEX ON buy (u, day);
CREATE VIEW of_all AS SELECT u, row_number() OVER (ORDER BY day) AS n FROM buy;
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', max_rows => 500, people => 'all of us'), gaussdp.protect('buy', 'u', max_rows => 500, people => 'all of us');
	PERFORM gaussdp.grant_budget(current_user::text, 'buy', 10, 1e-5);
END$$;

-- One number, of people 1 to 4, whoever of the others is there, whatever the plan is, and however rows are stored.
CREATE TABLE asked (rows text, condition text);
INSERT INTO asked VALUES
	('SELECT u, first_value(zero) OVER (PARTITION BY u ORDER BY zero) AS n FROM buy', 'n::text = ''0'''),
	('SELECT u, lag(name) OVER (PARTITION BY u ORDER BY name) AS n, name FROM buy', 'n COLLATE "C" = ''A'' AND name COLLATE "C" = ''A'''),
	('SELECT u, row_number() OVER (PARTITION BY u ORDER BY day) AS n, x FROM buy', 'n % 2 = 0 AND x::text = ''1.00'''),
	('SELECT u, row_number() OVER (PARTITION BY u ORDER BY day) AS n, name, lead(x) OVER (PARTITION BY u) AS x FROM buy', 'n % 2 = 0 AND x::text = ''1.00'''),
	('SELECT u, row_number() OVER (PARTITION BY u ORDER BY day) AS n, last_value(x) OVER (PARTITION BY u ORDER BY name ROWS UNBOUNDED PRECEDING) AS x FROM buy', 'n % 2 = 0 AND x::text = ''1.0'''),
	('SELECT u, n, c FROM (SELECT u, row_number() OVER (PARTITION BY u ORDER BY day) AS n, count(*) OVER (PARTITION BY u ORDER BY name ROWS UNBOUNDED PRECEDING) AS c FROM buy) b', 'n <= 9 AND c <= 20'),
	('SELECT p.u, row_number() OVER (PARTITION BY p.u ORDER BY b.x) AS n, b.x, b.name FROM person p LEFT JOIN buy b ON b.u = p.u AND b.day = 1', 'n < 12 AND x::text = ''1.00'' AND name COLLATE "C" = ''a'''),
	('SELECT u, lag(m, 2) OVER (PARTITION BY u ORDER BY n DESC) AS n, x FROM (SELECT u, row_number() OVER (PARTITION BY u, day) AS n, lag(day, 1, 7) OVER (PARTITION BY u ORDER BY x) AS m, x FROM buy) b', 'n = 1 AND x::text = ''1.00'''),
	('SELECT u, row_number() OVER (PARTITION BY u ORDER BY (SELECT count(*) FROM buy c WHERE c.u = b.u AND c.day = b.day)) AS n, x FROM buy b', 'n < 20 AND x::text <> ''1.0''');
CREATE TABLE settings (name text, value text);
INSERT INTO settings VALUES ('enable_sort', 'off'), ('enable_seqscan', 'off'), ('work_mem', '64kB');
CREATE FUNCTION exact(a asked) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE regexp_replace(test_weighed(format('SELECT dp_count(1, 1e-6) FROM (%s) s WHERE %s AND (u < 5 OR n IS NULL)', a.rows, a.condition)),
		'gaussdp_internal.count_weighted\(([^)]*::double precision\[\])\)', '(probe_count_weighted(\1)).exact') INTO result;
	RETURN result;
END $$;
CREATE FUNCTION outcomes(a asked) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text[];
	plan record;
BEGIN
	FOR gone IN 8 .. 12 LOOP
		FOR plan IN SELECT * FROM settings LOOP
			PERFORM set_config(plan.name, plan.value, true);
			seen := seen || exact(a);
			PERFORM set_config(plan.name, reset_val, true) FROM pg_settings WHERE pg_settings.name = plan.name;
		END LOOP;
		DELETE FROM buy WHERE u = gone;
		DELETE FROM person WHERE u = gone;
		CREATE TEMP TABLE stored AS SELECT * FROM buy ORDER BY random();
		TRUNCATE buy;
		INSERT INTO buy SELECT * FROM stored;
		DROP TABLE stored;
	END LOOP;
	RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = (SELECT string_agg(DISTINCT s, ' or ') FROM unnest(seen) s);
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN RETURN SQLERRM;
END $$;

-- What is refused, and by which rule; and what no value makes fail.
CREATE FUNCTION said(rows text) RETURNS text LANGUAGE plpgsql SET gaussdp.as_analyst = on AS $$
DECLARE
	why text;
BEGIN
	EXECUTE format('SELECT dp_count(1, 1e-6) FROM %s', rows);
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
	RETURN coalesce(substring(why FROM '^Rule \d+'), SQLSTATE);
END $$;
CREATE TABLE tried (rows text, answer text);
INSERT INTO tried VALUES
	('(SELECT p.u, row_number() OVER (PARTITION BY b.u) FROM person p LEFT JOIN buy b ON b.u = p.u) s', 'Rule 8'),
	('(SELECT u, row_number() OVER (PARTITION BY u::int8) FROM buy) s', 'Rule 8'),
	('(SELECT u, day FROM buy WINDOW w AS (PARTITION BY u), w2 AS (ORDER BY day)) s', 'Rule 8'),
	('of_all s', 'Rule 8'),
	('(SELECT lag(u) OVER (PARTITION BY u) AS u FROM buy) s JOIN person p ON p.u = s.u', 'Rule 8'),
	('(SELECT u, row_number() OVER (PARTITION BY u) FROM (SELECT max(u) OVER (PARTITION BY u) AS u FROM buy) t) s', 'Rule 8'),
	('(SELECT u, row_number() OVER (PARTITION BY u ORDER BY ctid) FROM buy) s', 'Rule 0'),
	('(SELECT u, lag(buy) OVER (PARTITION BY u) FROM buy) s', 'Rule 0'),
	('person p WHERE EXISTS (SELECT FROM buy b WHERE b.u = p.u WINDOW w AS (PARTITION BY b.day ROWS (SELECT 1) PRECEDING))', 'Rule 11'),
	('(SELECT u, row_number() OVER (PARTITION BY u ORDER BY code), code FROM buy) s', 'answered'),
	('(SELECT u, row_number() OVER (PARTITION BY u ORDER BY day), doc FROM buy) s', 'answered'),
	('(SELECT u, row_number() OVER (PARTITION BY u ORDER BY day), parts FROM buy) s', 'answered'),
	('(SELECT b.u, row_number() OVER (PARTITION BY b.u ORDER BY label), label FROM buy b JOIN days ON days.day >= b.day) s', 'answered'),
	('(SELECT u, ntile(day) OVER (PARTITION BY u) FROM buy) s', 'Rule 2'),
	('(SELECT u, big - lag(big) OVER (PARTITION BY u) AS n FROM buy) s WHERE n > 0', 'answered'),
	('(SELECT u, at - lag(at) OVER (PARTITION BY u ORDER BY day) AS n FROM buy) s WHERE n > 0', 'answered'),
	('(SELECT u, date_trunc(''month'', lag(ts) OVER (PARTITION BY u ORDER BY day)) AS n, ts - first_value(ts) OVER (PARTITION BY u) AS t FROM buy) s WHERE n IS NULL AND t IS NULL', 'answered'),
	('(SELECT u, sum(big) OVER (PARTITION BY u ORDER BY day ROWS UNBOUNDED PRECEDING) AS n FROM buy) s WHERE n > 0', 'answered'),
	('(SELECT u, lag(day, -2147483648) OVER (PARTITION BY u) AS n, lead(day, 2147483647) OVER (PARTITION BY u) AS m FROM buy) s WHERE n > 0 OR m > 0', 'answered');
SELECT plan((SELECT 2 * count(*) FROM asked)::int + (SELECT count(*) FROM tried)::int);
CREATE TABLE told AS SELECT a.*, outcomes(a) AS seen FROM asked a;
SELECT ok(position(' or ' IN seen) = 0, format('the same number: %s (%s)', rows, seen)) FROM told;
SELECT isnt(seen, '{0}', 'and not none: ' || condition) FROM told;
SELECT is(said(rows), answer, rows) FROM tried;
SELECT * FROM finish();
ROLLBACK;
