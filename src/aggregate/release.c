/*
 * release.c
 *		From the exact integers of a group to what is released of them: the one way by which noise is drawn.
 *
 * Reads states: of the finals below, of private blocks (policy/exec), and those that citus/ makes of the sums of all servers.  How
 * many numbers a kind draws, in which order, and what is made of them is in the kind's own file, behind its descriptor.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "aggregate/cells.h"

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
		answer == GAUSSDP_AS_ESTIMATE ? get_func_rettype(fcinfo->flinfo->fn_oid) : InvalidOid;

	return gaussdp_release(kind, state, answer, type);
}

/* ---------------------------------------------------------------------------
 * Calls of private blocks
 * ---------------------------------------------------------------------------
 */

struct GaussdpCallRelease
{
	GaussdpParams params;
	GaussdpAnswer answer;
	Oid type;
};

GaussdpCallRelease *
gaussdp_prepare_call_release(const GaussdpCall *call, const Datum *values, const bool *isnull,
							 bool weighted, double k, Oid type)
{
	GaussdpCallRelease *release = palloc0(sizeof(GaussdpCallRelease));

	gaussdp_call_params(&release->params, call, values, isnull, weighted, k);
	release->answer = call->is_estimate                      ? GAUSSDP_AS_ESTIMATE
					  : strcmp(call->name, "dp_stddev") == 0 ? GAUSSDP_AS_ROOT
															 : GAUSSDP_AS_NUMBER;
	release->type = type;
	return release;
}

void *
gaussdp_read_state(const GaussdpCallRelease *release, const bytea *bytes)
{
	const GaussdpParams *params = &release->params;
	StringInfoData buf = gaussdp_bytes_to_read(bytes);

	if (buf.len < params->wire_length || memcmp(buf.data, params->wire, params->wire_length) != 0)
		gaussdp_bad_state();
	buf.cursor = params->wire_length;
	if (gaussdp_descriptor(params->key.kind)->layout == NULL)
		return gaussdp_recv_state(&buf, params);
	return gaussdp_recv_cells(&buf, params);
}

Datum
gaussdp_release_state(const GaussdpCallRelease *release, void *state)
{
	return gaussdp_release(release->params.key.kind, state, release->answer, release->type);
}

/* ---------------------------------------------------------------------------
 * Final functions
 * ---------------------------------------------------------------------------
 */

static Datum
finish(FunctionCallInfo fcinfo, GaussdpKind kind, GaussdpAnswer answer)
{
	void *state = gaussdp_descriptor(kind)->layout == NULL
					  ? (void *) gaussdp_state_to_release(fcinfo, kind)
					  : (void *) gaussdp_cells_to_release(fcinfo, kind);

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
FINAL(histogram, GAUSSDP_HISTOGRAM, GAUSSDP_AS_NUMBER)
FINAL(quantile, GAUSSDP_QUANTILE, GAUSSDP_AS_NUMBER)
FINAL(vector_sum, GAUSSDP_VECTOR_SUM, GAUSSDP_AS_NUMBER)
FINAL(vector_avg, GAUSSDP_VECTOR_AVG, GAUSSDP_AS_NUMBER)
FINAL(sum_auto, GAUSSDP_SUM_AUTO, GAUSSDP_AS_NUMBER)
FINAL(sum_auto_estimate, GAUSSDP_SUM_AUTO, GAUSSDP_AS_ESTIMATE)
FINAL(avg_auto, GAUSSDP_AVG_AUTO, GAUSSDP_AS_NUMBER)
FINAL(avg_auto_estimate, GAUSSDP_AVG_AUTO, GAUSSDP_AS_ESTIMATE)
