/*
 * gdp.h
 *		The whole face of the core: types, statuses, functions, units.
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
 */
#ifndef GAUSSDP_CORE_GDP_H
#define GAUSSDP_CORE_GDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------------------
 * Statuses
 * ---------------------------------------------------------------------------
 * Each names the argument that is at fault; gdp_status_range() gives its allowed range in words.
 */
typedef enum gdp_status
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
	GDP_BAD_BOUNDS,          /* bounds must be finite, the lower below the upper */
	GDP_BAD_NOT_NEGATIVE,    /* any other quantity that must be finite and at least 0 */
	GDP_BAD_EPSILON_HAT_GAP, /* epsilon_hat must be greater than epsilon - ln(1 - delta) */
	GDP_BAD_EPSILON_BELOW,   /* epsilon must be finite and at least epsilon0 */
	GDP_BAD_AVERAGE,         /* average must be within the bounds */
	GDP_GAP_TOO_SMALL,       /* a head cannot be measured that finely in double precision */
	GDP_BAD_CHOICE,          /* which must be one of the numbers listed */
	GDP_BAD_PROFILE,         /* a profile's points must ascend in epsilon and not in delta */
	GDP_TOO_MANY_STEPS,      /* a head measurement needs more than GDP_HEAD_MAX_STEPS steps */
	GDP_OUT_OF_DOMAIN,       /* the mechanism's guarantee does not cover these parameters */
	GDP_OUT_OF_RANGE,        /* legal, but no double or no grid can hold the result */
	GDP_NO_ENTROPY           /* the random source failed: nothing may be released */
} gdp_status;

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

/*
 * Nearest values of the profile, not rounded to a side, for those who compute on with them:
 * ln delta, ln(1 - delta), and both tails at once.  epsilon >= 0 and mu > 0, unchecked.
 */
extern double gdp_profile_log_delta(double mu, double epsilon);
extern double gdp_profile_log_rest(double mu, double epsilon);
extern void gdp_profile_tails(double mu, double epsilon, double *delta, double *rest);

/* Two of them with a status, and with the arguments in the order of their SQL functions. */
extern gdp_status gdp_profile_log_delta_checked(double epsilon, double mu, double *ln_delta);
extern gdp_status gdp_profile_rest_checked(double epsilon, double mu, double *rest);

/* ---------------------------------------------------------------------------
 * Probabilistic differential privacy (pdp.c)
 * ---------------------------------------------------------------------------
 */

/* What a mechanism promises: (epsilon, delta)-DP, or the stronger bound on the privacy loss itself. */
typedef enum gdp_guarantee
{
	GDP_DP,
	GDP_PDP_ONE_TAILED, /* P(loss > epsilon) <= delta; Guingona et al., Definition 2.2 */
	GDP_PDP_TWO_TAILED  /* P(|loss| > epsilon) <= delta; Zhao et al., Definition 2 */
} gdp_guarantee;

/* As gdp_profile_delta and gdp_profile_epsilon, for any of the guarantees; rounded up. */
extern gdp_status gdp_pdp_delta(gdp_guarantee kind, double mu, double epsilon, double *delta);
extern gdp_status gdp_pdp_epsilon(gdp_guarantee kind, double mu, double delta, double *epsilon);

/* The largest mu that is two-tailed (epsilon, delta)-pDP, nearest. epsilon > 0, unchecked. */
extern double gdp_pdp_two_tailed_mu(double epsilon, double delta);

/* The same as d = (epsilon/mu - mu/2)/sqrt2: erfc(d) + erfc(sqrt(d^2 + epsilon)) = 2 delta; nearest. */
extern gdp_status gdp_pdp_d(double epsilon, double delta, double *d);

/*
 * What a given sigma reaches under a guarantee, both rounded up: the least delta for epsilon and the
 * least epsilon for delta.
 */
extern gdp_status gdp_sigma_reached(gdp_guarantee kind, double sigma, double epsilon, double delta,
									double l2_sensitivity, double *epsilon_reached,
									double *delta_reached);

/* ---------------------------------------------------------------------------
 * The catalogue of mechanisms (mechanism.c)
 * ---------------------------------------------------------------------------
 */

/* The least sigma that makes the Gaussian mechanism (epsilon, delta)-DP, rounded up. */
extern gdp_status gdp_optimal_sigma(double epsilon, double delta, double l2_sensitivity,
									double *sigma);

typedef struct gdp_mechanism
{
	const char *name;
	gdp_guarantee guarantee;
	const char *domain;                           /* in words */
	bool at_zero;                                 /* covers epsilon = 0? */
	double (*mu)(double epsilon, double delta);   /* the formula; NaN where it has no value */
	bool (*proven)(double epsilon, double delta); /* does its proof cover these? */
	const char *source;
} gdp_mechanism;

#define GDP_MECHANISMS 16
extern const gdp_mechanism gdp_mechanisms[GDP_MECHANISMS];

/* The mechanism of that name; NULL where there is none. */
extern const gdp_mechanism *gdp_mechanism_find(const char *name);

/*
 * sigma of a mechanism, rounded up.  GDP_OUT_OF_DOMAIN where the formula has no value, and where it
 * has one that is neither proven nor, measured by the exact profile, keeps its guarantee.
 */
extern gdp_status gdp_mechanism_sigma(const gdp_mechanism *mechanism, double epsilon, double delta,
									  double l2_sensitivity, double *sigma);

/* What a mechanism's sigma really is worth, by its own guarantee. */
typedef struct gdp_measure
{
	double sigma;   /* rounded up */
	double ratio;   /* sigma over the optimal one for (epsilon, delta)-DP */
	double epsilon; /* the least for the delta asked for, and the other way round; rounded up */
	double delta;
	bool valid; /* does the guarantee hold? */
} gdp_measure;

/* The same without judging: GDP_OUT_OF_DOMAIN only where the formula has no value. */
extern gdp_status gdp_mechanism_measure(const gdp_mechanism *mechanism, double epsilon,
										double delta, double l2_sensitivity, gdp_measure *measure);

/* b of Mechanism 1, nearest. */
extern gdp_status gdp_mechanism1_b(double epsilon, double delta, double *b);

/* sqrt(2 ln(1.25/delta)) and -ln(4 delta (1 - delta)), nearest. 0 < delta < 1, unchecked. */
extern double gdp_dwork2014_factor(double delta);
extern double gdp_vinterbo_z(double delta);

/* ---------------------------------------------------------------------------
 * Limits of the Gaussian mechanism (bounds.c)
 * ---------------------------------------------------------------------------
 */

/*
 * The largest epsilon at which a classical sigma, sqrt(2 ln(c/delta)) l2_sensitivity / epsilon with c = 2
 * or 1.25, still is (epsilon, delta)-DP, or two-tailed pDP; rounded down.
 */
typedef enum gdp_classic
{
	GDP_DWORK2006,
	GDP_DWORK2014
} gdp_classic;

extern gdp_status gdp_dwork_threshold(gdp_classic formula, gdp_guarantee kind, double delta,
									  double *epsilon);

/*
 * Zhao et al.: the epsilon with erfcx(sqrt epsilon) = 1 - 2 delta, where the optimal noise passes
 * mu^2 = 2 epsilon (delta < 1/2), and that with erfcx(sqrt epsilon) = 1 - delta; nearest.
 */
extern gdp_status gdp_epsilon_star(double delta, double *epsilon);
extern gdp_status gdp_epsilon_hash(double delta, double *epsilon);

/* Bounds of the optimal sigma from below, rounded down; their domains stand in bounds.c. */
extern gdp_status gdp_lower_sigma_theorem2(double epsilon, double l2_sensitivity, double *sigma);
extern gdp_status gdp_lower_sigma_lemma10a(double epsilon, double delta, double l2_sensitivity,
										   double *sigma);
extern gdp_status gdp_lower_sigma_lemma10b(double epsilon, double delta, double l2_sensitivity,
										   double *sigma);

/* a = (epsilon/mu - mu/2)/sqrt2 of the optimal mu, nearest. */
extern gdp_status gdp_profile_a(double epsilon, double delta, double *a);

/* The least error of the second kind of a test of level alpha against mu-GDP; rounded down. */
extern gdp_status gdp_tradeoff_beta(double alpha, double mu, double *beta);

/* d mu / d epsilon and d mu / d delta of gdp_profile_mu, at the place of (epsilon, mu); nearest. */
extern gdp_status gdp_mu_slope_epsilon(double epsilon, double mu, double *slope);
extern gdp_status gdp_mu_slope_delta(double epsilon, double mu, double *slope);

/*
 * Vinterbo's diagnostics of dwork2014, nearest: the slack of its proof, the slack of its delta, and its
 * sigma over that of (9), with the limits of that ratio over 0 < epsilon < 1 (delta < 1/2).
 */
extern gdp_status gdp_vinterbo_g(double epsilon, double delta, double *g);
extern gdp_status gdp_vinterbo_d(double epsilon, double delta, double *d);
extern gdp_status gdp_vinterbo_ratio(double epsilon, double delta, double *ratio);
extern gdp_status gdp_vinterbo_rho_plus(double delta, double *rho);
extern gdp_status gdp_vinterbo_rho_minus(double delta, double *rho);

/* An upper bound of the normal quantile of p, rounded up (Vinterbo 2022, Lemma 4). */
extern gdp_status gdp_quantile_bound(double p, double *z);

/* ---------------------------------------------------------------------------
 * Composition (compose.c, kov.c)
 * ---------------------------------------------------------------------------
 * Adaptive composition, except where it says otherwise.  Counts are doubles that hold a whole number.
 */

#define GDP_MAX_COUNT 1e9 /* of queries, rows, dimensions */
#define GDP_HETERO_MAX 20 /* unequal parts of an optimal composition */

/* A running sum of squares of mu, times 2^(-2 exponent), to 31 digits; starts as all zeros. */
typedef struct gdp_mu_sum
{
	int exponent;
	double hi;
	double lo;
} gdp_mu_sum;

extern gdp_status gdp_mu_sum_add(gdp_mu_sum *sum, double mu);
extern void gdp_mu_sum_merge(gdp_mu_sum *sum, const gdp_mu_sum *other);
extern gdp_status gdp_mu_sum_total(const gdp_mu_sum *sum, double *mu);

/* mu of the composition of n Gaussian mechanisms, exact and rounded up; each mu >= 0. */
extern gdp_status gdp_compose_mu(size_t n, const double *mus, double *mu);

/* The sigma that with l2_sensitivity 1 is as private as n releases together; rounded down, for it is a claim. */
extern gdp_status gdp_compose_sigma(size_t n, const double *sensitivities, const double *sigmas,
									double *sigma);

/* The sigma of each of k equal queries that are (epsilon, delta)-DP together; rounded up. */
extern gdp_status gdp_optimal_sigma_k(double epsilon, double delta, double l2_sensitivity, double k,
									  double *sigma);

/* What remains of mu_total after mu_spent, rounded down; 0 when it is used up. */
extern gdp_status gdp_mu_remaining(double mu_total, double mu_spent, double *mu);

/* How many queries of mu_each fit into mu_total. */
extern gdp_status gdp_mu_queries(double mu_each, double mu_total, double *count);

/* Shares of mu with mu_i^2 in proportion to shares[i], rounded down; together at most mu. */
extern gdp_status gdp_mu_split(double mu, size_t n, const double *shares, double *mus);

/* The sigmas that minimise sum of weights[i] sigmas[i]^2 within mu, rounded up. */
extern gdp_status gdp_mu_allocate(double mu, size_t n, const double *weights,
								  const double *sensitivities, double *sigmas);

/* Sums of epsilon and delta, rounded up; delta at most 1. */
extern gdp_status gdp_compose_basic(size_t n, const double *epsilons, const double *deltas,
									double *epsilon, double *delta);

/* Advanced composition, or basic where that is less; rounded up. */
extern gdp_status gdp_compose_advanced(size_t n, const double *epsilons, const double *deltas,
									   double delta_slack, double *epsilon, double *delta);

/* Its formula for k equal epsilons, also where basic composition gives less. */
extern gdp_status gdp_advanced_epsilon(double epsilon, double k, double delta_slack, double *total);

/* Theorem 3.5 of Kairouz, Oh and Viswanath 2017; rounded up. */
extern gdp_status gdp_kov_simple(size_t n, const double *epsilons, const double *deltas,
								 double delta_slack, double *epsilon, double *delta);
extern gdp_status gdp_kov_simple_epsilon(double epsilon, double k, double delta_slack,
										 double *total);

/* 1 - (1 - delta_slack) prod(1 - deltas[i]), the delta of these theorems, rounded up. */
extern gdp_status gdp_kov_total_delta(size_t n, const double *deltas, double delta_slack,
									  double *delta);

/*
 * The optimum for k equal (epsilon, delta): delta at epsilon_g, and the least epsilon_g >= 0 at delta_g,
 * infinite where the k deltas alone are more than that.  Rounded up.  Time grows like sqrt(k): 2 ms at 1e6.
 */
extern gdp_status gdp_kov_delta(double epsilon, double delta, double k, double epsilon_g,
								double *delta_g);
extern gdp_status gdp_kov_epsilon(double epsilon, double delta, double k, double delta_g,
								  double *epsilon_g);

/* The same for at most GDP_HETERO_MAX unequal parts. */
extern gdp_status gdp_kov_hetero_delta(size_t n, const double *epsilons, const double *deltas,
									   double epsilon_g, double *delta_g);
extern gdp_status gdp_kov_hetero_epsilon(size_t n, const double *epsilons, const double *deltas,
										 double delta_g, double *epsilon_g);

/* ---------------------------------------------------------------------------
 * Budgets in integers (budget.c)
 * ---------------------------------------------------------------------------
 * What is spent is a sum of mu^2 in units of 2^-52 and a sum of threshold deltas in units of 2^-62, so
 * that no charge is too small to count and the order of charges does not matter.  Costs are rounded
 * up, limits down.  63 bits hold a mu^2 below 2048 and a delta below 2; more is GDP_OUT_OF_RANGE.
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

/* a + b of amounts >= 0; INT64_MAX where it is more, which no limit lets pass. */
extern int64_t gdp_spent_add(int64_t a, int64_t b);

/* mu of an amount of mu^2 >= 0: rounded up for what is spent, down for what is left. */
extern double gdp_mu2_mu_up(int64_t mu2);
extern double gdp_mu2_mu_down(int64_t mu2);

/* ---------------------------------------------------------------------------
 * Conversions (convert.c, concentrated.c)
 * ---------------------------------------------------------------------------
 * All rounded up unless said otherwise; deltas at most 1, which says nothing, epsilons at least 0.
 */

/*
 * What (epsilon, delta)-DP is in probabilistic DP, two-tailed or one-tailed: delta_hat at epsilon_hat >
 * epsilon, and epsilon_hat at delta_hat > delta.  No epsilon_hat below epsilon_one_lower (rounded down)
 * holds for all mechanisms.
 */
extern gdp_status gdp_dp_to_pdp_delta_two(double epsilon, double delta, double epsilon_hat,
										  double *delta_hat);
extern gdp_status gdp_dp_to_pdp_delta_one(double epsilon, double delta, double epsilon_hat,
										  double *delta_hat);
extern gdp_status gdp_dp_to_pdp_epsilon_two(double epsilon, double delta, double delta_hat,
											double *epsilon_hat);
extern gdp_status gdp_dp_to_pdp_epsilon_one(double epsilon, double delta, double delta_hat,
											double *epsilon_hat);
extern gdp_status gdp_dp_to_pdp_epsilon_one_lower(double epsilon, double delta, double delta_hat,
												  double *epsilon_hat);

/*
 * The mechanism of Theorem 3.2 of Guingona et al. that is (epsilon, delta)-DP, but not probabilistic
 * DP at (epsilon_hat, delta): n + 1 outputs, one of probability p, n - 1 of probability q.  Nearest values.
 */
extern gdp_status gdp_counterexample(double epsilon, double delta, double epsilon_hat, double *n,
									 double *p, double *q);

/* The least mu that covers every epsilon-DP mechanism; Laplace noise of scale l1_sensitivity / epsilon. */
extern gdp_status gdp_pure_to_mu(double epsilon, double *mu);
extern gdp_status gdp_laplace_to_mu(double epsilon, double *mu);
extern gdp_status gdp_laplace_delta(double epsilon, double epsilon0, double *delta);

/*
 * The least delta that (epsilon0, delta0)-DP implies at epsilon, and the largest delta such that (epsilon,
 * delta)-DP, epsilon >= epsilon0, implies (epsilon0, delta0): rounded down, negative where none does.
 */
extern gdp_status gdp_implied_delta(double epsilon0, double delta0, double epsilon, double *delta);
extern gdp_status gdp_implied_delta_max(double epsilon, double epsilon0, double delta0,
										double *delta);

/* Poisson subsampling at rate gamma, neighbours by adding or removing a row. */
extern gdp_status gdp_subsample_epsilon(double epsilon, double gamma, double *result);
extern gdp_status gdp_subsampled_delta(double epsilon, double mu, double gamma, double *delta);

/*
 * ln delta and ln(1 - delta) of the same, nearest, for those who compute on with them: a delta too small for
 * a double is one that can't be inverted.  Arguments as above, unchecked.
 */
extern void gdp_subsampled_logs(double epsilon, double mu, double gamma, double *ln_delta,
								double *ln_rest);

/* Renyi DP: (alpha, tau). rdp_delta is not capped: 1 or more says that this order proves nothing. */
extern gdp_status gdp_rdp_delta(double alpha, double tau, double epsilon, double *delta);
extern gdp_status gdp_rdp_epsilon(double alpha, double tau, double delta, double *epsilon);
extern gdp_status gdp_rdp_epsilon_mironov(double alpha, double tau, double delta, double *epsilon);
extern gdp_status gdp_rdp_gauss(double alpha, double mu, double *tau);

/* Zero-concentrated DP; gdp_zcdp_max_rho is the largest rho within (epsilon, delta), rounded down. */
extern gdp_status gdp_zcdp_rho(double sigma, double l2_sensitivity, double *rho);
extern gdp_status gdp_zcdp_from_mu(double mu, double *rho);
extern gdp_status gdp_zcdp_from_pure(double epsilon, double *rho);
extern gdp_status gdp_zcdp_epsilon(double rho, double delta, double *epsilon);
extern gdp_status gdp_zcdp_delta(double rho, double epsilon, double *delta);
extern gdp_status gdp_zcdp_epsilon_tight(double rho, double delta, double *epsilon);
extern gdp_status gdp_zcdp_delta_tight(double rho, double epsilon, double *delta);
extern gdp_status gdp_zcdp_max_rho(double epsilon, double delta, double *rho);

/* Truncated (rho, omega), and mean-concentrated (mean, tau) DP: mean = mu^2/2 and tau = mu for a Gaussian. */
extern gdp_status gdp_tcdp_epsilon(double rho, double omega, double delta, double *epsilon);
extern gdp_status gdp_tcdp_delta(double rho, double omega, double epsilon, double *delta);
extern gdp_status gdp_mcdp_epsilon(double mean, double tau, double delta, double *epsilon);
extern gdp_status gdp_mcdp_delta(double epsilon, double mean, double tau, double *delta);

/* ---------------------------------------------------------------------------
 * The GDP transformation (transform.c, refine.c)
 * ---------------------------------------------------------------------------
 */

/* A privacy profile: parameters are (epsilon), (epsilon), (mu), (mu, gamma) or none. */
typedef enum gdp_curve_kind
{
	GDP_CURVE_POINTS,
	GDP_CURVE_PURE,
	GDP_CURVE_LAPLACE,
	GDP_CURVE_GAUSSIAN,
	GDP_CURVE_SUBSAMPLED,
	GDP_CURVE_SGD,
	GDP_CURVE_ICEA
} gdp_curve_kind;

typedef struct gdp_curve
{
	gdp_curve_kind kind;
	double parameter[2];

	/*
	 * GDP_CURVE_POINTS: the mechanism is (epsilons[i], deltas[i])-DP, epsilons ascending, deltas not.
	 * delta stays what it was up to the next point, and is refined by what later points imply.
	 */
	size_t n;
	const double *epsilons;
	const double *deltas;
} gdp_curve;

extern gdp_status gdp_curve_check(const gdp_curve *curve);

/* Lowers each delta to what the later points imply; what gdp_curve wants to be given. */
extern void gdp_points_refine(size_t n, const double *epsilons, double *deltas);

/* limsup of G, a lower bound of every valid mu; infinite where no mu is valid. */
extern gdp_status gdp_curve_tail(const gdp_curve *curve, double *mu);

/* G(epsilon) of all epsilon0-DP mechanisms and of Laplace noise, rounded up. */
extern gdp_status gdp_transform_pure(double epsilon, double epsilon0, double *mu);
extern gdp_status gdp_transform_laplace(double epsilon, double epsilon0, double *mu);

#define GDP_HEAD_MAX_STEPS 1000000

/* A measurement of sup G over [0, end] on its way; the curve must outlive it. */
typedef struct gdp_head
{
	const gdp_curve *curve;
	double end;
	double gap;
	double x; /* proven up to here */
	double step;
	double lower;
	double upper;
	int steps;
} gdp_head;

typedef struct gdp_head_measure
{
	double lower; /* lower <= sup G over the head <= upper <= lower + gap */
	double upper;
	bool everywhere;       /* upper is proven for all epsilon, not for the head only */
	double residual_delta; /* otherwise: delta of upper-GDP where the head ends */
} gdp_head_measure;

/* Begins; goes on for at most so many steps (some microseconds each), until *done; the answer. */
extern gdp_status gdp_head_begin(gdp_head *head, const gdp_curve *curve, double end, double gap);
extern gdp_status gdp_head_advance(gdp_head *head, int steps, bool *done);
extern gdp_status gdp_head_result(const gdp_head *head, gdp_head_measure *measure);

/* The scale of Laplace noise after clamping to [lower, upper] that makes the head all there is; up. */
extern gdp_status gdp_clip_scale(double lower, double upper, double head_epsilon, double *scale);

/* The refined profiles of the paper's examples, and where refinement begins (0: epsilon, 1: delta). */
extern gdp_status gdp_sgd_switch(double which, double *value);
extern gdp_status gdp_icea_switch(double which, double *value);
extern gdp_status gdp_sgd_profile(double epsilon, double *delta);
extern gdp_status gdp_icea_profile(double epsilon, double *delta);

/* The least -ln(delta0) / epsilon0 that is enough for (epsilon, delta): 0 that value, up; 1 epsilon0; 2 delta0. */
extern gdp_status gdp_refine_sigma_log(double epsilon, double delta, double which, double *value);

/* ---------------------------------------------------------------------------
 * Accuracy and sensitivities (accuracy.c), rounded up
 * ---------------------------------------------------------------------------
 */

/* Half width that holds with 1 - beta for d independent values at once; with the given confidence. */
extern gdp_status gdp_interval_halfwidth(double sigma, double beta, double d, double *halfwidth);
extern gdp_status gdp_noise_interval(double sigma, double confidence, double *halfwidth);

/*
 * L2 sensitivities: at most k rows of one person in each of at most m groups, one vector of a person;
 * neighbours differ by all of a person's rows, added or replaced by as many or fewer.
 */
extern gdp_status gdp_sensitivity_count(double k, double m, bool replace, double *sensitivity);
extern gdp_status gdp_sensitivity_sum(double lower, double upper, double k, double m, bool replace,
									  bool single_group, double *sensitivity);
extern gdp_status gdp_sensitivity_vector_l2(double norm, bool replace, double *sensitivity);
extern gdp_status gdp_sensitivity_vector_box(double lower, double upper, double d, bool replace,
											 double *sensitivity);

/* An average as noisy sum over noisy count with shares p and 1 - p of mu^2; best share is nearest. */
extern gdp_status gdp_average_sigma_sum(double lower, double upper, double mu, double p, double k,
										double m, double *sigma);
extern gdp_status gdp_average_sigma_count(double mu, double p, double k, double m, double *sigma);
extern gdp_status gdp_average_stddev(double lower, double upper, double average, double mu,
									 double p, double n, double *stddev);
extern gdp_status gdp_average_best_share(double lower, double upper, double average, double *p);

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
 * Where the i-th of n bins of equal width between finite bounds begins, lower < upper, 0 <= i <= n: the
 * double nearest to lower + (upper - lower) i/n (bins.c).
 */
extern double gdp_bin_edge(double lower, double upper, double n, double i);

/* total * 2^exponent, rounded once to the nearest double (ties to even); +-DBL_MAX where it overflows. */
extern double gdp_grid_value(gdp_int128 total, int exponent);

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

#endif /* GAUSSDP_CORE_GDP_H */
