-- What several releases cost together: exact, basic, advanced and optimal composition.

-- Gaussian: squares of mu add up, as array, as arguments and over rows
SELECT gdp.compose(ARRAY[3.0, 4.0]) AS five, gdp.compose(ARRAY[3, 4, 12]) AS thirteen, gdp.compose('{}'::float8[]) AS nothing;
SELECT gdp.compose(mu) AS thirteen FROM (VALUES (3.0), (NULL), (4), (12)) AS v(mu);
SELECT gdp.compose(mu) AS nothing FROM (SELECT 1.0 AS mu WHERE false) AS v;
SELECT gdp.compose(1e200 * g) / 1e200 BETWEEN 18 AND 20 AS no_overflow FROM generate_series(1, 10) g;
SELECT gdp.compose(mu) = gdp.compose(array_agg(mu)) AS same FROM (SELECT 1 / g::float8 AS mu FROM generate_series(1, 1000) g) v;
SELECT gdp.remaining(5, 3) BETWEEN 4 - 1e-12 AND 4 AS rounded_down, gdp.remaining(5, 5) AS used_up, gdp.remaining(5, 6) AS overdrawn;

-- Equal queries within a budget: sqrt(k) times the noise of one, and no more than k fit
SELECT gdp.optimal_sigma(1, 10, 1, 1e-5) / dp_gaussian_sigma(1, 1e-5) / sqrt(10) BETWEEN 1 - 1e-12 AND 1 + 1e-12 AS sqrt_k,
	dp_gaussian_epsilon(gdp.optimal_sigma(1, 10, 1, 1e-5) / sqrt(10), 1e-5) <= 1 AS private;
SELECT gdp.query_count(0.1, 1e-6, 0.1, 1e-6) AS one, gdp.query_count(0.1, 1e-6, 1, 1e-6) AS gaussian,
	gdp.query_count(0.1, 0, 1, 1e-6, 'optimal') AS optimal, gdp.query_count(1, 1e-6, 0.5, 1e-6) AS none;
SELECT gdp.kov_delta(0.1, 0, n, 1) <= 1e-6 AS fits, gdp.kov_delta(0.1, 0, n + 1, 1) > 1e-6 AS one_more_does_not
FROM gdp.query_count(0.1, 0, 1, 1e-6, 'optimal') n;

-- Sharing a budget
SELECT gdp.compose(gdp.split(2, ARRAY[1, 2, 5])) BETWEEN 2 - 1e-12 AND 2 AS within, array_length(gdp.split(2, ARRAY[1, 2, 5]), 1) AS n;
WITH best AS (SELECT gdp.allocate(1, ARRAY[1, 4, 9], ARRAY[1, 2, 3]) AS s)
SELECT gdp.compose(ARRAY[1 / s[1], 2 / s[2], 3 / s[3]]) BETWEEN 1 - 1e-12 AND 1 AS within,
	s[1] ^ 2 + 4 * s[2] ^ 2 + 9 * s[3] ^ 2 <= 3 * (1 + 4 * 4 + 9 * 9) AS better_than_equal_shares,
	abs(s[1] ^ 2 + 4 * s[2] ^ 2 + 9 * s[3] ^ 2 - (1 + 2 * 2 + 3 * 3) ^ 2) < 1e-9 AS cauchy_schwarz
FROM best;

-- (epsilon, delta): each method is at least as good as the one before
SELECT * FROM gdp.compose_dp(ARRAY[0.5, 0.25], ARRAY[0, 0.125], 'basic');
WITH c AS (SELECT array_fill(0.1::float8, ARRAY[100]) AS e, array_fill(1e-9::float8, ARRAY[100]) AS d)
SELECT b.epsilon > a.epsilon AS advanced_helps, a.epsilon > k.epsilon AS kov_helps, k.epsilon > o.epsilon AS optimal_helps,
	o.delta <= k.delta AS same_delta, o.epsilon = gdp.kov_epsilon(0.1, 1e-9, 100, o.delta) AS consistent
FROM c, gdp.compose_dp(e, d, 'basic') b, gdp.compose_dp(e, d, 'advanced', 1e-6) a, gdp.compose_dp(e, d, 'kov', 1e-6) k,
	gdp.compose_dp(e, d, 'optimal', 1e-6) o;
-- without slack, and for a few large epsilons, nothing beats the sum
SELECT epsilon, delta FROM gdp.compose_dp(ARRAY[1, 2], ARRAY[0, 0]);
SELECT epsilon = 10 AS basic, delta = 0 AS for_nothing FROM gdp.compose_dp(array_fill(1::float8, ARRAY[10]), array_fill(0::float8, ARRAY[10]), 'advanced', 1e-5);
-- unequal mechanisms
SELECT epsilon < 1.6 AS less, gdp.heterogeneous_delta(ARRAY[0.1, 0.5, 1], epsilon) <= delta AS private,
	gdp.heterogeneous_delta(ARRAY[0.1, 0.5, 1], epsilon * (1 - 1e-9)) > delta AS least
FROM gdp.compose_dp(ARRAY[0.1, 0.5, 1], ARRAY[0, 0, 0], 'optimal', 0.1);
SELECT gdp.heterogeneous_delta(ARRAY[0.1, 0.5, 1], 0.8) = gdp.heterogeneous_delta(ARRAY[0.1, 0.5, 1], ARRAY[0, 0, 0], 0.8) AS same,
	gdp.heterogeneous_delta(array_fill(0.1::float8, ARRAY[20]), 1) / gdp.kov_delta(0.1, 0, 20, 1) BETWEEN 1 - 1e-12 AND 1 + 1e-12 AS as_homogeneous;
SELECT gdp.kov_epsilon(0.1, 1e-3, 100, 1e-6) AS the_deltas_are_too_large, gdp.kov_epsilon(0.1, 0, 100, 0) BETWEEN 10 AND 10 + 1e-12 AS sum;
-- a million mechanisms
SELECT gdp.kov_delta(0.001, 0, 1e6, gdp.kov_epsilon(0.001, 0, 1e6, 1e-6)) BETWEEN 1e-6 * (1 - 1e-9) AND 1e-6 AS large_k;
SELECT abs(gdp.kov_epsilon(0.001, 0, 1e6, 1e-6) / gdp.epsilon(1, 1e-6) - 1) < 1e-3 AS tends_to_gaussian;

-- Errors name the argument and its range
\set VERBOSITY default
SELECT gdp.compose_dp(ARRAY[1], ARRAY[0], 'best');
SELECT gdp.compose_dp(ARRAY[1, 2], ARRAY[0]);
SELECT gdp.compose_dp(array_agg(g / 10.0), array_agg(0.0), 'optimal', 0.1) FROM generate_series(1, 21) g;
SELECT gdp.kov_delta(1, 0, 2.5, 1);
SELECT gdp.compose(ARRAY[1, -1]);
SELECT gdp.compose(ARRAY[1, NULL]);
SELECT gdp.compose_sigma(1, 2, 3);
SELECT gdp.average_sigma_count(0.5, 0.75, 1, 0.5);
SELECT gdp.kov_epsilon(1, 0, 2, 'NaN');
SELECT gdp.compose_sigma(1);
SELECT gdp.compose_sigma(1, 1, 1, -2);
SELECT gdp.allocate(1, '{1, 1}', '{1, 0}');
SELECT gdp.split(1, '{1, 0}');
SELECT gdp.heterogeneous_delta(ARRAY[1, 2], ARRAY[0, 1], 1);
SELECT gdp.heterogeneous_delta(ARRAY[1, 2], ARRAY[0, 0.5], -1);
SELECT gdp.optimal_sigma(1, 4, 1, 2);
SELECT gdp.query_count(1, 0, 1, 2, 'optimal');
SELECT gdp.query_count(1, 0, 1, 2, 'best');
SELECT gdp.compose(ARRAY[1e308, 1.7e308]);
-- Deltas that say nothing together are a result, and no error
SELECT gdp.compose_dp(array_fill(0.1::float8, ARRAY[400]), array_fill(0.9::float8, ARRAY[400]), 'optimal', 0.1);
