/*
 * kept.c
 *		Answers that are kept, and shown again to those who have paid for them.
 *
 * A session hands what a level has released to the worker, in shared memory of its own, which writes it into
 * gaussdp_internal.kept_answer before a row of it is shown: a transaction of the session may be read-only, or be rolled back.
 *
 * Invariants
 *		A kept answer is shown only when each account that would pay for a new one has paid for this one in its present term: a new
 *		period, a reset, another grant begin another term or account, which pays first (gaussdp_charge_again).  So what is shown again was
 *		charged to what it is shown for, whatever its key says.
 *		No noise is added: everybody sees the same numbers, whatever many of them know together.
 *		What cannot be kept, or is lost in a crash, costs budget and nothing else: no error comes from here.
 *		What is written depends on what was released, never on what was not.
 *		Nobody chooses among its draws which one others are shown.  They see the oldest that is young enough, whoever has drawn it, and
 *		none goes before it is too old for everybody, or nobody has a budget for it: who has filled the share of an account keeps nothing
 *		new.  What is kept was kept before its role has seen it.
 *		No account of a restored ledger has paid for what is kept: gaussdp_internal.refuse_second_account() takes it away.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "access/xlog.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "charged_roles.h"
#include "declaration/owner.h"
#include "errors.h"
#include "kept.h"
#include "ledger.h"
#include "owners.h"
#include "queue.h"
#include "rights.h"
#include "settings.h"

/* One answer in shared memory; its rows follow. */
typedef struct GaussdpKeptAnswer
{
	GaussdpAnswerKey key;
	GaussdpPopulation population;
	Oid role;
	Oid owner; /* of the table */
	TimestampTz drawn;
	int64 seconds; /* for which its role may be shown it */
	GaussdpPayers payers;
	int size;
	char rows[FLEXIBLE_ARRAY_MEMBER];
} GaussdpKeptAnswer;

static Datum
bytea_of(const void *bytes, int size)
{
	bytea *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return PointerGetDatum(result);
}

/* ---------------------------------------------------------------------------
 * Keeping
 * ---------------------------------------------------------------------------
 */

/* What an answer counts as at least: a database then has so few that looking through all of them is quick. */
#define LEAST_KEPT 8192

int
gaussdp_most_kept(void)
{
	return gaussdp_kept_answers_size / 16 * 1024;
}

/* Puts a request to keep it into the queue, and waits until the worker has done so, a cancel comes or time is up. */
static void
ask_worker(GaussdpLedgerSlot *slot, Oid role, uint32 handle)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_charge_timeout;
	Latch *worker = NULL;
	Latch *others[2] = {NULL};
	bool done = false;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	(void) gaussdp_find_worker(&worker);
	memset(slot->charge, 0, offsetof(GaussdpCharge, tables));
	slot->charge->kept = handle;
	slot->charge->role = role;
	slot->state = GAUSSDP_LEDGER_QUEUED;
	slot->number = gaussdp_ledger_shared->next_number++;
	slot->database = MyDatabaseId;
	slot->latch = MyLatch;
	slot->pid = MyProcPid;
	slot->since = gaussdp_ledger_clock();
	LWLockRelease(gaussdp_ledger_shared->lock);
	if (worker != NULL)
		SetLatch(worker);
	while (!done && !InterruptPending && gaussdp_ledger_clock() < deadline)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 100L,
						 gaussdp_charge_wait_event());
		ResetLatch(MyLatch);
		LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
		done = slot->state == GAUSSDP_LEDGER_DONE;
		if (done)
			gaussdp_free_slot(slot, others);
		LWLockRelease(gaussdp_ledger_shared->lock);
	}
	if (done)
		gaussdp_wake(others);
	else
		(void) gaussdp_leave_slot(slot);
}

/* Shared memory for so much, attached; NULL: there is none. */
static dsm_segment *
make_segment(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	return segment;
}

GaussdpPayers
gaussdp_payers(void)
{
	const GaussdpLedgerSlot *slot = gaussdp_ledger_slot();
	GaussdpPayers payers = {.n = slot->npaid};

	memcpy(payers.paid, slot->paid, sizeof(GaussdpPaid) * slot->npaid);
	return payers;
}

GaussdpPayers
gaussdp_payers_of_both(const GaussdpPayers *a, const GaussdpPayers *b)
{
	GaussdpPayers both = {0};

	for (int i = 0; i < a->n; i++)
		for (int j = 0; j < b->n; j++)
			if (memcmp(&a->paid[i], &b->paid[j], sizeof(GaussdpPaid)) == 0)
				both.paid[both.n++] = a->paid[i];
	return both;
}

void
gaussdp_keep_answer(Oid role, Oid relid, const GaussdpAnswerKey *key, TimestampTz drawn,
					const GaussdpPayers *payers, const char *rows, int size)
{
	GaussdpPopulation population;
	dsm_segment *segment;
	GaussdpKeptAnswer *answer;
	int64 time;

	if (payers->n == 0 || size > gaussdp_most_kept() || !gaussdp_population(relid, &population))
		return;
	time = gaussdp_granted_reuse(role, &population);
	segment = time > 0 ? make_segment(offsetof(GaussdpKeptAnswer, rows) + size) : NULL;
	if (segment == NULL)
		return;
	answer = dsm_segment_address(segment);
	memset(answer, 0, offsetof(GaussdpKeptAnswer, rows));
	answer->key = *key;
	answer->population = population;
	answer->role = role;
	answer->owner = gaussdp_owner_of(relid);
	answer->drawn = drawn;
	answer->seconds = time;
	answer->payers = *payers;
	answer->size = size;
	memcpy(answer->rows, rows, size);
	ask_worker(gaussdp_ledger_slot(), role, dsm_segment_handle(segment));
	dsm_detach(segment);
}

static Datum
array_of(const GaussdpPaid *paid, int n)
{
	Datum values[GAUSSDP_MAX_PAID];

	for (int i = 0; i < n; i++)
		values[i] = Int64GetDatum((int64) paid[i].number << 32 | (uint32) paid[i].term);
	return PointerGetDatum(
		construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Nobody may be shown it any more: it is too old, or of people whom nobody has a budget for. */
#define IS_OVER                                                                                    \
	"(o.until <= pg_catalog.clock_timestamp() OR (o.people, o.relation) NOT IN"                    \
	" (SELECT people, relation FROM gaussdp_internal.ledger_account WHERE holder = 'r' AND granted))"

/*
 * Those that are over wait for gaussdp.archive_journal(), which moves them away with the journal, and count for nothing meanwhile; the
 * oldest make room where $1 more would be above $2.  Nobody is waited for who has locked any.
 */
static const char make_room_query[] =
	"DELETE FROM gaussdp_internal.kept_answer WHERE ctid IN ("
	" SELECT ctid FROM gaussdp_internal.kept_answer WHERE ctid = ANY (ARRAY("
	"   SELECT id FROM (SELECT id, is_over, sum(size) OVER (ORDER BY is_over, until DESC, id) AS taken"
	"     FROM (SELECT o.ctid AS id, o.size, o.until, " IS_OVER
	" AS is_over FROM gaussdp_internal.kept_answer AS o) AS a) AS k"
	"   WHERE is_over AND taken + $1 > $2))"
	" FOR UPDATE SKIP LOCKED)";

/*
 * $6 is for how long the role may be shown it; $10 what all answers of a database may have together, and a quarter of what others leave of
 * it those that the same accounts have paid for when they were drawn, but for the population's, which pays for all: so however many have
 * filled their share, something is left for the next one, and many roles that pay from one account have the share of one.  Whoever may
 * create tables makes accounts, as many as they like: all that is about tables of $11 has three quarters of what other owners' leave.
 */
static const char insert_query[] =
	"INSERT INTO gaussdp_internal.kept_answer"
	" (key, people, relation, role, owner, payers, drawn, until, paid, size, released)"
	" SELECT $1, $2, $3::regclass, $4, $11, a.payers, $5, $5 + interval '1 second' * greatest($6,"
	"   (SELECT max(reuse_answers) FROM gaussdp_internal.ledger_account"
	"    WHERE people = $2 AND relation = $3::regclass AND holder = 'r' AND granted)), $7, $8, $9"
	" FROM (SELECT ARRAY(SELECT number FROM gaussdp_internal.ledger_account WHERE holder = 'r'"
	"   AND number IN (SELECT p >> 32 FROM unnest($7) AS p)) AS payers) AS a, LATERAL"
	"   (SELECT coalesce(sum(o.size), 0) AS taken,"
	"     coalesce(sum(o.size) FILTER (WHERE o.payers && a.payers), 0) AS own,"
	"     coalesce(sum(o.size) FILTER (WHERE o.owner = $11), 0) AS about"
	"   FROM gaussdp_internal.kept_answer AS o WHERE NOT " IS_OVER ") AS k"
	" WHERE taken + $8 <= $10 AND own + $8 <= ($10 - taken + own) / 4"
	"   AND about + $8 <= ($10 - taken + about) * 3 / 4"
	" ON CONFLICT DO NOTHING";

static void
insert_answer(const GaussdpKeptAnswer *answer)
{
	int64 most = (int64) gaussdp_kept_answers_size * 1024;
	int32 size = Max(answer->size, LEAST_KEPT);
	Oid types[] = {BYTEAOID,     TEXTOID, OIDOID,   OIDOID,  TIMESTAMPTZOID, INT8OID,
				   INT8ARRAYOID, INT4OID, BYTEAOID, INT8OID, OIDOID};
	Datum values[] = {bytea_of(answer->key.bytes, sizeof(answer->key.bytes)),
					  CStringGetTextDatum(answer->population.people),
					  ObjectIdGetDatum(answer->population.relation),
					  ObjectIdGetDatum(answer->role),
					  TimestampTzGetDatum(answer->drawn),
					  Int64GetDatum(answer->seconds),
					  array_of(answer->payers.paid, answer->payers.n),
					  Int32GetDatum(size),
					  bytea_of(answer->rows, answer->size),
					  Int64GetDatum(most),
					  ObjectIdGetDatum(answer->owner)};

	gaussdp_ledger_run(make_room_query, 2, (Oid[]){INT4OID, INT8OID},
					   (Datum[]){Int32GetDatum(size), Int64GetDatum(most)}, NULL, false);
	gaussdp_ledger_run(insert_query, 11, types, values, NULL, false);
}

static void
write_new(GaussdpRequest *request)
{
	dsm_segment *segment = dsm_attach(request->charge->kept);

	request->verdict = GAUSSDP_VERDICT_CHARGED;
	request->is_low = false;
	request->npaid = 0;
	if (segment == NULL)
		return; /* its session has left */
	insert_answer(dsm_segment_address(segment));
	dsm_detach(segment);
}

/* Which answer is shown again. */
static void
name_answer(const GaussdpCharge *charge, Oid *types, Datum *values)
{
	types[0] = BYTEAOID;
	types[1] = OIDOID;
	types[2] = TIMESTAMPTZOID;
	values[0] = bytea_of(charge->key.bytes, sizeof(charge->key.bytes));
	values[1] = ObjectIdGetDatum(charge->asker);
	values[2] = TimestampTzGetDatum(charge->drawn);
}

List *
gaussdp_paid_before(const GaussdpCharge *charge)
{
	List *before = NIL;
	Oid types[3];
	Datum values[3];
	MemoryContext context = CurrentMemoryContext;

	if (charge->drawn == 0)
		return NIL;
	name_answer(charge, types, values);
	gaussdp_ledger_run("SELECT p FROM gaussdp_internal.kept_answer, unnest(paid) AS p"
					   " WHERE key = $1 AND role = $2 AND drawn = $3",
					   3, types, values, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		int64 value =
			DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		GaussdpPaid *paid = MemoryContextAlloc(context, sizeof(GaussdpPaid));

		paid->number = (int32) (value >> 32);
		paid->term = (int32) value;
		before = lappend(before, paid);
	}
	return before;
}

void
gaussdp_write_kept(GaussdpRequest *request)
{
	const GaussdpCharge *charge = request->charge;
	Oid types[4];
	Datum values[4];

	if (charge->kept != 0)
		write_new(request);
	else if (charge->drawn != 0 && request->verdict == GAUSSDP_VERDICT_CHARGED)
	{
		name_answer(charge, types, values);
		types[3] = INT8ARRAYOID;
		values[3] = array_of(request->paid, request->npaid);
		/* Earlier terms of these accounts never come again. */
		gaussdp_ledger_run(
			"UPDATE gaussdp_internal.kept_answer SET paid = $4 || ARRAY("
			"   SELECT p FROM unnest(paid) AS p WHERE p >> 32 NOT IN (SELECT q >> 32 FROM unnest($4) AS q))"
			" WHERE key = $1 AND role = $2 AND drawn = $3",
			4, types, values, NULL, false);
	}
}

/* ---------------------------------------------------------------------------
 * Showing again
 * ---------------------------------------------------------------------------
 */

/*
 * $1 key, $2 and $3 population, $4 the role, $5 for how many seconds, $6 the roles whose accounts pay.  An account in a period that
 * has begun since it was last written is in its next term.  Of other roles' draws the first one alone is shown, whoever has paid for
 * later ones.
 */
static const char find_query[] =
	"WITH payer AS (SELECT number::int8 << 32 | term AS paid, share_answers, holder,"
	"     gaussdp_internal.period_number(since, every) > period AS is_over"
	"   FROM gaussdp_internal.ledger_account WHERE people = $2 AND relation = $3::regclass AND granted"
	"   AND (holder = 'p' OR holder = 'r' AND role = ANY ($6)))"
	" SELECT k.drawn, k.released, k.role, NOT EXISTS"
	"   (SELECT FROM payer WHERE is_over OR NOT paid = ANY (k.paid)) AS is_paid"
	" FROM (SELECT *, min(drawn) OVER () AS first FROM gaussdp_internal.kept_answer"
	"   WHERE key = $1 AND people = $2 AND relation = $3::regclass"
	"   AND drawn BETWEEN pg_catalog.clock_timestamp() - $5 * interval '1 second' AND pg_catalog.clock_timestamp()) AS k"
	" WHERE (k.role = $4 OR k.drawn = k.first AND (SELECT share_answers FROM payer WHERE holder = 'p'))"
	" AND (SELECT count(*) FROM payer) = 1 + cardinality($6)"
	" AND NOT EXISTS (SELECT FROM gaussdp_internal.answer_pause WHERE until IS NULL)"
	" ORDER BY is_paid DESC, k.drawn LIMIT 1";

static bool
is_blocked(Oid role)
{
	bool result;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_SHARED);
	result = gaussdp_is_blocked(role) || gaussdp_has_unwritten(role);
	LWLockRelease(gaussdp_ledger_shared->lock);
	return result;
}

static Datum
role_array(List *roles)
{
	Datum *values = palloc((list_length(roles) + 1) * sizeof(Datum));
	ListCell *cell;

	foreach (cell, roles)
		values[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
	return PointerGetDatum(
		construct_array(values, list_length(roles), OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/* As gaussdp_find_answer, of a population that has accounts. */
static bool
read_answer(Oid role, const GaussdpPopulation *population, int64 seconds, GaussdpReused *kept)
{
	MemoryContext context = CurrentMemoryContext;
	List *roles = list_copy(gaussdp_charged_roles(population, role));
	Oid types[] = {BYTEAOID, TEXTOID, OIDOID, OIDOID, INT8OID, OIDARRAYOID};
	Datum values[] = {bytea_of(kept->key.bytes, sizeof(kept->key.bytes)),
					  CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation),
					  ObjectIdGetDatum(role),
					  Int64GetDatum(seconds),
					  role_array(roles)};
	GaussdpLedgerRights caller = gaussdp_enter_ledger();
	bool found;

	gaussdp_ledger_run(find_query, 6, types, values, NULL, true);
	found = SPI_processed == 1;
	if (found)
	{
		bool isnull;
		HeapTuple row = SPI_tuptable->vals[0];
		TupleDesc desc = SPI_tuptable->tupdesc;
		MemoryContext old = MemoryContextSwitchTo(context);

		kept->drawn = DatumGetTimestampTz(SPI_getbinval(row, desc, 1, &isnull));
		kept->rows = DatumGetByteaPCopy(SPI_getbinval(row, desc, 2, &isnull));
		kept->role = DatumGetObjectId(SPI_getbinval(row, desc, 3, &isnull));
		kept->is_paid = DatumGetBool(SPI_getbinval(row, desc, 4, &isnull));
		MemoryContextSwitchTo(old);
	}
	gaussdp_leave_ledger(caller);
	return found;
}

int64
gaussdp_reuse_seconds(Oid role, Oid relid)
{
	GaussdpPopulation population;

	if (gaussdp_kept_answers_size == 0 || gaussdp_ledger_shared == NULL || RecoveryInProgress() ||
		!gaussdp_population(relid, &population))
		return 0;
	return gaussdp_reuse_time(role, &population);
}

bool
gaussdp_find_answer(Oid role, Oid relid, const GaussdpAnswerKey *key, GaussdpReused *kept)
{
	GaussdpPopulation population;

	/* Whoever may not be charged is refused where that is tried. */
	if (!gaussdp_population(relid, &population) || is_blocked(role) ||
		gaussdp_budget_left(role, relid).suspended)
		return false;
	kept->key = *key;
	return read_answer(role, &population, gaussdp_reuse_time(role, &population), kept);
}

/* ---------------------------------------------------------------------------
 * Versions of data
 * ---------------------------------------------------------------------------
 */

char *
gaussdp_data_version(Oid relid)
{
	MemoryContext context = CurrentMemoryContext;
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};
	GaussdpLedgerRights caller = gaussdp_enter_ledger();
	char *version = NULL;

	gaussdp_ledger_run("SELECT version FROM gaussdp_internal.data_version WHERE relation = $1", 1,
					   types, values, NULL, true);
	if (SPI_processed == 1)
		version = MemoryContextStrdup(
			context, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	gaussdp_leave_ledger(caller);
	return version;
}

PG_FUNCTION_INFO_V1(gaussdp_set_data_version);
Datum
gaussdp_set_data_version(PG_FUNCTION_ARGS)
{
	GaussdpLedgerTable table;
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[2];
	GaussdpLedgerRights caller;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("table must not be null")));
	gaussdp_open_population(PG_GETARG_OID(0), &table);
	values[0] = ObjectIdGetDatum(table.relid);
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run("DELETE FROM gaussdp_internal.data_version WHERE relation = $1", 1, types,
					   values, NULL, false);
	if (!PG_ARGISNULL(1))
	{
		values[1] = PG_GETARG_DATUM(1);
		gaussdp_ledger_run("INSERT INTO gaussdp_internal.data_version VALUES ($1, $2)", 2, types,
						   values, NULL, false);
	}
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}
