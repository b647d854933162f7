\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The error bars that explain_privacy gives before the fact hold after it: of 400 answers to each call about a group of that size, no more
-- than 48 are farther from the truth than half_width_95.  20 are expected to be, where the bound is tight; more than 48 are there with a
-- probability of less than 1e-6 .  A group whose values are on a bound is the worst for averages.
LOAD '$libdir/gaussdp';
CREATE TABLE person (id int PRIMARY KEY, x float8, y float8);
INSERT INTO person SELECT i, CASE WHEN i % 10 = 0 THEN 0 ELSE 100 END, i % 100 FROM generate_series(1, 2000) i;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id'), gaussdp.set_bounds('person', 'x', 0, 100), gaussdp.set_bounds('person', 'y', 0, 100); END$$;
CREATE TABLE call (n int, name text, text text, truth float8, ranks bool DEFAULT false);
INSERT INTO call (n, name, text, truth, ranks)
SELECT row_number() OVER (), text, text, truth, ranks FROM (VALUES ('dp_count(0.5, 1e-6)', 2000, false), ('dp_sum(x, 0.5, 1e-6)', 180000, false), ('dp_avg(x, 0.5, 1e-6)', 90, false), ('dp_avg(y, 0.5, 1e-6)', 49.5, false),
	('dp_var(x, 0.5, 1e-6)', 900, false), ('dp_var(y, 0.5, 1e-6)', 833.25, false), ('dp_stddev(y, 0.5, 1e-6)', sqrt(833.25), false), ('dp_avg(ARRAY[x, y], 0.5, 1e-6, 150, 2)', 90, false),
	('dp_median(y, 0.5, 1e-6)', 49.5, true)) v (text, truth, ranks);
CREATE FUNCTION answers(text text, as_array bool) RETURNS SETOF float8 LANGUAGE plpgsql SET gaussdp.as_analyst = on AS $$
DECLARE
	answer float8;
BEGIN
	FOR i IN 1 .. 400 LOOP
		EXECUTE format(CASE WHEN as_array THEN 'SELECT (%s)[1] FROM person' ELSE 'SELECT %s FROM person' END, text) INTO answer;
		RETURN NEXT answer;
	END LOOP;
END$$;
CREATE FUNCTION half_width(text text) RETURNS float8 LANGUAGE sql SET gaussdp.as_analyst = on AS $$SELECT half_width_95 FROM gaussdp.explain_privacy(format('SELECT %s FROM person', text), 2000)$$;
SELECT no_plan();
-- A median is off by ranks: 20 rows of a group of 2,000 have the same y, and an answer is the middle of a 1,024th of the range.
CREATE TABLE stated AS SELECT c.*, half_width(c.text) AS width FROM call c;
SELECT ok((SELECT count(*) FROM answers(c.text, c.text ~ 'ARRAY') a WHERE abs(a - c.truth) > CASE WHEN ranks THEN width / 20 + 1.1 ELSE width END + 1e-6 * abs(c.truth)) <= 48,
	format('%s: within %s', c.text, width)) FROM stated c ORDER BY n;
SELECT ok((SELECT count(*) FROM answers(c.text, false) a WHERE abs(a - c.truth) > width / 2) > 48, 'half of it would not do: ' || c.text) FROM stated c WHERE n IN (1, 2, 3);
SELECT * FROM finish();
