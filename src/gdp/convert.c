/*
 * convert.c
 *		Between (epsilon, delta)-DP, probabilistic DP, pure DP, Gaussian DP, and subsampling.
 *
 * Reads from profile.c, normal.c and dd.h; concentrated.c holds the notions that bound moments.
 *
 * Theorems
 *		DP to probabilistic DP: Lemmas 4, 12 and 13 of Zhao et al. 2019, Lemma 2.3 and Theorems 3.2 and
 *		3.3 of Guingona et al. 2023, for epsilon_hat > epsilon only.  The other way round nothing changes: both
 *		notions of probabilistic DP imply DP with the same parameters.
 *		Partial order: Theorem 3.1 and Corollary 3.1 of Liu et al. 2022 (GDPT), tight.
 *		Pure DP and Laplace to mu: the transformation at epsilon = 0.
 *		Subsampling: Theorem 9 of Balle, Barthe and Gaboardi 2018, neighbours by adding or removing.
 *
 * Error bounds
 *		Relative 1e-14 where the normal law is involved, otherwise the last bit; rounded as said in gdp.h.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* What the normal law's inverses may have lost, several times over. */
#define NORMAL_MARGIN 0x1p-46

/* At most 1 and up: what a probability may be. */
static gdp_status
give_probability(gdp_dd p, double *result)
{
	return gdp_give(p.hi > 0 ? fmin(gdp_dd_up(p), 1) : 0, result);
}

/* ---------------------------------------------------------------------------
 * DP and probabilistic DP
 * ---------------------------------------------------------------------------
 */

/* delta tails / (1 - e^(epsilon - epsilon_hat)) */
static gdp_status
to_pdp_delta(double epsilon, double delta, double epsilon_hat, gdp_dd tails, double *delta_hat)
{
	gdp_dd gap;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_REQUIRE(gdp_is_finite(epsilon_hat) && epsilon_hat > epsilon,
				gdp_blame(GDP_BAD_EPSILON_HAT, 3));
	gap = gdp_dd_neg(gdp_dd_expm1(gdp_dd_two_sum(epsilon, -epsilon_hat)));
	return give_probability(gdp_dd_div(gdp_dd_times(tails, delta), gap), delta_hat);
}

gdp_status
gdp_dp_to_pdp_delta_two(double epsilon, double delta, double epsilon_hat, double *delta_hat)
{
	return to_pdp_delta(epsilon, delta, epsilon_hat,
						gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon_hat))), delta_hat);
}

gdp_status
gdp_dp_to_pdp_delta_one(double epsilon, double delta, double epsilon_hat, double *delta_hat)
{
	return to_pdp_delta(epsilon, delta, epsilon_hat, gdp_dd_of(1), delta_hat);
}

/* epsilon + ln(1 + delta tails / rest), which no subtraction spoils */
static gdp_dd
to_pdp_epsilon(double epsilon, double delta, gdp_dd tails, gdp_dd rest)
{
	return gdp_dd_add(gdp_dd_of(epsilon),
					  gdp_dd_log1p(gdp_dd_div(gdp_dd_times(tails, delta), rest)));
}

static gdp_status
pdp_epsilon_check(double epsilon, double delta, double delta_hat)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_REQUIRE(delta_hat > delta && delta_hat <= 1, gdp_blame(GDP_BAD_DELTA_HAT, 3));
	return GDP_OK;
}

gdp_status
gdp_dp_to_pdp_epsilon_two(double epsilon, double delta, double delta_hat, double *epsilon_hat)
{
	gdp_dd tails = gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon)));
	gdp_status status = pdp_epsilon_check(epsilon, delta, delta_hat);

	if (status != GDP_OK)
		return status;
	return gdp_give(
		gdp_dd_up(to_pdp_epsilon(epsilon, delta, tails, gdp_dd_two_sum(delta_hat, -delta))),
		epsilon_hat);
}

gdp_status
gdp_dp_to_pdp_epsilon_one(double epsilon, double delta, double delta_hat, double *epsilon_hat)
{
	gdp_status status = pdp_epsilon_check(epsilon, delta, delta_hat);

	if (status != GDP_OK)
		return status;
	return gdp_give(
		gdp_dd_up(to_pdp_epsilon(epsilon, delta, gdp_dd_of(1), gdp_dd_two_sum(delta_hat, -delta))),
		epsilon_hat);
}

gdp_status
gdp_dp_to_pdp_epsilon_one_lower(double epsilon, double delta, double delta_hat, double *epsilon_hat)
{
	gdp_status status = pdp_epsilon_check(epsilon, delta, delta_hat);

	if (status != GDP_OK)
		return status;
	return gdp_give(gdp_dd_down(to_pdp_epsilon(epsilon, delta, gdp_dd_of(1), gdp_dd_of(delta_hat))),
					epsilon_hat);
}

gdp_status
gdp_pdp_lower_tail(double epsilon, double delta, double *lower_tail)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, PROBABILITY, delta);
	if (epsilon == 0 || delta == 0)
		return gdp_give(delta, lower_tail);
	return gdp_give(fmin(gdp_dd_up(gdp_dd_times(gdp_dd_exp(gdp_dd_of(-epsilon)), delta)), delta),
					lower_tail);
}

/*
 * With p <= e^epsilon q + delta the outputs of two data sets keep (epsilon, delta)-DP, since all others but these
 * two are equally likely under both.  The output leaks if p > e^epsilon_hat q and p > delta_hat.  So q is taken from
 * the middle of what is left between (delta_hat - delta) e^-epsilon and delta / (e^epsilon_hat - e^epsilon), p of
 * what is left for it then; q <= (1 - delta) / (1 + e^epsilon) makes p + q <= 1.
 */
gdp_status
gdp_pdp_counterexample(double epsilon, double delta, double epsilon_hat, double delta_hat,
					   gdp_leak *leak)
{
	gdp_dd grown, low, high, p, q, floor_p, n;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_REQUIRE(gdp_is_finite(epsilon_hat) && epsilon_hat > epsilon,
				gdp_blame(GDP_BAD_EPSILON_HAT, 3));
	GDP_CHECK(4, DELTA, delta_hat);
	GDP_REQUIRE(epsilon_hat < 690 && exp(epsilon_hat) / delta < 0x1p990, GDP_OUT_OF_RANGE);

	grown = gdp_dd_exp(gdp_dd_of(epsilon));
	low = gdp_dd_div(gdp_dd_two_sum(delta_hat, -delta), grown);
	if (low.hi < 0)
		low = gdp_dd_of(0);
	high = gdp_dd_mul(grown, gdp_dd_expm1(gdp_dd_two_sum(epsilon_hat, -epsilon)));
	high = gdp_dd_div(gdp_dd_of(delta), high);
	q = gdp_dd_div(gdp_dd_two_sum(1, -delta), gdp_dd_add(grown, gdp_dd_of(1)));
	if (gdp_dd_sub(high, q).hi > 0)
		high = q;
	GDP_REQUIRE(low.hi < high.hi, GDP_OUT_OF_DOMAIN);

	q = gdp_dd_scale(gdp_dd_add(low, high), -1);
	floor_p = gdp_dd_mul(gdp_dd_exp(gdp_dd_of(epsilon_hat)), q);
	if (floor_p.hi < delta_hat)
		floor_p = gdp_dd_of(delta_hat);
	p = gdp_dd_add(gdp_dd_mul(grown, q), gdp_dd_of(delta));
	p = gdp_dd_scale(gdp_dd_add(p, floor_p), -1);
	n = gdp_dd_div(gdp_dd_sub(gdp_dd_of(1), p), q);
	*leak = (gdp_leak){.n = 1 + floor(n.hi),
					   .delta_prime = gdp_dd_sub(p, gdp_dd_mul(grown, q)).hi,
					   .p = p.hi,
					   .q = q.hi};
	return GDP_OK;
}

static gdp_dd
gdp_dd_ceil(gdp_dd x)
{
	double whole = ceil(x.hi);

	return whole == x.hi ? gdp_dd_add(gdp_dd_of(x.hi), gdp_dd_of(ceil(x.lo))) : gdp_dd_of(whole);
}

gdp_status
gdp_counterexample(double epsilon, double delta, double epsilon_hat, double *n, double *p,
				   double *q)
{
	gdp_dd E, count, small, limit;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA_HALF, delta);
	limit = gdp_dd_sub(gdp_dd_of(epsilon), gdp_dd_log1p(gdp_dd_of(-delta)));
	GDP_REQUIRE(gdp_is_finite(epsilon_hat) && gdp_dd_sub(gdp_dd_of(epsilon_hat), limit).hi > 0,
				gdp_blame(GDP_BAD_EPSILON_HAT_GAP, 3));
	GDP_REQUIRE(epsilon_hat < 690 && exp(epsilon_hat) / delta < 0x1p990, GDP_OUT_OF_RANGE);
	E = gdp_dd_add(gdp_dd_exp(gdp_dd_of(epsilon_hat)), gdp_dd_exp(gdp_dd_of(epsilon)));
	count = gdp_dd_ceil(gdp_dd_div(gdp_dd_mul(E, gdp_dd_two_sum(1, -delta)), gdp_dd_of(delta)));
	small = gdp_dd_add(gdp_dd_scale(gdp_dd_add(count, gdp_dd_of(-1)), 1), E);
	small = gdp_dd_div(gdp_dd_two_sum(2, -delta), small);
	*n = count.hi;
	*p = gdp_dd_scale(gdp_dd_add(gdp_dd_mul(E, small), gdp_dd_of(delta)), -1).hi;
	*q = small.hi;
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Pure DP, Laplace noise and the partial order of (epsilon, delta)
 * ---------------------------------------------------------------------------
 */

/* 2 sqrt2 erf^-1(w), given w or, where that is above 1/2, ln(1 - w); rounded up */
static gdp_status
mu_at_zero(double w, double ln_rest, double *mu)
{
	double x = w <= 0.5 ? gdp_erf_inv(w) : gdp_erfc_inv_log(ln_rest);

	x *= 2.8284271247461901;
	return gdp_give(x > 0 ? nextafter(x + x * NORMAL_MARGIN, HUGE_VAL) : 0, mu);
}

gdp_status
gdp_pure_to_mu(double epsilon, double *mu)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	return mu_at_zero(tanh(0.5 * epsilon), 0.69314718055994531 - epsilon - log1p(exp(-epsilon)),
					  mu);
}

gdp_status
gdp_laplace_to_mu(double epsilon, double *mu)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	return mu_at_zero(-expm1(-0.5 * epsilon), -0.5 * epsilon, mu);
}

gdp_status
gdp_laplace_delta(double epsilon0, double epsilon, double *delta)
{
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon0);
	if (epsilon >= epsilon0)
		return gdp_give(0, delta);
	return give_probability(
		gdp_dd_neg(gdp_dd_expm1(gdp_dd_scale(gdp_dd_two_sum(epsilon, -epsilon0), -1))), delta);
}

/* (1 - e^(epsilon - epsilon0)) / (1 + e^-epsilon0), of either sign */
static gdp_dd
order_share(double epsilon, double epsilon0)
{
	return gdp_dd_div(gdp_dd_neg(gdp_dd_expm1(gdp_dd_two_sum(epsilon, -epsilon0))),
					  gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon0))));
}

gdp_status
gdp_implied_delta(double epsilon0, double delta0, double epsilon, double *delta)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon0);
	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA_OR_ZERO, delta0);
	if (epsilon >= epsilon0)
		return gdp_give(delta0, delta);
	return give_probability(
		gdp_dd_add(gdp_dd_of(delta0),
				   gdp_dd_mul(gdp_dd_two_sum(1, -delta0), order_share(epsilon, epsilon0))),
		delta);
}

gdp_status
gdp_implied_delta_max(double epsilon0, double delta0, double epsilon, double *delta)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon0);
	GDP_CHECK(2, DELTA_OR_ZERO, delta0);
	GDP_REQUIRE(gdp_is_finite(epsilon) && epsilon >= epsilon0, gdp_blame(GDP_BAD_EPSILON_BELOW, 3));
	if (epsilon == epsilon0)
		return gdp_give(delta0, delta);
	return gdp_give(
		gdp_dd_down(gdp_dd_add(gdp_dd_of(delta0), gdp_dd_mul(gdp_dd_two_sum(1, -delta0),
															 order_share(epsilon, epsilon0)))),
		delta);
}

gdp_status
gdp_four_outputs(double epsilon0, double delta0, double p[4], double q[4])
{
	gdp_dd rest, small;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon0);
	GDP_CHECK(2, DELTA_OR_ZERO, delta0);
	rest = gdp_dd_two_sum(1, -delta0);
	small = gdp_dd_exp(gdp_dd_of(-epsilon0));
	rest = gdp_dd_div(rest, gdp_dd_add(gdp_dd_of(1), small));
	small = gdp_dd_mul(rest, small);
	p[0] = q[3] = delta0;
	p[1] = q[2] = rest.hi;
	p[2] = q[1] = small.hi;
	p[3] = q[0] = 0;
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Poisson subsampling
 * ---------------------------------------------------------------------------
 */

/* Beyond, e^-epsilon is less than the last bit of 1 and e^epsilon need not be formed. */
#define EPSILON_LARGE 300

gdp_status
gdp_subsample_epsilon(double gamma, double epsilon, double *result)
{
	gdp_dd value;

	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(1, FRACTION, gamma);
	if (epsilon == 0 || gamma == 1)
		return gdp_give(epsilon, result);
	if (epsilon <= EPSILON_LARGE)
		value = gdp_dd_log1p(gdp_dd_times(gdp_dd_expm1(gdp_dd_of(epsilon)), gamma));
	else
	{
		/* ln(1 - gamma + gamma e^epsilon), of which either part may be the larger */
		gdp_dd shrink = gdp_dd_mul(gdp_dd_two_sum(1, -gamma), gdp_dd_exp(gdp_dd_of(-epsilon)));

		if (epsilon > 700 && gamma < 0x1p-900)
			shrink = gdp_dd_mul(
				gdp_dd_exp(gdp_dd_sub(gdp_dd_of(-epsilon), gdp_dd_log(gdp_dd_of(gamma)))),
				gdp_dd_of(1));
		else
			shrink = gdp_dd_div(shrink, gdp_dd_of(gamma));
		value = gdp_dd_add(gdp_dd_add(gdp_dd_of(epsilon), gdp_dd_log(gdp_dd_of(gamma))),
						   gdp_dd_log1p(shrink));
	}
	return gdp_give(gdp_dd_up(value), result);
}

/* ln(1 + (e^epsilon - 1) / gamma): the epsilon before subsampling that becomes epsilon */
static gdp_dd
epsilon_before(double epsilon, double gamma)
{
	gdp_dd value;

	if (epsilon <= EPSILON_LARGE)
	{
		value = gdp_dd_div(gdp_dd_expm1(gdp_dd_of(epsilon)), gdp_dd_of(gamma));
		if (value.hi < 0x1p900)
			return gdp_dd_log1p(value);
	}
	value = gdp_dd_neg(gdp_dd_mul(gdp_dd_two_sum(1, -gamma), gdp_dd_exp(gdp_dd_of(-epsilon))));
	value = gdp_dd_add(gdp_dd_log1p(value), gdp_dd_of(epsilon));
	return gdp_dd_sub(value, gdp_dd_log(gdp_dd_of(gamma)));
}

/* ln of -d delta / d epsilon = phi(x1) R(x2) of the profile of mu, nearest */
static double
log_slope(double mu, double epsilon)
{
	double x1 = epsilon / mu - 0.5 * mu, x2 = x1 + mu;

	return -0.5 * x1 * x1 + log(0.5 * gdp_erfcx(x2 * 0.70710678118654752));
}

gdp_status
gdp_subsampled_delta(double mu, double gamma, double epsilon, double *delta)
{
	double value;
	gdp_dd before;
	gdp_status status;

	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, FRACTION, gamma);
	before = gamma < 1 ? epsilon_before(epsilon, gamma) : gdp_dd_of(epsilon);
	status = gdp_profile_delta(mu, before.hi, &value);
	if (status != GDP_OK)
		return status;

	/* what rounding epsilon has changed */
	value += fmax(-before.lo, 0) * exp(fmin(log_slope(mu, before.hi), 0));
	return gdp_give(fmin(gdp_dd_up(gdp_dd_two_product(value, gamma)), 1),
					delta); /* above 0, even if too small */
}

void
gdp_subsampled_logs(double mu, double gamma, double epsilon, double *ln_delta, double *ln_rest)
{
	gdp_dd before = gamma < 1 ? epsilon_before(epsilon, gamma) : gdp_dd_of(epsilon);

	*ln_delta = gdp_profile_log_delta(mu, before.hi);
	*ln_rest = gdp_profile_log_rest(mu, before.hi);
	if (gamma == 1 || *ln_delta < -DBL_MAX)
		return;
	*ln_delta -= before.lo * exp(log_slope(mu, before.hi) - *ln_delta);
	*ln_delta += log(gamma);
	if (*ln_delta <= -0.69314718055994531)
		*ln_rest = log1p(-exp(*ln_delta));
	else
		*ln_rest = log((1 - gamma) + gamma * exp(*ln_rest));
}
