/*
 * twist.c
 *		For tests: plans queries that no parser makes, but another library's hook could.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"

#include "compat.h"
#include "policy/proof/proof.h"
#include "reach.h"

PG_FUNCTION_INFO_V1(test_plan_twisted);
PG_FUNCTION_INFO_V1(test_prove_twisted);

/* What is changed in expressions. */
static bool
twist_expression(Node *node, char *twist)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && strcmp(twist, "variadic") == 0)
		((Aggref *) node)->aggvariadic = true;
	else if (IsA(node, Aggref) && strcmp(twist, "outer call") == 0)
		((Aggref *) node)->agglevelsup = 1;
	else if (IsA(node, Var) && strcmp(twist, "no column") == 0)
		((Var *) node)->varattno = 99;
	else if (IsA(node, Var) && strcmp(twist, "other type") == 0)
		((Var *) node)->vartypmod = 99;
	else if (IsA(node, Var) && strcmp(twist, "pointer") == 0)
		((Var *) node)->vartype = BYTEAOID;
	else if (IsA(node, Var) && strcmp(twist, "outer column") == 0)
		((Var *) node)->varlevelsup = 1;
	return expression_tree_walker(node, twist_expression, twist);
}

static void
twist_query(Query *query, char *twist)
{
	if (strcmp(twist, "not grouped") == 0)
		query->groupClause = NIL;
	else if (strcmp(twist, "set operation") == 0)
		query->setOperations = (Node *) makeNode(SetOperationStmt);
	else if (strcmp(twist, "aggregates") == 0)
		query->hasAggs = true;
	else if (strcmp(twist, "lateral") == 0)
		llast_node(RangeTblEntry, query->rtable)->lateral = true;
	else if (strcmp(twist, "outward sub-select") == 0)
		(void) query_tree_walker(llast_node(RangeTblEntry, query->rtable)->subquery,
								 twist_expression, "outer column", 0);
	else if (strcmp(twist, "not in FROM") == 0)
		query->jointree->fromlist = NIL;
	else if (strcmp(twist, "WHERE as HAVING") == 0)
		query->havingQual = query->jointree->quals;
	else if (strcmp(twist, "unsorted") == 0)
		linitial_node(SortGroupClause, query->groupClause)->sortop = InvalidOid;
	else if (strcmp(twist, "locking") == 0)
		query->hasForUpdate = true;
	else if (strcmp(twist, "other kind") == 0)
		linitial_node(RangeTblEntry, query->rtable)->relkind = RELKIND_MATVIEW;
	else
		(void) query_tree_walker(query, twist_expression, twist, 0);
}

/* test_plan_twisted(query, twist): plans the query, changed after its analysis, as the current role. */
Datum
test_plan_twisted(PG_FUNCTION_ARGS)
{
	char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	RawStmt *parsed = linitial_node(RawStmt, pg_parse_query(sql));
	List *queries = pg_analyze_and_rewrite_fixedparams(parsed, sql, NULL, 0, NULL);

	twist_query(linitial_node(Query, queries), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	(void) pg_plan_query(linitial_node(Query, queries), sql, 0, NULL);
	PG_RETURN_VOID();
}

/* The condition that leaves out rows of nobody, gone or another one. */
static void
twist_nobody(Query *query, const char *twist)
{
	RangeTblEntry *entry = linitial_node(RangeTblEntry, query->rtable);
	NullTest *condition =
		entry->securityQuals != NIL ? linitial_node(NullTest, entry->securityQuals) : NULL;

	if (condition == NULL)
		return;
	if (strcmp(twist, "only rows of nobody") == 0)
		condition->nulltesttype = IS_NULL;
	else if (strcmp(twist, "rows without another column") == 0)
		((Var *) condition->arg)->varattno++;
	else if (strcmp(twist, "rows without another's unit") == 0)
		((Var *) condition->arg)->varno++;
	else if (strcmp(twist, "rows of somebody or any") == 0)
		linitial(entry->securityQuals) =
			makeBoolExpr(OR_EXPR, list_make2(condition, makeBoolConst(true, false)), -1);
	else
		entry->securityQuals = NIL;
	if (strcmp(twist, "rows of nobody dropped by WHERE alone") == 0)
		query->jointree->quals = (Node *) condition;
}

/* The same of a condition of a level; columns of its first relation become those of one that is not in FROM. */
static bool
twist_condition(Node *node, Query *level)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && list_length(level->rtable) > ((Var *) node)->varno)
		((Var *) node)->varno = list_length(level->rtable);
	return expression_tree_walker(node, twist_condition, level);
}

static bool
twist_types(Node *node, char *twist)
{
	if (node == NULL)
		return false;
	if (IsA(node, OpExpr) && strcmp(twist, "odd collation") == 0)
		((OpExpr *) node)->inputcollid =
			get_collation_oid(list_make1(makeString(pstrdup("odd"))), false);
	else if (IsA(node, FuncExpr) && strcmp(twist, "set in WHERE") == 0)
		((FuncExpr *) node)->funcretset = true;
	else if (IsA(node, Var) && strcmp(twist, "typmod") == 0)
		((Var *) node)->vartypmod = 7;
	return expression_tree_walker(node, twist_types, twist);
}

/* What rewriting could do to a level behind whoever looked at the query before. */
static void
twist_level(Query *level, char *twist)
{
	Query *inner = llast_node(RangeTblEntry, level->rtable)->subquery;
	Query *query = inner != NULL ? inner : level;
	Node *one = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(1), false,
								   FLOAT8PASSBYVAL);

	if (strcmp(twist, "LIMIT") == 0)
		query->limitCount = one;
	else if (strcmp(twist, "OFFSET") == 0)
		query->limitOffset = one;
	else if (strcmp(twist, "DISTINCT ON") == 0)
		query->hasDistinctOn = true;
	else if (strcmp(twist, "locking") == 0)
		query->hasForUpdate = true;
	else if (strcmp(twist, "sets in its list") == 0)
		query->hasTargetSRFs = true;
	else if (strcmp(twist, "lateral") == 0)
		llast_node(RangeTblEntry, level->rtable)->lateral = true;
	else if (strstr(twist, "of nobody") != NULL || strstr(twist, "without") != NULL ||
			 strstr(twist, "somebody") != NULL)
		twist_nobody(query, twist);
	else if (strcmp(twist, "set operation") == 0)
		query->setOperations = (Node *) makeNode(SetOperationStmt);
	else if (strcmp(twist, "dependency") == 0)
		query->constraintDeps = list_make1_oid(1);
	else if (strcmp(twist, "column of nothing") == 0)
	{
		level->rtable = lappend(level->rtable, copyObject(linitial(level->rtable)));
		(void) twist_condition(level->jointree->quals, level);
	}
	else if (strcmp(twist, "row shown") == 0)
		level->targetList =
			lappend(level->targetList,
					makeTargetEntry((Expr *) makeVar(1, 1, INT4OID, -1, InvalidOid, 0),
									(AttrNumber) (list_length(level->targetList) + 1), "x", false));
	else
		(void) twist_types(level->jointree->quals, twist);
}

/* test_prove_twisted(query, twist): why the query's level is refused that was changed after it had been proven; NULL: it is not. */
Datum
test_prove_twisted(PG_FUNCTION_ARGS)
{
	bool (*cut_levels)(GaussdpVerifier *, Query *) = test_reach("gaussdp_cut_levels");
	bool (*verify_level)(GaussdpVerifier *, const Query *) = test_reach("gaussdp_verify_level");
	char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	RawStmt *parsed = linitial_node(RawStmt, pg_parse_query(sql));
	List *queries = pg_analyze_and_rewrite_fixedparams(parsed, sql, NULL, 0, NULL);
	GaussdpVerifier v = {.location = -1};
	GaussdpVerifier again = {.location = -1};
	Query *level;

	if (!cut_levels(&v, linitial_node(Query, queries)) || v.levels == NIL)
		elog(ERROR, "the query is not proven");
	level = copyObject(unconstify(Query *, ((GaussdpLevel *) linitial(v.levels))->query));
	twist_level(level, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	if (verify_level(&again, level))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(again.detail));
}
