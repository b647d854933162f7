/*
 * split.h
 *		What the files of this folder share.
 */
#ifndef GAUSSDP_CITUS_SPLIT_H
#define GAUSSDP_CITUS_SPLIT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"
#include "nodes/parsenodes.h"

#include "aggregate/calls.h"
#include "aggregate/state.h"
#include "citus/citus.h"

/* Whether this database has Citus' catalog at all. */
extern bool gaussdp_has_distributed(void);

/* Whether a query reads a table that Citus distributes, at any depth; and which. */
extern bool gaussdp_finds_distributed(Node *node, Oid *relation);

/*
 * Where a query has two equal private aggregates, in its target list and in HAVING: makes it, in place, one over a
 * sub-select that has each of them once.  0A000 where that cannot be had.
 */
extern void gaussdp_share_calls(Query *query);

/* An aggregate in the place of a call, over this value; NULL: over rows. */
extern Expr *gaussdp_split_aggregate(const Aggref *call, Oid function, Expr *value);

/* A call of this function of gaussdp_internal. */
extern Expr *gaussdp_split_function(const char *name, List *arguments);

/* The call's value, this argument, as a double; none of the ways can fail. */
extern Expr *gaussdp_split_value(const Aggref *call, int argument);

/* weighted.c: as gaussdp_split_params, of weighted calls alone: 22023. */
extern const GaussdpParams *gaussdp_weighted_params_of(FunctionCallInfo fcinfo, int argument);

/* Argument 0, which nobody but the policy's windows makes. */
static inline int64
gaussdp_split_weight(FunctionCallInfo fcinfo)
{
	return Min(Max(PG_GETARG_INT64(0), 0), GDP_WEIGHT_ROW);
}

/* cell_sums.c: the cells of a sum that argument 0 is, none of them where it is null; 22023 unless they are from first on and below ncells. */
extern GaussdpPart *gaussdp_sums_of_cells(FunctionCallInfo fcinfo, int32 first, int32 ncells,
										  int *n);

/* weighted.c: takes the weighted form of a call, (m, params [, value]) or (total, params), apart. */
extern GaussdpSplitCall gaussdp_split_weighted_call(const GaussdpCall *call, const Aggref *aggref);

/* Defines the function release_name of what MAKE(fcinfo, kind) makes of its arguments, a state. */
#define GAUSSDP_RELEASE(name, MAKE, kind, answer)                                                  \
	PG_FUNCTION_INFO_V1(gaussdp_release_##name);                                                   \
	Datum gaussdp_release_##name(PG_FUNCTION_ARGS)                                                 \
	{                                                                                              \
		return gaussdp_release_result(fcinfo, kind, MAKE(fcinfo, kind), answer);                   \
	}

/* release.c: the whole number that argument i, a numeric, is; 0 where it is null.  22023 where it is none. */
extern gdp_int128 gaussdp_split_total(FunctionCallInfo fcinfo, int i);

/*
 * Parameters as bytes: as in the serialized form of a state, then the noise that they were calibrated to, so that servers
 * with libraries of different versions notice.
 */
extern bytea *gaussdp_params_to_bytes(const GaussdpParams *params);

/* What a call site knows of its parameters; hangs on fn_extra. */
typedef struct GaussdpSplitSite
{
	bool constant; /* the bytes cannot change while the query runs */
	bytea *bytes;  /* those that params were made from */
	GaussdpParams params;
} GaussdpSplitSite;

/* The parameters in the bytes of this argument: 22004 where it is null, 22P03 or 22023 where it is bad, 55000 as above. */
extern const GaussdpParams *gaussdp_params_of_argument(FunctionCallInfo fcinfo, int argument);

/* The same, where nothing has to be looked at: nearly all rows go this way. */
static pg_attribute_always_inline const GaussdpParams *
gaussdp_split_params(FunctionCallInfo fcinfo, int argument)
{
	const GaussdpSplitSite *site = fcinfo->flinfo->fn_extra;

	if (likely(site != NULL && site->constant))
		return &site->params;
	return gaussdp_params_of_argument(fcinfo, argument);
}

/* 22023: the parameters are those of another kind of call. */
pg_noreturn extern void gaussdp_report_other_kind(void);

/* Numbers in the cells of automatic bounds as they travel: a count for each, then two halves of its sum. */
#define GAUSSDP_AUTO_NUMBERS (3 * GAUSSDP_AUTO_CELLS)

/* values.c: an array of so many zeros; 22023: such arrays are not those of one call. */
extern struct ArrayType *gaussdp_new_numbers(MemoryContext context, int n);
pg_noreturn extern void gaussdp_report_cells(void);

/* The numbers of an array of int8; NULL unless it is one of so many, without nulls. */
extern int64 *gaussdp_numbers_of(struct ArrayType *array, int n);

#endif /* GAUSSDP_CITUS_SPLIT_H */
