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

#include "access/detoast.h"
#include "access/htup_details.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "citus/citus.h"
#include "compat.h"
#include "policy/exec/estimates.h"
#include "policy/exec/plan_alone.h"
#include "policy/exec/public_keys.h"
#include "policy/exec/room.h"
#include "policy/proof/proof.h"
#include "valid_text.h"

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
		"(SELECT DISTINCT ... FROM ... WHERE ...), or a shorter series.");
	gaussdp_raise_refusal(&v);
}

/* ---------------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------------
 */

/* Takes each row into the store, with values that are stored elsewhere brought in. */
typedef struct Reader
{
	DestReceiver base;
	Tuplestorestate *store;
	MemoryContext row; /* holds what is made of one */
	bool *has_text;    /* of each column */
	double bytes;      /* of all rows */
	double widest;
} Reader;

/* A value that would be computed with only where there is a protected row: as short as constants are. */
static void
verify_length(Datum value, int16 typlen)
{
	if (gaussdp_is_long(value, typlen))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("a public value beside protected rows is longer than %d bytes",
							   GAUSSDP_MAX_VALUE_SIZE),
						errhint("Join to a query that leaves the column out.")));
}

/* As texts of rows are: valid in the encoding. */
static void
verify_text(const Reader *reader, Datum value, Oid type)
{
	MemoryContext old = MemoryContextSwitchTo(reader->row);
	bool is_valid = gaussdp_is_valid_text(value, type);

	MemoryContextSwitchTo(old);
	MemoryContextReset(reader->row);
	if (!is_valid)
		ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
						errmsg("a public value beside protected rows is no text of the encoding"),
						errhint("Join to a query that leaves the column out.")));
}

static bool
is_elsewhere(Datum value, int16 typlen)
{
	return typlen == -1 && VARATT_IS_EXTERNAL(DatumGetPointer(value));
}

static void
add_width(Reader *reader, double width)
{
	reader->bytes += width;
	reader->widest = Max(reader->widest, width);
}

static double
width_of(Datum value, int16 typlen)
{
	if (typlen > 0)
		return MAXALIGN(typlen);
	if (typlen == -1)
		return MAXALIGN(toast_raw_datum_size(value));
	return (double) strlen(DatumGetCString(value)) + 1;
}

/* Looks at the values of a row; is one of them not in the row itself? */
static bool
verify_values(Reader *reader, TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;
	bool any_elsewhere = false;
	double width = MAXALIGN(SizeofHeapTupleHeader);

	slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
	{
		int16 typlen = TupleDescAttr(columns, i)->attlen;

		if (slot->tts_isnull[i])
			continue;
		width += width_of(slot->tts_values[i], typlen);
		if (reader->has_text[i])
			verify_text(reader, slot->tts_values[i], TupleDescAttr(columns, i)->atttypid);
		/* most values are short ones in the row */
		if (typlen > 0 || (typlen == -1 && VARATT_IS_SHORT(DatumGetPointer(slot->tts_values[i])) &&
						   !VARATT_IS_EXTERNAL(DatumGetPointer(slot->tts_values[i]))))
			continue;
		verify_length(slot->tts_values[i], typlen);
		any_elsewhere = any_elsewhere || is_elsewhere(slot->tts_values[i], typlen);
	}
	add_width(reader, width);
	return any_elsewhere;
}

/* Stores a row with all its values in it. */
static void
store_fetched(Reader *reader, TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(reader->row);
	Datum *values = palloc(sizeof(Datum) * columns->natts);

	for (int i = 0; i < columns->natts; i++)
	{
		values[i] = slot->tts_values[i];
		if (!slot->tts_isnull[i] && is_elsewhere(values[i], TupleDescAttr(columns, i)->attlen))
			values[i] = PointerGetDatum(
				detoast_external_attr((struct varlena *) DatumGetPointer(values[i])));
	}
	tuplestore_putvalues(reader->store, columns, values, slot->tts_isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(reader->row);
}

/* Most rows are stored as they are in their table's page, which is sooner copied than made of values. */
static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Reader *reader = (Reader *) self;
	bool any_elsewhere = verify_values(reader, slot);

	if (any_elsewhere)
		store_fetched(reader, slot);
	else
		tuplestore_puttupleslot(reader->store, slot);
	return true;
}

static void
begin_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
	Reader *reader = (Reader *) self;

	reader->has_text = palloc(sizeof(bool) * Max(columns->natts, 1));
	for (int i = 0; i < columns->natts; i++)
		reader->has_text[i] = gaussdp_has_text(TupleDescAttr(columns, i)->atttypid);
}

static void
end_receiving(DestReceiver *self)
{
}

/* Rows of a reference table, or of a local table of Citus, are where Citus knows. */
static PlannedStmt *
plan_entry(Query *query, const char *source)
{
	if (gaussdp_reads_distributed(query))
		return gaussdp_plan_below(query, source);
	return gaussdp_plan_alone(query, source, CURSOR_OPT_PARALLEL_OK);
}

/* As its rows are, one behind the other: less memory than is reused in between. */
Tuplestorestate *
gaussdp_begin_store(GaussdpRoom *room)
{
	MemoryContext old = MemoryContextSwitchTo(
		GenerationContextCreate(CurrentMemoryContext, "rows of a level", ALLOCSET_DEFAULT_SIZES));
	Tuplestorestate *store = tuplestore_begin_heap(true, false, work_mem);

	MemoryContextSwitchTo(old);
	room->stores = lappend(room->stores, store);
	return store;
}

/* Only files are to be closed: tuplestore_end would free one row after the other. */
void
gaussdp_end_stores(const GaussdpRoom *room)
{
	ListCell *lc;

	foreach (lc, room->stores)
	{
		Tuplestorestate *store = lfirst(lc);
		MemoryContext memory = GetMemoryChunkContext(store);

		if (!tuplestore_in_memory(store))
			tuplestore_end(store);
		MemoryContextDelete(memory);
	}
}

/* Runs the query into a tuplestore of detoasted rows. */
static EphemeralNamedRelation
read_rows(GaussdpRoom *room, Query *query)
{
	EphemeralNamedRelation rows = palloc0(sizeof(EphemeralNamedRelationData));
	PlannedStmt *plan = plan_entry(query, room->source);
	QueryDesc *desc;
	Reader reader;

	rows->reldata = gaussdp_begin_store(room);
	reader = (Reader){
		.base = {receive, begin_receiving, end_receiving, end_receiving, DestNone},
		.store = rows->reldata,
		.row = AllocSetContextCreate(CurrentMemoryContext, "public row", ALLOCSET_SMALL_SIZES)};
	desc = CreateQueryDesc(plan, room->source, room->around->es_snapshot, InvalidSnapshot,
						   &reader.base, NULL, NULL, 0);
	standard_ExecutorStart(desc, EXEC_FLAG_SKIP_TRIGGERS);
	gaussdp_run_to_end(desc);
	rows->md.name = psprintf("public %d", list_length(room->stores));
	rows->md.reliddesc = InvalidOid;
	rows->md.tupdesc = CreateTupleDescCopy(desc->tupDesc);
	rows->md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->md.enrtuples = (double) desc->estate->es_processed;
	standard_ExecutorFinish(desc);
	standard_ExecutorEnd(desc);
	FreeQueryDesc(desc);
	room->public_bytes += reader.bytes;
	room->public_width += reader.widest;
	return rows;
}

/* What the planner may take for granted of the rows. */
static void
note_unique(GaussdpRoom *room, EphemeralNamedRelation rows, const List *equalities)
{
	GaussdpUniqueColumn *unique = palloc(sizeof(GaussdpUniqueColumn));

	unique->rows = rows->md.name;
	unique->column = ((const GaussdpEquality *) linitial(equalities))->column;
	room->unique = lappend(room->unique, unique);
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
		matches = gaussdp_count_matches(relation->keys, rows);
		if (relation->may_repeat)
			all_matches *= Max(matches, 1);
		else if (relation->keys != NIL && matches > 1)
			refuse_twins(room);
		if (matches <= 1 && list_length(relation->keys) == 1)
			note_unique(room, rows, relation->keys);
		if (all_matches > GAUSSDP_MOST_MATCHES)
			refuse_matches(room);
		register_ENR(room->public_rows, rows);
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
