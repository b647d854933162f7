/*
 * release.c
 *		From the exact integers of a group to what is released of them: the one way by which noise is drawn.
 *
 * Reads states: of the finals below, of private blocks (policy/exec), and those that citus/ makes of the sums of all servers.  How
 * many numbers a kind draws, in which order, and what is made of them is in the kind's own file, behind its descriptor.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "aggregate/cells.h"
#include "aggregate/leaves.h"

Datum
gaussdp_release(GaussdpKind kind, void *state, GaussdpAnswer answer, Oid type)
{
	return gaussdp_descriptor(kind)->release(state, answer, type);
}

Datum
gaussdp_release_result(FunctionCallInfo fcinfo, GaussdpKind kind, void *state, GaussdpAnswer answer)
{
	/* Looked up for rows alone: all other types are known. */
	Oid type =
		answer >= GAUSSDP_AS_ESTIMATE ? get_func_rettype(fcinfo->flinfo->fn_oid) : InvalidOid;

	return gaussdp_release(kind, state, answer, type);
}

/* ---------------------------------------------------------------------------
 * Calls of private blocks
 * ---------------------------------------------------------------------------
 */

struct GaussdpCallRelease
{
	GaussdpParams params; /* with the digits of the state that was read last */
	GaussdpAnswer answer;
	Oid type;
	bool says_cut; /* is it an estimate that says what is cut off? */
	double cut;
	double most;
};

GaussdpCallRelease *
gaussdp_prepare_call_release(const GaussdpCall *call, const Datum *values, const bool *isnull,
							 bool weighted, double k, Oid type)
{
	GaussdpCallRelease *release = palloc0(sizeof(GaussdpCallRelease));
	bool is_root = strcmp(call->name, "dp_stddev") == 0;

	gaussdp_call_params(&release->params, call, values, isnull, weighted, k);
	release->answer = is_root && call->is_estimate ? GAUSSDP_AS_ROOT_ESTIMATE
					  : call->is_estimate          ? GAUSSDP_AS_ESTIMATE
					  : is_root                    ? GAUSSDP_AS_ROOT
												   : GAUSSDP_AS_NUMBER;
	release->type = type;
	return release;
}

void
gaussdp_say_cut(GaussdpCallRelease *release, double cut, double most)
{
	release->says_cut = get_typtype(release->type) == TYPTYPE_COMPOSITE;
	release->cut = cut;
	release->most = most;
}

/* A call is charged whatever the digits of its value are: the plan knows them, and its states say them. */
static void
take_digits(GaussdpParams *params, uint8 digits)
{
	GaussdpKey key = params->key;

	if (digits > 1 + GDP_MAX_SCALE)
		gaussdp_bad_state();
	if (digits == key.digits)
		return;
	key.digits = digits;
	gaussdp_params_fill(params, &key);
}

void *
gaussdp_read_state(GaussdpCallRelease *release, const bytea *bytes)
{
	GaussdpParams *params = &release->params;
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(params->key.kind);
	StringInfoData buf = gaussdp_bytes_to_read(bytes);
	int charged = params->wire_length - (descriptor->scaled ? 1 : 0);

	if (buf.len < params->wire_length || memcmp(buf.data, params->wire, charged) != 0)
		gaussdp_bad_state();
	if (descriptor->scaled)
		take_digits(params, (uint8) buf.data[charged]);
	buf.cursor = params->wire_length;
	if (descriptor->in_leaves)
		return gaussdp_recv_leaves(&buf, params);
	return descriptor->layout == NULL ? (void *) gaussdp_recv_state(&buf, params)
									  : (void *) gaussdp_recv_cells(&buf, params);
}

double
gaussdp_release_roughness(const GaussdpCallRelease *release, void *state)
{
	GaussdpAnswer answer =
		release->answer == GAUSSDP_AS_ROOT || release->answer == GAUSSDP_AS_ROOT_ESTIMATE
			? GAUSSDP_AS_ROOT_ESTIMATE
			: GAUSSDP_AS_ESTIMATE;
	double part;

	switch (release->params.key.kind)
	{
		case GAUSSDP_COUNT:
		case GAUSSDP_SUM:
		case GAUSSDP_AVG:
		case GAUSSDP_VAR:
		case GAUSSDP_QUANTILE:
		case GAUSSDP_SUM_AUTO:
		case GAUSSDP_AVG_AUTO:
			part = DatumGetFloat8(
				gaussdp_release(release->params.key.kind, state, answer, InvalidOid));
			/* An estimate says so itself, and what plain SQL makes of it is NULL. */
			return part < 0 && release->answer >= GAUSSDP_AS_ESTIMATE ? 0 : fabs(part);
		default:
			return NAN;
	}
}

double
gaussdp_release_beyond(const GaussdpCallRelease *release, void *state)
{
	switch (release->params.key.kind)
	{
		case GAUSSDP_SUM_AUTO:
		case GAUSSDP_AVG_AUTO:
			(void) gaussdp_release(release->params.key.kind, state, GAUSSDP_AS_NUMBER, InvalidOid);
			return gaussdp_auto_beyond(state);
		default:
			return 0;
	}
}

Datum
gaussdp_release_state(const GaussdpCallRelease *release, void *state)
{
	Datum result = gaussdp_release(release->params.key.kind, state, release->answer, release->type);

	return release->says_cut ? gaussdp_estimate_with_cut(result, release->cut, release->most)
							 : result;
}

/* ---------------------------------------------------------------------------
 * Final functions
 * ---------------------------------------------------------------------------
 */

static Datum
finish(FunctionCallInfo fcinfo, GaussdpKind kind, GaussdpAnswer answer)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(kind);
	void *state;

	if (descriptor->in_leaves)
		state = gaussdp_leaves_to_release(fcinfo, kind);
	else if (descriptor->layout != NULL)
		state = gaussdp_cells_to_release(fcinfo, kind);
	else
		state = gaussdp_state_to_release(fcinfo, kind);
	return gaussdp_release_result(fcinfo, kind, state, answer);
}

/* Defines a final function. */
#define FINAL(name, kind, answer)                                                                  \
	PG_FUNCTION_INFO_V1(gaussdp_##name##_final);                                                   \
	Datum gaussdp_##name##_final(PG_FUNCTION_ARGS)                                                 \
	{                                                                                              \
		return finish(fcinfo, kind, answer);                                                       \
	}

FINAL(count, GAUSSDP_COUNT, GAUSSDP_AS_NUMBER)
FINAL(count_estimate, GAUSSDP_COUNT, GAUSSDP_AS_ESTIMATE)
FINAL(sum, GAUSSDP_SUM, GAUSSDP_AS_NUMBER)
FINAL(sum_estimate, GAUSSDP_SUM, GAUSSDP_AS_ESTIMATE)
FINAL(avg, GAUSSDP_AVG, GAUSSDP_AS_NUMBER)
FINAL(avg_estimate, GAUSSDP_AVG, GAUSSDP_AS_ESTIMATE)
FINAL(keep_group, GAUSSDP_KEEP_GROUP, GAUSSDP_AS_NUMBER)
FINAL(var, GAUSSDP_VAR, GAUSSDP_AS_NUMBER)
FINAL(stddev, GAUSSDP_VAR, GAUSSDP_AS_ROOT)
FINAL(var_estimate, GAUSSDP_VAR, GAUSSDP_AS_ESTIMATE)
FINAL(stddev_estimate, GAUSSDP_VAR, GAUSSDP_AS_ROOT_ESTIMATE)
FINAL(histogram, GAUSSDP_HISTOGRAM, GAUSSDP_AS_NUMBER)
FINAL(histogram_estimate, GAUSSDP_HISTOGRAM, GAUSSDP_AS_ESTIMATE)
FINAL(cdf, GAUSSDP_CDF, GAUSSDP_AS_NUMBER)
FINAL(quantile, GAUSSDP_QUANTILE, GAUSSDP_AS_NUMBER)
FINAL(quantile_estimate, GAUSSDP_QUANTILE, GAUSSDP_AS_ESTIMATE)
FINAL(quantiles, GAUSSDP_QUANTILES, GAUSSDP_AS_NUMBER)
FINAL(vector_sum, GAUSSDP_VECTOR_SUM, GAUSSDP_AS_NUMBER)
FINAL(vector_avg, GAUSSDP_VECTOR_AVG, GAUSSDP_AS_NUMBER)
FINAL(regression, GAUSSDP_REGRESSION, GAUSSDP_AS_ESTIMATE)
FINAL(bounds, GAUSSDP_BOUNDS, GAUSSDP_AS_NUMBER)
FINAL(sum_auto, GAUSSDP_SUM_AUTO, GAUSSDP_AS_NUMBER)
FINAL(sum_auto_estimate, GAUSSDP_SUM_AUTO, GAUSSDP_AS_ESTIMATE)
FINAL(avg_auto, GAUSSDP_AVG_AUTO, GAUSSDP_AS_NUMBER)
FINAL(avg_auto_estimate, GAUSSDP_AVG_AUTO, GAUSSDP_AS_ESTIMATE)
