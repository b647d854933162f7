-- The Gaussian mechanism: sigma by every formula, its inverses and curves.

-- A known value and its inverses; defaults and named arguments
SELECT round(dp_gaussian_sigma(1, 1e-5)::numeric, 12) AS sigma,
	dp_gaussian_sigma(epsilon => 1, delta => 1e-5, l2_sensitivity => 2) = 2 * dp_gaussian_sigma(1, 1e-5) AS linear,
	dp_gaussian_delta(dp_gaussian_sigma(1, 1e-5), 1) <= 1e-5 AS private,
	dp_gaussian_delta(dp_gaussian_sigma(1, 1e-5) * (1 - 1e-12), 1) > 1e-5 AS tight,
	dp_gaussian_epsilon(dp_gaussian_sigma(1, 1e-5), 1e-5) <= 1 AS epsilon,
	gdp.delta(gdp.mu(1, 1e-5), 1) <= 1e-5 AS mu,
	gdp.epsilon(1, 0.5) AS none_needed;

-- Borders that are legal
SELECT dp_gaussian_sigma(0, 0.5) > 0 AS zero_epsilon, dp_gaussian_sigma(1, 1e-300) > 36 AS tiny_delta,
	dp_gaussian_sigma(1, 1 - 1e-16) > 0 AS large_delta, dp_gaussian_sigma(1e300, 0.1) < 1e-149 AS large_epsilon,
	dp_gaussian_sigma(1, 1e-5, 1e300) > 1e300 AS large_sensitivity, gdp.delta(1e300, 1) AS no_privacy,
	gdp.delta(1, 1e300) > 0 AS never_zero;

-- The catalogue: sixteen rows, the optimum is the least that holds
SELECT count(*), count(sigma) AS with_sigma, bool_and(valid) AS all_valid,
	bool_and(ratio >= 1) AS none_better, min(sigma) = dp_gaussian_sigma(0.5, 1e-6) AS optimal
FROM dp_gaussian_mechanisms(0.5, 1e-6);
SELECT mechanism, guarantee, sigma IS NOT NULL AS has_sigma, valid, delta_reached <= 0.6 AS reached
FROM dp_gaussian_mechanisms(12, 0.6, 2);
SELECT mechanism FROM dp_gaussian_mechanisms(0, 0.1) WHERE valid;
SELECT bool_and(sigma = dp_gaussian_sigma(3, 1e-3, 7, mechanism)) AS same_sigma
FROM dp_gaussian_mechanisms(3, 1e-3, 7);

-- A classical formula that isn't private there is an error, not a number
SELECT dp_gaussian_sigma(8.4, 1e-5, 1, 'dwork2014') < dp_gaussian_sigma(8.4, 1e-5) * 1.01 AS still_private;
\set VERBOSITY terse
SELECT dp_gaussian_sigma(8.5, 1e-5, 1, 'dwork2014');
\set VERBOSITY default
SELECT dp_gaussian_sigma(1, 0.5, 1, 'mechanism2');
SELECT dp_gaussian_sigma(0, 0.5, 1, 'zcdp');
SELECT dp_gaussian_sigma(1, 0.5, 1, 'Optimal');

-- Bad input
SELECT dp_gaussian_sigma(-1, 1e-5);
SELECT dp_gaussian_sigma('NaN', 1e-5);
SELECT dp_gaussian_sigma(1, 0);
SELECT dp_gaussian_sigma(1, 1);
SELECT dp_gaussian_sigma(1, 1e-5, 0);
SELECT dp_gaussian_sigma(0, 1e-320);
SELECT dp_gaussian_delta(0, 1);
SELECT dp_gaussian_epsilon(1, 2);
SELECT gdp.mu('Infinity', 0.1);
SELECT gdp.epsilon(1e200, 0.1);
SELECT gdp.tradeoff(1, 1.5);
SELECT * FROM dp_gaussian_mechanisms(1, 2);
SELECT * FROM gdp.profile(1, 2, 1);
SELECT * FROM gdp.profile(1, 'NaN', 3);

-- A function of NULL is NULL
SELECT dp_gaussian_sigma(NULL, 1e-5) IS NULL AND dp_gaussian_delta(1, NULL) IS NULL
	AND gdp.mu(NULL, NULL) IS NULL AND dp_gaussian_sigma(1, 0.1, 1, NULL) IS NULL AS nulls,
	(SELECT count(*) FROM dp_gaussian_mechanisms(NULL, 0.1)) AS no_rows;

-- Curves: the profile falls, DP is below one-tailed pDP below two-tailed pDP
SELECT count(*), min(epsilon), max(epsilon), bool_and(delta <= pdp_one_tailed AND pdp_one_tailed <= pdp_two_tailed) AS ordered,
	bool_and(falls) AS falls
FROM (SELECT *, delta < lag(delta, 1, 1) OVER (ORDER BY epsilon) AS falls FROM gdp.profile(1, 8)) p;
SELECT bool_and(abs(gdp.tradeoff(1, gdp.tradeoff(1, a)) - a) < 1e-11) AS involution,
	bool_and(gdp.tradeoff(1, a) < 1 - a) AS below_blind
FROM generate_series(0.01, 0.99, 0.01) a;

-- Where the classical formulas end
SELECT round(gdp.dwork2014_dp_threshold(1e-5)::numeric, 7) AS star, round(gdp.dwork2006_dp_threshold(1e-5)::numeric, 7) AS sharp,
	gdp.dwork2014_pdp_threshold(1e-5) < gdp.dwork2014_dp_threshold(1e-5) AS pdp_earlier;
