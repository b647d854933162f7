\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Two windows over rows that are equal in all that can be seen of them: which of these is the third in one window and the fifth in the other
-- does not change with the plan, with where rows are stored, and with who else is there.
BEGIN;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE buy (u int NOT NULL, day int, item int);
SELECT setseed(0.5);
INSERT INTO buy SELECT 1 + i % 12, random(), random() * 2 FROM generate_series(1, 900) i;
DO $$BEGIN PERFORM gaussdp.protect('buy', 'u', max_rows => 100); END$$;

-- The exact number of rows, and what else is changed: who has left, the plan, the order in which rows are stored.
CREATE FUNCTION exact(windows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE regexp_replace(test_weighed(format('SELECT dp_count(1, 1e-6) FROM (SELECT u, day, %s FROM buy) s WHERE (u < 5 OR a < 0) AND a = b', windows)),
		'gaussdp_internal.count_weighted\(([^)]*::double precision\[\])\)', '(probe_count_weighted(\1)).exact') INTO result;
	RETURN result;
END $$;
CREATE TABLE asked (windows text);
INSERT INTO asked VALUES
	('row_number() OVER (PARTITION BY u ORDER BY day) % 2 AS a, row_number() OVER (PARTITION BY u ORDER BY day DESC) % 3 AS b'),
	('row_number() OVER (PARTITION BY u, day ORDER BY item % 2) AS a, count(*) OVER (PARTITION BY u, day ROWS UNBOUNDED PRECEDING) AS b'),
	('row_number() OVER (PARTITION BY u, item) AS a, row_number() OVER (PARTITION BY u, day) AS b'),
	('lag(day, 3) OVER (PARTITION BY u ORDER BY item) AS a, lead(item, 3) OVER (PARTITION BY u ORDER BY day) AS b');
CREATE TABLE settings (no serial, name text);
INSERT INTO settings (name) VALUES ('enable_sort'), ('enable_incremental_sort'), ('enable_seqscan');
CREATE FUNCTION outcomes(windows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text[];
	plan record;
BEGIN
	FOR gone IN 5 .. 12 LOOP
		FOR plan IN SELECT name FROM settings LOOP
			PERFORM set_config(plan.name, 'off', true);
			seen := seen || exact(windows);
			PERFORM set_config(plan.name, 'on', true);
		END LOOP;
		DELETE FROM buy WHERE u = gone;
		CREATE TEMP TABLE stored AS SELECT * FROM buy ORDER BY random();
		TRUNCATE buy;
		INSERT INTO buy SELECT * FROM stored;
		DROP TABLE stored;
	END LOOP;
	RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = (SELECT string_agg(DISTINCT s, ' or ') FROM unnest(seen) s);
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN RETURN SQLERRM;
END $$;
CREATE INDEX ON buy (u, day);
SELECT plan(2 * (SELECT count(*) FROM asked)::int);
CREATE TABLE told AS SELECT windows, outcomes(windows) AS seen FROM asked;
SELECT ok(position(' or ' IN seen) = 0, format('the same number: %s (%s)', windows, seen)) FROM told;
SELECT isnt(seen, '{0}', 'and not none: ' || windows) FROM told;
SELECT * FROM finish();
ROLLBACK;
