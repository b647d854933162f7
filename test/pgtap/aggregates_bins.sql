\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The bins of dp_histogram are those of width_bucket: a value on the edge between two belongs to the upper one, exactly. What lies
-- beyond the bounds counts in the first or last bin.
\ir ../module/probe.sql
\ir ../module/size.sql
BEGIN;
SELECT plan(10);
SET LOCAL enable_nestloop = off;

-- Of each table of x (numeric), bounds and number of bins: what width_bucket says of numerics, and what the histogram counts.
CREATE FUNCTION differ(source text, type text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH counted AS (
			SELECT lower, upper, bins, (probe_histogram(x::%2$s, 1, 1e-6, lower::float8, upper::float8, bins)).exact AS found
			FROM (%1$s) s GROUP BY lower, upper, bins),
		expected AS (
			SELECT lower, upper, bins, bucket, count(*) AS n
			FROM (SELECT *, least(greatest(width_bucket(x::numeric, lower::numeric, upper::numeric, bins), 1), bins) AS bucket FROM (%1$s) s) t GROUP BY lower, upper, bins, bucket)
		SELECT format('%%s..%%s, %%s bins', lower, upper, bins) FROM counted JOIN expected USING (lower, upper, bins) GROUP BY lower, upper, bins, found
		HAVING NOT coalesce(bool_and(found[bucket] = n) AND sum(n) = (SELECT sum(f) FROM unnest(found) f) AND cardinality(found) = bins, false)$q$,
		source, type);
END $$;

CREATE TABLE whole AS SELECT 0 AS lower, upper, bins, x
FROM generate_series(1, 200) upper, generate_series(1, 60) bins, generate_series(-1, 201) x WHERE x <= upper + 1 AND (upper * 3 + bins) % (11 - sized(10)) = 0;
SELECT is_empty($$SELECT differ('TABLE whole', 'float8')$$, 'whole numbers up to 200 in up to 60 bins, of float8');
SELECT is_empty($$SELECT differ('SELECT * FROM whole WHERE upper % 22 = 0', type) FROM unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'numeric']) type$$,
	'of the other types too');
SELECT is_empty($$SELECT differ('SELECT lower - 77 AS lower, upper - 77 AS upper, bins, x - 77 AS x FROM whole WHERE upper % 11 = 0', 'int4')$$, 'with negative bounds');
SELECT is_empty($$SELECT differ('SELECT 0::int8 AS lower, upper * 1000000000000000 AS upper, bins, x * 1000000000000000 AS x FROM whole WHERE upper % 25 = 0', 'float8')$$, 'and large ones');

-- Cents, as numeric and as the doubles nearest to them: an edge is the double nearest to its place, so that 0.7 is the eighth of ten parts of (0, 1).
CREATE TABLE cents AS SELECT 0 AS lower, upper, bins, x / 100.0 AS x
FROM generate_series(1, 12) upper, generate_series(1, 100, 3) bins, generate_series(0, 1300) x WHERE x <= upper * 100 + 10;
SELECT is_empty($$SELECT differ('TABLE cents', type) FROM unnest(ARRAY['numeric', 'float8']) type$$, 'cents between whole bounds');

-- Bounds that are decimals: (0, 0.4) in four bins has an edge at 0.3, which three quarters of the double next to 0.4 are not
CREATE TABLE tenths AS SELECT lower / 10.0 AS lower, upper / 10.0 AS upper, bins, x / 10.0 AS x
FROM unnest(ARRAY[0, -7, 3]) lower, generate_series(1, 36, 5) width, generate_series(1, 36) bins, LATERAL (SELECT lower + width AS upper) u, generate_series(lower, upper) x;
SELECT is_empty($$SELECT differ('TABLE tenths', type) FROM unnest(ARRAY['numeric', 'float8']) type$$, 'tenths between bounds that are tenths');
SELECT is((probe_histogram(x, 1, 1e-6, 0, 0.4, 4)).exact, '{0,0,0,1}', '0.3 between 0 and 0.4') FROM (SELECT 0.3::float8 AS x) s;

-- Bins narrower than doubles are apart: the last one whose edge, rounded to eighths, is not above the value
SELECT is((probe_histogram(x, 1, 1e-6, 1e15, 1e15 + 1, 100)).exact,
	(SELECT array_agg((j IN (SELECT max(k) FROM generate_series(0, 99) k, generate_series(0, 7) i WHERE round(k * 8 / 100.0) <= i GROUP BY i))::int::numeric ORDER BY j)
		FROM generate_series(0, 99) j), 'eight doubles in 100 bins')
FROM (SELECT 1e15 + i / 8.0::float8 AS x FROM generate_series(0, 7) i) s;
-- Near the ends of the type
SELECT is((probe_histogram(x, 1, 1e-6, -1.6e308, 1.6e308, 4)).exact, '{2,1,1,2}', 'bounds whose difference overflows')
FROM unnest('{-Infinity,-1.6e308,-1e307,0,8e307,1.6e308}'::float8[]) x;
SELECT is((probe_histogram(x, 1, 1e-6, 0, 4e-305, 4)).exact, '{2,1,1,2}', 'bounds next to zero')
FROM unnest('{-1,9.9e-306,1e-305,2e-305,3e-305,4e-305}'::float8[]) x;

SELECT * FROM finish();
ROLLBACK;
