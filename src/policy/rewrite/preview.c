/*
 * preview.c
 *		Previews of rows: tools show a table's first rows, or read the columns of the result.
 *
 *		SELECT region, born FROM customers ORDER BY born LIMIT 100
 *
 * shows its columns and no row, and says so, wherever a client sees that.  A table or file that a statement fills, or a variable of a
 * function, would be empty without a word.  Which it is shows when the query runs: a plan is kept, and run by other statements.  So
 *
 *		SELECT NULL::text AS region, NULL::date AS born WHERE gaussdp_internal.preview('customers')
 *
 * asks then, and is refused for all but clients.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "tcop/pquery.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "ledger/ledger.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"
#include "settings.h"

/* A preview asks for so many rows at most. */
#define MOST_PREVIEWED 10000

PG_FUNCTION_INFO_V1(gaussdp_preview);

/*
 * SELECT * FROM orders LIMIT 1, and nothing else: what Django's inspectdb asks of each table, to look at the columns of
 * the result.  Only where plain SQL is answered, and told, since the table looks empty.
 */
static bool
is_sample(Query *query)
{
	RangeTblEntry *entry;
	Const *limit;
	int ncolumns = 0;
	ListCell *lc;

	if (!gaussdp_answer_plain_sql || !gaussdp_only_shows(query) || query->cteList != NIL ||
		list_length(query->rtable) != 1 || query->jointree->quals != NULL || query->hasAggs ||
		query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		query->limitOffset != NULL)
		return false;
	entry = linitial_node(RangeTblEntry, query->rtable);
	limit = (Const *) eval_const_expressions(NULL, query->limitCount);
	if (!gaussdp_needs_proof(entry) || limit == NULL || !IsA(limit, Const) || limit->constisnull ||
		DatumGetInt64(limit->constvalue) != 1)
		return false;
	foreach (lc, query->targetList)
		if (!IsA(lfirst_node(TargetEntry, lc)->expr, Var))
			return false;
	/* columns that were dropped have no name */
	foreach (lc, entry->eref->colnames)
		ncolumns += *strVal(lfirst(lc)) != '\0';
	return list_length(query->targetList) == ncolumns;
}

/* Does the entry, of the query's own FROM, have rows of people that nothing has aggregated? */
static bool
has_rows(const RangeTblEntry *entry, Query *query)
{
	const CommonTableExpr *cte = gaussdp_cte_of(entry, list_make1(query));
	Query *sub = cte != NULL ? castNode(Query, cte->ctequery) : entry->subquery;

	return gaussdp_needs_proof(entry) || (sub != NULL && gaussdp_shows_people(sub));
}

/* SELECT region, born FROM customers WHERE ... ORDER BY ... LIMIT 100 */
static bool
is_of_rows(Query *query)
{
	Const *limit = (Const *) eval_const_expressions(NULL, query->limitCount);
	ListCell *lc;

	if (!gaussdp_answer_plain_sql || !gaussdp_only_shows(query) || query->hasAggs ||
		query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		query->setOperations != NULL || limit == NULL || !IsA(limit, Const) || limit->constisnull ||
		DatumGetInt64(limit->constvalue) < 1 || DatumGetInt64(limit->constvalue) > MOST_PREVIEWED)
		return false;
	foreach (lc, query->rtable)
		if (has_rows(lfirst_node(RangeTblEntry, lc), query))
			return true;
	return false;
}

/* Stops, with true, at the first protected table. */
static bool
find_protected(Node *node, Oid *relation)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (gaussdp_needs_proof((RangeTblEntry *) node))
			*relation = ((RangeTblEntry *) node)->relid;
		return OidIsValid(*relation);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, find_protected, relation, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, find_protected, relation);
}

bool
gaussdp_is_written_as_preview(Query *query)
{
	return is_sample(query) || is_of_rows(query);
}

/* Other rows than a sample are asked for by a statement of its own, which is planned before any portal runs: others may fill something. */
bool
gaussdp_is_preview(Query *query)
{
	return is_sample(query) || (ActivePortal == NULL && is_of_rows(query));
}

Node *
gaussdp_make_told(Query *query)
{
	Oid relation = InvalidOid;

	(void) find_protected((Node *) query, &relation);
	return (Node *) makeFuncExpr(gaussdp_own_function("preview", list_make1_oid(REGCLASSOID)),
								 BOOLOID,
								 list_make1(makeConst(REGCLASSOID, -1, InvalidOid, sizeof(Oid),
													  ObjectIdGetDatum(relation), false, true)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Stops, with true, at a call of the function. */
static bool
calls(Node *node, void *function)
{
	if (node == NULL)
		return false;
	return (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == *(Oid *) function) ||
		   expression_tree_walker(node, calls, function);
}

/* Is the statement that calls it the client's own, and does its result go there, or to the rows that FETCH and EXECUTE send on? */
static bool
is_seen(Oid function)
{
	const QueryDesc *query = ActivePortal != NULL ? ActivePortal->queryDesc : NULL;

	if (query == NULL || !IsA(query->plannedstmt->planTree, Result) ||
		!calls(((Result *) query->plannedstmt->planTree)->resconstantqual, &function))
		return false;
	switch (query->dest->mydest)
	{
		case DestDebug:
		case DestRemote:
		case DestRemoteExecute:
		case DestRemoteSimple:
		case DestTuplestore:
			return true;
		default:
			return false;
	}
}

/* gaussdp_internal.preview(regclass) */
Datum
gaussdp_preview(PG_FUNCTION_ARGS)
{
	const char *name = get_rel_name(PG_GETARG_OID(0));

	if (!is_seen(fcinfo->flinfo->fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", name ? name : "?"),
				 errdetail("Its rows are not shown, and would be missing here without a word."),
				 errhint("gaussdp.columns shows what there is to ask about.")));
	ereport(NOTICE,
			(errmsg("rows of table \"%s\" are not shown", name ? name : "?"),
			 errdetail("With gaussdp.answer_plain_sql, a query of rows with LIMIT %d or less "
					   "shows its columns, and no row.",
					   MOST_PREVIEWED),
			 errhint("gaussdp.columns shows what there is to ask about.")));
	PG_RETURN_BOOL(false);
}
