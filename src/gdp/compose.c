/*
 * compose.c
 *		Composition: what several releases cost together, and how to share what may be spent.
 *
 * Reads from mechanism.c, profile.c and dd.c; kov.c holds the optimal compositions of (epsilon,
 * delta)-DP.  All sums are double-double and rounded once, to the private side.
 *
 * Theorems
 *		Gaussian: mu = sqrt(sum mu_i^2), exactly, for adaptively chosen queries too (Corollary 2 of
 *		Dong, Roth and Su 2022; Lemma 15 of Zhao et al. 2019); for adaptively chosen mu_i see budget.c.
 *		Basic: Theorem B.1 of Dwork and Roth 2014.  Advanced: Theorem 3.20 there, with Azuma's inequality
 *		for unequal epsilons.  Allocation: Cauchy-Schwarz.
 *
 * Special cases
 *		No release at all costs 0.  A sum beyond the largest double is GDP_OUT_OF_RANGE.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* ---------------------------------------------------------------------------
 * Gaussian releases
 * ---------------------------------------------------------------------------
 */

/* Squares are taken of numbers scaled to at most 2^400, so that none overflows. */
#define MU_EXPONENT 400

/* Brings the sum to the scale 2^exponent; what underflows is less than 2^-300 of the larger sum. */
static void
rescale(gdp_mu_sum *sum, int exponent)
{
	int by = 2 * (sum->exponent - exponent);

	sum->hi = ldexp(sum->hi, by);
	sum->lo = ldexp(sum->lo, by);
	sum->exponent = exponent;
}

void
gdp_mu_sum_merge(gdp_mu_sum *sum, const gdp_mu_sum *other)
{
	gdp_mu_sum added = *other;
	gdp_dd total;

	if (added.hi == 0)
		return;
	if (sum->hi == 0)
		*sum = added;
	else
	{
		rescale(added.exponent > sum->exponent ? sum : &added,
				added.exponent > sum->exponent ? added.exponent : sum->exponent);
		total = gdp_dd_add((gdp_dd){sum->hi, sum->lo}, (gdp_dd){added.hi, added.lo});
		sum->hi = total.hi;
		sum->lo = total.lo;
	}
}

/* Adds one mu > 0, in steps of 2^400: the same scale for all numbers that anybody would use. */
static void
mu_sum_add(gdp_mu_sum *sum, gdp_dd mu)
{
	gdp_mu_sum one = {0, 0, 0};
	gdp_dd square;

	(void) frexp(mu.hi, &one.exponent);
	one.exponent = one.exponent / MU_EXPONENT * MU_EXPONENT;
	mu = gdp_dd_scale(mu, -one.exponent);
	square = gdp_dd_mul(mu, mu);
	one.hi = square.hi;
	one.lo = square.lo;
	gdp_mu_sum_merge(sum, &one);
}

gdp_status
gdp_mu_sum_add(gdp_mu_sum *sum, double mu)
{
	GDP_CHECK(1, MU_OR_ZERO, mu);
	if (mu > 0)
		mu_sum_add(sum, gdp_dd_of(mu));
	return GDP_OK;
}

gdp_status
gdp_mu_sum_total(const gdp_mu_sum *sum, double *mu)
{
	return gdp_give(ldexp(gdp_dd_up_exact(gdp_dd_sqrt((gdp_dd){sum->hi, sum->lo})), sum->exponent),
					mu);
}

gdp_status
gdp_compose_mu(size_t n, const double *mus, double *mu)
{
	gdp_mu_sum sum = {0, 0, 0};

	for (size_t i = 0; i < n; i++)
	{
		GDP_CHECK_EACH(1, MU_OR_ZERO, mus, i);
		(void) gdp_mu_sum_add(&sum, mus[i]);
	}
	return gdp_mu_sum_total(&sum, mu);
}

gdp_status
gdp_compose_sigma(size_t n, const double *sensitivities, const double *sigmas, double *sigma)
{
	gdp_mu_sum sum = {0, 0, 0};
	gdp_dd total;

	for (size_t i = 0; i < n; i++)
	{
		double mu = sensitivities[i] / sigmas[i];

		GDP_CHECK_EACH(1, SENSITIVITY, sensitivities, i);
		GDP_CHECK_EACH(2, SIGMA, sigmas, i);
		GDP_REQUIRE(mu <= 0x1p900 && mu >= 0x1p-900, GDP_OUT_OF_RANGE);
		mu_sum_add(&sum, gdp_dd_div(gdp_dd_of(sensitivities[i]), gdp_dd_of(sigmas[i])));
	}
	GDP_REQUIRE(sum.hi > 0, GDP_OUT_OF_RANGE);
	total = gdp_dd_div(gdp_dd_of(1), gdp_dd_sqrt((gdp_dd){sum.hi, sum.lo}));
	return gdp_give(ldexp(gdp_dd_down(total), -sum.exponent), sigma);
}

gdp_status
gdp_optimal_sigma_k(double l2_sensitivity, double k, double epsilon, double delta, double *sigma)
{
	double one;

	GDP_CHECK(1, SENSITIVITY, l2_sensitivity);
	GDP_CHECK(2, COUNT, k);
	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(4, DELTA, delta);
	GDP_REQUIRE(gdp_optimal_sigma(epsilon, delta, l2_sensitivity, &one) == GDP_OK,
				GDP_OUT_OF_RANGE);
	return gdp_give(gdp_dd_up_exact(gdp_dd_times(gdp_dd_sqrt(gdp_dd_of(k)), one)), sigma);
}

gdp_status
gdp_mu_remaining(double mu_total, double mu_spent, double *mu)
{
	int scale;
	gdp_dd product;

	GDP_CHECK(1, MU, mu_total);
	GDP_CHECK(2, MU_OR_ZERO, mu_spent);
	if (mu_spent >= mu_total)
		return gdp_give(0, mu);
	(void) frexp(mu_total, &scale);
	mu_total = ldexp(mu_total, -scale);
	mu_spent = ldexp(mu_spent, -scale);
	product = gdp_dd_mul(gdp_dd_two_sum(mu_total, -mu_spent), gdp_dd_two_sum(mu_total, mu_spent));
	/* what underflowed in mu_spent is less than this rounding */
	return gdp_give(ldexp(mu_spent > 0 ? gdp_dd_down(gdp_dd_sqrt(product)) : mu_total, scale), mu);
}

gdp_status
gdp_mu_queries(double mu_each, double mu_total, double *count)
{
	gdp_dd ratio;

	GDP_CHECK(1, MU, mu_each);
	GDP_CHECK(2, MU, mu_total);
	if (mu_total / mu_each >= 0x1p31)
		return GDP_OUT_OF_RANGE;
	ratio = gdp_dd_div(gdp_dd_of(mu_total), gdp_dd_of(mu_each));
	ratio = gdp_dd_mul(ratio, ratio);
	/* equal numbers divide exactly; elsewhere half a query more or less doesn't hang on 2^-88 */
	return gdp_give(floor(gdp_dd_down_exact(ratio)), count);
}

/* ---------------------------------------------------------------------------
 * Sharing a budget
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_mu_split(double mu, size_t n, const double *shares, double *mus)
{
	gdp_dd total = gdp_dd_of(0);
	double largest = 0;
	int scale; /* a power of two, which rounds nothing */

	GDP_CHECK(1, MU, mu);
	for (size_t i = 0; i < n; i++)
	{
		GDP_CHECK_EACH(2, POSITIVE, shares, i);
		largest = fmax(largest, shares[i]);
	}
	scale = largest > 0 ? -ilogb(largest) : 0;
	for (size_t i = 0; i < n; i++)
		total = gdp_dd_add(total, gdp_dd_of(ldexp(shares[i], scale)));
	for (size_t i = 0; i < n; i++)
	{
		gdp_dd share = gdp_dd_div(gdp_dd_of(ldexp(shares[i], scale)), total);

		mus[i] = gdp_dd_down(gdp_dd_times(gdp_dd_sqrt(share), mu));
		GDP_REQUIRE(mus[i] > 0, GDP_OUT_OF_RANGE);
	}
	return GDP_OK;
}

gdp_status
gdp_mu_allocate(double mu, size_t n, const double *weights, const double *sensitivities,
				double *sigmas)
{
	gdp_dd total = gdp_dd_of(0);

	GDP_CHECK(1, MU, mu);
	for (size_t i = 0; i < n; i++)
	{
		GDP_CHECK_EACH(2, POSITIVE, weights, i);
		GDP_CHECK_EACH(3, SENSITIVITY, sensitivities, i);
		total =
			gdp_dd_add(total, gdp_dd_times(gdp_dd_sqrt(gdp_dd_of(weights[i])), sensitivities[i]));
	}
	GDP_REQUIRE(total.hi <= DBL_MAX, GDP_OUT_OF_RANGE);
	for (size_t i = 0; i < n; i++)
	{
		gdp_dd root = gdp_dd_sqrt(
			gdp_dd_div(gdp_dd_of(sensitivities[i]), gdp_dd_sqrt(gdp_dd_of(weights[i]))));

		root = gdp_dd_div(gdp_dd_mul(root, gdp_dd_sqrt(total)), gdp_dd_of(mu));
		GDP_REQUIRE(gdp_give(gdp_dd_up(root), &sigmas[i]) == GDP_OK, GDP_OUT_OF_RANGE);
	}
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Basic and advanced composition of (epsilon, delta)-DP
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_compose_basic(size_t n, const double *epsilons, const double *deltas, double *epsilon,
				  double *delta)
{
	gdp_dd sum_epsilon = gdp_dd_of(0), sum_delta = gdp_dd_of(0);

	for (size_t i = 0; i < n; i++)
	{
		GDP_CHECK_EACH(1, EPSILON_OR_ZERO, epsilons, i);
		GDP_CHECK_EACH(2, DELTA_OR_ZERO, deltas, i);
		sum_epsilon = gdp_dd_add(sum_epsilon, gdp_dd_of(epsilons[i]));
		sum_delta = gdp_dd_add(sum_delta, gdp_dd_of(deltas[i]));
	}
	*delta = fmin(gdp_dd_up_exact(sum_delta), 1);
	return gdp_give(gdp_dd_up_exact(sum_epsilon), epsilon);
}

gdp_status
gdp_compose_advanced(size_t n, const double *epsilons, const double *deltas, double delta_slack,
					 double *epsilon, double *delta)
{
	gdp_dd drift = gdp_dd_of(0), squares = gdp_dd_of(0), spread;
	double basic, advanced, largest = 0;
	gdp_status status = gdp_compose_basic(n, epsilons, deltas, &basic, delta);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(3, DELTA, delta_slack);
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, epsilons[i]);
	for (size_t i = 0; i < n && largest > 0; i++)
	{
		gdp_dd relative = gdp_dd_div(gdp_dd_of(epsilons[i]), gdp_dd_of(largest));

		drift = gdp_dd_add(drift, gdp_dd_times(gdp_dd_expm1(gdp_dd_of(epsilons[i])), epsilons[i]));
		squares = gdp_dd_add(squares, gdp_dd_mul(relative, relative));
	}
	spread = gdp_dd_sqrt(
		gdp_dd_mul(gdp_dd_scale(squares, 1), gdp_dd_neg(gdp_dd_log(gdp_dd_of(delta_slack)))));
	advanced = gdp_dd_up(gdp_dd_add(drift, gdp_dd_times(spread, largest)));
	*epsilon = basic;
	if (advanced < basic) /* false for NaN too: the formula has overflowed */
	{
		*epsilon = advanced;
		*delta = fmin(gdp_dd_up_exact(gdp_dd_two_sum(*delta, delta_slack)), 1);
	}
	return GDP_OK;
}

gdp_status
gdp_advanced_epsilon(double epsilon, double k, double delta_slack, double *total)
{
	gdp_dd drift, spread;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, COUNT, k);
	GDP_CHECK(3, DELTA, delta_slack);
	if (epsilon == 0)
		return gdp_give(0, total);
	drift = gdp_dd_times(gdp_dd_times(gdp_dd_expm1(gdp_dd_of(epsilon)), epsilon), k);
	spread = gdp_dd_sqrt(gdp_dd_times(gdp_dd_neg(gdp_dd_log(gdp_dd_of(delta_slack))), 2 * k));
	return gdp_give(gdp_dd_up(gdp_dd_add(drift, gdp_dd_times(spread, epsilon))), total);
}
