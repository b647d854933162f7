/*
 * publication.c
 *		What is published: rows of gaussdp_internal.publication.
 *
 * gaussdp.publish() and gaussdp.refresh() (policy/exec/publish.sql) run as whoever calls them, who pays and owns the table of
 * released numbers.  The rows that they write here say what runs in that role's name later, so that nobody else may write them;
 * what they show to others, times and prices, comes from here and not from the caller.
 *
 * Invariants
 *		A row is of a table that was made with it, by the role that the row names, and that is still that role's.
 *		charged_at is written by the worker, in the transaction of the charge: whatever becomes of the session, a publication that
 *		was paid and not filled is known, and is not charged again by itself before it is due.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "ledger.h"
#include "publication.h"
#include "rights.h"
#include "version.h"

PG_FUNCTION_INFO_V1(gaussdp_write_publication);
PG_FUNCTION_INFO_V1(gaussdp_fail_publication);

#define MAX_MONTHS (10 * MONTHS_PER_YEAR)
#define MAX_DAYS 3660
#define MAX_TIME (MAX_DAYS * USECS_PER_DAY)

bool
gaussdp_may_publish_in(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class class;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	/* No view, index or temporary table, whose number comes again unnoticed. */
	result = class->relowner == GetUserId() && class->relkind == RELKIND_RELATION &&
			 class->relpersistence == RELPERSISTENCE_PERMANENT && relid >= FirstNormalObjectId;
	ReleaseSysCache(tuple);
	return result;
}

/* A member of the owner's role is not enough: what runs later runs as the owner. */
static void
check_owner(Oid relid)
{
	if (!gaussdp_may_publish_in(relid))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of an ordinary table to publish in it")));
}

/* Field by field: of fields with different signs the sum is small, and a time that it is added to may still be out of range. */
static bool
is_in_range(const Interval *every)
{
	return every->month >= 0 && every->month <= MAX_MONTHS && every->day >= 0 &&
		   every->day <= MAX_DAYS && every->time >= 0 && every->time <= MAX_TIME &&
		   (every->month > 0 || every->day > 0 || every->time >= USECS_PER_SEC);
}

static bool
was_made_here(Oid relid)
{
	Relation relation = RelationIdGetRelation(relid);
	bool result = relation != NULL && relation->rd_createSubid != InvalidSubTransactionId;

	if (relation != NULL)
		RelationClose(relation);
	return result;
}

static bool
is_publication(Oid relid, Oid role)
{
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid), ObjectIdGetDatum(role)};

	gaussdp_ledger_run("SELECT FROM gaussdp_internal.publication"
					   " WHERE relation = $1::regclass AND publisher = $2::regrole",
					   2, types, values, NULL, true);
	return SPI_processed > 0;
}

static const char write_query[] =
	"INSERT INTO gaussdp_internal.publication (relation, publisher, query, every, settings)"
	" VALUES ($1::regclass, $2::regrole, $3, $4, $5)"
	" ON CONFLICT (relation) DO UPDATE SET publisher = $2::regrole, query = $3, every = $4, settings = $5,"
	"   drawn_at = NULL, price_epsilon = NULL, price_delta = NULL, charged_at = NULL, failed_at = NULL,"
	"   problem = NULL";

/* write_publication(relation, query, every, settings) */
Datum
gaussdp_write_publication(PG_FUNCTION_ARGS)
{
	Oid types[] = {OIDOID, OIDOID, TEXTOID, INTERVALOID, TEXTARRAYOID};
	char nulls[] = {' ', ' ', ' ', PG_ARGISNULL(2) ? 'n' : ' ', ' '};
	Datum values[lengthof(types)];
	Oid relid = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	GaussdpLedgerRights caller;
	Oid role = GetUserId();

	if (PG_ARGISNULL(1) || PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("query and settings must not be null")));
	if (!PG_ARGISNULL(2) && !is_in_range(PG_GETARG_INTERVAL_P(2)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("every must be from 1 second to 10 years, not %s",
						DatumGetCString(DirectFunctionCall1(interval_out, PG_GETARG_DATUM(2)))),
				 errdetail("None of months, days and time may be negative.")));
	check_owner(relid);
	gaussdp_check_version("Nothing was published.");
	values[0] = ObjectIdGetDatum(relid);
	values[1] = ObjectIdGetDatum(role);
	values[2] = PG_GETARG_DATUM(1);
	values[3] = PG_ARGISNULL(2) ? (Datum) 0 : PG_GETARG_DATUM(2);
	values[4] = PG_GETARG_DATUM(3);
	caller = gaussdp_enter_ledger();
	/* Whoever owns the schema can put other tables under a name, and none that is made here. */
	if (!is_publication(relid, role) && !was_made_here(relid))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a publication begins with its table, and this one is older")));
	gaussdp_ledger_run(write_query, lengthof(types), types, values, nulls, false);
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

/* fail_publication(relation, problem, was_due): a refresh has failed, now; or, of one that was not due, since it was charged */
Datum
gaussdp_fail_publication(PG_FUNCTION_ARGS)
{
	Oid types[] = {OIDOID, OIDOID, TEXTOID, BOOLOID};
	Datum values[] = {PG_GETARG_DATUM(0), ObjectIdGetDatum(GetUserId()), PG_GETARG_DATUM(1),
					  PG_GETARG_DATUM(2)};
	GaussdpLedgerRights caller;

	check_owner(PG_GETARG_OID(0));
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run("UPDATE gaussdp_internal.publication"
					   " SET failed_at = CASE WHEN $4 THEN clock_timestamp() ELSE charged_at END,"
					   "   problem = $3"
					   " WHERE relation = $1::regclass AND publisher = $2::regrole",
					   lengthof(types), types, values, NULL, false);
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

void
gaussdp_note_published(Oid relid, TimestampTz drawn, double epsilon, double delta)
{
	Oid types[] = {OIDOID, OIDOID, TIMESTAMPTZOID, FLOAT8OID, FLOAT8OID};
	Datum values[] = {ObjectIdGetDatum(relid), ObjectIdGetDatum(GetUserId()),
					  TimestampTzGetDatum(drawn), Float8GetDatum(epsilon), Float8GetDatum(delta)};
	GaussdpLedgerRights caller = gaussdp_enter_ledger();

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.publication"
		" SET drawn_at = $3, price_epsilon = $4, price_delta = $5, charged_at = NULL,"
		"   failed_at = NULL, problem = NULL"
		" WHERE relation = $1::regclass AND publisher = $2::regrole",
		lengthof(types), types, values, NULL, false);
	gaussdp_leave_ledger(caller);
}

/* A row that its session has changed already, in a transaction that goes on, is not waited for: all charges would wait. */
void
gaussdp_note_charge_of(const GaussdpCharge *charge)
{
	Oid types[] = {OIDOID, OIDOID};
	Datum values[] = {ObjectIdGetDatum(charge->publication), ObjectIdGetDatum(charge->role)};

	if (OidIsValid(charge->publication))
		gaussdp_ledger_run(
			"UPDATE gaussdp_internal.publication SET charged_at = clock_timestamp() WHERE ctid IN ("
			" SELECT ctid FROM gaussdp_internal.publication"
			" WHERE relation = $1::regclass AND publisher = $2::regrole FOR UPDATE SKIP LOCKED)",
			lengthof(types), types, values, NULL, false);
}

void
gaussdp_forget_publication(Oid relid)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};

	gaussdp_ledger_run("DELETE FROM gaussdp_internal.publication WHERE relation = $1::regclass", 1,
					   types, values, NULL, false);
}
