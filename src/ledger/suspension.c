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
 *		suspension ends by resume_budget() alone.  Cancels and resource errors are each counted for 24 hours from the first; too
 *		many suspend the role until these are over, or until resume_budget().
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
#include "utils/timestamp.h"

#include "errors.h"
#include "charged_roles.h"
#include "journal.h"
#include "owners.h"
#include "rights.h"
#include "rows.h"

#define KEY "people = $1 AND relation = $2::regclass AND role = $3::regrole"

static const char lock_query[] =
	"SELECT suspended IS NOT NULL OR coalesce(paused_until > clock_timestamp(), false)"
	" FROM gaussdp_internal.error_count WHERE " KEY " FOR UPDATE SKIP LOCKED";

static const char insert_query[] =
	"INSERT INTO gaussdp_internal.error_count (people, relation, role, role_name, errors, clears)"
	" SELECT $1, $2::regclass, $3::regrole, '', 0, '-infinity'"
	" WHERE NOT EXISTS (SELECT FROM gaussdp_internal.error_count WHERE " KEY ")";

/*
 * $4 the errors, $5 how many are let pass, $6 the roles whose accounts pay, $7 the role's name, $8 the cancels, $9 how many
 * of them are let pass, $10 and $11 likewise the resource errors.  No more are counted than suspend: the role sees the count, which
 * would tell of each level that still runs whether it fails.
 */
static const char count_query[] =
	"WITH accounts AS (SELECT coalesce(max(coalesce(renews_at, 'infinity')), 'infinity') AS clears"
	"   FROM gaussdp_internal.ledger_account_now WHERE people = $1 AND relation = $2::regclass AND holder = "
	"'r'"
	"   AND granted AND role = ANY ($6)),"
	" old AS (SELECT ctid AS at, suspended IS NOT NULL OR clears > clock_timestamp() AS lasts,"
	"     least(CASE WHEN cancels_clear > clock_timestamp() THEN cancels ELSE 0 END + $8, $9 + 1) AS cancelled,"
	"     CASE WHEN cancels_clear > clock_timestamp() THEN cancels_clear"
	"       ELSE clock_timestamp() + interval '24 hours' END AS day_ends,"
	"     least(CASE WHEN resource_errors_clear > clock_timestamp() THEN resource_errors ELSE 0 END + $10, $11 + 1) AS lacked,"
	"     CASE WHEN resource_errors_clear > clock_timestamp() THEN resource_errors_clear"
	"       ELSE clock_timestamp() + interval '24 hours' END AS resource_day_ends"
	"   FROM gaussdp_internal.error_count WHERE " KEY ")"
	" UPDATE gaussdp_internal.error_count AS e SET role_name = $7,"
	"   errors = least(CASE WHEN lasts THEN e.errors ELSE 0 END + $4, $5 + 1),"
	"   clears = CASE WHEN lasts THEN greatest(e.clears, accounts.clears) ELSE accounts.clears END,"
	"   suspended = coalesce(e.suspended, CASE WHEN CASE WHEN lasts THEN e.errors ELSE 0 END + $4 "
	"> $5"
	"     THEN clock_timestamp() END),"
	"   cancels = cancelled,"
	"   cancels_clear = CASE WHEN $8 > 0 THEN day_ends ELSE e.cancels_clear END,"
	"   resource_errors = lacked,"
	"   resource_errors_clear = CASE WHEN $10 > 0 THEN resource_day_ends ELSE e.resource_errors_clear END,"
	"   paused_until = greatest(CASE WHEN cancelled > $9 THEN day_ends END,"
	"     CASE WHEN lacked > $11 THEN resource_day_ends END, e.paused_until)"
	" FROM accounts, old WHERE ctid = at"
	" RETURNING suspended IS NOT NULL, paused_until > clock_timestamp(), e.errors, e.cancels, e.resource_errors";

/* Of the columns of that result, by kind. */
static const struct
{
	int column;
	const char *name;
	const char *setting;
} kinds[] = {
	[GAUSSDP_ERROR] = {3, "errors", "max_private_errors"},
	[GAUSSDP_CANCEL] = {4, "cancels", "max_private_cancels"},
	[GAUSSDP_RESOURCE_ERROR] = {5, "resource errors", "max_resource_errors"},
};

static const char resume_query[] =
	"UPDATE gaussdp_internal.error_count SET errors = 0, clears = '-infinity', suspended = NULL,"
	"   cancels = 0, cancels_clear = '-infinity', resource_errors = 0, resource_errors_clear = '-infinity', paused_until = NULL"
	" WHERE " KEY
	" AND (suspended IS NOT NULL OR errors > 0 OR cancels > 0 OR resource_errors > 0)";

static Datum
first_value(int column)
{
	bool isnull;

	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);
}

/* False where it is NULL, too. */
static bool
first_is_true(int column)
{
	bool isnull;
	Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	return !isnull && DatumGetBool(value);
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

/* What the count has come to that is above its limit: the result of count_query. */
static void
journal_suspension(const GaussdpLedgerErrors *errors)
{
	GaussdpErrorKind kind = GAUSSDP_ERROR;
	GaussdpJournalEntry entry = {
		.event = "suspend",
		.session_role = gaussdp_role_name(errors->session_role),
		.role = gaussdp_role_name(errors->role),
		.table = &errors->table,
		.query_id = errors->query_id,
	};

	while (kind < GAUSSDP_NKINDS - 1 &&
		   DatumGetInt64(first_value(kinds[kind].column)) <= errors->limits[kind])
		kind++;
	entry.terms = psprintf("%s " INT64_FORMAT ", %s %d", kinds[kind].name,
						   DatumGetInt64(first_value(kinds[kind].column)), kinds[kind].setting,
						   errors->limits[kind]);
	gaussdp_journal(&entry);
}

/* A grant lets no more pass than the setting does: a session counts no further than that. */
static GaussdpLedgerErrors
limited_by_grants(const GaussdpLedgerErrors *errors)
{
	GaussdpLedgerErrors limited = *errors;
	int *most = &limited.limits[GAUSSDP_RESOURCE_ERROR];

	*most = Min(*most, gaussdp_granted_resource_errors(errors->role, &errors->table.population));
	return limited;
}

bool
gaussdp_write_errors(const GaussdpLedgerErrors *found, bool *suspended)
{
	GaussdpLedgerErrors limited = limited_by_grants(found);
	const GaussdpLedgerErrors *errors = &limited;
	const GaussdpPopulation *population = &errors->table.population;
	Oid types[] = {TEXTOID, OIDOID,  OIDOID,  INT8OID, INT4OID, OIDARRAYOID,
				   TEXTOID, INT8OID, INT4OID, INT8OID, INT4OID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation),
					  ObjectIdGetDatum(errors->role),
					  Int64GetDatum(errors->counts[GAUSSDP_ERROR]),
					  Int32GetDatum(errors->limits[GAUSSDP_ERROR]),
					  role_array(gaussdp_charged_roles(population, errors->role)),
					  CStringGetTextDatum(gaussdp_role_name(errors->role)),
					  Int64GetDatum(errors->counts[GAUSSDP_CANCEL]),
					  Int32GetDatum(errors->limits[GAUSSDP_CANCEL]),
					  Int64GetDatum(errors->counts[GAUSSDP_RESOURCE_ERROR]),
					  Int32GetDatum(errors->limits[GAUSSDP_RESOURCE_ERROR])};
	bool was_suspended = false;

	/* A population without a name ends with its table, and a new table with that OID is another population. */
	*suspended = true;
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
	gaussdp_ledger_run(count_query, 11, types, values, NULL, false);
	if (SPI_processed != 1)
		elog(ERROR, "a count of the ledger is gone");
	*suspended = first_is_true(1) || first_is_true(2);
	if (*suspended && !was_suspended)
		journal_suspension(errors);
	return true;
}

/* Without the index other rows are found as well, and the index has those that were suspended for a day. */
static bool
is_suspended_now(TupleTableSlot *row)
{
	bool isnull;
	Datum until;

	(void) gaussdp_row_value(row, "suspended", &isnull);
	if (!isnull)
		return true;
	until = gaussdp_row_value(row, "paused_until", &isnull);
	return !isnull && DatumGetTimestampTz(until) > GetCurrentTimestamp();
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

			if (!is_suspended_now(rows->row))
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
	bool resumed;

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
	resumed = SPI_processed > 0;
	if (resumed)
		gaussdp_journal_act("resume", &table, name, NULL);
	gaussdp_leave_ledger(caller);
	if (resumed)
		ereport(
			NOTICE,
			(errmsg("errors and cancels of role \"%s\" are counted from zero", name),
			 errdetail("An error that is let pass may tell one bit about a row."),
			 errhint(
				 "Look for the SQLSTATE of each error in the server's log before you resume a budget.")));
	PG_RETURN_VOID();
}
