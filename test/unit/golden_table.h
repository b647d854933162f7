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
GOLDEN(pdp_eps_two, UP, CALL(gdp_pdp_epsilon(GDP_PDP_TWO_TAILED, x[1], x[0], &r)))

/* The catalogue */
GOLDEN(pdp_opt_sigma, UP, MECHANISM("pdp_optimal"))
GOLDEN(prdp_opt_sigma, UP, MECHANISM("pdp_one_tailed"))
GOLDEN(dwork2006_sigma, UP, MECHANISM("dwork2006"))
GOLDEN(dwork2014_sigma, UP, MECHANISM("dwork2014"))
GOLDEN(mech1_b, NEAREST, gdp_mechanism1_b(x[0], x[1]))
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
GOLDEN(gdp_tradeoff, DOWN, CALL(gdp_tradeoff_beta(x[0], x[1], &r)))
GOLDEN(gdp_dmu_deps, NEAREST, CALL(gdp_mu_slope_epsilon(x[0], x[1], &r)))
GOLDEN(gdp_dmu_ddelta, NEAREST, CALL(gdp_mu_slope_delta(x[0], x[1], &r)))
GOLDEN(vinterbo_g, NEAREST, CALL(gdp_vinterbo_g(x[0], x[1], &r)))
GOLDEN(vinterbo_d, NEAREST, CALL(gdp_vinterbo_d(x[0], x[1], &r)))
GOLDEN(vinterbo_ratio, NEAREST, CALL(gdp_vinterbo_ratio(x[0], x[1], &r)))
GOLDEN(vinterbo_rho_plus, NEAREST, CALL(gdp_vinterbo_rho_plus(x[0], &r)))
GOLDEN(vinterbo_rho_minus, NEAREST, CALL(gdp_vinterbo_rho_minus(x[0], &r)))
GOLDEN(quantile_upper_bound, UP, CALL(gdp_quantile_bound(x[0], &r)))

/* Composition */
GOLDEN(compose_mu, UP, CALL(gdp_compose_mu(4, x, &r)))
GOLDEN(compose_sigma_star, DOWN,
	   CALL(gdp_compose_sigma(3, (double[]){x[0], x[2], x[4]}, (double[]){x[1], x[3], x[5]}, &r)))
GOLDEN(dp_opt_sigma_k, UP, CALL(gdp_optimal_sigma_k(x[0], x[1], x[2], x[3], &r)))
GOLDEN(advanced_comp_eps, UP, CALL(gdp_advanced_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(kov_simple_eps, UP, CALL(gdp_kov_simple_epsilon(x[0], x[1], x[2], &r)))
GOLDEN(kov_delta, UP, CALL(gdp_kov_delta(x[0], x[1], x[2], x[3], &r)))
GOLDEN(kov_eps, UP, CALL(gdp_kov_epsilon(x[0], x[1], x[2], x[3], &r)))
GOLDEN(opt_hetero_delta, UP, CALL(gdp_kov_hetero_delta(3, x, (double[3]){0, 0, 0}, x[3], &r)))
