\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A person whose unit is written in several ways (1.0 and 1.00 are equal, and so are 0 and -0): which of these rows comes first in a
-- window is the same whoever else is there, whatever the plan is and in whatever order rows are stored.
BEGIN;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE exact (u numeric NOT NULL, day int);
CREATE TABLE rough (u float8 NOT NULL, day int);
SELECT setseed(0.5);
INSERT INTO exact SELECT (u || repeat('0', (random() * 2)::int))::numeric, i / 40 FROM unnest(ARRAY['1.0', '2.0', '3.0', '4.0', '5.0', '6.0', '7.0', '8.0']) u, generate_series(1, 80) i ORDER BY random();
INSERT INTO rough SELECT CASE WHEN u > 0 THEN u WHEN random() < 0.5 THEN 0 ELSE '-0'::float8 END, i / 40 FROM generate_series(0, 8) u, generate_series(1, 80) i ORDER BY random();
DO $$BEGIN PERFORM gaussdp.protect('exact', 'u', max_rows => 1), gaussdp.protect('rough', 'u', max_rows => 1); END$$;

-- Exact numbers of rows by what is the first one of a person at that day, without a person or with all.
CREATE FUNCTION firsts(relation text, looks text, gone int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE regexp_replace(test_weighed(format('SELECT dp_count(1, 1e-6) FROM (SELECT u, u::text AS name, day, row_number() OVER (PARTITION BY u, day ORDER BY day) AS n FROM %s) s
		WHERE n = 1 AND name = %L AND (u <> %s OR n > 80)', relation, looks, gone)), 'gaussdp_internal.count_weighted\(([^)]*::double precision\[\])\)', '(probe_count_weighted(\1)).exact') INTO result;
	RETURN result;
END $$;
CREATE TABLE asked (relation text, looks text);
INSERT INTO asked VALUES ('exact', '1.0'), ('exact', '1.00'), ('exact', '2.0'), ('exact', '3.000'), ('rough', '0'), ('rough', '-0');
CREATE TABLE told AS SELECT relation, looks, gone, firsts(relation, looks, 8) AS with_all FROM asked, generate_series(4, 7) gone;
ALTER TABLE told ADD without text;
CREATE FUNCTION ask_without(person int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM exact WHERE u = person;
	DELETE FROM rough WHERE u = person;
	UPDATE told SET without = firsts(relation, looks, 8) WHERE gone = person;
END $$;
SELECT plan(2 + (SELECT count(*) FROM asked)::int);
SELECT ok(EXISTS (SELECT FROM exact WHERE u = 1 HAVING count(DISTINCT u::text) > 1), '1 is written in several ways');
SELECT ok(EXISTS (SELECT FROM rough WHERE u = 0 HAVING count(DISTINCT u::text) > 1), '0 is written in several ways');
DO $$BEGIN PERFORM ask_without(person) FROM generate_series(4, 7) person; END$$;
SELECT is(string_agg(without, ' ' ORDER BY gone), string_agg(with_all, ' ' ORDER BY gone), format('%s of %s stay', looks, relation)) FROM told GROUP BY relation, looks;
SELECT * FROM finish();
ROLLBACK;
