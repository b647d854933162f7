/*
 * complete.c
 *		Gives a level that has been cut out what its proof asks for.
 *
 * The proof reads a level and changes nothing.  So what it may miss is put in before: what could fail is contained, an
 * owner column in each query of people's rows, the order of group keys.  What only a proof can find, which tables of public keys it
 * may be joined to and whose rows an outer join makes up, the proof says (GaussdpLack); then that is put in, and
 * the level is proven anew.  Whatever is wrong here is refused.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* Key tables, then one image of keys, then presence, then the proof itself. */
#define MOST_ROUNDS 4

void
gaussdp_write_out_joins(Query *q)
{
	ListCell *lc;

	foreach (lc, q->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_JOIN)
			break;
	if (lc == NULL)
		return;
	q->targetList = (List *) gaussdp_flatten_joins(q, (Node *) q->targetList);
	q->havingQual = gaussdp_flatten_joins(q, q->havingQual);
	q->jointree = (FromExpr *) gaussdp_flatten_joins(q, (Node *) q->jointree);
}

/*
 * The typmod of another table's column is not trusted: it proves no range and no length on protected rows.  A cast of an
 * analyst's own may give a char(3) any text, and CREATE TABLE AS keeps it.  That of a protected table's is its domain's,
 * where it has one: what is stored in a domain over numeric(8,2) has been made one, as in a column of that type.
 */
static bool
settle_typmod(Node *node, Query *query)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var *var = (Var *) node;

		if (var->varlevelsup > 0 || var->varno <= 0)
			return false;
		if (!gaussdp_needs_proof(rt_fetch(var->varno, query->rtable)))
			var->vartypmod = -1;
		else if (var->vartypmod == -1)
			(void) getBaseTypeAndTypmod(var->vartype, &var->vartypmod);
		return false;
	}
	return expression_tree_walker(node, settle_typmod, query);
}

static void
settle_typmods(Query *query)
{
	(void) query_tree_walker(query, settle_typmod, query,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}

/* ---------------------------------------------------------------------------
 * Queries in FROM that make rows of people
 * ---------------------------------------------------------------------------
 */

static void complete_inner(Query *query);

/* All columns of the query are seen from outside, also those that only GROUP BY names. */
static void
show_all_columns(RangeTblEntry *entry)
{
	ListCell *lc;

	foreach (lc, entry->subquery->targetList)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);

		if (!column->resjunk)
			continue;
		column->resjunk = false;
		column->resname = psprintf("column_%d", column->resno);
		entry->eref->colnames = lappend(entry->eref->colnames, makeString(column->resname));
	}
}

static Var *owner_column(const Query *query, Index rti);

/* Is it the unit of an entry that is in each row? */
static bool
is_owner(const Query *query, const Node *node)
{
	const Var *var = (const Var *) node;
	const Var *owner;

	if (!IsA(var, Var) || var->varlevelsup != 0 || gaussdp_may_be_missing(query, var->varno))
		return false;
	owner = owner_column(query, var->varno);
	return owner != NULL && owner->varattno == var->varattno;
}

/* Does the column say whose the query's rows are, of UNION ALL in each of its arms? */
static bool
shows_owner(const Query *query, int column)
{
	ListCell *lc;

	check_stack_depth();
	if (query->setOperations == NULL)
		return column <= list_length(query->targetList) &&
			   is_owner(query,
						(Node *) list_nth_node(TargetEntry, query->targetList, column - 1)->expr);
	foreach (lc, gaussdp_arms_of_union(query))
		if (!shows_owner(rt_fetch(lfirst_int(lc), query->rtable)->subquery, column))
			return false;
	return true;
}

/* The number of the column that says whose the query's rows are; 0 where none does. */
static AttrNumber
shown_owner(const Query *query)
{
	for (int i = 1; i <= list_length(query->targetList); i++)
		if (shows_owner(query, i))
			return (AttrNumber) i;
	return InvalidAttrNumber;
}

/* The column that says whose the rows of an entry are; NULL where none does. */
static Var *
owner_column(const Query *query, Index rti)
{
	const RangeTblEntry *entry = rt_fetch(rti, query->rtable);
	GaussdpTable table;
	AttrNumber column;

	if (gaussdp_needs_proof(entry))
		return gaussdp_table(entry->relid, &table) && table.usable && !table.has_path
				   ? gaussdp_make_nullable_var(rti, entry->relid, table.unit, NULL)
				   : NULL;
	if (entry->rtekind != RTE_SUBQUERY || !gaussdp_reads_protected((Node *) entry->subquery))
		return NULL;
	column = shown_owner(entry->subquery);
	if (column == InvalidAttrNumber)
		return NULL;
	return gaussdp_make_nullable_column(
		rti, column,
		(Node *) list_nth_node(TargetEntry, entry->subquery->targetList, column - 1)->expr, NULL);
}

/* Whose the query's rows are, by an entry that is in each row; NULL where none says so. */
static Var *
owner_of_rows(const Query *q)
{
	Bitmapset *relations = gaussdp_relations_in((Node *) q->jointree);
	int rti = -1;

	while ((rti = bms_next_member(relations, rti)) >= 0)
	{
		Var *owner = gaussdp_may_be_missing(q, rti) ? NULL : owner_column(q, rti);

		if (owner != NULL)
			return owner;
	}
	return NULL;
}

static bool
is_grouped(const Query *q)
{
	return q->groupClause != NIL || q->hasAggs || q->havingQual != NULL;
}

static void
add_column(RangeTblEntry *entry, Var *column)
{
	Query *q = entry->subquery;
	AttrNumber number = (AttrNumber) (list_length(q->targetList) + 1);
	char *name = psprintf("column_%d", number);

	q->targetList = lappend(q->targetList, makeTargetEntry((Expr *) column, number, name, false));
	entry->eref->colnames = lappend(entry->eref->colnames, makeString(name));
}

/* Each of these operations has one column more. */
static void
widen_operations(Node *node, const Var *column)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	check_stack_depth();
	if (!IsA(node, SetOperationStmt))
		return;
	operation->colTypes = lappend_oid(operation->colTypes, column->vartype);
	operation->colTypmods = lappend_int(operation->colTypmods, -1);
	operation->colCollations = lappend_oid(operation->colCollations, column->varcollid);
	widen_operations(operation->larg, column);
	widen_operations(operation->rarg, column);
}

/* Whose the rows of UNION ALL are, as one more column of each arm; NULL where one does not say so. */
static Var *
owner_of_union(Query *q)
{
	List *arms = gaussdp_arms_of_union(q);
	Var *owner = NULL;
	ListCell *lc;

	foreach (lc, arms)
	{
		const Query *arm = rt_fetch(lfirst_int(lc), q->rtable)->subquery;

		owner = is_grouped(arm) ? NULL : owner_of_rows(arm);
		if (owner == NULL)
			return NULL;
	}
	foreach (lc, arms)
	{
		RangeTblEntry *arm = rt_fetch(lfirst_int(lc), q->rtable);

		add_column(arm, owner_of_rows(arm->subquery));
	}
	widen_operations(q->setOperations, owner);
	return makeVar(linitial_int(arms), (AttrNumber) (list_length(q->targetList) + 1),
				   owner->vartype, -1, owner->varcollid, 0);
}

/* A query that only joins shows whose its rows are, too; one that groups does so if it groups by that. */
static void
show_owner(RangeTblEntry *entry)
{
	Query *q = entry->subquery;
	Var *owner;

	if (is_grouped(q) || shown_owner(q) != InvalidAttrNumber)
		return;
	owner = q->setOperations != NULL ? owner_of_union(q) : owner_of_rows(q);
	if (owner != NULL)
		add_column(entry, owner);
}

/* Rows whose unit is NULL are left out where their table is read, whatever it is joined to. */
static void
leave_out_nobody(RangeTblEntry *entry, Index rti)
{
	if (gaussdp_needs_proof(entry) && gaussdp_has_rows_of_nobody(entry->relid))
		entry->securityQuals =
			lcons(gaussdp_make_somebodys(rti, entry->relid), entry->securityQuals);
}

void
gaussdp_cast_arms(Query *q)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) q->setOperations;
	ListCell *lc;
	ListCell *lc2;
	ListCell *lc3;

	foreach (lc, gaussdp_arms_of_union(q))
		forboth(lc2, rt_fetch(lfirst_int(lc), q->rtable)->subquery->targetList, lc3,
				operation->colTypes)
		{
			TargetEntry *column = lfirst_node(TargetEntry, lc2);
			Node *expr = (Node *) column->expr;
			Node *cast = coerce_to_target_type(NULL, expr, exprType(expr), lfirst_oid(lc3), -1,
											   COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);

			if (exprType(expr) != lfirst_oid(lc3) && cast != NULL)
				column->expr = (Expr *) cast;
		}
}

/* The query's expressions, and the queries of people's rows in its FROM. */
static void
complete_query(Query *query)
{
	ListCell *lc;

	check_stack_depth();
	gaussdp_join_paths(query);
	if (query->setOperations != NULL)
		gaussdp_cast_arms(query);
	settle_typmods(query);
	gaussdp_guard_level(query);
	gaussdp_contain_level(query);
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		leave_out_nobody(entry, (Index) (foreach_current_index(lc) + 1));
		if (entry->rtekind == RTE_SUBQUERY && gaussdp_reads_protected((Node *) entry->subquery))
		{
			complete_inner(entry->subquery);
			/* The columns of a UNION ALL are those of each of its arms, by number. */
			if (query->setOperations != NULL)
				continue;
			show_all_columns(entry);
			show_owner(entry);
		}
	}
	settle_typmods(query);
}

/* Does it group by whose its rows are? */
static bool
groups_by_owner(const Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
		if (is_owner(query,
					 get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList)))
			return true;
	return false;
}

static void
complete_inner(Query *query)
{
	Var *owner;

	gaussdp_write_out_joins(query);
	gaussdp_flatten_groups(query);
	query->sortClause = NIL; /* without LIMIT it orders nothing that is seen */
	complete_query(query);
	if (query->windowClause == NIL && (!is_grouped(query) || groups_by_owner(query)))
		return;
	owner = owner_of_rows(query);
	if (owner == NULL)
		return;
	if (query->windowClause != NIL)
		gaussdp_partition_by_owner(query, owner);
	else
		gaussdp_group_by_owner(query, owner);
}

/* ---------------------------------------------------------------------------
 * The level itself
 * ---------------------------------------------------------------------------
 */

static bool
finds_column(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Aggref) || IsA(node, SubLink))
		return true;
	return expression_tree_walker(node, finds_column, context);
}

/* Parameters of private calls are constants as soon as they can be. */
static bool
fold_parameters(Node *node, void *context)
{
	Aggref *agg = (Aggref *) node;
	GaussdpCall call;

	if (node == NULL || IsA(node, SubLink))
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, fold_parameters, context);
	if (!gaussdp_call_of(agg->aggfnoid, &call) ||
		list_length(agg->args) < call.first + call.nparams)
		return false;
	for (int i = call.first; i < call.first + call.nparams; i++)
	{
		TargetEntry *arg = list_nth_node(TargetEntry, agg->args, i);

		if (!finds_column((Node *) arg->expr, NULL))
			arg->expr = (Expr *) eval_const_expressions(NULL, (Node *) arg->expr);
	}
	return false;
}

/* Each call leaves out the rows that joins make up: the unit column is never NULL where there is a person. */
static void
count_present_rows_only(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->calls)
	{
		Aggref *agg = lfirst_node(Aggref, lc);
		Expr *present = gaussdp_make_present((Expr *) gaussdp_make_owner_var(level));

		if (agg->aggfilter != NULL)
			present = makeBoolExpr(AND_EXPR, list_make2(present, agg->aggfilter), -1);
		agg->aggfilter = present;
	}
}

/* Puts in what the level lacks; false where that cannot be had, or where v holds a refusal. */
static bool
add_what_is_lacking(GaussdpVerifier *v, GaussdpLack lack, GaussdpLevel *level, Query *query)
{
	if (lack == GAUSSDP_LACKS_NOTHING)
		return false;
	if (lack == GAUSSDP_LACKS_KEY_TABLES &&
		(!gaussdp_has_key_tables(level) || !gaussdp_join_key_tables(v, level, query)))
		return false;
	if (lack == GAUSSDP_LACKS_ONE_IMAGE)
	{
		if (!gaussdp_show_one_image(level, unconstify(Query *, level->query)))
			return false;
	}
	else
		count_present_rows_only(level);
	settle_typmods(query);
	query->sortClause = copyObject(query->groupClause);
	return true;
}

bool
gaussdp_complete_level(GaussdpVerifier *v, Query *query)
{
	const GaussdpVerifier before = *v;
	const GaussdpLevel *keyed = NULL; /* the level as it was when its tables of keys were joined */
	GaussdpLevel *level;

	complete_query(query);
	(void) fold_parameters((Node *) query->targetList, NULL);
	(void) fold_parameters(query->havingQual, NULL);
	/* Groups come in the order of their keys. */
	query->sortClause = copyObject(query->groupClause);
	for (int round = 0; !gaussdp_verify_level(v, query); round++)
	{
		GaussdpVerifier refused = *v;

		*v = before;
		v->key_tables = refused.key_tables;
		if (round == MOST_ROUNDS || !add_what_is_lacking(v, refused.lacks, refused.lacking, query))
		{
			if (!v->refused)
				*v = refused;
			return gaussdp_refuse_key_tables(v);
		}
		if (refused.lacks == GAUSSDP_LACKS_KEY_TABLES)
			keyed = refused.lacking;
	}
	level = llast(v->levels);
	level->left_out = keyed ? keyed->left_out : NULL;
	level->leaves_out_nulls = keyed && keyed->leaves_out_nulls;
	return true;
}
