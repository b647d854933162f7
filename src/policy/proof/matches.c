/*
 * matches.c
 *		Public relations of which several rows may stand beside a protected one.
 *
 * Weights count joined rows, so that a person counts for the same whatever their rows are joined to.  Only how many
 * matches there may be has a limit, which is asked of the rows that have been read (policy/exec/public_rows.c).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"

#include "policy/proof/internal.h"

/* Functions whose rows are joined; constants and parameters alone say what these are. */
static const Oid series[] = {F_GENERATE_SERIES_INT4_INT4,
							 F_GENERATE_SERIES_INT4_INT4_INT4,
							 F_GENERATE_SERIES_INT8_INT8,
							 F_GENERATE_SERIES_INT8_INT8_INT8,
							 F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL,
							 F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL};

/* A constant, or a parameter that is one when the rows are read. */
static bool
is_constant(Node *node)
{
	node = eval_const_expressions(NULL, node);
	return IsA(node, Const) || (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN);
}

static bool
are_constant(List *expressions)
{
	ListCell *lc;

	foreach (lc, expressions)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_constant(lfirst(lc)))
			return false;
	}
	return true;
}

bool
gaussdp_is_series(Node *call)
{
	if (IsA(call, FuncExpr))
		for (size_t i = 0; i < lengthof(series); i++)
			if (((FuncExpr *) call)->funcid == series[i])
				return true;
	return false;
}

/* The one call of generate_series that the entry is; or NULL. */
static FuncExpr *
series_of(const RangeTblEntry *entry)
{
	Node *call;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1 ||
		entry->funcordinality)
		return NULL;
	call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	return gaussdp_is_series(call) ? (FuncExpr *) call : NULL;
}

static bool
is_series(const RangeTblEntry *entry)
{
	const FuncExpr *call = series_of(entry);

	return call != NULL && are_constant(call->args);
}

bool
gaussdp_rows_are_constant(const RangeTblEntry *entry)
{
	ListCell *lc;

	if (entry->rtekind == RTE_FUNCTION)
		return is_series(entry);
	foreach (lc, entry->values_lists)
		if (!are_constant(lfirst(lc)))
			return false;
	return true;
}
