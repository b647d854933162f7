/*
 * conversion.c
 *		SQL functions of the conversions between notions of privacy, of sensitivities and accuracy.
 *
 * Reads from core/gdp.h (convert.c, concentrated.c, refine.c, accuracy.c).
 */
#include "calibration.h"

/* DP and probabilistic DP */
CALIBRATION_3(dp_to_pdp_delta_two, gdp_dp_to_pdp_delta_two, "epsilon", "delta", "epsilon_hat");
CALIBRATION_3(dp_to_pdp_delta_one, gdp_dp_to_pdp_delta_one, "epsilon", "delta", "epsilon_hat");
CALIBRATION_3(dp_to_pdp_eps_two, gdp_dp_to_pdp_epsilon_two, "epsilon", "delta", "delta_hat");
CALIBRATION_3(dp_to_pdp_eps_one, gdp_dp_to_pdp_epsilon_one, "epsilon", "delta", "delta_hat");
CALIBRATION_3(dp_to_pdp_eps_one_lower, gdp_dp_to_pdp_epsilon_one_lower, "epsilon", "delta",
			  "delta_hat");

static gdp_status
counterexample_n(double epsilon, double delta, double epsilon_hat, double *n)
{
	double p, q;

	return gdp_counterexample(epsilon, delta, epsilon_hat, n, &p, &q);
}

static gdp_status
counterexample_p(double epsilon, double delta, double epsilon_hat, double *p)
{
	double n, q;

	return gdp_counterexample(epsilon, delta, epsilon_hat, &n, p, &q);
}

static gdp_status
counterexample_q(double epsilon, double delta, double epsilon_hat, double *q)
{
	double n, p;

	return gdp_counterexample(epsilon, delta, epsilon_hat, &n, &p, q);
}

CALIBRATION_3(cex_n, counterexample_n, "epsilon", "delta", "epsilon_hat");
CALIBRATION_3(cex_p, counterexample_p, "epsilon", "delta", "epsilon_hat");
CALIBRATION_3(cex_q, counterexample_q, "epsilon", "delta", "epsilon_hat");

/* Pure DP, Laplace noise, subsampling, the partial order */
CALIBRATION_1(epsdp_to_mu, gdp_pure_to_mu, "epsilon");
CALIBRATION_1(laplace_to_mu, gdp_laplace_to_mu, "epsilon0");
CALIBRATION_2(laplace_delta, gdp_laplace_delta, "epsilon", "epsilon0");
CALIBRATION_2(subsample_eps, gdp_subsample_epsilon, "epsilon", "gamma");
CALIBRATION_3(subsampled_gauss_delta, gdp_subsampled_delta, "epsilon", "mu", "gamma");
CALIBRATION_3(implied_delta, gdp_implied_delta, "epsilon0", "delta0", "epsilon");
CALIBRATION_3(implied_delta_max, gdp_implied_delta_max, "epsilon", "epsilon0", "delta0");

/* Renyi and concentrated DP */
CALIBRATION_2(rdp_gauss, gdp_rdp_gauss, "alpha", "mu");
CALIBRATION_3(rdp_to_dp_delta, gdp_rdp_delta, "alpha", "rdp", "epsilon");
CALIBRATION_3(rdp_to_dp_eps, gdp_rdp_epsilon, "alpha", "rdp", "delta");
CALIBRATION_3(rdp_to_dp_eps_mironov, gdp_rdp_epsilon_mironov, "alpha", "rdp", "delta");
CALIBRATION_2(zcdp_rho, gdp_zcdp_rho, "sigma", "l2_sensitivity");
CALIBRATION_1(gdp_to_zcdp, gdp_zcdp_from_mu, "mu");
CALIBRATION_1(epsdp_to_zcdp, gdp_zcdp_from_pure, "epsilon");
CALIBRATION_2(zcdp_eps, gdp_zcdp_epsilon, "rho", "delta");
CALIBRATION_2(zcdp_delta, gdp_zcdp_delta, "rho", "epsilon");
CALIBRATION_2(zcdp_eps_tight, gdp_zcdp_epsilon_tight, "rho", "delta");
CALIBRATION_2(zcdp_delta_tight, gdp_zcdp_delta_tight, "rho", "epsilon");
CALIBRATION_2(zcdp_max_rho, gdp_zcdp_max_rho, "epsilon", "delta");
CALIBRATION_3(tcdp_eps, gdp_tcdp_epsilon, "rho", "omega", "delta");
CALIBRATION_3(tcdp_delta, gdp_tcdp_delta, "rho", "omega", "epsilon");
CALIBRATION_3(mcdp_delta, gdp_mcdp_delta, "epsilon", "mean", "tau");
CALIBRATION_3(mcdp_eps, gdp_mcdp_epsilon, "mean", "tau", "delta");

/* Accuracy */
CALIBRATION_3(ci_halfwidth, gdp_interval_halfwidth, "sigma", "beta", "d");
CALIBRATION_2(dp_noise_interval, gdp_noise_interval, "sigma", "confidence");
CALIBRATION_6(avg_sigma_sum, gdp_average_sigma_sum, "lower", "upper", "mu", "p", "k", "m");
CALIBRATION_4(avg_sigma_count, gdp_average_sigma_count, "mu", "p", "k", "m");
CALIBRATION_6(avg_std, gdp_average_stddev, "lower", "upper", "average", "mu", "p", "n");
CALIBRATION_3(avg_best_p, gdp_average_best_share, "lower", "upper", "average");

/* Sensitivities: numbers, then booleans */
CALIBRATION_FUNCTION(sens_count, gdp_sensitivity_count(v[0], v[1], PG_GETARG_BOOL(2), &result), 2,
					 "k", "m");
CALIBRATION_FUNCTION(sens_sum,
					 gdp_sensitivity_sum(v[0], v[1], v[2], v[3], PG_GETARG_BOOL(4),
										 PG_GETARG_BOOL(5), &result),
					 4, "lower", "upper", "k", "m");
CALIBRATION_FUNCTION(sens_vector_l2, gdp_sensitivity_vector_l2(v[0], PG_GETARG_BOOL(1), &result), 1,
					 "norm");
CALIBRATION_FUNCTION(sens_vector_box,
					 gdp_sensitivity_vector_box(v[0], v[1], v[2], PG_GETARG_BOOL(3), &result), 3,
					 "lower", "upper", "d");
