/*
 * suspension.c
 *		Counts of errors inside of private levels, and the suspensions that follow from them.
 *
 * Runs on gaussdp_internal.error_count: in the worker's transactions, for errors.c and batch.c, and in
 * that of the owner who ends a suspension.
 *
 * Invariants
 *		Errors are counted, and suspended is, one role for one population: other roles that pay from the same
 *		accounts go on.  A count ends with the last period of the accounts that paid for the role when it was made; a
 *		suspension ends by resume_budget() alone.
 *		Only the worker adds rows.  A row that another transaction has locked is not waited for.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "errors.h"
#include "charged_roles.h"
#include "journal.h"
#include "owners.h"
#include "rights.h"
#include "rows.h"

#define KEY "people = $1 AND relation = $2::regclass AND role = $3::regrole"

static const char lock_query[] =
	"SELECT suspended IS NOT NULL FROM gaussdp_internal.error_count WHERE " KEY
	" FOR UPDATE SKIP LOCKED";

static const char insert_query[] =
	"INSERT INTO gaussdp_internal.error_count (people, relation, role, role_name, errors, clears)"
	" SELECT $1, $2::regclass, $3::regrole, '', 0, '-infinity'"
	" WHERE NOT EXISTS (SELECT FROM gaussdp_internal.error_count WHERE " KEY ")";

/* $4 the errors, $5 how many are allowed, $6 the roles whose accounts pay, $7 the role's name */
static const char count_query[] =
	"WITH accounts AS (SELECT coalesce(max(coalesce(renews_at, 'infinity')), 'infinity') AS clears"
	"   FROM gaussdp_internal.ledger_account_now WHERE people = $1 AND relation = $2::regclass AND holder = "
	"'r'"
	"   AND granted AND role = ANY ($6)),"
	" old AS (SELECT ctid AS at, suspended IS NOT NULL OR clears > clock_timestamp() AS lasts"
	"   FROM gaussdp_internal.error_count WHERE " KEY ")"
	" UPDATE gaussdp_internal.error_count AS e SET role_name = $7,"
	"   errors = CASE WHEN lasts THEN e.errors ELSE 0 END + $4,"
	"   clears = CASE WHEN lasts THEN greatest(e.clears, accounts.clears) ELSE accounts.clears END,"
	"   suspended = coalesce(e.suspended, CASE WHEN CASE WHEN lasts THEN e.errors ELSE 0 END + $4 "
	"> $5"
	"     THEN clock_timestamp() END)"
	" FROM accounts, old WHERE ctid = at RETURNING suspended IS NOT NULL, errors";

static const char resume_query[] =
	"UPDATE gaussdp_internal.error_count SET errors = 0, clears = '-infinity', suspended = NULL"
	" WHERE " KEY " AND (suspended IS NOT NULL OR errors > 0)";

static Datum
first_value(int column)
{
	bool isnull;

	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);
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

static void
journal_suspension(const GaussdpLedgerErrors *errors, int64 count)
{
	GaussdpJournalEntry entry = {
		.event = "suspend",
		.session_role = gaussdp_role_name(errors->session_role),
		.role = gaussdp_role_name(errors->role),
		.table = &errors->table,
		.query_id = errors->query_id,
		.terms = psprintf("errors " INT64_FORMAT ", max_private_errors %d", count, errors->limit),
	};

	gaussdp_journal(&entry);
}

bool
gaussdp_write_errors(const GaussdpLedgerErrors *errors)
{
	const GaussdpPopulation *population = &errors->table.population;
	Oid types[] = {TEXTOID, OIDOID, OIDOID, INT8OID, INT4OID, OIDARRAYOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation),
					  ObjectIdGetDatum(errors->role),
					  Int64GetDatum(errors->count),
					  Int32GetDatum(errors->limit),
					  role_array(gaussdp_charged_roles(population, errors->role)),
					  CStringGetTextDatum(gaussdp_role_name(errors->role))};
	bool was_suspended = false;

	/* A population without a name ends with its table, and a new table with that OID is another population. */
	if (OidIsValid(population->relation) &&
		!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(population->relation)))
		return true;
	gaussdp_ledger_run(lock_query, 3, types, values, NULL, false);
	if (SPI_processed > 0)
		was_suspended = DatumGetBool(first_value(1));
	else
	{
		gaussdp_ledger_run(insert_query, 3, types, values, NULL, false);
		if (SPI_processed == 0)
			return false;
	}
	gaussdp_ledger_run(count_query, 7, types, values, NULL, false);
	if (SPI_processed != 1)
		elog(ERROR, "a count of the ledger is gone");
	if (DatumGetBool(first_value(1)) && !was_suspended)
		journal_suspension(errors, DatumGetInt64(first_value(2)));
	return true;
}

/* Read anew for each batch, which is cheap: mostly there was never an error, and else the index holds suspensions alone. */
List *
gaussdp_suspended(List *roles)
{
	GaussdpRows *rows = gaussdp_open_rows("error_count", AccessShareLock);
	List *suspended = NIL;
	ListCell *cell;

	foreach (cell, rows->npages > 0 ? roles : NIL)
	{
		gaussdp_add_key(rows, "role", ObjectIdGetDatum(lfirst_oid(cell)));
		gaussdp_find_rows(rows, "error_count_suspended");
		while (gaussdp_next_row(rows))
		{
			GaussdpAccountKey *key;
			GaussdpPopulation population;
			bool isnull;

			/* Without the index, others are found as well. */
			(void) gaussdp_row_value(rows->row, "suspended", &isnull);
			if (isnull)
				continue;
			key = palloc(sizeof(GaussdpAccountKey));
			population = gaussdp_declared_population(
				TextDatumGetCString(gaussdp_row_value(rows->row, "people", &isnull)),
				DatumGetObjectId(gaussdp_row_value(rows->row, "relation", &isnull)));
			*key = gaussdp_account_key(&population, 'r', lfirst_oid(cell));
			suspended = lappend(suspended, key);
		}
	}
	gaussdp_close_rows(rows);
	return suspended;
}

bool
gaussdp_is_suspended(List *suspended, const GaussdpPopulation *population, Oid role)
{
	GaussdpAccountKey key = gaussdp_account_key(population, 'r', role);
	ListCell *cell;

	foreach (cell, suspended)
		if (memcmp(lfirst(cell), &key, sizeof(key)) == 0)
			return true;
	return false;
}

PG_FUNCTION_INFO_V1(gaussdp_resume_budget);
Datum
gaussdp_resume_budget(PG_FUNCTION_ARGS)
{
	char *name;
	Oid role;
	GaussdpLedgerTable table;
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[3];
	GaussdpLedgerRights caller;

	for (int i = 0; i < 2; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not be null", i == 0 ? "role" : "table")));
	name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	role = get_role_oid(name, false);
	gaussdp_open_population(PG_GETARG_OID(1), &table);
	caller = gaussdp_enter_ledger();
	values[0] = CStringGetTextDatum(table.population.people);
	values[1] = ObjectIdGetDatum(table.population.relation);
	values[2] = ObjectIdGetDatum(role);
	gaussdp_ledger_run(resume_query, 3, types, values, NULL, false);
	if (SPI_processed > 0)
		gaussdp_journal_act("resume", &table, name, NULL);
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}
