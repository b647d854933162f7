/*
 * sql.c
 *		Contained expressions as SQL, for servers of Citus, to which trees of nodes cannot be sent.
 *
 *		contained(NULL::type, '$1 / $2', x, y)
 *
 * The text is read on the server that evaluates it, with the names of PostgreSQL's own catalog, and what has been read is held against the rule like
 * any tree (contained.c).  Whoever writes such a text gets no more than that.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_node.h"
#include "parser/parse_param.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/contained/contained.h"

/* Names are those of pg_catalog until the level of settings that is returned is closed. */
static int
begin_own_names(void)
{
	int nest_level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return nest_level;
}

Node *
gaussdp_read_sql(const char *sql, List *args)
{
	int nest_level = begin_own_names();
	ParseState *pstate = make_parsestate(NULL);
	Oid *types = palloc(Max(list_length(args), 1) * sizeof(Oid));
	RawStmt *raw = linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_PLPGSQL_EXPR));
	List *targets = ((SelectStmt *) raw->stmt)->targetList;
	Node *expression = NULL;
	ListCell *lc;

	foreach (lc, args)
		types[foreach_current_index(lc)] = exprType(lfirst(lc));
	setup_parse_fixed_parameters(pstate, types, list_length(args));
	/* One column, and no star, which is a column to the parser; where no sub-select, aggregate or set may stand. */
	if (list_length(targets) == 1 && !IsA(linitial_node(ResTarget, targets)->val, ColumnRef))
		expression = transformExpr(pstate, linitial_node(ResTarget, targets)->val,
								   EXPR_KIND_INDEX_EXPRESSION);
	assign_expr_collations(pstate, expression);
	free_parsestate(pstate);
	AtEOXact_GUC(true, nest_level);
	return expression;
}

/* The call with its expression as SQL; NULL where that would be read as another one. */
static FuncExpr *
with_sql(const FuncExpr *call)
{
	Node *expression = (Node *) gaussdp_contained_expression(call);
	List *args = gaussdp_contained_arguments(call);
	int nest_level = begin_own_names();
	char *sql = deparse_expression(expression, NIL, false, true);

	AtEOXact_GUC(true, nest_level);
	return equal(gaussdp_read_sql(sql, args), expression)
			   ? gaussdp_make_contained_sql(expression, sql, args)
			   : NULL;
}

static bool
finds_unwritable(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (gaussdp_is_contained(node) && with_sql((FuncExpr *) node) == NULL)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_unwritable, context, 0);
	return expression_tree_walker(node, finds_unwritable, context);
}

bool
gaussdp_contained_have_sql(const Query *query)
{
	return !finds_unwritable((Node *) unconstify(Query *, query), NULL);
}

static Node *
write_sql(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, write_sql, context, 0);
	node = expression_tree_mutator(node, write_sql, context);
	if (!gaussdp_is_contained(node))
		return node;
	node = (Node *) with_sql((FuncExpr *) node);
	if (node == NULL)
		elog(ERROR, "a contained expression has no form in SQL");
	return node;
}

Query *
gaussdp_with_contained_sql(Query *query)
{
	return (Query *) write_sql((Node *) query, NULL);
}
