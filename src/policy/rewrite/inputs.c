/*
 * inputs.c
 *		Takes out of a level what it needs beside its rows.
 *
 * An expression without columns would be evaluated when the first row needs it: its error, its notice or its
 * query would tell that there is such a row.  So all of them become arguments of the stand-in, which the
 * query around computes before the level reads anything.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/exec/exec.h"
#include "policy/rewrite/rewrite.h"

/* The nodes of a level that cannot be inputs, because of something in them. */
typedef struct Inputs
{
	HTAB *bound;   /* their addresses: they hold a column, a call or the like */
	bool is_bound; /* while these are found: is there one below the node at hand? */
	bool is_test;  /* or a value that CASE or an array's cast hands down to it? */
	Index depth;   /* queries of people's rows between the level and the node at hand */
	List *arguments;
} Inputs;

static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

/* By itself, whatever is in it: may this node be evaluated once, without a row? */
static bool
is_bound_by_itself(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Aggref:
		case T_WindowFunc:
		case T_GroupingFunc:
		case T_CoerceToDomainValue:
		case T_NextValueExpr:
		case T_CurrentOfExpr:
		case T_SetToDefault:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_SubLink:
		{
			SubLink *sublink = (SubLink *) node;

			return (sublink->subLinkType != EXPR_SUBLINK &&
					sublink->subLinkType != EXISTS_SUBLINK &&
					sublink->subLinkType != ARRAY_SUBLINK) ||
				   gaussdp_is_correlated(castNode(Query, sublink->subselect));
		}
		case T_FuncExpr:
			return ((FuncExpr *) node)->funcretset ||
				   check_functions_in_node(node, is_volatile, NULL);
		case T_OpExpr:
			return ((OpExpr *) node)->opretset || check_functions_in_node(node, is_volatile, NULL);
		default:
			return check_functions_in_node(node, is_volatile, NULL);
	}
}

static bool find_bound(Node *node, void *context);

/* Does the sub-select make rows of people out of their rows?  It runs inside of the level. */
static bool
is_inner(Query *query)
{
	return gaussdp_reads_protected((Node *) query);
}

static bool
find_bound_in_entry(RangeTblEntry *entry, Inputs *inputs)
{
	if (entry->rtekind == RTE_SUBQUERY && is_inner(entry->subquery))
		return query_tree_walker(entry->subquery, find_bound, inputs,
								 QTW_IGNORE_RT_SUBQUERIES | QTW_EXAMINE_RTES_BEFORE);
	return false;
}

static bool
find_bound(Node *node, void *context)
{
	Inputs *inputs = context;
	bool was_bound = inputs->is_bound;
	bool was_test = inputs->is_test;

	if (node == NULL || IsA(node, Query))
		return false;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, RangeTblEntry))
		return find_bound_in_entry((RangeTblEntry *) node, inputs);
	inputs->is_bound = is_bound_by_itself(node);
	inputs->is_test = IsA(node, CaseTestExpr);
	(void) expression_tree_walker(node, find_bound, inputs);
	if (IsA(node, CaseExpr) || IsA(node, ArrayCoerceExpr))
		inputs->is_test = false;
	if (inputs->is_bound || inputs->is_test)
		(void) hash_search(inputs->bound, &node, HASH_ENTER, NULL);
	inputs->is_bound |= was_bound;
	inputs->is_test |= was_test;
	return false;
}

static Node *
make_argument(Inputs *inputs, Node *expr)
{
	/* It leaves the queries between it and the level; the WITH queries that it may read are outside of both. */
	if (inputs->depth > 0)
	{
		expr = copyObject(expr);
		IncrementVarSublevelsUp(expr, -(int) inputs->depth, (int) inputs->depth);
	}
	inputs->arguments = lappend(inputs->arguments, expr);
	return gaussdp_unknown_input(expr, list_length(inputs->arguments));
}

static bool
is_own_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

/* Is there anything but constants and PostgreSQL's own immutable functions in it? */
static bool
is_more_than_constant(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) || IsA(node, SubLink) || IsA(node, SQLValueFunction) ||
		IsA(node, CoerceToDomain) || check_functions_in_node(node, is_own_function, NULL))
		return true;
	return expression_tree_walker(node, is_more_than_constant, context);
}

/* Forms of expressions that may stand for a value; lists and clauses do not, and what is unknown stays. */
static bool
is_expression(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Param:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_SubLink:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_SQLValueFunction:
		case T_NullTest:
		case T_BooleanTest:
		case T_CollateExpr:
		case T_CoerceToDomain:
		case T_FieldSelect:
		case T_SubscriptingRef:
			return true;
		default:
			return false;
	}
}

/* A sub-select in FROM is read by itself; only parameters of the statement have to become the level's. */
static Node *
take_parameter(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, take_parameter, context, 0);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return make_argument(context, node);
	return expression_tree_mutator(node, take_parameter, context);
}

static Node *
take_input(Node *node, void *context)
{
	Inputs *inputs = context;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Query) && is_inner((Query *) node))
	{
		inputs->depth++;
		node = (Node *) query_tree_mutator((Query *) node, take_input, inputs, 0);
		((Query *) node)->hasSubLinks = false;
		inputs->depth--;
		return node;
	}
	if (IsA(node, Query))
		return take_parameter(node, context);
	if (IsA(node, Const))
		return node;
	if (!is_expression(node) || hash_search(inputs->bound, &node, HASH_FIND, NULL) != NULL)
		return expression_tree_mutator(node, take_input, context);
	if (!is_more_than_constant(node, NULL))
		return eval_const_expressions(NULL, node);
	return make_argument(inputs, node);
}

List *
gaussdp_take_inputs(Query *level)
{
	HASHCTL address = {
		.keysize = sizeof(Node *), .entrysize = sizeof(Node *), .hcxt = CurrentMemoryContext};
	Inputs inputs = {.bound = hash_create("nodes that hold a column or the like", 256, &address,
										  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT)};

	inputs.arguments = list_make1(
		makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true));
	(void) query_tree_walker(level, find_bound, &inputs,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_EXAMINE_RTES_BEFORE);
	*level = *query_tree_mutator(level, take_input, &inputs, 0);
	hash_destroy(inputs.bound);
	level->hasSubLinks = false;
	return inputs.arguments;
}
