/*
 * journal.c
 *		The journal: the one place that adds rows to gaussdp_internal.journal_entry.
 *
 * Runs in the worker's transaction for charges and suspensions, in the owner's for what owners do.
 * Nothing changes or removes a row, but that a dropped table's OID is forgotten (closing.c), and that many equal queries of
 * one second are counted in the last row about them (recent.c).
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/core.h"
#include "journal.h"
#include "recent.h"
#include "rights.h"
#include "rows.h"

static void
set_text(GaussdpRows *rows, const char *column, const char *text)
{
	if (text != NULL)
		gaussdp_set_value(rows, column, CStringGetTextDatum(text));
}

/* The accounts that have paid: two have columns of their own, since hardly ever there are more. */
static void
set_accounts(GaussdpRows *rows, List *accounts)
{
	Datum *more = palloc(2 * list_length(accounts) * sizeof(Datum));
	int n = 0;
	bool has_role = false;
	ListCell *cell;

	foreach (cell, accounts)
	{
		const GaussdpAccount *account = lfirst(cell);
		bool is_population = account->key.holder == 'p';

		if (is_population || !has_role)
		{
			gaussdp_set_value(rows, is_population ? "population" : "account",
							  Int32GetDatum(account->number));
			gaussdp_set_value(rows, is_population ? "population_term" : "account_term",
							  Int32GetDatum(account->term));
			has_role |= !is_population;
			continue;
		}
		more[n++] = Int32GetDatum(account->number);
		more[n++] = Int32GetDatum(account->term);
	}
	if (n > 0)
		gaussdp_set_value(
			rows, "more_accounts",
			PointerGetDatum(construct_array(more, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
}

static void
set_payment(GaussdpRows *rows, const GaussdpPayment *payment)
{
	gaussdp_set_value(rows, "queries", Int32GetDatum(payment->queries));
	gaussdp_set_value(rows, "mu2", Int64GetDatum(payment->mu2));
	if (payment->threshold_delta > 0)
		gaussdp_set_value(rows, "threshold_delta", Int64GetDatum(payment->threshold_delta));
	gaussdp_set_value(rows, "releases", PointerGetDatum(payment->releases));
	set_accounts(rows, payment->accounts);
}

static int64
next_number(void)
{
	return nextval_internal(
		get_relname_relid("journal_number", get_namespace_oid("gaussdp_internal", false)), false);
}

/* Writes a row, and returns its number and *at, where it is. */
static int64
write_row(GaussdpRows *rows, const GaussdpJournalEntry *entry, ItemPointer at)
{
	int64 number = next_number();

	gaussdp_begin_insert(rows);
	gaussdp_set_value(rows, "charge", Int64GetDatum(number));
	gaussdp_set_value(rows, "at", TimestampTzGetDatum(GetCurrentTimestamp()));
	gaussdp_set_value(rows, "relation", ObjectIdGetDatum(entry->table->relid));
	set_text(rows, "event", entry->event);
	set_text(rows, "session_role", entry->session_role);
	set_text(rows, "role", entry->role);
	set_text(rows, "people", entry->table->population.people);
	set_text(rows, "relation_name", gaussdp_relation_name(entry->table->relid));
	if (entry->payment != NULL)
		set_payment(rows, entry->payment);
	if (entry->query_id != 0)
		gaussdp_set_value(rows, "query_id", Int64GetDatum((int64) entry->query_id));
	set_text(rows, "query_text", entry->text);
	set_text(rows, "terms", entry->terms);
	*at = gaussdp_write_row(rows);
	return number;
}

void
gaussdp_journal(const GaussdpJournalEntry *entry)
{
	GaussdpRows *rows = gaussdp_open_rows("journal_entry", RowExclusiveLock);
	ItemPointerData at;

	(void) write_row(rows, entry, &at);
	gaussdp_close_rows(rows);
}

/* ---------------------------------------------------------------------------
 * Charges
 * ---------------------------------------------------------------------------
 */

/* A row that is to be written. */
typedef struct ChargeRow
{
	const GaussdpCharge *charge;
	const GaussdpLedgerTable *table;
	GaussdpPayment one; /* of equal ones */
	GaussdpPayment all;
} ChargeRow;

/* The same accounts, of one batch? */
static bool
are_same_accounts(const List *a, const List *b)
{
	if (list_length(a) != list_length(b))
		return false;
	for (int i = 0; i < list_length(a); i++)
		if (list_nth(a, i) != list_nth(b, i))
			return false;
	return true;
}

/* Does the journal say the same of a query as of those of this row?  See recent.c. */
static bool
is_of_row(const ChargeRow *row, const GaussdpCharge *charge, const GaussdpLedgerTable *table,
		  const GaussdpPayment *payment)
{
	const GaussdpPayment *one = &row->one;

	return row->charge->role == charge->role && row->charge->session_role == charge->session_role &&
		   row->charge->query_id == charge->query_id && row->charge->drawn == charge->drawn &&
		   row->table->relid == table->relid && one->mu2 == payment->mu2 &&
		   VARSIZE(one->releases) == VARSIZE(payment->releases) &&
		   memcmp(one->releases, payment->releases, VARSIZE(payment->releases)) == 0 &&
		   are_same_accounts(one->accounts, payment->accounts) &&
		   strcmp(row->charge->text, charge->text) == 0;
}

void
gaussdp_journal_charge(List **rows, const GaussdpCharge *charge, const GaussdpLedgerTable *table,
					   const GaussdpPayment *payment)
{
	ChargeRow *row;
	ListCell *cell;

	foreach (cell, *rows)
	{
		row = lfirst(cell);
		if (!is_of_row(row, charge, table, payment))
			continue;
		row->all.queries += payment->queries;
		row->all.mu2 = gdp_spent_add(row->all.mu2, payment->mu2);
		row->all.threshold_delta =
			gdp_spent_add(row->all.threshold_delta, payment->threshold_delta);
		return;
	}
	row = palloc(sizeof(ChargeRow));
	*row = (ChargeRow){.charge = charge, .table = table, .one = *payment, .all = *payment};
	*rows = lappend(*rows, row);
}

static int64
amount(GaussdpRows *rows, const char *column)
{
	bool isnull;
	Datum value = gaussdp_row_value(rows->row, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/* Adds to the last row of this second.  False: it is not there, or somebody has locked it. */
static bool
add_to_row(GaussdpRows *rows, GaussdpRecentQuery *recent, const GaussdpPayment *payment)
{
	bool isnull;
	int32 queries;
	int64 threshold_delta;

	if (!gaussdp_lock_row(rows, &recent->at) || amount(rows, "charge") != recent->charge)
		return false;
	queries = DatumGetInt32(gaussdp_row_value(rows->row, "queries", &isnull));
	threshold_delta = gdp_spent_add(amount(rows, "threshold_delta"), payment->threshold_delta);
	gaussdp_begin_change(rows);
	gaussdp_set_value(rows, "queries", Int32GetDatum(queries + payment->queries));
	gaussdp_set_value(rows, "mu2", Int64GetDatum(gdp_spent_add(amount(rows, "mu2"), payment->mu2)));
	if (threshold_delta > 0)
		gaussdp_set_value(rows, "threshold_delta", Int64GetDatum(threshold_delta));
	recent->at = gaussdp_write_row(rows);
	return true;
}

/* Whatever zone the worker has. */
static const char *
shown_again(TimestampTz drawn)
{
	struct pg_tm tm;
	fsec_t fraction;
	char at[MAXDATELEN + 1];

	if (timestamp2tm(drawn, NULL, &tm, &fraction, NULL, NULL) != 0)
		elog(ERROR, "an answer was drawn at no time");
	EncodeDateTime(&tm, fraction, false, 0, NULL, USE_ISO_DATES, at);
	return psprintf("shown again, drawn at %s+00", at);
}

static void
write_charge(GaussdpRows *rows, const ChargeRow *row)
{
	const GaussdpCharge *charge = row->charge;
	GaussdpQueryDigest digest = gaussdp_digest_query(charge, row->table, &row->one);
	GaussdpRecentQuery *recent = gaussdp_recent_query(&digest);
	GaussdpJournalEntry entry = {
		.event = "charge",
		.session_role = gaussdp_role_name(charge->session_role),
		.role = gaussdp_role_name(charge->role),
		.table = row->table,
		.payment = &row->all,
		.query_id = charge->query_id,
		.text = charge->text[0] != '\0' ? charge->text : NULL,
		.terms = charge->drawn != 0 ? shown_again(charge->drawn) : NULL,
	};
	int64 number;
	ItemPointerData at;

	if (recent != NULL && recent->rows >= GAUSSDP_ROWS_OF_EQUAL_QUERIES &&
		add_to_row(rows, recent, &row->all))
		return;
	number = write_row(rows, &entry, &at);
	if (recent != NULL)
	{
		recent->rows++;
		recent->charge = number;
		recent->at = at;
	}
}

void
gaussdp_write_charges(List *charges)
{
	GaussdpRows *rows = gaussdp_open_rows("journal_entry", RowExclusiveLock);
	ListCell *cell;

	foreach (cell, charges)
		write_charge(rows, lfirst(cell));
	gaussdp_close_rows(rows);
}

/* A row of 250 bytes each: so an owner adds 2.5 MB a day at most. */
#define ACTS_A_DAY "10000"

void
gaussdp_check_acts(void)
{
	const char *name = gaussdp_role_name(GetSessionUserId());
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(name)};

	if (superuser_arg(GetSessionUserId()))
		return;
	gaussdp_ledger_run("SELECT FROM gaussdp_internal.journal_entry"
					   " WHERE session_role = $1 AND event <> 'charge'"
					   " AND at > clock_timestamp() - interval '24 hours'"
					   " OFFSET " ACTS_A_DAY " - 1 LIMIT 1",
					   1, types, values, NULL, false);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("role \"%s\" has changed budgets too often", name),
				 errdetail("The journal keeps every change; it takes " ACTS_A_DAY
						   " of a role in 24 hours. Budgets can still be revoked and reset."),
				 errhint("Grant to a group role instead of each member, or ask a superuser.")));
}

void
gaussdp_journal_act(const char *event, const GaussdpLedgerTable *table, const char *role,
					const char *terms)
{
	GaussdpJournalEntry entry = {
		.event = event,
		.session_role = gaussdp_role_name(GetSessionUserId()),
		.role = role ? role : "",
		.table = table,
		.terms = terms,
	};

	gaussdp_journal(&entry);
	CacheInvalidateRelcacheByRelid(
		get_relname_relid("ledger_account", get_namespace_oid("gaussdp_internal", false)));
}

const char *
gaussdp_role_name(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : "";
}

const char *
gaussdp_relation_name(Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));
	char *name = get_rel_name(relid);

	return schema && name ? quote_qualified_identifier(schema, name) : "";
}
