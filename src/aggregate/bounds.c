/*
 * bounds.c
 *		Calls without bounds, dp_sum(x, epsilon, delta) and the like: resolved as a query is planned.
 *		Those without epsilon and delta have got them before (policy/rewrite/numbers.c).
 *
 * Reads the catalog of calls from calls.c and declared bounds from declaration/; hands a query without
 * such calls to the next planner.  Where the value is a bare column with declared bounds, also through
 * views, subqueries, CTEs and joins, these become two more arguments; else the call becomes the one of
 * the same types that ends in _auto and finds its bounds privately, where there is one.  Quantiles, which have none, search in all that their
 * type may be.
 *
 * A changed declaration invalidates cached plans, and bounds may be looked up with no right on the
 * table: a declaration is the owner's public word.
 *
 * A query that was planned before the library came keeps the call as it was written, and so does one
 * into which the planner puts the body of a set-returning SQL function, for no hook sees it then.  The
 * call has no bounds, whatever the data: its transition and its final function raise 55000 alike.
 */
#include "postgres.h"

#include "fmgr.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "query_tree.h"

PG_FUNCTION_INFO_V1(gaussdp_unplanned_accum);
PG_FUNCTION_INFO_V1(gaussdp_unplanned_serialize);
PG_FUNCTION_INFO_V1(gaussdp_unplanned_final);
PG_FUNCTION_INFO_V1(gaussdp_unplanned_estimate_final);

static void
report_unplanned(void)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("this call was not completed when the query was planned"),
		 errdetail("Library gaussdp was not loaded at that time, or the call came out of an SQL "
				   "function that the planner had put into the query."),
		 errhint(
			 "Add gaussdp to shared_preload_libraries or session_preload_libraries, or give "
			 "epsilon, delta and the bounds as arguments: dp_sum(x, epsilon, delta, lower, upper), "
			 "or let the call find bounds: dp_sum_auto(x, epsilon, delta); or make the SQL function "
			 "VOLATILE.")));
}

Datum
gaussdp_unplanned_accum(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
gaussdp_unplanned_serialize(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
gaussdp_unplanned_final(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
gaussdp_unplanned_estimate_final(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

bool
gaussdp_declared_column(Expr *expr, List *queries, GaussdpColumn *column)
{
	List *columns = gaussdp_base_columns(expr, queries);
	ListCell *lc;

	foreach (lc, columns)
	{
		const GaussdpBaseColumn *base = lfirst(lc);
		GaussdpColumn one;

		if (!gaussdp_column(base->table->relid, base->column, &one))
			return false;
		if (foreach_current_index(lc) == 0)
		{
			*column = one;
			continue;
		}
		/* Of UNION ALL what holds for all arms. */
		column->has_bounds &= one.has_bounds;
		column->lower = Min(column->lower, one.lower);
		column->upper = Max(column->upper, one.upper);
		column->key_table = InvalidOid;
	}
	return columns != NIL;
}

/* ---------------------------------------------------------------------------
 * Rewriting
 * ---------------------------------------------------------------------------
 */

/* What the walk over a query carries. */
typedef struct Resolution
{
	List *queries; /* those around the node, innermost first */
	gaussdp_derive_bounds_type derive;
} Resolution;

static Expr *
number(double value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value),
							  false, FLOAT8PASSBYVAL);
}

/* What to write for a value that is no number; NULL where there is nothing to say. */
static const char *
hint_for_type(Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return "Write x::int: the average of it is a share.";
		case INTERVALOID:
			return "Write extract(epoch FROM x), and bounds in seconds.";
		case DATEOID:
			return "Write the days since some day, x - date '2000-01-01', and bounds in days.";
		default:
			return "Give a value of type smallint, integer, bigint, real, double precision or "
				   "numeric.";
	}
}

static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		   type == FLOAT8OID || type == NUMERICOID;
}

/*
 * Short forms take a value of any type, so that a wrong one is refused here, in words that help.  The others want
 * the very type: a domain is taken for what it is over.
 */
static void
require_number(Aggref *aggref, const GaussdpCall *call)
{
	TargetEntry *value = linitial_node(TargetEntry, aggref->args);
	Oid type = getBaseType(linitial_oid(aggref->aggargtypes));

	if (call->of_pairs && !is_number(get_element_type(type)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("%s takes arrays of two numbers, not values of type %s", call->name,
							   format_type_be(linitial_oid(aggref->aggargtypes))),
						errhint("Write %s(ARRAY[y, x]).", call->name)));
	if (!call->of_pairs && !is_number(type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("%s takes numbers, not values of type %s", call->name,
							   format_type_be(linitial_oid(aggref->aggargtypes))),
						errhint("%s", hint_for_type(type))));
	if (type != linitial_oid(aggref->aggargtypes))
		value->expr =
			(Expr *) makeRelabelType(value->expr, type, -1, InvalidOid, COERCE_IMPLICIT_CAST);
	linitial_oid(aggref->aggargtypes) = type;
}

/* There is no private way to find the bounds of this kind of call: they have to be given or declared. */
static void
report_no_bounds(const GaussdpCall *call)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s needs bounds, and none are declared for its value", call->name),
			 errhint("Give the bounds behind epsilon and delta, as in %s(%s, 0.5, 1e-6, 0, 100%s), "
					 "or in the value, least(greatest(x, 0), 1000), or ask the owner for "
					 "gaussdp.set_bounds().",
					 call->name, call->of_pairs ? "ARRAY[y, x]" : "x",
					 call->of_pairs                                       ? ", 0, 50"
					 : gaussdp_short_place(call, GAUSSDP_PARAM_Q) >= 0    ? ", 0.9"
					 : gaussdp_short_place(call, GAUSSDP_PARAM_QS) >= 0   ? ", '{0.25,0.5,0.75}'"
					 : gaussdp_short_place(call, GAUSSDP_PARAM_BINS) >= 0 ? ", 10"
																		  : "")));
}

/* Bounds of a value: declared for its column, or derived for an expression. */
static bool
bounds_of(Expr *value, const Resolution *resolution, bool widest, GaussdpColumn *column)
{
	if (gaussdp_declared_column(value, resolution->queries, column) && column->has_bounds)
		return true;
	return resolution->derive != NULL && resolution->derive((Node *) value, resolution->queries,
															widest, &column->lower, &column->upper);
}

/* A column without the cast to the array's type that the parser has put around it, which changes no bounds. */
static Expr *
without_cast(Expr *value)
{
	FuncExpr *call = (FuncExpr *) value;

	return IsA(value, FuncExpr) && call->funcformat == COERCE_IMPLICIT_CAST &&
				   list_length(call->args) == 1
			   ? linitial(call->args)
			   : value;
}

/* dp_regression(ARRAY[y, x], e, d) -> dp_regression(ARRAY[y, x], e, d, lower_y, upper_y, lower_x, upper_x) */
static bool
resolve_pair(Aggref *aggref, int place, const Resolution *resolution)
{
	const ArrayExpr *pair = (ArrayExpr *) linitial_node(TargetEntry, aggref->args)->expr;
	GaussdpColumn column[2];

	if (!IsA(pair, ArrayExpr) || list_length(pair->elements) != 2)
		return false;
	for (int i = 0; i < 2; i++)
		if (!bounds_of(without_cast(list_nth(pair->elements, i)), resolution, false, &column[i]))
			return false;
	for (int i = 0; i < 2; i++)
	{
		gaussdp_insert_argument(aggref, place + 2 * i, number(column[i].lower));
		gaussdp_insert_argument(aggref, place + 2 * i + 1, number(column[i].upper));
	}
	return true;
}

static bool
is_quantile(const GaussdpCall *call)
{
	return call->kind == GAUSSDP_QUANTILE || call->kind == GAUSSDP_QUANTILES;
}

/* dp_avg(x, e, d) -> dp_avg(x, e, d, lower, upper) or dp_avg_auto(x, e, d); estimates likewise */
static void
resolve(Aggref *aggref, const GaussdpCall *call, const Resolution *resolution)
{
	const char *name = psprintf("%s%s", call->name, call->is_estimate ? "_estimate" : "");
	int place = call->first + gaussdp_short_place(call, GAUSSDP_PARAM_DELTA) + 1;
	GaussdpColumn column;
	bool found;

	require_number(aggref, call);
	if (call->of_pairs)
		found = resolve_pair(aggref, place, resolution);
	else
		/* The search of a quantile loses little by bounds that are far too wide. */
		found = bounds_of(linitial_node(TargetEntry, aggref->args)->expr, resolution,
						  is_quantile(call), &column);
	if (found && !call->of_pairs)
	{
		gaussdp_insert_argument(aggref, place, number(column.lower));
		gaussdp_insert_argument(aggref, place + 1, number(column.upper));
	}
	else if (!found && (call->kind == GAUSSDP_SUM || call->kind == GAUSSDP_AVG))
		name = psprintf("%s_auto%s", call->name, call->is_estimate ? "_estimate" : "");
	else if (!found)
		report_no_bounds(call);
	aggref->aggfnoid = gaussdp_call_sibling(aggref->aggfnoid, name, aggref->aggargtypes);
}

static bool
resolve_walker(Node *node, Resolution *resolution)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		resolution->queries = lcons(node, resolution->queries);
		(void) query_tree_walker((Query *) node, resolve_walker, resolution, 0);
		resolution->queries = list_delete_first(resolution->queries);
		return false;
	}
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.lacks_bounds && !call.lacks_numbers)
		resolve((Aggref *) node, &call, resolution);
	return expression_tree_walker(node, resolve_walker, resolution);
}

void
gaussdp_resolve_bounds(Query *query, gaussdp_derive_bounds_type derive)
{
	Resolution resolution = {NIL, derive};

	(void) resolve_walker((Node *) query, &resolution);
}
