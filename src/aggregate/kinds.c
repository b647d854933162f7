/*
 * kinds.c
 *		The kinds of aggregates: their names, forms, calibrations, states, thresholds.
 *
 * Reads the functions of the kinds' own files; hands descriptors to args.c, cells.c, calls.c and pack.c.
 */
#include "postgres.h"

#include "aggregate/cells.h"

#define EPSILON GAUSSDP_PARAM_EPSILON
#define DELTA GAUSSDP_PARAM_DELTA
#define L2_SENSITIVITY GAUSSDP_PARAM_L2_SENSITIVITY
#define LOWER GAUSSDP_PARAM_LOWER
#define UPPER GAUSSDP_PARAM_UPPER
#define MAX_ROWS GAUSSDP_PARAM_MAX_ROWS
#define BINS GAUSSDP_PARAM_BINS
#define Q GAUSSDP_PARAM_Q
#define L2_NORM GAUSSDP_PARAM_L2_NORM
#define DIMENSIONS GAUSSDP_PARAM_DIMENSIONS

static const struct
{
	const char *name;
	bool is_integer; /* int8, not float8 */
} params[] = {
	[EPSILON] = {"epsilon", false},
	[DELTA] = {"delta", false},
	[L2_SENSITIVITY] = {"l2_sensitivity", false},
	[LOWER] = {"lower", false},
	[UPPER] = {"upper", false},
	[MAX_ROWS] = {"max_rows", true},
	[BINS] = {"bins", true},
	[Q] = {"q", false},
	[L2_NORM] = {"l2_norm", false},
	[DIMENSIONS] = {"dimensions", true},
};

/* By their numbers. */
static const GaussdpDescriptor descriptors[] = {
	[GAUSSDP_COUNT] = {.kind = GAUSSDP_COUNT,
					   .names = {"dp_count"},
					   .bare_args = 2,
					   .forms = {{{EPSILON, DELTA}}, {{EPSILON, DELTA, L2_SENSITIVITY}}},
					   .calibrate = gaussdp_count_calibrate,
					   .hiding_delta = gaussdp_count_hiding_delta,
					   .hiding_least = gaussdp_count_hiding_least,
					   .packed = "count_packed"},
	[GAUSSDP_SUM] = {.kind = GAUSSDP_SUM,
					 .names = {"dp_sum"},
					 .forms = {{{EPSILON, DELTA, L2_SENSITIVITY}},
							   {{EPSILON, DELTA, LOWER, UPPER}},
							   {{EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}}},
					 .calibrate = gaussdp_sum_calibrate,
					 .packed = "sum_packed"},
	[GAUSSDP_AVG] = {.kind = GAUSSDP_AVG,
					 .names = {"dp_avg"},
					 .forms = {{{EPSILON, DELTA, LOWER, UPPER}},
							   {{EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}}},
					 .calibrate = gaussdp_avg_calibrate,
					 .packed = "avg_packed"},
	[GAUSSDP_KEEP_GROUP] = {.kind = GAUSSDP_KEEP_GROUP,
							.names = {"dp_keep_group"},
							.bare_args = 3,
							.forms = {{{EPSILON, DELTA}}, {{EPSILON, DELTA, MAX_ROWS}}},
							.calibrate = gaussdp_keep_calibrate,
							.threshold_delta = gaussdp_keep_delta},
	[GAUSSDP_VAR] = {.kind = GAUSSDP_VAR,
					 .names = {"dp_var", "dp_stddev"},
					 .forms = {{{EPSILON, DELTA, LOWER, UPPER}},
							   {{EPSILON, DELTA, LOWER, UPPER, MAX_ROWS}}},
					 .calibrate = gaussdp_var_calibrate,
					 .layout = gaussdp_var_layout},
	[GAUSSDP_HISTOGRAM] = {.kind = GAUSSDP_HISTOGRAM,
						   .names = {"dp_histogram"},
						   .forms = {{{EPSILON, DELTA, LOWER, UPPER, BINS}}},
						   .calibrate = gaussdp_histogram_calibrate,
						   .layout = gaussdp_rows_layout},
	[GAUSSDP_QUANTILE] = {.kind = GAUSSDP_QUANTILE,
						  .names = {"dp_quantile", "dp_median"},
						  .forms = {{{EPSILON, DELTA, LOWER, UPPER}},
									{{EPSILON, DELTA, LOWER, UPPER, Q}}},
						  .calibrate = gaussdp_quantile_calibrate,
						  .layout = gaussdp_rows_layout},
	[GAUSSDP_VECTOR_SUM] = {.kind = GAUSSDP_VECTOR_SUM,
							.names = {"dp_sum"},
							.of_arrays = true,
							.forms = {{{EPSILON, DELTA, L2_NORM, DIMENSIONS}}},
							.calibrate = gaussdp_vector_calibrate,
							.layout = gaussdp_vector_layout},
	[GAUSSDP_VECTOR_AVG] = {.kind = GAUSSDP_VECTOR_AVG,
							.names = {"dp_avg"},
							.of_arrays = true,
							.forms = {{{EPSILON, DELTA, L2_NORM, DIMENSIONS}}},
							.calibrate = gaussdp_vector_calibrate,
							.layout = gaussdp_vector_layout},
	[GAUSSDP_SUM_AUTO] = {.kind = GAUSSDP_SUM_AUTO,
						  .names = {"dp_sum_auto"},
						  .finds_bounds = true,
						  .forms = {{{EPSILON, DELTA}}},
						  .calibrate = gaussdp_auto_calibrate,
						  .layout = gaussdp_auto_layout},
	[GAUSSDP_AVG_AUTO] = {.kind = GAUSSDP_AVG_AUTO,
						  .names = {"dp_avg_auto"},
						  .finds_bounds = true,
						  .forms = {{{EPSILON, DELTA}}},
						  .calibrate = gaussdp_auto_calibrate,
						  .layout = gaussdp_auto_layout},
};

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
			if (descriptors[i].of_arrays == of_arrays &&
				is_named(name, descriptors[i].names[j], is_estimate))
				return &descriptors[i];
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
gaussdp_form(int kind, int nparams)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(kind);

	if (descriptor == NULL || nparams <= 0)
		return NULL;
	for (size_t i = 0; i < lengthof(descriptor->forms); i++)
		if (form_length(&descriptor->forms[i]) == nparams)
			return &descriptor->forms[i];
	return NULL;
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
	return gaussdp_form_is_integer(gaussdp_form(key->kind, key->nparams), i)
			   ? (double) DatumGetInt64(key->raw[i])
			   : DatumGetFloat8(key->raw[i]);
}

/* Where a parameter stands in a form; -1 where it has none of that name. */
static int
place_of(const GaussdpForm *form, GaussdpParamName name)
{
	for (int i = 0; form->params[i] != GAUSSDP_PARAM_NONE; i++)
		if (form->params[i] == name)
			return i;
	return -1;
}

bool
gaussdp_has_param(const GaussdpKey *key, GaussdpParamName name)
{
	return place_of(gaussdp_form(key->kind, key->nparams), name) >= 0;
}

double
gaussdp_param_or(const GaussdpKey *key, GaussdpParamName name, double otherwise)
{
	int place = place_of(gaussdp_form(key->kind, key->nparams), name);

	return place < 0 ? otherwise : gaussdp_param_at(key, place);
}

double
gaussdp_param(const GaussdpKey *key, GaussdpParamName name)
{
	if (!gaussdp_has_param(key, name))
		elog(ERROR, "aggregate of kind %d has no %s", key->kind, params[name].name);
	return gaussdp_param_or(key, name, 0);
}
