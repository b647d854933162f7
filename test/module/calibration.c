/*
 * calibration.c
 *		For tests: quantities of published proofs and bounds, and the normal law, as functions of SQL.
 *
 * Made as the library makes its own (calibration.h); calibration.sql declares them.
 */
#include "calibration/calibration.h"

/* The optimal mechanism and its derivatives */
GAUSSDP_CALIBRATION_2(dp_a, gdp_profile_a, "epsilon", "delta");
GAUSSDP_CALIBRATION_2(gdp_dmu_deps, gdp_mu_slope_epsilon, "epsilon", "mu");
GAUSSDP_CALIBRATION_2(gdp_dmu_ddelta, gdp_mu_slope_delta, "epsilon", "mu");
GAUSSDP_CALIBRATION_2(pdp_d, gdp_pdp_d, "epsilon", "delta");

/* Published bounds */
GAUSSDP_CALIBRATION_2(mech1_b, gdp_mechanism1_b, "epsilon", "delta");
GAUSSDP_CALIBRATION_1(eps_star, gdp_epsilon_star, "delta");
GAUSSDP_CALIBRATION_1(eps_hash, gdp_epsilon_hash, "delta");
GAUSSDP_CALIBRATION_2(thm2_lower_sigma, gdp_lower_sigma_theorem2, "epsilon", "l2_sensitivity");
GAUSSDP_CALIBRATION_3(lemma10_lower_small_eps, gdp_lower_sigma_lemma10a, "epsilon", "delta",
					  "l2_sensitivity");
GAUSSDP_CALIBRATION_3(lemma10_lower_33b, gdp_lower_sigma_lemma10b, "epsilon", "delta",
					  "l2_sensitivity");
GAUSSDP_CALIBRATION_2(vinterbo_g, gdp_vinterbo_g, "epsilon", "delta");
GAUSSDP_CALIBRATION_2(vinterbo_d, gdp_vinterbo_d, "epsilon", "delta");
GAUSSDP_CALIBRATION_2(vinterbo_ratio, gdp_vinterbo_ratio, "epsilon", "delta");
GAUSSDP_CALIBRATION_1(vinterbo_rho_plus, gdp_vinterbo_rho_plus, "delta");
GAUSSDP_CALIBRATION_1(vinterbo_rho_minus, gdp_vinterbo_rho_minus, "delta");
GAUSSDP_CALIBRATION_1(quantile_upper_bound, gdp_quantile_bound, "p");

/* The normal law */
#define NORMAL(sql, function, name)                                                                \
	GAUSSDP_CALIBRATION_FUNCTION(sql, gdp_normal(function, v[0], &result), 1, name)

NORMAL(erfcx, GDP_ERFCX, "x");
NORMAL(erfc_inv, GDP_ERFC_INV, "y");
NORMAL(norm_cdf, GDP_NORM_CDF, "x");
NORMAL(norm_sf, GDP_NORM_SF, "x");
NORMAL(norm_log_sf, GDP_NORM_LOG_SF, "x");
NORMAL(norm_quantile, GDP_NORM_QUANTILE, "p");
