/*
 * publication.c
 *		What is published: rows of gaussdp_internal.publication.
 *
 * gaussdp.publish() and gaussdp.refresh() (policy/exec/publish.sql) run as whoever calls them, who pays and owns the table of
 * released numbers.  The rows that they write here say what runs in that role's name later, so that nobody else may write them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
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
#define NCOLUMNS 10
#define PUBLISHER 9

static const char write_query[] =
	"INSERT INTO gaussdp_internal.publication"
	" (relation, query, every, settings, drawn_at, price_epsilon, price_delta, failed_at, problem, publisher)"
	" VALUES ($1::regclass, $2, $3, $4, $5, $6, $7, $8, $9, $10::regrole)"
	" ON CONFLICT (relation) DO UPDATE SET publisher = $10::regrole, query = $2, every = $3, settings = $4, drawn_at = $5,"
	"   price_epsilon = $6, price_delta = $7, failed_at = $8, problem = $9";

/* An ordinary table that lasts, the role's own: no view, index or temporary table, whose number comes again unnoticed. */
static bool
may_publish_in(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class class;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	result = class->relowner == GetUserId() && class->relkind == RELKIND_RELATION &&
			 class->relpersistence == RELPERSISTENCE_PERMANENT && relid >= FirstNormalObjectId;
	ReleaseSysCache(tuple);
	return result;
}

/* write_publication(relation, query, every, settings, drawn_at, price_epsilon, price_delta, failed_at, problem) */
PG_FUNCTION_INFO_V1(gaussdp_write_publication);
Datum
gaussdp_write_publication(PG_FUNCTION_ARGS)
{
	Oid types[NCOLUMNS] = {OIDOID,    TEXTOID,   INTERVALOID,    TEXTARRAYOID, TIMESTAMPTZOID,
						   FLOAT8OID, FLOAT8OID, TIMESTAMPTZOID, TEXTOID,      OIDOID};
	Datum values[NCOLUMNS];
	char nulls[NCOLUMNS];
	GaussdpLedgerRights caller;

	for (int i = 0; i < PUBLISHER; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	values[PUBLISHER] = ObjectIdGetDatum(GetUserId());
	nulls[PUBLISHER] = ' ';
	/* A member of the owner's role is not enough: what runs later runs as the owner. */
	if (PG_ARGISNULL(0) || !may_publish_in(PG_GETARG_OID(0)))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of an ordinary table to publish in it")));
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
