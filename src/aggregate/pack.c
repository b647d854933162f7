/*
 * pack.c
 *		Calls with constant parameters: planned with all of them in one constant.
 *
 * The executor evaluates each argument of an aggregate for each row, constants too: four of them are a
 * good tenth of what dp_sum costs.  So dp_sum(x, 0.5, 1e-6, 0, 100) is planned as
 * gaussdp_internal.sum_packed(x, '{0.5,1e-06,0,100}'), which has the same functions and the same state (args.c takes
 * the array apart, once).  Only speed depends on it: a call that is not packed gives the same answer.
 *
 * A foreign server is sent the query as text.  There the calls stay as they were written, so that a policy of that server
 * knows them.
 *
 * Comes last, when the policy has seen the calls as they were written; it knows no packed ones, and
 * refuses those that somebody writes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "aggregate/pack.h"

/* The aggregate that takes the parameters of this one packed; NULL where there is none. */
static const char *
packed_name(const GaussdpCall *call)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);

	if (call->is_estimate || call->lacks_bounds || (descriptor->bare_args > 0 && call->has_value))
		return NULL;
	return descriptor->packed;
}

/* The number that a parameter is; false where it is no constant, null, or no double. */
static bool
constant_of(Expr *expr, Datum *value)
{
	Const *folded = (Const *) eval_const_expressions(NULL, (Node *) expr);
	double number;

	if (!IsA(folded, Const) || folded->constisnull)
		return false;
	if (folded->consttype == FLOAT8OID)
		number = DatumGetFloat8(folded->constvalue);
	else if (folded->consttype == INT8OID)
		number = (double) DatumGetInt64(folded->constvalue);
	else
		return false;
	*value = Float8GetDatum(number);
	return folded->consttype == FLOAT8OID || fabs(number) < GAUSSDP_MAX_PACKED_INTEGER;
}

static void
pack(Aggref *aggref, const GaussdpCall *call)
{
	const char *name = packed_name(call);
	Datum values[GAUSSDP_MAX_PARAMS];
	ArrayType *array;
	Expr *packed;

	/* The columns of an ORDER BY or DISTINCT in the call count its arguments. */
	if (name == NULL || list_length(aggref->args) != call->first + call->nparams ||
		aggref->aggorder != NIL || aggref->aggdistinct != NIL)
		return;
	for (int i = 0; i < call->nparams; i++)
		if (!constant_of(((TargetEntry *) list_nth(aggref->args, call->first + i))->expr,
						 &values[i]))
			return;

	array = construct_array(values, call->nparams, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
							TYPALIGN_DOUBLE);
	packed = (Expr *) makeConst(FLOAT8ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false,
								false);
	aggref->args = lappend(list_truncate(aggref->args, call->first),
						   makeTargetEntry(packed, (AttrNumber) (call->first + 1), NULL, false));
	aggref->aggargtypes =
		lappend_oid(list_truncate(aggref->aggargtypes, call->first), FLOAT8ARRAYOID);
	aggref->aggfnoid = gaussdp_call_packed(name, aggref->aggargtypes);
}

/* Does a foreign server have rows of the table, or of a partition or child of it? */
static bool
is_foreign(const RangeTblEntry *entry)
{
	ListCell *lc;

	if (entry->rtekind != RTE_RELATION)
		return false;
	if (entry->relkind == RELKIND_FOREIGN_TABLE)
		return true;
	if (!entry->inh || !has_subclass(entry->relid))
		return false;
	foreach (lc, find_all_inheritors(entry->relid, AccessShareLock, NULL))
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_FOREIGN_TABLE)
			return true;
	return false;
}

/* Stops, with true, at a foreign table. */
static bool
finds_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return is_foreign((RangeTblEntry *) node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_foreign, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, finds_foreign, context);
}

/* Stops, with true, at a call. */
static bool
finds_call(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_call, context, 0);
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	return expression_tree_walker(node, finds_call, context);
}

static bool
pack_walker(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, pack_walker, context, 0);
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		pack((Aggref *) node, &call);
	return expression_tree_walker(node, pack_walker, context);
}

bool
gaussdp_pack_calls(Query *query)
{
	if (!finds_call((Node *) query, NULL))
		return false;
	if (finds_foreign((Node *) query, NULL))
		return true;
	(void) pack_walker((Node *) query, NULL);
	return false;
}
