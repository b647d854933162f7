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
