-- Conversions between notions of privacy, sensitivities and accuracy.

-- DP to probabilistic DP and back again; two tails cost more than one; the impossibility bound is near
SELECT dp_to_pdp_delta_one(1, 1e-6, 2) < dp_to_pdp_delta_two(1, 1e-6, 2) AS two_tails,
	abs(dp_to_pdp_eps_one(1, 1e-6, dp_to_pdp_delta_one(1, 1e-6, 2)) - 2) < 1e-12 AS one_round,
	abs(dp_to_pdp_eps_two(1, 1e-6, dp_to_pdp_delta_two(1, 1e-6, 2)) - 2) < 1e-12 AS two_round,
	dp_to_pdp_eps_one_lower(1, 1e-6, 1e-5) < dp_to_pdp_eps_one(1, 1e-6, 1e-5) AS impossibility,
	dp_to_pdp_delta_two(1, 0.9, 1.1) AS capped;

-- The counterexample of Guingona et al.: (0.5, 0.01)-DP, but not probabilistic DP at (2, 0.01)
SELECT n, p > 0.01 AS leaks, abs(p + (n - 1) * q - 1) < 1e-12 AS sums_to_one,
	p <= exp(0.5) * q + 0.01 + 1e-12 AS is_dp, p > exp(2) * q AS beyond_epsilon_hat
FROM (SELECT cex_n(0.5, 0.01, 2) AS n, cex_p(0.5, 0.01, 2) AS p, cex_q(0.5, 0.01, 2) AS q) c;

-- Pure DP and Laplace noise
SELECT laplace_to_mu(1) < epsdp_to_mu(1) AS laplace_is_better, epsdp_to_mu(0) AS nothing,
	laplace_delta(1, 2) < implied_delta(2, 0, 1) AS profile_too, laplace_delta(2, 2) AS none_left;
SELECT bool_and(gdp_delta(laplace_to_mu(2), e) >= laplace_delta(e, 2)) AS mu_covers_the_profile
FROM generate_series(0, 3, 0.125) e;

-- Concentrated DP: tight is better than standard, the Gaussian's own profile better than both
SELECT zcdp_eps_tight(0.5, 1e-6) < zcdp_eps(0.5, 1e-6) AS tight, gdp_epsilon(1, 1e-6) < zcdp_eps_tight(0.5, 1e-6) AS exact,
	abs(zcdp_eps_tight(zcdp_max_rho(1, 1e-6), 1e-6) - 1) < 1e-9 AS inverse,
	abs(zcdp_delta_tight(0.5, zcdp_eps_tight(0.5, 1e-6)) / 1e-6 - 1) < 1e-9 AS round_trip,
	gdp_to_zcdp(1) AS half, zcdp_rho(2, 1) AS eighth, epsdp_to_zcdp(2) AS two;
SELECT bool_and(rdp_to_dp_eps(a, rdp_gauss(a, 1), 1e-6) >= zcdp_eps_tight(0.5, 1e-6)) AS every_order_is_safe,
	bool_and(rdp_to_dp_eps_mironov(a, rdp_gauss(a, 1), 1e-6) >= rdp_to_dp_eps(a, rdp_gauss(a, 1), 1e-6)) AS looser,
	min(rdp_to_dp_eps(a, rdp_gauss(a, 1), 1e-6)) - zcdp_eps_tight(0.5, 1e-6) < 1e-2 AS best_order
FROM generate_series(1.25, 12, 0.25) a;
SELECT tcdp_eps(0.5, 1e6, 1e-6) = zcdp_eps(0.5, 1e-6) AS large_omega, tcdp_eps(0.1, 3, 1e-6) > zcdp_eps(0.1, 1e-6) AS small_omega,
	abs(tcdp_delta(0.1, 3, tcdp_eps(0.1, 3, 1e-6)) / 1e-6 - 1) < 1e-12 AS round_trip,
	abs(mcdp_delta(mcdp_eps(0.5, 1, 1e-6), 0.5, 1) / 1e-6 - 1) < 1e-12 AS mcdp_round_trip, mcdp_delta(0.5, 0.5, 1) AS vacuous;

-- Subsampling
SELECT subsample_eps(1, 1) AS all_rows, subsample_eps(1, 0.01) < 0.02 AS amplified,
	subsampled_gauss_delta(1, 1, 0.01) < 0.01 * gdp_delta(1, 1) AS delta_too,
	subsampled_gauss_delta(1, 1, 1) BETWEEN gdp_delta(1, 1) AND gdp_delta(1, 1) * (1 + 1e-12) AS rate_1;

-- Accuracy
SELECT dp_noise_interval(1) BETWEEN 1.959963984540054 AND 1.9599639845402 AS z, dp_noise_interval(2, 0.95) = 2 * dp_noise_interval(1) AS scales,
	abs(dp_noise_interval(1, 0.99) - ci_halfwidth(1, 0.01, 1)) < 1e-12 AS same, ci_halfwidth(1, 0.05, 10) > dp_noise_interval(1) AS simultaneous;
SELECT sens_count(1, 4, false) AS two, sens_count(1, 2, true) AS replaced, sens_sum(-1, 1, 2, 4, false, false) AS four,
	sens_sum(-1, 3, 1, 1, true, true) AS width, sens_vector_l2(2, true) AS diameter, sens_vector_box(-1, 3, 4, false) AS box;
SELECT avg_best_p(0, 100, 50) AS centre, avg_best_p(0, 100, 0) AS border, abs(avg_sigma_count(0.5, 0.75, 1, 1) - 4) < 1e-12 AS four,
	(avg_std(0, 100, 60, 1, 0.75, 1000) / avg_std(0, 100, 60, 1, avg_best_p(0, 100, 60), 1000)) ^ 2 <= 4.0 / 3 AS minimax_regret;

-- Errors name the argument and its range
SELECT dp_to_pdp_delta_one(1, 1e-6, 1);
SELECT dp_to_pdp_eps_one(1, 1e-6, 1e-6);
SELECT cex_n(0.5, 0.5, 2);
SELECT cex_n(0.5, 0.01, 0.505);
SELECT rdp_to_dp_eps(1, 1, 1e-6);
SELECT implied_delta_max(1, 2, 0.1);
SELECT sens_sum(1, 1, 1, 1, false, false);
SELECT subsample_eps(1, 1.5);
SELECT dp_noise_interval(1, 1);
