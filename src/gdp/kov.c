/*
 * kov.c
 *		The optimal composition of (epsilon, delta)-DP by Kairouz, Oh and Viswanath.
 *
 * Reads from dd.h; compose.c holds the compositions that are simple sums.
 *
 * Theorem (Kairouz, Oh and Viswanath 2017, Theorems 3.3 and 3.5; Murtagh and Vadhan 2016 for unequal
 * parameters)
 *		k mechanisms that are (epsilon, delta)-DP compose to (epsilon_g, 1 - (1-delta)^k (1 - s))-DP and
 *		to nothing better, where s = sum of P(l) (1 - e^(epsilon_g - (k - 2l) epsilon)) over the l with
 *		(k - 2l) epsilon > epsilon_g, and l is binomial with odds 1 : e^epsilon.
 *
 * Method, equal parameters
 *		At the grid points epsilon_i = (k - 2i) epsilon the sum obeys a recurrence without any subtraction:
 *			s_(i+1) = s_i + (1 - E) H_i,  H_(i+1) = E H_i + w_(i+1),  E = e^(-2 epsilon),
 *		with w_l the binomial weights, which have a recurrence of their own.  Between two grid points
 *		s = s_i + H_i (1 - e^(epsilon_g - epsilon_i)), which also inverts in closed form.  One pass over the
 *		weights in double-double, normalised by their sum: no logarithm of a factorial is needed, and no
 *		error grows with k.  Weights below 2^-1900 of the largest are left out: the number of
 *		terms grows like sqrt(k).
 *
 * Method, unequal parameters
 *		A walk over the tree of subsets, largest epsilon first.  A subtree all of whose leaves count is
 *		known in closed form, W (1 - e^(epsilon_g - d)), one none of whose leaves counts is 0, so that the
 *		walk follows the border only.
 *
 * Error bounds
 *		Relative 1e-15 before rounding, and rounded up.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* ---------------------------------------------------------------------------
 * Equal parameters
 * ---------------------------------------------------------------------------
 */

/* The largest weight is near 2^940, so that the sum stays below 2^1000; how much smaller the first may be. */
#define LARGEST_EXPONENT 940
#define LARGEST_GROWTH 1900

/* The sum over the binomial weights, on its way from small l to large. */
typedef struct kov_walk
{
	double epsilon;
	double k;
	double index;  /* l */
	gdp_dd shrink; /* e^-epsilon, the odds of one step */
	gdp_dd E;      /* e^(-2 epsilon) */
	gdp_dd one_minus_E;
	gdp_dd weight; /* w_l */
	gdp_dd total;  /* w_0 + ... + w_l */
	gdp_dd H;      /* as above */
	gdp_dd s;      /* s_l */
} kov_walk;

/* log2(w_l / w_0), good enough to choose where to begin */
static double
log2_weight(double k, double epsilon, double l)
{
	double log = lgamma(k + 1) - lgamma(l + 1) - lgamma(k - l + 1) - l * epsilon;

	return log * 1.4426950408889634;
}

static void
walk_begin(kov_walk *walk, double epsilon, double k)
{
	double mode = fmin(floor((k + 1) / (1 + exp(epsilon))), k),
		   largest = log2_weight(k, epsilon, mode), first = 0, last = mode;
	gdp_dd two_epsilon = gdp_dd_of(2 * epsilon);

	while (last - first > 1 && largest > LARGEST_GROWTH)
	{
		double middle = floor(first + (last - first) / 2);

		if (log2_weight(k, epsilon, middle) < largest - LARGEST_GROWTH)
			first = middle;
		else
			last = middle;
	}
	largest -= log2_weight(k, epsilon, first);
	walk->epsilon = epsilon;
	walk->k = k;
	walk->index = first;
	walk->shrink = gdp_dd_exp(gdp_dd_of(-epsilon));
	walk->E = gdp_dd_exp(gdp_dd_neg(two_epsilon));
	walk->one_minus_E = gdp_dd_neg(gdp_dd_expm1(gdp_dd_neg(two_epsilon)));
	walk->weight = walk->total = walk->H = gdp_dd_of(ldexp(1, LARGEST_EXPONENT - (int) largest));
	walk->s = gdp_dd_of(0);
}

/* From l to l + 1; false when no weight is left that matters for the sum of all. */
static bool
walk_step(kov_walk *walk)
{
	double l = walk->index;
	gdp_dd odds;

	if (l >= walk->k)
		return false;
	odds = gdp_dd_mul(gdp_dd_div(gdp_dd_of(walk->k - l), gdp_dd_of(l + 1)), walk->shrink);
	if (odds.hi < 1 && walk->weight.hi < walk->total.hi * 0x1p-110 * (1 - odds.hi))
		return false;
	walk->s = gdp_dd_add(walk->s, gdp_dd_mul(walk->one_minus_E, walk->H));
	walk->weight = gdp_dd_mul(walk->weight, odds);
	walk->total = gdp_dd_add(walk->total, walk->weight);
	walk->H = gdp_dd_add(gdp_dd_mul(walk->H, walk->E), walk->weight);
	walk->index = l + 1;
	return true;
}

/* The grid point epsilon_l = (k - 2l) epsilon, exactly */
static gdp_dd
grid_epsilon(const kov_walk *walk, double l)
{
	return gdp_dd_two_product(walk->k - 2 * l, walk->epsilon);
}

static gdp_dd
walk_epsilon(const kov_walk *walk)
{
	return grid_epsilon(walk, walk->index);
}

/* s(epsilon_g), the part of delta that epsilon causes, for k epsilon > epsilon_g */
static gdp_dd
kov_sum(double epsilon, double k, double epsilon_g)
{
	kov_walk walk;
	gdp_dd s, down;

	/*
	 * To the last grid point at or above epsilon_g, or to where no further weight matters.  Which one is
	 * asked of the next point itself: from afar, 0 and an epsilon_g next to it look the same.
	 */
	walk_begin(&walk, epsilon, k);
	while (gdp_dd_sub(grid_epsilon(&walk, walk.index + 1), gdp_dd_of(epsilon_g)).hi >= 0 &&
		   walk_step(&walk))
		;
	down = gdp_dd_sub(gdp_dd_of(epsilon_g), walk_epsilon(&walk));
	if (down.hi > 0)
		return gdp_dd_of(0); /* above the first weight that matters */
	s = gdp_dd_sub(walk.s, gdp_dd_mul(walk.H, gdp_dd_expm1(down)));
	while (walk_step(&walk))
		;
	return gdp_dd_div(s, walk.total);
}

/* The least epsilon_g >= 0 with s(epsilon_g) <= target, 0 < target < 1; rounded up */
static double
kov_solve(double epsilon, double k, gdp_dd target)
{
	kov_walk walk, before;
	gdp_dd goal, drop;

	walk_begin(&walk, epsilon, k);
	while (walk_step(&walk))
		;
	goal = gdp_dd_mul(walk.total, target);
	walk_begin(&walk, epsilon, k);
	do
	{
		before = walk;
		if (walk_epsilon(&walk).hi <= 0 || !walk_step(&walk))
			break;
	} while (gdp_dd_sub(goal, walk.s).hi >= 0);

	/* s = s_i - H_i expm1(epsilon_g - epsilon_i) = goal */
	drop = gdp_dd_div(gdp_dd_sub(before.s, goal), before.H);
	if (!(drop.hi > -1))
		return 0;
	drop = gdp_dd_add(walk_epsilon(&before), gdp_dd_log1p(drop));
	return drop.hi > 0 ? gdp_dd_up(drop) : 0;
}

/* 1 - (1 - delta)^k */
static gdp_dd
any_of(double delta, double k)
{
	return gdp_dd_neg(gdp_dd_expm1(gdp_dd_times(gdp_dd_log1p(gdp_dd_of(-delta)), k)));
}

gdp_status
gdp_kov_delta(double epsilon, double delta, double k, double epsilon_g, double *delta_g)
{
	gdp_dd s;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA_OR_ZERO, delta);
	GDP_CHECK(3, COUNT, k);
	GDP_CHECK(4, EPSILON_OR_ZERO, epsilon_g);
	GDP_REQUIRE(k * epsilon <= DBL_MAX, GDP_OUT_OF_RANGE);
	s = any_of(delta, k);
	if (gdp_dd_sub(gdp_dd_two_product(k, epsilon), gdp_dd_of(epsilon_g)).hi > 0)
		s = gdp_dd_add(s, gdp_dd_mul(kov_sum(epsilon, k, epsilon_g), gdp_dd_sub(gdp_dd_of(1), s)));
	else if (delta == 0)
		return gdp_give(0, delta_g);
	return gdp_give(fmin(gdp_dd_up(s), 1), delta_g);
}

/*
 * What delta_g leaves for s, given what the deltas of the parts lose: (delta_g - lost) / (1 - lost).
 * Differences within the rounding error of lost count as none; less than nothing is negative, no more.
 */
static gdp_dd
left_for_sum(double delta_g, gdp_dd lost)
{
	gdp_dd left = gdp_dd_sub(gdp_dd_of(delta_g), lost);

	if (fabs(left.hi) < 0x1p-90 * delta_g)
		return gdp_dd_of(0);
	return left.hi < 0 ? left
					   : gdp_dd_div(left, gdp_dd_sub(gdp_dd_of(1), lost)); /* lost may be 1 */
}

gdp_status
gdp_kov_epsilon(double epsilon, double delta, double k, double delta_g, double *epsilon_g)
{
	gdp_dd target;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA_OR_ZERO, delta);
	GDP_CHECK(3, COUNT, k);
	GDP_CHECK(4, DELTA_OR_ZERO, delta_g);
	GDP_REQUIRE(k * epsilon <= DBL_MAX, GDP_OUT_OF_RANGE);
	target = left_for_sum(delta_g, any_of(delta, k));
	if (target.hi < 0)
		*epsilon_g = HUGE_VAL;
	else if (target.hi == 0 || epsilon == 0)
		*epsilon_g = gdp_dd_up_exact(gdp_dd_two_product(k, epsilon));
	else
		*epsilon_g = kov_solve(epsilon, k, target);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Unequal parameters: the simple bound
 * ---------------------------------------------------------------------------
 */

/* epsilon tanh(epsilon / 2) */
static gdp_dd
drift_of(double epsilon)
{
	gdp_dd shrink = gdp_dd_exp(gdp_dd_of(-epsilon)),
		   rest = gdp_dd_neg(gdp_dd_expm1(gdp_dd_of(-epsilon)));

	return gdp_dd_times(gdp_dd_div(rest, gdp_dd_add(gdp_dd_of(1), shrink)), epsilon);
}

/*
 * drift + sqrt(2 V min(ln(e + sqrt(V) / delta_slack), ln(1 / delta_slack))), sqrt(V) = root * largest;
 * rounded up. NaN where it overflows.
 */
static double
simple_bound(gdp_dd drift, gdp_dd root, double largest, double delta_slack)
{
	gdp_dd by_slack = gdp_dd_neg(gdp_dd_log(gdp_dd_of(delta_slack))), by_count;

	by_count = gdp_dd_add(gdp_dd_times(gdp_dd_exp(gdp_dd_of(1)), delta_slack),
						  gdp_dd_times(root, largest));
	by_count = gdp_dd_add(gdp_dd_log(by_count), by_slack);
	if (by_count.hi < by_slack.hi)
		by_slack = by_count;
	root = gdp_dd_mul(root, gdp_dd_sqrt(gdp_dd_scale(by_slack, 1)));
	return gdp_dd_up(gdp_dd_add(drift, gdp_dd_times(root, largest)));
}

gdp_status
gdp_kov_simple_epsilon(double epsilon, double k, double delta_slack, double *total)
{
	double bound, basic = gdp_dd_up_exact(gdp_dd_two_product(k, epsilon));

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, COUNT, k);
	GDP_CHECK(3, DELTA, delta_slack);
	bound = simple_bound(gdp_dd_times(drift_of(epsilon), k), gdp_dd_sqrt(gdp_dd_of(k)), epsilon,
						 delta_slack);
	return gdp_give(bound < basic ? bound : basic, total);
}

/* 1 - (1 - slack) prod(1 - delta_i) */
static gdp_dd
any_of_all(size_t n, const double *deltas, double slack)
{
	gdp_dd log_kept = gdp_dd_log1p(gdp_dd_of(-slack));

	for (size_t i = 0; i < n; i++)
		log_kept = gdp_dd_add(log_kept, gdp_dd_log1p(gdp_dd_of(-deltas[i])));
	return gdp_dd_neg(gdp_dd_expm1(log_kept));
}

/* The same rounded up, and 0 where nothing is lost. */
static double
any_of_all_up(size_t n, const double *deltas, double slack)
{
	gdp_dd lost = any_of_all(n, deltas, slack);

	return lost.hi > 0 ? fmin(gdp_dd_up(lost), 1) : 0;
}

gdp_status
gdp_kov_total_delta(size_t n, const double *deltas, double delta_slack, double *delta)
{
	GDP_CHECK(2, DELTA_OR_ZERO, delta_slack);
	for (size_t i = 0; i < n; i++)
		GDP_CHECK_EACH(1, DELTA_OR_ZERO, deltas, i);
	return gdp_give(any_of_all_up(n, deltas, delta_slack), delta);
}

gdp_status
gdp_kov_simple(size_t n, const double *epsilons, const double *deltas, double delta_slack,
			   double *epsilon, double *delta)
{
	gdp_dd drift = gdp_dd_of(0), squares = gdp_dd_of(0);
	double largest = 0, basic, bound;
	gdp_status status = gdp_compose_basic(n, epsilons, deltas, &basic, delta);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(3, DELTA, delta_slack);
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, epsilons[i]);
	for (size_t i = 0; i < n && largest > 0; i++)
	{
		gdp_dd relative = gdp_dd_div(gdp_dd_of(epsilons[i]), gdp_dd_of(largest));

		drift = gdp_dd_add(drift, drift_of(epsilons[i]));
		squares = gdp_dd_add(squares, gdp_dd_mul(relative, relative));
	}
	bound = simple_bound(drift, gdp_dd_sqrt(squares), largest, delta_slack);
	*epsilon = bound < basic ? bound : basic;
	*delta = any_of_all_up(n, deltas, bound < basic ? delta_slack : 0);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Unequal parameters: the optimum
 * ---------------------------------------------------------------------------
 */

/* The tree of subsets: what is added (in the subset) or subtracted below each depth. */
typedef struct subsets
{
	int n;
	double epsilon[GDP_HETERO_MAX]; /* largest first */
	double in[GDP_HETERO_MAX];      /* 1 / (1 + e^-epsilon), the odds of being in the subset */
	double out[GDP_HETERO_MAX];
	gdp_dd below[GDP_HETERO_MAX + 1]; /* sum of the epsilons from a depth on */
} subsets;

static void
subsets_init(subsets *all, size_t n, const double *epsilons)
{
	all->n = 0;
	for (size_t i = 0; i < n; i++)
	{
		int at = all->n++;

		for (; at > 0 && all->epsilon[at - 1] < epsilons[i]; at--)
			all->epsilon[at] = all->epsilon[at - 1];
		all->epsilon[at] = epsilons[i];
	}
	all->below[all->n] = gdp_dd_of(0);
	for (int i = all->n - 1; i >= 0; i--)
	{
		double shrink = exp(-all->epsilon[i]);

		all->in[i] = 1 / (1 + shrink);
		all->out[i] = shrink / (1 + shrink);
		all->below[i] = gdp_dd_add(all->below[i + 1], gdp_dd_of(all->epsilon[i]));
	}
}

/*
 * The sum of P(S) (1 - e^(epsilon_g - d(S)))_+ over the subsets S below a node of probability weight and
 * difference d, less than half a unit of 2^-47 wrong.  *slope receives the sum of P(S) e^(epsilon_g -
 * d(S)) over the same S.
 */
static double
subsets_sum(const subsets *all, int depth, double weight, gdp_dd d, double epsilon_g, double *slope)
{
	gdp_dd over = gdp_dd_sub(d, gdp_dd_of(epsilon_g));

	if (gdp_dd_add(over, all->below[depth]).hi <= 0 || weight == 0)
		return 0;
	if (depth == all->n || gdp_dd_sub(over, all->below[depth]).hi >= 0)
	{
		double rest = expm1(-over.hi);

		/* the closed form of a whole subtree: E e^-d over its leaves is e^-d at its root */
		*slope += weight * (1 + rest);
		return -weight * rest;
	}
	return subsets_sum(all, depth + 1, weight * all->in[depth],
					   gdp_dd_add(d, gdp_dd_of(all->epsilon[depth])), epsilon_g, slope) +
		   subsets_sum(all, depth + 1, weight * all->out[depth],
					   gdp_dd_sub(d, gdp_dd_of(all->epsilon[depth])), epsilon_g, slope);
}

/* What subsets_sum may be wrong by, relative. */
#define SUBSETS_MARGIN 0x1p-46

static gdp_status
hetero_check(size_t n, const double *epsilons, const double *deltas)
{
	double epsilon, delta;

	GDP_REQUIRE(n >= 1 && n <= GDP_HETERO_MAX, gdp_blame(GDP_BAD_PART_COUNT, 1));
	return gdp_compose_basic(n, epsilons, deltas, &epsilon, &delta);
}

gdp_status
gdp_kov_hetero_delta(size_t n, const double *epsilons, const double *deltas, double epsilon_g,
					 double *delta_g)
{
	subsets all;
	double s, slope = 0;
	gdp_dd lost;
	gdp_status status = hetero_check(n, epsilons, deltas);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon_g);
	subsets_init(&all, n, epsilons);
	s = subsets_sum(&all, 0, 1, gdp_dd_of(0), epsilon_g, &slope);
	if (s > 0)
		s = nextafter(s + s * SUBSETS_MARGIN, 1);
	lost = any_of_all(n, deltas, 0);
	lost = gdp_dd_add(lost, gdp_dd_times(gdp_dd_sub(gdp_dd_of(1), lost), s));
	return gdp_give(lost.hi > 0 ? fmin(gdp_dd_up(lost), 1) : 0, delta_g);
}

gdp_status
gdp_kov_hetero_epsilon(size_t n, const double *epsilons, const double *deltas, double delta_g,
					   double *epsilon_g)
{
	subsets all;
	double low = 0, high, target;
	gdp_dd left;
	gdp_status status = hetero_check(n, epsilons, deltas);

	if (status != GDP_OK)
		return status;
	GDP_CHECK(3, DELTA_OR_ZERO, delta_g);
	subsets_init(&all, n, epsilons);
	left = left_for_sum(delta_g, any_of_all(n, deltas, 0));
	high = left.hi < 0 ? HUGE_VAL : gdp_dd_up_exact(all.below[0]);
	target = left.hi > 0 ? gdp_dd_down(left) : 0;

	/*
	 * s is convex in e^epsilon: Newton's step from the left never passes the root.  It is tried first,
	 * with a hair added; the middle bounds the number of steps.
	 */
	for (double x = low; target > 0 && high - low > high * 0x1p-45;)
	{
		double slope = 0, s = subsets_sum(&all, 0, 1, gdp_dd_of(0), x, &slope), newton;

		s += s * SUBSETS_MARGIN;
		if (s <= target)
		{
			high = x;
			x = low + 0.5 * (high - low);
			continue;
		}
		low = x;
		newton = low + log1p((s - target) / slope) * (1 + 0x1p-40);
		x = newton < low + 0.5 * (high - low) ? nextafter(newton, high) : low + 0.5 * (high - low);
		if (!(x > low && x < high))
			break;
	}
	*epsilon_g = high;
	return GDP_OK;
}
