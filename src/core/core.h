/*
 * core.h
 *		The face of the core, which every answer rests on: types, statuses, functions, units.
 *
 * Plain C11 without any PostgreSQL header: builds and is tested with cc alone.  Nothing in the
 * core allocates, logs or jumps; a function that can be called wrongly returns a gdp_status and
 * writes its result through a pointer only when that status is GDP_OK.
 *
 * Units and rounding
 *		epsilon >= 0 and mu > 0 are privacy parameters without unit, 0 < delta < 1 a probability.
 *		l2_sensitivity and sigma share the unit of the released value.
 *		Only mu = l2_sensitivity / sigma matters for privacy.
 *		What is spent (sigma, epsilon, delta, mu spent, rho) is rounded up, what may be spent (mu of
 *		a budget) down; each function says which way it rounds.  NaN fails closed: comparisons are
 *		written !(x <= limit).
 *
 * Files.  The core is small enough to be reviewed in a day, and calls nothing of the library above it (gdp/).
 *		arithmetic.h			stops a build whose doubles are not those of IEEE 754
 *		status.c, domain.h		what can be wrong, in words; what an argument may be
 *		dd.c, dd.h				arithmetic in pairs of doubles, where one does not hold enough digits
 *		normal.c				tails and quantiles of the normal law, in log space
 *		place.c, place.h		a point on the privacy profile of a Gaussian mechanism
 *		root.h					the search for a root
 *		profile.c, nearzero.c	delta(epsilon), its two inverses, and the least sigma
 *		grid.c, grid.h			the grid of a release, the padding of sigma, and values as integers
 *		bins.c					edges of bins of equal width
 *		prefix.c				numbers of rows below the edges of bins
 *		leaves.c, search.c, several.c, search.h	the leaves of quantiles, and the search for one, or for several
 *		dgauss.c				the discrete Gaussian, from random bits by integer arithmetic alone
 *		weight.c				sizes of rows and weights of people, in exact integers
 *		limit.c					as how many rows a person should count, from a noisy histogram
 *		budget.c				costs and limits as integers
 */
#ifndef GAUSSDP_CORE_CORE_H
#define GAUSSDP_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic.h"

/* ---------------------------------------------------------------------------
 * Statuses
 * ---------------------------------------------------------------------------
 * A status is a code, with the argument that it blames if it blames one.  gdp_status_range() gives the
 * range that the argument must be in, in words.
 */
typedef int gdp_status;

enum
{
	GDP_OK = 0,
	GDP_BAD_EPSILON,         /* epsilon must be finite and greater than 0 */
	GDP_BAD_EPSILON_OR_ZERO, /* epsilon must be finite and at least 0 */
	GDP_BAD_DELTA_HALF,      /* delta must be greater than 0 and less than 1/2 */
	GDP_BAD_ERFC,            /* must be greater than 0 and less than 2 */
	GDP_BAD_NUMBER,          /* must be finite */
	GDP_BAD_PROBABILITY,     /* must be at least 0 and at most 1 */
	GDP_BAD_DELTA,           /* delta must be greater than 0 and less than 1 */
	GDP_BAD_SENSITIVITY,     /* l2_sensitivity must be finite and greater than 0 */
	GDP_BAD_SIGMA,           /* sigma must be finite and greater than 0 */
	GDP_BAD_MU,              /* mu must be finite and greater than 0 */
	GDP_BAD_MU_OR_ZERO,      /* mu must be finite and at least 0 */
	GDP_BAD_DELTA_OR_ZERO,   /* delta must be at least 0 and less than 1 */
	GDP_BAD_EPSILON_HAT,     /* epsilon_hat must be finite and greater than epsilon */
	GDP_BAD_DELTA_HAT,       /* delta_hat must be greater than delta and at most 1 */
	GDP_BAD_COUNT,           /* a count must be a whole number from 1 to GDP_MAX_COUNT */
	GDP_BAD_PART_COUNT,      /* there must be 1 to GDP_HETERO_MAX unequal parts */
	GDP_BAD_ORDER,           /* a Renyi order must be finite and greater than 1 */
	GDP_BAD_POSITIVE,        /* any other quantity that must be finite and greater than 0 */
	GDP_BAD_FRACTION,        /* a sampling rate must be greater than 0 and at most 1 */
	GDP_BAD_SHARE,           /* a share or confidence must be greater than 0 and less than 1 */
	GDP_BAD_BOUNDS,          /* an upper bound must be finite and greater than the lower */
	GDP_BAD_NOT_NEGATIVE,    /* any other quantity that must be finite and at least 0 */
	GDP_BAD_EPSILON_HAT_GAP, /* epsilon_hat must be greater than epsilon - ln(1 - delta) */
	GDP_BAD_EPSILON_BELOW,   /* epsilon must be finite and at least epsilon0 */
	GDP_BAD_AVERAGE,         /* average must be within the bounds */
	GDP_GAP_TOO_SMALL,       /* a head cannot be measured that finely in double precision */
	GDP_BAD_CHOICE,          /* which must be one of the numbers listed */
	GDP_BAD_PROFILE,         /* a profile's points must ascend in epsilon and not in delta */
	GDP_BAD_LAW,             /* a density's points must ascend in x from 0 and be convex */
	GDP_TOO_MANY_STEPS,      /* a head measurement needs more than GDP_HEAD_MAX_STEPS steps */
	GDP_OUT_OF_DOMAIN,       /* the mechanism's guarantee does not cover these parameters */
	GDP_OUT_OF_RANGE,        /* legal, but no double or no grid can hold the result */
	GDP_NO_ENTROPY           /* the random source failed: nothing may be released */
};

/* Bits of a status: the code, then the argument, then the element. */
#define GDP_STATUS_CODE_BITS 6
#define GDP_STATUS_ARGUMENT_BITS 4
#define GDP_STATUS_ELEMENT_MAX 0x1FFFFF

static inline gdp_status
gdp_status_code(gdp_status status)
{
	return status & ((1 << GDP_STATUS_CODE_BITS) - 1);
}

/*
 * Which argument of the function is to blame, from 1, or 0.  Arguments that are numbers or arrays of
 * numbers are counted; counts of elements, choices, switches and results are not.
 */
static inline int
gdp_status_argument(gdp_status status)
{
	return (status >> GDP_STATUS_CODE_BITS) & ((1 << GDP_STATUS_ARGUMENT_BITS) - 1);
}

/* Which element of an array, from 0; the last that can be told where it is farther on. */
static inline size_t
gdp_status_element(gdp_status status)
{
	return (size_t) (status >> (GDP_STATUS_CODE_BITS + GDP_STATUS_ARGUMENT_BITS));
}

/* A status that blames an argument, and an element of it. */
static inline gdp_status
gdp_blame_element(gdp_status code, int argument, size_t element)
{
	int at = element < GDP_STATUS_ELEMENT_MAX ? (int) element : GDP_STATUS_ELEMENT_MAX;

	return code | argument << GDP_STATUS_CODE_BITS |
		   at << (GDP_STATUS_CODE_BITS + GDP_STATUS_ARGUMENT_BITS);
}

static inline gdp_status
gdp_blame(gdp_status code, int argument)
{
	return gdp_blame_element(code, argument, 0);
}

#define GDP_MAX_COUNT 1e9 /* of queries, rows, dimensions */

/* The allowed range in words, e.g. "greater than 0 and less than 1"; never NULL. */
extern const char *gdp_status_range(gdp_status status);

/* ---------------------------------------------------------------------------
 * The normal law, in log space (normal.c)
 * ---------------------------------------------------------------------------
 * Nearest values, relative error 2e-15 also in the far tails; not rounded to a side.  NaN where the
 * argument is NaN or outside the domain of an inverse.  Never form 1 - delta to use these: each
 * quantile takes its tail as it is, or the logarithm of it.
 */

/* The same with a status: the argument out of its domain, or the result out of the range of double. */
typedef enum gdp_normal_function
{
	GDP_ERFCX,
	GDP_ERFC_INV,
	GDP_NORM_CDF,
	GDP_NORM_SF,
	GDP_NORM_LOG_SF,
	GDP_NORM_QUANTILE
} gdp_normal_function;

extern gdp_status gdp_normal(gdp_normal_function function, double x, double *result);

/* e^(x^2) erfc(x); infinite below -26.7. */
extern double gdp_erfcx(double x);

/* Phi(x), 1 - Phi(x) and ln(1 - Phi(x)). ln Phi(x) is gdp_norm_log_sf(-x). */
extern double gdp_norm_cdf(double x);
extern double gdp_norm_sf(double x);
extern double gdp_norm_log_sf(double x);

/* The z with Phi(z) = p; with 1 - Phi(z) = q; with 1 - Phi(z) = e^ln_q. */
extern double gdp_norm_quantile(double p);
extern double gdp_norm_upper_quantile(double q);
extern double gdp_norm_upper_quantile_log(double ln_q);

/* The x with erf(x) = w; with erfc(x) = y, 0 <= y <= 2; with erfc(x) = e^ln_y, ln_y <= ln 2. */
extern double gdp_erf_inv(double w);
extern double gdp_erfc_inv(double y);
extern double gdp_erfc_inv_log(double ln_y);

/* ---------------------------------------------------------------------------
 * Privacy profile of the Gaussian mechanism and its inverses (profile.c)
 * ---------------------------------------------------------------------------
 * Theorem 8, Balle and Wang 2018; see docs/mathematics.md.
 */

/* delta(epsilon) of mu-GDP, rounded up. epsilon >= 0, mu > 0. */
extern gdp_status gdp_profile_delta(double mu, double epsilon, double *delta);

/* The smallest epsilon such that mu-GDP is (epsilon, delta)-DP, rounded up; 0 where delta alone suffices. */
extern gdp_status gdp_profile_epsilon(double mu, double delta, double *epsilon);

/* The largest mu such that mu-GDP is (epsilon, delta)-DP, rounded down. epsilon >= 0, 0 < delta < 1. */
extern gdp_status gdp_profile_mu(double epsilon, double delta, double *mu);

/* The same for a given sigma, without a rounded quotient in between; both rounded up. */
extern gdp_status gdp_sigma_delta(double sigma, double epsilon, double l2_sensitivity,
								  double *delta);
extern gdp_status gdp_sigma_epsilon(double sigma, double delta, double l2_sensitivity,
									double *epsilon);

/* The least sigma that makes the Gaussian mechanism (epsilon, delta)-DP, rounded up. */
extern gdp_status gdp_optimal_sigma(double epsilon, double delta, double l2_sensitivity,
									double *sigma);

/*
 * Nearest values of the profile, not rounded to a side, for those who compute on with them:
 * ln delta, ln(1 - delta), and both tails at once.  epsilon >= 0 and mu > 0, unchecked.
 */
extern double gdp_profile_log_delta(double mu, double epsilon);
extern double gdp_profile_log_rest(double mu, double epsilon);
extern void gdp_profile_tails(double mu, double epsilon, double *delta, double *rest);

/* Two of them with a status. */
extern gdp_status gdp_profile_log_delta_checked(double mu, double epsilon, double *ln_delta);
extern gdp_status gdp_profile_rest_checked(double mu, double epsilon, double *rest);

/* ---------------------------------------------------------------------------
 * Budgets in integers (budget.c)
 * ---------------------------------------------------------------------------
 * What is spent is a sum of mu^2 in units of 2^-52 and a sum of threshold deltas in units of 10^-18, so
 * that no charge is too small to count and the order of charges does not matter.  Costs are rounded
 * up, limits down; a delta that is a decimal of up to 18 places, as people type them, is exact in both.
 * 63 bits hold a mu^2 below 2048 and nine deltas; more is GDP_OUT_OF_RANGE.
 */

/* The cost (l2_sensitivity / sigma)^2, rounded up by less than 1 unit + 2^-51 of itself; at least 1. */
extern gdp_status gdp_mu2_cost(double l2_sensitivity, double sigma, int64_t *mu2);

/* The same for a mu^2 > 0 that has been rounded up already; exact but for the last unit. */
extern gdp_status gdp_mu2_units(double mu_squared, int64_t *mu2);

/* The limit mu^2, rounded down; mu > 0. */
extern gdp_status gdp_mu2_limit(double mu, int64_t *mu2);

/* The delta of a group threshold as a cost, rounded up, and as a limit, rounded down; 0 <= delta < 1. */
extern gdp_status gdp_delta_cost(double delta, int64_t *units);
extern gdp_status gdp_delta_limit(double delta, int64_t *units);

/* The double nearest to so many units, which costs that many again while they are below 2^53. */
extern double gdp_delta_of(int64_t units);

/* The part of a limit in delta that mu2 is of limit_mu2 > 0, rounded down; all of it from there on. */
extern int64_t gdp_delta_part(int64_t units, int64_t mu2, int64_t limit_mu2);

/* a + b of amounts >= 0; INT64_MAX where it is more, which no limit lets pass. */
extern int64_t gdp_spent_add(int64_t a, int64_t b);

/* mu of an amount of mu^2 >= 0: rounded up for what is spent, down for what is left. */
extern double gdp_mu2_mu_up(int64_t mu2);
extern double gdp_mu2_mu_down(int64_t mu2);

/* ---------------------------------------------------------------------------
 * Grid, exact sums and noise parameters (grid.c; per-row functions inline in grid.h)
 * ---------------------------------------------------------------------------
 * A release lives on a grid of step 2^exponent: values are put on it one by one, summed as
 * integers, and the noise is an integer too, so that nothing of the arithmetic depends on the data.
 */

/* 128-bit sums, aligned like int64_t so that states stay small. */
__extension__ typedef __int128 gdp_int128 __attribute__((aligned(8)));

/* No value is further from 0 than this many grid steps, which doubles and int64_t hold exactly. */
#define GDP_GRID_POINT_MAX (INT64_C(1) << 51)

/* The standard deviation of the noise in grid steps lies in [2^30, 2^41). */
#define GDP_SIGMA_INT_MIN (INT64_C(1) << 30)
#define GDP_SIGMA_INT_LIMIT (INT64_C(1) << 41)

/* Noise of one coordinate of a release. */
typedef struct gdp_noise
{
	double sigma;      /* standard deviation, in the unit of the value: sigma_int * 2^exponent */
	int64_t sigma_int; /* standard deviation in grid steps */
	int exponent;      /* grid step is 2^exponent, -1022 <= exponent <= 1000 */
} gdp_noise;

/*
 * Noise for a single release with the given L2 sensitivity that is (epsilon, delta)-DP: calibrates,
 * chooses the grid by the rule of docs/mathematics.md (largest power of two with sigma at least 2^30
 * steps and the sensitivity at least 2^10; at most 2^max_exponent) and pads sigma_int so that the
 * discrete mechanism has at least the privacy of the continuous one.  epsilon > 0.  GDP_OUT_OF_RANGE
 * where no such grid exists.
 */
extern gdp_status gdp_noise_calibrate(double epsilon, double delta, double l2_sensitivity,
									  int max_exponent, gdp_noise *noise);

/*
 * Noise for one coordinate of a joint release of mu_total-GDP in all, given the coordinate's continuous sigma
 * and its own L2 sensitivity (what one unit can move it by); padded by the GDP form of the bound, taken
 * at mu_total, so that the composition over coordinates is at most mu_total.  The coordinate may be a
 * vector.  GDP_OUT_OF_RANGE where the bound is not proven: mu_total above about 17.
 */
extern gdp_status gdp_noise_coordinate(double mu_total, double sigma, double l2_sensitivity,
									   int max_exponent, gdp_noise *noise);

/* One coordinate, or one vector with a common sigma, of a joint release. */
typedef struct gdp_coordinate
{
	double l2_sensitivity; /* what one unit can move it by */
	double share;          /* of mu^2; the shares of a release sum to at most 1 */
	int max_exponent;
} gdp_coordinate;

/*
 * The mu of a joint release on grids that is (epsilon, delta)-DP, rounded down: gdp_profile_mu up to
 * 13; above, the mu that zero-concentrated privacy proves (rho = mu^2/2 holds exactly for discrete
 * Gaussian vectors, Canonne, Kamath and Steinke 2020), a few per cent less.  *by_gdp says which.
 */
extern gdp_status gdp_joint_mu(double epsilon, double delta, double *mu, bool *by_gdp);

/*
 * Noise for all coordinates of a joint release that is (epsilon, delta)-DP: coordinate i has
 * sigma_i = l2_sensitivity_i / (mu sqrt(share_i)) with mu from gdp_joint_mu, on its own grid, padded as
 * that mu's proof needs.  Nothing is written unless all of them can be had.
 */
extern gdp_status gdp_noise_joint(double epsilon, double delta, int n,
								  const gdp_coordinate *coordinates, gdp_noise *noise);

/*
 * A bound in grid steps, rounded toward zero (a bound on the absolute value never grows by it).
 * GDP_OUT_OF_RANGE if it is NaN, infinite or more than GDP_GRID_POINT_MAX steps from 0.
 */
extern gdp_status gdp_grid_bound(double bound, int exponent, int64_t *point);

/*
 * n bins of equal width between finite bounds, lower < upper; the bounds are the shortest decimals that read as these
 * doubles, for the edges to be where arithmetic of decimals has them (bins.c).
 */
typedef struct gdp_bins
{
	double lower;
	double upper;
	double n;
	double first[2]; /* the bounds as whole numbers of one power of ten, pairs of doubles (dd.h) */
	double last[2];
	double factor[2];  /* that power, where it is above 1 */
	double divisor[2]; /* n, or n over that power where it is below 1 */
	int exponent;      /* of bounds that are no such numbers: they are divided by 2^exponent */
} gdp_bins;

extern void gdp_bins_between(double lower, double upper, double n, gdp_bins *bins);

/* Where the i-th bin begins, 0 <= i <= n: the double nearest to lower + (upper - lower) i/n. */
extern double gdp_bin_edge(const gdp_bins *bins, double i);

/* ---------------------------------------------------------------------------
 * Prefix sums of bins (prefix.c)
 * ---------------------------------------------------------------------------
 */
#define GDP_MAX_PREFIXES 4096

/* The most that a bin may have; the products below have room for it. */
#define GDP_PREFIX_MOST ((gdp_int128) 1 << 79)

typedef struct gdp_prefix
{
	int n;
	double *coefficient;
	double *scale; /* of columns, times 2^20 */
} gdp_prefix;

/* For n bins, 1 <= n <= GDP_MAX_PREFIXES; work has room for 2 n numbers and lives as long as prefix. */
extern void gdp_prefix_begin(gdp_prefix *prefix, int n, double *work);

/*
 * What is released in the place of numbers of rows, or parts of rows, 0 <= x <= GDP_PREFIX_MOST: y, in units of 2^-20 of theirs, below
 * 2^33 times the largest of them.  One of them moves it by at most 2^20 in 2-norm, so r by at most r times that.
 */
extern void gdp_prefix_multiply(const gdp_prefix *prefix, const gdp_int128 *x, gdp_int128 *y);

/* From y, noisy and in rows, to the numbers of rows up to the end of each bin, in place; nearest. */
extern void gdp_prefix_solve(const gdp_prefix *prefix, double *y);

/*
 * The standard deviation of the number of rows in bins first .. last, 0 <= first <= last < n, where that of each y is 1;
 * nearest.  work has room for n numbers.
 */
extern double gdp_prefix_spread(const gdp_prefix *prefix, int first, int last, double *work);

/* At least that of any number that gdp_prefix_solve gives, of n bins; 1 + ln(n)/pi, about (test/unit/prefix.c). */
extern double gdp_prefix_worst(int n);

/* total * 2^exponent, rounded once to the nearest double (ties to even); +-DBL_MAX where it overflows. */
extern double gdp_grid_value(gdp_int128 total, int exponent);

/* ---------------------------------------------------------------------------
 * Sizes and weights (weight.c; gdp_weigh inline in grid.h)
 * ---------------------------------------------------------------------------
 * A row's size says what part of the most that a row may add it adds, in units of 2^-20, rounded up.  A
 * person's weight, in units of 2^-31, is what part of each of their rows counts, rounded down.
 */
#define GDP_SIZE_ROW (INT64_C(1) << 20)
#define GDP_WEIGHT_ROW (INT64_C(1) << 31)

/* A person's squares above this weigh nothing: that of 2^31 whole rows in one group. */
#define GDP_SQUARES_MAX ((gdp_int128) 1 << 102)

/* That of a vector by the square of its length: 0 <= square <= bound^2, 0 < bound <= GDP_GRID_POINT_MAX. */
extern int64_t gdp_size_of_vector(gdp_int128 square, int64_t bound);

/* a + b of sizes >= 0, at most INT64_MAX. */
extern int64_t gdp_size_add(int64_t a, int64_t b);

/*
 * n2 + size * size_sum, at most GDP_SQUARES_MAX + 1; none of them negative, n2 as this function left it.  Over the
 * rows of a person, size_sum being the sum of the sizes of their rows in the row's group, that is the
 * sum of its squares over the groups.
 */
extern gdp_int128 gdp_squares_add(gdp_int128 n2, int64_t size, int64_t size_sum);

/*
 * The greatest m <= 2^31 with m^2 n2 <= 2^62 k^2: the weight of a person with these squares at a sensitivity
 * of k / 2^20 rows.  0 where n2 is 0, for then no row counts, where it is above GDP_SQUARES_MAX, and
 * where k <= 0.  |k| <= 2^63 - 1.
 */
extern int64_t gdp_person_weight(gdp_int128 n2, int64_t k);

/*
 * Of calls whose coordinates are clipped together: ceil(2^20 |sum| / bound), at most INT64_MAX, is the size of what a person has in one
 * group in one coordinate, of which a row adds at most bound > 0; and n2 + ceil(sum of q_i s_i^2 / 4), at most GDP_SQUARES_MAX + 1, are the
 * squares with one group more, of n coordinates with sizes s_i and shares q_i / 4 of mu^2, 1 <= q_i <= 4.  n2 as this function left it.
 */
extern int64_t gdp_size_of_sum(gdp_int128 sum, int64_t bound);
extern gdp_int128 gdp_squares_add_joint(gdp_int128 n2, int n, const int64_t *sizes,
										const int *quarters);

/* ---------------------------------------------------------------------------
 * As how many rows a person should count (limit.c)
 * ---------------------------------------------------------------------------
 * People are in bins by the root of their squares, in rows: up to 2^-10, up to 2^-9, ..., 1, 2, ..., and what is larger in the last one.
 * Only who is measured by values has less than one row.
 */
#define GDP_LIMIT_BINS 31
#define GDP_LIMIT_OF_ONE 10

/* The bin of a person with these squares: the least one whose limit cuts nothing of theirs, or the last one. */
extern int gdp_limit_bin(gdp_int128 n2);

/* That limit, in rows. */
extern double gdp_limit_rows(int bin);

typedef struct gdp_limit
{
	int bin; /* gdp_limit_rows() of it; that of one row where nobody stands out of the noise */
	bool is_found; /* does anybody? */
	double cut;    /* what part of all that people have it cuts off, about */
	double
		most; /* and with 95 % confidence at most, if nobody has 16 times as much as those who stand out */
} gdp_limit;

/* In which bins people may be: least is that of one row, which all there have, or the first where they are measured by values. */
typedef struct gdp_limit_range
{
	int least;
	int largest;  /* that may be chosen */
	int possible; /* that anybody may be in */
} gdp_limit_range;

/*
 * The limit k with the least error for numbers of so many groups whose noise is k/mu, by counts of people that have noise of this standard
 * deviation.
 */
extern gdp_limit gdp_limit_choose(const double *counts, double sigma, double groups, double mu,
								  gdp_limit_range range);

/* What a limit of k rows that was given cuts off, by the same counts; bin says nothing. */
extern gdp_limit gdp_limit_given(const double *counts, double sigma, double k,
								 gdp_limit_range range);

/* ---------------------------------------------------------------------------
 * Discrete Gaussian from random bits (dgauss.c)
 * ---------------------------------------------------------------------------
 */

#define GDP_ENTROPY_WORDS 1024

/*
 * A source of random bits with a buffer of 4 kB, which the sampler reads from the end; words are
 * zeroed as they are used.  fill writes len random bytes to out or returns false.  Starts, and is
 * wiped, by gdp_entropy_wipe.
 */
typedef struct gdp_entropy
{
	bool (*fill)(void *context, void *out, size_t len);
	void *context;
	bool failed;   /* fill returned false, or what it gives cannot be random; set until wiped */
	uint32_t left; /* unused words, words[0 .. left) */
	uint32_t words[GDP_ENTROPY_WORDS];
} gdp_entropy;

/* Forgets the buffered bits, so that the next draw begins with fresh ones. */
extern void gdp_entropy_wipe(gdp_entropy *entropy);

/*
 * Draws from the discrete Gaussian N_Z(0, sigma_int^2), exactly: P(x) proportional to
 * exp(-x^2 / (2 sigma_int^2)).  Integer arithmetic decides every outcome.  1 <= sigma_int < 2^41.
 * GDP_BAD_SIGMA or GDP_NO_ENTROPY leave *noise alone.
 */
extern gdp_status gdp_dgauss_sample(gdp_entropy *entropy, int64_t sigma_int, int64_t *noise);

#endif /* GAUSSDP_CORE_CORE_H */
