/*
 * kinds.h
 *		What kinds of aggregates there are: one descriptor for each, in kinds.c.
 *
 * Reads from nothing; used by state.h and so by each file of this folder.  A new kind is a new descriptor,
 * a file with its calibration and its functions, and its part of the SQL script: nothing else lists the
 * kinds, and nobody knows a parameter by its place.
 */
#ifndef GAUSSDP_AGGREGATE_KINDS_H
#define GAUSSDP_AGGREGATE_KINDS_H

#include "postgres.h"

#include "core/core.h"

/* Most parameters that a call has behind its value. */
#define GAUSSDP_MAX_PARAMS 7

/* Most elements of a parameter that is an array, and most numbers that say all parameters of a call. */
#define GAUSSDP_MAX_QS 100
#define GAUSSDP_MAX_NUMBERS (GAUSSDP_MAX_PARAMS + GAUSSDP_MAX_QS)

/* What a call computes.  The numbers are part of the serialized form: add at the end, never renumber. */
typedef enum GaussdpKind
{
	GAUSSDP_COUNT = 1,
	GAUSSDP_SUM = 2,
	GAUSSDP_AVG = 3,
	GAUSSDP_KEEP_GROUP = 4,
	GAUSSDP_VAR = 5,
	GAUSSDP_HISTOGRAM = 6,
	GAUSSDP_QUANTILE = 7,
	GAUSSDP_VECTOR_SUM = 8,
	GAUSSDP_VECTOR_AVG = 9,
	GAUSSDP_SUM_AUTO = 10,
	GAUSSDP_AVG_AUTO = 11,
	GAUSSDP_CDF = 12,
	GAUSSDP_REGRESSION = 13,
	GAUSSDP_QUANTILES = 14,
	GAUSSDP_BOUNDS = 15
} GaussdpKind;

/* What a parameter says; its name and type stand in kinds.c. */
typedef enum GaussdpParamName
{
	GAUSSDP_PARAM_NONE = 0, /* ends a form */
	GAUSSDP_PARAM_EPSILON,
	GAUSSDP_PARAM_DELTA,
	GAUSSDP_PARAM_L2_SENSITIVITY,
	GAUSSDP_PARAM_LOWER,
	GAUSSDP_PARAM_UPPER,
	GAUSSDP_PARAM_MAX_ROWS,
	GAUSSDP_PARAM_PART_ROWS, /* max_rows that may be a part of one, where a row is measured by its value */
	GAUSSDP_PARAM_BINS,
	GAUSSDP_PARAM_Q,
	GAUSSDP_PARAM_L2_NORM,
	GAUSSDP_PARAM_DIMENSIONS,
	GAUSSDP_PARAM_COUNT_SENSITIVITY, /* l2_sensitivity of a count: the rows of one person */
	GAUSSDP_PARAM_MAX_GROUPS,
	GAUSSDP_PARAM_LOWER_Y, /* bounds of the two numbers of a pair */
	GAUSSDP_PARAM_UPPER_Y,
	GAUSSDP_PARAM_LOWER_X,
	GAUSSDP_PARAM_UPPER_X,
	GAUSSDP_PARAM_QS /* an array; in a key, how many elements it has */
} GaussdpParamName;

/* What tells two sets of parameters apart; compared by value. */
typedef struct GaussdpKey
{
	Datum raw[GAUSSDP_MAX_PARAMS]; /* as the call gives them; 0 where it has fewer */
	int16 kind;                    /* GaussdpKind */
	int16 nparams;
	int16 weighted; /* 1 for a weighted aggregate (weighted.c), else 0 */
	int16
		digits; /* of scaled kinds: 1 + digits behind the point of all values, by their type; 0: any */
	double qs[GAUSSDP_MAX_QS]; /* of GAUSSDP_PARAM_QS; 0 beyond its elements */
} GaussdpKey;

/*
 * Whose form: that of calls as analysts write them, of the weighted aggregates that take their place, or of calls
 * that leave out numbers or bounds, which become plain ones when a query is planned.
 */
typedef enum GaussdpUse
{
	GAUSSDP_PLAIN = 1,
	GAUSSDP_WEIGHTED = 2,
	GAUSSDP_PLAIN_AND_WEIGHTED = 3,
	GAUSSDP_SHORT = 4
} GaussdpUse;

/*
 * The parameters behind the value, in their order.  Weighted forms end with what weights are computed
 * for: max_rows, of counts l2_sensitivity, of keep_group max_groups.
 */
typedef struct GaussdpForm
{
	GaussdpUse use;
	GaussdpParamName params[GAUSSDP_MAX_PARAMS + 1];
} GaussdpForm;

/* States that are a row of integer cells (cells.h). */
typedef struct GaussdpLayout
{
	int32 ncells;
	bool wide;     /* 16 bytes, for sums of contributions; else 8, for numbers of rows */
	int32 ncounts; /* how many wide cells, from the first on, hold numbers of rows all the same */
} GaussdpLayout;

/* As what a release is shown. */
typedef enum GaussdpAnswer
{
	GAUSSDP_AS_NUMBER,       /* or as numbers, or whether the group is kept */
	GAUSSDP_AS_ROOT,         /* its square root */
	GAUSSDP_AS_ESTIMATE,     /* with its error bars */
	GAUSSDP_AS_ROOT_ESTIMATE /* its square root with those of it */
} GaussdpAnswer;

/* What a row of a weighted call adds to one of its cells. */
typedef struct GaussdpPart
{
	int32
		cell; /* of leaves, whose cells are two each: what the row adds below is in the first, what it takes above in the other */
	gdp_int128 steps;
} GaussdpPart;

#define GAUSSDP_COUNT_CELL (-1) /* the number of rows of the state */
#define GAUSSDP_MAX_PARTS 12

struct GaussdpParams;
struct GaussdpTotal;

/* Adds n rows of this weight, which have this value, or none where the call has none, to a total (state.h). */
typedef void (*GaussdpWeigh)(const struct GaussdpParams *params, struct GaussdpTotal *total,
							 Datum value, Oid type, int64 weight, int64 n);

typedef struct GaussdpDescriptor
{
	GaussdpKind kind;
	const char *names
		[2]; /* of its aggregates; those that return an estimate have "_estimate" behind that */
	bool of_arrays;    /* the value is an array: numbers and arrays share names */
	bool of_pairs;     /* the value is an array of two numbers, and nothing else has the name */
	int bare_args;     /* calls with as many arguments or fewer have no value in front of them */
	bool finds_bounds; /* from the data, privately */
	bool scaled;       /* its answer is of the steps of its value's type: GaussdpKey.digits */
	bool in_leaves;    /* its states are those of leaves.h */
	GaussdpForm forms[9];

	/*
	 * The half width of a 95 % interval, as in gaussdp_call_half_width(); NULL: that of the first number's noise,
	 * whatever n is.
	 */
	double (*half_width)(const struct GaussdpParams *params, double n);

	/* Checks and calibrates what is behind epsilon and delta. */
	void (*calibrate)(struct GaussdpParams *params);

	/* The cells of a state with these parameters; NULL for states of one number or a ratio. */
	void (*layout)(const struct GaussdpParams *params, GaussdpLayout *layout);

	/*
	 * Draws the noise of a state, once, and makes the answer; type is that of estimates.  The state is a GaussdpCells
	 * where the kind has a layout, GaussdpLeaves where it is in leaves, else a GaussdpState.
	 */
	Datum (*release)(void *state, GaussdpAnswer answer, Oid type);

	/*
	 * The delta of showing groups of one person with at most so many rows, for calls that decide
	 * about a group's presence; else NULL.
	 */
	double (*threshold_delta)(const struct GaussdpParams *params, double rows);

	/* The same for calls that decide when compared with a number, and the smallest such number; else NULL. */
	double (*hiding_delta)(const struct GaussdpParams *params, double rows, double least);
	double (*hiding_least)(const struct GaussdpParams *params, double rows);

	/*
	 * The size of a row with this value, which is not null, for a weighted call (people.c), NULL where there is no such form;
	 * and whether a row may count for less than a whole one.
	 */
	int64 (*size)(const struct GaussdpParams *params, Datum value, Oid type);
	bool sized_by_value;

	/* Adds rows of a weighted call to a total; NULL for states that are more than a total. */
	GaussdpWeigh weigh;

	/* What a row of this weight adds to the cells or leaves of a weighted call, x being a number; returns how many parts.  Else NULL. */
	int (*parts)(const struct GaussdpParams *params, double x, int64 weight,
				 GaussdpPart parts[GAUSSDP_MAX_PARTS]);

	/*
	 * Where the coordinates of a weighted call are clipped together, once for each person in a group: the squares with this group, of
	 * which own is the person's total at full weight (core/weight.c).  Else NULL.
	 */
	gdp_int128 (*add_squares)(const struct GaussdpParams *params, const struct GaussdpTotal *own,
							  gdp_int128 squares);

	/* Where each of its bins counts as a group for the weights: the bin of a value that is not null, -1 where it does not count. */
	int (*bin)(const struct GaussdpParams *params, Datum value, Oid type);

	/* The aggregate that takes the parameters in one array (pack.c); bare calls only where there are some. */
	const char *packed;
} GaussdpDescriptor;

/* The descriptor of a kind; NULL where the number is none. */
extern const GaussdpDescriptor *gaussdp_descriptor(int kind);

/* The descriptor of an aggregate; NULL where there is none of that name. */
extern const GaussdpDescriptor *gaussdp_descriptor_of(const char *name, bool of_arrays,
													  bool *is_estimate);

/* The one of its names that it was found by. */
extern const char *gaussdp_descriptor_name(const GaussdpDescriptor *descriptor, const char *name);

/* The form of a kind with so many parameters, for one use; NULL where there is none. */
extern const GaussdpForm *gaussdp_form(int kind, int nparams, GaussdpUse use);

/* The form of a key. */
extern const GaussdpForm *gaussdp_form_of(const GaussdpKey *key);

/* The name of parameter i of a form, and whether it is int8, not float8. */
extern const char *gaussdp_form_name(const GaussdpForm *form, int i);
extern bool gaussdp_form_is_integer(const GaussdpForm *form, int i);

/* How many numbers a key has in qs. */
extern int gaussdp_key_nqs(const GaussdpKey *key);

/* Where a form has a parameter of this name; -1 where it has none. */
extern int gaussdp_form_place(const GaussdpForm *form, GaussdpParamName name);

/* Where the parameters of a call of this kind begin: behind the value, where it takes one. */
extern int gaussdp_first_param(GaussdpKind kind, int nargs);

/* The number behind parameter i; behind the parameter of this name, or what is to be taken without one. */
extern double gaussdp_param_at(const GaussdpKey *key, int i);
extern double gaussdp_param_or(const GaussdpKey *key, GaussdpParamName name, double otherwise);

/* The place of what a form says of the rows of one person: max_rows, or the l2_sensitivity of a count; -1 without. */
extern int gaussdp_rows_place(const GaussdpForm *form);

/* The rows of one person that a call asks to be covered, or otherwise where it says nothing of that. */
extern double gaussdp_rows_or(const GaussdpKey *key, double otherwise);

/*
 * The parameters of the weighted call that takes this one's place: its own, but for the rows of one person,
 * then last, then the elements of an array among them.  Returns how many numbers they are.
 */
extern int gaussdp_weighted_values(const GaussdpKey *key, double last,
								   double values[GAUSSDP_MAX_NUMBERS]);

/* All numbers of a key in that order; returns how many they are. */
extern int gaussdp_key_numbers(const GaussdpKey *key, double values[GAUSSDP_MAX_NUMBERS]);

/* The same where every form of the kind has it. */
extern double gaussdp_param(const GaussdpKey *key, GaussdpParamName name);
extern bool gaussdp_has_param(const GaussdpKey *key, GaussdpParamName name);

#endif /* GAUSSDP_AGGREGATE_KINDS_H */
