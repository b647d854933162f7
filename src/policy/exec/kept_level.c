/*
 * kept_level.c
 *		An equal level is shown the same numbers again.
 *
 * What is kept are the level's final rows, as its node reads them: keys of groups and the results of calls, since all that is computed of
 * these is of the query around (rewrite/cut.c); and as how many rows a person counts, where that was found (find_rows.c), with what is said
 * of it.  The ledger decides who may be shown them (ledger/kept.c), by accounts
 * alone, so that privacy does not rest on the key.  The key is for answers to be right: it is a digest of all that they depend on beside
 * protected rows and the time.
 *
 *		the proven query, inputs as constants		tables, columns, functions, operators, collations by OID; bounds, epsilon, delta
 *		what was found of it						owners, as how many rows and in how many groups a person counts
 *		its price									kind, sensitivity, sigma and cost of each release
 *		rows of public relations					in the order of their digests
 *		tables										file nodes, of partitions too: what TRUNCATE, and most of ALTER TABLE, replace
 *		declared versions of their data				gaussdp.set_data_version
 *		functions of others than PostgreSQL and gaussdp	their rows of pg_proc, which CREATE OR REPLACE changes
 *		settings by which values are read and shown
 *		the server's and the library's version
 *
 * Whoever asks, an equal question has the same key; what a role may see of public relations is in their rows.
 *
 * A level that calls one of these that is not immutable has none: settings of its library may decide what that gives.
 * Nor has one with a column of a composite type, whose values say what they are by numbers of this session.  Both are always drawn anew.
 *
 * A key that changes for nothing costs budget.  Positions in the query's text are left out, names are in it.
 *
 * A level that finds rows is read twice, and its key is that of the first reading, which knows no numbers.  Nothing is kept if it would be
 * another one at the second, or of accounts that have not paid for both.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator_d.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "policy/contained/contained.h"
#include "policy/exec/find_rows.h"
#include "policy/exec/kept_level.h"
#include "policy/exec/price.h"

static const char *const settings[] = {
	"server_version",
	"TimeZone",
	"timezone_abbreviations",
	"DateStyle",
	"IntervalStyle",
	"bytea_output",
	"extra_float_digits",
	"xmlbinary",
	"xmloption",
	"array_nulls",
	"lc_monetary",
	"lc_numeric",
	"lc_time",
	"default_text_search_config",
};

/* ---------------------------------------------------------------------------
 * The key
 * ---------------------------------------------------------------------------
 */

static void
add_bytes(pg_cryptohash_ctx *hash, const void *bytes, Size length)
{
	uint64 size = length;

	if (pg_cryptohash_update(hash, (const uint8 *) &size, sizeof(size)) < 0 ||
		pg_cryptohash_update(hash, bytes, length) < 0)
		elog(ERROR, "could not compute a SHA-256");
}

static void
add_text(pg_cryptohash_ctx *hash, const char *text)
{
	add_bytes(hash, text == NULL ? "" : text, text == NULL ? 0 : strlen(text) + 1);
}

static void
add_number(pg_cryptohash_ctx *hash, int64 number)
{
	add_bytes(hash, &number, sizeof(number));
}

/* How long a position in the query's text is that a printed tree has here, " :location 17"; 0: it has none here. */
static Size
length_of_position(const char *tree)
{
	static const char *const names[] = {" :location ", " :stmt_location ", " :stmt_len "};

	for (size_t i = 0; *tree == ' ' && i < lengthof(names); i++)
	{
		Size length = strlen(names[i]);

		if (strncmp(tree, names[i], length) == 0)
			return length + strspn(tree + length, "-0123456789");
	}
	return 0;
}

/* In names and constants a space is printed with a backslash before the next word, so that these are no positions. */
static char *
without_positions(char *tree)
{
	char *to = tree;

	for (const char *from = tree; *from != '\0';)
	{
		bool is_escaped = from > tree && from[-1] == '\\';
		Size length = is_escaped ? 0 : length_of_position(from);

		if (length > 0)
			from += length;
		else
			*to++ = *from++;
	}
	*to = '\0';
	return tree;
}

/* An expression that is evaluated by itself is in a constant, with its own positions: here it is in the open. */
static Node *
with_opened(Node *node, void *context)
{
	FuncExpr *call;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, with_opened, context, 0);
	if (!gaussdp_is_contained(node))
		return expression_tree_mutator(node, with_opened, context);
	call = makeNode(FuncExpr);
	memcpy(call, node, sizeof(FuncExpr));
	call->args = (List *) with_opened((Node *) gaussdp_contained_parts((FuncExpr *) node), context);
	return (Node *) call;
}

static void
add_relation(pg_cryptohash_ctx *hash, Oid relid)
{
	ListCell *lc;

	foreach (lc, get_rel_relispartition(relid) ? get_partition_ancestors(relid) : NIL)
		add_text(hash, gaussdp_data_version(lfirst_oid(lc)));
	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
	{
		HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(lc)));

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for relation %u", lfirst_oid(lc));
		add_text(hash, gaussdp_data_version(lfirst_oid(lc)));
		add_number(hash, lfirst_oid(lc));
		add_number(hash, ((Form_pg_class) GETSTRUCT(tuple))->relfilenode);
		ReleaseSysCache(tuple);
	}
}

/* True: the level has no key. */
static bool
add_function(Oid function, void *hash)
{
	HeapTuple tuple;
	bool is_immutable;

	if (function < FirstNormalObjectId ||
		getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid("gaussdp", false))
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	is_immutable = ((Form_pg_proc) GETSTRUCT(tuple))->provolatile == PROVOLATILE_IMMUTABLE;
	add_bytes(hash, (char *) tuple->t_data + tuple->t_data->t_hoff,
			  tuple->t_len - tuple->t_data->t_hoff);
	ReleaseSysCache(tuple);
	return !is_immutable;
}

/* True: the level has no key. */
static bool
add_objects(Node *node, void *hash)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			add_relation(hash, ((RangeTblEntry *) node)->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, add_objects, hash, QTW_EXAMINE_RTES_BEFORE);
	if (gaussdp_is_contained(node))
		return add_objects((Node *) gaussdp_contained_parts((FuncExpr *) node), hash);
	return check_functions_in_node(node, add_function, hash) ||
		   expression_tree_walker(node, add_objects, hash);
}

/* What the proof has found of a level, and of queries in its FROM. */
static void
add_findings(pg_cryptohash_ctx *hash, const GaussdpLevel *level)
{
	ListCell *lc;

	add_number(hash, level->is_weighted);
	add_number(hash, level->max_rows);
	add_number(hash, level->finds_rows);
	add_number(hash, level->finds_people);
	add_bytes(hash, &level->cut_share, sizeof(level->cut_share));
	add_number(hash, level->finds_groups);
	add_number(hash, level->max_groups);
	add_number(hash, level->nsets);
	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		add_number(hash, owner->rti);
		add_number(hash, owner->column);
		add_number(hash, owner->relation);
		add_number(hash, owner->via);
		for (int i = 0; i < owner->nkeys; i++)
		{
			add_number(hash, owner->keys[i].column);
			add_number(hash, owner->keys[i].via_column);
			add_number(hash, owner->keys[i].equality);
			add_number(hash, owner->keys[i].collation);
		}
		add_number(hash, owner->is_many);
		if (owner->inner != NULL)
			add_findings(hash, owner->inner);
	}
}

static pg_cryptohash_ctx *
begin_hash(void)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL || pg_cryptohash_init(hash) < 0)
		elog(ERROR, "could not compute a SHA-256");
	return hash;
}

static void
end_hash(pg_cryptohash_ctx *hash, uint8 *digest)
{
	if (pg_cryptohash_final(hash, digest, PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a SHA-256");
	pg_cryptohash_free(hash);
}

/* Without bits that say what is known of the row's transactions, where it is a copy of one in a page. */
static void
digest_row(MinimalTuple row, bytea *digest)
{
	Size header = offsetof(MinimalTupleData, t_bits);
	pg_cryptohash_ctx *hash = begin_hash();

	add_number(hash, row->t_infomask2 & HEAP_NATTS_MASK);
	add_number(hash, row->t_infomask & HEAP_HASNULL);
	add_bytes(hash, (char *) row + header, row->t_len - header);
	end_hash(hash, (uint8 *) VARDATA(digest));
}

/* In the order of their digests: that of reading is another one each time, and no answer depends on it. */
static void
add_rows(pg_cryptohash_ctx *hash, EphemeralNamedRelation rows)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple);
	Tuplesortstate *sort = tuplesort_begin_datum(BYTEAOID, ByteaLessOperator, InvalidOid, false,
												 work_mem, NULL, TUPLESORT_NONE);
	union
	{
		bytea value;
		char bytes[VARHDRSZ + PG_SHA256_DIGEST_LENGTH];
	} digest;
	Datum value;
	bool isnull;

	SET_VARSIZE(&digest, sizeof(digest));
	tuplestore_rescan(rows->reldata);
	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		bool is_own;

		CHECK_FOR_INTERRUPTS();
		digest_row(ExecFetchSlotMinimalTuple(slot, &is_own), &digest.value);
		tuplesort_putdatum(sort, PointerGetDatum(&digest), false);
	}
	tuplesort_performsort(sort);
	while (gaussdp_next_datum(sort, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		add_bytes(hash, VARDATA_ANY(DatumGetPointer(value)), PG_SHA256_DIGEST_LENGTH);
		pfree(DatumGetPointer(value));
	}
	tuplesort_end(sort);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->reldata);
}

static void
add_public_rows(pg_cryptohash_ctx *hash, const GaussdpRoom *room)
{
	for (int i = 1; i <= list_length(room->stores); i++)
	{
		EphemeralNamedRelation rows = get_ENR(room->public_rows, psprintf("public %d", i));

		if (rows == NULL)
			elog(ERROR, "public rows of a level are not known");
		add_number(hash, (int64) rows->md.enrtuples);
		add_rows(hash, rows);
	}
}

/* As it is before rows are found. */
static void
add_price(pg_cryptohash_ctx *hash, const GaussdpRoom *room)
{
	GaussdpLevel before = *room->level;
	int n;
	GaussdpRelease *priced;

	before.found = NIL;
	priced = gaussdp_priced_releases(gaussdp_level_releases(list_make1(&before)), &n);

	for (int i = 0; i < n; i++)
	{
		add_text(hash, priced[i].kind);
		add_number(hash, priced[i].relid);
		add_bytes(hash, &priced[i].l2_sensitivity, sizeof(double));
		add_bytes(hash, &priced[i].sigma, sizeof(double));
		add_number(hash, priced[i].mu2);
		add_number(hash, priced[i].threshold_delta);
		add_number(hash, priced[i].max_rows);
	}
}

/* May another session read values of the type?  Of composite types, of gaussdp's alone, which nobody changes. */
static bool
is_lasting(Oid type)
{
	Oid element = get_element_type(getBaseType(type));
	char kind;

	if (OidIsValid(element))
		return is_lasting(element);
	kind = get_typtype(getBaseType(type));
	if (kind == TYPTYPE_COMPOSITE)
		return getExtensionOfObject(TypeRelationId, type) == get_extension_oid("gaussdp", false);
	if (kind == TYPTYPE_RANGE)
		return is_lasting(get_range_subtype(getBaseType(type)));
	return kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM;
}

static bool
are_lasting_columns(TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
		if (!is_lasting(TupleDescAttr(columns, i)->atttypid))
			return false;
	return true;
}

/* False: it has none. */
static bool
make_key(GaussdpRoom *room)
{
	pg_cryptohash_ctx *hash;
	bool has_key;

	if (!are_lasting_columns(ExecTypeFromTL(room->program.targets)))
		return false;
	hash = begin_hash();
	add_text(hash, GAUSSDP_VERSION);
	for (size_t i = 0; i < lengthof(settings); i++)
		add_text(hash, GetConfigOption(settings[i], true, false));
	add_text(hash, without_positions(nodeToString(
					   with_opened((Node *) unconstify(Query *, room->level->query), NULL))));
	add_findings(hash, room->level);
	add_price(hash, room);
	has_key = !add_objects((Node *) unconstify(Query *, room->level->query), hash);
	add_public_rows(hash, room);
	end_hash(hash, room->key.bytes);
	return has_key;
}

/* ---------------------------------------------------------------------------
 * What this transaction has changed
 * ---------------------------------------------------------------------------
 */

/* Whoever writes to a table locks it until the transaction ends. */
static bool
is_changed(Oid relid)
{
	Relation relation = RelationIdGetRelation(relid);
	bool result = relation == NULL || CheckRelationLockedByMe(relation, RowExclusiveLock, true);

	if (relation != NULL)
		RelationClose(relation);
	return result;
}

static bool
reads_changed(Node *node, void *context)
{
	const RangeTblEntry *entry = (const RangeTblEntry *) node;
	ListCell *lc;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_changed, context, QTW_EXAMINE_RTES_BEFORE);
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, reads_changed, context);
	if (entry->rtekind != RTE_RELATION)
		return false;
	foreach (lc, find_all_inheritors(entry->relid, NoLock, NULL))
		if (is_changed(lfirst_oid(lc)))
			return true;
	return false;
}

/* Others are not shown what only this transaction sees, and what may never have been. */
static bool
rests_on_own_changes(const GaussdpRoom *room)
{
	Oid versions = get_relname_relid("data_version", get_namespace_oid("gaussdp_internal", false));

	return TransactionIdIsValid(GetTopTransactionIdIfAny()) &&
		   (is_changed(versions) ||
			reads_changed((Node *) unconstify(Query *, room->level->query), NULL));
}

/* ---------------------------------------------------------------------------
 * Keeping and showing
 * ---------------------------------------------------------------------------
 */

void
gaussdp_take_key(GaussdpRoom *room)
{
	bool is_second = room->found != NIL;
	GaussdpAnswerKey first = room->key;

	room->has_key = (room->has_key || !is_second) && !room->level->is_free &&
					gaussdp_reuse_seconds(GetUserId(), room->level->owner->relation) > 0 &&
					make_key(room) &&
					(!is_second || memcmp(&first, &room->key, sizeof(first)) == 0);
}

bool
gaussdp_show_kept(GaussdpRoom *room)
{
	Oid relation = room->level->owner->relation;
	GaussdpReused kept;

	if (!room->has_key || room->found != NIL)
		return false;
	room->drawn = GetCurrentTimestamp();
	if (!gaussdp_find_answer(GetUserId(), relation, &room->key, &kept))
		return false;
	gaussdp_unpack_kept(room, kept.rows);
	if (!kept.is_paid)
	{
		gaussdp_charge_level_again(room, &kept);
		if (!gaussdp_may_release())
			gaussdp_raise_suspended();
	}
	room->shown_since = kept.drawn;
	room->is_paid_again = !kept.is_paid;
	room->has_key = false;
	return true;
}

void
gaussdp_keep_level(GaussdpRoom *room)
{
	GaussdpPayers payers;
	StringInfoData kept;

	if (!room->has_key || gaussdp_has_to_find(room->level) || rests_on_own_changes(room))
		return;
	payers = gaussdp_payers();
	if (room->found != NIL)
		payers = gaussdp_payers_of_both(&room->payers, &payers);
	initStringInfo(&kept);
	if (gaussdp_pack_kept(room, &kept))
		gaussdp_keep_answer(GetUserId(), room->level->owner->relation, &room->key, room->drawn,
							&payers, kept.data, kept.len);
	pfree(kept.data);
}

/* Not of what this very statement has drawn, in an equal level before. */
void
gaussdp_tell_of_kept(const GaussdpRoom *room)
{
	if (room->shown_since == 0 || room->shown_since >= GetCurrentStatementStartTimestamp())
		return;
	ereport(NOTICE,
			(errmsg("these numbers were drawn at %s, and %s", timestamptz_to_str(room->shown_since),
					room->is_paid_again ? "were charged to budgets that had not paid for them"
										: "cost nothing again"),
			 errhint("SET gaussdp.reuse_answers = 0 draws new ones.")));
}
