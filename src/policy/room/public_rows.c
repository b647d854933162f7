/*
 * public_rows.c
 *		Public relations of a level, read to their ends before its first protected row.
 *
 * Reading leaves traces, fails and waits, also in a table that is the role's own; a join that finds no protected
 * row would not read at all.  So each public relation is read first, as the role and by the statement's
 * own snapshot, and the level gets its rows as a named tuplestore.  That its key is one is then asked of the
 * very rows that were read: an index says it of others.
 *
 * Where several rows may match, the most that agree in what is equated are counted: a protected row stands beside so
 * many.  All relations together have a limit, or else the time of an answer would tell whether there is such a row.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "policy/functions/functions.h"
#include "policy/room/room.h"

/* Collects the columns that a query reads of one of its entries. */
typedef struct UsedColumns
{
	Index rti;
	Bitmapset *columns;
} UsedColumns;

static bool
collect_used_columns(Node *node, UsedColumns *used)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var *var = (Var *) node;

		if (var->varno == (int) used->rti && var->varlevelsup == 0 && var->varattno > 0)
			used->columns = bms_add_member(used->columns, var->varattno);
		return false;
	}
	return expression_tree_walker(node, collect_used_columns, used);
}

/* SELECT every column FROM the entry; those that the level does not read are NULL. */
static Query *
select_entry(Query *level, Index rti)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Query *query = makeNode(Query);
	UsedColumns used = {rti, NULL};
	List *names;
	List *columns;
	ListCell *lc;

	query_tree_walker(level, collect_used_columns, &used,
					  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES |
						  QTW_IGNORE_JOINALIASES);
	*entry = *rt_fetch(rti, level->rtable);
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	gaussdp_move_permissions(level, query, entry);
	gaussdp_expand_entry(entry, &names, &columns);
	foreach (lc, columns)
	{
		Node *column = lfirst(lc);
		AttrNumber attno = (AttrNumber) (foreach_current_index(lc) + 1);

		if (!bms_is_member(attno, used.columns))
			column =
				(Node *) makeNullConst(exprType(column), exprTypmod(column), exprCollation(column));
		query->targetList =
			lappend(query->targetList,
					makeTargetEntry((Expr *) column, attno,
									strVal(list_nth(names, foreach_current_index(lc))), false));
	}
	return query;
}

/* Runs the query into a tuplestore of detoasted rows. */
static EphemeralNamedRelation
read_rows(const GaussdpRoom *room, Query *query)
{
	EphemeralNamedRelation rows = palloc0(sizeof(EphemeralNamedRelationData));
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	PlannedStmt *plan = standard_planner(query, room->source, CURSOR_OPT_PARALLEL_OK, NULL);
	QueryDesc *desc;

	rows->reldata = tuplestore_begin_heap(true, false, work_mem);
	SetTuplestoreDestReceiverParams(receiver, rows->reldata, CurrentMemoryContext, true, NULL,
									NULL);
	desc = CreateQueryDesc(plan, room->source, room->around->es_snapshot, InvalidSnapshot, receiver,
						   NULL, NULL, 0);
	standard_ExecutorStart(desc, EXEC_FLAG_SKIP_TRIGGERS);
	gaussdp_run_to_end(desc);
	rows->md.name = psprintf("public %d", list_length(room->stores) + 1);
	rows->md.reliddesc = InvalidOid;
	rows->md.tupdesc = CreateTupleDescCopy(desc->tupDesc);
	rows->md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->md.enrtuples = (double) desc->estate->es_processed;
	standard_ExecutorFinish(desc);
	standard_ExecutorEnd(desc);
	FreeQueryDesc(desc);
	return rows;
}

/* A value that would be computed with only where there is a protected row: as short as constants are. */
static void
verify_lengths(TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;

	slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
		if (!slot->tts_isnull[i] &&
			gaussdp_is_long(slot->tts_values[i], TupleDescAttr(columns, i)->attlen))
			ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
							errmsg("a public value beside protected rows is longer than %d bytes",
								   GAUSSDP_MAX_VALUE_SIZE),
							errhint("Join to a query that leaves the column out.")));
}

/* The operator that sorts the column as the equality compares it. */
static Oid
sort_operator(const GaussdpEquality *equality, Oid type)
{
	Oid operands[2];
	ListCell *lc;

	op_input_types(equality->operator, & operands[0], &operands[1]);
	foreach (lc, get_mergejoin_opfamilies(equality->operator))
		for (int i = 0; i < 2; i++)
		{
			Oid less =
				get_opfamily_member(lfirst_oid(lc), operands[i], operands[i], BTLessStrategyNumber);

			if (OidIsValid(less) && IsBinaryCoercible(type, operands[i]))
				return less;
		}
	elog(ERROR, "an equality of a public key has no order");
}

/*
 * The collation to sort by.  Under a deterministic one values are equal when their bytes are, so that any other
 * finds the same twins; this one is the cheapest.
 */
static Oid
sort_collation(Oid collation)
{
	if (OidIsValid(collation) && get_collation_isdeterministic(collation))
		return C_COLLATION_OID;
	return collation;
}

/* How the columns of a key are sorted and compared. */
typedef struct Key
{
	int n;
	AttrNumber *columns;
	Oid *operators;
	Oid *collations;
	bool *nulls_first;
	SortSupport comparisons;
} Key;

static Key
make_key(List *equalities, TupleDesc desc)
{
	Key key = {.n = list_length(equalities)};
	ListCell *lc;

	key.columns = palloc(sizeof(AttrNumber) * key.n);
	key.operators = palloc(sizeof(Oid) * key.n);
	key.collations = palloc(sizeof(Oid) * key.n);
	key.nulls_first = palloc0(sizeof(bool) * key.n);
	key.comparisons = palloc0(sizeof(SortSupportData) * key.n);
	foreach (lc, equalities)
	{
		const GaussdpEquality *equality = lfirst(lc);
		int i = foreach_current_index(lc);

		key.columns[i] = equality->column;
		key.collations[i] = sort_collation(equality->collation);
		key.operators[i] =
			sort_operator(equality, TupleDescAttr(desc, equality->column - 1)->atttypid);
		key.comparisons[i].ssup_cxt = CurrentMemoryContext;
		key.comparisons[i].ssup_collation = key.collations[i];
		PrepareSortSupportFromOrderingOp(key.operators[i], &key.comparisons[i]);
	}
	return key;
}

/* Do two rows agree in all columns?  A NULL is equal to nothing. */
static bool
rows_agree(const Key *key, TupleTableSlot *a, TupleTableSlot *b)
{
	for (int i = 0; i < key->n; i++)
	{
		bool a_is_null;
		bool b_is_null;
		Datum x = slot_getattr(a, key->columns[i], &a_is_null);
		Datum y = slot_getattr(b, key->columns[i], &b_is_null);

		if (a_is_null || b_is_null ||
			ApplySortComparator(x, false, y, false, &key->comparisons[i]) != 0)
			return false;
	}
	return true;
}

static void
refuse_twins(const GaussdpRoom *room)
{
	GaussdpVerifier v = {.source = room->source, .location = -1};

	v.relation = room->level->owner->relation;
	gaussdp_refuse(
		&v, GAUSSDP_RULE_UNIQUE, -1,
		"a protected row may match several rows of the joined relation: its key stands in two "
		"of the rows that were read",
		"Equate every column of a primary key of the joined table, in ON or as AND conditions.");
	gaussdp_raise_refusal(&v);
}

static void
refuse_matches(const GaussdpRoom *room)
{
	GaussdpVerifier v = {.source = room->source, .location = -1};

	v.relation = room->level->owner->relation;
	gaussdp_refuse(
		&v, GAUSSDP_RULE_UNIQUE, -1,
		"more than " CppAsString2(
			GAUSSDP_MOST_MATCHES) " rows of public relations would stand beside one protected row",
		"Equate more columns of the joined tables, or join to fewer of their rows: "
		"(SELECT DISTINCT ... FROM ... WHERE ...).");
	gaussdp_raise_refusal(&v);
}

/* Reads sorted rows to the end: the length of the longest run of rows that agree. */
static int64
longest_run(Tuplesortstate *sort, const Key *key, TupleDesc desc)
{
	TupleTableSlot *last = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	int64 longest = 0;
	int64 run = 0;

	while (tuplesort_gettupleslot(sort, true, true, slot, NULL))
	{
		TupleTableSlot *swap = last;

		CHECK_FOR_INTERRUPTS();
		run = !TupIsNull(last) && rows_agree(key, last, slot) ? run + 1 : 1;
		longest = Max(longest, run);
		last = slot;
		slot = swap;
	}
	ExecDropSingleTupleTableSlot(last);
	ExecDropSingleTupleTableSlot(slot);
	return longest;
}

/*
 * Looks at each row that has been read: at its lengths, and at its key among the others.  Returns how many rows
 * may stand beside one protected row.
 */
static int64
verify_rows(EphemeralNamedRelation rows, List *equalities)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple);
	Key key = make_key(equalities, rows->md.tupdesc);
	Tuplesortstate *sort = NULL;
	int64 longest;

	if (key.n > 0)
		sort = tuplesort_begin_heap(rows->md.tupdesc, key.n, key.columns, key.operators,
									key.collations, key.nulls_first, work_mem, NULL, false);
	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		verify_lengths(slot);
		if (sort != NULL)
			tuplesort_puttupleslot(sort, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->reldata);
	if (sort == NULL)
		return (int64) rows->md.enrtuples;
	tuplesort_performsort(sort);
	longest = longest_run(sort, &key, rows->md.tupdesc);
	tuplesort_end(sort);
	return longest;
}

/* The entry is now the rows that were read. */
static void
replace_entry(RangeTblEntry *entry, EphemeralNamedRelation rows)
{
	RangeTblEntry old = *entry;

	memset(entry, 0, sizeof(RangeTblEntry));
	entry->type = T_RangeTblEntry;
	entry->rtekind = RTE_NAMEDTUPLESTORE;
	entry->alias = old.alias;
	entry->eref = old.eref;
	entry->inFromCl = old.inFromCl;
	entry->enrname = rows->md.name;
	entry->enrtuples = rows->md.enrtuples;
	for (int i = 0; i < rows->md.tupdesc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(rows->md.tupdesc, i);

		entry->coltypes = lappend_oid(entry->coltypes, att->atttypid);
		entry->coltypmods = lappend_int(entry->coltypmods, att->atttypmod);
		entry->colcollations = lappend_oid(entry->colcollations, att->attcollation);
	}
}

/* What the verdict has found of the relation. */
static const GaussdpPublicRelation *
relation_of(const GaussdpLevel *level, Index rti)
{
	ListCell *lc;

	foreach (lc, level->public)
		if (((GaussdpPublicRelation *) lfirst(lc))->rti == rti)
			return lfirst(lc);
	elog(ERROR, "a public relation is not known");
}

/*
 * Those of the level's FROM, and of queries in it.  How many of their rows may stand beside the protected ones of a
 * row, 1 where these are grouped by the person alone.
 */
static int64
read_relations(GaussdpRoom *room, const GaussdpLevel *level, Query *query)
{
	int64 all_matches = 1;
	int rti = -1;

	check_stack_depth();
	while ((rti = bms_next_member(level->relations, rti)) >= 0)
	{
		const GaussdpOwner *owner = gaussdp_owner_of_entry(level, (Index) rti);
		EphemeralNamedRelation rows;
		const GaussdpPublicRelation *relation;
		int64 matches;

		if (owner != NULL && owner->inner != NULL)
			all_matches *=
				read_relations(room, owner->inner, rt_fetch(rti, query->rtable)->subquery);
		if (all_matches > GAUSSDP_MOST_MATCHES)
			refuse_matches(room);
		if (owner != NULL)
			continue;
		relation = relation_of(level, rti);
		rows = read_rows(room, select_entry(query, rti));
		matches = verify_rows(rows, relation->keys);
		if (relation->may_repeat)
			all_matches *= Max(matches, 1);
		else if (relation->keys != NIL && matches > 1)
			refuse_twins(room);
		if (all_matches > GAUSSDP_MOST_MATCHES)
			refuse_matches(room);
		register_ENR(room->public_rows, rows);
		room->stores = lappend(room->stores, rows->reldata);
		replace_entry(rt_fetch(rti, query->rtable), rows);
	}
	room->matches = Max(room->matches, all_matches);
	return query->groupClause != NIL && !level->gives_many && level != room->level ? 1
																				   : all_matches;
}

void
gaussdp_read_public_rows(GaussdpRoom *room)
{
	room->public_rows = create_queryEnv();
	(void) read_relations(room, room->level, room->readable);
}
