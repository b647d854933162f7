/*
 * journal.c
 *		The journal: the one place that adds rows to gaussdp_internal.journal_entry.
 *
 * Runs over SPI, in the worker's transaction for charges and suspensions, in the owner's for what owners do.
 * Nothing changes or removes a row, but that a dropped table's OID is forgotten (closing.c).
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

#include "journal.h"
#include "rights.h"

typedef enum Column
{
	CHARGE,
	MU2,
	THRESHOLD_DELTA,
	QUERY_ID,
	RELATION,
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
	set(row, MU2, Int64GetDatum(payment->mu2));
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

void
gaussdp_journal(const GaussdpJournalEntry *entry)
{
	Row row;

	memset(row.nulls, 'n', sizeof(row.nulls));
	set(&row, CHARGE, Int64GetDatum(next_number()));
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
}

void
gaussdp_journal_charge(const GaussdpCharge *charge, const GaussdpLedgerTable *table,
					   const GaussdpPayment *payment)
{
	GaussdpJournalEntry entry = {
		.event = "charge",
		.session_role = gaussdp_role_name(charge->session_role),
		.role = gaussdp_role_name(charge->role),
		.table = table,
		.payment = payment,
		.query_id = charge->query_id,
		.text = charge->text[0] != '\0' ? charge->text : NULL,
	};

	gaussdp_journal(&entry);
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
