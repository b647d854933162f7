/*
 * batch.c
 *		Which pots pay for a request, whether they can, and what is written.
 *
 * Runs in the worker's transaction, over SPI, on the pots of the batch (pots.c) and gaussdp_internal.journal_entry.
 * What the worker remembers of who pays (payers.c) says only where to look: what is there is read anew.
 *
 * Invariants
 *		A request is taken from all its pots or from none.  Sums are compared with limits as integers.
 *		Nothing is taken of a statement that could not be paid as a whole.
 *		A pot that another transaction has locked is not waited for: its requests are tried again.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "batch.h"
#include "core/core.h"
#include "errors.h"
#include "payers.h"
#include "population.h"
#include "pots.h"

/* What a request takes from a pot, and what its statement does in all. */
typedef struct Amounts
{
	int64 mu2; /* now */
	int64 delta;
	int64 all_mu2; /* now and later: must be there, too */
	int64 all_delta;
	int64 statement_mu2; /* before, now and later: what the cap on a statement counts */
} Amounts;

typedef struct Share
{
	GaussdpPot *pot;
	Amounts cost;
} Share;

static const char journal_query[] =
	"INSERT INTO gaussdp_internal.journal_entry (charge, item, at, event, session_role, role, "
	"people,"
	" relation, relation_name, kind, l2_sensitivity, sigma, mu2, threshold_delta, query_id,"
	" query_text) VALUES ($1, $2, clock_timestamp(), 'charge', $3, $4, $5, $6, $7, $8, $9, $10,"
	" $11, $12, $13, $14)";

/* A role's name for a message; sessions of a dropped role may live on. */
static const char *
name_of(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : psprintf("%u", role);
}

/* The worker does not see one that the session's open transaction has made. */
static const char *
name_of_table(Oid relid)
{
	char *name = get_rel_name(relid);

	return name ? name : psprintf("%u", relid);
}

static void
refuse(GaussdpTicket *ticket, int sqlstate, const char *message)
{
	ticket->verdict = GAUSSDP_VERDICT_REFUSED;
	ticket->sqlstate = sqlstate;
	ticket->suspended = false;
	strlcpy(ticket->message, message, sizeof(ticket->message));
}

/* May that role be charged for that table?  Else it is refused. */
static bool
check_grant(GaussdpTicket *ticket, const GaussdpLedgerTable *table, List *payers, List *suspended)
{
	const char *role = name_of(ticket->request->role);

	if (payers == NIL)
	{
		refuse(ticket, ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("role \"%s\" has no privacy budget for table \"%s\"", role,
						name_of_table(table->relid)));
		return false;
	}
	if (gaussdp_is_suspended(suspended, table, ticket->request->role))
	{
		refuse(ticket, ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("the privacy budget of role \"%s\" for table \"%s\" is suspended", role,
						name_of_table(table->relid)));
		ticket->suspended = true;
		return false;
	}
	return true;
}

static void
add_cost(Amounts *sum, const Amounts *cost)
{
	sum->mu2 = gdp_spent_add(sum->mu2, cost->mu2);
	sum->delta = gdp_spent_add(sum->delta, cost->delta);
	sum->all_mu2 = gdp_spent_add(sum->all_mu2, cost->all_mu2);
	sum->all_delta = gdp_spent_add(sum->all_delta, cost->all_delta);
	sum->statement_mu2 = gdp_spent_add(sum->statement_mu2, cost->statement_mu2);
}

static void
add_share(List **shares, GaussdpPot *pot, const Amounts *cost)
{
	ListCell *cell;
	Share *share;

	foreach (cell, *shares)
	{
		share = lfirst(cell);
		if (share->pot == pot)
		{
			add_cost(&share->cost, cost);
			return;
		}
	}
	share = palloc(sizeof(Share));
	share->pot = pot;
	share->cost = *cost;
	*shares = lappend(*shares, share);
}

/* What table number t costs. */
static Amounts
cost_of(const GaussdpLedgerRequest *request, int t)
{
	const GaussdpLedgerRest *rest = &request->rest[t];
	Amounts cost = {0};

	for (int i = 0; i < request->nreleases; i++)
		if (request->releases[i].table == t)
		{
			cost.mu2 = gdp_spent_add(cost.mu2, request->releases[i].mu2);
			cost.delta = gdp_spent_add(cost.delta, request->releases[i].threshold_delta);
		}
	cost.all_mu2 = gdp_spent_add(cost.mu2, rest->later_mu2);
	cost.all_delta = gdp_spent_add(cost.delta, rest->later_delta);
	cost.statement_mu2 = gdp_spent_add(cost.all_mu2, rest->before_mu2);
	return cost;
}

/* What the request takes, pot by pot; NIL with the verdict set where no pot applies. */
static List *
find_shares(List **pots, GaussdpTicket *ticket, List *suspended)
{
	GaussdpLedgerRequest *request = ticket->request;
	List *shares = NIL;

	for (int t = 0; t < request->ntables; t++)
	{
		GaussdpLedgerTable *table = &request->tables[t];
		List *roles = gaussdp_payers(table, request->role);
		Amounts cost = cost_of(request, t);
		ListCell *cell;

		if (!check_grant(ticket, table, roles, suspended))
			return NIL;
		foreach (cell, roles)
			add_share(&shares, gaussdp_name_pot(pots, table, 'r', lfirst_oid(cell)), &cost);
		add_share(&shares, gaussdp_name_pot(pots, table, 'p', InvalidOid), &cost);
	}
	return shares;
}

static void
decide(GaussdpTicket *ticket, List *shares)
{
	ListCell *cell;

	foreach (cell, shares)
	{
		Share *share = lfirst(cell);
		GaussdpPot *pot = share->pot;

		if (!pot->locked)
		{
			ticket->verdict = GAUSSDP_VERDICT_RETRY;
			gaussdp_forget_payers(); /* or does another pot pay now? */
			return;
		}
		if (share->cost.statement_mu2 > pot->query_mu2)
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   "the query costs more than max_epsilon_per_query allows");
			return;
		}
		if (gdp_spent_add(pot->spent_mu2, share->cost.all_mu2) > pot->limit_mu2 ||
			gdp_spent_add(pot->spent_delta, share->cost.all_delta) > pot->limit_delta)
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   psprintf("the privacy budget of %s does not suffice for this query",
							pot->key.holder == 'p'        ? "the population"
							: pot->key.role == InvalidOid ? "PUBLIC"
														  : name_of(pot->key.role)));
			return;
		}
	}
	foreach (cell, shares)
	{
		Share *share = lfirst(cell);

		share->pot->spent_mu2 = gdp_spent_add(share->pot->spent_mu2, share->cost.mu2);
		share->pot->spent_delta = gdp_spent_add(share->pot->spent_delta, share->cost.delta);
		share->pot->changed |= share->cost.mu2 > 0;
	}
	ticket->verdict = GAUSSDP_VERDICT_CHARGED;
}

static Datum
role_name(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return CStringGetTextDatum(name ? name : "");
}

static void
write_journal(const GaussdpLedgerRequest *request)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {INT8OID, INT4OID,   TEXTOID,   TEXTOID, TEXTOID, REGCLASSOID, TEXTOID,
				   TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, INT8OID, INT8OID,     TEXTOID};
	Oid sequence =
		get_relname_relid("journal_number", get_namespace_oid("gaussdp_internal", false));
	int64 charge = nextval_internal(sequence, false);
	bool has_text = request->text[0] != '\0';

	for (int i = 0; i < request->nreleases; i++)
	{
		const GaussdpLedgerRelease *release = &request->releases[i];
		const GaussdpLedgerTable *table = &request->tables[release->table];
		Datum values[] = {Int64GetDatum(charge),
						  Int32GetDatum(i + 1),
						  role_name(request->session_role),
						  role_name(request->role),
						  CStringGetTextDatum(table->people),
						  ObjectIdGetDatum(table->relid),
						  CStringGetTextDatum(gaussdp_relation_name(table->relid)),
						  CStringGetTextDatum(release->kind),
						  Float8GetDatum(release->l2_sensitivity),
						  Float8GetDatum(release->sigma),
						  Int64GetDatum(release->mu2),
						  Int64GetDatum(release->threshold_delta),
						  Int64GetDatum((int64) request->query_id),
						  has_text ? CStringGetTextDatum(request->text) : (Datum) 0};

		gaussdp_ledger_run_prepared(&plan, journal_query, 14, types, values,
									has_text ? NULL : "             n");
	}
}

static bool roles_changed = true;
static bool some_unclosed = false; /* until a batch finds none: the last may not have committed */

static void
note_role_change(Datum arg, int cache, uint32 hash)
{
	roles_changed = true;
}

/* Roles may be dropped in another database: whoever gets such an OID again shall find no budget. */
static void
close_roles(void)
{
	static bool is_registered = false;

	if (!is_registered)
		CacheRegisterSyscacheCallback(AUTHOID, note_role_change, (Datum) 0);
	is_registered = true;
	some_unclosed |= roles_changed;
	roles_changed = false;
	if (some_unclosed)
		some_unclosed = gaussdp_close_roles(InvalidOid);
}

static List *
find_suspended(const GaussdpTicket *tickets, int ntickets)
{
	List *roles = NIL;

	for (int i = 0; i < ntickets; i++)
		roles = list_append_unique_oid(roles, tickets[i].request->role);
	return gaussdp_suspended(roles);
}

int
gaussdp_ledger_decide(GaussdpTicket *tickets, int ntickets)
{
	List *pots = NIL;
	List **shares = palloc(ntickets * sizeof(List *));
	List *suspended;
	int charged = 0;

	close_roles();
	suspended = find_suspended(tickets, ntickets);
	for (int i = 0; i < ntickets; i++)
		shares[i] = find_shares(&pots, &tickets[i], suspended);
	gaussdp_lock_pots(pots);
	for (int i = 0; i < ntickets; i++)
		if (shares[i] != NIL)
			decide(&tickets[i], shares[i]);
	gaussdp_write_pots(pots);
	for (int i = 0; i < ntickets; i++)
		if (tickets[i].verdict == GAUSSDP_VERDICT_CHARGED)
		{
			write_journal(tickets[i].request);
			charged++;
		}
	return charged;
}
