/*
 * level_proof.c
 *		A level whose protected tables Citus distributes: what Citus may be asked for.
 *
 * Citus computes sums of such a level on the servers that hold the rows (citus/servers.c), by a plan that is proven.
 * Here is said early what it could not compute, or not as one server would:
 *
 *		The query is asked on the coordinator, where the ledger is, under settings of Citus that nobody has changed.
 *		All rows of a person are on one server: a table is distributed by its unit, and tables that are joined
 *		on it together; or it is a reference table or a local one of Citus, all of whose rows are on one server.
 *		Nothing depends on the session, which the servers have another one of, nor on functions, types and collations that may be
 *		others there.
 *		Row security is not applied on the servers, where the owner asks: of all tables the same, whom nobody else's table
 *		may make run something.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "citus/citus.h"
#include "declaration/coordinator.h"
#include "declaration/owner.h"
#include "ledger/ledger.h"
#include "policy/contained/contained.h"
#include "policy/exec/exec.h"
#include "policy/proof/proof.h"

/* What is known of the protected tables so far. */
typedef struct Tables
{
	bool has_local; /* one that Citus does not know */
	bool has_distributed;
	Oid owner;   /* of these */
	int32 group; /* of those that are distributed by hash; 0 without */
} Tables;

/* One protected table. */
static bool
verify_table(GaussdpVerifier *v, const GaussdpOwner *owner, Tables *tables)
{
	AttrNumber column;
	int32 group;
	GaussdpDistribution distribution =
		gaussdp_distribution_of(owner->entry->relid, &column, &group);
	Oid table_owner = gaussdp_owner_of(owner->entry->relid);

	if (distribution == GAUSSDP_NOT_DISTRIBUTED)
	{
		tables->has_local = true;
		return true;
	}
	GAUSSDP_REFUSE_IF(
		tables->has_distributed && tables->owner != table_owner, GAUSSDP_RULE_PUBLIC, -1,
		"Citus distributes the joined tables, which are several owners', and would be asked "
		"for all of them as one",
		"Ask the owners to let one of them own both tables.");
	tables->has_distributed = true;
	tables->owner = table_owner;
	GAUSSDP_REFUSE_IF(
		gaussdp_has_rows_of_nobody(owner->entry->relid), GAUSSDP_RULE_UNIT, -1,
		"Citus distributes the table, whose servers would not leave out rows of nobody",
		"Ask the owner: ALTER TABLE ... ALTER unit SET NOT NULL.");
	GAUSSDP_REFUSE_IF(owner->entry->securityQuals != NIL, GAUSSDP_RULE_PUBLIC, -1,
					  "Citus distributes the table, whose row security its servers would not apply",
					  "Ask the owner for a table without row security.");
	if (distribution != GAUSSDP_BY_HASH)
		return true;
	GAUSSDP_REFUSE_IF(OidIsValid(owner->via) || column != owner->column, GAUSSDP_RULE_UNIT, -1,
					  "Citus distributes the table by another column than its unit, so that "
					  "a person's rows may be on several servers",
					  "Ask the owner: create_distributed_table(table, unit).");
	GAUSSDP_REFUSE_IF(tables->group != 0 && tables->group != group, GAUSSDP_RULE_UNIT, -1,
					  "Citus distributes the joined tables in different ways, so that a person's "
					  "rows may be on several servers",
					  "Ask the owner: create_distributed_table(..., colocate_with => ...).");
	tables->group = group;
	return true;
}

/* Those of the level's FROM, and of queries in it. */
static bool
verify_tables(GaussdpVerifier *v, const GaussdpLevel *level, Tables *tables)
{
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (!(owner->inner != NULL ? verify_tables(v, owner->inner, tables)
								   : verify_table(v, owner, tables)))
			return false;
	}
	return true;
}

/* The order of labels is in the catalog of a server, where nobody is kept from dropping the type. */
static bool
orders_labels(Oid function)
{
	return function == F_ENUM_LT || function == F_ENUM_LE || function == F_ENUM_GT ||
		   function == F_ENUM_GE || function == F_ENUM_CMP || function == F_MIN_ANYENUM ||
		   function == F_MAX_ANYENUM;
}

/* Is it a function that may be another one on another server, or depends on more than its arguments? */
static bool
is_not_the_same_everywhere(Oid function, void *context)
{
	if (orders_labels(function))
		return true;
	if (function >= FirstNormalObjectId &&
		get_func_namespace(function) != get_namespace_oid("gaussdp_internal", false))
		return true;
	return func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

static bool
depends_on_server(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, depends_on_server, context,
								 QTW_EXAMINE_SORTGROUP | QTW_IGNORE_JOINALIASES);
	if (gaussdp_is_contained(node))
		return depends_on_server((Node *) gaussdp_contained_parts((FuncExpr *) node), context);
	if (IsA(node, SortGroupClause))
		return ((SortGroupClause *) node)->eqop >= FirstNormalObjectId ||
			   ((SortGroupClause *) node)->sortop >= FirstNormalObjectId ||
			   orders_labels(get_opcode(((SortGroupClause *) node)->sortop));
	if ((IsA(node, Const) || IsA(node, Var)) &&
		!gaussdp_is_sent(exprType(node), exprCollation(node)))
		return true;
	if (exprInputCollation(node) >= FirstNormalObjectId)
		return true;
	if (!(IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call)) &&
		check_functions_in_node(node, is_not_the_same_everywhere, context))
		return true;
	if (IsA(node, SQLValueFunction) || IsA(node, NextValueExpr) || IsA(node, CoerceToDomain) ||
		IsA(node, XmlExpr))
		return true;
	return expression_tree_walker(node, depends_on_server, context);
}

static bool
has_elements(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return ((Query *) node)->hasTargetSRFs ||
			   query_tree_walker((Query *) node, has_elements, context, 0);
	return expression_tree_walker(node, has_elements, context);
}

/* Does it compute a value whose length is not known?  Those that are stored have been limited. */
static bool
makes_long(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, makes_long, context, 0);
	if ((IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, CoerceViaIO) ||
		 IsA(node, SubscriptingRef) || IsA(node, ArrayExpr)) &&
		get_typlen(exprType(node)) == -1 && isinf(gaussdp_width_of(node)))
		return true;
	return expression_tree_walker(node, makes_long, context);
}

/* What servers compute of a row takes no more memory than is known before. */
static bool
verify_memory(GaussdpVerifier *v, const GaussdpLevel *level)
{
	Query *query = gaussdp_limit_stored(level->query);

	GAUSSDP_REFUSE_IF(
		makes_long((Node *) query, NULL) ||
			!(gaussdp_memory_of((Node *) query) <= GAUSSDP_ROW_MEMORY),
		GAUSSDP_RULE_FUNCTIONS, -1,
		"what servers of Citus would compute of one row could take too much memory together",
		"Write it as several queries, or compute with the beginning of texts: left(x, 1000).");
	return true;
}

static bool
verify_split(GaussdpVerifier *v, const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->calls)
	{
		const Aggref *call = lfirst_node(Aggref, lc);
		const char *problem = gaussdp_split_problem(call);

		if (problem == NULL && gaussdp_counts_values(level, call))
			problem = "Citus cannot split a count of different values between its servers where a "
					  "person may own several rows";
		GAUSSDP_REFUSE_IF(problem != NULL, GAUSSDP_RULE_ARGUMENTS, call->location, problem,
						  "Ask for numbers, each in a call of its own, without DISTINCT.");
		GAUSSDP_REFUSE_IF(
			gaussdp_finds_rows(level, call), GAUSSDP_RULE_UNIT, call->location,
			"max_rows is found, which is not supported where Citus distributes the table",
			"Ask the owner of the table to declare max_rows.");
		GAUSSDP_REFUSE_IF(gaussdp_histogram_share(level, call) > 0, GAUSSDP_RULE_UNIT,
						  call->location,
						  "what max_rows cuts off is not known where Citus distributes the table",
						  "SET gaussdp.cut_share = 0.");
	}
	return true;
}

bool
gaussdp_verify_distributed(GaussdpVerifier *v, GaussdpLevel *level)
{
	Tables tables = {0};
	const char *setting;

	if (!verify_tables(v, level, &tables))
		return false;
	if (!tables.has_distributed)
		return true;
	GAUSSDP_REFUSE_IF(tables.has_local, GAUSSDP_RULE_PUBLIC, -1,
					  "Citus distributes one of the joined protected tables, and not the other",
					  "Ask the owner to distribute both by their unit.");
	GAUSSDP_REFUSE_IF(!gaussdp_is_coordinator(), GAUSSDP_RULE_BUDGET, -1,
					  "Citus distributes the table, and this is not the coordinator, where it "
					  "would be charged",
					  "Connect to the coordinator.");
	setting = gaussdp_changed_setting();
	GAUSSDP_REFUSE_IF(
		setting != NULL, GAUSSDP_RULE_BUDGET, -1,
		psprintf("Citus distributes the table, and %s has been changed", setting),
		psprintf("RESET %s, or the administrator may take back ALTER ROLE ... SET.", setting));
	GAUSSDP_REFUSE_IF(!level->is_free &&
						  gaussdp_page_limit(GetUserId(), level->owner->relation) != PG_INT64_MAX,
					  GAUSSDP_RULE_BUDGET, -1,
					  "Citus distributes the table, whose pages are not counted here for "
					  "max_relation_pages",
					  "Ask the owner of the table for a budget without max_relation_pages.");
	GAUSSDP_REFUSE_IF(
		!gaussdp_contained_have_sql(level->query), GAUSSDP_RULE_FUNCTIONS, -1,
		"an expression that is NULL where it fails would not be the same as SQL, as which Citus "
		"sends it to its servers",
		"Write the casts in it out.");
	GAUSSDP_REFUSE_IF(depends_on_server((Node *) level->query, NULL), GAUSSDP_RULE_FUNCTIONS, -1,
					  "Citus would compute something on other servers that depends on the session, "
					  "or is not PostgreSQL's own",
					  "Use immutable functions, types and collations of PostgreSQL's own on rows.");
	GAUSSDP_REFUSE_IF(level->nsets > 1 && level->finds_groups, GAUSSDP_RULE_KEYS, -1,
					  "Citus distributes the table, and groups of several grouping sets would be "
					  "found in the data",
					  "Write one query for each grouping, and combine them with UNION ALL.");
	GAUSSDP_REFUSE_IF(
		has_elements((Node *) level->query, NULL), GAUSSDP_RULE_FUNCTIONS, -1,
		"Citus distributes the table, whose servers would make rows of the elements "
		"of an array",
		"Compare with a list: JOIN (VALUES ('a'), ('b')) AS v (x) ON v.x = ANY (tags).");
	if (!verify_memory(v, level) || !verify_split(v, level))
		return false;
	level->is_distributed = true;
	return true;
}
