/*
 * kinds.c
 *		The kinds of aggregates: their names, forms, calibrations, states, thresholds.
 *
 * Reads the functions of the kinds' own files; hands descriptors to args.c, cells.c, calls.c and pack.c.
 */
#include "postgres.h"

#include "aggregate/cells.h"
#include "aggregate/leaves.h"
#include "aggregate/weighted.h"

#define EPSILON GAUSSDP_PARAM_EPSILON
#define DELTA GAUSSDP_PARAM_DELTA
#define L2_SENSITIVITY GAUSSDP_PARAM_L2_SENSITIVITY
#define LOWER GAUSSDP_PARAM_LOWER
#define UPPER GAUSSDP_PARAM_UPPER
#define MAX_ROWS GAUSSDP_PARAM_MAX_ROWS
#define PART_ROWS GAUSSDP_PARAM_PART_ROWS
#define BINS GAUSSDP_PARAM_BINS
#define Q GAUSSDP_PARAM_Q
#define L2_NORM GAUSSDP_PARAM_L2_NORM
#define DIMENSIONS GAUSSDP_PARAM_DIMENSIONS
#define COUNT_SENSITIVITY GAUSSDP_PARAM_COUNT_SENSITIVITY
#define MAX_GROUPS GAUSSDP_PARAM_MAX_GROUPS
#define LOWER_Y GAUSSDP_PARAM_LOWER_Y
#define UPPER_Y GAUSSDP_PARAM_UPPER_Y
#define LOWER_X GAUSSDP_PARAM_LOWER_X
#define UPPER_X GAUSSDP_PARAM_UPPER_X
#define QS GAUSSDP_PARAM_QS

#define PLAIN GAUSSDP_PLAIN
#define WEIGHTED GAUSSDP_WEIGHTED
#define BOTH GAUSSDP_PLAIN_AND_WEIGHTED
#define SHORT GAUSSDP_SHORT

static const struct
{
	const char *name;
	bool is_integer; /* int8, not float8 */
	bool is_rows;    /* says how many rows of one person are to be covered */
} params[] = {
	[EPSILON] = {"epsilon", false, false},
	[DELTA] = {"delta", false, false},
	[L2_SENSITIVITY] = {"l2_sensitivity", false, false},
	[LOWER] = {"lower", false, false},
	[UPPER] = {"upper", false, false},
	[MAX_ROWS] = {"max_rows", true, true},
	[PART_ROWS] = {"max_rows", false, true},
	[BINS] = {"bins", true, false},
	[Q] = {"q", false, false},
	[L2_NORM] = {"l2_norm", false, false},
	[DIMENSIONS] = {"dimensions", true, false},
	[COUNT_SENSITIVITY] = {"l2_sensitivity", false, true},
	[MAX_GROUPS] = {"max_groups", true, false},
	[LOWER_Y] = {"lower_y", false, false},
	[UPPER_Y] = {"upper_y", false, false},
	[LOWER_X] = {"lower_x", false, false},
	[UPPER_X] = {"upper_x", false, false},
	[QS] = {"qs", true, false},
};

/* By their numbers. */
/* clang-format off */
static const GaussdpDescriptor descriptors[] = {
	[GAUSSDP_COUNT] = {
		.kind = GAUSSDP_COUNT,
		.names = {"dp_count"},
		.bare_args = 2,
		.forms = {
			{PLAIN, {EPSILON, DELTA}},
			{BOTH, {EPSILON, DELTA, COUNT_SENSITIVITY}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
		},
		.calibrate = gaussdp_count_calibrate,
		.release = gaussdp_count_release,
		.hiding_delta = gaussdp_count_hiding_delta,
		.hiding_least = gaussdp_count_hiding_least,
		.size = gaussdp_size_of_row,
		.weigh = gaussdp_count_weigh,
		.packed = "count_packed",
	},
	[GAUSSDP_SUM] = {
		.kind = GAUSSDP_SUM,
		.names = {"dp_sum"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, L2_SENSITIVITY}},
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER}},
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, PART_ROWS}},
			{WEIGHTED, {EPSILON, DELTA, L2_SENSITIVITY, PART_ROWS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
			{SHORT, {EPSILON}},
			{SHORT, {EPSILON, DELTA}},
		},
		.calibrate = gaussdp_sum_calibrate,
		.release = gaussdp_sum_release,
		.size = gaussdp_size_of_number_row,
		.sized_by_value = true,
		.weigh = gaussdp_sum_weigh,
		.add_squares = gaussdp_sum_add_squares,
		.packed = "sum_packed",
	},
	[GAUSSDP_AVG] = {
		.kind = GAUSSDP_AVG,
		.names = {"dp_avg"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER}},
			{BOTH, {EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
			{SHORT, {EPSILON}},
			{SHORT, {EPSILON, DELTA}},
		},
		.half_width = gaussdp_avg_half_width,
		.calibrate = gaussdp_avg_calibrate,
		.release = gaussdp_avg_release,
		.size = gaussdp_size_of_number_row,
		.weigh = gaussdp_avg_weigh,
		.add_squares = gaussdp_avg_add_squares,
		.packed = "avg_packed",
	},
	[GAUSSDP_KEEP_GROUP] = {
		.kind = GAUSSDP_KEEP_GROUP,
		.names = {"dp_keep_group"},
		.bare_args = 3,
		.forms = {
			{PLAIN, {EPSILON, DELTA}},
			{PLAIN, {EPSILON, DELTA, MAX_ROWS}},
			{WEIGHTED, {EPSILON, DELTA, MAX_GROUPS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
		},
		.calibrate = gaussdp_keep_calibrate,
		.release = gaussdp_keep_release,
		.threshold_delta = gaussdp_keep_delta,
		.size = gaussdp_size_of_row,
		.weigh = gaussdp_count_weigh,
	},
	[GAUSSDP_VAR] = {
		.kind = GAUSSDP_VAR,
		.names = {"dp_var", "dp_stddev"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER}},
			{BOTH, {EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
			{SHORT, {EPSILON}},
			{SHORT, {EPSILON, DELTA}},
		},
		.half_width = gaussdp_var_half_width,
		.calibrate = gaussdp_var_calibrate,
		.release = gaussdp_var_release,
		.layout = gaussdp_var_layout,
		.size = gaussdp_size_of_number_row,
		.weigh = gaussdp_var_weigh,
		.add_squares = gaussdp_var_add_squares,
	},
	[GAUSSDP_HISTOGRAM] = {
		.kind = GAUSSDP_HISTOGRAM,
		.names = {"dp_histogram"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER, BINS}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, BINS, MAX_ROWS}},
			{SHORT, {BINS}},
			{SHORT, {EPSILON, DELTA, BINS}},
		},
		.calibrate = gaussdp_histogram_calibrate,
		.release = gaussdp_histogram_release,
		.layout = gaussdp_histogram_layout,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_histogram_parts,
		.bin = gaussdp_histogram_bin,
	},
	[GAUSSDP_CDF] = {
		.kind = GAUSSDP_CDF,
		.names = {"dp_cdf"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER, BINS}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, BINS, MAX_ROWS}},
			{SHORT, {BINS}},
			{SHORT, {EPSILON, DELTA, BINS}},
		},
		.half_width = gaussdp_cdf_half_width,
		.calibrate = gaussdp_cdf_calibrate,
		.release = gaussdp_cdf_release,
		.layout = gaussdp_histogram_layout,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_cdf_parts,
	},
	[GAUSSDP_QUANTILE] = {
		.kind = GAUSSDP_QUANTILE,
		.names = {"dp_quantile", "dp_median"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER}},
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER, Q}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, Q, MAX_ROWS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
			{SHORT, {Q}},
			{SHORT, {EPSILON, DELTA}},
			{SHORT, {EPSILON, DELTA, Q}},
		},
		.scaled = true,
		.in_leaves = true,
		.half_width = gaussdp_quantile_half_width,
		.calibrate = gaussdp_quantile_calibrate,
		.release = gaussdp_quantile_release,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_quantile_parts,
	},
	[GAUSSDP_QUANTILES] = {
		.kind = GAUSSDP_QUANTILES,
		.names = {"dp_quantiles"},
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER, UPPER, QS}},
			{WEIGHTED, {EPSILON, DELTA, LOWER, UPPER, QS, MAX_ROWS}},
			{SHORT, {QS}},
			{SHORT, {EPSILON, DELTA, QS}},
		},
		.scaled = true,
		.in_leaves = true,
		.half_width = gaussdp_quantiles_half_width,
		.calibrate = gaussdp_quantiles_calibrate,
		.release = gaussdp_quantiles_release,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_quantiles_parts,
	},
	[GAUSSDP_VECTOR_SUM] = {
		.kind = GAUSSDP_VECTOR_SUM,
		.names = {"dp_sum"},
		.of_arrays = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA, L2_NORM, DIMENSIONS}},
			{WEIGHTED, {EPSILON, DELTA, L2_NORM, DIMENSIONS, PART_ROWS}},
		},
		.calibrate = gaussdp_vector_calibrate,
		.release = gaussdp_vector_sum_release,
		.layout = gaussdp_vector_layout,
		.size = gaussdp_vector_size,
		.sized_by_value = true,
	},
	[GAUSSDP_VECTOR_AVG] = {
		.kind = GAUSSDP_VECTOR_AVG,
		.names = {"dp_avg"},
		.of_arrays = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA, L2_NORM, DIMENSIONS}},
			{WEIGHTED, {EPSILON, DELTA, L2_NORM, DIMENSIONS, MAX_ROWS}},
		},
		.half_width = gaussdp_vector_avg_half_width,
		.calibrate = gaussdp_vector_calibrate,
		.release = gaussdp_vector_avg_release,
		.layout = gaussdp_vector_layout,
		.size = gaussdp_vector_size,
	},
	[GAUSSDP_REGRESSION] = {
		.kind = GAUSSDP_REGRESSION,
		.names = {"dp_regression"},
		.of_pairs = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA, LOWER_Y, UPPER_Y, LOWER_X, UPPER_X}},
			{BOTH, {EPSILON, DELTA, LOWER_Y, UPPER_Y, LOWER_X, UPPER_X, MAX_ROWS}},
			{SHORT, {GAUSSDP_PARAM_NONE}},
			{SHORT, {EPSILON}},
			{SHORT, {EPSILON, DELTA}},
		},
		.half_width = gaussdp_regression_half_width,
		.calibrate = gaussdp_regression_calibrate,
		.release = gaussdp_regression_release,
		.layout = gaussdp_regression_layout,
		.size = gaussdp_regression_size,
	},
	[GAUSSDP_SUM_AUTO] = {
		.kind = GAUSSDP_SUM_AUTO,
		.names = {"dp_sum_auto"},
		.finds_bounds = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA}},
			{WEIGHTED, {EPSILON, DELTA, MAX_ROWS}},
		},
		.calibrate = gaussdp_auto_calibrate,
		.release = gaussdp_sum_auto_release,
		.layout = gaussdp_auto_layout,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_auto_parts,
	},
	[GAUSSDP_AVG_AUTO] = {
		.kind = GAUSSDP_AVG_AUTO,
		.names = {"dp_avg_auto"},
		.finds_bounds = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA}},
			{WEIGHTED, {EPSILON, DELTA, MAX_ROWS}},
		},
		.calibrate = gaussdp_auto_calibrate,
		.release = gaussdp_avg_auto_release,
		.layout = gaussdp_auto_layout,
		.size = gaussdp_size_of_number_row,
		.parts = gaussdp_auto_parts,
	},
	[GAUSSDP_BOUNDS] = {
		.kind = GAUSSDP_BOUNDS,
		.names = {"dp_bounds"},
		.finds_bounds = true,
		.forms = {
			{PLAIN, {EPSILON, DELTA}},
		},
		.calibrate = gaussdp_bounds_calibrate,
		.release = gaussdp_bounds_release,
		.layout = gaussdp_bounds_layout,
	},
};
/* clang-format on */

#define ESTIMATE "_estimate"

const GaussdpDescriptor *
gaussdp_descriptor(int kind)
{
	if (kind < 0 || kind >= (int) lengthof(descriptors) || descriptors[kind].calibrate == NULL)
		return NULL;
	return &descriptors[kind];
}

/* Whether name is that of an aggregate, or of its twin that returns an estimate. */
static bool
is_named(const char *name, const char *aggregate, bool *is_estimate)
{
	size_t len = aggregate == NULL ? 0 : strlen(aggregate);

	if (aggregate == NULL || strncmp(name, aggregate, len) != 0)
		return false;
	*is_estimate = strcmp(name + len, ESTIMATE) == 0;
	return *is_estimate || name[len] == '\0';
}

const GaussdpDescriptor *
gaussdp_descriptor_of(const char *name, bool of_arrays, bool *is_estimate)
{
	for (size_t i = 0; i < lengthof(descriptors); i++)
		for (size_t j = 0; j < lengthof(descriptors[i].names); j++)
			if ((descriptors[i].of_pairs || descriptors[i].of_arrays == of_arrays) &&
				is_named(name, descriptors[i].names[j], is_estimate))
				return &descriptors[i];
	return NULL;
}

const char *
gaussdp_descriptor_name(const GaussdpDescriptor *descriptor, const char *name)
{
	bool is_estimate;

	for (size_t i = 0; i < lengthof(descriptor->names); i++)
		if (is_named(name, descriptor->names[i], &is_estimate))
			return descriptor->names[i];
	return NULL;
}

/* ---------------------------------------------------------------------------
 * Forms and parameters
 * ---------------------------------------------------------------------------
 */

static int
form_length(const GaussdpForm *form)
{
	int n = 0;

	while (form->params[n] != GAUSSDP_PARAM_NONE)
		n++;
	return n;
}

const GaussdpForm *
gaussdp_form(int kind, int nparams, GaussdpUse use)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(kind);

	if (descriptor == NULL || nparams < 0)
		return NULL;
	for (size_t i = 0; i < lengthof(descriptor->forms); i++)
		if ((descriptor->forms[i].use & use) != 0 && form_length(&descriptor->forms[i]) == nparams)
			return &descriptor->forms[i];
	return NULL;
}

const GaussdpForm *
gaussdp_form_of(const GaussdpKey *key)
{
	return gaussdp_form(key->kind, key->nparams, key->weighted ? GAUSSDP_WEIGHTED : GAUSSDP_PLAIN);
}

const char *
gaussdp_form_name(const GaussdpForm *form, int i)
{
	return params[form->params[i]].name;
}

bool
gaussdp_form_is_integer(const GaussdpForm *form, int i)
{
	return params[form->params[i]].is_integer;
}

int
gaussdp_first_param(GaussdpKind kind, int nargs)
{
	return nargs <= gaussdp_descriptor(kind)->bare_args ? 0 : 1;
}

double
gaussdp_param_at(const GaussdpKey *key, int i)
{
	return gaussdp_form_is_integer(gaussdp_form_of(key), i) ? (double) DatumGetInt64(key->raw[i])
															: DatumGetFloat8(key->raw[i]);
}

int
gaussdp_form_place(const GaussdpForm *form, GaussdpParamName name)
{
	for (int i = 0; form->params[i] != GAUSSDP_PARAM_NONE; i++)
		if (form->params[i] == name)
			return i;
	return -1;
}

bool
gaussdp_has_param(const GaussdpKey *key, GaussdpParamName name)
{
	return gaussdp_form_place(gaussdp_form_of(key), name) >= 0;
}

double
gaussdp_param_or(const GaussdpKey *key, GaussdpParamName name, double otherwise)
{
	int place = gaussdp_form_place(gaussdp_form_of(key), name);

	return place < 0 ? otherwise : gaussdp_param_at(key, place);
}

double
gaussdp_param(const GaussdpKey *key, GaussdpParamName name)
{
	if (!gaussdp_has_param(key, name))
		elog(ERROR, "aggregate of kind %d has no %s", key->kind, params[name].name);
	return gaussdp_param_or(key, name, 0);
}

int
gaussdp_rows_place(const GaussdpForm *form)
{
	for (int i = 0; form->params[i] != GAUSSDP_PARAM_NONE; i++)
		if (params[form->params[i]].is_rows)
			return i;
	return -1;
}

double
gaussdp_rows_or(const GaussdpKey *key, double otherwise)
{
	int place = gaussdp_rows_place(gaussdp_form_of(key));

	return place >= 0 ? gaussdp_param_at(key, place) : otherwise;
}

static int
append_qs(const GaussdpKey *key, double values[GAUSSDP_MAX_NUMBERS], int n)
{
	int nqs = gaussdp_key_nqs(key);

	memcpy(values + n, key->qs, nqs * sizeof(double));
	return n + nqs;
}

int
gaussdp_key_nqs(const GaussdpKey *key)
{
	return (int) gaussdp_param_or(key, QS, 0);
}

int
gaussdp_key_numbers(const GaussdpKey *key, double values[GAUSSDP_MAX_NUMBERS])
{
	for (int i = 0; i < key->nparams; i++)
		values[i] = gaussdp_param_at(key, i);
	return append_qs(key, values, key->nparams);
}

int
gaussdp_weighted_values(const GaussdpKey *key, double last, double values[GAUSSDP_MAX_NUMBERS])
{
	const GaussdpForm *form = gaussdp_form_of(key);
	int n = 0;

	for (int i = 0; i < key->nparams; i++)
		if (!params[form->params[i]].is_rows)
			values[n++] = gaussdp_param_at(key, i);
	values[n++] = last;
	return append_qs(key, values, n);
}

/*
 * What was calibrated last: a query's parameters are asked for when it is planned, when it is priced and when it is
 * executed.  A key says all that a calibration depends on.
 */
static struct
{
	GaussdpKey key;
	GaussdpParams params; /* without coordinates: free */
} calibrated[8];

static int next_calibrated = 0;

void
gaussdp_calibrate(GaussdpParams *params)
{
	GaussdpKey key = params->key;

	for (size_t i = 0; i < lengthof(calibrated); i++)
		if (calibrated[i].params.ncoords > 0 && gaussdp_same_key(&calibrated[i].key, &key))
		{
			*params = calibrated[i].params;
			return;
		}
	gaussdp_descriptor(key.kind)->calibrate(params);
	calibrated[next_calibrated].key = key;
	calibrated[next_calibrated].params = *params;
	next_calibrated = (next_calibrated + 1) % (int) lengthof(calibrated);
}
