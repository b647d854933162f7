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
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "compat.h"
#include "distributed/distributed.h"
#include "hooks.h"
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
	FmgrInfo **
		hashes; /* 64 bits of a value, the same for what compares as equal; NULL where there is no such function */
} Key;

/*
 * PostgreSQL's own hash function for the type that this operator sorts, if the type's equality is also the operator's.  Under
 * a collation that takes different texts for equal the hash of name differs.
 */
static FmgrInfo *
hash_beside(Oid less, Oid collation)
{
	Oid left;
	Oid right;
	TypeCacheEntry *type;

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return NULL;
	op_input_types(less, &left, &right);
	type = lookup_type_cache(left, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR |
									   TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (type->lt_opr != less || !OidIsValid(type->hash_extended_proc_finfo.fn_oid) ||
		type->hash_extended_proc_finfo.fn_oid >= FirstNormalObjectId)
		return NULL;
	return &type->hash_extended_proc_finfo;
}

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
	key.hashes = palloc(sizeof(FmgrInfo *) * key.n);
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
		key.hashes[i] = hash_beside(key.operators[i], key.collations[i]);
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

/* Of the rows that agree in the key, by sorting them. */
static int64
most_that_agree(EphemeralNamedRelation rows, Key *key)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple);
	Tuplesortstate *sort =
		tuplesort_begin_heap(rows->md.tupdesc, key->n, key->columns, key->operators,
							 key->collations, key->nulls_first, work_mem, NULL, false);
	int64 longest;

	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		tuplesort_puttupleslot(sort, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->reldata);
	tuplesort_performsort(sort);
	longest = longest_run(sort, key, rows->md.tupdesc);
	tuplesort_end(sort);
	return longest;
}

/* ---------------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------------
 */

/*
 * Looks at each row on its way into the store.  Keys whose hashes all differ are all different, which is sooner known than
 * by sorting: a key that stands twice has the same hash twice.
 */
typedef struct Reader
{
	DestReceiver base;
	DestReceiver *store;
	Key key;
	uint64 *hashes; /* of the keys so far; NULL: they are to be sorted */
	int64 nhashes;
	int64 room_for;
} Reader;

/* So many hashes, and a table of four times as many, find room in work_mem. */
static int64
most_hashes(void)
{
	return work_mem * INT64CONST(1024) / (5 * sizeof(uint64));
}

static void
start_hashing(Reader *reader)
{
	for (int i = 0; i < reader->key.n; i++)
		if (reader->key.hashes[i] == NULL)
			return;
	if (reader->key.n == 0)
		return;
	reader->room_for = 64;
	reader->hashes = palloc(sizeof(uint64) * reader->room_for);
}

/* A key with a NULL is equal to none. */
static void
add_hash(Reader *reader, TupleTableSlot *slot)
{
	uint64 hash = 0;

	for (int i = 0; i < reader->key.n; i++)
	{
		bool isnull;
		Datum value = slot_getattr(slot, reader->key.columns[i], &isnull);

		if (isnull)
			return;
		hash = DatumGetUInt64(FunctionCall2Coll(reader->key.hashes[i], reader->key.collations[i],
												value, UInt64GetDatum(hash)));
	}
	if (reader->nhashes == reader->room_for)
	{
		if (2 * reader->room_for > most_hashes())
		{
			pfree(reader->hashes);
			reader->hashes = NULL;
			return;
		}
		reader->room_for *= 2;
		reader->hashes = repalloc_huge(reader->hashes, sizeof(uint64) * reader->room_for);
	}
	reader->hashes[reader->nhashes++] = hash;
}

/* False where two are equal: of keys that are, or, seldom, of two others. */
static bool
hashes_differ(const Reader *reader)
{
	uint64 size = pg_nextpower2_64((uint64) Max(2 * reader->nhashes, 2));
	uint64 *table = palloc_extended(sizeof(uint64) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (int64 i = 0; i < reader->nhashes; i++)
	{
		uint64 hash = Max(reader->hashes[i], 1); /* 0 is a free place */
		uint64 place = hash & (size - 1);

		while (table[place] != 0 && table[place] != hash)
			place = (place + 1) & (size - 1);
		if (table[place] == hash)
		{
			pfree(table);
			return false;
		}
		table[place] = hash;
	}
	pfree(table);
	return true;
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Reader *reader = (Reader *) self;

	verify_lengths(slot);
	if (reader->hashes != NULL)
		add_hash(reader, slot);
	return reader->store->receiveSlot(slot, reader->store);
}

static void
begin_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
	((Reader *) self)->store->rStartup(((Reader *) self)->store, operation, columns);
}

static void
end_receiving(DestReceiver *self)
{
	((Reader *) self)->store->rShutdown(((Reader *) self)->store);
}

static void
destroy_receiver(DestReceiver *self)
{
	((Reader *) self)->store->rDestroy(((Reader *) self)->store);
}

/* Rows of a reference table, or of a local table of Citus, are where Citus knows. */
static PlannedStmt *
plan_entry(Query *query, const char *source)
{
	if (gaussdp_reads_distributed(query))
		return gaussdp_plan_below(query, source);
	return gaussdp_plan_alone(query, source, CURSOR_OPT_PARALLEL_OK);
}

/* Runs the query into a tuplestore of detoasted rows. */
static EphemeralNamedRelation
read_rows(const GaussdpRoom *room, Query *query, List *equalities, Reader *reader)
{
	EphemeralNamedRelation rows = palloc0(sizeof(EphemeralNamedRelationData));
	PlannedStmt *plan = plan_entry(query, room->source);
	QueryDesc *desc;

	rows->reldata = tuplestore_begin_heap(true, false, work_mem);
	*reader =
		(Reader){.base = {receive, begin_receiving, end_receiving, destroy_receiver, DestNone},
				 .store = CreateDestReceiver(DestTuplestore)};
	SetTuplestoreDestReceiverParams(reader->store, rows->reldata, CurrentMemoryContext, true, NULL,
									NULL);
	desc = CreateQueryDesc(plan, room->source, room->around->es_snapshot, InvalidSnapshot,
						   &reader->base, NULL, NULL, 0);
	standard_ExecutorStart(desc, EXEC_FLAG_SKIP_TRIGGERS);
	reader->key = make_key(equalities, desc->tupDesc);
	start_hashing(reader);
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

/* How many of the rows may stand beside one protected row. */
static int64
count_matches(EphemeralNamedRelation rows, Reader *reader)
{
	if (reader->key.n == 0)
		return (int64) rows->md.enrtuples;
	if (reader->hashes != NULL && hashes_differ(reader))
		return 1;
	return most_that_agree(rows, &reader->key);
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
		Reader reader;
		int64 matches;

		if (owner != NULL && owner->inner != NULL)
			all_matches *=
				read_relations(room, owner->inner, rt_fetch(rti, query->rtable)->subquery);
		if (all_matches > GAUSSDP_MOST_MATCHES)
			refuse_matches(room);
		if (owner != NULL)
			continue;
		relation = relation_of(level, rti);
		rows = read_rows(room, select_entry(query, rti), relation->keys, &reader);
		matches = count_matches(rows, &reader);
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
