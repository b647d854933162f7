/*
 * transform.c
 *		The Gaussian differential privacy transformation (GDPT) of a privacy profile.
 *
 * Reads from profile.c, normal.c, convert.c and refine.c; calibration/transform.c makes rows of it.
 *
 * Theorem (Liu et al. 2022, Theorems 4.1, 4.5 and 4.6, as corrected in docs/mathematics.md)
 *		With G(epsilon) the mu for which a Gaussian mechanism has the profile's delta at epsilon, a
 *		mechanism is mu-GDP if and only if mu >= sup G.  For any division 0 = x_0 < ... < x_n of the head,
 *			max G(x_i) <= sup G <= max mu(x_(i+1), delta(x_i)),
 *		and mu(x + D, delta) <= mu(x, delta) + sqrt(pi/2) D.
 *
 * Method
 *		The division is chosen as it goes: a step is taken when the Gaussian profile of lower + gap
 *		covers delta(x_i) at x_(i+1), which is one evaluation instead of an inversion; otherwise it is
 *		halved.  A step of gap / sqrt(pi/2) is always good, so that the walk ends; near the maximum
 *		it is that fine, elsewhere coarse.  The walk can be interrupted after any number of steps.
 *		delta is carried as its logarithm and that of 1 - delta, for neither end to be lost.
 *
 * Tail
 *		Beyond the head nothing is known from it, except: delta is 0 there (pure DP, Laplace, points that
 *		end in 0); G <= mu everywhere (Gaussian, subsampled); or delta stays below the Gaussian's by
 *		delta_mu >= mu phi(x1) / (x2^2 + 3) (SGD, see exponential_tail_is_covered).
 */
#include "core/dd.h"
#include "core/domain.h"
#include "core/root.h"
#include "gdp/gdp.h"
#include "gdp/refine.h"

#define LN2 0.69314718055994530942
#define SQRT_2PI 2.50662827463100050242
#define SQRT_PI_2 1.25331413731550025121
#define SQRT_3 1.73205080756887729353

/* What a logarithm of delta or of 1 - delta may be wrong by, relative to max(1, |ln|). */
#define LOG_MARGIN 1e-13

/* What a solved mu may be wrong by, relative. */
#define MU_ERROR 1e-13

/* A value of a profile */
typedef struct level
{
	double ln_delta;
	double ln_rest; /* ln(1 - delta) */
} level;

/* ---------------------------------------------------------------------------
 * Profiles
 * ---------------------------------------------------------------------------
 */

static level
level_of_delta(double delta)
{
	return (level){log(delta), log1p(-delta)};
}

static double
softplus(double x)
{
	return x + log1p(exp(-x));
}

/* (epsilon0, delta0), with its 1 - delta0, seen at epsilon <= epsilon0 */
static level
level_implied(double epsilon0, level at, double epsilon)
{
	double share = -expm1(epsilon - epsilon0) / (1 + exp(-epsilon0)),
		   delta = exp(at.ln_delta) + exp(at.ln_rest) * share;

	return (level){log(delta), at.ln_rest + (softplus(epsilon) - softplus(epsilon0))};
}

/* The first point beyond epsilon */
static size_t
next_point(const gdp_curve *curve, double epsilon)
{
	size_t low = 0, high = curve->n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (curve->epsilons[middle] > epsilon)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static level
level_of_points(const gdp_curve *curve, double epsilon)
{
	size_t low = next_point(curve, epsilon);
	level next, implied;

	if (low == curve->n)
		return level_of_delta(curve->deltas[low - 1]);
	next = level_of_delta(curve->deltas[low]);
	implied = level_implied(curve->epsilons[low], next, epsilon);
	if (low > 0 && log(curve->deltas[low - 1]) < implied.ln_delta)
		return level_of_delta(curve->deltas[low - 1]);
	return implied;
}

/* The same as a number, rounded up */
static gdp_status
delta_of_points(const gdp_curve *curve, double epsilon, double *delta)
{
	size_t next = next_point(curve, epsilon);
	double implied = 1, known = next > 0 ? curve->deltas[next - 1] : 1;
	gdp_status status = GDP_OK;

	if (next < curve->n && curve->deltas[next] < 1)
		status = gdp_implied_delta(curve->epsilons[next], curve->deltas[next], epsilon, &implied);
	return status == GDP_OK ? gdp_give(fmin(known, implied), delta) : status;
}

static level
level_of_refined(const gdp_curve *curve, double epsilon)
{
	double at = fmax(epsilon, curve->switch_epsilon), ln = -gdp_refine_minus_log(curve, at).hi;
	level own = {ln, ln > -LN2 ? log(-expm1(ln)) : log1p(-exp(ln))};

	return epsilon < at ? level_implied(at, own, epsilon) : own;
}

static level
level_at(const gdp_curve *curve, double epsilon)
{
	static const level nothing = {-HUGE_VAL, 0};
	double p = curve->parameter[0];
	level at;

	switch (curve->kind)
	{
		case GDP_CURVE_POINTS:
			return level_of_points(curve, epsilon);
		case GDP_CURVE_PURE:
			return epsilon < p ? level_implied(p, nothing, epsilon) : nothing;
		case GDP_CURVE_LAPLACE:
			p = 0.5 * (epsilon - p);
			return p < 0 ? (level){log(-expm1(p)), p} : nothing;
		case GDP_CURVE_GAUSSIAN:
			return (level){gdp_profile_log_delta(p, epsilon), gdp_profile_log_rest(p, epsilon)};
		case GDP_CURVE_SUBSAMPLED:
			gdp_subsampled_logs(p, curve->parameter[1], epsilon, &at.ln_delta, &at.ln_rest);
			return at;
		case GDP_CURVE_EXPONENTIAL:
		case GDP_CURVE_POWER:
			return level_of_refined(curve, epsilon);
	}
	return nothing;
}

static gdp_status
points_check(const gdp_curve *curve)
{
	GDP_REQUIRE(curve->n > 0 && gdp_is_not_negative(curve->epsilons[0]), GDP_BAD_PROFILE);
	GDP_REQUIRE(curve->deltas[curve->n - 1] < 1, GDP_BAD_PROFILE);
	for (size_t i = 0; i < curve->n; i++)
	{
		GDP_REQUIRE(curve->deltas[i] >= 0 && curve->deltas[i] <= 1, GDP_BAD_PROFILE);
		GDP_REQUIRE(i == 0 || (curve->epsilons[i] > curve->epsilons[i - 1] &&
							   gdp_is_finite(curve->epsilons[i]) &&
							   curve->deltas[i] <= curve->deltas[i - 1]),
					GDP_BAD_PROFILE);
	}
	return GDP_OK;
}

gdp_status
gdp_curve_check(const gdp_curve *curve)
{
	switch (curve->kind)
	{
		case GDP_CURVE_POINTS:
			return points_check(curve);
		case GDP_CURVE_PURE:
		case GDP_CURVE_LAPLACE:
			GDP_CHECK(1, EPSILON, curve->parameter[0]);
			return GDP_OK;
		case GDP_CURVE_SUBSAMPLED:
			GDP_CHECK(2, FRACTION, curve->parameter[1]);
			/* FALLTHROUGH */
		case GDP_CURVE_GAUSSIAN:
			GDP_CHECK(1, MU, curve->parameter[0]);
			return GDP_OK;
		case GDP_CURVE_EXPONENTIAL:
		case GDP_CURVE_POWER:
			GDP_CHECK(1, POSITIVE, curve->parameter[0]);
			GDP_CHECK(2, POSITIVE, curve->parameter[1]);
			GDP_REQUIRE(curve->switch_epsilon > 0, GDP_OUT_OF_RANGE);
			return GDP_OK;
	}
	return GDP_BAD_CHOICE;
}

gdp_status
gdp_curve_delta(const gdp_curve *curve, double epsilon, double *delta)
{
	double p = curve->parameter[0];
	gdp_status status = gdp_curve_check(curve);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	switch (curve->kind)
	{
		case GDP_CURVE_POINTS:
			return delta_of_points(curve, epsilon, delta);
		case GDP_CURVE_PURE:
			return gdp_implied_delta(p, 0, epsilon, delta);
		case GDP_CURVE_LAPLACE:
			return gdp_laplace_delta(p, epsilon, delta);
		case GDP_CURVE_GAUSSIAN:
			return gdp_profile_delta(p, epsilon, delta);
		case GDP_CURVE_SUBSAMPLED:
			return gdp_subsampled_delta(p, curve->parameter[1], epsilon, delta);
		case GDP_CURVE_EXPONENTIAL:
		case GDP_CURVE_POWER:
			return gdp_refined_delta(curve, epsilon, delta);
	}
	return GDP_BAD_CHOICE;
}

void
gdp_points_refine(size_t n, const double *epsilons, double *deltas)
{
	for (size_t i = n - 1; i-- > 0;)
	{
		double delta;

		if (deltas[i + 1] < 1 &&
			gdp_implied_delta(epsilons[i + 1], deltas[i + 1], epsilons[i], &delta) == GDP_OK)
			deltas[i] = fmin(deltas[i], delta);
	}
}

/* ---------------------------------------------------------------------------
 * G(epsilon)
 * ---------------------------------------------------------------------------
 */

static bool
is_small(level at)
{
	return at.ln_delta <= -LN2;
}

/* Is the Gaussian profile of mu at epsilon certainly not below the level? */
static bool
covers(double mu, double epsilon, level at)
{
	double ln;

	if (at.ln_delta < -DBL_MAX)
		return true;
	if (!(mu > 0))
		return false;
	ln = is_small(at) ? gdp_profile_log_delta(mu, epsilon) : gdp_profile_log_rest(mu, epsilon);
	if (is_small(at))
		return ln - LOG_MARGIN * fmax(1, fabs(ln)) >= at.ln_delta;
	return ln + LOG_MARGIN * fmax(1, fabs(ln)) <= at.ln_rest;
}

/* A level to be met at epsilon: its ln delta or, where delta > 1/2, its ln(1 - delta) */
typedef struct meeting
{
	double epsilon;
	bool small;
	double goal;
} meeting;

/* Newton on the logarithms of both */
static gdp_newton
meeting_step(void *problem, double mu)
{
	const meeting *to = problem;
	double ln =
		to->small ? gdp_profile_log_delta(mu, to->epsilon) : gdp_profile_log_rest(mu, to->epsilon);
	double x1 = to->epsilon / mu - 0.5 * mu, slope = mu / SQRT_2PI * exp(-0.5 * x1 * x1 - ln);
	double step = (to->goal - ln) / (to->small ? slope : -slope);

	return (gdp_newton){.next = mu * exp(step),
						.root_is_above = (to->goal > ln) == to->small,
						.is_last = fabs(step) < GDP_NEWTON_TOLERANCE};
}

/*
 * The mu whose Gaussian profile passes through the level at epsilon, to MU_ERROR; 0 where delta is 0.
 * Between mu(0, delta) and mu(0, delta) + sqrt(pi/2) epsilon.
 */
static double
solve_mu(double epsilon, level at)
{
	meeting to = {epsilon, is_small(at), is_small(at) ? at.ln_delta : at.ln_rest};
	double low, high, z, mu;

	if (at.ln_delta < -DBL_MAX)
		return 0;
	if (to.small)
	{
		low = gdp_erf_inv(exp(at.ln_delta));
		z = gdp_norm_upper_quantile_log(at.ln_delta);
	}
	else
	{
		low = gdp_erfc_inv_log(at.ln_rest);
		z = -gdp_norm_upper_quantile_log(at.ln_rest);
	}
	low *= 2.8284271247461901;
	if (epsilon == 0)
		return low;
	high = (low + SQRT_PI_2 * epsilon) * (1 + 1e-12);
	low *= 1 - 1e-12;
	/* one-tailed probabilistic DP: a lower bound too */
	mu = sqrt(z * z + 2 * epsilon);
	mu = fmax(z > 0 ? 2 * epsilon / (mu + z) : mu - z, low);
	return gdp_newton_root(meeting_step, &to, low, high, mu, GDP_ROOT_HIGH);
}

gdp_status
gdp_transform(const gdp_curve *curve, double epsilon, double *mu)
{
	double value;
	gdp_status status = gdp_curve_check(curve);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	value = solve_mu(epsilon, level_at(curve, epsilon));
	return gdp_give(value + value * MU_ERROR, mu);
}

/* ---------------------------------------------------------------------------
 * Measuring the head
 * ---------------------------------------------------------------------------
 */

/* Raises the lower bound by G(x), unless it is known to be no more. */
static void
look_at(gdp_head *head, double x)
{
	level at = level_at(head->curve, x);

	if (!covers(head->lower, x, at))
		head->lower = fmax(head->lower, solve_mu(x, at) * (1 - MU_ERROR));
}

gdp_status
gdp_head_begin(gdp_head *head, const gdp_curve *curve, double end, double gap)
{
	gdp_status status = gdp_curve_check(curve);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON, end);
	GDP_CHECK(2, POSITIVE, gap);
	*head = (gdp_head){.curve = curve, .end = end, .gap = gap, .step = end};

	/* a good lower bound spares fine steps far from the maximum */
	look_at(head, 0);
	for (int i = 0; i < 48; i++, end *= 0.75)
		look_at(head, end);
	return GDP_OK;
}

gdp_status
gdp_head_advance(gdp_head *head, int steps, bool *done)
{
	for (*done = false; steps > 0; steps--)
	{
		level at = level_at(head->curve, head->x);
		double mu = head->lower + head->gap, next = fmin(head->x + head->step, head->end);

		GDP_REQUIRE(gdp_is_finite(mu), GDP_OUT_OF_RANGE);
		GDP_REQUIRE(++head->steps <= GDP_HEAD_MAX_STEPS, gdp_blame(GDP_TOO_MANY_STEPS, 2));
		if (covers(mu, next, at))
		{
			head->upper = fmax(head->upper, mu);
			if (next >= head->end)
			{
				*done = true;
				return GDP_OK;
			}
			head->x = next;
			head->step *= 2;
			look_at(head, next);
			continue;
		}
		/* a step this small must be good: the gap is finer than the profile can be evaluated */
		GDP_REQUIRE(head->step > head->gap * 0.1, gdp_blame(GDP_GAP_TOO_SMALL, 2));
		head->step *= 0.5;
	}
	return GDP_OK;
}

/*
 * delta = e^-w, w = (epsilon/scale)^power with power >= 2, from end on: the Gaussian's delta is phi(x1) times the
 * integral of K(y) >= 1/(y^2 + 3) from x1 to x2, so that it suffices that
 *		h(epsilon) = w - x1^2/2 + ln(mu / sqrt(2 pi)) - ln(x2^2 + 3) >= 0.
 * h' >= w' - epsilon/mu^2 + 1/2 - 1/(mu sqrt3), and w' / epsilon does not fall: where w'(end)/end >= 1/mu^2 and that
 * is not negative at end, it stays so, and h(end) >= 0 is enough.
 */
static bool
exponential_tail_is_covered(const gdp_curve *curve, double mu, double end)
{
	double power = curve->parameter[1], w = gdp_refine_minus_log(curve, end).hi,
		   rise = power * w / end / end - 1 / mu / mu, x1 = end / mu - 0.5 * mu, x2 = x1 + mu,
		   h = w - 0.5 * x1 * x1 + log(mu / SQRT_2PI) - log(x2 * x2 + 3);

	return power >= 2 && end >= curve->switch_epsilon && rise >= 0 &&
		   rise * end + 0.5 - 1 / (mu * SQRT_3) >= 1e-9 && h > 1e-9 * (1 + w + x1 * x1);
}

/* Is G <= mu beyond the head? */
static bool
tail_is_covered(const gdp_curve *curve, double mu, double end)
{
	switch (curve->kind)
	{
		case GDP_CURVE_POINTS:
			return curve->deltas[curve->n - 1] == 0 && end >= curve->epsilons[curve->n - 1];
		case GDP_CURVE_PURE:
		case GDP_CURVE_LAPLACE:
			return end >= curve->parameter[0];
		case GDP_CURVE_GAUSSIAN:
		case GDP_CURVE_SUBSAMPLED:
			return mu >= curve->parameter[0];
		case GDP_CURVE_EXPONENTIAL:
			return exponential_tail_is_covered(curve, mu, end);
		case GDP_CURVE_POWER:
			return false;
	}
	return false;
}

gdp_status
gdp_head_result(const gdp_head *head, gdp_head_measure *measure)
{
	measure->lower = head->lower;
	measure->upper = nextafter(head->upper, HUGE_VAL);
	GDP_REQUIRE(gdp_is_finite(measure->upper), GDP_OUT_OF_RANGE);
	measure->everywhere = tail_is_covered(head->curve, measure->upper, head->end);
	measure->residual_delta = 0;
	if (measure->everywhere)
		return GDP_OK;
	return gdp_profile_delta(measure->upper, head->end, &measure->residual_delta);
}

gdp_status
gdp_curve_tail(const gdp_curve *curve, double *mu)
{
	double p;
	gdp_status status = gdp_curve_check(curve);

	if (status != GDP_OK)
		return status;
	switch (curve->kind)
	{
		case GDP_CURVE_POINTS:
			*mu = curve->deltas[curve->n - 1] > 0 ? HUGE_VAL : 0;
			break;
		case GDP_CURVE_PURE:
		case GDP_CURVE_LAPLACE:
			*mu = 0;
			break;
		case GDP_CURVE_GAUSSIAN:
		case GDP_CURVE_SUBSAMPLED:
			*mu = curve->parameter[0];
			break;
		case GDP_CURVE_EXPONENTIAL: /* epsilon^2 / (-2 ln delta) = scale^power epsilon^(2 - power) / 2 */
			p = curve->parameter[1];
			*mu = p > 2 ? 0 : p == 2 ? curve->parameter[0] * 0.70710678118654757 : HUGE_VAL;
			break;
		case GDP_CURVE_POWER:
			*mu = HUGE_VAL;
			break;
	}
	return GDP_OK;
}

gdp_status
gdp_clip_scale(double lower, double upper, double head_epsilon, double *scale)
{
	GDP_CHECK_BOUNDS(lower, upper);
	GDP_CHECK(3, EPSILON, head_epsilon);
	return gdp_give(
		gdp_dd_up_exact(gdp_dd_div(gdp_dd_two_sum(upper, -lower), gdp_dd_of(head_epsilon))), scale);
}
