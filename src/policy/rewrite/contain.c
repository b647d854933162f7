/*
 * contain.c
 *		What is not known to be total becomes NULL where it fails, if it is pure.
 *
 *		sqrt(x / y)			gaussdp_internal.contained('sqrt($1 / $2)', x, y)
 *		s::int + 1 > 3		gaussdp_internal.contained('$1::int + 1', s) > 3
 *
 * One call stands for each largest tree of such functions.  All are strict, so NULL of an inner one is NULL of the tree, as if each
 * of them had a call of its own.  The border lies at what is proven by its types (comparisons, coalesce, CASE, AND, OR), which stays what it is,
 * and where it is.
 *
 * Done to all expressions of a level alike: a key stays equal to its copies, and what a window orders by is what it shows.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "policy/contained/contained.h"
#include "policy/rewrite/rewrite.h"

/* Arguments of a call, beside the two that contained() has before them. */
#define MOST_ARGUMENTS (FUNC_MAX_ARGS - 2)

/* A tree that is being put together: what $1, $2, ... stand for. */
typedef struct Tree
{
	List *args;
	bool is_shallow; /* other trees in it stay by themselves */
} Tree;

/* The parameters of a tree that becomes part of another one. */
typedef struct Renumbered
{
	Tree *tree;
	List *args;
} Renumbered;

static Node *
renumber(Node *node, void *context)
{
	const Renumbered *renumbered = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Param))
		return (Node *) gaussdp_parameter_for(
			&renumbered->tree->args, list_nth(renumbered->args, ((Param *) node)->paramid - 1));
	return expression_tree_mutator(node, renumber, context);
}

/* Is it such a call, be it under another name of its type? */
static bool
ends_in_contained(Node *node)
{
	while (IsA(node, RelabelType) || IsA(node, CollateExpr))
		node = linitial(gaussdp_choices(node));
	return gaussdp_is_contained(node);
}

/* A value of a domain is one of its base type, as the functions of a tree take it. */
static Node *
as_base(Node *arg)
{
	Oid type = exprType(arg);
	int32 typmod = exprTypmod(arg);
	Oid base = getBaseTypeAndTypmod(type, &typmod);

	if (base == type)
		return arg;
	return (Node *) makeRelabelType((Expr *) arg, base, typmod, exprCollation(arg),
									COERCE_IMPLICIT_CAST);
}

/* An argument of a call that becomes part of the tree. */
static Node *
absorb(Node *arg, void *context)
{
	Tree *tree = context;

	if (IsA(arg, Const))
		return arg;
	if (gaussdp_is_contained(arg) && !tree->is_shallow)
	{
		Renumbered renumbered = {tree, gaussdp_contained_arguments((FuncExpr *) arg)};

		return renumber((Node *) gaussdp_contained_expression((FuncExpr *) arg), &renumbered);
	}
	if (ends_in_contained(arg) && !tree->is_shallow)
		return expression_tree_mutator(arg, absorb, context);
	return (Node *) gaussdp_parameter_for(&tree->args, as_base(arg));
}

/* What reads no row is computed here, as the planner would: it fails, if it does, before any row. */
static Node *
of_constants(Node *call)
{
	Node *value = eval_const_expressions(NULL, call);

	return IsA(value, Const) ? value : call;
}

/* The call with its arguments as parts of a tree of its own, contained; or as it is, where it may not be. */
static Node *
contain_tree(Node *call, bool is_shallow)
{
	Tree tree = {.is_shallow = is_shallow};
	Node *expression = copyObject(call);
	List *args = NIL;
	ListCell *lc;

	if (IsA(expression, CoerceViaIO))
		((CoerceViaIO *) expression)->arg =
			(Expr *) absorb((Node *) ((CoerceViaIO *) expression)->arg, &tree);
	else
	{
		if (IsA(expression, OpExpr))
			set_opfuncid((OpExpr *) expression);
		args = IsA(expression, FuncExpr) ? ((FuncExpr *) expression)->args
										 : ((OpExpr *) expression)->args;
		foreach (lc, args)
			lfirst(lc) = absorb(lfirst(lc), &tree);
	}
	if (tree.args == NIL)
		return of_constants(call);
	if (list_length(tree.args) > MOST_ARGUMENTS ||
		gaussdp_contained_problem(expression, tree.args) != NULL)
		return call;
	return (Node *) gaussdp_make_contained((Expr *) expression, tree.args);
}

/* What is too large as one tree is several. */
static Node *
contain(Node *call)
{
	Node *contained = contain_tree(call, false);

	return contained != call ? contained : contain_tree(call, true);
}

/* Would the proof take the node as it is?  Nothing is known of columns here, which may make more calls than are needed. */
static bool
is_total(Node *node)
{
	GaussdpFacts facts;
	volatile bool result = true;

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		if (IsA(node, CoerceViaIO))
			result = gaussdp_output_is_total(exprType((Node *) ((CoerceViaIO *) node)->arg),
											 ((CoerceViaIO *) node)->resulttype);
		else if (IsA(node, FuncExpr))
			result =
				gaussdp_function_is_total(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
										  ((FuncExpr *) node)->inputcollid);
		else if (IsA(node, OpExpr))
			result =
				gaussdp_function_is_total(get_opcode(((OpExpr *) node)->opno),
										  ((OpExpr *) node)->args, ((OpExpr *) node)->inputcollid);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return result;
}

static Node *contain_mutator(Node *node, void *context);

static bool
has_present_time(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, SQLValueFunction) || expression_tree_walker(node, has_present_time, context);
}

static bool
is_in_sql(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool result = function < FirstNormalObjectId && HeapTupleIsValid(tuple) &&
				  ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Is it a call of a function in SQL, or one without all arguments in their order?  The planner would say what is wrong with constants, too. */
static bool
is_short_form(const Node *call)
{
	const FuncExpr *expr = (const FuncExpr *) call;
	ListCell *lc;

	if (IsA(call, OpExpr))
		return is_in_sql(get_opcode(((const OpExpr *) call)->opno));
	if (!IsA(call, FuncExpr) || expr->funcid == F_SUBSTRING_TEXT_TEXT_TEXT)
		return false;
	foreach (lc, expr->args)
		if (IsA(lfirst(lc), NamedArgExpr))
			return true;
	return list_length(expr->args) != get_func_nargs(expr->funcid) || is_in_sql(expr->funcid);
}

/*
 * As the planner would write a call: with all arguments, in their order, and a function in SQL as what it computes.  That is looked at
 * again.  A function that takes the present time, age(x), is not: inputs.c has not seen what is in it.
 */
static Node *
expand(Node *call)
{
	Node *expanded;

	if (!is_short_form(call))
		return call;
	expanded = eval_const_expressions(NULL, call);
	if (has_present_time(expanded, NULL))
		return call;
	if (nodeTag(expanded) != nodeTag(call) ||
		(IsA(call, FuncExpr) && ((FuncExpr *) expanded)->funcid != ((FuncExpr *) call)->funcid) ||
		(IsA(call, OpExpr) && ((OpExpr *) expanded)->opno != ((OpExpr *) call)->opno))
		return contain_mutator(expanded, NULL);
	return expanded;
}

/* A sum of numerics of any size overflows; numerics in contained calls have few digits. */
static Node *
shorten_numeric(Node *value)
{
	FuncExpr *same = makeFuncExpr(F_NUMERIC_UPLUS, NUMERICOID, list_make1(value), InvalidOid,
								  InvalidOid, COERCE_EXPLICIT_CALL);

	return gaussdp_has_few_digits(value) ? value : contain((Node *) same);
}

/* The values that such aggregates, or window functions, add up. */
static void
shorten_added(Node *node)
{
	if (IsA(node, Aggref) &&
		gaussdp_exact_kind(((Aggref *) node)->aggfnoid) == GAUSSDP_EXACT_IF_SHORT)
	{
		TargetEntry *value = linitial_node(TargetEntry, ((Aggref *) node)->args);

		value->expr = (Expr *) shorten_numeric((Node *) value->expr);
	}
	else if (IsA(node, WindowFunc) &&
			 gaussdp_exact_kind(((WindowFunc *) node)->winfnoid) == GAUSSDP_EXACT_IF_SHORT)
		linitial(((WindowFunc *) node)->args) =
			shorten_numeric(linitial(((WindowFunc *) node)->args));
}

static Node *
contain_mutator(Node *node, void *context)
{
	Node *expanded;
	Node *contained;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	/* A sub-select is a level of its own, or none. */
	if (node == NULL || IsA(node, Query))
		return node;
	node = expression_tree_mutator(node, contain_mutator, context);
	shorten_added(node);
	if (gaussdp_is_contained(node) || is_total(node))
		return node;
	expanded = expand(node);
	if (gaussdp_is_contained(expanded) || is_total(expanded))
		return expanded;
	contained = contain(expanded);
	/* What cannot be contained stays as it was written, for the words of its refusal. */
	return contained != expanded ? contained : node;
}

void
gaussdp_contain_level(Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		entry->securityQuals = (List *) contain_mutator((Node *) entry->securityQuals, NULL);
	}
	query->targetList = (List *) contain_mutator((Node *) query->targetList, NULL);
	query->havingQual = contain_mutator(query->havingQual, NULL);
	query->jointree = (FromExpr *) contain_mutator((Node *) query->jointree, NULL);
	gaussdp_mutate_groups(query, contain_mutator, NULL);
}
