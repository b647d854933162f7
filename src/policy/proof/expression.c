/*
 * expression.c
 *		What may be computed on rows and in HAVING.
 *
 * A switch over every expression node that the verifier knows; what is not named refuses.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/contained/contained.h"
#include "policy/hints/hints.h"
#include "policy/proof/internal.h"
#include "valid_text.h"

#define FUNCTIONS_HINT                                                                             \
	"Use functions that can neither fail nor tell: comparisons, IN, BETWEEN, LIKE with a "         \
	"constant "                                                                                    \
	"pattern, CASE, coalesce, extract, lower. Other functions may stand in a query around this "   \
	"one "                                                                                         \
	"(WITH), over released values."

#define DECLARATION_HINT                                                                           \
	"If it reads nothing but its arguments, a superuser may say so: gaussdp.allow_function()."

#define SET_HINT "For elements of an array of protected rows write FROM t, unnest(t.tags) AS tag."

#define LENGTH_HINT                                                                                \
	"Longer values may stand in a query around this one (WITH), over released values."

static bool verify_node(GaussdpVerifier *v, const GaussdpLevel *level, Node *node,
						GaussdpPlace place);

static bool
verify_list(GaussdpVerifier *v, const GaussdpLevel *level, List *list, GaussdpPlace place)
{
	ListCell *lc;

	foreach (lc, list)
		if (!verify_node(v, level, lfirst(lc), place))
			return false;
	return true;
}

/* Where a refusal points at: to an operator, or to where a call begins, which is searched for. */
static int
location_of_call(Node *node)
{
	if (IsA(node, OpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr))
		return ((OpExpr *) node)->location;
	if (IsA(node, ScalarArrayOpExpr))
		return ((ScalarArrayOpExpr *) node)->location;
	return exprLocation(node);
}

/* As short as constants are: the room reads each public value before the first protected row. */
static bool
is_public_column(const GaussdpLevel *level, Node *node)
{
	while (IsA(node, RelabelType) || IsA(node, CollateExpr))
		node = IsA(node, RelabelType) ? (Node *) ((RelabelType *) node)->arg
									  : (Node *) ((CollateExpr *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 &&
		   !bms_is_member(((Var *) node)->varno, level->protected);
}

/*
 * A plan may hash what it compares.  Under a collation that takes different texts for equal that is done by a copy, and a key, of
 * several bytes a letter, which have an end at 1 GB.
 */
static bool
compares_short(const GaussdpLevel *level, Oid function, List *args, Oid collation)
{
	ListCell *lc;

	if (level == NULL || !OidIsValid(collation) || gaussdp_is_deterministic(collation) ||
		get_func_rettype(function) != BOOLOID)
		return true;
	foreach (lc, args)
		if (type_is_collatable(exprType(lfirst(lc))) &&
			!(gaussdp_width_of(lfirst(lc)) <= GAUSSDP_SHORT_WIDTH) &&
			!is_public_column(level, lfirst(lc)))
			return false;
	return true;
}

/*
 * A function is called by a node with these arguments: is it listed, where it must be?  Of the arguments
 * themselves nothing.
 */
static bool
verify_function(GaussdpVerifier *v, const GaussdpLevel *level, Oid function, List *args,
				Oid collation, Node *node, GaussdpPlace place)
{
	if (!compares_short(level, function, args, collation) && verify_list(v, level, args, place))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_FUNCTIONS, location_of_call(node),
			"a value of any length would be compared by a collation that takes different texts for equal",
			"Take the beginning of long texts: left(x, 1000).");
	if (v->refused)
		return false;
	if (!gaussdp_function_is_total(function, args, collation))
	{
		const char *name = get_func_name(function), *hint = gaussdp_nearest_form(function);

		if (hint == NULL && gaussdp_may_be_pure(function))
			hint = DECLARATION_HINT;
		return gaussdp_refuse(
			v, GAUSSDP_RULE_FUNCTIONS, location_of_call(node),
			psprintf("the function %s would run on protected rows with these arguments, "
					 "and is not known to be total and leakproof",
					 name ? name : "?"),
			hint ? hint : FUNCTIONS_HINT);
	}
	return true;
}

static bool
verify_call(GaussdpVerifier *v, const GaussdpLevel *level, Oid function, List *args, Oid collation,
			Node *node, GaussdpPlace place)
{
	return verify_function(v, level, function, args, collation, node, place) &&
		   verify_list(v, level, args, place);
}

static bool
verify_operator(GaussdpVerifier *v, const GaussdpLevel *level, OpExpr *op, GaussdpPlace place)
{
	if (op->opretset)
		return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, op->location, "a set is returned here",
							  "Call functions that return sets in FROM of another query.");
	return verify_call(v, level, get_opcode(op->opno), op->args, op->inputcollid, (Node *) op,
					   place);
}

static bool
verify_var(GaussdpVerifier *v, const GaussdpLevel *level, Var *var, GaussdpPlace place)
{
	if (var->varlevelsup > 0)
		return gaussdp_refuse(
			v, GAUSSDP_RULE_ONCE, var->location,
			"this column belongs to a query around it, for each row of which the level "
			"would be executed again",
			"Write the level as a WITH query of its own and join to its result.");
	if (place != GAUSSDP_ON_ROWS)
		return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, var->location,
							  "a column of a row would be shown",
							  "Only dp_ calls and group keys may stand here.");
	/* Columns of joins and of groups are written out as what they stand for; without a level all rows are public. */
	if (level != NULL && !bms_is_member(var->varno, level->relations))
		return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, var->location,
							  "a column belongs to no relation of FROM", FUNCTIONS_HINT);
	/* A public column's typmod is not trusted: only the owner's tables prove how large a value is. */
	if (level != NULL && var->vartypmod >= 0 && !gaussdp_is_column_of_table(level, (Node *) var))
		return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, var->location,
							  "a public column is taken to be as large as its type says",
							  FUNCTIONS_HINT);
	if (var->varattno <= 0)
		return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, var->location,
							  "whole rows and system columns tell which row they belong to",
							  "Name the columns.");
	return true;
}

/* GREATEST and LEAST compare by the type's own order. */
static bool
verify_minmax(GaussdpVerifier *v, const GaussdpLevel *level, MinMaxExpr *expr, GaussdpPlace place)
{
	TypeCacheEntry *type = lookup_type_cache(expr->minmaxtype, TYPECACHE_CMP_PROC);

	return verify_call(v, level, type->cmp_proc, expr->args, expr->inputcollid, (Node *) expr,
					   place);
}

/* The nearest legal form of a cast by way of text. */
static const char *
io_hint(const CoerceViaIO *io)
{
	Oid type = getBaseType(exprType((Node *) io->arg));

	if (TypeCategory(type) == TYPCATEGORY_STRING)
		return "Compare the text, with = or IN, or ask the owner for a column of the type.";
	if (type_is_range(type))
		return "Compare the range itself, or cast its ends: lower(x)::text, upper(x)::text.";
	if (OidIsValid(get_element_type(type)))
		return "Compare the array with a constant, tags = '{x,y}', or cast an element: tags[1]::text.";
	return "Ask the owner for a column of type text, or jsonb.";
}

/* Text of a number, date or truth value; everything else may fail. */
static bool
verify_io(GaussdpVerifier *v, const GaussdpLevel *level, CoerceViaIO *io, GaussdpPlace place)
{
	if (!gaussdp_output_is_total(exprType((Node *) io->arg), io->resulttype))
		return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, io->location,
							  psprintf("the cast from %s to %s can fail on a value",
									   format_type_be(exprType((Node *) io->arg)),
									   format_type_be(io->resulttype)),
							  io_hint(io));
	return verify_node(v, level, (Node *) io->arg, place);
}

static bool
verify_case(GaussdpVerifier *v, const GaussdpLevel *level, CaseExpr *expr, GaussdpPlace place)
{
	ListCell *lc;

	foreach (lc, expr->args)
	{
		CaseWhen *when = lfirst_node(CaseWhen, lc);

		if (!verify_node(v, level, (Node *) when->expr, place) ||
			!verify_node(v, level, (Node *) when->result, place))
			return false;
	}
	return verify_node(v, level, (Node *) expr->arg, place) &&
		   verify_node(v, level, (Node *) expr->defresult, place);
}

/* dp_ calls and group keys are what HAVING may speak of. */
static bool
is_released(const GaussdpLevel *level, Node *node, GaussdpPlace place)
{
	return place != GAUSSDP_ON_ROWS && level != NULL &&
		   ((IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0) ||
			(IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == 0) ||
			list_member(level->keys, node));
}

/* Bytes of a constant list. */
#define MAX_LIST_SIZE (1024 * 1024)

/* An array that is made of values of any length could be larger than PostgreSQL's 1 GB, and fail, where there is such a row. */
static bool
verify_array(GaussdpVerifier *v, const GaussdpLevel *level, ArrayExpr *array, GaussdpPlace place)
{
	GAUSSDP_REFUSE_IF(
		!(gaussdp_width_of((Node *) array) <= GAUSSDP_ROW_WIDTH), GAUSSDP_RULE_FUNCTIONS,
		exprLocation((Node *) array),
		"an array that a row can make too large would be made of protected rows",
		"Compare with each column by itself, or take short texts: ARRAY[left(x, 1000), left(y, 1000)].");
	return verify_list(v, level, array->elements, place);
}

static bool
verify_comparison_with_list(GaussdpVerifier *v, const GaussdpLevel *level, ScalarArrayOpExpr *op,
							GaussdpPlace place)
{
	Node *list = lsecond(op->args);

	if (!verify_function(v, level, get_opcode(op->opno), op->args, op->inputcollid, (Node *) op,
						 place) ||
		!verify_node(v, level, linitial(op->args), place))
		return false;
	if (IsA(list, ArrayExpr) && !((ArrayExpr *) list)->multidims)
		return verify_array(v, level, (ArrayExpr *) list, place);
	/* A list is compared with, and no row becomes longer by it; but all of it is looked at for the first row. */
	if (IsA(list, Const) && !((Const *) list)->constisnull &&
		toast_raw_datum_size(((Const *) list)->constvalue) > MAX_LIST_SIZE)
		return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, exprLocation(list),
							  "a list that protected rows are compared with is too long",
							  "Join to a table that holds the values.");
	return IsA(list, Const) || verify_node(v, level, list, place);
}

/* tags[1], which is NULL where there is no such element; not slices. */
static bool
verify_element(GaussdpVerifier *v, const GaussdpLevel *level, SubscriptingRef *ref,
			   GaussdpPlace place)
{
	if (ref->refassgnexpr != NULL || ref->reflowerindexpr != NIL ||
		get_typsubscript(ref->refcontainertype, NULL) != F_ARRAY_SUBSCRIPT_HANDLER)
		return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, exprLocation((Node *) ref),
							  "of an array one element may be taken, of a document a field by ->",
							  "Write tags[1], or data -> 'key'.");
	return verify_node(v, level, (Node *) ref->refexpr, place) &&
		   verify_list(v, level, ref->refupperindexpr, place);
}

/* An expression whose errors are NULL: what it computes is read here, whoever has made it. */
static bool
verify_contained(GaussdpVerifier *v, const GaussdpLevel *level, FuncExpr *call, GaussdpPlace place)
{
	Node *expression = (Node *) gaussdp_contained_expression(call);
	List *args = gaussdp_contained_arguments(call);
	const char *problem = "is no constant";

	if (expression != NULL)
		problem = gaussdp_contained_problem(expression, args);
	if (problem == NULL && (exprType(expression) != call->funcresulttype ||
							exprCollation(expression) != call->funccollid ||
							!gaussdp_parameters_match(expression, args)))
		problem = "has other types than its place";
	if (problem != NULL)
		return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, call->location,
							  psprintf("the expression %s", problem), FUNCTIONS_HINT);
	return verify_list(v, level, args, place);
}

static bool
verify_node(GaussdpVerifier *v, const GaussdpLevel *level, Node *node, GaussdpPlace place)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node == NULL || is_released(level, node, place))
		return true;
	switch (nodeTag(node))
	{
		case T_List:
			return verify_list(v, level, (List *) node, place);
		case T_Const:
			if (!((Const *) node)->constisnull &&
				gaussdp_is_long(((Const *) node)->constvalue, ((Const *) node)->constlen))
				return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, exprLocation(node),
									  "a constant on protected rows is too long", LENGTH_HINT);
			if (!((Const *) node)->constisnull &&
				!gaussdp_is_valid_text(((Const *) node)->constvalue, ((Const *) node)->consttype))
				return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, exprLocation(node),
									  "a constant on protected rows is no text of the encoding",
									  "Write it as a text, not as \"char\".");
			return true;
		case T_CaseTestExpr:
			return true;
		case T_Param:
			if (((Param *) node)->paramkind == PARAM_EXTERN)
				return true;
			break;
		case T_Var:
			return verify_var(v, level, (Var *) node, place);
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcretset)
				return gaussdp_refuse(v, GAUSSDP_RULE_FUNCTIONS, exprLocation(node),
									  "a set is returned here", SET_HINT);
			if (((FuncExpr *) node)->funcvariadic)
				break;
			if (gaussdp_is_contained(node))
				return verify_contained(v, level, (FuncExpr *) node, place);
			return verify_call(v, level, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
							   ((FuncExpr *) node)->inputcollid, node, place);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return verify_operator(v, level, (OpExpr *) node, place);
		case T_ScalarArrayOpExpr:
			return verify_comparison_with_list(v, level, (ScalarArrayOpExpr *) node, place);
		case T_BoolExpr:
			return verify_list(v, level, ((BoolExpr *) node)->args, place);
		case T_RelabelType:
			return verify_node(v, level, (Node *) ((RelabelType *) node)->arg, place);
		case T_CollateExpr:
			return verify_node(v, level, (Node *) ((CollateExpr *) node)->arg, place);
		case T_CoerceViaIO:
			return verify_io(v, level, (CoerceViaIO *) node, place);
		case T_CaseExpr:
			return verify_case(v, level, (CaseExpr *) node, place);
		case T_CoalesceExpr:
			return verify_list(v, level, ((CoalesceExpr *) node)->args, place);
		case T_MinMaxExpr:
			return verify_minmax(v, level, (MinMaxExpr *) node, place);
		case T_NullTest:
			if (((NullTest *) node)->argisrow)
				break;
			return verify_node(v, level, (Node *) ((NullTest *) node)->arg, place);
		case T_BooleanTest:
			return verify_node(v, level, (Node *) ((BooleanTest *) node)->arg, place);
		case T_ArrayExpr:
			/* Arrays of arrays fail where the inner ones differ in size. */
			if (((ArrayExpr *) node)->multidims)
				break;
			return verify_array(v, level, (ArrayExpr *) node, place);
		case T_SubscriptingRef:
			return verify_element(v, level, (SubscriptingRef *) node, place);
		case T_WindowFunc: /* of people's rows, where each is looked at by itself */
			if (level != NULL && level->has_windows)
				return true;
			break;
		case T_SubLink:
			return gaussdp_refuse(
				v, GAUSSDP_RULE_PLACE, exprLocation(node),
				"a sub-select would be executed for protected rows",
				"Correlate it with the unit column alone (WHERE d.unit = p.unit AND ...), or join: "
				"to a WITH query that groups by the unit, or ON the unit and more conditions.");
		default:
			break;
	}
	return gaussdp_refuse(
		v, GAUSSDP_RULE_FUNCTIONS, exprLocation(node),
		psprintf("this form of expression, of type %s, is not known to be total and leakproof",
				 format_type_be(exprType(node))),
		FUNCTIONS_HINT);
}

bool
gaussdp_verify_width(GaussdpVerifier *v, GaussdpLevel *level, Node *value)
{
	double width = gaussdp_width_in_row(value, fmax(GAUSSDP_STORED_WIDTH, level->column_width));

	level->widest = fmax(level->widest, width);
	level->width += width;
	GAUSSDP_REFUSE_IF(
		!(level->width <= GAUSSDP_ROW_WIDTH), GAUSSDP_RULE_FUNCTIONS, exprLocation(value),
		"what is computed of a row could be too large for one row, together or by itself",
		"Take the beginning of long texts, left(x, 1000), or of a document a field as text, data ->> 'key'.");
	return true;
}

typedef struct Comparisons
{
	GaussdpVerifier *v;
	GaussdpLevel *level;
} Comparisons;

/* A join may sort rows by what is compared: it is part of a row then. */
static bool
refuses_a_width(Node *node, Comparisons *c)
{
	OpExpr *op = (OpExpr *) node;

	if (node == NULL)
		return false;
	if (IsA(node, OpExpr) && list_length(op->args) == 2 && contain_var_clause(linitial(op->args)) &&
		contain_var_clause(lsecond(op->args)) && op->opresulttype == BOOLOID &&
		(!gaussdp_verify_width(c->v, c->level, linitial(op->args)) ||
		 !gaussdp_verify_width(c->v, c->level, lsecond(op->args))))
		return true;
	return expression_tree_walker(node, refuses_a_width, c);
}

bool
gaussdp_verify_widths_of_comparisons(GaussdpVerifier *v, GaussdpLevel *level, Node *conditions)
{
	Comparisons c = {v, level};

	return !refuses_a_width(conditions, &c);
}

bool
gaussdp_verify_expression(GaussdpVerifier *v, const GaussdpLevel *level, Node *expression,
						  GaussdpPlace place)
{
	GaussdpFacts facts;
	volatile bool result = false;

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		result = verify_node(v, level, expression, place);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return result;
}

/* The nearest values that have an order: citext is a text whose case does not count. */
static const char *
sorting_hint(Oid type)
{
	type = getBaseType(type);
	if (type == JSONBOID)
		return "Take a field of the document, as text or as a number: data ->> 'key', (data ->> 'key')::numeric.";
	if (type == RECORDOID)
		return "Count the groups: SELECT count(*) FROM (SELECT DISTINCT a, b FROM ...) s.";
	if (IsBinaryCoercible(type, TEXTOID))
		return "Take the text in one case: lower(x).";
	return "Order and group by numbers, dates or text with their own operators.";
}

bool
gaussdp_verify_sorting(GaussdpVerifier *v, List *clauses, List *targets)
{
	ListCell *lc;

	foreach (lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *expr = get_sortgroupclause_expr(clause, targets);
		Oid collation = exprCollation(expr);

		GAUSSDP_REFUSE_IF(
			!gaussdp_operator_is_total(clause->eqop, collation) ||
				(OidIsValid(clause->sortop) &&
				 !gaussdp_operator_is_total(clause->sortop, collation)),
			GAUSSDP_RULE_FUNCTIONS, exprLocation(expr),
			"the operator that orders or compares these values is not known to be total and leakproof",
			sorting_hint(exprType(expr)));
	}
	return true;
}
