/*
 * sets.c
 *		Grouping sets, as plain groups.
 *
 *		SELECT a, b, GROUPING(a, b), dp_count(1, 1e-6) FROM ... GROUP BY GROUPING SETS ((a, b), (a))
 *
 * becomes
 *
 *		SELECT a, CASE WHEN set = ANY ('{1}') THEN b END, CASE WHEN set = ANY ('{1}') THEN 0 ... END, dp_count(...)
 *		FROM (VALUES (1), (2)) AS s (set), ... GROUP BY a, CASE WHEN set = ANY ('{1}') THEN b END, set
 *
 * so that a person's rows stand in a group of each of the S sets, and whatever weighs them weighs all.  Each call then
 * has noise sqrt(S) times as large (gaussdp_call_parts).  Its rows are those of FROM: where that has none there is no
 * group, neither of an empty set.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "utils/array.h"
#include "utils/fmgroids.h"

#include "policy/exec/nested.h"
#include "policy/exec/sets.h"
#include "query_tree.h"

typedef struct Sets
{
	const GaussdpLevel *level;
	Query *query;
	List *sets; /* of List of int: the keys of each */
	Var *number;
	List *keys;     /* of Node: the grouping expressions */
	List *replaced; /* of Node: what takes their places */
} Sets;

/* A further relation of the query: the numbers of the sets, from 1 on. */
static void
add_numbers(Sets *s)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Query *query = s->query;

	entry->rtekind = RTE_VALUES;
	for (int i = 1; i <= list_length(s->sets); i++)
		entry->values_lists = lappend(entry->values_lists, list_make1(gaussdp_make_int4(i)));
	entry->coltypes = list_make1_oid(INT4OID);
	entry->coltypmods = list_make1_int(-1);
	entry->colcollations = list_make1_oid(InvalidOid);
	entry->alias = makeAlias("grouping_sets", list_make1(makeString(pstrdup("number"))));
	entry->eref = makeAlias("grouping_sets", list_make1(makeString(pstrdup("number"))));
	entry->inFromCl = true;
	query->rtable = lappend(query->rtable, entry);
	ref->rtindex = list_length(query->rtable);
	query->jointree = makeFromExpr(lcons(ref, query->jointree->fromlist), query->jointree->quals);
	s->number = makeVar(ref->rtindex, 1, INT4OID, -1, InvalidOid, 0);
}

/* Is the row at hand that of one of these sets? */
static Expr *
is_of_sets(const Sets *s, List *numbers)
{
	ScalarArrayOpExpr *test = makeNode(ScalarArrayOpExpr);
	Datum *elements = palloc(sizeof(Datum) * list_length(numbers));
	ListCell *lc;

	foreach (lc, numbers)
		elements[foreach_current_index(lc)] = Int32GetDatum(lfirst_int(lc));
	test->opno = Int4EqualOperator;
	test->opfuncid = F_INT4EQ;
	test->useOr = true;
	test->args = list_make2(
		copyObject(s->number),
		makeConst(INT4ARRAYOID, -1, InvalidOid, -1,
				  PointerGetDatum(construct_array(elements, list_length(numbers), INT4OID,
												  sizeof(int32), true, TYPALIGN_INT)),
				  false, false));
	test->location = -1;
	return (Expr *) test;
}

static CaseWhen *
make_when(Expr *condition, Node *result)
{
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = condition;
	when->result = (Expr *) result;
	when->location = -1;
	return when;
}

/* GROUPING of these keys in a set: a bit for each key that is not in it. */
static int
grouping_in(List *set, List *keys)
{
	int bits = 0;
	ListCell *lc;

	foreach (lc, keys)
		bits = (bits << 1) | (list_member_int(set, lfirst_int(lc)) ? 0 : 1);
	return bits;
}

/* The numbers of the sets for which GROUPING of these keys is value. */
static List *
sets_with(const Sets *s, List *keys, int value)
{
	List *numbers = NIL;
	ListCell *lc;

	foreach (lc, s->sets)
		if (grouping_in(lfirst(lc), keys) == value)
			numbers = lappend_int(numbers, foreach_current_index(lc) + 1);
	return numbers;
}

/* The key where the row's set has it, else NULL. */
static Node *
key_of_set(const Sets *s, Node *key, int number)
{
	List *numbers = sets_with(s, list_make1_int(number), 0);
	CaseExpr *result = makeNode(CaseExpr);

	if (list_length(numbers) == list_length(s->sets))
		return (Node *) copyObject(key);
	result->casetype = exprType(key);
	result->casecollid = exprCollation(key);
	result->args = list_make1(make_when(is_of_sets(s, numbers), copyObject(key)));
	result->defresult = (Expr *) makeNullConst(exprType(key), exprTypmod(key), exprCollation(key));
	result->location = -1;
	return (Node *) result;
}

/* What GROUPING is for the row's set, of which each has one value. */
static Node *
grouping_of_set(const Sets *s, const GroupingFunc *grouping)
{
	CaseExpr *result = makeNode(CaseExpr);
	List *done = NIL;
	ListCell *lc;

	result->casetype = INT4OID;
	result->location = -1;
	foreach (lc, s->sets)
	{
		int value = grouping_in(lfirst(lc), grouping->refs);
		List *numbers;

		if (list_member_int(done, value))
			continue;
		done = lappend_int(done, value);
		numbers = sets_with(s, grouping->refs, value);
		result->args = lappend(
			result->args, make_when(is_of_sets(s, numbers), (Node *) gaussdp_make_int4(value)));
	}
	result->defresult = (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
	return (Node *) result;
}

/* Each call with the epsilon of its larger noise; it counts rows as they are, whatever the set. */
static Node *
spread_call(const Sets *s, const Aggref *agg)
{
	GaussdpCallParts parts;
	Aggref *call = copyObject(unconstify(Aggref *, agg));
	int place;

	if (!gaussdp_call_parts(s->level, agg, &parts))
		elog(ERROR, "a parameter of a private aggregate has no value");
	place = gaussdp_call_place(&parts.call, GAUSSDP_PARAM_EPSILON);
	list_nth_node(TargetEntry, call->args, parts.call.first + place)->expr =
		(Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), parts.values[place],
						   parts.isnull[place], FLOAT8PASSBYVAL);
	return (Node *) call;
}

static Node *
replacement(Node *node, void *context)
{
	const Sets *s = context;
	ListCell *lc;

	/* Weighted calls take theirs when they are made. */
	if (IsA(node, Aggref))
		return s->level->is_weighted ? copyObject(node) : spread_call(s, (Aggref *) node);
	if (IsA(node, GroupingFunc))
		return grouping_of_set(s, (GroupingFunc *) node);
	foreach (lc, s->keys)
		if (equal(node, lfirst(lc)))
			return copyObject(list_nth(s->replaced, foreach_current_index(lc)));
	return NULL;
}

/* Groups are told apart by their sets, too, and come in the order of these where their keys are equal. */
static void
group_by_number(Sets *s)
{
	Query *query = s->query;
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *column =
		makeTargetEntry((Expr *) copyObject(s->number),
						(AttrNumber) (list_length(query->targetList) + 1), NULL, true);

	clause->eqop = Int4EqualOperator;
	clause->sortop = Int4LessOperator;
	clause->hashable = true;
	clause->tleSortGroupRef = assignSortGroupRef(column, query->targetList);
	query->targetList = lappend(query->targetList, column);
	query->groupClause = lappend(query->groupClause, clause);
	query->sortClause = lappend(query->sortClause, copyObject(clause));
}

void
gaussdp_expand_sets(const GaussdpLevel *level, Query *query)
{
	Sets s = {.level = level, .query = query};
	ListCell *lc;

	if (query->groupingSets == NIL)
		return;
	foreach (lc, query->groupingSets)
		s.sets = lappend(s.sets, lfirst_node(GroupingSet, lc)->content);
	add_numbers(&s);
	foreach (lc, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = get_sortgroupclause_expr(clause, query->targetList);

		s.keys = lappend(s.keys, copyObject(key));
		s.replaced = lappend(s.replaced, key_of_set(&s, key, (int) clause->tleSortGroupRef));
	}
	query->targetList = (List *) gaussdp_over_columns((Node *) query->targetList, replacement, &s);
	query->havingQual = gaussdp_over_columns(query->havingQual, replacement, &s);
	query->groupingSets = NIL;
	group_by_number(&s);
}
