-- dp_count, dp_sum and dp_avg: which calls resolve, for which types of columns and literals, and that
-- the answers are where they should be. Booleans only: an answer is noisy.
SET client_min_messages = warning;

CREATE TABLE agg (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, t text, b boolean, d date, iv interval, m money);
INSERT INTO agg SELECT g, g, g, g, g, g, g, g % 2 = 0, '2020-01-01'::date + g, g * '1 s'::interval, g
FROM generate_series(1, 100) g;

-- 'answered', or the SQLSTATE with which a call is refused
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS
$$BEGIN
	EXECUTE 'SELECT ' || call || ' FROM agg';
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END$$;

-- Columns of every type. Refused (42883): what is no number; its owner casts it on purpose.
SELECT col, outcome(format('dp_count(%s, 1, 1e-6)', col)) AS count,
	outcome(format('dp_sum(%s, 1, 1e-6, 0, 100)', col)) AS sum,
	outcome(format('dp_sum(%s, 1, 1e-6, 100)', col)) AS sum_l2,
	outcome(format('dp_sum(%s, 1, 1e-6, 0, 100, 3)', col)) AS sum_rows,
	outcome(format('dp_avg(%s, 1, 1e-6, 0, 100)', col)) AS avg,
	outcome(format('dp_avg(%s, 1, 1e-6, 0, 100, 3)', col)) AS avg_rows,
	outcome(format('dp_avg_estimate(%s, 1, 1e-6, 0, 100)', col)) AS avg_estimate,
	outcome(format('dp_sum(%s, 1, 1e-6)', col)) AS sum_3,
	outcome(format('dp_avg_estimate(%s, 1, 1e-6)', col)) AS avg_estimate_3
FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n', 't', 'b', 'd', 'iv', 'm']) AS col;

-- Parameters: integers, decimals, quoted literals, expressions of constants
SELECT call, outcome(call) FROM (VALUES
	('dp_count(1, 0.000001)'), ('dp_count(1.0, 1e-6)'), ('dp_count(''1'', ''1e-6'')'), ('dp_count(1::float4, 1e-6::numeric)'),
	('dp_count(true, 1, 1e-6, 3)'), ('dp_count(agg, 1, 1e-6)'), ('dp_count(*)'), ('dp_count(1)'),
	('dp_sum(i4, ''1'', ''1e-6'', ''0'', ''100'')'), ('dp_sum(i4, 1, 1e-6, 0.5, 99.5)'), ('dp_sum(n, 1, 1e-6, 10 * 0, 10 ^ 2)'),
	('dp_sum(f8, 1, 1e-6, 0, 100, ''3'')'), ('dp_sum(f8, 1, 1e-6, 0, 100, 3::int2)'),
	('dp_sum(f8, 1, 1e-6, 0, 100, 3.0)'),				-- a number of rows is an integer
	('dp_sum(f8, ''one'', 1e-6, 0, 100)'), ('dp_sum(f8, 1, 1e-6, t, 100)'), ('dp_sum(f8, true, 1e-6, 0, 100)'),
	('dp_sum(DISTINCT i4, 1, 1e-6, 0, 100)'), ('dp_avg(i4, 1, 1e-6, 0, 100 ORDER BY i8)'), ('dp_sum(i4, 1, 1e-6, 0, 100) FILTER (WHERE b)'),
	('dp_count(1, 1e-6) OVER ()'), ('dp_sum(i4, 1, 1e-6, lower => 0, upper => 100)')
) AS c(call);

-- Values that are literals: NULL and '1' are taken for float8, the preferred type of numbers
SELECT call, outcome(call) FROM (VALUES
	('dp_count(NULL, 1, 1e-6)'), ('dp_count(''x'', 1, 1e-6)'), ('dp_sum(NULL, 1, 1e-6, 0, 100)'), ('dp_sum(''1'', 1, 1e-6, 0, 100)'),
	('dp_sum(''x'', 1, 1e-6, 0, 100)'), ('dp_sum(1, 1, 1e-6, 0, 100)'), ('dp_sum(1.5, 1, 1e-6, 0, 100)'), ('dp_avg(NULL, 1, 1e-6, 0, 100)'),
	('dp_avg(NULL::numeric, 1, 1e-6, 0, 100)'), ('dp_avg(f8 + 1, 1, 1e-6, 0, 100)'), ('dp_avg(i4 * n, 1, 1e-6, 0, 100)')
) AS c(call);

-- $n of any type, also undeclared, and also with a generic plan
PREPARE undeclared AS SELECT dp_count($1, $2) BETWEEN 0 AND 200, dp_sum(i4, $1, $2, $3, $4, $5) BETWEEN 0 AND 10000, dp_avg(n, $1, $2, $3, $4) BETWEEN 0 AND 100 FROM agg;
EXECUTE undeclared(1, 1e-6, 0, 100, 1);
EXECUTE undeclared('1', '1e-6', '0', '100', '1');
SET plan_cache_mode = force_generic_plan;
EXECUTE undeclared(1, 1e-6, 0, 100, 1);
PREPARE integers(int, numeric, int2, int8, int) AS SELECT dp_count($1, $2) BETWEEN 0 AND 200, dp_sum(i4, $1, $2, $3, $4, $5) BETWEEN 0 AND 10000, dp_avg(n, $1, $2, $3, $4) BETWEEN 0 AND 100 FROM agg;
EXECUTE integers(1, 1e-6, 0, 100, 1);
PREPARE value(float8) AS SELECT dp_sum($1, 1, 1e-6, 0, 100) BETWEEN -4000 AND 6000 FROM agg;
EXECUTE value(10);
RESET plan_cache_mode;

-- Answers of each type, ten standard deviations about the truth
SELECT abs(dp_sum(i2, 1, 1e-6, 0, 100) - 5050) < 5000 AS i2, abs(dp_sum(i4, 1, 1e-6, 0, 100) - 5050) < 5000 AS i4,
	abs(dp_sum(i8, 1, 1e-6, 0, 100) - 5050) < 5000 AS i8, abs(dp_sum(f4, 1, 1e-6, 0, 100) - 5050) < 5000 AS f4,
	abs(dp_sum(f8, 1, 1e-6, 0, 100) - 5050) < 5000 AS f8, abs(dp_sum(n, 1, 1e-6, 0, 100) - 5050) < 5000 AS n FROM agg;
SELECT abs(dp_avg(i2, 9, 1e-6, 0, 100) - 50.5) < 10 AS i2, abs(dp_avg(i4, 9, 1e-6, 0, 100) - 50.5) < 10 AS i4,
	abs(dp_avg(i8, 9, 1e-6, 0, 100) - 50.5) < 10 AS i8, abs(dp_avg(f4, 9, 1e-6, 0, 100) - 50.5) < 10 AS f4,
	abs(dp_avg(f8, 9, 1e-6, 0, 100) - 50.5) < 10 AS f8, abs(dp_avg(n, 9, 1e-6, 0, 100) - 50.5) < 10 AS n FROM agg;
-- DISTINCT counts each value once
SELECT abs(dp_count(DISTINCT b, 9, 1e-6) - 2) < 10 AS distinct_count, abs(dp_sum(DISTINCT i4 % 10, 9, 1e-6, 0, 9) - 45) < 90 AS distinct_sum FROM agg;
-- Equal calls are one draw, different ones are not
SELECT dp_sum(f8, 1, 1e-6, 0, 100) = dp_sum(f8, 1, 1e-6, 0, 100) AS equal, dp_sum(f8, 1, 1e-6, 0, 100) = dp_sum(f8 + 0, 1, 1e-6, 0, 100) AS other FROM agg;

DROP FUNCTION outcome;
DROP TABLE agg;
