-- The GDP transformation: partial order, refined profiles, and the mu of a profile.

-- Partial order of (epsilon, delta): there and back
SELECT implied_delta(1, 0.1, 2) AS larger_epsilon, implied_delta(1, 0, 0) > implied_delta(1, 0, 0.5) AS smaller_epsilon,
	abs(implied_delta(2, implied_delta_max(2, 1, 0.9), 1) - 0.9) < 1e-15 AS round_trip, implied_delta_max(5, 1, 0.1) < 0 AS impossible;

-- Printed numbers of Liu et al.
SELECT round(sgd_switch(1)::numeric, 4) AS delta_2, round(icea_switch(1)::numeric, 4) AS delta_3,
	round(refine_sigma_log(0.2, 0.1352832, 0)::numeric, 2) AS sigma, round(gdp_tail('sgd', '{}')::numeric, 4) AS tail;
SELECT sgd_profile(0.5) < exp(-0.25) AS refined, sgd_profile(2) BETWEEN exp(-4) AND exp(-4) * (1 + 1e-12) AS as_it_was,
	icea_profile(0.5) < 4 * exp(-2) / 0.5 AS icea_refined;

-- The mu of named profiles: lower <= mu <= upper, the gap is kept, and the row says what is proven
CREATE FUNCTION measured(name text, parameters float8[], up_to float8, gap float8, truth float8)
RETURNS text LANGUAGE sql AS
$$SELECT concat_ws(', ', CASE WHEN lower <= truth * (1 + 1e-12) AND truth <= upper THEN 'right' ELSE 'wrong' END,
	CASE WHEN upper - lower <= gap * (1 + 1e-9) THEN 'narrow' ELSE 'wide' END, head_epsilon, scope,
	CASE WHEN (scope = 'all epsilon') = (residual_delta = 0) THEN 'plain' ELSE 'unclear' END)
FROM gdp_head(name, parameters, up_to, gap)$$;
SELECT name, measured(name, p, up_to, gap, truth) FROM (VALUES
	('pure', '{1}'::float8[], 1, 1e-4, epsdp_to_mu(1)), ('laplace', '{2}', 2, 1e-4, laplace_to_mu(2)), ('laplace', '{2}', 1, 1e-4, laplace_to_mu(2)),
	('gaussian', '{1.5}', 10, 1e-3, 1.5), ('sgd', '{}', 4, 1e-4, gdp_mu(0, sgd_profile(0))), ('sgd', '{}', 1, 1e-3, gdp_mu(0, sgd_profile(0))),
	('icea', '{}', 3, 1e-3, gdp_mu(0, icea_profile(0))), ('subsampled_gaussian', '{1, 1}', 5, 1e-3, 1)
) AS c(name, p, up_to, gap, truth);
-- subsampling at the head is worth something, and the residual says what the rest may cost
SELECT upper < 0.5 AS head, scope, residual_delta BETWEEN 1e-9 AND 0.1 AS residual FROM gdp_head('subsampled_gaussian', '{1, 0.1}', 2);
-- The printed algorithm never looks at the head of SGD: it would give 0.71 for 1.86
SELECT upper > 1.856 AS safe FROM gdp_head('sgd', '{}', 10);

-- Points: refined by what later points imply; beyond the last one nothing is known
SELECT lower < 1.01 AND upper >= 1 AS gaussian_from_points, scope
FROM (SELECT array_agg(e ORDER BY e) AS e, array_agg(gdp_delta(1, e) ORDER BY e) AS d FROM generate_series(0, 5, 0.01) e) p, gdp_head_points(e, d, 5, 0.01);
SELECT abs(upper - epsdp_to_mu(1)) < 1e-3 AS pure_dp, scope FROM gdp_head_points('{1}', '{0}', 1);
SELECT scope, residual_delta > 0 AS residual FROM gdp_head_points('{1, 2}', '{0.1, 0.01}', 2);
SELECT gdp_tail_points('{1}', '{0}') AS ends, gdp_tail_points('{1}', '{0.1}') AS never, gdp_tail('icea', '{}') AS icea, gdp_tail('gaussian', '{2}') AS gaussian;

-- Clip and reify
SELECT clip_reify_b(0, 10, 100) BETWEEN 0.1 AND 0.1 + 1e-15 AS scale;

-- Errors name the argument and its range
SELECT gdp_head('sgd', '{1}', 1);
SELECT gdp_head('unknown', '{}', 1);
SELECT gdp_head_points('{1, 2}', '{0.1, 0.2}', 2);
SELECT gdp_head_points('{2, 1}', '{0.2, 0.1}', 2);
SELECT gdp_head('gaussian', '{-1}', 1);
SELECT gdp_head('gaussian', '{1}', 1, 0);
SELECT gdp_head('gaussian', '{1}', 1, 1e-14);
SELECT sgd_switch(2);
SELECT clip_reify_b(10, 0, 1);
