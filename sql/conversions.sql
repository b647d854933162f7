-- Conversions between notions of privacy, sensitivities and accuracy.

-- DP to probabilistic DP and back again; two tails cost more than one; the impossibility bound is near
SELECT gdp.dp_to_pdp_delta_one_tailed(1, 1e-6, 2) < gdp.dp_to_pdp_delta_two_tailed(1, 1e-6, 2) AS two_tails,
	abs(gdp.dp_to_pdp_epsilon_one_tailed(1, 1e-6, gdp.dp_to_pdp_delta_one_tailed(1, 1e-6, 2)) - 2) < 1e-12 AS one_round,
	abs(gdp.dp_to_pdp_epsilon_two_tailed(1, 1e-6, gdp.dp_to_pdp_delta_two_tailed(1, 1e-6, 2)) - 2) < 1e-12 AS two_round,
	gdp.dp_to_pdp_epsilon_one_tailed_lower(1, 1e-6, 1e-5) < gdp.dp_to_pdp_epsilon_one_tailed(1, 1e-6, 1e-5) AS impossibility,
	gdp.dp_to_pdp_delta_two_tailed(1, 0.9, 1.1) AS capped;

-- The counterexample of Guingona et al.: (0.5, 0.01)-DP, but not probabilistic DP at (2, 0.01)
SELECT n, p > 0.01 AS leaks, abs(p + (n - 1) * q - 1) < 1e-12 AS sums_to_one,
	p <= exp(0.5) * q + 0.01 + 1e-12 AS is_dp, p > exp(2) * q AS beyond_epsilon_hat
FROM (SELECT gdp.counterexample_n(0.5, 0.01, 2) AS n, gdp.counterexample_p(0.5, 0.01, 2) AS p, gdp.counterexample_q(0.5, 0.01, 2) AS q) c;

-- One that leaks with ten times delta: up to the bound of Lemma 2.3, and not beyond
SELECT n, delta_prime <= 0.01 AS is_dp, p > 0.1 AS leaks, p > exp(0.6) * q AS beyond_epsilon_hat, p + (n - 1) * q <= 1 AS no_more_than_one
FROM gdp.pdp_counterexample(0.5, 0.01, 0.6, 0.1);
SELECT gdp.dp_to_pdp_epsilon_one_tailed(0.5, 0.01, 0.1) > 0.6 AS possible;
SELECT gdp.pdp_counterexample(0.5, 0.01, 0.61, 0.1);
-- One tail and its lower tail are two
SELECT abs(one + gdp.pdp_lower_tail(2, one) - gdp.dp_to_pdp_delta_two_tailed(1, 1e-6, 2)) < 1e-18 AS both FROM gdp.dp_to_pdp_delta_one_tailed(1, 1e-6, 2) one;
-- Bounds of erfc^-1 are the shares of mechanism 4 and zCDP
SELECT bool_and(abs(dp_gaussian_sigma(1, d, 1, 'mechanism4') * sqrt(2) / (b + sqrt(b ^ 2 + 1)) - 1) < 1e-12 AND b < gdp.erfc_inverse_bound_log(d)) AS mechanism4
FROM unnest('{1e-9, 1e-3, 0.5, 0.9}'::float8[]) d, gdp.erfc_inverse_bound(d) b;

-- Noise of any even log-concave density
SELECT gdp.noise_scale('gaussian', 1, 1e-6, 2) = dp_gaussian_sigma(1, 1e-6, 2, 'vinterbo8') AS gaussian, gdp.noise_delta('laplace', 2, 0.5) AS laplace,
	gdp.noise_delta('logistic', gdp.noise_scale('logistic', 1, 1e-6), 1) BETWEEN 0.99e-6 AND 1e-6 AS logistic, gdp.noise_delta_points('{0, 1}', '{0, 1}', 2, 0.5) AS points,
	gdp.noise_scale_points('{0, 1}', '{5, 6}', 0.5, 0.1) BETWEEN 2 AND 2 + 1e-15 AS laplace_again;
SELECT gdp.noise_scale('cauchy', 1, 1e-6);
SELECT gdp.noise_scale('logistic', 1, 0);
SELECT gdp.noise_delta_points('{0, 1, 2}', '{0, 1, 1.5}', 1, 1);
SELECT gdp.noise_scale_points('{0, 1}', '{0}', 1, 1e-6);

-- Pure DP and Laplace noise
SELECT gdp.laplace_to_mu(1) < gdp.pure_to_mu(1) AS laplace_is_better, gdp.pure_to_mu(0) AS nothing,
	gdp.laplace_delta(2, 1) < gdp.implied_delta(2, 0, 1) AS profile_too, gdp.laplace_delta(2, 2) AS none_left;
SELECT bool_and(gdp.delta(gdp.laplace_to_mu(2), e) >= gdp.laplace_delta(2, e)) AS mu_covers_the_profile
FROM generate_series(0, 3, 0.125) e;

-- Concentrated DP: tight is better than standard, the Gaussian's own profile better than both
SELECT gdp.zcdp_to_dp_epsilon_tight(0.5, 1e-6) < gdp.zcdp_to_dp_epsilon(0.5, 1e-6) AS tight, gdp.epsilon(1, 1e-6) < gdp.zcdp_to_dp_epsilon_tight(0.5, 1e-6) AS exact,
	abs(gdp.zcdp_to_dp_epsilon_tight(gdp.zcdp_max_rho(1, 1e-6), 1e-6) - 1) < 1e-9 AS inverse,
	abs(gdp.zcdp_to_dp_delta_tight(0.5, gdp.zcdp_to_dp_epsilon_tight(0.5, 1e-6)) / 1e-6 - 1) < 1e-9 AS round_trip,
	gdp.mu_to_zcdp(1) AS half, gdp.zcdp_rho(2, 1) AS eighth, gdp.pure_to_zcdp(2) AS two;
SELECT bool_and(gdp.rdp_to_dp_epsilon(a, gdp.rdp_gaussian(1, a), 1e-6) >= gdp.zcdp_to_dp_epsilon_tight(0.5, 1e-6)) AS every_order_is_safe,
	bool_and(gdp.rdp_to_dp_epsilon_mironov(a, gdp.rdp_gaussian(1, a), 1e-6) >= gdp.rdp_to_dp_epsilon(a, gdp.rdp_gaussian(1, a), 1e-6)) AS looser,
	min(gdp.rdp_to_dp_epsilon(a, gdp.rdp_gaussian(1, a), 1e-6)) - gdp.zcdp_to_dp_epsilon_tight(0.5, 1e-6) < 1e-2 AS best_order
FROM generate_series(1.25, 12, 0.25) a;
SELECT gdp.tcdp_to_dp_epsilon(0.5, 1e6, 1e-6) = gdp.zcdp_to_dp_epsilon(0.5, 1e-6) AS large_omega, gdp.tcdp_to_dp_epsilon(0.1, 3, 1e-6) > gdp.zcdp_to_dp_epsilon(0.1, 1e-6) AS small_omega,
	abs(gdp.tcdp_to_dp_delta(0.1, 3, gdp.tcdp_to_dp_epsilon(0.1, 3, 1e-6)) / 1e-6 - 1) < 1e-12 AS round_trip,
	abs(gdp.mcdp_to_dp_delta(0.5, 1, gdp.mcdp_to_dp_epsilon(0.5, 1, 1e-6)) / 1e-6 - 1) < 1e-12 AS mcdp_round_trip, gdp.mcdp_to_dp_delta(0.5, 1, 0.5) AS vacuous;

-- Subsampling
SELECT gdp.subsampled_epsilon(1, 1) AS all_rows, gdp.subsampled_epsilon(0.01, 1) < 0.02 AS amplified,
	gdp.subsampled_gaussian_delta(1, 0.01, 1) < 0.01 * gdp.delta(1, 1) AS delta_too,
	gdp.subsampled_gaussian_delta(1, 1, 1) BETWEEN gdp.delta(1, 1) AND gdp.delta(1, 1) * (1 + 1e-12) AS rate_1;

-- Accuracy
SELECT dp_noise_interval(1) BETWEEN 1.959963984540054 AND 1.9599639845402 AS z, dp_noise_interval(2, 0.95) = 2 * dp_noise_interval(1) AS scales,
	abs(dp_noise_interval(1, 0.99) - gdp.interval_half_width(1, 0.01, 1)) < 1e-12 AS same, gdp.interval_half_width(1, 0.05, 10) > dp_noise_interval(1) AS simultaneous;
SELECT gdp.sensitivity_count(1, 4, false) AS two, gdp.sensitivity_count(1, 2, true) AS replaced, gdp.sensitivity_sum(-1, 1, 2, 4, false, false) AS four,
	gdp.sensitivity_sum(-1, 3, 1, 1, true, true) AS width, gdp.sensitivity_vector_l2(2, true) AS diameter, gdp.sensitivity_vector_box(-1, 3, 4, false) AS box;
SELECT gdp.average_best_share(0, 100, 50) AS centre, gdp.average_best_share(0, 100, 0) AS border, abs(gdp.average_sigma_count(0.5, 0.75, 1, 1) - 4) < 1e-12 AS four,
	(gdp.average_stddev(0, 100, 60, 1, 0.75, 1000) / gdp.average_stddev(0, 100, 60, 1, gdp.average_best_share(0, 100, 60), 1000)) ^ 2 <= 4.0 / 3 AS minimax_regret;

-- Errors name the argument and its range
SELECT gdp.dp_to_pdp_delta_one_tailed(1, 1e-6, 1);
SELECT gdp.dp_to_pdp_epsilon_one_tailed(1, 1e-6, 1e-6);
SELECT gdp.counterexample_n(0.5, 0.5, 2);
SELECT gdp.counterexample_n(0.5, 0.01, 0.505);
SELECT gdp.rdp_to_dp_epsilon(1, 1, 1e-6);
SELECT gdp.implied_delta_max(2, 0.1, 1);
SELECT gdp.sensitivity_sum(1, 1, 1, 1, false, false);
SELECT gdp.subsampled_epsilon(1.5, 1);
SELECT dp_noise_interval(1, 1);
SELECT gdp.sensitivity_sum('NaN', 1, 1, 1, false, false);
SELECT gdp.implied_delta_max(1, 2, 3);
SELECT gdp.laplace_delta(1, -1);
SELECT gdp.subsampled_gaussian_delta(1, 0, -1);
