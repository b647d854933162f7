/*
 * composition.c
 *		SQL functions of composition: what several releases cost together.
 *
 * Reads from gdp/gdp.h (compose.c, kov.c).
 */
#include "calibration.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "report.h"

GAUSSDP_CALIBRATION_4(optimal_sigma, gdp_optimal_sigma_k, "l2_sensitivity", "k", "epsilon",
					  "delta");
GAUSSDP_CALIBRATION_3(advanced_epsilon, gdp_advanced_epsilon, "epsilon", "k", "delta_slack");
GAUSSDP_CALIBRATION_3(kov_simple_epsilon, gdp_kov_simple_epsilon, "epsilon", "k", "delta_slack");
GAUSSDP_CALIBRATION_4(kov_delta, gdp_kov_delta, "epsilon", "delta", "k", "epsilon_g");
GAUSSDP_CALIBRATION_4(kov_epsilon, gdp_kov_epsilon, "epsilon", "delta", "k", "delta_g");
GAUSSDP_CALIBRATION_2(remaining, gdp_mu_remaining, "mu_total", "mu_spent");

/* ---------------------------------------------------------------------------
 * Gaussian releases
 * ---------------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(gaussdp_calibration_compose);
Datum
gaussdp_calibration_compose(PG_FUNCTION_ARGS)
{
	size_t n;
	const double *mus = gaussdp_calibration_array(fcinfo, 0, "mus", &n);
	const GaussdpCalibrationArgument arguments[] = {{"mus", mus, true}};
	double mu = 0;

	gaussdp_calibration_check_arrays(gdp_compose_mu(n, mus, &mu), 1, arguments);
	PG_RETURN_FLOAT8(mu);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_compose_sigma);
Datum
gaussdp_calibration_compose_sigma(PG_FUNCTION_ARGS)
{
	GaussdpCalibrationArgument arguments[] = {{"l2_sensitivity", NULL, false},
											  {"sigma", NULL, false}};
	size_t n, parts;
	const double *pairs = gaussdp_calibration_array(fcinfo, 0, "pairs", &n);
	double *sensitivities, *sigmas, sigma = 0;

	if (n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("pairs is empty"),
						errdetail("It must hold pairs of l2_sensitivity and sigma.")));
	if (n % 2 != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("pairs has an odd number of elements"),
						errdetail("It must hold pairs of l2_sensitivity and sigma.")));
	parts = n / 2;
	arguments[0].values = sensitivities = palloc(sizeof(double) * n);
	arguments[1].values = sigmas = sensitivities + parts;
	for (size_t i = 0; i < parts; i++)
	{
		sensitivities[i] = pairs[2 * i];
		sigmas[i] = pairs[2 * i + 1];
	}
	gaussdp_calibration_check_arrays(gdp_compose_sigma(parts, sensitivities, sigmas, &sigma), 2,
									 arguments);
	PG_RETURN_FLOAT8(sigma);
}

/*
 * The state of the aggregate gdp.compose(mu) is a float8[] of exponent, hi and lo.  Anybody can call the
 * transition function with any array; what comes of it then is of no consequence.
 */
static gdp_mu_sum
mu_sum_arg(PG_FUNCTION_ARGS, int arg)
{
	size_t n;
	double *state = gaussdp_calibration_array(fcinfo, arg, "state", &n);

	if (n != 3 || !(fabs(state[0]) <= 1200) || !(state[1] >= 0 && state[1] <= DBL_MAX) ||
		!(fabs(state[2]) <= state[1]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("this is no state of gdp.compose")));
	return (gdp_mu_sum){(int) state[0], state[1], state[2]};
}

static Datum
mu_sum_datum(const gdp_mu_sum *sum)
{
	double state[3] = {sum->exponent, sum->hi, sum->lo};

	return gaussdp_calibration_array_datum(lengthof(state), state);
}

PG_FUNCTION_INFO_V1(gaussdp_compose_transition);
Datum
gaussdp_compose_transition(PG_FUNCTION_ARGS)
{
	gdp_mu_sum sum = mu_sum_arg(fcinfo, 0);
	double mu = PG_GETARG_FLOAT8(1);

	gaussdp_report(gdp_mu_sum_add(&sum, mu), "mu", mu);
	return mu_sum_datum(&sum);
}

PG_FUNCTION_INFO_V1(gaussdp_compose_combine);
Datum
gaussdp_compose_combine(PG_FUNCTION_ARGS)
{
	gdp_mu_sum sum = mu_sum_arg(fcinfo, 0), other = mu_sum_arg(fcinfo, 1);

	gdp_mu_sum_merge(&sum, &other);
	return mu_sum_datum(&sum);
}

PG_FUNCTION_INFO_V1(gaussdp_compose_final);
Datum
gaussdp_compose_final(PG_FUNCTION_ARGS)
{
	gdp_mu_sum sum = mu_sum_arg(fcinfo, 0);
	double mu = 0;

	gaussdp_calibration_check_arrays(gdp_mu_sum_total(&sum, &mu), 0, NULL);
	PG_RETURN_FLOAT8(mu);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_split);
Datum
gaussdp_calibration_split(PG_FUNCTION_ARGS)
{
	double mu = PG_GETARG_FLOAT8(0), *mus;
	size_t n;
	const double *shares = gaussdp_calibration_array(fcinfo, 1, "shares", &n);
	const GaussdpCalibrationArgument arguments[] = {{"mu", &mu, false}, {"shares", shares, true}};

	mus = palloc(sizeof(double) * Max(n, 1));
	gaussdp_calibration_check_arrays(gdp_mu_split(mu, n, shares, mus), 2, arguments);
	return gaussdp_calibration_array_datum(n, mus);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_allocate);
Datum
gaussdp_calibration_allocate(PG_FUNCTION_ARGS)
{
	double mu = PG_GETARG_FLOAT8(0), *sigmas;
	size_t n;
	const double *weights = gaussdp_calibration_array(fcinfo, 1, "weights", &n);
	const double *sensitivities = gaussdp_calibration_array_of(fcinfo, 2, "l2_sensitivities", n);
	const GaussdpCalibrationArgument arguments[] = {
		{"mu", &mu, false}, {"weights", weights, true}, {"l2_sensitivities", sensitivities, true}};

	sigmas = palloc(sizeof(double) * Max(n, 1));
	gaussdp_calibration_check_arrays(gdp_mu_allocate(mu, n, weights, sensitivities, sigmas), 3,
									 arguments);
	return gaussdp_calibration_array_datum(n, sigmas);
}

/* ---------------------------------------------------------------------------
 * (epsilon, delta)-DP
 * ---------------------------------------------------------------------------
 */

/* Raises the error of a status for arrays of parts and a number that comes last. */
static void
check_parts(gdp_status status, size_t n, const double *epsilons, const double *deltas,
			const char *last_name, double last)
{
	const GaussdpCalibrationArgument arguments[] = {
		{"epsilons", epsilons, true}, {"deltas", deltas, true}, {last_name, &last, false}};

	if (gdp_status_code(status) == GDP_BAD_PART_COUNT)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of unequal parts is out of range: %zu", n),
						errdetail("There must be 1 to %d of them.", GDP_HETERO_MAX)));
	gaussdp_calibration_check_arrays(status, lengthof(arguments), arguments);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_heterogeneous_delta);
Datum
gaussdp_calibration_heterogeneous_delta(PG_FUNCTION_ARGS)
{
	size_t n;
	const double *epsilons = gaussdp_calibration_array(fcinfo, 0, "epsilons", &n);
	const double *deltas = PG_NARGS() == 3 ? gaussdp_calibration_array_of(fcinfo, 1, "deltas", n)
										   : palloc0(sizeof(double) * Max(n, 1));
	double epsilon_g = PG_GETARG_FLOAT8(PG_NARGS() - 1), delta = 0;

	check_parts(gdp_kov_hetero_delta(n, epsilons, deltas, epsilon_g, &delta), n, epsilons, deltas,
				"epsilon_g", epsilon_g);
	PG_RETURN_FLOAT8(delta);
}

static bool
all_equal(size_t n, const double *values)
{
	for (size_t i = 1; i < n; i++)
	{
		if (values[i] != values[0])
			return false;
	}
	return true;
}

/* delta is that of the simple bound, 1 - (1 - slack) prod(1 - delta_i), epsilon the least that goes with it. */
static gdp_status
compose_optimal(size_t n, const double *epsilons, const double *deltas, double slack,
				double *epsilon, double *delta)
{
	gdp_status status = gdp_compose_basic(n, epsilons, deltas, epsilon, delta);

	if (status == GDP_OK)
		status = gdp_kov_total_delta(n, deltas, slack, delta);
	if (status != GDP_OK || n == 0 || slack == 0)
		return status;
	if (*delta >= 1) /* which says nothing, at any epsilon */
	{
		*epsilon = 0;
		return GDP_OK;
	}
	if (all_equal(n, epsilons) && all_equal(n, deltas))
		return gdp_kov_epsilon(epsilons[0], deltas[0], (double) n, *delta, epsilon);
	return gdp_kov_hetero_epsilon(n, epsilons, deltas, *delta, epsilon);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_compose_dp);
Datum
gaussdp_calibration_compose_dp(PG_FUNCTION_ARGS)
{
	size_t n;
	const double *epsilons = gaussdp_calibration_array(fcinfo, 0, "epsilons", &n);
	const double *deltas = gaussdp_calibration_array_of(fcinfo, 1, "deltas", n);
	double slack = PG_GETARG_FLOAT8(3), total[2] = {0, 0};
	char *method = text_to_cstring(PG_GETARG_TEXT_PP(2));
	gdp_status status = gdp_kov_total_delta(0, NULL, slack, &total[1]);

	if (status != GDP_OK)
		gaussdp_report(status, "delta_slack", slack);
	if (strcmp(method, "basic") == 0)
		status = gdp_compose_basic(n, epsilons, deltas, &total[0], &total[1]);
	else if (strcmp(method, "advanced") == 0)
		status = gdp_compose_advanced(n, epsilons, deltas, slack, &total[0], &total[1]);
	else if (strcmp(method, "kov") == 0)
		status = gdp_kov_simple(n, epsilons, deltas, slack, &total[0], &total[1]);
	else if (strcmp(method, "optimal") == 0)
		status = compose_optimal(n, epsilons, deltas, slack, &total[0], &total[1]);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown method \"%s\"", method),
				 errhint("Methods are basic, advanced, kov and optimal.")));
	check_parts(status, n, epsilons, deltas, "delta_slack", slack);
	return gaussdp_calibration_row(fcinfo, 2, total);
}

/* Do k mechanisms that are (epsilon, delta)-DP stay within the total? */
static bool
fits(double epsilon, double delta, double k, double total_epsilon, double total_delta)
{
	double reached;

	CHECK_FOR_INTERRUPTS();
	return gdp_kov_delta(epsilon, delta, k, total_epsilon, &reached) == GDP_OK &&
		   reached <= total_delta;
}

/* The largest k that does, at most GDP_MAX_COUNT. */
static double
kov_count(double epsilon, double delta, double total_epsilon, double total_delta)
{
	double low = 0, high = 1;

	while (fits(epsilon, delta, high, total_epsilon, total_delta))
	{
		low = high;
		if (low == GDP_MAX_COUNT)
			return low;
		high = Min(2 * high, GDP_MAX_COUNT);
	}
	while (high - low > 1)
	{
		double middle = floor(low + 0.5 * (high - low));

		if (fits(epsilon, delta, middle, total_epsilon, total_delta))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Checks epsilon, delta and the totals by what the core asks for, for one query. */
static void
check_one_query(const double *v)
{
	static const char *const by_epsilon[] = {"epsilon", "delta", "k", "epsilon_total"};
	static const char *const by_delta[] = {"epsilon", "delta", "k", "delta_total"};
	const double with_epsilon[] = {v[0], v[1], 1, v[2]}, with_delta[] = {v[0], v[1], 1, v[3]};
	double unused;

	gaussdp_calibration_check(gdp_kov_delta(v[0], v[1], 1, v[2], &unused), 4, by_epsilon,
							  with_epsilon);
	gaussdp_calibration_check(gdp_kov_epsilon(v[0], v[1], 1, v[3], &unused), 4, by_delta,
							  with_delta);
	/* Any number of queries that tell nothing fit. */
	if (v[0] == 0 && v[1] == 0)
		gaussdp_report(GDP_BAD_EPSILON, "epsilon", v[0]);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_query_count);
Datum
gaussdp_calibration_query_count(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"epsilon", "delta", "epsilon_total", "delta_total"};
	double v[4], mu_each = 0, mu_total = 0, count = 0;
	char *method = text_to_cstring(PG_GETARG_TEXT_PP(4));

	for (int i = 0; i < 4; i++)
		v[i] = PG_GETARG_FLOAT8(i);
	if (strcmp(method, "gaussian") == 0)
	{
		gaussdp_calibration_check(gdp_profile_mu(v[0], v[1], &mu_each), 2, names, v);
		gaussdp_calibration_check(gdp_profile_mu(v[2], v[3], &mu_total), 2, names + 2, v + 2);
		gaussdp_calibration_check(gdp_mu_queries(mu_each, mu_total, &count), 4, names, v);
	}
	else if (strcmp(method, "optimal") == 0)
	{
		check_one_query(v);
		count = kov_count(v[0], v[1], v[2], v[3]);
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown method \"%s\"", method),
				 errhint("Methods are gaussian and optimal.")));
	PG_RETURN_INT64((int64) count);
}
