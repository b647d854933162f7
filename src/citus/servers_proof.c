/*
 * servers_proof.c
 *		Is the plan of Citus one scan, which sends the level's sums to the servers and computes nothing else of rows?
 *
 * Citus plans in the order: the whole query for one server, sums that it adds up here, sub-queries that it runs first
 * and whose rows it writes to files, rows that it sends from server to server.  The last two are not for protected rows: they leave
 * them in files, and fail at sizes that depend on them.
 *
 * What a plan of Citus holds is its own affair, and read here as it prints itself.  No name or constant of a query can be mistaken
 * for one of its fields: spaces within these are printed with a backslash.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "citus/servers.h"

#define UNKNOWN_NODE "the plan of Citus has a node of a kind that is not known to be private"
#define UNKNOWN_FUNCTION "the plan of Citus calls a function that is not in the verified query"

#define SCAN "Citus Adaptive"

typedef struct Proof
{
	List *functions; /* of Oid: those of the verified query that are not PostgreSQL's own */
	Oid citus;       /* the extension */
	int nscans;
	const char *problem;
} Proof;

static bool
fail(Proof *proof, const char *problem)
{
	if (proof->problem == NULL)
		proof->problem = problem;
	return false;
}

static bool
collect_function(Oid function, void *context)
{
	Proof *proof = context;

	proof->functions = list_append_unique_oid(proof->functions, function);
	return false;
}

static bool
collect_functions(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_functions, context, 0);
	(void) check_functions_in_node(node, collect_function, context);
	return expression_tree_walker(node, collect_functions, context);
}

/* Is it neither of the query, nor PostgreSQL's own and the same for all, nor what Citus adds sums up by? */
static bool
is_unknown(Oid function, void *context)
{
	const Proof *proof = context;

	if (list_member_oid(proof->functions, function))
		return false;
	if (function < FirstNormalObjectId)
		return func_volatile(function) != PROVOLATILE_IMMUTABLE;
	return !OidIsValid(proof->citus) ||
		   getExtensionOfObject(ProcedureRelationId, function) != proof->citus;
}

static bool
is_refused(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Param:
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_SubLink:
		case T_Query:
		case T_SQLValueFunction:
		case T_NextValueExpr:
		case T_CoerceToDomain:
		case T_XmlExpr:
			return true;
		default:
			break;
	}
	return check_functions_in_node(node, is_unknown, context) ||
		   expression_tree_walker(node, is_refused, context);
}

/* The node as it prints itself; a letter that is not set prints as the end of a string. */
static const char *
printed(const void *node)
{
	StringInfoData text;

	initStringInfo(&text);
	outNode(&text, node);
	for (int i = 0; i < text.len; i++)
		if (text.data[i] == '\0')
			text.data[i] = '?';
	return text.data;
}

/* Plans within a plan print fields of the same names. */
static bool
has_twice(const char *text, const char *field)
{
	const char *first = strstr(text, field);

	return first != NULL && strstr(first + 1, field) != NULL;
}

/* The rest of what it would do: by itself, one job, nothing before it and nothing between servers. */
static bool
prove_scan(Proof *proof, const CustomScan *scan)
{
	const char *text;

	if (strcmp(scan->methods->CustomName, SCAN) != 0 || scan->custom_plans != NIL ||
		list_length(scan->custom_private) < 1)
		return fail(proof, "Citus has no plan for it");
	proof->nscans++;
	text = printed(linitial(scan->custom_private));
	if (strstr(text, " :subPlanList <> :usedSubPlanNodeList <> ") == NULL ||
		has_twice(text, " :subPlanList ") || strstr(text, "read_intermediate_result") != NULL)
		return fail(proof, "Citus would keep rows in intermediate results");
	if (strstr(text, " :dependentJobList <>") == NULL ||
		strstr(text, " :dependentJobList (") != NULL)
		return fail(proof, "Citus would send rows from server to server");
	if (strstr(text, " :planningError <>") == NULL)
		return fail(proof, "Citus has no plan for it");
	return true;
}

static bool
prove_tree(Proof *proof, const Plan *plan)
{
	if (plan == NULL)
		return true;
	if (plan->initPlan != NIL || is_refused((Node *) plan->targetlist, proof) ||
		is_refused((Node *) plan->qual, proof))
		return fail(proof, UNKNOWN_FUNCTION);
	switch (nodeTag(plan))
	{
		case T_CustomScan:
			if (plan->lefttree != NULL || plan->righttree != NULL)
				return fail(proof, UNKNOWN_NODE);
			return prove_scan(proof, (const CustomScan *) plan);
		case T_Agg:
			if (((const Agg *) plan)->groupingSets != NIL || ((const Agg *) plan)->chain != NIL)
				return fail(proof, UNKNOWN_NODE);
			break;
		case T_Result:
			if (is_refused(((const Result *) plan)->resconstantqual, proof))
				return fail(proof, UNKNOWN_FUNCTION);
			break;
		case T_Sort:
		case T_IncrementalSort:
		case T_Group:
		case T_Unique:
		case T_Material:
			break;
		default:
			return fail(proof, UNKNOWN_NODE);
	}
	return prove_tree(proof, plan->lefttree) && prove_tree(proof, plan->righttree);
}

const char *
gaussdp_servers_problem(const PlannedStmt *plan, const Query *exact)
{
	Proof proof = {.citus = get_extension_oid("citus", true)};

	if (plan->commandType != CMD_SELECT || plan->hasModifyingCTE || plan->subplans != NIL)
		return UNKNOWN_NODE;
	(void) collect_functions((Node *) unconstify(Query *, exact), &proof);
	if (prove_tree(&proof, plan->planTree) && proof.nscans != 1)
		return "Citus has no plan of its own for it";
	return proof.problem;
}
