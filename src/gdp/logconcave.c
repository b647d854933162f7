/*
 * logconcave.c
 *		Noise of any even log-concave density on one number: how private it is, and how much is enough.
 *
 * Reads from dd.h, pdp.c and mechanism.c.
 *
 * Theorem (Vinterbo 2022, Lemma 2)
 *		The density of the noise over its scale is proportional to e^-psi(x), psi even and convex; Q is its upper
 *		tail, t = sensitivity / scale.  At x = v + t the privacy loss is psi(v + t) - psi(v), where v is the
 *		noise itself: it does not fall in v, so that it exceeds epsilon just where v > v*, the largest v with
 *			psi(v + t) - psi(v) <= epsilon,
 *		and P(loss > epsilon) = Q(v*).  By evenness that holds for both neighbours: one-tailed (epsilon, Q(v*))-pDP,
 *		exactly, hence (epsilon, Q(v*))-DP.
 *
 *		The scale for a given delta in closed form: with v = Q^-1(delta) the largest such t is
 *			t = psi^-1(psi(v) + epsilon) - v,
 *		psi^-1 being the largest inverse.  For psi = x^2/2 that is (8) of the paper, for psi = |x| and delta <= 1/2 it
 *		is t = epsilon.
 *
 * Error bound
 *		Pairs of doubles, relative 2^-70 before rounding up; the Gaussian law as in pdp.c and mechanism.c.  Of a psi
 *		given by points the loss is held against epsilon less 2^-70: an epsilon below 1e-8 asks for more noise than
 *		it should, by 2^-70/epsilon of it.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* Numbers within these neither overflow in products of two, nor lose their low halves. */
#define LAW_LARGE 0x1p300
#define LAW_SMALL 0x1p-300
#define PSI_MAX 700

/* What a sum of values of psi may have lost, relative to the largest of them, many times over */
#define PSI_ERROR 0x1p-80

static gdp_dd
dd(double x)
{
	return gdp_dd_of(x);
}

/* A result that carries the errors of a chain of operations, rounded up */
static double
law_up(gdp_dd x)
{
	return gdp_dd_up(gdp_dd_add(x, gdp_dd_scale(x, -64)));
}

/* psi rises by this for each unit of x from point i on; the last piece has no end. */
static gdp_dd
slope_of(const gdp_law *law, size_t i)
{
	if (i == law->n - 1)
		i--;
	return gdp_dd_div(gdp_dd_two_sum(law->psi[i + 1], -law->psi[i]),
					  gdp_dd_two_sum(law->x[i + 1], -law->x[i]));
}

gdp_status
gdp_law_check(const gdp_law *law)
{
	gdp_dd slope = gdp_dd_of(0);

	if (law->kind != GDP_LAW_POINTS)
		return GDP_OK;
	GDP_REQUIRE(law->n >= 2 && law->n <= GDP_LAW_MAX_POINTS && law->x[0] == 0, GDP_BAD_LAW);
	for (size_t i = 0; i < law->n; i++)
		GDP_REQUIRE(law->x[i] <= LAW_LARGE && fabs(law->psi[i]) <= LAW_LARGE, GDP_BAD_LAW);
	for (size_t i = 1; i < law->n; i++)
	{
		gdp_dd next;

		GDP_REQUIRE(law->x[i] - law->x[i - 1] >= LAW_SMALL, GDP_BAD_LAW);
		next = slope_of(law, i - 1);
		GDP_REQUIRE(gdp_dd_sub(next, slope).hi >= 0 && next.hi <= LAW_LARGE, GDP_BAD_LAW);
		slope = next;
	}
	GDP_REQUIRE(slope.hi >= LAW_SMALL && law->psi[law->n - 1] - law->psi[0] <= PSI_MAX,
				GDP_BAD_LAW);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * psi and Q between points
 * ---------------------------------------------------------------------------
 */

/* The piece with x >= 0: the last point that is not above it. */
static size_t
piece_of(size_t n, const double *points, gdp_dd x)
{
	size_t low = 0, high = n;

	while (high - low > 1)
	{
		size_t middle = low + (high - low) / 2;

		if (gdp_dd_sub(x, dd(points[middle])).hi >= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* psi(|x|) - psi(0) */
static gdp_dd
psi_at(const gdp_law *law, gdp_dd x)
{
	size_t i;

	if (x.hi < 0)
		x = gdp_dd_neg(x);
	i = piece_of(law->n, law->x, x);
	return gdp_dd_add(gdp_dd_two_sum(law->psi[i], -law->psi[0]),
					  gdp_dd_mul(slope_of(law, i), gdp_dd_sub(x, dd(law->x[i]))));
}

/* The largest x with psi(x) - psi(0) <= value, value >= 0 */
static gdp_dd
psi_inverse(const gdp_law *law, gdp_dd value)
{
	size_t i = piece_of(law->n, law->psi, gdp_dd_add(value, dd(law->psi[0])));

	value = gdp_dd_sub(value, gdp_dd_two_sum(law->psi[i], -law->psi[0]));
	return gdp_dd_add(dd(law->x[i]), gdp_dd_div(value, slope_of(law, i)));
}

/* The integral of e^-(psi - psi(0)) from point i on, over a length within its piece; of the last one without end. */
static gdp_dd
piece_mass(const gdp_law *law, size_t i, gdp_dd length, bool endless)
{
	gdp_dd slope = slope_of(law, i), mass = length;
	gdp_dd start = gdp_dd_exp(gdp_dd_two_sum(law->psi[0], -law->psi[i]));

	if (endless)
		mass = gdp_dd_div(dd(1), slope);
	else if (slope.hi > 0)
		mass = gdp_dd_div(gdp_dd_neg(gdp_dd_expm1(gdp_dd_neg(gdp_dd_mul(slope, length)))), slope);
	return gdp_dd_mul(start, mass);
}

static gdp_dd
whole_piece(const gdp_law *law, size_t i)
{
	bool endless = i == law->n - 1;

	return piece_mass(law, i, endless ? dd(0) : gdp_dd_two_sum(law->x[i + 1], -law->x[i]), endless);
}

/* Twice the normaliser: the mass of x >= 0 */
static gdp_dd
half_mass(const gdp_law *law)
{
	gdp_dd mass = dd(0);

	for (size_t i = law->n; i-- > 0;)
		mass = gdp_dd_add(mass, whole_piece(law, i));
	return mass;
}

/* Q(|x|), at most 1/2 */
static gdp_dd
tail_of_points(const gdp_law *law, gdp_dd x)
{
	gdp_dd mass = dd(0), total = half_mass(law), decay;
	size_t i;

	if (x.hi < 0)
		x = gdp_dd_neg(x);
	i = piece_of(law->n, law->x, x);
	for (size_t j = law->n; --j > i;)
		mass = gdp_dd_add(mass, whole_piece(law, j));

	/* what is left of x's own piece: e^-(psi(x) - psi(x_i)) of what its rest would have from x_i on */
	decay = gdp_dd_exp(gdp_dd_neg(gdp_dd_mul(slope_of(law, i), gdp_dd_sub(x, dd(law->x[i])))));
	if (i == law->n - 1)
		mass = gdp_dd_mul(decay, piece_mass(law, i, dd(0), true));
	else
		mass = gdp_dd_add(
			mass, gdp_dd_mul(decay, piece_mass(law, i, gdp_dd_sub(dd(law->x[i + 1]), x), false)));
	return gdp_dd_scale(gdp_dd_div(mass, total), -1);
}

/* The v >= 0 with Q(v) = tail <= 1/2 */
static gdp_dd
quantile_of_points(const gdp_law *law, gdp_dd tail)
{
	gdp_dd goal = gdp_dd_mul(gdp_dd_scale(tail, 1), half_mass(law)), piece, slope, left, taken;
	size_t i = law->n - 1;

	/* goal: what of this piece, from its end on, is to be beyond v */
	for (;; i--)
	{
		piece = whole_piece(law, i);
		if (i == 0 || gdp_dd_sub(piece, goal).hi >= 0)
			break;
		goal = gdp_dd_sub(goal, piece);
	}
	slope = slope_of(law, i);
	left = gdp_dd_exp(gdp_dd_two_sum(law->psi[0], -law->psi[i]));
	taken = gdp_dd_div(gdp_dd_sub(piece, goal), left);
	if (taken.hi < 0)
		taken = dd(0);
	if (slope.hi == 0)
		return gdp_dd_add(dd(law->x[i]), taken);

	/* e^-(psi(v) - psi(x_i)), as a sum or as what is taken from 1 */
	left = gdp_dd_mul(gdp_dd_div(goal, left), slope);
	if (i < law->n - 1)
		left = gdp_dd_add(left, gdp_dd_exp(gdp_dd_two_sum(law->psi[i], -law->psi[i + 1])));
	if (left.hi < 0.5)
		taken = gdp_dd_log(left);
	else
		taken = gdp_dd_log1p(gdp_dd_neg(gdp_dd_mul(taken, slope)));
	return gdp_dd_sub(dd(law->x[i]), gdp_dd_div(taken, slope));
}

/* The loss psi(v + t) - psi(v) */
static gdp_dd
loss_at(const gdp_law *law, gdp_dd v, gdp_dd t)
{
	return gdp_dd_sub(psi_at(law, gdp_dd_add(v, t)), psi_at(law, v));
}

/* Point k of the 4n where the loss may bend: +-x, of v or of v + t */
static gdp_dd
bend(const gdp_law *law, gdp_dd t, int side, bool moved, size_t k)
{
	gdp_dd v = dd(side < 0 ? -law->x[law->n - 1 - k] : law->x[k]);

	return moved ? gdp_dd_sub(v, t) : v;
}

static bool
is_exactly(gdp_dd x, double value)
{
	return x.hi == value && x.lo == 0;
}

/*
 * The last bend with a loss of at most limit, or of epsilon in every digit, and the first one beyond: the loss does not fall in v, so that each of
 * four ascending rows of bends is halved.
 */
static void
bends_around(const gdp_law *law, gdp_dd t, double epsilon, gdp_dd limit, gdp_dd *low, gdp_dd *high)
{
	*low = dd(-HUGE_VAL);
	*high = dd(HUGE_VAL);
	for (int row = 0; row < 4; row++)
	{
		int side = row < 2 ? -1 : 1;
		size_t first = 0,
			   last = law->n; /* bends before first are low, those from last on are high */
		gdp_dd v;

		while (first < last)
		{
			size_t middle = first + (last - first) / 2;

			v = loss_at(law, bend(law, t, side, row & 1, middle), t);
			if (gdp_dd_sub(v, limit).hi <= 0 || is_exactly(v, epsilon))
				first = middle + 1;
			else
				last = middle;
		}
		v = first > 0 ? bend(law, t, side, row & 1, first - 1) : *low;
		if (!(low->hi > -DBL_MAX) || gdp_dd_sub(v, *low).hi > 0)
			*low = v;
		v = first < law->n ? bend(law, t, side, row & 1, first) : *high;
		if (!(high->hi < DBL_MAX) || gdp_dd_sub(v, *high).hi < 0)
			*high = v;
	}
}

/*
 * P(loss > epsilon), rounded up.  The loss is held against slightly less than epsilon, unless it is epsilon in every
 * digit: where it is flat there, rounding then never takes it for less.
 */
static gdp_status
points_delta(const gdp_law *law, gdp_dd t, double epsilon, double *delta)
{
	gdp_dd largest = gdp_dd_mul(t, slope_of(law, law->n - 1)), limit, low, high, v, rise, tail;
	double error = PSI_ERROR * (1 + PSI_MAX + largest.hi);

	/* no loss is larger */
	if (gdp_dd_sub(largest, dd(epsilon)).hi <= -error || is_exactly(largest, epsilon))
		return gdp_give(0, delta);
	limit = gdp_dd_sub(dd(epsilon), dd(error));
	bends_around(law, t, epsilon, limit, &low, &high);
	GDP_REQUIRE(gdp_is_finite(low.hi) && gdp_is_finite(high.hi), GDP_OUT_OF_RANGE);
	v = loss_at(law, low, t);
	rise = gdp_dd_sub(loss_at(law, high, t), v);
	v = gdp_dd_mul(gdp_dd_sub(limit, v), gdp_dd_sub(high, low));
	v = rise.hi > 0 && v.hi > 0 ? gdp_dd_add(low, gdp_dd_div(v, rise)) : low;
	tail = tail_of_points(law, v);
	return gdp_give(fmin(law_up(v.hi < 0 ? gdp_dd_sub(dd(1), tail) : tail), 1), delta);
}

/* ---------------------------------------------------------------------------
 * Laplace and logistic noise
 * ---------------------------------------------------------------------------
 */

/* 1 - e^(v*) / 2 with v* = gap/2, gap = epsilon - t < 0 */
static gdp_dd
laplace_delta(gdp_dd gap)
{
	return gdp_dd_sub(dd(1), gdp_dd_scale(gdp_dd_exp(gdp_dd_scale(gap, -1)), -1));
}

/* (1 - e^(gap/2)) / (1 - e^-t) */
static gdp_dd
logistic_delta(gdp_dd gap, gdp_dd t)
{
	return gdp_dd_div(gdp_dd_expm1(gdp_dd_scale(gap, -1)), gdp_dd_expm1(gdp_dd_neg(t)));
}

/* epsilon, and twice -ln(2 (1 - delta)) more where delta is above 1/2 */
static gdp_dd
laplace_t(double epsilon, double delta)
{
	gdp_dd v = gdp_dd_log(gdp_dd_scale(gdp_dd_two_sum(1, -delta), 1));

	return delta <= 0.5 ? dd(epsilon) : gdp_dd_sub(dd(epsilon), gdp_dd_scale(v, 1));
}

/*
 * The t of logistic_delta = delta, a quadratic in e^(-t/2): t = epsilon + 2 ln(1 + (S - c) / (2 (1 - delta))), with c =
 * 1 - 2 delta and S^2 = c^2 + 4 delta (1 - delta) (1 - e^-epsilon).
 */
static gdp_dd
logistic_t(double epsilon, double delta)
{
	gdp_dd rest = gdp_dd_two_sum(1, -delta), c = gdp_dd_two_sum(1, -2 * delta), S, more;
	gdp_dd gain = gdp_dd_neg(gdp_dd_expm1(dd(-epsilon)));

	gain = gdp_dd_mul(gdp_dd_scale(gdp_dd_times(rest, delta), 2), gain);
	S = gdp_dd_sqrt(gdp_dd_add(gdp_dd_mul(c, c), gain));
	more = c.hi > 0 ? gdp_dd_div(gain, gdp_dd_add(S, c)) : gdp_dd_sub(S, c);
	more = gdp_dd_log1p(gdp_dd_div(more, gdp_dd_scale(rest, 1)));
	return gdp_dd_add(dd(epsilon), gdp_dd_scale(more, 1));
}

/* As well as for the rounding of psi, t is lowered for that of v: by at most as much, since dt/dv is -1 to 0. */
static gdp_dd
points_t(const gdp_law *law, double epsilon, double delta)
{
	double length = law->x[law->n - 1] + 1 / slope_of(law, law->n - 1).hi;
	gdp_dd v, end, t;

	if (delta <= 0.5)
		v = quantile_of_points(law, dd(delta));
	else
		v = gdp_dd_neg(quantile_of_points(law, gdp_dd_two_sum(1, -delta)));
	end = psi_at(law, v);
	t = gdp_dd_sub(dd(epsilon), dd(PSI_ERROR * (1 + PSI_MAX + end.hi)));
	end = psi_inverse(law, gdp_dd_add(end, t.hi > 0 ? t : dd(0)));
	t = gdp_dd_sub(end, v);
	return gdp_dd_sub(t, dd(PSI_ERROR * (length + fabs(v.hi) + fabs(end.hi))));
}

/* ---------------------------------------------------------------------------
 * The face
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_law_delta(const gdp_law *law, double scale, double epsilon, double sensitivity, double *delta)
{
	gdp_dd t, gap;
	double ignored;
	gdp_status status = gdp_law_check(law);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, POSITIVE, scale);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(3, SENSITIVITY, sensitivity);
	if (law->kind == GDP_LAW_GAUSSIAN)
		return gdp_sigma_reached(GDP_PDP_ONE_TAILED, scale, epsilon, 0.5, sensitivity, &ignored,
								 delta);
	GDP_REQUIRE(scale > LAW_SMALL && scale < LAW_LARGE, GDP_OUT_OF_RANGE);
	GDP_REQUIRE(sensitivity > LAW_SMALL && sensitivity < LAW_LARGE, GDP_OUT_OF_RANGE);
	t = gdp_dd_div(dd(sensitivity), dd(scale));
	if (law->kind == GDP_LAW_POINTS)
		return points_delta(law, t, epsilon, delta);

	/* epsilon - t, of which no digit is lost where they are nearly equal */
	gap = gdp_dd_sub(gdp_dd_two_product(epsilon, scale), dd(sensitivity));
	if (!(gap.hi < 0))
		return gdp_give(0, delta);
	gap = gdp_dd_div(gap, dd(scale));
	t = law->kind == GDP_LAW_LAPLACE ? laplace_delta(gap) : logistic_delta(gap, t);
	return gdp_give(fmin(law_up(t), 1), delta);
}

gdp_status
gdp_law_scale(const gdp_law *law, double epsilon, double delta, double sensitivity, double *scale)
{
	gdp_dd t;
	gdp_status status = gdp_law_check(law);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_CHECK(3, SENSITIVITY, sensitivity);
	switch (law->kind)
	{
		case GDP_LAW_GAUSSIAN:
			return gdp_mechanism_sigma(gdp_mechanism_find("pdp_one_tailed"), epsilon, delta,
									   sensitivity, scale);
		case GDP_LAW_LAPLACE:
			t = laplace_t(epsilon, delta);
			break;
		case GDP_LAW_LOGISTIC:
			t = logistic_t(epsilon, delta);
			break;
		default:
			t = points_t(law, epsilon, delta);
	}
	GDP_REQUIRE(t.hi > 0 && sensitivity / t.hi <= DBL_MAX, GDP_OUT_OF_RANGE);
	return gdp_give(law_up(gdp_dd_div(dd(sensitivity), t)), scale);
}
