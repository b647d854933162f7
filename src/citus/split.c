/*
 * split.c
 *		Private aggregates become releases of aggregates that Citus can split.
 *
 * Comes when calls are complete and the policy has proven what it had to, before Citus plans the query.  All calls of a
 * query that reads a distributed table are split, for Citus may send any part of it to other servers, and plans parts by
 * themselves, for which this hook runs again.
 *
 *		count, keep_group	release(count(*), P), release(count(x), P), release(count(DISTINCT x), P)
 *		sum					release(sum(grid_point(x, P)), P)
 *		avg					release(sum(grid_point(x, P)), count(grid_point(x, P)), P)
 *		var					release(count(grid_point(x, P)), sum(grid_point(x, P)), sum(square_point(x, P)), P)
 *		histogram, cdf, quantile, quantiles	release(cell_counts(cell(x, P)), P)
 *		automatic bounds, bounds	release(bin_sums(x), P)
 *
 * FILTER stays with each aggregate.  ORDER BY in a call goes, for integers are added.  The points of different values may be
 * the same: so DISTINCT is for counts alone.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "citus/citus.h"
#include "citus/split.h"

/* A query on its way. */
typedef struct Split
{
	PlannerInfo *root; /* for the values of the query's parameters */
	Oid relation;      /* a distributed table that it reads */
	bool unbound;      /* parameters without a value were found */
} Split;

/* ---------------------------------------------------------------------------
 * Which queries
 * ---------------------------------------------------------------------------
 */

/* What the policy has cut out of a query stands behind a function of its FROM. */
static bool
is_level(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_FUNCTION && entry->subquery != NULL;
}

/* What is to be known of a query. */
typedef struct Contents
{
	bool call;  /* has it a private aggregate? */
	bool level; /* or a level? */
} Contents;

static bool
look_at(Node *node, void *context)
{
	Contents *contents = context;
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		contents->level |= is_level((RangeTblEntry *) node);
		return false;
	}
	if (IsA(node, Aggref))
		contents->call |= gaussdp_call_of(((Aggref *) node)->aggfnoid, &call);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, look_at, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, look_at, context);
}

bool
gaussdp_finds_distributed(Node *node, Oid *relation)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		*relation = ((RangeTblEntry *) node)->relid;
		return ((RangeTblEntry *) node)->rtekind == RTE_RELATION &&
			   gaussdp_is_distributed(*relation);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, gaussdp_finds_distributed, relation,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, gaussdp_finds_distributed, relation);
}

bool
gaussdp_reads_distributed(Query *query)
{
	Oid relation;

	return gaussdp_has_distributed() && gaussdp_finds_distributed((Node *) query, &relation);
}

/* ---------------------------------------------------------------------------
 * Parameters
 * ---------------------------------------------------------------------------
 */

static void
report_form(const Split *split, const char *form, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s over table %s is not supported", form, get_rel_name(split->relation)),
			 errdetail("Citus distributes the table, and such a call cannot be split "
					   "between its servers."),
			 errhint("%s", hint)));
}

static bool
is_external(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return true;
	return expression_tree_walker(node, is_external, context);
}

/* The value of a parameter of a call; false where it is not known yet. */
static bool
value_of(Split *split, const GaussdpCall *call, int i, Expr *expr, Datum *value, bool *isnull)
{
	Const *known = (Const *) eval_const_expressions(split->root, (Node *) expr);

	if (IsA(known, Const))
	{
		*value = known->constvalue;
		*isnull = known->constisnull;
		return true;
	}
	if (!is_external((Node *) known, NULL))
		report_form(
			split,
			psprintf("%s whose %s is not a constant", call->name, gaussdp_call_parameter(call, i)),
			"Write a constant or a query parameter.");
	split->unbound = true;
	return false;
}

Expr *
gaussdp_split_function(const char *name, List *arguments)
{
	List *argtypes = NIL;
	ListCell *lc;
	Oid function;

	foreach (lc, arguments)
		argtypes = lappend_oid(argtypes, getBaseType(exprType(lfirst(lc))));
	function = gaussdp_own_function(name, argtypes);
	return (Expr *) makeFuncExpr(function, get_func_rettype(function), arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The call's parameters, checked and calibrated, as a constant. */
static Expr *
params_of(Split *split, const GaussdpCall *call, Aggref *aggref)
{
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	bool known = true;
	GaussdpParams params;
	GaussdpKey key;

	for (int i = 0; i < call->nparams; i++)
		known &= value_of(split, call, i,
						  list_nth_node(TargetEntry, aggref->args, call->first + i)->expr,
						  &values[i], &isnull[i]);
	if (!known)
		return gaussdp_split_function("unbound_params", NIL);
	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	if (call->has_value)
		gaussdp_key_set_digits(&key, linitial_node(TargetEntry, aggref->args)->expr);
	gaussdp_params_fill(&params, &key);
	return (Expr *) makeConst(BYTEAOID, -1, InvalidOid, -1,
							  PointerGetDatum(gaussdp_params_to_bytes(&params)), false, false);
}

/* ---------------------------------------------------------------------------
 * A call
 * ---------------------------------------------------------------------------
 */

Expr *
gaussdp_split_value(const Aggref *aggref, int argument)
{
	Expr *value = copyObject(list_nth_node(TargetEntry, aggref->args, argument)->expr);
	Oid cast;

	switch (getBaseType(exprType((Node *) value)))
	{
		case INT2OID:
			cast = F_FLOAT8_INT2;
			break;
		case INT4OID:
			cast = F_FLOAT8_INT4;
			break;
		case INT8OID:
			cast = F_FLOAT8_INT8;
			break;
		case FLOAT4OID:
			cast = F_FLOAT8_FLOAT4;
			break;
		case NUMERICOID:
			return gaussdp_split_function("number", list_make1(value));
		default:
			return value;
	}
	return (Expr *) makeFuncExpr(cast, FLOAT8OID, list_make1(value), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CAST);
}

Expr *
gaussdp_split_aggregate(const Aggref *call, Oid function, Expr *value)
{
	Aggref *aggref = makeNode(Aggref);

	aggref->aggfnoid = function;
	aggref->aggtype = get_func_rettype(function);
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggfilter = copyObject(call->aggfilter);
	aggref->agglevelsup = call->agglevelsup;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = call->location;
	aggref->aggstar = value == NULL;
	if (value != NULL)
	{
		aggref->args = list_make1(makeTargetEntry(value, 1, NULL, false));
		aggref->aggargtypes = list_make1_oid(exprType((Node *) value));
		aggref->inputcollid = exprCollation((Node *) value);
	}
	return (Expr *) aggref;
}

/* count(*), count(x) or count(DISTINCT x) */
static Expr *
count_of(Split *split, const GaussdpCall *call, const Aggref *aggref)
{
	TargetEntry *value = call->has_value ? linitial_node(TargetEntry, aggref->args) : NULL;
	const char *rate = GetConfigOption("citus.count_distinct_error_rate", true, false);
	Aggref *count;
	ListCell *lc;

	if (value == NULL)
		return gaussdp_split_aggregate(aggref, F_COUNT_, NULL);
	count = (Aggref *) gaussdp_split_aggregate(aggref, F_COUNT_ANY, copyObject(value->expr));
	if (aggref->aggdistinct == NIL)
		return (Expr *) count;
	/* An estimate of how many values there are may move by more than one when one row does. */
	if (rate != NULL && strtod(rate, NULL) != 0)
		report_form(split, psprintf("%s(DISTINCT ...)", call->name),
					"Set citus.count_distinct_error_rate to 0.");
	/* The parameters, which DISTINCT compares too, are the same for all rows. */
	foreach (lc, aggref->aggdistinct)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		if (clause->tleSortGroupRef == value->ressortgroupref)
			count->aggdistinct = list_make1(copyObject(clause));
	}
	linitial_node(TargetEntry, count->args)->ressortgroupref = value->ressortgroupref;
	return (Expr *) count;
}

/* The aggregate of a function (float8, bytea) of the value. */
static Expr *
aggregate_of_points(const Aggref *aggref, Oid aggregate, const char *function, Expr *params)
{
	return gaussdp_split_aggregate(
		aggref, aggregate,
		gaussdp_split_function(function,
							   list_make2(gaussdp_split_value(aggref, 0), copyObject(params))));
}

static Expr *
sum_of(const Aggref *aggref, const char *function, Expr *params)
{
	return aggregate_of_points(aggref, F_SUM_INT8, function, params);
}

/* How many rows have a point, by the same function as their sum: fuse.c makes one of the two. */
static Expr *
count_of_points(const Aggref *aggref, Expr *params)
{
	return aggregate_of_points(aggref, F_COUNT_ANY, "grid_point", params);
}

/* What the release of a call reads, in the order of its arguments; NIL for kinds that have no such form. */
static List *
parts_of(Split *split, const GaussdpCall *call, const Aggref *aggref, Expr *params)
{
	switch (call->kind)
	{
		case GAUSSDP_COUNT:
		case GAUSSDP_KEEP_GROUP:
			return list_make1(count_of(split, call, aggref));
		case GAUSSDP_SUM:
			return list_make1(sum_of(aggref, "grid_point", params));
		case GAUSSDP_AVG:
			return list_make2(sum_of(aggref, "grid_point", params),
							  count_of_points(aggref, params));
		case GAUSSDP_VAR:
			return list_make3(count_of_points(aggref, params), sum_of(aggref, "grid_point", params),
							  sum_of(aggref, "square_point", params));
		case GAUSSDP_QUANTILE:
		case GAUSSDP_QUANTILES:
		case GAUSSDP_HISTOGRAM:
		case GAUSSDP_CDF:
			return list_make1(aggregate_of_points(
				aggref, gaussdp_own_function("cell_counts", list_make1_oid(INT8OID)), "cell",
				params));
		case GAUSSDP_SUM_AUTO:
		case GAUSSDP_AVG_AUTO:
		case GAUSSDP_BOUNDS:
			return list_make1(gaussdp_split_aggregate(
				aggref, gaussdp_own_function("bin_sums", list_make1_oid(FLOAT8OID)),
				gaussdp_split_value(aggref, 0)));
		case GAUSSDP_VECTOR_SUM:
		case GAUSSDP_VECTOR_AVG:
		case GAUSSDP_REGRESSION:
			break;
	}
	return NIL;
}

/* The parts of a call, and what is to become of them. */
static GaussdpSplitCall
take_apart(Split *split, const GaussdpCall *call, Aggref *aggref)
{
	bool counts = call->kind == GAUSSDP_COUNT || call->kind == GAUSSDP_KEEP_GROUP;
	GaussdpSplitCall result;

	if (aggref->aggdistinct != NIL && !counts)
		report_form(split, psprintf("%s(DISTINCT ...)", call->name),
					"Leave DISTINCT out, or use a table of this server: CREATE TABLE ... AS "
					"SELECT DISTINCT.");
	result.params = params_of(split, call, aggref);
	result.parts = parts_of(split, call, aggref, result.params);
	if (result.parts == NIL)
		report_form(split, psprintf("%s of arrays", call->name),
					"Use one call for each element, or a table of this server: CREATE TABLE ... AS "
					"SELECT.");
	result.release =
		psprintf("release_%s%s", call->name + strlen("dp_"), call->is_estimate ? "_estimate" : "");
	return result;
}

static Node *
release_of(Split *split, const GaussdpCall *call, Aggref *aggref)
{
	GaussdpSplitCall apart = take_apart(split, call, aggref);

	return (Node *) gaussdp_release_call(&apart, apart.parts);
}

static Node *
split_calls(Node *node, void *context)
{
	Split *split = context;
	GaussdpCall call;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		gaussdp_share_calls((Query *) node);
		return (Node *) query_tree_mutator((Query *) node, split_calls, context, 0);
	}
	if (!IsA(node, Aggref) || !gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return expression_tree_mutator(node, split_calls, context);
	/* Sub-selects in the arguments may have calls of their own. */
	node = expression_tree_mutator(node, split_calls, context);
	return release_of(split, &call, (Aggref *) node);
}

Query *
gaussdp_split_calls(Query *query, ParamListInfo params, bool *unbound)
{
	Split split = {0};
	Contents contents = {0};

	*unbound = false;
	if (!gaussdp_has_distributed())
		return query;
	(void) look_at((Node *) query, &contents);
	if (!(contents.call || contents.level) ||
		!gaussdp_finds_distributed((Node *) query, &split.relation))
		return query;
	if (contents.level)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a query of a protected table and of table %s is not supported",
						get_rel_name(split.relation)),
				 errdetail("Citus distributes the latter, and would plan both."),
				 errhint("Keep the private answer in a table of this server: CREATE TABLE ... "
						 "AS SELECT.")));
	split.root = makeNode(PlannerInfo);
	split.root->glob = makeNode(PlannerGlobal);
	split.root->glob->boundParams = params;
	query = (Query *) split_calls((Node *) query, &split);
	*unbound = split.unbound;
	return query;
}

GaussdpSplitCall
gaussdp_split_call(Aggref *aggref, Oid relation, bool is_weighted)
{
	Split split = {.relation = relation};
	GaussdpCall call;

	if (!gaussdp_call_of(aggref->aggfnoid, &call))
		elog(ERROR, "aggregate %u cannot be split", aggref->aggfnoid);
	return is_weighted ? gaussdp_split_weighted_call(&call, aggref)
					   : take_apart(&split, &call, aggref);
}

Expr *
gaussdp_release_call(const GaussdpSplitCall *call, List *sums)
{
	return gaussdp_split_function(call->release, lappend(sums, call->params));
}

void
gaussdp_avoid_plan(PlannedStmt *plan)
{
	plan->planTree->total_cost = 1e30;
}
