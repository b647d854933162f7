/*
 * golden_table.h
 *		Which function of the core computes which function of golden.tsv and reference.tsv.
 *
 * GOLDEN(name, side, value): value is an expression over the row's arguments x[0], x[1], ...;
 * side says how the result may differ from the true value t (golden.c):
 *		NEAREST		|result - t| <= 1e-13 |t|
 *		UP, DOWN	never on the other side of t, and at most 1e-12 |t| away
 * CALL(f) is the result of a function that returns a status and writes to &r; NaN where it fails.
 */

/* The normal law */
GOLDEN(norm_cdf, NEAREST, gdp_norm_cdf(x[0]))
GOLDEN(norm_sf, NEAREST, gdp_norm_sf(x[0]))
GOLDEN(norm_log_sf, NEAREST, gdp_norm_log_sf(x[0]))
GOLDEN(norm_quantile, NEAREST, gdp_norm_quantile(x[0]))
GOLDEN(erfcx, NEAREST, gdp_erfcx(x[0]))
GOLDEN(erfc_inv, NEAREST, gdp_erfc_inv(x[0]))

/* The profile of the Gaussian mechanism */
GOLDEN(gdp_delta, UP, CALL(gdp_profile_delta(x[1], x[0], &r)))
GOLDEN(gdp_log_delta, NEAREST, gdp_profile_log_delta(x[1], x[0]))
GOLDEN(gdp_one_minus_delta, NEAREST, (gdp_profile_tails(x[1], x[0], &ignored, &r), r))
GOLDEN(gdp_mu, DOWN, CALL(gdp_profile_mu(x[0], x[1], &r)))
GOLDEN(gdp_eps, UP, CALL(gdp_profile_epsilon(x[1], x[0], &r)))
GOLDEN(dp_opt_sigma, UP, CALL(gdp_optimal_sigma(x[0], x[1], x[2], &r)))
GOLDEN(dp_opt_sigma_eps0, UP, CALL(gdp_optimal_sigma(0, x[0], x[1], &r)))
GOLDEN(dp_eps_of_sigma, UP, CALL(gdp_sigma_epsilon(x[1], x[0], x[2], &r)))
GOLDEN(dp_delta_of_sigma, UP, CALL(gdp_sigma_delta(x[1], x[0], x[2], &r)))

/* Probabilistic privacy */
GOLDEN(pdp_delta_one, UP, CALL(gdp_pdp_delta(GDP_PDP_ONE_TAILED, x[1], x[0], &r)))
GOLDEN(pdp_delta_two, UP, CALL(gdp_pdp_delta(GDP_PDP_TWO_TAILED, x[1], x[0], &r)))
GOLDEN(pdp_eps_one, UP, CALL(gdp_pdp_epsilon(GDP_PDP_ONE_TAILED, x[1], x[0], &r)))
GOLDEN(pdp_d, NEAREST, CALL(gdp_pdp_d(x[0], x[1], &r)))
GOLDEN(pdp_eps_two, UP, CALL(gdp_pdp_epsilon(GDP_PDP_TWO_TAILED, x[1], x[0], &r)))

/* The catalogue */
GOLDEN(pdp_opt_sigma, UP, MECHANISM("pdp_optimal"))
GOLDEN(prdp_opt_sigma, UP, MECHANISM("pdp_one_tailed"))
GOLDEN(dwork2006_sigma, UP, MECHANISM("dwork2006"))
GOLDEN(dwork2014_sigma, UP, MECHANISM("dwork2014"))
GOLDEN(mech1_b, NEAREST, CALL(gdp_mechanism1_b(x[0], x[1], &r)))
GOLDEN(mech1_sigma, UP, MECHANISM("mechanism1"))
GOLDEN(mech2_sigma, UP, MECHANISM("mechanism2"))
GOLDEN(mech3_sigma, UP, MECHANISM("mechanism3"))
GOLDEN(mech4_sigma, UP, MECHANISM("mechanism4"))
GOLDEN(vinterbo8_sigma, UP, MECHANISM("vinterbo8"))
GOLDEN(vinterbo9_sigma, UP, MECHANISM("vinterbo9"))
GOLDEN(vinterbo10_sigma, UP, MECHANISM("vinterbo10"))
GOLDEN(thm2_upper_sigma, UP, MECHANISM("theorem2_upper"))
GOLDEN(zcdp_sigma, UP, MECHANISM("zcdp"))
GOLDEN(mcdp_sigma, UP, MECHANISM("mcdp"))

/* Limits and diagnostics */
GOLDEN(dwork2014_dp_threshold, DOWN, CALL(gdp_dwork_threshold(GDP_DWORK2014, GDP_DP, x[0], &r)))
GOLDEN(dwork2006_dp_threshold, DOWN, CALL(gdp_dwork_threshold(GDP_DWORK2006, GDP_DP, x[0], &r)))
GOLDEN(dwork2014_pdp_threshold, DOWN,
	   CALL(gdp_dwork_threshold(GDP_DWORK2014, GDP_PDP_TWO_TAILED, x[0], &r)))
GOLDEN(dwork2006_pdp_threshold, DOWN,
	   CALL(gdp_dwork_threshold(GDP_DWORK2006, GDP_PDP_TWO_TAILED, x[0], &r)))
GOLDEN(eps_star, NEAREST, CALL(gdp_epsilon_star(x[0], &r)))
GOLDEN(eps_hash, NEAREST, CALL(gdp_epsilon_hash(x[0], &r)))
GOLDEN(thm2_lower_sigma, DOWN, CALL(gdp_lower_sigma_theorem2(x[0], x[1], &r)))
GOLDEN(lemma10_lower_small_eps, DOWN, CALL(gdp_lower_sigma_lemma10a(x[0], x[1], x[2], &r)))
GOLDEN(lemma10_lower_33b, DOWN, CALL(gdp_lower_sigma_lemma10b(x[0], x[1], x[2], &r)))
GOLDEN(dp_a, NEAREST, CALL(gdp_profile_a(x[0], x[1], &r)))
GOLDEN(gdp_tradeoff, DOWN, CALL(gdp_tradeoff_beta(x[1], x[0], &r)))
GOLDEN(gdp_dmu_deps, NEAREST, CALL(gdp_mu_slope_epsilon(x[0], x[1], &r)))
GOLDEN(gdp_dmu_ddelta, NEAREST, CALL(gdp_mu_slope_delta(x[0], x[1], &r)))
GOLDEN(vinterbo_g, NEAREST, CALL(gdp_vinterbo_g(x[0], x[1], &r)))
GOLDEN(vinterbo_d, NEAREST, CALL(gdp_vinterbo_d(x[0], x[1], &r)))
GOLDEN(vinterbo_ratio, NEAREST, CALL(gdp_vinterbo_ratio(x[0], x[1], &r)))
GOLDEN(vinterbo_rho_plus, NEAREST, CALL(gdp_vinterbo_rho_plus(x[0], &r)))
GOLDEN(vinterbo_rho_minus, NEAREST, CALL(gdp_vinterbo_rho_minus(x[0], &r)))
GOLDEN(quantile_upper_bound, UP, CALL(gdp_quantile_bound(x[0], &r)))

GOLDEN(erfc_inv_bound, UP, CALL(gdp_erfc_inv_bound(x[0], &r)))
GOLDEN(erfc_inv_bound_log, UP, CALL(gdp_erfc_inv_bound_log(x[0], &r)))

/* Noise of log-concave densities: the arguments, then the number of one of the laws of golden.c */
GOLDEN(noise_delta, UP, CALL(gdp_law_delta(&laws[(int) x[3]], x[0], x[1], x[2], &r)))
GOLDEN(noise_scale, UP, CALL(gdp_law_scale(&laws[(int) x[3]], x[0], x[1], x[2], &r)))

/* Composition */
GOLDEN(compose_mu, UP, CALL(gdp_compose_mu(4, x, &r)))
GOLDEN(compose_sigma_star, DOWN,
	   CALL(gdp_compose_sigma(3, (double[]){x[0], x[2], x[4]}, (double[]){x[1], x[3], x[5]}, &r)))
GOLDEN(dp_opt_sigma_k, UP, CALL(gdp_optimal_sigma_k(x[2], x[3], x[0], x[1], &r)))
GOLDEN(advanced_comp_eps, UP, CALL(gdp_advanced_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(kov_simple_eps, UP, CALL(gdp_kov_simple_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(kov_delta, UP, CALL(gdp_kov_delta(x[0], x[1], x[2], x[3], &r)))
GOLDEN(kov_eps, UP, CALL(gdp_kov_epsilon(x[0], x[1], x[2], x[3], &r)))
GOLDEN(opt_hetero_delta, UP, CALL(gdp_kov_hetero_delta(3, x, (double[3]){0, 0, 0}, x[3], &r)))

/* Conversions */
GOLDEN(dp_to_pdp_delta_two, UP, CALL(gdp_dp_to_pdp_delta_two(x[0], x[1], x[2], &r)))
GOLDEN(dp_to_pdp_delta_one, UP, CALL(gdp_dp_to_pdp_delta_one(x[0], x[1], x[2], &r)))
GOLDEN(dp_to_pdp_eps_one, UP, CALL(gdp_dp_to_pdp_epsilon_one(x[0], x[1], x[2], &r)))
GOLDEN(dp_to_pdp_eps_two, UP, CALL(gdp_dp_to_pdp_epsilon_two(x[0], x[1], x[2], &r)))
GOLDEN(dp_to_pdp_eps_one_lower, DOWN, CALL(gdp_dp_to_pdp_epsilon_one_lower(x[0], x[1], x[2], &r)))
GOLDEN(cex_n, NEAREST, CALL(gdp_counterexample(x[0], x[1], x[2], &r, &ignored, &ignored)))
GOLDEN(cex_p, NEAREST, CALL(gdp_counterexample(x[0], x[1], x[2], &ignored, &r, &ignored)))
GOLDEN(cex_q, NEAREST, CALL(gdp_counterexample(x[0], x[1], x[2], &ignored, &ignored, &r)))
GOLDEN(pdp_lower_tail, UP, CALL(gdp_pdp_lower_tail(x[0], x[1], &r)))
GOLDEN(leak_n, NEAREST, leak(x).n)
GOLDEN(leak_delta_prime, NEAREST, leak(x).delta_prime)
GOLDEN(leak_p, NEAREST, leak(x).p)
GOLDEN(leak_q, NEAREST, leak(x).q)
GOLDEN(mcdp_delta, UP, CALL(gdp_mcdp_delta(x[1], x[2], x[0], &r)))
GOLDEN(mcdp_eps, UP, CALL(gdp_mcdp_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(zcdp_rho, UP, CALL(gdp_zcdp_rho(x[0], x[1], &r)))
GOLDEN(zcdp_eps, UP, CALL(gdp_zcdp_epsilon(x[0], x[1], &r)))
GOLDEN(zcdp_delta, UP, CALL(gdp_zcdp_delta(x[0], x[1], &r)))
GOLDEN(zcdp_eps_tight, UP, CALL(gdp_zcdp_epsilon_tight(x[0], x[1], &r)))
GOLDEN(zcdp_delta_tight, UP, CALL(gdp_zcdp_delta_tight(x[0], x[1], &r)))
GOLDEN(zcdp_max_rho, DOWN, CALL(gdp_zcdp_max_rho(x[0], x[1], &r)))
GOLDEN(rdp_to_dp_delta, UP, CALL(gdp_rdp_delta(x[0], x[1], x[2], &r)))
GOLDEN(rdp_to_dp_eps, UP, CALL(gdp_rdp_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(rdp_to_dp_eps_mironov, UP, CALL(gdp_rdp_epsilon_mironov(x[0], x[1], x[2], &r)))
GOLDEN(rdp_gauss, UP, CALL(gdp_rdp_gauss(x[1], x[0], &r)))
GOLDEN(tcdp_eps, UP, CALL(gdp_tcdp_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(tcdp_delta, UP, CALL(gdp_tcdp_delta(x[0], x[1], x[2], &r)))
GOLDEN(subsample_eps, UP, CALL(gdp_subsample_epsilon(x[1], x[0], &r)))
GOLDEN(subsampled_gauss_delta, UP, CALL(gdp_subsampled_delta(x[1], x[2], x[0], &r)))

/* The GDP transformation */
GOLDEN(epsdp_to_mu, UP, CALL(gdp_pure_to_mu(x[0], &r)))
GOLDEN(laplace_to_mu, UP, CALL(gdp_laplace_to_mu(x[0], &r)))
GOLDEN(laplace_delta, UP, CALL(gdp_laplace_delta(x[1], x[0], &r)))
GOLDEN(implied_delta, UP, CALL(gdp_implied_delta(x[0], x[1], x[2], &r)))
GOLDEN(implied_delta_max, DOWN, CALL(gdp_implied_delta_max(x[1], x[2], x[0], &r)))
GOLDEN(sgd_switch, NEAREST, CURVE(gdp_curve_exponential(1, 2, &c), SWITCH(x[0])))
GOLDEN(icea_switch, NEAREST, CURVE(gdp_curve_icea(20, 4, &c), SWITCH(x[0])))
GOLDEN(sgd_profile, UP, CURVE(gdp_curve_exponential(1, 2, &c), gdp_curve_delta(&c, x[0], &r)))
GOLDEN(icea_profile, UP, CURVE(gdp_curve_icea(20, 4, &c), gdp_curve_delta(&c, x[0], &r)))
GOLDEN(exponential_switch, NEAREST, CURVE(gdp_curve_exponential(x[0], x[1], &c), SWITCH(x[2])))
GOLDEN(power_switch, NEAREST, CURVE(gdp_curve_power(x[0], x[1], &c), SWITCH(x[2])))
GOLDEN(exponential_delta, UP,
	   CURVE(gdp_curve_exponential(x[0], x[1], &c), gdp_curve_delta(&c, x[2], &r)))
GOLDEN(power_delta, UP, CURVE(gdp_curve_power(x[0], x[1], &c), gdp_curve_delta(&c, x[2], &r)))
GOLDEN(icea_delta, UP, CURVE(gdp_curve_icea(x[0], x[1], &c), gdp_curve_delta(&c, x[2], &r)))
GOLDEN(exponential_mu, UP,
	   CURVE(gdp_curve_exponential(x[0], x[1], &c), gdp_transform(&c, x[2], &r)))
GOLDEN(power_mu, UP, CURVE(gdp_curve_power(x[0], x[1], &c), gdp_transform(&c, x[2], &r)))
GOLDEN(four_outputs_p, NEAREST, four_outputs(x)[(int) x[2] - 1])
GOLDEN(four_outputs_q, NEAREST, four_outputs(x)[(int) x[2] + 3])
GOLDEN(refine_sigma_log, NEAREST, CALL(gdp_refine_sigma_log(x[0], x[1], x[2], &r)))
GOLDEN(gdpt_epsdp, UP, CURVE(named(GDP_CURVE_PURE, x[1], &c), gdp_transform(&c, x[0], &r)))
GOLDEN(gdpt_laplace, UP, CURVE(named(GDP_CURVE_LAPLACE, x[1], &c), gdp_transform(&c, x[0], &r)))
GOLDEN(clip_reify_b, UP, CALL(gdp_clip_scale(x[0], x[1], x[2], &r)))

/* Accuracy and sensitivities */
GOLDEN(ci_halfwidth, UP, CALL(gdp_interval_halfwidth(x[0], x[1], x[2], &r)))
GOLDEN(sens_count, UP, CALL(gdp_sensitivity_count(x[0], x[1], x[2] != 0, &r)))
GOLDEN(sens_sum, UP, CALL(gdp_sensitivity_sum(x[0], x[1], x[2], x[3], x[4] != 0, x[5] != 0, &r)))
GOLDEN(sens_vector_l2, UP, CALL(gdp_sensitivity_vector_l2(x[0], x[1] != 0, &r)))
GOLDEN(sens_vector_box, UP, CALL(gdp_sensitivity_vector_box(x[0], x[1], x[2], x[3] != 0, &r)))
GOLDEN(avg_sigma_sum, UP, CALL(gdp_average_sigma_sum(x[0], x[1], x[2], x[3], x[4], x[5], &r)))
GOLDEN(avg_sigma_count, UP, CALL(gdp_average_sigma_count(x[0], x[1], x[2], x[3], &r)))
GOLDEN(avg_std, UP, CALL(gdp_average_stddev(x[0], x[1], x[2], x[3], x[4], x[5], &r)))
GOLDEN(avg_best_p, NEAREST, CALL(gdp_average_best_share(x[0], x[1], x[2], &r)))

/* The discrete Gaussian: what its tests measure the sampler against, by direct summation */
GOLDEN(dgauss_delta, NEAREST, (double) dgauss_delta(x[0], x[1], (long) x[2]))
GOLDEN(dgauss_tail, NEAREST, (double) dgauss_tail((long) x[0], x[1]))
