/*
 * conversion.c
 *		SQL functions of the conversions between notions of privacy, of sensitivities and accuracy.
 *
 * Reads from gdp/gdp.h (convert.c, concentrated.c, refine.c, accuracy.c).
 */
#include "calibration.h"

/* DP and probabilistic DP */
GAUSSDP_CALIBRATION_3(dp_to_pdp_delta_two_tailed, gdp_dp_to_pdp_delta_two, "epsilon", "delta",
					  "epsilon_hat");
GAUSSDP_CALIBRATION_3(dp_to_pdp_delta_one_tailed, gdp_dp_to_pdp_delta_one, "epsilon", "delta",
					  "epsilon_hat");
GAUSSDP_CALIBRATION_3(dp_to_pdp_epsilon_two_tailed, gdp_dp_to_pdp_epsilon_two, "epsilon", "delta",
					  "delta_hat");
GAUSSDP_CALIBRATION_3(dp_to_pdp_epsilon_one_tailed, gdp_dp_to_pdp_epsilon_one, "epsilon", "delta",
					  "delta_hat");
GAUSSDP_CALIBRATION_3(dp_to_pdp_epsilon_one_tailed_lower, gdp_dp_to_pdp_epsilon_one_lower,
					  "epsilon", "delta", "delta_hat");

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

GAUSSDP_CALIBRATION_3(counterexample_n, counterexample_n, "epsilon", "delta", "epsilon_hat");
GAUSSDP_CALIBRATION_3(counterexample_p, counterexample_p, "epsilon", "delta", "epsilon_hat");
GAUSSDP_CALIBRATION_3(counterexample_q, counterexample_q, "epsilon", "delta", "epsilon_hat");

GAUSSDP_CALIBRATION_2(pdp_lower_tail, gdp_pdp_lower_tail, "epsilon", "delta");

PG_FUNCTION_INFO_V1(gaussdp_calibration_pdp_counterexample);
Datum
gaussdp_calibration_pdp_counterexample(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"epsilon", "delta", "epsilon_hat", "delta_hat"};
	double v[4];
	gdp_leak leak = {0};

	for (int i = 0; i < 4; i++)
		v[i] = PG_GETARG_FLOAT8(i);
	gaussdp_calibration_check(gdp_pdp_counterexample(v[0], v[1], v[2], v[3], &leak), 4, names, v);
	return gaussdp_calibration_row(fcinfo, 4, (double[]){leak.n, leak.delta_prime, leak.p, leak.q});
}

/* Pure DP, Laplace noise, subsampling, the partial order */
GAUSSDP_CALIBRATION_1(pure_to_mu, gdp_pure_to_mu, "epsilon");
GAUSSDP_CALIBRATION_1(laplace_to_mu, gdp_laplace_to_mu, "epsilon0");
GAUSSDP_CALIBRATION_2(laplace_delta, gdp_laplace_delta, "epsilon0", "epsilon");
GAUSSDP_CALIBRATION_2(subsampled_epsilon, gdp_subsample_epsilon, "gamma", "epsilon");
GAUSSDP_CALIBRATION_3(subsampled_gaussian_delta, gdp_subsampled_delta, "mu", "gamma", "epsilon");
GAUSSDP_CALIBRATION_3(implied_delta, gdp_implied_delta, "epsilon0", "delta0", "epsilon");
GAUSSDP_CALIBRATION_3(implied_delta_max, gdp_implied_delta_max, "epsilon0", "delta0", "epsilon");

/* Renyi and concentrated DP */
GAUSSDP_CALIBRATION_2(rdp_gaussian, gdp_rdp_gauss, "mu", "alpha");
GAUSSDP_CALIBRATION_3(rdp_to_dp_delta, gdp_rdp_delta, "alpha", "rdp", "epsilon");
GAUSSDP_CALIBRATION_3(rdp_to_dp_epsilon, gdp_rdp_epsilon, "alpha", "rdp", "delta");
GAUSSDP_CALIBRATION_3(rdp_to_dp_epsilon_mironov, gdp_rdp_epsilon_mironov, "alpha", "rdp", "delta");
GAUSSDP_CALIBRATION_2(zcdp_rho, gdp_zcdp_rho, "sigma", "l2_sensitivity");
GAUSSDP_CALIBRATION_1(mu_to_zcdp, gdp_zcdp_from_mu, "mu");
GAUSSDP_CALIBRATION_1(pure_to_zcdp, gdp_zcdp_from_pure, "epsilon");
GAUSSDP_CALIBRATION_2(zcdp_to_dp_epsilon, gdp_zcdp_epsilon, "rho", "delta");
GAUSSDP_CALIBRATION_2(zcdp_to_dp_delta, gdp_zcdp_delta, "rho", "epsilon");
GAUSSDP_CALIBRATION_2(zcdp_to_dp_epsilon_tight, gdp_zcdp_epsilon_tight, "rho", "delta");
GAUSSDP_CALIBRATION_2(zcdp_to_dp_delta_tight, gdp_zcdp_delta_tight, "rho", "epsilon");
GAUSSDP_CALIBRATION_2(zcdp_max_rho, gdp_zcdp_max_rho, "epsilon", "delta");
GAUSSDP_CALIBRATION_3(tcdp_to_dp_epsilon, gdp_tcdp_epsilon, "rho", "omega", "delta");
GAUSSDP_CALIBRATION_3(tcdp_to_dp_delta, gdp_tcdp_delta, "rho", "omega", "epsilon");
GAUSSDP_CALIBRATION_3(mcdp_to_dp_delta, gdp_mcdp_delta, "mean", "tau", "epsilon");
GAUSSDP_CALIBRATION_3(mcdp_to_dp_epsilon, gdp_mcdp_epsilon, "mean", "tau", "delta");

/* Accuracy */
GAUSSDP_CALIBRATION_3(interval_half_width, gdp_interval_halfwidth, "sigma", "beta", "d");
GAUSSDP_CALIBRATION_2(noise_interval, gdp_noise_interval, "sigma", "confidence");
GAUSSDP_CALIBRATION_6(average_sigma_sum, gdp_average_sigma_sum, "lower", "upper", "mu", "p", "k",
					  "m");
GAUSSDP_CALIBRATION_4(average_sigma_count, gdp_average_sigma_count, "mu", "p", "k", "m");
GAUSSDP_CALIBRATION_6(average_stddev, gdp_average_stddev, "lower", "upper", "average", "mu", "p",
					  "n");
GAUSSDP_CALIBRATION_3(average_best_share, gdp_average_best_share, "lower", "upper", "average");

/* Sensitivities: numbers, then booleans */
GAUSSDP_CALIBRATION_FUNCTION(sensitivity_count,
							 gdp_sensitivity_count(v[0], v[1], PG_GETARG_BOOL(2), &result), 2, "k",
							 "m");
GAUSSDP_CALIBRATION_FUNCTION(sensitivity_sum,
							 gdp_sensitivity_sum(v[0], v[1], v[2], v[3], PG_GETARG_BOOL(4),
												 PG_GETARG_BOOL(5), &result),
							 4, "lower", "upper", "k", "m");
GAUSSDP_CALIBRATION_FUNCTION(sensitivity_vector_l2,
							 gdp_sensitivity_vector_l2(v[0], PG_GETARG_BOOL(1), &result), 1,
							 "norm");
GAUSSDP_CALIBRATION_FUNCTION(sensitivity_vector_box,
							 gdp_sensitivity_vector_box(v[0], v[1], v[2], PG_GETARG_BOOL(3),
														&result),
							 3, "lower", "upper", "d");
