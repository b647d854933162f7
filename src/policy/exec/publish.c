/*
 * publish.c
 *		Puts what a query releases into the table of a publication.
 *
 * The table is known by its OID and written row by row, below SQL, so that whoever owns its schema puts no other one in its place, and
 * nothing that hangs on it runs in the publisher's name.  The query runs as in REFRESH MATERIALIZED VIEW: as the publisher, in an
 * operation that may not become another role.
 *
 * Invariants
 *		A table with triggers, rules, or expressions that are computed of its rows is refused before its query runs, and once more
 *		after it, whose functions may have made them.
 *		What is published is released: no query, in functions neither, reads a protected table by the publisher's own rights.
 *		The price is that of all that was released, also where gaussdp.last_answer has forgotten some of it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/partition.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "parser/parse_relation.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "core/core.h"
#include "ledger/ledger.h"
#include "policy/exec/last_answer.h"
#include "policy/exec/publish.h"
#include "policy/proof/proof.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_lock_publication);
PG_FUNCTION_INFO_V1(gaussdp_replace_published);

/* Behind the query's columns: drawn_at, price_epsilon, price_delta, half_widths. */
static const Oid own_types[] = {TIMESTAMPTZOID, FLOAT8OID, FLOAT8OID, JSONBOID};
#define NOWN ((int) lengthof(own_types))

/* ---------------------------------------------------------------------------
 * The table
 * ---------------------------------------------------------------------------
 */

/* Has it an index of expressions, or of some rows? */
static bool
has_computed_index(Relation table)
{
	List *indexes = RelationGetIndexList(table);
	bool result = false;
	ListCell *lc;

	foreach (lc, indexes)
	{
		Relation index = index_open(lfirst_oid(lc), AccessShareLock);

		result |=
			RelationGetIndexExpressions(index) != NIL || RelationGetIndexPredicate(index) != NIL;
		index_close(index, NoLock);
	}
	return result;
}

static bool
has_generated_column(TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
		if (TupleDescAttr(columns, i)->attgenerated != '\0')
			return true;
	return false;
}

/* What would be computed when rows are written; NULL: nothing. */
static const char *
what_would_run(Relation table)
{
	if (table->trigdesc != NULL)
		return "a trigger or a foreign key";
	if (table->rd_rules != NULL)
		return "a rule";
	if (table->rd_rel->relispartition)
		return "the constraint of a partition";
	if (table->rd_att->constr != NULL && table->rd_att->constr->num_check > 0)
		return "a CHECK constraint";
	if (has_generated_column(table->rd_att))
		return "a generated column";
	if (has_computed_index(table))
		return "an index with an expression or a condition";
	return NULL;
}

static void
check_table(Relation table)
{
	const char *what = what_would_run(table);

	CheckCmdReplicaIdentity(table, CMD_DELETE);

	if (what != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" has %s, which would run in the name of its publisher",
					RelationGetRelationName(table), what),
			 errhint("Drop it, or put it on a table that is filled from this one afterwards.")));
}

/* lock_publication(relation): no other refresh, nor a trigger, comes before the end of the transaction; readers go on. */
Datum
gaussdp_lock_publication(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);

	PreventCommandIfReadOnly("gaussdp.refresh()");
	if (gaussdp_may_publish_in(relid))
		LockRelationOid(relid, ShareRowExclusiveLock);
	PG_RETURN_VOID();
}

/* The table's columns that the query fills: all but the last ones. */
static TupleDesc
filled_columns(Relation table)
{
	TupleDesc all = RelationGetDescr(table);
	TupleDesc result;
	int n = 0;
	int nown = 0;

	for (int i = 0; i < all->natts; i++)
		n += TupleDescAttr(all, i)->attisdropped ? 0 : 1;
	n -= NOWN;
	result = n >= 0 ? CreateTemplateTupleDesc(n) : NULL;
	for (int i = 0, to = 0; result != NULL && i < all->natts; i++)
	{
		if (TupleDescAttr(all, i)->attisdropped)
			continue;
		if (to < n)
			TupleDescCopyEntry(result, (AttrNumber) ++to, all, (AttrNumber) (i + 1));
		else if (TupleDescAttr(all, i)->atttypid == own_types[nown])
			nown++;
	}
	if (nown < NOWN)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("table \"%s\" does not end with the columns of a publication",
					RelationGetRelationName(table)),
			 errhint(
				 "These are drawn_at, price_epsilon, price_delta, half_widths: DROP TABLE, and publish anew.")));
	return result;
}

/* ---------------------------------------------------------------------------
 * The query
 * ---------------------------------------------------------------------------
 */

/* Another session has another one of that name, or none. */
static void
refuse_temporary(SPIPlanPtr plan)
{
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));

	if (isQueryUsingTempRelation(linitial_node(Query, source->query_list)))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a publication cannot read temporary tables or views")));
}

/* Runs as the one statement that it is; its columns are compared with the table's before its first row, and before it is charged. */
static void
run(const char *query, TupleDesc columns, Tuplestorestate *rows)
{
	SPIExecuteOptions options = {0};
	SPIPlanPtr plan = SPI_prepare(psprintf("SELECT q.* FROM (\n%s\n) AS q", query), 0, NULL);
	Oid role;
	int context;
	int nest_level = NewGUCNestLevel();

	if (plan == NULL || !SPI_is_cursor_plan(plan))
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the query must be one SELECT")));
	refuse_temporary(plan);
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, rows, CurrentMemoryContext, true, columns,
									"the query has other columns than the publication");
	GetUserIdAndSecContext(&role, &context);
	SetUserIdAndSecContext(role, context | SECURITY_RESTRICTED_OPERATION);
	if (SPI_execute_plan_extended(plan, &options) < 0)
		elog(ERROR, "the query of a publication failed: %s", SPI_result_code_string(SPI_result));
	SetUserIdAndSecContext(role, context);
	AtEOXact_GUC(false, nest_level);
}

/* Has the relation rows of a protected table?  One that inherits from it has, though it is none that must be proven. */
static bool
has_protected_rows(Oid relid)
{
	ListCell *lc;

	foreach (lc, get_partition_ancestors(relid))
		if (gaussdp_is_protected(lfirst_oid(lc)))
			return true;
	return gaussdp_is_protected(relid);
}

void
gaussdp_check_published(const QueryDesc *query)
{
	GaussdpPublishing publishing = gaussdp_publishing();
	List *permissions = gaussdp_plan_permissions(query->plannedstmt);
	ListCell *lc;

	foreach (lc, OidIsValid(publishing.relation) ? query->plannedstmt->rtable : NIL)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		const GaussdpPermissions *asked =
			entry->rtekind == RTE_RELATION ? gaussdp_permissions_of(permissions, entry) : NULL;

		if (asked == NULL || (asked->requiredPerms & ACL_SELECT) == 0 ||
			(OidIsValid(asked->checkAsUser) ? asked->checkAsUser : GetUserId()) !=
				publishing.role ||
			!has_protected_rows(entry->relid))
			continue;
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg(
				 "role \"%s\" may read columns or rows of table \"%s\", which would be published as they are",
				 GetUserNameFromId(publishing.role, false), get_rel_name(entry->relid)),
			 errhint("Publish as a role that has a budget and may not read the table.")));
	}
}

/* As price_epsilon and price_delta: rounded up. */
static void
take_price(const GaussdpPrice *price, double *epsilon, double *delta)
{
	gaussdp_report(gdp_profile_epsilon(gdp_mu2_mu_up(price->mu2), price->delta, epsilon), "delta",
				   price->delta);
	*epsilon = gaussdp_three_digits(*epsilon, GAUSSDP_ROUND_UP);
	*delta =
		gaussdp_three_digits(price->delta + gdp_delta_of(price->threshold_delta), GAUSSDP_ROUND_UP);
}

static void
check_price(const GaussdpPrice *price)
{
	if (price->calls == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the query releases nothing about a protected table"),
						errhint("A view shows what is public.")));
	if (OidIsValid(price->readable))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role \"%s\" may read table \"%s\", so that no budget pays for these numbers",
					GetUserNameFromId(price->role, false), get_rel_name(price->readable)),
			 errhint("Publish as a role that has a budget and may not read the table.")));
}

/* The query's rows, and what they cost. */
static void
ask(Oid relid, const char *query, bool is_paid, TupleDesc columns, Tuplestorestate *rows,
	GaussdpPrice *price)
{
	GaussdpPublishing before =
		gaussdp_set_publishing((GaussdpPublishing){relid, GetUserId(), is_paid});

	gaussdp_begin_price(price);
	PG_TRY();
	{
		run(query, columns, rows);
	}
	PG_FINALLY();
	{
		gaussdp_end_price(price);
		(void) gaussdp_set_publishing(before);
	}
	PG_END_TRY();
	check_price(price);
}

/* Half the widths of its calls' intervals, by their names; never NULL. */
static Datum
half_widths_of(const GaussdpPrice *price)
{
	Oid types[] = {INT8OID};
	Datum values[] = {Int64GetDatum(price->calls)};
	bool isnull;

	if (SPI_execute_with_args("SELECT gaussdp_internal.half_widths($1)", 1, types, values, NULL,
							  true, 1) != SPI_OK_SELECT)
		elog(ERROR, "half widths of a publication are not known");
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
}

/* ---------------------------------------------------------------------------
 * The rows
 * ---------------------------------------------------------------------------
 */

/* All that the last commit has left, whatever snapshot the transaction has: the lock on the table lets nobody else write. */
static void
delete_rows(ResultRelInfo *target, EState *estate)
{
	Relation table = target->ri_RelationDesc;
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan(table, estate->es_snapshot, 0, NULL);
	EPQState unused = {0};

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		ExecSimpleRelationDelete(target, estate, &unused, slot);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

/* A row of the query, and what all rows have. */
static void
take_row(TupleTableSlot *row, const Datum *own, TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;
	int from = 0;

	slot_getallattrs(row);
	ExecClearTuple(slot);
	for (int i = 0; i < columns->natts; i++)
	{
		int nfilled = row->tts_tupleDescriptor->natts;

		slot->tts_isnull[i] = TupleDescAttr(columns, i)->attisdropped;
		slot->tts_values[i] = (Datum) 0;
		if (slot->tts_isnull[i])
			continue;
		if (from < nfilled)
			slot->tts_isnull[i] = row->tts_isnull[from];
		slot->tts_values[i] = from < nfilled ? row->tts_values[from] : own[from - nfilled];
		from++;
	}
	ExecStoreVirtualTuple(slot);
}

static void
insert_rows(ResultRelInfo *target, EState *estate, Tuplestorestate *rows, TupleDesc columns,
			const Datum *own)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(RelationGetDescr(target->ri_RelationDesc), &TTSOpsVirtual);

	while (tuplestore_gettupleslot(rows, true, false, row))
	{
		CHECK_FOR_INTERRUPTS();
		take_row(row, own, slot);
		ExecSimpleRelationInsert(target, estate, slot);
		ResetPerTupleExprContext(estate);
	}
	ExecDropSingleTupleTableSlot(slot);
	ExecDropSingleTupleTableSlot(row);
}

/* These rows in place of those that are there. */
static void
replace(Relation table, Tuplestorestate *rows, TupleDesc columns, const Datum *own)
{
	EState *estate = CreateExecutorState();
	ResultRelInfo *target = makeNode(ResultRelInfo);

	InitResultRelInfo(target, table, 0, NULL, 0);
	ExecOpenIndices(target, false);
	PushActiveSnapshot(GetLatestSnapshot());
	estate->es_snapshot = GetActiveSnapshot();
	delete_rows(target, estate);
	CommandCounterIncrement();
	insert_rows(target, estate, rows, columns, own);
	PopActiveSnapshot();
	CommandCounterIncrement();
	ExecCloseIndices(target);
	FreeExecutorState(estate);
}

static void
check_owner(Oid relid)
{
	if (!gaussdp_may_publish_in(relid))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of an ordinary table to publish in it")));
}

/* replace_published(relation, query, is_paid): fills the table of the current role's publication; when its numbers were drawn */
Datum
gaussdp_replace_published(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	Tuplestorestate *rows = tuplestore_begin_heap(false, false, work_mem);
	GaussdpPrice price;
	double epsilon;
	double delta;
	Relation table;
	TupleDesc columns;

	PreventCommandIfReadOnly("gaussdp.refresh()");
	check_owner(relid);
	table = table_open(relid, ShareRowExclusiveLock);
	check_owner(relid); /* it may have been given away while this was waited for */
	check_table(table);
	columns = filled_columns(table);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI is not there");
	ask(relid, text_to_cstring(PG_GETARG_TEXT_PP(1)), PG_GETARG_BOOL(2), columns, rows, &price);
	check_table(table);
	take_price(&price, &epsilon, &delta);
	replace(table, rows, columns,
			(Datum[]){TimestampTzGetDatum(price.drawn), Float8GetDatum(epsilon),
					  Float8GetDatum(delta), half_widths_of(&price)});
	SPI_finish();
	tuplestore_end(rows);
	table_close(table, NoLock);
	gaussdp_note_published(relid, price.drawn, epsilon, delta);
	PG_RETURN_TIMESTAMPTZ(price.drawn);
}
