/*
 * gate.c
 *		How a server knows that it is sent a part of a level over protected tables.
 *
 * A level that Citus distributes (citus/servers.c) has a condition that is no row's,
 *
 *		... WHERE ... AND gaussdp_internal.level_part(true)
 *
 * and stands in all that Citus sends; with a column of each row, which says nothing, where there are outer joins, beside
 * which Citus cannot have conditions without any.  Whoever plans such a query does so without the statistics of rows, and
 * looks that its functions are those that were meant; the session's counters of rows, which are public, stand still until
 * the transaction ends.  level_part(false) lets no server read a row, but each one plan and start what it would.  Anybody
 * may write the condition: it gives nothing, and takes what is the session's own.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "citus/citus.h"
#include "citus/split.h"
#include "compat.h"
#include "query_tree.h"

#define GATE "level_part"

PG_FUNCTION_INFO_V1(gaussdp_level_part);

/* level_part(boolean [, "any"]) */
Datum
gaussdp_level_part(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && PG_GETARG_BOOL(0));
}

void
gaussdp_add_gate(Query *level, bool reads, Expr *column)
{
	List *types = list_make1_oid(BOOLOID);
	List *arguments = list_make1(makeBoolConst(reads, false));
	Node *gate;

	if (column != NULL)
	{
		types = lappend_oid(types, ANYOID);
		arguments = lappend(arguments, column);
	}
	gate = (Node *) makeFuncExpr(gaussdp_own_function(GATE, types), BOOLOID, arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
	level->jointree =
		makeFromExpr(level->jointree->fromlist, make_and_qual(gate, level->jointree->quals));
}

static bool
is_gate(Node *node)
{
	Oid function = IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid : InvalidOid;
	const char *name;

	if (function < FirstNormalObjectId)
		return false;
	name = get_func_name(function);
	return name != NULL && strcmp(name, GATE) == 0 &&
		   strcmp(get_namespace_name(get_func_namespace(function)), "gaussdp_internal") == 0;
}

static bool
has_own_gate(const Query *query)
{
	ListCell *lc;

	if (query->jointree == NULL)
		return false;
	foreach (lc, gaussdp_conjuncts(query->jointree->quals))
		if (is_gate(lfirst(lc)))
			return true;
	return false;
}

/* In the query, or in one of its FROM: Citus adds up the rows of what it is given. */
static bool
has_gate(const Query *query)
{
	ListCell *lc;

	check_stack_depth();
	if (has_own_gate(query))
		return true;
	foreach (lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_SUBQUERY &&
			has_gate(lfirst_node(RangeTblEntry, lc)->subquery))
			return true;
	return false;
}

bool
gaussdp_has_gate(const Query *query)
{
	return has_gate(query) && gaussdp_has_distributed();
}

/* Types whose values are printed by a locale of the session, or as names of objects, which have other numbers elsewhere. */
static bool
is_local(Oid type)
{
	switch (type)
	{
		case MONEYOID:
		case REGPROCOID:
		case REGPROCEDUREOID:
		case REGOPEROID:
		case REGOPERATOROID:
		case REGCLASSOID:
		case REGCOLLATIONOID:
		case REGTYPEOID:
		case REGCONFIGOID:
		case REGDICTIONARYOID:
		case REGNAMESPACEOID:
		case REGROLEOID:
			return true;
		default:
			return false;
	}
}

/*
 * Types of PostgreSQL's own, and enumerations: the input of others may run anybody's code, and these are names only, which
 * somebody may have given to something else there.
 */
bool
gaussdp_is_sent(Oid type, Oid collation)
{
	if (is_local(type) || is_local(get_element_type(type)))
		return false;
	return (type < FirstNormalObjectId || get_typtype(type) == TYPTYPE_ENUM) &&
		   collation < FirstNormalObjectId;
}

/* In these schemas, superusers alone make functions. */
static bool
is_foreign_function(Oid function, void *context)
{
	Oid schema;

	if (function < FirstNormalObjectId)
		return false;
	schema = get_func_namespace(function);
	return schema != PG_CATALOG_NAMESPACE && schema != get_namespace_oid("gaussdp_internal", false);
}

static bool
finds_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_foreign, context, 0);
	return IsA(node, CoerceToDomain) ||
		   check_functions_in_node(node, is_foreign_function, context) ||
		   expression_tree_walker(node, finds_foreign, context);
}

/* The names of functions are looked up in the search_path that the owner has on this server. */
void
gaussdp_begin_part(Query *query)
{
	if (finds_foreign((Node *) query, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a part of a query over protected tables calls a function that is not "
						"PostgreSQL's own"),
				 errhint("Let nobody else create functions in the search_path of the table's "
						 "owner.")));
	if (pgstat_track_counts)
		(void) set_config_option("track_counts", "off", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
								 true, 0, false);
}
