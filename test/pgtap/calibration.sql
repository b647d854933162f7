\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The calibration functions: golden values through SQL, SQLSTATEs, labels.
BEGIN;

-- Every row of the golden table, in SQL.  A function is called by its own name and in the order of its
-- golden arguments, unless it stands here: those that the design names itself, and optional ones.
CREATE TEMP TABLE golden (function text, a1 text, a2 text, a3 text, a4 text, a5 text, a6 text, value text);
\copy golden FROM 'test/golden.tsv'
DELETE FROM golden WHERE function = 'function';

-- side: -1 may not be above the golden value, 1 not below it, 0 may be either; all within 1e-12
CREATE TEMP TABLE expression (function text PRIMARY KEY, sql text, side int);
INSERT INTO expression VALUES
	('dp_opt_sigma', 'dp_gaussian_sigma($1, $2, $3)', 1),
	('dp_opt_sigma_eps0', 'dp_gaussian_sigma(0, $1, $2)', 1),
	('dp_eps_of_sigma', 'dp_gaussian_epsilon($2, $1, $3)', 1),
	('dp_delta_of_sigma', 'dp_gaussian_delta($2, $1, $3)', 1),
	('gdp_delta', 'gdp_delta($2, $1)', 1),
	('gdp_eps', 'gdp_epsilon($2, $1)', 1),
	('gdp_mu', 'gdp_mu($1, $2)', -1),
	('pdp_delta_one', 'pdp_delta_one($1, $2)', 1),
	('pdp_delta_two', 'pdp_delta_two($1, $2)', 1),
	('pdp_eps_one', 'pdp_eps_one($1, $2)', 1),
	('pdp_eps_two', 'pdp_eps_two($1, $2)', 1),
	('gdp_tradeoff', 'gdp_tradeoff($1, $2)', -1),
	('dwork2006_dp_threshold', 'dwork2006_dp_threshold($1)', -1),
	('dwork2014_dp_threshold', 'dwork2014_dp_threshold($1)', -1),
	('dwork2006_pdp_threshold', 'dwork2006_pdp_threshold($1)', -1),
	('dwork2014_pdp_threshold', 'dwork2014_pdp_threshold($1)', -1),
	('thm2_lower_sigma', 'thm2_lower_sigma($1, $2)', -1),
	('lemma10_lower_small_eps', 'lemma10_lower_small_eps($1, $2, $3)', -1),
	('lemma10_lower_33b', 'lemma10_lower_33b($1, $2, $3)', -1),
	('quantile_upper_bound', 'quantile_upper_bound($1)', 1),
	('sens_count', 'sens_count($1, $2, $3 <> 0)', 0),
	('sens_sum', 'sens_sum($1, $2, $3, $4, $5 <> 0, $6 <> 0)', 0),
	('sens_vector_l2', 'sens_vector_l2($1, $2 <> 0)', 0),
	('sens_vector_box', 'sens_vector_box($1, $2, $3, $4 <> 0)', 0);
-- The mechanisms, from the table that also shows those that aren't private there
INSERT INTO expression
SELECT function, format('(SELECT sigma FROM dp_gaussian_mechanisms($1, $2, $3) WHERE mechanism = %L)', mechanism), 1
FROM (VALUES ('dwork2006_sigma', 'dwork2006'), ('dwork2014_sigma', 'dwork2014'), ('mech1_sigma', 'mechanism1'),
	('mech2_sigma', 'mechanism2'), ('mech3_sigma', 'mechanism3'), ('mech4_sigma', 'mechanism4'),
	('pdp_opt_sigma', 'pdp_optimal'), ('prdp_opt_sigma', 'pdp_one_tailed'), ('vinterbo8_sigma', 'vinterbo8'),
	('vinterbo9_sigma', 'vinterbo9'), ('vinterbo10_sigma', 'vinterbo10'), ('thm2_upper_sigma', 'theorem2_upper'),
	('zcdp_sigma', 'zcdp'), ('mcdp_sigma', 'mcdp')) v (function, mechanism);

-- The rows with their arguments as literals in place of $1..$6
CREATE FUNCTION pg_temp.value_of(g golden) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	args text[] := array_remove(ARRAY[g.a1, g.a2, g.a3, g.a4, g.a5, g.a6], '');
	sql text := (SELECT e.sql FROM expression e WHERE e.function = g.function);
	result float8;
BEGIN
	IF sql IS NULL THEN
		sql := format('%s(%s)', g.function, (SELECT string_agg('$' || i, ', ') FROM generate_subscripts(args, 1) i));
	END IF;
	FOR i IN 1..cardinality(args) LOOP
		sql := replace(sql, '$' || i, format('float8 %L', args[i]));
	END LOOP;
	EXECUTE 'SELECT ' || sql INTO result;
	RETURN result;
END $$;

CREATE TEMP TABLE outcome AS
SELECT g.function, g.a1, g.a2, g.a3, g.value AS golden, pg_temp.value_of(g) AS sql, coalesce(e.side, 0) AS side
FROM golden g LEFT JOIN expression e USING (function)
WHERE g.function NOT LIKE 'dgauss%';	-- the sampler is nobody's function in SQL

SELECT plan(13 + (SELECT count(DISTINCT function)::int FROM outcome) + 8);

SELECT is((SELECT count(*) FROM outcome), (SELECT count(*) FROM golden WHERE function NOT LIKE 'dgauss%'),
          'every golden row has an SQL value');
SELECT is_empty(format($$SELECT * FROM outcome WHERE function = %L AND
                  (golden::float8 = sql OR abs(sql - golden::float8) <= 1e-12 * abs(golden::float8) + 1e-323
                                           AND (sql - golden::float8) * side >= 0) IS NOT TRUE$$, function),
                function || ' agrees with its golden values')
FROM (SELECT DISTINCT function FROM outcome) f ORDER BY function;

-- Errors
SELECT throws_ok($$SELECT dp_gaussian_sigma(-1, 0.1)$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma('NaN', 0.1)$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma('Infinity', 0.1)$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma(1, 1)$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma(1, 'NaN')$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma(1, 0.1, -1)$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma(1, 0.1, 1, 'none')$$, '22023');
SELECT throws_ok($$SELECT dp_gaussian_sigma(10, 1e-5, 1, 'dwork2014')$$, '22023');
SELECT throws_ok($$SELECT gdp_epsilon(1e300, 0.1)$$, '22023');
SELECT throws_ok($$SELECT * FROM dp_gaussian_mechanisms(1, 0)$$, '22023');
SELECT throws_ok($$SELECT * FROM gdp_profile(1, 1, 1000001)$$, '22023');
SELECT throws_ok($$SELECT erfc_inv(0)$$, '22023');

-- Hostile doubles never give NaN and never an error other than 22023
CREATE TEMP TABLE hostile (x float8);
INSERT INTO hostile VALUES ('NaN'), ('Infinity'), ('-Infinity'), (0), ('-0'), (1), (-1), (1e-300), (1e300), (5e-324),
	(1.7976931348623157e308), (0.5), (1 - 1e-16), (1e-12), (1e6), (20);
CREATE FUNCTION pg_temp.survives(call text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	bad bigint := 0;
	a float8; b float8; c float8; result float8;
BEGIN
	FOR a, b, c IN SELECT h.x, i.x, j.x FROM hostile h, hostile i, hostile j LOOP
		BEGIN
			EXECUTE format('SELECT ' || call, a, b, c) INTO result;
			bad := bad + coalesce((result = 'NaN' OR abs(result) = 'Infinity')::int, 0);
		EXCEPTION WHEN invalid_parameter_value THEN
			NULL;
		END;
	END LOOP;
	RETURN bad;
END $$;
SELECT is(pg_temp.survives(call), 0::bigint, call || ' survives hostile numbers')
FROM (VALUES ('dp_gaussian_sigma(%L::float8, %L::float8, %L::float8)'),
	('dp_gaussian_delta(%L::float8, %L::float8, %L::float8)'),
	('dp_gaussian_epsilon(%L::float8, %L::float8, %L::float8)'),
	('(SELECT max(sigma) FROM dp_gaussian_mechanisms(%L::float8, %L::float8, %L::float8))'),
	('lemma10_lower_small_eps(%L::float8, %L::float8, %L::float8)'),
	('pdp_eps_two(%L::float8, %L::float8) + 0 * length(%L)'),
	('gdp_tradeoff(%L::float8, %L::float8) + 0 * length(%L)'),
	('dwork2014_pdp_threshold(%L::float8) + 0 * length(%L) + 0 * length(%L)')) c (call);

SELECT * FROM finish();
ROLLBACK;
