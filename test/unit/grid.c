/*
 * grid.c
 *		Grid rule, privacy of the padded noise, rounding to the grid and back.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grid.h"
#include "recorded.h"
#include "unit.h"

static recorded source;

/* A random double in [low, high), and one whose logarithm is uniform. */
static double
uniform(double low, double high)
{
	return low + (high - low) * (double) (recorded_next(&source) >> 11) * 0x1p-53;
}

static double
log_uniform(double low, double high)
{
	return exp(uniform(log(low), log(high)));
}

/* ---------------------------------------------------------------------------
 * Noise
 * ---------------------------------------------------------------------------
 */

/* The rule of the grid, and a sigma that is never below what was asked for. */
static bool
follows_rule(const gdp_noise *noise, double sigma, double l2_sensitivity, int max_exponent)
{
	double step = ldexp(1, noise->exponent);
	bool enough = sigma / step >= 0x1p30 && l2_sensitivity / step >= 0x1p10,
		 largest = noise->exponent == max_exponent || sigma / step < 0x1p31 ||
				   l2_sensitivity / step < 0x1p11;

	return enough && largest && noise->exponent <= max_exponent &&
		   noise->sigma_int >= GDP_SIGMA_INT_MIN && noise->sigma_int < GDP_SIGMA_INT_LIMIT &&
		   noise->sigma == (double) noise->sigma_int * step && noise->sigma > sigma;
}

/* Every row of noise.tsv: on the private side of the least private integer, and close to it. */
static void
test_reference(void)
{
	FILE *file = fopen("test/noise.tsv", "r");
	char line[512];
	int rows = 0, private = 0, close_by = 0, grids = 0;
	gdp_noise padded;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		gdp_noise noise = {0, 0, 0};
		double a, b, l2_sensitivity, slack = 1e-8;
		int max_exponent, exponent;
		long long least;
		gdp_status status;

		if (sscanf(line, "single\t%lf\t%lf\t%lf\t%d\t%d\t%lld", &a, &b, &l2_sensitivity,
				   &max_exponent, &exponent, &least) == 6)
			status = gdp_noise_calibrate(a, b, l2_sensitivity, max_exponent, &noise);
		else if (sscanf(line, "joint\t%lf\t%lf\t%d\t%d\t%lld", &a, &l2_sensitivity, &max_exponent,
						&exponent, &least) == 5)
		{
			status =
				gdp_noise_coordinate(a, l2_sensitivity / a, l2_sensitivity, max_exponent, &noise);
			if (a > 13)
				slack = 0.01;
		}
		else
		{
			ok(false, "cannot read: %s", line);
			continue;
		}
		/* rounding the sensitivity down to whole steps is the rest of what is lost */
		slack += ldexp(l2_sensitivity, -exponent) / floor(ldexp(l2_sensitivity, -exponent)) - 1;
		rows++;
		grids += status == GDP_OK && noise.exponent == exponent;
		private += noise.sigma_int >= least;
		close_by += noise.sigma_int <= least * (1 + slack);
		if (!(noise.sigma_int >= least && noise.sigma_int <= least * (1 + slack) &&
			  noise.exponent == exponent))
			printf("# %lld: %s", (long long) noise.sigma_int, line);
	}
	if (file != NULL)
		fclose(file);
	ok(rows > 150, "%d rows in test/noise.tsv", rows);
	ok(grids == rows, "the grid is that of the rule");
	ok(private == rows, "the exact discrete delta is at most delta");
	ok(close_by == rows, "and sigma is not more than 1e-8 too large (1e-2 above mu = 13)");

	gdp_noise_coordinate(16.5, 1 / 16.5, 1, 0, &padded);
	ok(padded.sigma * 16.5 > 1.00112 && padded.sigma * 16.5 < 1.00113,
	   "at mu = 16.5 the proven bound asks for 1.13e-3 more");
}

static void
test_calibrate_rule(void)
{
	int good = 0, scaled = 0, n = 2000, tried = 0;
	gdp_noise noise, twice;

	for (int i = 0; i < n; i++)
	{
		double epsilon = log_uniform(1e-3, 1e4), delta = log_uniform(1e-200, 0.999), sigma,
			   l2_sensitivity = log_uniform(1e-280, 1e280);
		int max_exponent = i % 2 ? 0 : 1000;

		gdp_optimal_sigma(epsilon, delta, l2_sensitivity, &sigma);
		if (gdp_noise_calibrate(epsilon, delta, l2_sensitivity, max_exponent, &noise) != GDP_OK)
		{
			/* only where counts of huge sensitivity want a grid of 1 */
			good += max_exponent == 0 && l2_sensitivity > 0x1p25;
			continue;
		}
		good += follows_rule(&noise, sigma, l2_sensitivity, max_exponent);
		if (max_exponent > 0)
		{
			tried++;
			scaled += gdp_noise_calibrate(epsilon, delta, 2 * l2_sensitivity, max_exponent,
										  &twice) == GDP_OK &&
					  twice.sigma_int == noise.sigma_int && twice.exponent == noise.exponent + 1;
		}
	}
	ok(good == n, "%d random calibrations follow the rule of the grid", n);
	ok(scaled == tried, "twice the sensitivity: the same integers on a grid twice as wide");

	ok(gdp_noise_calibrate(1, 1e-6, 1, 0, &noise) == GDP_OK && noise.exponent == -28,
	   "a count at (1, 1e-6) lives on a grid of 2^-28");
	ok(gdp_noise_calibrate(1e-9, 1e-12, 1, 0, &noise) == GDP_OUT_OF_RANGE,
	   "no grid has room for sigma above 2^41 steps of 2^-10 of the sensitivity");
	ok(gdp_noise_calibrate(1, 1e-6, 1e-300, 0, &noise) == GDP_OUT_OF_RANGE,
	   "no grid has subnormal steps");
	ok(gdp_noise_calibrate(1, 1e-6, 1e308, 1000, &noise) != GDP_OK || noise.sigma <= DBL_MAX,
	   "sigma is finite or refused");
	ok(gdp_noise_calibrate(1e4, 5e-324, 1, 0, &noise) == GDP_OUT_OF_RANGE,
	   "no double lies below the least delta");
	ok(gdp_noise_calibrate(1e13, 1e-6, 1, 0, &noise) == GDP_OUT_OF_RANGE,
	   "a sensitivity above 2^51 steps is refused");
}

static void
test_arguments(void)
{
	gdp_noise noise = {7, 7, 7};
	double mu = 7;
	bool by_gdp;
	static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
	int refused = 0;

	for (int i = 0; i < 5; i++)
	{
		refused +=
			gdp_status_code(gdp_noise_calibrate(bad[i], 1e-6, 1, 0, &noise)) == GDP_BAD_EPSILON;
		refused += gdp_status_code(gdp_noise_calibrate(1, bad[i], 1, 0, &noise)) == GDP_BAD_DELTA;
		refused +=
			gdp_status_code(gdp_noise_calibrate(1, 1e-6, bad[i], 0, &noise)) == GDP_BAD_SENSITIVITY;
		refused += gdp_status_code(gdp_noise_coordinate(bad[i], 1, 1, 0, &noise)) == GDP_BAD_MU;
		refused += gdp_status_code(gdp_noise_coordinate(1, bad[i], 1, 0, &noise)) == GDP_BAD_SIGMA;
		refused +=
			gdp_status_code(gdp_noise_coordinate(1, 1, bad[i], 0, &noise)) == GDP_BAD_SENSITIVITY;
		refused += gdp_status_code(gdp_joint_mu(bad[i], 1e-6, &mu, &by_gdp)) == GDP_BAD_EPSILON;
		refused += gdp_status_code(gdp_joint_mu(1, bad[i], &mu, &by_gdp)) == GDP_BAD_DELTA;
	}
	refused += gdp_status_code(gdp_noise_calibrate(1, 1, 1, 0, &noise)) == GDP_BAD_DELTA;
	refused += gdp_status_code(gdp_noise_coordinate(1, 1, 1.001, 0, &noise)) == GDP_BAD_MU;
	refused += gdp_noise_coordinate(20, 1, 1, 0, &noise) == GDP_OUT_OF_RANGE;
	ok(refused == 43, "bad arguments are refused, each by its status");
	ok(noise.sigma == 7 && noise.sigma_int == 7 && noise.exponent == 7 && mu == 7,
	   "and nothing is written then");
}

/* The parts of a joint release cost no more than the whole. */
static void
test_joint(void)
{
	int good = 0, n = 1000, cheap = 0;

	for (int i = 0; i < n; i++)
	{
		double epsilon = log_uniform(1e-3, 1e5), delta = log_uniform(1e-100, 0.9), mu, optimum,
			   spent = 0, share = uniform(0.1, 0.9);
		gdp_coordinate at[3] = {{log_uniform(1e-9, 1e9), share, 900},
								{log_uniform(1e-9, 1e9), (1 - share) / 2, 900},
								{log_uniform(1e-9, 1e9), (1 - share) / 2, 0}};
		gdp_noise noise[3];
		bool by_gdp;

		gdp_joint_mu(epsilon, delta, &mu, &by_gdp);
		gdp_profile_mu(epsilon, delta, &optimum);
		if (gdp_noise_joint(epsilon, delta, 3, at, noise) != GDP_OK)
		{
			good += at[2].l2_sensitivity > 0x1p20;
			cheap++;
			continue;
		}
		for (int j = 0; j < 3; j++)
			spent += pow(at[j].l2_sensitivity / noise[j].sigma, 2);
		good += sqrt(spent) < mu && sqrt(spent) > mu * (1 - 1e-8) && mu <= optimum &&
				by_gdp == (optimum <= 13);
		cheap += by_gdp ? mu == optimum : delta > 0.1 || mu > 0.7 * optimum;
	}
	ok(good == n, "the coordinates of %d joint releases compose to mu and no more", n);
	ok(cheap == n, "a joint release above mu = 13 is not far from the optimum");
}

/* Bounds, values and totals. */
static void
test_points(void)
{
	int64_t point = 7;
	int good = 0, n = 100000, fine = 0;

	ok(gdp_grid_bound(10.75, 0, &point) == GDP_OK && point == 10 &&
		   gdp_grid_bound(-10.75, 0, &point) == GDP_OK && point == -10 &&
		   gdp_grid_bound(10.75, -2, &point) == GDP_OK && point == 43 &&
		   gdp_grid_bound(-0.3, 2, &point) == GDP_OK && point == 0 &&
		   gdp_grid_bound(5e-324, 900, &point) == GDP_OK && point == 0,
	   "bounds are rounded toward zero");
	point = 7;
	ok(gdp_grid_bound(0x1p51, 0, &point) == GDP_OK && point == GDP_GRID_POINT_MAX &&
		   gdp_grid_bound(-0x1p41, -10, &point) == GDP_OK && point == -GDP_GRID_POINT_MAX,
	   "up to 2^51 steps");
	ok(gdp_grid_bound(0x1p51 + 1, 0, &point) == GDP_OUT_OF_RANGE &&
		   gdp_grid_bound(NAN, 0, &point) == GDP_OUT_OF_RANGE &&
		   gdp_grid_bound(INFINITY, 0, &point) == GDP_OUT_OF_RANGE &&
		   gdp_grid_bound(1, -1000, &point) == GDP_OUT_OF_RANGE && point == -GDP_GRID_POINT_MAX,
	   "and no further");

	for (int i = 0; i < n; i++)
	{
		int exponent = (int) uniform(-60, 60);
		double step = ldexp(1, exponent), low = trunc(uniform(-0x1p51, 0)),
			   high = trunc(uniform(0, 0x1p51)), x = uniform(2 * low, 2 * high) * step,
			   center = uniform(low, high) * step;
		double exact = x / step, nearest = fmin(fmax(nearbyint(exact), low), high);

		good += (double) gdp_grid_point(x, 0, 1 / step, low, high) == nearest;
		point = gdp_grid_point(x, center, 1 / step, low, high);
		fine += point >= low && point <= high;
	}
	ok(good == n, "the nearest point within the bounds");
	ok(fine == n, "centred values too stay within the bounds");
	good = 0;
	for (int i = 0; i < 4; i++)
	{
		double scale = (double[]){0x1p-1000, 1, 0x1p30, 0x1p1022}[i];

		good += gdp_grid_point(INFINITY, 0, scale, -5, 7) == 7 &&
				gdp_grid_point(-INFINITY, 3, scale, -5, 7) == -5 &&
				gdp_grid_point(-0.0, 0, scale, -5, 7) == 0 &&
				gdp_grid_point(DBL_MAX, -DBL_MAX, 0x1p1000 * scale, -5, 7) == 7 &&
				gdp_grid_point(5e-324, 0, scale, -5, 7) == 0;
	}
	ok(good == 4, "infinities, negative zero, the largest and the smallest double");
	ok(gdp_grid_point(2.5, 0, 1, -9, 9) == 2 && gdp_grid_point(3.5, 0, 1, -9, 9) == 4,
	   "ties go to even");
}

static void
test_totals(void)
{
	ok(gdp_grid_total(-3, -28) == -3 * (INT64_C(1) << 28) && gdp_grid_total(17, 0) == 17 &&
		   gdp_grid_total(0, -900) == 0 &&
		   gdp_grid_total(-((gdp_int128) 1 << 100), -20) == -((gdp_int128) 1 << 120),
	   "totals in units of 1 are shifted");
}

/* The same by arithmetic that rounds once: long double holds 64 bits. */
static void
test_values(void)
{
	int good = 0, n = 200000;
	const gdp_int128 one = 1, largest = (gdp_int128) (((unsigned __int128) 1 << 127) - 1);

	for (int i = 0; i < n; i++)
	{
		int64_t total = (int64_t) recorded_next(&source) >> (recorded_next(&source) % 60);
		int exponent = (int) uniform(-1150, 1000);
		double expected = (double) ldexpl((long double) total, exponent);

		if (isinf(expected))
			expected = copysign(DBL_MAX, expected);
		good += gdp_grid_value(total, exponent) == expected;
	}
	ok(good == n, "64-bit totals are rounded once, also to subnormal numbers");
	good = 0;
	for (int i = 0; i < n; i++)
	{
		int64_t kept = (int64_t) (recorded_next(&source) >> 11 | UINT64_C(1) << 52);
		int shift = 2 + (int) (recorded_next(&source) % 70), beside = i % 3 - 1;
		gdp_int128 total = kept * (one << shift) + (one << (shift - 1)) + beside;
		int64_t expected = kept + (beside > 0 || (beside == 0 && kept % 2 == 1));

		good += gdp_grid_value(total, -shift) == (double) expected &&
				gdp_grid_value(-total, -shift) == -(double) expected;
	}
	ok(good == n, "128-bit totals are rounded once, at and beside ties");
	ok(gdp_grid_value((one << 53) + 1, 0) == 0x1p53 &&
		   gdp_grid_value(((one << 53) + 1) * 4 + 1, -2) == 0x1p53 + 2 &&
		   gdp_grid_value(((one << 53) + 1) * -4, -2) == -0x1p53 &&
		   gdp_grid_value(((one << 53) + 3) * 4, -2) == 0x1p53 + 4,
	   "ties go to even, and a bit far below breaks them");
	ok(gdp_grid_value(largest, 0) == 0x1p127 && gdp_grid_value(-largest, 0) == -0x1p127 &&
		   gdp_grid_value(-largest - 1, 0) == -0x1p127,
	   "the largest totals");
	ok(gdp_grid_value(largest, 1000) == DBL_MAX && gdp_grid_value(-largest, 1000) == -DBL_MAX &&
		   gdp_grid_value(0, 2000) == 0 && gdp_grid_value(largest, -2000) == 0,
	   "overflow gives the largest double, underflow 0");
}

int
main(void)
{
	gdp_entropy unused;

	recorded_init(&source, &unused, 4);
	test_reference();
	test_calibrate_rule();
	test_arguments();
	test_joint();
	test_points();
	test_totals();
	test_values();
	return done();
}
