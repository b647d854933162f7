/*
 * level.c
 *		What a query level that reads protected rows may look like.
 *
 * Reads like the specification: each function is one rule, each line one refusal.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "citus/citus.h"
#include "compat.h"
#include "policy/hints/hints.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

#define AROUND_HINT "Write the level as a WITH query, and this in the query around it."

/* What the walkers of this file carry. */
typedef struct Walk
{
	GaussdpVerifier *v;
	GaussdpLevel *level;
} Walk;

/* A protected table, whole. */
static bool
verify_entry(GaussdpVerifier *v, const RangeTblEntry *entry)
{
	const char *why;

	GAUSSDP_REFUSE_IF(entry->tablesample != NULL, GAUSSDP_RULE_LEVEL, -1,
					  "TABLESAMPLE picks rows by their place", "Leave out TABLESAMPLE.");
	GAUSSDP_REFUSE_IF(entry->relkind != RELKIND_RELATION &&
						  entry->relkind != RELKIND_PARTITIONED_TABLE,
					  GAUSSDP_RULE_PUBLIC, -1, "this kind of relation cannot be read privately",
					  "Name the table itself.");
	GAUSSDP_REFUSE_IF(
		entry->relkind == RELKIND_RELATION && entry->inh && has_subclass(entry->relid),
		GAUSSDP_RULE_UNIQUE, -1, "this table has inheritance children, whose rows no index covers",
		"Write FROM ONLY.");
	why = gaussdp_storage_problem(entry->relid, false);
	GAUSSDP_REFUSE_IF(why != NULL, GAUSSDP_RULE_PUBLIC, -1, why,
					  "Ask the owner for a table of this server.");
	return true;
}

/* FROM names protected tables of one population, each row of which is one person's, and public ones. */
static bool
verify_from(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	if (!gaussdp_verify_join(v, level))
		return false;
	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->inner == NULL && !verify_entry(v, owner->entry))
			return false;
	}
	return gaussdp_verify_owners(v, level);
}

/* Rows whose unit is NULL are left out where the table is read, whoever has put the condition there. */
static bool
leaves_out_nobody(const GaussdpOwner *owner)
{
	const RangeTblEntry *entry = owner->entry;

	return owner->inner != NULL || !gaussdp_has_rows_of_nobody(entry->relid) ||
		   list_member(entry->securityQuals, gaussdp_make_somebodys(owner->rti, entry->relid));
}

/* Each row is somebody's. */
bool
gaussdp_verify_units(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);
		Oid relation = owner->entry->relid;
		const char *why = owner->inner == NULL ? gaussdp_unit_problem(relation) : NULL;

		/* A unit that is unique is compared, too, where its rows are weighed. */
		if (why == NULL && level->is_weighted && !OidIsValid(owner->via))
			why =
				gaussdp_unit_comparison_problem(owner->inner == NULL ? relation : owner->relation);
		GAUSSDP_REFUSE_IF(why != NULL && get_rel_relispartition(relation), GAUSSDP_RULE_UNIT, -1,
						  why, "Name the partitioned table.");
		GAUSSDP_REFUSE_IF(why != NULL, GAUSSDP_RULE_UNIT, -1, why,
						  "Ask the owner of the table: gaussdp.protect.");
		GAUSSDP_REFUSE_IF(!leaves_out_nobody(owner), GAUSSDP_RULE_UNIT, -1,
						  "rows of nobody would be read, whose unit is NULL",
						  "Run the query again.");
	}
	return true;
}

/* WHERE, ON, and the conditions of row security. */
static bool
verify_conditions(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->owners)
		if (!gaussdp_verify_expression(
				v, level, (Node *) ((const GaussdpOwner *) lfirst(lc))->entry->securityQuals,
				GAUSSDP_ON_ROWS))
			return false;
	return gaussdp_verify_expression(v, level, (Node *) level->conditions, GAUSSDP_ON_ROWS) &&
		   gaussdp_verify_widths_of_comparisons(v, level, (Node *) level->conditions);
}

/* epsilon, delta, bounds: computed from constants and parameters alone. */
static bool
finds_column(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Aggref) || IsA(node, SubLink))
		return true;
	return expression_tree_walker(node, finds_column, context);
}

static bool
verify_parameters(GaussdpVerifier *v, Aggref *agg, const GaussdpCall *call)
{
	for (int i = call->first; i < call->first + call->nparams; i++)
	{
		TargetEntry *arg = list_nth_node(TargetEntry, agg->args, i);

		GAUSSDP_REFUSE_IF(finds_column((Node *) arg->expr, NULL), GAUSSDP_RULE_ARGUMENTS,
						  exprLocation((Node *) arg->expr),
						  psprintf("%s must be a constant or a parameter",
								   gaussdp_call_parameter(call, i - call->first)),
						  "Write a number, or $1 of a prepared statement.");
		GAUSSDP_REFUSE_IF(!IsA(arg->expr, Const) && contain_mutable_functions((Node *) arg->expr),
						  GAUSSDP_RULE_ARGUMENTS, exprLocation((Node *) arg->expr),
						  psprintf("%s would be computed anew for each row",
								   gaussdp_call_parameter(call, i - call->first)),
						  "Write a number, or $1 of a prepared statement.");
	}
	return true;
}

/* One dp_ call. */
static bool
verify_dp_call(GaussdpVerifier *v, GaussdpLevel *level, Aggref *agg)
{
	GaussdpCall call;
	ListCell *lc;

	GAUSSDP_REFUSE_IF(!gaussdp_call_of(agg->aggfnoid, &call), GAUSSDP_RULE_LEVEL, agg->location,
					  psprintf("%s is not a private aggregate", get_func_name(agg->aggfnoid)),
					  gaussdp_closest_aggregate(level->query, agg));
	GAUSSDP_REFUSE_IF(agg->agglevelsup != 0, GAUSSDP_RULE_ONCE, agg->location,
					  "this call belongs to a query around it", AROUND_HINT);
	GAUSSDP_REFUSE_IF(agg->aggkind != 'n' || agg->aggvariadic || agg->aggdirectargs != NIL ||
						  list_length(agg->args) < call.first + call.nparams,
					  GAUSSDP_RULE_ARGUMENTS, agg->location,
					  "this form of call is not known to be private", "Write a plain call.");
	GAUSSDP_REFUSE_IF(
		call.lacks_bounds, GAUSSDP_RULE_ARGUMENTS, agg->location,
		"this call has no bounds, and its argument is not a column with declared bounds",
		"Give the bounds: dp_avg(x, epsilon, delta, lower, upper).");
	if (!verify_parameters(v, agg, &call) ||
		!gaussdp_verify_sorting(v, agg->aggdistinct, agg->args) ||
		!gaussdp_verify_sorting(v, agg->aggorder, agg->args))
		return false;
	foreach (lc, agg->args)
	{
		Node *value = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (!gaussdp_verify_expression(v, level, value, GAUSSDP_ON_ROWS) ||
			!gaussdp_verify_width(v, level, value))
			return false;
	}
	level->calls = lappend(level->calls, agg);
	return gaussdp_verify_expression(v, level, (Node *) agg->aggfilter, GAUSSDP_ON_ROWS);
}

/* Stops, with true, at the first call that is refused. */
static bool
refuses_a_call(Node *node, Walk *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return !verify_dp_call(context->v, context->level, (Aggref *) node);
	if (IsA(node, SubLink))
		return false; /* looked at by itself */
	return expression_tree_walker(node, refuses_a_call, context);
}

static bool
verify_calls(GaussdpVerifier *v, GaussdpLevel *level)
{
	Walk context = {v, level};
	const Query *q = level->query;

	if (refuses_a_call((Node *) q->targetList, &context) || refuses_a_call(q->havingQual, &context))
		return false;
	GAUSSDP_REFUSE_IF(level->calls == NIL, GAUSSDP_RULE_LEVEL, -1,
					  "rows of this table are read one by one", gaussdp_aggregates_hint());
	return true;
}

/*
 * Groups come in an order of their keys: whichever way they were found, the order of rows tells nothing.
 */
static bool
verify_order(GaussdpVerifier *v, const Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
		GAUSSDP_REFUSE_IF(!OidIsValid(lfirst_node(SortGroupClause, lc)->sortop), GAUSSDP_RULE_KEYS,
						  -1, "a group key has no order", "Group by values that can be sorted.");
	GAUSSDP_REFUSE_IF(!equal(query->sortClause, query->groupClause), GAUSSDP_RULE_KEYS, -1,
					  "groups would come in another order than that of their keys", AROUND_HINT);
	return true;
}

/* Rows that a join makes up belong to nobody: each call leaves them out. */
static bool
verify_presence(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	if (level->extending == NULL)
		return true;
	foreach (lc, level->calls)
		if (!gaussdp_counts_present_rows_only(level, lfirst_node(Aggref, lc)))
			return gaussdp_lack(v, level, GAUSSDP_LACKS_PRESENCE) ||
				   gaussdp_refuse(v, GAUSSDP_RULE_LEFT_JOIN, lfirst_node(Aggref, lc)->location,
								  "a call would count rows that an outer join makes up",
								  "Join it the other way round: the protected table on the left.");
	return true;
}

/* May the role read all protected rows by itself? */
static bool
may_read_all(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->inner != NULL ? !may_read_all(owner->inner)
								 : !gaussdp_may_read_all(owner->entry->relid))
			return false;
	}
	return true;
}

bool
gaussdp_verify_rows(GaussdpVerifier *v, GaussdpLevel *level)
{
	return verify_from(v, level) && verify_conditions(v, level);
}

/* GROUP BY's keys are also those of ORDER BY; what sub-selects there are is looked at as an expression. */
#define CLAUSES                                                                                    \
	(GAUSSDP_CLAUSE_GROUP | GAUSSDP_CLAUSE_GROUPING_SETS | GAUSSDP_CLAUSE_HAVING |                 \
	 GAUSSDP_CLAUSE_AGGREGATE | GAUSSDP_CLAUSE_ORDER | GAUSSDP_CLAUSE_SUBLINK)

/* Nothing but FROM, WHERE, GROUP BY and HAVING: what else a query has is for the one around the level (rewrite/cut.c). */
static bool
verify_shape(GaussdpVerifier *v, const Query *q)
{
	GAUSSDP_REFUSE_IF((gaussdp_clauses(q) & ~CLAUSES) != 0, GAUSSDP_RULE_LEVEL, -1,
					  "a level has a clause of the query around it", AROUND_HINT);
	return gaussdp_verify_inner_shapes(v, unconstify(Query *, q));
}

/* What a level shows: keys and dp_ calls, which have been verified, and what is computed of these alone. */
static bool
verify_shown(GaussdpVerifier *v, const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->query->targetList)
		if (!gaussdp_verify_expression(v, level, (Node *) lfirst_node(TargetEntry, lc)->expr,
									   GAUSSDP_IN_HAVING))
			return false;
	return gaussdp_verify_expression(v, level, level->query->havingQual, GAUSSDP_IN_HAVING);
}

bool
gaussdp_verify_level(GaussdpVerifier *v, const Query *query)
{
	GaussdpLevel *level = palloc0(sizeof(GaussdpLevel));

	level->query = query;
	level->nsets = Max(list_length(query->groupingSets), 1);
	if (!verify_shape(v, query) || !gaussdp_verify_rows(v, level) || !verify_calls(v, level) ||
		!gaussdp_verify_people(v, level) || !gaussdp_verify_keys(v, level))
		return false;
	if (!verify_shown(v, level) || !gaussdp_verify_units(v, level))
		return false;
	if (!verify_order(v, query) || !verify_presence(v, level))
		return false;
	GAUSSDP_REFUSE_IF(
		!(gaussdp_memory_of((Node *) unconstify(Query *, query)) <= GAUSSDP_ROW_MEMORY),
		GAUSSDP_RULE_FUNCTIONS, -1,
		"all that is computed of one row could take too much memory together",
		"Write it as several queries, compute with columns of numeric(p, s) or double precision, or with the beginning of texts: left(x, 1000).");
	level->is_free = may_read_all(level);
	if (!gaussdp_verify_hidden(v, query) || !gaussdp_verify_executed(v, query) ||
		!gaussdp_verify_distributed(v, level))
		return false;
	if (!level->is_free)
		gaussdp_check_columns(query);
	v->levels = lappend(v->levels, level);
	return true;
}
