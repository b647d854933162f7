/*
 * gaussian.c
 *		SQL functions of the Gaussian mechanism: how much noise, and how private is it?
 *
 * Reads from core/gdp.h.
 */
#include "calibration.h"

CALIBRATION_3(dp_gaussian_sigma, gdp_optimal_sigma, "epsilon", "delta", "l2_sensitivity");
CALIBRATION_3(dp_gaussian_delta, gdp_sigma_delta, "sigma", "epsilon", "l2_sensitivity");
CALIBRATION_3(dp_gaussian_epsilon, gdp_sigma_epsilon, "sigma", "delta", "l2_sensitivity");
CALIBRATION_2(gdp_delta, gdp_profile_delta, "mu", "epsilon");
CALIBRATION_2(gdp_epsilon, gdp_profile_epsilon, "mu", "delta");
CALIBRATION_2(gdp_mu, gdp_profile_mu, "epsilon", "delta");
