/*
 * publication.c
 *		What is published: rows of gaussdp_internal.publication.
 *
 * gaussdp.publish() and gaussdp.refresh() (policy/exec/publish.sql) run as whoever calls them, who pays and owns the table of
 * released numbers.  The rows that they write here say what runs in that role's name later, so that nobody else may write them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "closing.h"
#include "compat.h"
#include "rights.h"
#include "version.h"

/* Columns of the table, in this order. */
#define NCOLUMNS 9

static const char write_query[] =
	"INSERT INTO gaussdp_internal.publication"
	" (relation, query, every, settings, drawn_at, price_epsilon, price_delta, failed_at, problem)"
	" VALUES ($1::regclass, $2, $3, $4, $5, $6, $7, $8, $9)"
	" ON CONFLICT (relation) DO UPDATE SET query = $2, every = $3, settings = $4, drawn_at = $5,"
	"   price_epsilon = $6, price_delta = $7, failed_at = $8, problem = $9";

/* InvalidOid: there is no such relation. */
static Oid
owner_of(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* write_publication(relation, query, every, settings, drawn_at, price_epsilon, price_delta, failed_at, problem) */
PG_FUNCTION_INFO_V1(gaussdp_write_publication);
Datum
gaussdp_write_publication(PG_FUNCTION_ARGS)
{
	Oid types[NCOLUMNS] = {OIDOID,    TEXTOID,   INTERVALOID,    TEXTARRAYOID, TIMESTAMPTZOID,
						   FLOAT8OID, FLOAT8OID, TIMESTAMPTZOID, TEXTOID};
	Datum values[NCOLUMNS];
	char nulls[NCOLUMNS];
	GaussdpLedgerRights caller;

	for (int i = 0; i < NCOLUMNS; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	/* A member of the owner's role is not enough: what runs later runs as the owner. */
	if (PG_ARGISNULL(0) || owner_of(PG_GETARG_OID(0)) != GetUserId())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of a table to publish in it")));
	gaussdp_check_version("Nothing was published.");
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run(write_query, NCOLUMNS, types, values, nulls, false);
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

void
gaussdp_forget_publication(Oid relid)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};

	gaussdp_ledger_run("DELETE FROM gaussdp_internal.publication WHERE relation = $1::regclass", 1,
					   types, values, NULL, false);
}
