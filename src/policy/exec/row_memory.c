/*
 * row_memory.c
 *		What looks at long values is evaluated alone, so that no row takes more memory than is known before.
 *
 *		length(note) = 7 OR data ->> 'a' = 'x'		alone('length($1) = 7', note) OR alone('left($1 ->> ''a'', 30000)', data) = 'x'
 *
 * A plan gives memory back when it has done with a row, and a function that looks at a stored value of any length makes a copy of it.  So
 * each largest part of an expression that looks at such values, with all that is as long within, up to where it gives something short,
 * becomes a call of alone() (policy/contained/alone.c).  Functions that give back what they have taken stay what they are, but of values
 * that are longer than may be evaluated alone they see NULL.  What is short is counted by the proof (gaussdp_memory_of).
 *
 * Done to the plan when it has been proven: nothing else looks at it afterwards.
 *
 * On servers of Citus nothing is evaluated alone: what is longer than a megabyte is NULL there (gaussdp_limit_stored), and counted.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "policy/contained/contained.h"
#include "policy/exec/room.h"
#include "policy/proof/proof.h"

/* Arguments of a call, beside the two that alone() has before them. */
#define MOST_ARGUMENTS (FUNC_MAX_ARGS - 2)

/* These give back copies of their arguments, of which they look at no more than they show or compare. */
static const Oid frugal[] = {F_TEXTEQ,  F_TEXTNE,  F_BPCHAREQ,         F_BPCHARNE,
							 F_BYTEAEQ, F_BYTEANE, F_OCTET_LENGTH_TEXT};
/* Of these, those that read no value whose length differs from the other's. */
static const Oid lengths_first[] = {F_TEXTEQ, F_TEXTNE, F_BYTEAEQ, F_BYTEANE};
static const Oid cutting[] = {F_LEFT, F_SUBSTR_TEXT_INT4_INT4, F_SUBSTRING_TEXT_INT4_INT4};

static bool
is_one_of(Oid function, const Oid *functions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (functions[i] == function)
			return true;
	return false;
}

/* May the value be of any length? */
static bool
is_long(Node *node)
{
	return get_typlen(exprType(node)) == -1 && !(gaussdp_width_of(node) <= GAUSSDP_SHORT_WIDTH);
}

/* The arguments of a node that calls a function, and that function, if it is one with a name. */
static List *
call_of(Node *node, Oid *function)
{
	*function = InvalidOid;
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			*function = ((FuncExpr *) node)->funcid;
			return ((FuncExpr *) node)->args;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			*function = get_opcode(((OpExpr *) node)->opno);
			return ((OpExpr *) node)->args;
		case T_ScalarArrayOpExpr:
			*function = get_opcode(((ScalarArrayOpExpr *) node)->opno);
			return ((ScalarArrayOpExpr *) node)->args;
		case T_NullTest:
			return list_make1(((NullTest *) node)->arg);
		case T_MinMaxExpr:
			return ((MinMaxExpr *) node)->args;
		case T_CoerceViaIO:
			return list_make1(((CoerceViaIO *) node)->arg);
		case T_SubscriptingRef:
			return list_make1(((SubscriptingRef *) node)->refexpr);
		case T_ArrayExpr:
			return ((ArrayExpr *) node)->elements;
		default:
			return NIL;
	}
}

/* left(x, 10), which reads the beginning alone */
static bool
is_cut(Oid function, List *args)
{
	const Const *count = llast(args);

	return is_one_of(function, cutting, lengthof(cutting)) && IsA(count, Const) &&
		   !count->constisnull && DatumGetInt32(count->constvalue) >= 0;
}

/* Does the call leave nothing behind but its result?  Of a list each element is looked at, in a copy of the list. */
static bool
is_frugal(Node *node, Oid function, List *args)
{
	if (IsA(node, ScalarArrayOpExpr) && is_long(lsecond(args)))
		return false;
	return IsA(node, NullTest) || is_one_of(function, frugal, lengthof(frugal)) ||
		   is_cut(function, args) || gaussdp_is_contained(node) ||
		   (IsA(node, FuncExpr) &&
			function == gaussdp_own_function("image", list_make1_oid(ANYOID)));
}

static bool
has_long(List *nodes)
{
	ListCell *lc;

	foreach (lc, nodes)
		if (is_long(lfirst(lc)))
			return true;
	return false;
}

/* Does it look at a long value, or what is long in it? */
static bool
looks_at_long(Node *node)
{
	Oid function;
	List *args = call_of(node, &function);
	List *parts = args != NIL ? args : gaussdp_choices(node);
	ListCell *lc;

	check_stack_depth();
	if (args != NIL && has_long(args) && !is_frugal(node, function, args))
		return true;
	foreach (lc, parts)
		if (is_long(lfirst(lc)) && looks_at_long(lfirst(lc)))
			return true;
	return false;
}

typedef struct Tree
{
	Node *top;
	List *args;
} Tree;

static Node *separate(Node *node, void *context);

/* Does it read the value of a CASE x WHEN ... around it? */
static bool
has_case_test(Node *node, void *context)
{
	if (node == NULL || (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL))
		return false;
	return IsA(node, CaseTestExpr) || expression_tree_walker(node, has_case_test, context);
}

/* The part's tree: what is short in it, and what is read of the row, is an argument. */
static Node *
take_part(Node *node, void *context)
{
	Tree *tree = context;

	if (node == NULL || IsA(node, Const) || IsA(node, CaseTestExpr))
		return node;
	if (IsA(node, List) || IsA(node, CaseWhen))
		return expression_tree_mutator(node, take_part, context);
	if (IsA(node, Var) || IsA(node, Param) || IsA(node, Aggref) || IsA(node, WindowFunc) ||
		(node != tree->top && !is_long(node) && !has_case_test(node, NULL)))
		return (Node *) gaussdp_parameter_for(&tree->args, separate(node, NULL));
	return expression_tree_mutator(node, take_part, context);
}

static Node *
make_alone(Node *node)
{
	Tree tree = {.top = node};
	Node *expression = take_part(node, &tree);

	gaussdp_check_limit(list_length(tree.args), MOST_ARGUMENTS, "values in one expression");
	gaussdp_load_expression((Expr *) expression, tree.args);
	return (Node *) gaussdp_make_alone(expression, tree.args);
}

/* Are values of different lengths told apart before they are read? */
static bool
reads_equal_lengths(Node *node, Oid function, List *args)
{
	return !IsA(node, ScalarArrayOpExpr) &&
		   is_one_of(function, lengths_first, lengthof(lengths_first)) &&
		   !(is_long(linitial(args)) && is_long(lsecond(args)));
}

/* Of calls that are evaluated where they stand: the long values among their arguments, which share what one of them may have. */
static void
limit_arguments(Node *node)
{
	Oid function;
	List *args = call_of(node, &function);
	int nlong = 0;
	ListCell *lc;

	if (args == NIL || gaussdp_is_contained(node) || IsA(node, NullTest) ||
		reads_equal_lengths(node, function, args))
		return;
	foreach (lc, args)
		nlong += is_long(lfirst(lc));
	foreach (lc, args)
		if (is_long(lfirst(lc)))
			lfirst(lc) = gaussdp_make_at_most(lfirst(lc), GAUSSDP_ALONE_MEMORY / nlong);
}

static Node *
separate(Node *node, void *context)
{
	Oid function;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (node == NULL || IsA(node, Var) || IsA(node, Const) || IsA(node, Param))
		return node;
	/* What is long itself, greatest(x, y), is a value as it is stored. */
	if (!IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, CaseWhen) &&
		call_of(node, &function) != NIL && !is_long(node) && looks_at_long(node) &&
		!has_case_test(node, NULL))
		return make_alone(node);
	node = expression_tree_mutator(node, separate, context);
	limit_arguments(node);
	return node;
}

/* ---------------------------------------------------------------------------
 * Servers of Citus
 * ---------------------------------------------------------------------------
 */

/* x = y of two columns: by what tables are distributed, or by what rows are joined, which is short (row_width.c). */
static bool
compares_columns(const List *args)
{
	return IsA(strip_implicit_coercions(linitial(args)), Var) &&
		   IsA(strip_implicit_coercions(lsecond(args)), Var);
}

/* Does the call read no more than one value, and give it back? */
static bool
is_modest(Node *node, Oid function, List *args)
{
	return is_frugal(node, function, args) && (list_length(args) != 2 || !is_long(linitial(args)) ||
											   !is_long(lsecond(args)) || compares_columns(args));
}

static Node *
limit_stored(Node *node, void *context)
{
	Oid function;
	List *args;
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (node == NULL || IsA(node, Var) || IsA(node, Const) || IsA(node, Param))
		return node;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, limit_stored, context, 0);
	if (gaussdp_is_at_most(node))
		return node;
	node = expression_tree_mutator(node, limit_stored, context);
	args = call_of(node, &function);
	if (args == NIL || is_modest(node, function, args))
		return node;
	foreach (lc, args)
		if (is_long(lfirst(lc)))
			lfirst(lc) = gaussdp_make_at_most(lfirst(lc), (Size) GAUSSDP_SHORT_WIDTH);
	return node;
}

/* Facts about widths are remembered for the time of a walk. */
static void *
with_facts(void *(*walk)(void *tree), void *tree)
{
	GaussdpFacts facts;
	void *volatile result = NULL;

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		result = walk(tree);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return result;
}

static void *
limit_query(void *query)
{
	return query_tree_mutator(query, limit_stored, NULL, 0);
}

Query *
gaussdp_limit_stored(const Query *query)
{
	/* A walk leaves lists of clauses as they are: in a copy, they are nobody else's. */
	return with_facts(limit_query, copyObject(unconstify(Query *, query)));
}

/* ---------------------------------------------------------------------------
 * Plans
 * ---------------------------------------------------------------------------
 */

static void separate_plan(Plan *plan);

static void
separate_list(List **expressions)
{
	*expressions = (List *) separate((Node *) *expressions, NULL);
}

static void
separate_plans(List *plans)
{
	ListCell *lc;

	foreach (lc, plans)
		separate_plan(lfirst(lc));
}

/* What nodes compute of a row beside target list and filter; they compare keys and sorted columns, which are short, in ways of their own. */
static void
separate_node(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_NestLoop:
		case T_MergeJoin:
			separate_list(&((Join *) plan)->joinqual);
			break;
		case T_HashJoin:
			separate_list(&((Join *) plan)->joinqual);
			separate_list(&((HashJoin *) plan)->hashclauses);
			separate_list(&((HashJoin *) plan)->hashkeys);
			break;
		case T_Hash:
			separate_list(&((Hash *) plan)->hashkeys);
			break;
		case T_Append:
			separate_plans(((Append *) plan)->appendplans);
			break;
		case T_MergeAppend:
			separate_plans(((MergeAppend *) plan)->mergeplans);
			break;
		case T_SubqueryScan:
			separate_plan(((SubqueryScan *) plan)->subplan);
			break;
		case T_CustomScan:
			separate_plans(((CustomScan *) plan)->custom_plans);
			break;
		default:
			break;
	}
}

static void
separate_plan(Plan *plan)
{
	if (plan == NULL)
		return;
	separate_list(&plan->targetlist);
	separate_list(&plan->qual);
	separate_node(plan);
	separate_plan(plan->lefttree);
	separate_plan(plan->righttree);
}

static void *
separate_statement(void *stmt)
{
	separate_plan(((PlannedStmt *) stmt)->planTree);
	return stmt;
}

void
gaussdp_limit_memory(PlannedStmt *stmt)
{
	(void) with_facts(separate_statement, stmt);
}
