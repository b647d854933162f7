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
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* What the normal quantile may have lost, several times over. */
#define NORMAL_MARGIN 0x1p-46

gdp_status
gdp_interval_halfwidth(double sigma, double beta, double d, double *halfwidth)
{
	double log_one, z;
	gdp_dd value;

	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, SHARE, beta);
	GDP_CHECK(3, COUNT, d);

	/* P(|Z| <= z) = (1 - beta)^(1/d) for each of d values */
	log_one = log1p(-beta) / d;
	if (log_one < -0.69314718055994531)
		z = gdp_erf_inv(exp(log_one));
	else
		z = gdp_erfc_inv_log(log(-expm1(log_one)));
	value = gdp_dd_mul(gdp_dd_two_product(z, sigma), gdp_dd_sqrt(gdp_dd_of(2)));
	return gdp_give(nextafter(value.hi + value.hi * NORMAL_MARGIN, HUGE_VAL), halfwidth);
}

gdp_status
gdp_noise_interval(double sigma, double confidence, double *halfwidth)
{
	double z;
	gdp_dd value;

	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, SHARE, confidence);
	z = confidence < 0.5 ? gdp_erf_inv(confidence) : gdp_erfc_inv(1 - confidence);
	value = gdp_dd_mul(gdp_dd_two_product(z, sigma), gdp_dd_sqrt(gdp_dd_of(2)));
	return gdp_give(nextafter(value.hi + value.hi * NORMAL_MARGIN, HUGE_VAL), halfwidth);
}

/* ---------------------------------------------------------------------------
 * Sensitivities
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_sensitivity_count(double k, double m, bool replace, double *sensitivity)
{
	GDP_CHECK(1, COUNT, k);
	GDP_CHECK(2, COUNT, m);
	return gdp_give(gdp_dd_up_exact(gdp_dd_times(gdp_dd_sqrt(gdp_dd_of(replace ? 2 * m : m)), k)),
					sensitivity);
}

/* How far a coordinate moves between any two of 0 and the values in the bounds */
static gdp_dd
replaced_width(double lower, double upper)
{
	return gdp_dd_two_sum(fmax(upper, 0), -fmin(lower, 0));
}

gdp_status
gdp_sensitivity_sum(double lower, double upper, double k, double m, bool replace, bool single_group,
					double *sensitivity)
{
	gdp_dd largest, width, one;

	GDP_CHECK_BOUNDS(lower, upper);
	GDP_CHECK(3, COUNT, k);
	GDP_CHECK(4, COUNT, m);
	largest = gdp_dd_of(fmax(fabs(lower), fabs(upper)));
	width = replaced_width(lower, upper);
	if (!replace)
		one = gdp_dd_mul(largest, gdp_dd_sqrt(gdp_dd_of(m)));
	else if (single_group)
		one = width;
	else
	{
		one = gdp_dd_mul(largest, gdp_dd_sqrt(gdp_dd_of(2)));
		one = gdp_dd_sub(width, one).hi > 0 ? gdp_dd_mul(width, gdp_dd_sqrt(gdp_dd_of(m)))
											: gdp_dd_mul(largest, gdp_dd_sqrt(gdp_dd_of(2 * m)));
	}
	return gdp_give(gdp_dd_up_exact(gdp_dd_times(one, k)), sensitivity);
}

gdp_status
gdp_sensitivity_vector_l2(double norm, bool replace, double *sensitivity)
{
	GDP_CHECK(1, POSITIVE, norm);
	return gdp_give(replace ? 2 * norm : norm, sensitivity);
}

gdp_status
gdp_sensitivity_vector_box(double lower, double upper, double d, bool replace, double *sensitivity)
{
	gdp_dd side;

	GDP_CHECK_BOUNDS(lower, upper);
	GDP_CHECK(3, COUNT, d);
	side = replace ? replaced_width(lower, upper) : gdp_dd_of(fmax(fabs(lower), fabs(upper)));
	return gdp_give(gdp_dd_up_exact(gdp_dd_mul(gdp_dd_sqrt(gdp_dd_of(d)), side)), sensitivity);
}

/* ---------------------------------------------------------------------------
 * The average as noisy sum over noisy count
 * ---------------------------------------------------------------------------
 */

/* k sqrt(m) width / (mu sqrt(share)), rounded up */
static gdp_status
average_sigma(double mu, gdp_dd share, double k, double m, gdp_dd width, double *sigma)
{
	gdp_dd value;

	value = gdp_dd_times(gdp_dd_mul(width, gdp_dd_sqrt(gdp_dd_of(m))), k);
	return gdp_give(gdp_dd_up(gdp_dd_div(value, gdp_dd_times(gdp_dd_sqrt(share), mu))), sigma);
}

gdp_status
gdp_average_sigma_sum(double lower, double upper, double mu, double p, double k, double m,
					  double *sigma)
{
	GDP_CHECK_BOUNDS(lower, upper);
	GDP_CHECK(3, MU, mu);
	GDP_CHECK(4, SHARE, p);
	GDP_CHECK(5, COUNT, k);
	GDP_CHECK(6, COUNT, m);
	return average_sigma(mu, gdp_dd_of(p), k, m, gdp_dd_scale(gdp_dd_two_sum(upper, -lower), -1),
						 sigma);
}

gdp_status
gdp_average_sigma_count(double mu, double p, double k, double m, double *sigma)
{
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, SHARE, p);
	GDP_CHECK(3, COUNT, k);
	GDP_CHECK(4, COUNT, m);
	return average_sigma(mu, gdp_dd_two_sum(1, -p), k, m, gdp_dd_of(1), sigma);
}

/* The width of the bounds, and twice how far the average is from their middle: no halving underflows. */
static gdp_status
average_place(double lower, double upper, double average, gdp_dd *width, gdp_dd *off)
{
	GDP_CHECK_BOUNDS(lower, upper);
	GDP_REQUIRE(average >= lower && average <= upper, gdp_blame(GDP_BAD_AVERAGE, 3));
	*width = gdp_dd_two_sum(upper, -lower);
	*off = gdp_dd_sub(gdp_dd_two_sum(average, -lower), gdp_dd_two_sum(upper, -average));
	if (off->hi < 0)
		*off = gdp_dd_neg(*off);
	return GDP_OK;
}

gdp_status
gdp_average_stddev(double lower, double upper, double average, double mu, double p, double n,
				   double *stddev)
{
	gdp_dd width, off, root;
	gdp_status status = average_place(lower, upper, average, &width, &off);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(4, MU, mu);
	GDP_CHECK(5, SHARE, p);
	GDP_CHECK(6, COUNT, n);

	/* sqrt(width^2 / p + off^2 / (1 - p)) / 2 with off <= width */
	off = gdp_dd_div(off, width);
	root = gdp_dd_add(gdp_dd_div(gdp_dd_of(1), gdp_dd_of(p)),
					  gdp_dd_div(gdp_dd_mul(off, off), gdp_dd_two_sum(1, -p)));
	root = gdp_dd_mul(gdp_dd_sqrt(root), width);
	return gdp_give(gdp_dd_up(gdp_dd_div(root, gdp_dd_times(gdp_dd_two_product(mu, n), 2))),
					stddev);
}

gdp_status
gdp_average_best_share(double lower, double upper, double average, double *p)
{
	gdp_dd width, off;
	gdp_status status = average_place(lower, upper, average, &width, &off);

	if (status != GDP_OK)
		return status;
	return gdp_give(gdp_dd_div(width, gdp_dd_add(width, off)).hi, p);
}
