/*
 * split_level.c
 *		A level as Citus computes it: exact sums on the servers, the release here.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "citus/citus.h"
#include "citus/split_level.h"
#include "compat.h"
#include "policy/exec/exec.h"
#include "query_tree.h"

/* So much of public relations goes to each shard. */
#define MOST_PUBLIC_ROWS 10000
#define MOST_PUBLIC_BYTES (1024 * 1024)

/* A level on its way to become two. */
typedef struct Split
{
	GaussdpRoom *room;
	Query *query;    /* what is split */
	Query *exact;    /* keys, then parts */
	List *keys;      /* of Node: what the level is grouped by, each once */
	List *releases;  /* of Aggref: the calls, each once */
	List *calls;     /* of GaussdpSplitCall, beside them; parts are columns of exact */
	AttrNumber rows; /* number of rows, null in public groups; 0 without these */
} Split;

/* ---------------------------------------------------------------------------
 * Public rows
 * ---------------------------------------------------------------------------
 */

static void
refuse_size(const GaussdpRoom *room)
{
	GaussdpVerifier v = {
		.source = room->source, .relation = room->level->owner->relation, .location = -1};

	gaussdp_refuse(&v, GAUSSDP_RULE_PUBLIC, -1,
				   "Citus would send more than " CppAsString2(
					   MOST_PUBLIC_ROWS) " rows, or a megabyte, of public relations to each server",
				   "Join to fewer rows: (SELECT DISTINCT ... FROM ... WHERE ...).");
	gaussdp_raise_refusal(&v);
}

/* What has been taken so far of all relations. */
typedef struct Taken
{
	const GaussdpRoom *room;
	int64 rows;
	int64 bytes;
} Taken;

/* No column is read that cannot be sent (citus/level_proof.c). */
static Const *
make_constant(Form_pg_attribute att, Datum value, bool isnull, Taken *taken)
{
	if (!gaussdp_is_sent(att->atttypid, att->attcollation))
		return makeNullConst(INT4OID, -1, InvalidOid);
	if (!isnull)
	{
		taken->bytes += (int64) datumGetSize(value, att->attbyval, att->attlen);
		value = datumCopy(value, att->attbyval, att->attlen);
	}
	return makeConst(att->atttypid, att->atttypmod, att->attcollation, att->attlen,
					 isnull ? (Datum) 0 : value, isnull, att->attbyval);
}

static List *
make_row(TupleDesc columns, TupleTableSlot *slot, Taken *taken)
{
	List *row = NIL;

	if (slot != NULL)
		slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
		row = lappend(row, make_constant(TupleDescAttr(columns, i),
										 slot == NULL ? (Datum) 0 : slot->tts_values[i],
										 slot == NULL || slot->tts_isnull[i], taken));
	if (++taken->rows > MOST_PUBLIC_ROWS || taken->bytes > MOST_PUBLIC_BYTES)
		refuse_size(taken->room);
	return row;
}

/*
 * SELECT nothing_1 AS a, ... FROM (VALUES (NULL, ...)) nothing WHERE false: VALUES have a row at least.  Were the names the same,
 * it would be printed as VALUES alone.
 */
static void
make_empty(RangeTblEntry *entry)
{
	RangeTblEntry *values = copyObject(entry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Query *query = makeNode(Query);
	List *names = NIL;
	ListCell *lc;

	for (int i = 1; i <= list_length(entry->eref->colnames); i++)
		names = lappend(names, makeString(psprintf("nothing_%d", i)));
	values->eref = makeAlias("nothing", names);
	values->alias = copyObject(values->eref);
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(values);
	query->jointree = makeFromExpr(list_make1(ref), makeBoolConst(false, false));
	foreach (lc, linitial_node(List, values->values_lists))
	{
		AttrNumber column = (AttrNumber) (foreach_current_index(lc) + 1);
		Node *value = lfirst(lc);

		query->targetList = lappend(
			query->targetList,
			makeTargetEntry((Expr *) makeVar(1, column, exprType(value), exprTypmod(value),
											 exprCollation(value), 0),
							column, strVal(list_nth(entry->eref->colnames, column - 1)), false));
	}
	entry->rtekind = RTE_SUBQUERY;
	entry->values_lists = NIL;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
	entry->subquery = query;
}

static void
leave_types(RangeTblEntry *entry, TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(columns, i);

		if (gaussdp_is_sent(att->atttypid, att->attcollation))
			continue;
		lfirst_oid(list_nth_cell(entry->coltypes, i)) = INT4OID;
		lfirst_int(list_nth_cell(entry->coltypmods, i)) = -1;
		lfirst_oid(list_nth_cell(entry->colcollations, i)) = InvalidOid;
	}
}

/* Rows that were read become constants. */
static void
take_rows(RangeTblEntry *entry, Taken *taken)
{
	EphemeralNamedRelation rows = get_ENR(taken->room->public_rows, entry->enrname);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple);

	entry->rtekind = RTE_VALUES;
	entry->enrname = NULL;
	entry->enrtuples = 0;
	leave_types(entry, rows->md.tupdesc);
	tuplestore_rescan(rows->reldata);
	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		entry->values_lists = lappend(entry->values_lists, make_row(rows->md.tupdesc, slot, taken));
	}
	tuplestore_rescan(rows->reldata);
	ExecDropSingleTupleTableSlot(slot);
	if (entry->values_lists != NIL)
		return;
	entry->values_lists = list_make1(make_row(rows->md.tupdesc, NULL, taken));
	make_empty(entry);
}

/* Of the query, and of those in its FROM. */
static void
take_public_rows(Query *query, Taken *taken)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY)
			take_public_rows(entry->subquery, taken);
		else if (entry->rtekind == RTE_NAMEDTUPLESTORE)
			take_rows(entry, taken);
	}
}

/* ---------------------------------------------------------------------------
 * Joins that keep public rows
 * ---------------------------------------------------------------------------
 */

/* Such a join becomes an inner one, or, with leave, what it keeps alone. */
typedef struct Joins
{
	const Bitmapset *extending;
	Query *query;
	bool leave;
} Joins;

static Node *
change_joins(Node *node, void *context)
{
	Joins *joins = context;
	JoinExpr *join = (JoinExpr *) node;
	Node *kept;

	if (node == NULL)
		return NULL;
	if (!IsA(node, JoinExpr) || !bms_is_member(join->rtindex, joins->extending))
		return expression_tree_mutator(node, change_joins, context);
	kept = join->jointype == JOIN_LEFT ? join->larg : join->rarg;
	rt_fetch(join->rtindex, joins->query->rtable)->jointype = JOIN_INNER;
	if (joins->leave)
		return change_joins(kept, context);
	join = (JoinExpr *) expression_tree_mutator(node, change_joins, context);
	join->jointype = JOIN_INNER;
	return (Node *) join;
}

/* No columns are made up any more. */
static void
change_query(const GaussdpLevel *level, Query *query, bool leave)
{
	Joins joins = {level->extending, query, leave};

	query->jointree = (FromExpr *) change_joins((Node *) query->jointree, &joins);
	query->jointree =
		(FromExpr *) gaussdp_remove_nulling((Node *) query->jointree, level->extending);
	query->targetList =
		(List *) gaussdp_remove_nulling((Node *) query->targetList, level->extending);
	query->havingQual = gaussdp_remove_nulling(query->havingQual, level->extending);
}

/* ---------------------------------------------------------------------------
 * Exact numbers
 * ---------------------------------------------------------------------------
 */

/* The level's FROM and WHERE. */
static Query *
make_query_like(const Query *query)
{
	Query *result = makeNode(Query);

	result->commandType = CMD_SELECT;
	result->canSetTag = true;
	result->rtable = query->rtable;
	gaussdp_take_permissions(result, query);
	result->jointree = query->jointree;
	return result;
}

/* The grouping expressions, each once, in front. */
static List *
add_keys(Query *to, const Query *query)
{
	List *keys = NIL;
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc));
		Node *key = get_sortgroupclause_expr(clause, query->targetList);
		TargetEntry *column;

		if (list_member(keys, key))
			continue;
		keys = lappend(keys, key);
		column = makeTargetEntry(copyObject((Expr *) key), (AttrNumber) list_length(keys),
								 psprintf("key_%d", list_length(keys)), false);
		column->ressortgroupref = clause->tleSortGroupRef = (Index) list_length(keys);
		to->targetList = lappend(to->targetList, column);
		to->groupClause = lappend(to->groupClause, clause);
	}
	return keys;
}

/* The number of the column of exact that has this part. */
static AttrNumber
column_of_part(Split *split, Expr *part)
{
	Query *exact = split->exact;
	AttrNumber number;

	for (number = (AttrNumber) (list_length(split->keys) + 1);
		 number <= list_length(exact->targetList); number++)
		if (equal(gaussdp_expression_of(exact, number), part))
			return number;
	exact->targetList =
		lappend(exact->targetList,
				makeTargetEntry(part, number,
								psprintf("part_%d", number - list_length(split->keys)), false));
	return number;
}

/* Takes the calls apart; a part is a column then. */
static bool
take_calls(Node *node, Split *split)
{
	GaussdpSplitCall *call;
	ListCell *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, take_calls, split);
	if (list_member(split->releases, node))
		return false;
	call = palloc(sizeof(GaussdpSplitCall));
	*call = gaussdp_split_call((Aggref *) node, split->room->level->owner->relation,
							   split->room->level->is_weighted);
	foreach (lc, call->parts)
		lfirst(lc) = gaussdp_column_of(split->exact, column_of_part(split, lfirst(lc)));
	split->releases = lappend(split->releases, node);
	split->calls = lappend(split->calls, call);
	return false;
}

static Expr *
make_count(Var *of)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = of == NULL ? F_COUNT_ : F_COUNT_ANY;
	count->aggtype = INT8OID;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = count->aggtransno = -1;
	count->aggstar = of == NULL;
	count->location = -1;
	if (of == NULL)
		return (Expr *) count;
	count->args = list_make1(makeTargetEntry((Expr *) of, 1, NULL, false));
	count->aggargtypes = list_make1_oid(of->vartype);
	return (Expr *) count;
}

/* The public groups, with no number of any row. */
static Query *
make_groups(const GaussdpRoom *room)
{
	Query *query = copyObject(room->readable);
	Query *groups;

	change_query(room->level, query, true);
	groups = make_query_like(query);
	(void) add_keys(groups, query);
	if (bms_overlap(gaussdp_relations_in((Node *) groups->jointree), room->level->protected) ||
		bms_overlap(pull_varnos(NULL, (Node *) groups->targetList), room->level->protected) ||
		bms_overlap(pull_varnos(NULL, (Node *) groups->jointree), room->level->protected))
		elog(ERROR, "a public group depends on protected rows");
	return groups;
}

static void
add_empty_parts(const Split *split, Query *groups)
{
	for (AttrNumber i = (AttrNumber) (list_length(split->keys) + 1);
		 i <= list_length(split->exact->targetList); i++)
	{
		Oid type = exprType((Node *) gaussdp_expression_of(split->exact, i));

		(void) gaussdp_add_column(groups, (Expr *) makeNullConst(type, -1, InvalidOid));
	}
}

/* ---------------------------------------------------------------------------
 * The release
 * ---------------------------------------------------------------------------
 */

/* FROM the rows of exact and groups. */
static Query *
make_query_over_exact(const Split *split)
{
	Query *query = makeNode(Query);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List *names = NIL;
	ListCell *lc;

	entry->rtekind = RTE_NAMEDTUPLESTORE;
	entry->enrname = GAUSSDP_EXACT_ROWS;
	foreach (lc, split->exact->targetList)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);
		Node *expr = (Node *) column->expr;

		names = lappend(names, makeString(column->resname));
		entry->coltypes = lappend_oid(entry->coltypes, exprType(expr));
		entry->coltypmods = lappend_int(entry->coltypmods, exprTypmod(expr));
		entry->colcollations = lappend_oid(entry->colcollations, exprCollation(expr));
	}
	entry->eref = makeAlias(GAUSSDP_EXACT_ROWS, names);
	entry->inFromCl = true;
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	return query;
}

/* A part of a group: that of its one row with a number. */
static Expr *
make_part(Var *part)
{
	Aggref *aggref = makeNode(Aggref);

	aggref->aggfnoid = part->vartype == INT8OID      ? F_MAX_INT8
					   : part->vartype == NUMERICOID ? F_MAX_NUMERIC
													 : F_MAX_ANYARRAY;
	aggref->aggtype = part->vartype;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->args = list_make1(makeTargetEntry((Expr *) part, 1, NULL, false));
	aggref->aggargtypes = list_make1_oid(part->vartype);
	aggref->location = -1;
	return (Expr *) aggref;
}

/* One of its rows is that of a public group: a server that has other keys than were sent shows none. */
static Node *
make_public_group(const Split *split)
{
	return (Node *) make_opclause(Int8LessOperator, BOOLOID, false,
								  make_count((Var *) gaussdp_column_of(split->exact, split->rows)),
								  make_count(NULL), InvalidOid, InvalidOid);
}

static Query *
make_releases(const Split *split)
{
	Query *query = make_query_over_exact(split);
	ListCell *lc;
	ListCell *lc2;

	query->hasAggs = true;
	if (split->rows != 0)
		query->havingQual = make_public_group(split);
	foreach (lc, split->exact->groupClause)
	{
		AttrNumber key = gaussdp_add_column(
			query, gaussdp_column_of(split->exact, (AttrNumber) (foreach_current_index(lc) + 1)));

		query->groupClause = lappend(query->groupClause,
									 gaussdp_compare(query, key, lfirst_node(SortGroupClause, lc)));
	}
	foreach (lc, split->calls)
	{
		const GaussdpSplitCall *call = lfirst(lc);
		List *arguments = NIL;

		foreach (lc2, call->parts)
			arguments = lappend(arguments, make_part(copyObject(lfirst_node(Var, lc2))));
		(void) gaussdp_add_column(query, gaussdp_release_call(call, arguments));
	}
	return query;
}

/* Keys and calls become columns of the query below. */
typedef struct Replacing
{
	const Split *split;
	const Query *below;
} Replacing;

static Node *
column_for(Node *node, void *context)
{
	const Replacing *replacing = context;
	const Split *split = replacing->split;
	int nkeys = list_length(split->keys);

	for (int i = 0; i < nkeys; i++)
		if (equal(node, list_nth(split->keys, i)))
			return (Node *) gaussdp_column_of(replacing->below, (AttrNumber) (i + 1));
	for (int i = 0; i < list_length(split->releases); i++)
		if (equal(node, list_nth(split->releases, i)))
			return (Node *) gaussdp_column_of(replacing->below, (AttrNumber) (nkeys + i + 1));
	return NULL;
}

/* The level's columns, HAVING and order over these. */
static Query *
make_release(const Split *split)
{
	Query *below = make_releases(split);
	Query *release = makeNode(Query);
	Replacing replacing = {split, below};

	release->commandType = CMD_SELECT;
	release->canSetTag = true;
	gaussdp_read_from(release, below);
	release->targetList =
		(List *) gaussdp_over_columns((Node *) split->query->targetList, column_for, &replacing);
	release->jointree->quals =
		gaussdp_over_columns(split->query->havingQual, column_for, &replacing);
	release->sortClause = copyObject(split->query->sortClause);
	return release;
}

GaussdpSplitLevel
gaussdp_split_level(GaussdpRoom *room)
{
	const GaussdpLevel *level = room->level;
	Split split = {.room = room, .query = room->readable};
	Taken taken = {.room = room};
	GaussdpSplitLevel result = {0};

	if (level->extending != NULL && room->readable->groupClause != NIL && !level->finds_groups)
		result.groups = make_groups(room);
	take_public_rows(room->readable, &taken);
	change_query(level, room->readable, false);
	if (level->is_weighted)
	{
		GaussdpLevel inner = *level;

		inner.extending = NULL;
		gaussdp_weigh_rows(&inner, room->readable, NIL, NULL);
	}
	split.exact = result.exact = make_query_like(room->readable);
	split.keys = add_keys(split.exact, room->readable);
	(void) take_calls((Node *) room->readable->targetList, &split);
	(void) take_calls(room->readable->havingQual, &split);
	split.exact->hasAggs = true;
	if (result.groups != NULL)
	{
		split.rows = column_of_part(&split, make_count(NULL));
		add_empty_parts(&split, result.groups);
	}
	result.release = make_release(&split);
	gaussdp_take_order(room, result.release);
	return result;
}
