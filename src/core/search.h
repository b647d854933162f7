/*
 * search.h
 *		Quantiles: the leaves that rows are counted in, and the search for the leaf of a quantile.
 *
 * Reads from core.h; used by the quantiles of the aggregates.  A search asks, 48 times, for the noisy value of
 *
 *		f(i) = sum over rows of (1 - q if the row's leaf is below i, else -q)
 *
 * at an edge i between two leaves that it chooses by the answers before.  f grows with i and changes its sign at the
 * quantile.  Privacy rests on the noise of the answers alone: a row moves f(i) by at most max(q, 1 - q), whatever i is.
 * Everything in search.c is computed from answers, so that doubles do there, and only accuracy depends on it.
 */
#ifndef GDP_CORE_SEARCH_H
#define GDP_CORE_SEARCH_H

#include "core.h"

/*
 * Leaves between two bounds, as doubles are: of each power of two of the distance from an anchor, which is 0 or the bound next to
 * it, 2^14 leaves, down to 2^-40 of the larger bound.  What is nearer to the anchor has one leaf a side.  Whole numbers, also of
 * units of 10^-scale, have one leaf each up to 2^14 of them from the anchor.  How fine they are follows from the bounds and the
 * scale alone: how many of them have rows is data.
 */
typedef struct gdp_leaves
{
	double lower; /* the bounds as given */
	double upper;
	double factor; /* 10^scale, of whole numbers */
	bool whole;
	int32_t n;    /* leaves 0 .. n - 1 */
	double first; /* the bounds, and all that follows, in units of 1 / factor */
	double last;
	double anchor;
	double near;    /* distances below it have the numbers 0 .. offset - 1 */
	int64_t offset; /* the number of this distance */
	int64_t base;   /* and its leading bits as a double */
	int64_t start;  /* the number of leaf 0 */
} gdp_leaves;

#define GDP_MAX_LEAVES (1 << 21)

/* No scale: any real number. */
#define GDP_NO_SCALE (-1)

/* Most digits behind the point that whole numbers are counted in. */
#define GDP_MAX_SCALE 15

/* Finite bounds, lower < upper; scale: digits behind the point of each value, or GDP_NO_SCALE. */
extern void gdp_leaves_between(double lower, double upper, int scale, gdp_leaves *leaves);

/* The leaf of x, which is not NaN: a fixed map into 0 .. n - 1 that keeps order, whatever its roundings do. */
extern int32_t gdp_leaf(const gdp_leaves *leaves, double x);

/* Where leaf i begins, in units of 1 / factor; 0 <= i <= n. */
extern double gdp_leaf_edge(const gdp_leaves *leaves, int32_t i);

/* The edge nearest to y, which is in units of 1 / factor. */
extern int32_t gdp_leaf_edge_near(const gdp_leaves *leaves, double y);

#define GDP_SEARCH_STEPS 48

/* sqrt(48), rounded up */
#define GDP_SEARCH_SQRT_STEPS 6.928203230275510

/* An edge that was asked for, or one of the two bounds, which are not. */
typedef struct gdp_asked
{
	int32_t edge;
	int times;
	double at;    /* where it is, in units of the search */
	double sum;   /* of the answers */
	double left;  /* by what they have multiplied the belief on its left */
	double right; /* and on its right */
	double mass;  /* of the belief from here to the next */
} gdp_asked;

typedef struct gdp_search
{
	const gdp_leaves *leaves;
	double q;
	double sigma; /* of an answer, in rows */
	double unit;
	bool by_leaf; /* places are numbers of leaves, not values */
	bool divides; /* both edges of a leaf with many rows are asked in turn (several.c) */
	int steps;    /* still to be asked */
	int n;        /* edges, both ends among them */
	gdp_asked edges[GDP_SEARCH_STEPS + 2];
} gdp_search;

extern void gdp_search_begin(gdp_search *search, const gdp_leaves *leaves, double q, double sigma);

/* The same among the leaves low .. high - 1, 0 <= low < high <= n. */
extern void gdp_search_begin_between(gdp_search *search, const gdp_leaves *leaves, int32_t low,
									 int32_t high, double q, double sigma);

/* The edge to be asked next, between two leaves; false where nothing is left to ask. */
extern bool gdp_search_next(const gdp_search *search, int32_t *edge);

/* The noisy f at that edge, in rows. */
extern void gdp_search_answer(gdp_search *search, int32_t edge, double answer);

/* What the answers say of the quantile: within the bounds, on the step of whole numbers. */
extern double gdp_search_result(const gdp_search *search);

/* The same before it is put on that step, in units of 1 / factor; and put there. */
extern double gdp_search_place(const gdp_search *search);
extern double gdp_leaf_value(const gdp_leaves *leaves, double y);

/* ---------------------------------------------------------------------------
 * Several quantiles (several.c)
 * ---------------------------------------------------------------------------
 */
#define GDP_MAX_QUANTILES 100

/* So many levels of parts there are for n quantiles, each row being in one part of a level at most: log2(n + 1), rounded up. */
extern int gdp_several_levels(int n);

/* Leaves that are searched for one quantile of their rows, and the quantiles of all rows that lie there. */
typedef struct gdp_part
{
	int level;   /* 0 .. levels - 1 */
	int32_t low; /* the leaves low .. high - 1 */
	int32_t high;
	double below; /* what share of all rows is below these, and not above, as far as answers say */
	double upto;
	int first; /* the quantiles first .. last - 1, by their size */
	int last;
} gdp_part;

typedef struct gdp_several
{
	const gdp_leaves *leaves;
	double sigma; /* of an answer, in rows */
	double rows;  /* how many there are, noisy */
	int levels;
	int n;
	double share[GDP_MAX_QUANTILES]; /* in ascending order */
	double value[GDP_MAX_QUANTILES];
	int nparts; /* still to be searched */
	gdp_part parts[GDP_MAX_QUANTILES];
} gdp_several;

/*
 * The quantiles q[], n of them, 1 <= n <= GDP_MAX_QUANTILES, in any order.  Quantiles 0 and 1 are those beyond which so many rows
 * lie, or half of them.
 */
extern void gdp_several_begin(gdp_several *several, const gdp_leaves *leaves, const double *q,
							  int n, double sigma, double rows, double beyond);

/*
 * The next part, and the search in it, whose q is that of the part's rows; false where there is none.  Its answers are
 *
 *		sum over the rows of the part of ((1 - q)/d if the row's leaf is below the edge, else -q/d), d = max(q, 1 - q)
 *
 * with noise of sigma: a row moves each by at most 1, and those of one part of a level alone.
 */
extern bool gdp_several_next(gdp_several *several, gdp_part *part, gdp_search *search);

/* Takes what the search in this part has found, and divides the part. */
extern void gdp_several_found(gdp_several *several, const gdp_part *part, const gdp_search *search);

/* The quantiles, as q[] was given: ascending in q. */
extern void gdp_several_results(gdp_several *several, const double *q, double *value);

#endif /* GDP_CORE_SEARCH_H */
