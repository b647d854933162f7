/*
 * batch.c
 *		Which accounts pay for a request, whether they can, and what is written.
 *
 * Runs in the worker's transaction, on the accounts of the batch (accounts.c) and the journal (journal.c).
 * What the worker remembers of who pays (charged_roles.c) says only where to look: what is there is read anew.
 *
 * Invariants
 *		A request is taken from all its accounts or from none.  Sums are compared with limits as integers.
 *		Nothing is taken of a statement that could not be paid as a whole.
 *		An account that another transaction has locked is not waited for: its requests are tried again.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "accounts.h"
#include "batch.h"
#include "charged_roles.h"
#include "closing.h"
#include "core/core.h"
#include "errors.h"
#include "journal.h"

/* What a request takes from an account, and what its statement does in all. */
typedef struct Amounts
{
	int64 mu2; /* now */
	int64 delta;
	int64 all_mu2; /* now and later: must be there, too */
	int64 all_delta;
	int64 statement_mu2; /* before, now and later: what the limit on a statement counts */
} Amounts;

typedef struct Share
{
	GaussdpAccount *account;
	Amounts cost;
} Share;

/* A role's name for a message; its OID where it was dropped while a session of it goes on. */
static const char *
name_of(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : psprintf("%u", role);
}

/* A table's name for a message; its OID where the worker cannot see it, as the session's open transaction made it. */
static const char *
name_of_table(Oid relid)
{
	char *name = get_rel_name(relid);

	return name ? name : psprintf("%u", relid);
}

static void
refuse(GaussdpRequest *request, int sqlstate, const char *message)
{
	request->verdict = GAUSSDP_VERDICT_REFUSED;
	request->sqlstate = sqlstate;
	request->suspended = false;
	strlcpy(request->message, message, sizeof(request->message));
}

/* Does the role have a budget for the table that is not suspended?  Else the request is refused. */
static bool
check_grant(GaussdpRequest *request, const GaussdpLedgerTable *table, List *roles, List *suspended)
{
	const char *role = name_of(request->charge->role);

	if (roles == NIL)
	{
		refuse(request, ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("role \"%s\" has no privacy budget for table \"%s\"", role,
						name_of_table(table->relid)));
		return false;
	}
	if (gaussdp_is_suspended(suspended, &table->population, request->charge->role))
	{
		refuse(request, ERRCODE_INSUFFICIENT_PRIVILEGE,
			   psprintf("the privacy budget of role \"%s\" for table \"%s\" is suspended", role,
						name_of_table(table->relid)));
		request->suspended = true;
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
add_share(List **shares, GaussdpAccount *account, const Amounts *cost)
{
	ListCell *cell;
	Share *share;

	foreach (cell, *shares)
	{
		share = lfirst(cell);
		if (share->account == account)
		{
			add_cost(&share->cost, cost);
			return;
		}
	}
	share = palloc(sizeof(Share));
	share->account = account;
	share->cost = *cost;
	*shares = lappend(*shares, share);
}

/* What table number t costs. */
static Amounts
cost_of(const GaussdpCharge *charge, int t)
{
	const GaussdpLedgerRest *rest = &charge->rest[t];
	Amounts cost = {0};

	for (int i = 0; i < charge->nreleases; i++)
		if (charge->releases[i].relid == charge->tables[t].relid)
		{
			cost.mu2 = gdp_spent_add(cost.mu2, charge->releases[i].mu2);
			cost.delta = gdp_spent_add(cost.delta, charge->releases[i].threshold_delta);
		}
	cost.all_mu2 = gdp_spent_add(cost.mu2, rest->later_mu2);
	cost.all_delta = gdp_spent_add(cost.delta, rest->later_delta);
	cost.statement_mu2 = gdp_spent_add(cost.all_mu2, rest->before_mu2);
	return cost;
}

/* What the request takes, account by account; NIL with the verdict set where no account applies. */
static List *
find_shares(List **accounts, GaussdpRequest *request, List *suspended)
{
	GaussdpCharge *charge = request->charge;
	List *shares = NIL;

	for (int t = 0; t < charge->ntables; t++)
	{
		GaussdpLedgerTable *table = &charge->tables[t];
		List *roles = gaussdp_charged_roles(&table->population, charge->role);
		Amounts cost = cost_of(charge, t);
		ListCell *cell;

		if (!check_grant(request, table, roles, suspended))
			return NIL;
		foreach (cell, roles)
			add_share(&shares,
					  gaussdp_name_account(accounts, &table->population, 'r', lfirst_oid(cell)),
					  &cost);
		add_share(&shares, gaussdp_name_account(accounts, &table->population, 'p', InvalidOid),
				  &cost);
	}
	return shares;
}

static const char *
exhausted(const GaussdpAccountKey *key)
{
	if (key->holder == 'p')
		return "the privacy budget of the population does not suffice for this query";
	if (key->role == InvalidOid)
		return "the privacy budget of PUBLIC does not suffice for this query";
	return psprintf("the privacy budget of role \"%s\" does not suffice for this query",
					name_of(key->role));
}

static void
decide(GaussdpRequest *request, List *shares)
{
	ListCell *cell;

	foreach (cell, shares)
	{
		Share *share = lfirst(cell);
		GaussdpAccount *account = share->account;

		if (!account->locked)
		{
			request->verdict = GAUSSDP_VERDICT_RETRY;
			/* Somebody else has locked it, or it is granted no more and another account pays. */
			gaussdp_forget_charged_roles();
			return;
		}
		if (share->cost.statement_mu2 > account->query_mu2)
		{
			refuse(request, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   "the query costs more than max_epsilon_per_query allows");
			return;
		}
		if (gdp_spent_add(account->spent_mu2, share->cost.all_mu2) > account->limit_mu2 ||
			gdp_spent_add(account->spent_delta, share->cost.all_delta) > account->limit_delta)
		{
			refuse(request, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, exhausted(&account->key));
			return;
		}
	}
	foreach (cell, shares)
	{
		Share *share = lfirst(cell);

		share->account->spent_mu2 = gdp_spent_add(share->account->spent_mu2, share->cost.mu2);
		share->account->spent_delta = gdp_spent_add(share->account->spent_delta, share->cost.delta);
		share->account->changed |= share->cost.mu2 > 0;
	}
	request->verdict = GAUSSDP_VERDICT_CHARGED;
}

static bool roles_changed = true;
static bool some_unclosed =
	false; /* kept until a batch finds none, since a transaction that closed some may have failed */

static void
note_role_change(Datum arg, int cache, uint32 hash)
{
	roles_changed = true;
}

/* Roles may be dropped in another database.  A new role that gets such an OID again must not find a budget. */
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
find_suspended(const GaussdpRequest *requests, int nrequests)
{
	List *roles = NIL;

	for (int i = 0; i < nrequests; i++)
		roles = list_append_unique_oid(roles, requests[i].charge->role);
	return gaussdp_suspended(roles);
}

int
gaussdp_ledger_decide(GaussdpRequest *requests, int nrequests)
{
	List *accounts = NIL;
	List **shares = palloc(nrequests * sizeof(List *));
	List *suspended;
	int charged = 0;

	close_roles();
	suspended = find_suspended(requests, nrequests);
	for (int i = 0; i < nrequests; i++)
		shares[i] = find_shares(&accounts, &requests[i], suspended);
	gaussdp_lock_accounts(accounts);
	for (int i = 0; i < nrequests; i++)
		if (shares[i] != NIL)
			decide(&requests[i], shares[i]);
	gaussdp_write_accounts(accounts);
	for (int i = 0; i < nrequests; i++)
		if (requests[i].verdict == GAUSSDP_VERDICT_CHARGED)
		{
			gaussdp_journal_charge(requests[i].charge);
			charged++;
		}
	return charged;
}
