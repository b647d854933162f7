/*
 * elements.c
 *		Elements of a person's array, as rows of that person.
 *
 *		SELECT tag, count(*) FROM visit v, unnest(v.tags) AS tag WHERE v.year = 2024 GROUP BY tag
 *		SELECT unnest(v.tags), count(*) FROM visit v WHERE v.year = 2024 GROUP BY 1
 *
 * become
 *
 *		SELECT v.tag, count(*) FROM (SELECT year, unnest(tags) AS tag FROM visit) v WHERE v.year = 2024 GROUP BY v.tag
 *
 * so that the proof sees a query that makes rows of people out of their rows.  An array of one relation is written so, whose rows no
 * outer join can leave out; several in FROM, one after the other.  Everything else stays as it is, and is refused.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

typedef struct Elements
{
	Query *query;
	FuncExpr *call;     /* unnest(array) */
	Index function;     /* the entry of FROM that it is; 0: it is a group key */
	Index source;       /* the entry that has the array */
	Index join;         /* the join of FROM by which the call is joined; 0 where it is listed */
	Bitmapset *columns; /* of the source that are read, less FirstLowInvalidHeapAttributeNumber */
	Index depth;        /* of the query at hand, below the query */
} Elements;

/* The call that the entry is, and nothing else.  Of rows it would have a column for each of their fields. */
static FuncExpr *
call_of_entry(const RangeTblEntry *entry)
{
	RangeTblFunction *function;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1 ||
		entry->funcordinality)
		return NULL;
	function = linitial_node(RangeTblFunction, entry->functions);
	return gaussdp_unnested(function->funcexpr) != NULL &&
				   !type_is_rowtype(exprType(function->funcexpr))
			   ? (FuncExpr *) function->funcexpr
			   : NULL;
}

static bool
find_in_from(Elements *e)
{
	ListCell *lc;

	foreach (lc, e->query->rtable)
	{
		FuncExpr *call = call_of_entry(lfirst_node(RangeTblEntry, lc));

		if (call == NULL || !contain_var_clause((Node *) call))
			continue;
		e->call = call;
		e->function = (Index) (foreach_current_index(lc) + 1);
		return true;
	}
	return false;
}

/* A group key; several sets in one list would go side by side. */
static bool
find_in_keys(Elements *e)
{
	int n = 0;
	ListCell *lc;

	foreach (lc, e->query->hasTargetSRFs ? e->query->groupClause : NIL)
	{
		Node *key =
			get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), e->query->targetList);

		if (IsA(key, Var) && ((Var *) key)->varlevelsup == 0)
			key = gaussdp_grouped_column(rt_fetch(((Var *) key)->varno, e->query->rtable),
										 ((Var *) key)->varattno);
		if (key == NULL || gaussdp_unnested(key) == NULL)
			continue;
		e->call = (FuncExpr *) key;
		n++;
	}
	return n == 1;
}

/* The call, and whose array it takes. */
static bool
find_call(Elements *e)
{
	int source;

	if ((!find_in_from(e) && !find_in_keys(e)) || checkExprHasSubLink((Node *) e->call) ||
		!bms_get_singleton_member(pull_varnos(NULL, (Node *) e->call), &source))
		return false;
	e->source = (Index) source;
	return true;
}

/* Has the entry rows of people? */
static bool
is_of_people(const RangeTblEntry *entry)
{
	return gaussdp_needs_proof(entry) || (entry->rtekind == RTE_SUBQUERY && !entry->lateral &&
										  gaussdp_shows_people(entry->subquery));
}

static bool
is_entry(const Node *item, Index rti)
{
	return IsA(item, RangeTblRef) && ((const RangeTblRef *) item)->rtindex == (int) rti;
}

/* Takes the entry out of FROM, where it is joined by inner joins; what these ask for becomes a condition of all of FROM. */
static bool
take_out(Elements *e, Node **tree, List **conditions)
{
	JoinExpr *join = (JoinExpr *) *tree;
	ListCell *lc;

	if (IsA(*tree, FromExpr))
	{
		foreach (lc, ((FromExpr *) *tree)->fromlist)
		{
			Node *item = lfirst(lc);

			if (is_entry(item, e->function))
			{
				((FromExpr *) *tree)->fromlist =
					foreach_delete_current(((FromExpr *) *tree)->fromlist, lc);
				return true;
			}
			if (take_out(e, (Node **) &lfirst(lc), conditions))
				return true;
		}
		return false;
	}
	if (!IsA(*tree, JoinExpr))
		return false;
	for (int i = 0; i < 2; i++)
	{
		Node **side = i == 0 ? &join->larg : &join->rarg;

		if (join->jointype != JOIN_INNER && join->jointype != (i == 0 ? JOIN_LEFT : JOIN_RIGHT))
			continue;
		if (join->jointype == JOIN_INNER && is_entry(*side, e->function))
		{
			if (join->quals != NULL)
				*conditions = lappend(*conditions, join->quals);
			e->join = (Index) join->rtindex;
			*tree = i == 0 ? join->rarg : join->larg;
			return true;
		}
		if (take_out(e, side, conditions))
			return true;
	}
	return false;
}

/* The same of an array beside its own source, (visit v CROSS JOIN unnest(v.tags)), wherever both stand. */
static bool
take_out_beside(Elements *e, Node **tree)
{
	JoinExpr *join = (JoinExpr *) *tree;
	ListCell *lc;

	if (IsA(*tree, FromExpr))
	{
		foreach (lc, ((FromExpr *) *tree)->fromlist)
			if (take_out_beside(e, (Node **) &lfirst(lc)))
				return true;
		return false;
	}
	if (!IsA(*tree, JoinExpr))
		return false;
	if (join->jointype == JOIN_INNER && join->quals == NULL && is_entry(join->larg, e->source) &&
		is_entry(join->rarg, e->function))
	{
		e->join = (Index) join->rtindex;
		*tree = join->larg;
		return true;
	}
	return take_out_beside(e, &join->larg) || take_out_beside(e, &join->rarg);
}

/* Columns of the source that the query and those in it read. */
static bool
note_columns(Node *node, void *context)
{
	Elements *e = context;
	const Var *var = (const Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		bool found;

		e->depth++;
		found = query_tree_walker((Query *) node, note_columns, e, QTW_IGNORE_JOINALIASES);
		e->depth--;
		return found;
	}
	if (!IsA(node, Var))
		return expression_tree_walker(node, note_columns, e);
	if (var->varlevelsup == e->depth && var->varno == (int) e->source)
		e->columns = bms_add_member(e->columns, var->varattno - FirstLowInvalidHeapAttributeNumber);
	return false;
}

/* Which column of the new query is that of the source? */
static AttrNumber
place_of(const Elements *e, AttrNumber attno)
{
	return (AttrNumber) (bms_member_index(e->columns, attno - FirstLowInvalidHeapAttributeNumber) +
						 1);
}

/* Behind these. */
static AttrNumber
place_of_element(const Elements *e)
{
	return (AttrNumber) (bms_num_members(e->columns) + 1);
}

static Var *
element_column(const Elements *e)
{
	return makeVar((int) e->source, place_of_element(e), exprType((Node *) e->call), -1,
				   exprCollation((Node *) e->call), e->depth);
}

static Node *
over_elements(Node *node, void *context)
{
	Elements *e = context;
	Var *var = (Var *) node;
	Node *result;

	if (node == NULL)
		return NULL;
	if (e->function == 0 && e->depth == 0 && equal(node, e->call))
		return (Node *) element_column(e);
	if (IsA(node, Query))
	{
		e->depth++;
		result = (Node *) query_tree_mutator((Query *) node, over_elements, e, 0);
		e->depth--;
		return result;
	}
	if (!IsA(node, Var) || var->varlevelsup != e->depth)
		return expression_tree_mutator(node, over_elements, e);
	var = copyObject(var);
	if (e->function != 0 && var->varno == (int) e->function)
	{
		var->varno = (int) e->source;
		var->varattno = var->varattnosyn = place_of_element(e);
	}
	else if (var->varno == (int) e->source)
		var->varattno = var->varattnosyn = place_of(e, var->varattno);
	var->varnosyn = (Index) var->varno;
	/* Joins list all of their columns: of those that nothing reads there are none any more. */
	if (var->varno == (int) e->source && var->varattno == 0)
		return (Node *) makeNullConst(var->vartype, var->vartypmod, var->varcollid);
	return (Node *) var;
}

static Var *
column_of_source(const RangeTblEntry *source, AttrNumber attno)
{
	if (source->rtekind == RTE_RELATION)
		return gaussdp_make_nullable_var(1, source->relid, attno, NULL);
	return gaussdp_make_nullable_column(
		1, attno, (Node *) get_tle_by_resno(source->subquery->targetList, attno)->expr, NULL);
}

/* The columns of the source that are read, and an element. */
static Query *
make_below(const Elements *e, RangeTblEntry *source)
{
	Query *below = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	FuncExpr *call = copyObject(e->call);
	int i = -1;

	below->commandType = CMD_SELECT;
	below->canSetTag = true;
	gaussdp_move_permissions(e->query, below, source);
	below->rtable = list_make1(source);
	below->hasRowSecurity = e->query->hasRowSecurity;
	ref->rtindex = 1;
	below->jointree = makeFromExpr(list_make1(ref), NULL);
	while ((i = bms_next_member(e->columns, i)) >= 0)
	{
		AttrNumber attno = (AttrNumber) (i + FirstLowInvalidHeapAttributeNumber);

		below->targetList =
			lappend(below->targetList,
					makeTargetEntry((Expr *) column_of_source(source, attno), place_of(e, attno),
									get_rte_attribute_name(source, attno), false));
	}
	ChangeVarNodes((Node *) call, (int) e->source, 1, 0);
	ChangeVarNodes((Node *) source->securityQuals, (int) e->source, 1, 0);
	if (source->rtekind == RTE_SUBQUERY)
		IncrementVarSublevelsUp((Node *) source->subquery, 1, 1);
	below->targetList =
		lappend(below->targetList,
				makeTargetEntry((Expr *) call, (AttrNumber) (list_length(below->targetList) + 1),
								"element", false));
	below->hasTargetSRFs = true;
	return below;
}

/* The new query stands where its source did. */
static void
put_below(const Elements *e, Query *below, const RangeTblEntry *source)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List *names = NIL;
	ListCell *lc;

	foreach (lc, below->targetList)
		names = lappend(names, makeString(lfirst_node(TargetEntry, lc)->resname));
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = below;
	entry->alias = copyObject(source->alias);
	entry->eref = makeAlias(source->eref->aliasname, names);
	entry->inFromCl = source->inFromCl;
	lfirst(list_nth_cell(e->query->rtable, (int) e->source - 1)) = entry;
	if (e->function != 0)
	{
		entry = rt_fetch(e->function, e->query->rtable);
		entry->functions = NIL;
		entry->lateral = false;
		gaussdp_retire_entry(entry);
	}
	if (e->join != 0)
	{
		entry = rt_fetch(e->join, e->query->rtable);
		entry->joinaliasvars = NIL;
		gaussdp_retire_entry(entry);
	}
}

/* Is there something to do at all? */
static bool
may_have_elements(const Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
		if (call_of_entry(lfirst_node(RangeTblEntry, lc)) != NULL)
			return true;
	return query->hasTargetSRFs && query->groupClause != NIL;
}

/* True where one was taken. */
static bool
take_one(Query *query)
{
	Elements e = {.query = query};
	RangeTblEntry *source;
	List *conditions = NIL;
	ListCell *lc;

	if (!find_call(&e) || !is_of_people(rt_fetch(e.source, query->rtable)))
		return false;
	(void) query_tree_walker(query, note_columns, &e, QTW_IGNORE_JOINALIASES);
	if (bms_next_member(e.columns, -1) <= -FirstLowInvalidHeapAttributeNumber)
		return false; /* system columns, or whole rows */
	if (!(e.function != 0 && take_out_beside(&e, (Node **) &query->jointree)) &&
		(gaussdp_may_be_missing(query, e.source) ||
		 (e.function != 0 && !take_out(&e, (Node **) &query->jointree, &conditions))))
		return false;
	foreach (lc, conditions)
		query->jointree->quals = make_and_qual(query->jointree->quals, lfirst(lc));
	source = copyObject(rt_fetch(e.source, query->rtable));
	(void) query_tree_mutator(query, over_elements, &e, QTW_DONT_COPY_QUERY);
	put_below(&e, make_below(&e, source), source);
	query->hasTargetSRFs = expression_returns_set((Node *) query->targetList);
	return true;
}

void
gaussdp_take_elements(Query *query)
{
	if (query->setOperations != NULL || !may_have_elements(query))
		return;
	gaussdp_write_out_joins(query);
	while (take_one(query))
		CHECK_FOR_INTERRUPTS();
}
