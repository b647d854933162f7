-- The GDP transformation: partial order, refined profiles, and the mu of a profile.

-- Partial order of (epsilon, delta): there and back
SELECT gdp.implied_delta(1, 0.1, 2) AS larger_epsilon, gdp.implied_delta(1, 0, 0) > gdp.implied_delta(1, 0, 0.5) AS smaller_epsilon,
	abs(gdp.implied_delta(2, gdp.implied_delta_max(1, 0.9, 2), 1) - 0.9) < 1e-15 AS round_trip, gdp.implied_delta_max(1, 0.1, 5) < 0 AS impossible;

-- Printed numbers of Liu et al.
SELECT round((gdp.profile_switch('sgd', '{}')).delta::numeric, 4) AS delta_2, round((gdp.profile_switch('icea', '{}')).delta::numeric, 4) AS delta_3,
	round(gdp.refine_sigma_log(0.2, 0.1352832, 0)::numeric, 2) AS sigma, round(gdp.tail('sgd', '{}')::numeric, 4) AS tail;
SELECT gdp.profile_delta('sgd', '{}', 0.5) < exp(-0.25) AS refined, gdp.profile_delta('sgd', '{}', 2) BETWEEN exp(-4) AND exp(-4) * (1 + 1e-12) AS as_it_was,
	gdp.profile_delta('icea', '{}', 0.5) < 4 * exp(-2) / 0.5 AS icea_refined;

-- The mu of named profiles: lower <= mu <= upper, the gap is kept, and the row says what is proven
CREATE FUNCTION measured(name text, parameters float8[], up_to float8, gap float8, truth float8)
RETURNS text LANGUAGE sql AS
$$SELECT concat_ws(', ', CASE WHEN lower <= truth * (1 + 1e-12) AND truth <= upper THEN 'right' ELSE 'wrong' END,
	CASE WHEN upper - lower <= gap * (1 + 1e-9) THEN 'narrow' ELSE 'wide' END, head_epsilon, scope,
	CASE WHEN (scope = 'all epsilon') = (residual_delta = 0) THEN 'plain' ELSE 'unclear' END)
FROM gdp.head(name, parameters, up_to, gap)$$;
SELECT name, measured(name, p, up_to, gap, truth) FROM (VALUES
	('pure', '{1}'::float8[], 1, 1e-4, gdp.pure_to_mu(1)), ('laplace', '{2}', 2, 1e-4, gdp.laplace_to_mu(2)), ('laplace', '{2}', 1, 1e-4, gdp.laplace_to_mu(2)),
	('gaussian', '{1.5}', 10, 1e-3, 1.5), ('sgd', '{}', 4, 1e-4, gdp.mu(0, gdp.profile_delta('sgd', '{}', 0))), ('sgd', '{}', 1, 1e-3, gdp.mu(0, gdp.profile_delta('sgd', '{}', 0))),
	('icea', '{}', 3, 1e-3, gdp.mu(0, gdp.profile_delta('icea', '{}', 0))), ('subsampled_gaussian', '{1, 1}', 5, 1e-3, 1)
) AS c(name, p, up_to, gap, truth);
-- subsampling at the head is worth something, and the residual says what the rest may cost
SELECT upper < 0.5 AS head, scope, residual_delta BETWEEN 1e-9 AND 0.1 AS residual FROM gdp.head('subsampled_gaussian', '{1, 0.1}', 2);
-- The printed algorithm never looks at the head of SGD: it would give 0.71 for 1.86
SELECT upper > 1.856 AS safe FROM gdp.head('sgd', '{}', 10);

-- The paper's examples by their parameters, and two that are like them
SELECT gdp.profile_delta('sgd', '{1}', 0.5) = gdp.profile_delta('sgd', '{}', 0.5) AS sgd, gdp.profile_delta('icea', '{20, 4}', 0.5) = gdp.profile_delta('icea', '{}', 0.5) AS icea,
	gdp.profile_delta('exponential', '{1, 2}', 0.5) = gdp.profile_delta('sgd', '{}', 0.5) AS exponential,
	gdp.profile_delta('sgd', '{2}', 4) BETWEEN exp(-4) AND exp(-4) * (1 + 1e-12) AS scaled, gdp.profile_delta('power', '{2, 3}', 10) BETWEEN 0.002 AND 0.002 * (1 + 1e-12) AS power,
	gdp.tail('sgd', '{2}') = 2 * gdp.tail('sgd', '{}') AS tail, gdp.tail('exponential', '{1, 3}') AS steeper, gdp.tail('exponential', '{1, 1}') AS flatter;
-- Every e0 implies at least as much as the refined profile says
SELECT bool_and(gdp.implied_delta(e0, exp(-(e0 ^ 2)), e) >= gdp.profile_delta('sgd', '{}', e) * (1 - 1e-12)) AS least
FROM generate_series(0, 2, 0.1) e, generate_series(0.1, 4, 0.1) e0 WHERE e0 >= e;
SELECT gdp.profile_switch('laplace', '{1}') AS nothing_to_refine, gdp.profile_delta_points('{1, 2}', '{0.1, 0.01}', 3) AS beyond,
	gdp.profile_delta_points('{1, 2}', '{0.1, 0.01}', 1) AS at_a_point, gdp.transform('gaussian', '{1.5}', 2) BETWEEN 1.5 AND 1.5 + 1e-9 AS g, gdp.transform_points('{1}', '{0}', 1) AS none;
-- The mechanism of four outputs leaves Theorem 3.1 no room
SELECT count(*) AS outputs, abs(sum(p) - 1) < 1e-14 AS p, abs(sum(q) - 1) < 1e-14 AS q FROM gdp.four_outputs(1, 0.1);
SELECT bool_and(abs(own - gdp.implied_delta(1, 0.1, e)) < 1e-14) AS tight FROM (SELECT e, sum(greatest(p - exp(e) * q, 0)) AS own
	FROM generate_series(0, 1, 0.1) e, gdp.four_outputs(1, 0.1) GROUP BY e) s;

-- Points: refined by what later points imply; beyond the last one nothing is known
SELECT lower < 1.01 AND upper >= 1 AS gaussian_from_points, scope
FROM (SELECT array_agg(e ORDER BY e) AS e, array_agg(gdp.delta(1, e) ORDER BY e) AS d FROM generate_series(0, 5, 0.01) e) p, gdp.head_points(e, d, 5, 0.01);
SELECT abs(upper - gdp.pure_to_mu(1)) < 1e-3 AS pure_dp, scope FROM gdp.head_points('{1}', '{0}', 1);
SELECT scope, residual_delta > 0 AS residual FROM gdp.head_points('{1, 2}', '{0.1, 0.01}', 2);
SELECT gdp.tail_points('{1}', '{0}') AS ends, gdp.tail_points('{1}', '{0.1}') AS never, gdp.tail('icea', '{}') AS icea, gdp.tail('gaussian', '{2}') AS gaussian;

-- Clip and reify
SELECT gdp.clip_reify_scale(0, 10, 100) BETWEEN 0.1 AND 0.1 + 1e-15 AS scale;

-- Errors name the argument and its range
SELECT gdp.head('icea', '{1}', 1);
SELECT gdp.head('unknown', '{}', 1);
SELECT gdp.head_points('{1, 2}', '{0.1, 0.2}', 2);
SELECT gdp.head_points('{2, 1}', '{0.2, 0.1}', 2);
SELECT gdp.head('gaussian', '{-1}', 1);
SELECT gdp.head('gaussian', '{1}', 1, 0);
SELECT gdp.head('gaussian', '{1}', 1, 1e-14);
SELECT gdp.profile_switch('sgd', '{1, 2}');
SELECT gdp.profile_delta('power', '{1, 0}', 1);
SELECT gdp.clip_reify_scale(10, 0, 1);
