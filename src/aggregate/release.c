/*
 * release.c
 *		From the exact integers of a group to what is released of them: the one way by which noise is drawn.
 *
 * Reads states: of the finals below, of private blocks (policy/exec), and those that citus/ makes of the sums of all servers.  How
 * many numbers a kind draws, in which order, and what is made of them is in the kind's own file, behind its descriptor.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

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
