/*
 * gdp.h
 *		The face of the calibration library: mechanisms, probabilistic privacy, limits, compositions,
 *		conversions, the GDP transformation, accuracy.
 *
 * Plain C11 above the core, by the same rules (core.h): statuses, units, and what is rounded to which side.
 * No answer rests on it; the SQL functions of calibration/ are made of it.
 *
 *		mechanism.c			published formulas for sigma
 *		pdp.c				probabilistic differential privacy
 *		bounds.c			where formulas stop being private, and limits of sigma
 *		compose.c, kov.c	what several releases cost together; kov.c has the optimal compositions
 *		convert.c			between pure, approximate, probabilistic and Gaussian differential privacy; subsampling
 *		concentrated.c		Renyi and concentrated differential privacy
 *		transform.c			the GDP transformation of a privacy profile
 *		refine.c			profiles refined from a trade-off
 *		accuracy.c			sensitivities, and the accuracy of noisy answers
 */
#ifndef GAUSSDP_GDP_GDP_H
#define GAUSSDP_GDP_GDP_H

#include "core/core.h"

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
extern gdp_status gdp_tradeoff_beta(double mu, double alpha, double *beta);

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

/*
 * Upper bounds of erfc^-1(y), 0 < y < 1, rounded up: sqrt(ln((1 + sqrt(1 + 8y)) / (4y))), which mechanisms 2 and 4
 * are made of, and sqrt(ln(1/y)), which is above it (Zhao et al., Lemma 8 and Proposition 1).
 */
extern gdp_status gdp_erfc_inv_bound(double y, double *x);
extern gdp_status gdp_erfc_inv_bound_log(double y, double *x);

/* ---------------------------------------------------------------------------
 * Noise of any even log-concave density (logconcave.c)
 * ---------------------------------------------------------------------------
 * The density of the noise over its scale is proportional to e^-psi(x), psi even and convex.
 */
typedef enum gdp_law_kind
{
	GDP_LAW_GAUSSIAN, /* psi = x^2/2 */
	GDP_LAW_LAPLACE,  /* psi = |x| */
	GDP_LAW_LOGISTIC, /* psi = |x| + 2 ln(1 + e^-|x|) */
	GDP_LAW_POINTS    /* psi(x[i]) = psi[i], straight in between and beyond the last two */
} gdp_law_kind;

#define GDP_LAW_MAX_POINTS 10000

typedef struct gdp_law
{
	gdp_law_kind kind;

	/* GDP_LAW_POINTS: n points ascending from x = 0, of a psi that is convex, does not fall, and rises in the end by at most 700 */
	size_t n;
	const double *x;
	const double *psi;
} gdp_law;

extern gdp_status gdp_law_check(const gdp_law *law);

/*
 * One number of this sensitivity: the probability that the privacy loss exceeds epsilon, and the least scale for
 * which that is at most delta.  Either is one-tailed (epsilon, delta)-pDP, so DP too.  Rounded up.
 */
extern gdp_status gdp_law_delta(const gdp_law *law, double scale, double epsilon,
								double sensitivity, double *delta);
extern gdp_status gdp_law_scale(const gdp_law *law, double epsilon, double delta,
								double sensitivity, double *scale);

/* ---------------------------------------------------------------------------
 * Composition (compose.c, kov.c)
 * ---------------------------------------------------------------------------
 * Adaptive composition, except where it says otherwise.  Counts are doubles that hold a whole number.
 */

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
extern gdp_status gdp_optimal_sigma_k(double l2_sensitivity, double k, double epsilon, double delta,
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
 * From one tail to the other: where P(loss > epsilon) <= delta for all neighbours, the loss is below -epsilon with
 * at most this probability, e^-epsilon delta.
 */
extern gdp_status gdp_pdp_lower_tail(double epsilon, double delta, double *lower_tail);

/*
 * A mechanism that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with a probability above
 * delta_hat; there is one for every epsilon < epsilon_hat < epsilon - ln(1 - delta/delta_hat) while
 * delta_hat < (e^epsilon + delta) / (1 + e^epsilon), otherwise GDP_OUT_OF_DOMAIN.  Each of n data sets
 * has an output of its own, of probability p; it gives those of the others with probability q, and one common
 * to all with what is left.  delta_prime = p - e^epsilon q <= delta is what it needs.  Nearest values.
 */
typedef struct gdp_leak
{
	double n;
	double delta_prime;
	double p;
	double q;
} gdp_leak;

extern gdp_status gdp_pdp_counterexample(double epsilon, double delta, double epsilon_hat,
										 double delta_hat, gdp_leak *leak);

/*
 * The mechanism of Theorem 3.2 of Guingona et al. that is (epsilon, delta)-DP, but not probabilistic
 * DP at (epsilon_hat, delta): n + 1 outputs, one of probability p, n - 1 of probability q.  Nearest values.
 */
extern gdp_status gdp_counterexample(double epsilon, double delta, double epsilon_hat, double *n,
									 double *p, double *q);

/* The least mu that covers every epsilon-DP mechanism; Laplace noise of scale l1_sensitivity / epsilon. */
extern gdp_status gdp_pure_to_mu(double epsilon, double *mu);
extern gdp_status gdp_laplace_to_mu(double epsilon, double *mu);
extern gdp_status gdp_laplace_delta(double epsilon0, double epsilon, double *delta);

/*
 * The least delta that (epsilon0, delta0)-DP implies at epsilon, and the largest delta such that (epsilon,
 * delta)-DP, epsilon >= epsilon0, implies (epsilon0, delta0): rounded down, negative where none does.
 */
extern gdp_status gdp_implied_delta(double epsilon0, double delta0, double epsilon, double *delta);
extern gdp_status gdp_implied_delta_max(double epsilon0, double delta0, double epsilon,
										double *delta);

/*
 * The mechanism of four outputs that is (epsilon0, delta0)-DP and as little private as that allows, at every
 * epsilon: their probabilities for two neighbours, nearest.
 */
extern gdp_status gdp_four_outputs(double epsilon0, double delta0, double p[4], double q[4]);

/* Poisson subsampling at rate gamma, neighbours by adding or removing a row. */
extern gdp_status gdp_subsample_epsilon(double gamma, double epsilon, double *result);
extern gdp_status gdp_subsampled_delta(double mu, double gamma, double epsilon, double *delta);

/*
 * ln delta and ln(1 - delta) of the same, nearest, for those who compute on with them: a delta too small for
 * a double is one that can't be inverted.  Arguments as above, unchecked.
 */
extern void gdp_subsampled_logs(double mu, double gamma, double epsilon, double *ln_delta,
								double *ln_rest);

/* Renyi DP: (alpha, tau). rdp_delta is not capped: 1 or more says that this order proves nothing. */
extern gdp_status gdp_rdp_delta(double alpha, double tau, double epsilon, double *delta);
extern gdp_status gdp_rdp_epsilon(double alpha, double tau, double delta, double *epsilon);
extern gdp_status gdp_rdp_epsilon_mironov(double alpha, double tau, double delta, double *epsilon);
extern gdp_status gdp_rdp_gauss(double mu, double alpha, double *tau);

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
extern gdp_status gdp_mcdp_delta(double mean, double tau, double epsilon, double *delta);

/* ---------------------------------------------------------------------------
 * The GDP transformation (transform.c, refine.c)
 * ---------------------------------------------------------------------------
 */

/* A privacy profile: parameters are (epsilon), (epsilon), (mu), (mu, gamma), (scale, power) or (factor, power). */
typedef enum gdp_curve_kind
{
	GDP_CURVE_POINTS,
	GDP_CURVE_PURE,
	GDP_CURVE_LAPLACE,
	GDP_CURVE_GAUSSIAN,
	GDP_CURVE_SUBSAMPLED,
	GDP_CURVE_EXPONENTIAL, /* delta = e^(-(epsilon/scale)^power), refined */
	GDP_CURVE_POWER        /* delta = factor / epsilon^power, at most 1, refined */
} gdp_curve_kind;

typedef struct gdp_curve
{
	gdp_curve_kind kind;
	double parameter[2];

	/* GDP_CURVE_EXPONENTIAL, GDP_CURVE_POWER: below this epsilon the profile is refined */
	double switch_epsilon;

	/*
	 * GDP_CURVE_POINTS: the mechanism is (epsilons[i], deltas[i])-DP, epsilons ascending, deltas not.
	 * delta stays what it was up to the next point, and is refined by what later points imply.
	 */
	size_t n;
	const double *epsilons;
	const double *deltas;
} gdp_curve;

extern gdp_status gdp_curve_check(const gdp_curve *curve);

/*
 * The profiles of the last two kinds, refined by the partial order of (epsilon, delta); these find
 * where the refinement begins.  The paper's examples: SGD is exponential with power 2, ICEA n e^(-m/10) / epsilon.
 */
extern gdp_status gdp_curve_exponential(double scale, double power, gdp_curve *curve);
extern gdp_status gdp_curve_power(double factor, double power, gdp_curve *curve);
extern gdp_status gdp_curve_icea(double m, double n, gdp_curve *curve);

/* delta of a profile, rounded up. */
extern gdp_status gdp_curve_delta(const gdp_curve *curve, double epsilon, double *delta);

/* Where the refinement of a profile begins, nearest: (0, delta(0)) of one that needs none. */
extern gdp_status gdp_curve_switch(const gdp_curve *curve, double *epsilon, double *delta);

/* Lowers each delta to what the later points imply; what gdp_curve wants to be given. */
extern void gdp_points_refine(size_t n, const double *epsilons, double *deltas);

/* limsup of G, a lower bound of every valid mu; infinite where no mu is valid. */
extern gdp_status gdp_curve_tail(const gdp_curve *curve, double *mu);

/* G(epsilon), rounded up. */
extern gdp_status gdp_transform(const gdp_curve *curve, double epsilon, double *mu);

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

#endif /* GAUSSDP_GDP_GDP_H */
