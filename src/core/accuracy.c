/*
 * accuracy.c
 *		How far a noisy answer may be off, and the L2 sensitivity of common queries.
 *
 * Reads from normal.c and dd.h.  Sensitivities and half widths are rounded up.
 *
 * Sources
 *		Sensitivities: one person contributes at most k rows to each of at most m groups, rows are
 *		clipped to [lower, upper]; M = max(|lower|, |upper|) and W = max(upper, 0) - min(lower, 0) bound
 *		what a row adds and what replacing it moves: by a row that a filter drops, too, which adds 0.
 *		docs/mathematics.md has the proofs.
 *		Average: noisy sum, centred, over noisy count, with the share p of mu^2 for the sum.
 */
#include "dd.h"
#include "domain.h"
#include "gdp.h"

/* What the normal quantile may have lost, several times over. */
#define NORMAL_MARGIN 0x1p-46

gdp_status
gdp_interval_halfwidth(double sigma, double beta, double d, double *halfwidth)
{
	double log_one, z;
	dd value;

	REQUIRE(is_positive(sigma), GDP_BAD_SIGMA);
	REQUIRE(is_probability(beta), GDP_BAD_SHARE);
	REQUIRE(is_count(d), GDP_BAD_COUNT);

	/* P(|Z| <= z) = (1 - beta)^(1/d) for each of d values */
	log_one = log1p(-beta) / d;
	if (log_one < -0.69314718055994531)
		z = gdp_erf_inv(exp(log_one));
	else
		z = gdp_erfc_inv_log(log(-expm1(log_one)));
	value = dd_mul(dd_two_product(z, sigma), dd_sqrt(dd_of(2)));
	return give(nextafter(value.hi + value.hi * NORMAL_MARGIN, HUGE_VAL), halfwidth);
}

gdp_status
gdp_noise_interval(double sigma, double confidence, double *halfwidth)
{
	double z;
	dd value;

	REQUIRE(is_positive(sigma), GDP_BAD_SIGMA);
	REQUIRE(is_probability(confidence), GDP_BAD_SHARE);
	z = confidence < 0.5 ? gdp_erf_inv(confidence) : gdp_erfc_inv(1 - confidence);
	value = dd_mul(dd_two_product(z, sigma), dd_sqrt(dd_of(2)));
	return give(nextafter(value.hi + value.hi * NORMAL_MARGIN, HUGE_VAL), halfwidth);
}

/* ---------------------------------------------------------------------------
 * Sensitivities
 * ---------------------------------------------------------------------------
 */

static bool
are_bounds(double lower, double upper)
{
	return is_finite(lower) && is_finite(upper) && lower < upper;
}

gdp_status
gdp_sensitivity_count(double k, double m, bool replace, double *sensitivity)
{
	REQUIRE(is_count(k) && is_count(m), GDP_BAD_COUNT);
	return give(dd_up_exact(dd_times(dd_sqrt(dd_of(replace ? 2 * m : m)), k)), sensitivity);
}

/* How far a coordinate moves between any two of 0 and the values in the bounds */
static dd
replaced_width(double lower, double upper)
{
	return dd_two_sum(fmax(upper, 0), -fmin(lower, 0));
}

gdp_status
gdp_sensitivity_sum(double lower, double upper, double k, double m, bool replace, bool single_group,
					double *sensitivity)
{
	dd largest, width, one;

	REQUIRE(are_bounds(lower, upper), GDP_BAD_BOUNDS);
	REQUIRE(is_count(k) && is_count(m), GDP_BAD_COUNT);
	largest = dd_of(fmax(fabs(lower), fabs(upper)));
	width = replaced_width(lower, upper);
	if (!replace)
		one = dd_mul(largest, dd_sqrt(dd_of(m)));
	else if (single_group)
		one = width;
	else
	{
		one = dd_mul(largest, dd_sqrt(dd_of(2)));
		one = dd_sub(width, one).hi > 0 ? dd_mul(width, dd_sqrt(dd_of(m)))
										: dd_mul(largest, dd_sqrt(dd_of(2 * m)));
	}
	return give(dd_up_exact(dd_times(one, k)), sensitivity);
}

gdp_status
gdp_sensitivity_vector_l2(double norm, bool replace, double *sensitivity)
{
	REQUIRE(is_positive(norm), GDP_BAD_POSITIVE);
	return give(replace ? 2 * norm : norm, sensitivity);
}

gdp_status
gdp_sensitivity_vector_box(double lower, double upper, double d, bool replace, double *sensitivity)
{
	dd side;

	REQUIRE(are_bounds(lower, upper), GDP_BAD_BOUNDS);
	REQUIRE(is_count(d), GDP_BAD_COUNT);
	side = replace ? replaced_width(lower, upper) : dd_of(fmax(fabs(lower), fabs(upper)));
	return give(dd_up_exact(dd_mul(dd_sqrt(dd_of(d)), side)), sensitivity);
}

/* ---------------------------------------------------------------------------
 * The average as noisy sum over noisy count
 * ---------------------------------------------------------------------------
 */

/* k sqrt(m) width / (mu sqrt(share)), rounded up */
static gdp_status
average_sigma(double mu, dd share, double k, double m, dd width, double *sigma)
{
	dd value;

	REQUIRE(is_positive(mu), GDP_BAD_MU);
	REQUIRE(is_count(k) && is_count(m), GDP_BAD_COUNT);
	value = dd_times(dd_mul(width, dd_sqrt(dd_of(m))), k);
	return give(dd_up(dd_div(value, dd_times(dd_sqrt(share), mu))), sigma);
}

gdp_status
gdp_average_sigma_sum(double lower, double upper, double mu, double p, double k, double m,
					  double *sigma)
{
	REQUIRE(are_bounds(lower, upper), GDP_BAD_BOUNDS);
	REQUIRE(is_probability(p), GDP_BAD_SHARE);
	return average_sigma(mu, dd_of(p), k, m, dd_scale(dd_two_sum(upper, -lower), -1), sigma);
}

gdp_status
gdp_average_sigma_count(double mu, double p, double k, double m, double *sigma)
{
	REQUIRE(is_probability(p), GDP_BAD_SHARE);
	return average_sigma(mu, dd_two_sum(1, -p), k, m, dd_of(1), sigma);
}

/* The width of the bounds, and twice how far the average is from their middle: no halving underflows. */
static gdp_status
average_place(double lower, double upper, double average, dd *width, dd *off)
{
	REQUIRE(are_bounds(lower, upper), GDP_BAD_BOUNDS);
	REQUIRE(average >= lower && average <= upper, GDP_BAD_AVERAGE);
	*width = dd_two_sum(upper, -lower);
	*off = dd_sub(dd_two_sum(average, -lower), dd_two_sum(upper, -average));
	if (off->hi < 0)
		*off = dd_neg(*off);
	return GDP_OK;
}

gdp_status
gdp_average_stddev(double lower, double upper, double average, double mu, double p, double n,
				   double *stddev)
{
	dd width, off, root;
	gdp_status status = average_place(lower, upper, average, &width, &off);

	if (status != GDP_OK)
		return status;
	REQUIRE(is_positive(mu), GDP_BAD_MU);
	REQUIRE(is_probability(p), GDP_BAD_SHARE);
	REQUIRE(is_count(n), GDP_BAD_COUNT);

	/* sqrt(width^2 / p + off^2 / (1 - p)) / 2 with off <= width */
	off = dd_div(off, width);
	root = dd_add(dd_div(dd_of(1), dd_of(p)), dd_div(dd_mul(off, off), dd_two_sum(1, -p)));
	root = dd_mul(dd_sqrt(root), width);
	return give(dd_up(dd_div(root, dd_times(dd_two_product(mu, n), 2))), stddev);
}

gdp_status
gdp_average_best_share(double lower, double upper, double average, double *p)
{
	dd width, off;
	gdp_status status = average_place(lower, upper, average, &width, &off);

	if (status != GDP_OK)
		return status;
	return give(dd_div(width, dd_add(width, off)).hi, p);
}
