/*
 * journal.c
 *		The journal: the one place that adds rows to gaussdp_internal.journal_entry.
 *
 * Runs over SPI, in the worker's transaction for charges and suspensions, in the owner's for what owners do.
 * Nothing changes or removes a row, but that a dropped table's OID is forgotten (closing.c), and that many equal queries of
 * one second are counted in the last row about them (recent.c).
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/core.h"
#include "journal.h"
#include "recent.h"
#include "rights.h"

typedef enum Column
{
	CHARGE,
	MU2,
	THRESHOLD_DELTA,
	QUERY_ID,
	RELATION,
	QUERIES,
	POPULATION,
	POPULATION_TERM,
	ACCOUNT,
	ACCOUNT_TERM,
	MORE_ACCOUNTS,
	EVENT,
	SESSION_ROLE,
	ROLE,
	PEOPLE,
	RELATION_NAME,
	RELEASES,
	QUERY_TEXT,
	TERMS
} Column;

/* Column by column, what is a parameter of the INSERT; the time is the server's own. */
static const struct
{
	const char *name;
	Oid type;
} columns[] = {
	[CHARGE] = {"charge", INT8OID},
	[MU2] = {"mu2", INT8OID},
	[THRESHOLD_DELTA] = {"threshold_delta", INT8OID},
	[QUERY_ID] = {"query_id", INT8OID},
	[RELATION] = {"relation", REGCLASSOID},
	[QUERIES] = {"queries", INT4OID},
	[POPULATION] = {"population", INT4OID},
	[POPULATION_TERM] = {"population_term", INT4OID},
	[ACCOUNT] = {"account", INT4OID},
	[ACCOUNT_TERM] = {"account_term", INT4OID},
	[MORE_ACCOUNTS] = {"more_accounts", INT4ARRAYOID},
	[EVENT] = {"event", TEXTOID},
	[SESSION_ROLE] = {"session_role", TEXTOID},
	[ROLE] = {"role", TEXTOID},
	[PEOPLE] = {"people", TEXTOID},
	[RELATION_NAME] = {"relation_name", TEXTOID},
	[RELEASES] = {"releases", BYTEAOID},
	[QUERY_TEXT] = {"query_text", TEXTOID},
	[TERMS] = {"terms", TEXTOID},
};

typedef struct Row
{
	Datum values[lengthof(columns)];
	char nulls[lengthof(columns)]; /* as SPI takes them: 'n' or ' ' */
} Row;

static void
set(Row *row, Column column, Datum value)
{
	row->values[column] = value;
	row->nulls[column] = ' ';
}

static void
set_text(Row *row, Column column, const char *text)
{
	if (text != NULL)
		set(row, column, CStringGetTextDatum(text));
}

static void
insert(Row *row)
{
	static SPIPlanPtr plan = NULL;
	static char *query = NULL;
	Oid types[lengthof(columns)];

	for (size_t i = 0; i < lengthof(columns); i++)
		types[i] = columns[i].type;
	if (query == NULL)
	{
		StringInfoData text;

		initStringInfo(&text);
		appendStringInfoString(&text, "INSERT INTO gaussdp_internal.journal_entry (at");
		for (size_t i = 0; i < lengthof(columns); i++)
			appendStringInfo(&text, ", %s", columns[i].name);
		appendStringInfoString(&text, ") VALUES (clock_timestamp()");
		for (size_t i = 0; i < lengthof(columns); i++)
			appendStringInfo(&text, ", $%d", (int) i + 1);
		appendStringInfoChar(&text, ')');
		query = MemoryContextStrdup(TopMemoryContext, text.data);
	}
	gaussdp_ledger_run_prepared(&plan, query, lengthof(columns), types, row->values, row->nulls);
}

/* The accounts that have paid: two have columns of their own, since hardly ever there are more. */
static void
set_accounts(Row *row, List *accounts)
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
			set(row, is_population ? POPULATION : ACCOUNT, Int32GetDatum(account->number));
			set(row, is_population ? POPULATION_TERM : ACCOUNT_TERM, Int32GetDatum(account->term));
			has_role |= !is_population;
			continue;
		}
		more[n++] = Int32GetDatum(account->number);
		more[n++] = Int32GetDatum(account->term);
	}
	if (n > 0)
		set(row, MORE_ACCOUNTS,
			PointerGetDatum(construct_array(more, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
}

static void
set_payment(Row *row, const GaussdpPayment *payment)
{
	set(row, QUERIES, Int32GetDatum(payment->queries));
	set(row, MU2, Int64GetDatum(payment->mu2));
	if (payment->threshold_delta > 0)
		set(row, THRESHOLD_DELTA, Int64GetDatum(payment->threshold_delta));
	set(row, RELEASES, PointerGetDatum(payment->releases));
	set_accounts(row, payment->accounts);
}

static int64
next_number(void)
{
	return nextval_internal(
		get_relname_relid("journal_number", get_namespace_oid("gaussdp_internal", false)), false);
}

/* Writes a row, and returns its number. */
static int64
write_row(const GaussdpJournalEntry *entry)
{
	int64 number = next_number();
	Row row;

	memset(row.nulls, 'n', sizeof(row.nulls));
	set(&row, CHARGE, Int64GetDatum(number));
	set_text(&row, EVENT, entry->event);
	set_text(&row, SESSION_ROLE, entry->session_role);
	set_text(&row, ROLE, entry->role);
	set_text(&row, PEOPLE, entry->table->population.people);
	set(&row, RELATION, ObjectIdGetDatum(entry->table->relid));
	set_text(&row, RELATION_NAME, gaussdp_relation_name(entry->table->relid));
	if (entry->payment != NULL)
		set_payment(&row, entry->payment);
	if (entry->query_id != 0)
		set(&row, QUERY_ID, Int64GetDatum((int64) entry->query_id));
	set_text(&row, QUERY_TEXT, entry->text);
	set_text(&row, TERMS, entry->terms);
	insert(&row);
	return number;
}

void
gaussdp_journal(const GaussdpJournalEntry *entry)
{
	(void) write_row(entry);
}

/* ---------------------------------------------------------------------------
 * Charges
 * ---------------------------------------------------------------------------
 */

/* A row that is to be written. */
typedef struct ChargeRow
{
	GaussdpQueryDigest digest;
	const GaussdpCharge *charge;
	const GaussdpLedgerTable *table;
	GaussdpPayment payment;
} ChargeRow;

void
gaussdp_journal_charge(List **rows, const GaussdpCharge *charge, const GaussdpLedgerTable *table,
					   const GaussdpPayment *payment)
{
	ChargeRow *row;
	GaussdpQueryDigest digest = gaussdp_digest_query(charge, table, payment);
	ListCell *cell;

	foreach (cell, *rows)
	{
		row = lfirst(cell);
		if (memcmp(&row->digest, &digest, sizeof(digest)) != 0)
			continue;
		row->payment.queries += payment->queries;
		row->payment.mu2 = gdp_spent_add(row->payment.mu2, payment->mu2);
		row->payment.threshold_delta =
			gdp_spent_add(row->payment.threshold_delta, payment->threshold_delta);
		return;
	}
	row = palloc(sizeof(ChargeRow));
	*row = (ChargeRow){.digest = digest, .charge = charge, .table = table, .payment = *payment};
	*rows = lappend(*rows, row);
}

/* Adds to a row of this second.  False: it is not there. */
static bool
add_to_row(int64 number, const GaussdpPayment *payment)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {INT8OID, INT4OID, INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(number), Int32GetDatum(payment->queries),
					  Int64GetDatum(payment->mu2), Int64GetDatum(payment->threshold_delta)};

	gaussdp_ledger_run_prepared(
		&plan,
		"UPDATE gaussdp_internal.journal_entry SET queries = queries + $2,"
		" mu2 = mu2 + $3, threshold_delta = nullif(coalesce(threshold_delta, 0) + $4, 0)"
		" WHERE charge = $1",
		4, types, values, NULL);
	return SPI_processed == 1;
}

static void
write_charge(const ChargeRow *row)
{
	const GaussdpCharge *charge = row->charge;
	GaussdpRecentQuery *recent = gaussdp_recent_query(&row->digest);
	GaussdpJournalEntry entry = {
		.event = "charge",
		.session_role = gaussdp_role_name(charge->session_role),
		.role = gaussdp_role_name(charge->role),
		.table = row->table,
		.payment = &row->payment,
		.query_id = charge->query_id,
		.text = charge->text[0] != '\0' ? charge->text : NULL,
	};
	int64 number;

	if (recent != NULL && recent->rows >= GAUSSDP_ROWS_OF_EQUAL_QUERIES &&
		add_to_row(recent->charge, &row->payment))
		return;
	number = write_row(&entry);
	if (recent != NULL)
	{
		recent->rows++;
		recent->charge = number;
	}
}

void
gaussdp_write_charges(List *rows)
{
	ListCell *cell;

	foreach (cell, rows)
		write_charge(lfirst(cell));
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
