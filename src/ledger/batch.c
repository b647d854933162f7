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

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "accounts.h"
#include "batch.h"
#include "charged_roles.h"
#include "closing.h"
#include "core/core.h"
#include "errors.h"
#include "journal.h"
#include "kept.h"
#include "pause.h"
#include "publication.h"
#include "releases.h"
#include "report.h"

/* What a request takes from an account, and what its statement does in all. */
typedef struct Amounts
{
	int64 mu2; /* now */
	int64 delta;
	int64 all_mu2; /* now and later: must be there, too */
	int64 all_delta;
	int64 statement_mu2; /* before, now and later: what the limit on a statement counts */
} Amounts;

/* An account that pays for a table of a request. */
typedef struct Share
{
	GaussdpAccount *account;
	int table;
} Share;

/* What a request takes from an account, over all of its tables. */
typedef struct Sum
{
	GaussdpAccount *account;
	Amounts cost;
} Sum;

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
refuse(GaussdpRequest *request, GaussdpOutcome outcome, const char *message)
{
	bool has_no_right = outcome == GAUSSDP_OUTCOME_NO_BUDGET ||
						outcome == GAUSSDP_OUTCOME_SUSPENDED || outcome == GAUSSDP_OUTCOME_PAUSED;

	request->verdict = GAUSSDP_VERDICT_REFUSED;
	request->sqlstate =
		has_no_right ? ERRCODE_INSUFFICIENT_PRIVILEGE : ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
	request->outcome = outcome;
	strlcpy(request->message, message, sizeof(request->message));
	request->detail[0] = request->hint[0] = '\0';
}

/* A number for a message: a cost rounded up, what is left rounded down, so that what fits by the message fits. */
static const char *
digits(double x, bool up)
{
	return psprintf("%.3g", gaussdp_three_digits(x, up ? GAUSSDP_ROUND_UP : GAUSSDP_ROUND_DOWN));
}

static double
epsilon_of(int64 mu2, double delta)
{
	double epsilon = 0;

	if (mu2 > 0 && gdp_profile_epsilon(gdp_mu2_mu_up(mu2), delta, &epsilon) != GDP_OK)
		return INFINITY;
	return epsilon;
}

static const char *
renewal(const GaussdpAccount *account)
{
	TimestampTz at = account->renews_at;

	if (TIMESTAMP_IS_NOEND(at))
		return "";
	at += USECS_PER_SEC - 1 - (at + USECS_PER_SEC - 1) % USECS_PER_SEC;
	return psprintf(" until %s", timestamptz_to_str(at));
}

/* The detail and the hint of a refusal: what the query costs, what is left, and what would fit. */
static void
tell_price(GaussdpRequest *request, const GaussdpAccount *account, int64 cost, int64 left,
		   const char *what_is_left)
{
	snprintf(request->detail, sizeof(request->detail),
			 "The query costs epsilon %s at delta %g, and %s %s.",
			 digits(epsilon_of(cost, account->delta), true), account->delta,
			 digits(epsilon_of(left, account->delta), false), what_is_left);
	if (left >= Max(gaussdp_least_price(account->limit_mu2), INT64CONST(1) << 20))
		snprintf(request->hint, sizeof(request->hint), "Epsilon %s at delta %g fits.",
				 digits(epsilon_of(left, account->delta), false), account->delta);
}

/*
 * What fits in place of thresholds that cost too much: halves of deltas in dp_keep_group; a number of rows that is not reached in
 * HAVING; no threshold.
 */
static const char *
what_fits(const GaussdpCharge *charge, int64 left)
{
	int thresholds = 0;
	const char *delta;

	for (int i = 0; i < charge->nreleases; i++)
	{
		if (charge->releases[i].threshold_delta == 0)
			continue;
		if (strcmp(charge->releases[i].kind, "dp_keep_group") != 0)
			return "A dp_count that is compared with a larger number costs less.";
		thresholds++;
	}
	for (int t = 0; t < charge->ntables; t++)
		thresholds += charge->rest[t].later_delta > 0 ? charge->rest[t].later_releases : 0;
	if (left < Max(thresholds, 1))
		return "Public group keys need no threshold: gaussdp.column_bounds shows key tables.";
	delta = digits(2 * gdp_delta_of(left / Max(thresholds, 1)), false);
	return psprintf("A delta of %s in dp_keep_group fits, or SET gaussdp.delta = %s.", delta,
					delta);
}

/* The same of the delta that group thresholds cost. */
static void
tell_threshold(GaussdpRequest *request, const GaussdpAccount *account, int64 cost, int64 left)
{
	snprintf(request->detail, sizeof(request->detail),
			 "The group thresholds of the query cost a delta of %s, and %s is left%s.",
			 digits(gdp_delta_of(cost), true), digits(gdp_delta_of(left), false), renewal(account));
	strlcpy(request->hint, what_fits(request->charge, left), sizeof(request->hint));
}

/* Does the role have a budget for the table that is not suspended?  Else the request is refused. */
static bool
check_grant(GaussdpRequest *request, const GaussdpLedgerTable *table, List *roles, List *suspended)
{
	const char *role = name_of(request->charge->role);

	if (roles == NIL)
	{
		refuse(request, GAUSSDP_OUTCOME_NO_BUDGET,
			   psprintf("role \"%s\" has no privacy budget for table \"%s\"", role,
						name_of_table(table->relid)));
		return false;
	}
	if (gaussdp_is_suspended(suspended, &table->population, request->charge->role))
	{
		refuse(request, GAUSSDP_OUTCOME_SUSPENDED,
			   psprintf("the privacy budget of role \"%s\" for table \"%s\" is suspended", role,
						name_of_table(table->relid)));
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
add_to_sum(List **sums, GaussdpAccount *account, const Amounts *cost)
{
	ListCell *cell;
	Sum *sum;

	foreach (cell, *sums)
	{
		sum = lfirst(cell);
		if (sum->account == account)
		{
			add_cost(&sum->cost, cost);
			return;
		}
	}
	sum = palloc(sizeof(Sum));
	sum->account = account;
	sum->cost = *cost;
	*sums = lappend(*sums, sum);
}

static void
add_share(List **shares, int table, GaussdpAccount *account)
{
	Share *share = palloc(sizeof(Share));

	share->account = account;
	share->table = table;
	*shares = lappend(*shares, share);
}

/* The least price of a query over table number t, by the grants that pay for it. */
static int64
least_price(List *shares, int t)
{
	int64 least = 0;
	ListCell *cell;

	foreach (cell, shares)
	{
		const Share *share = lfirst(cell);

		if (share->table == t && share->account->key.holder == 'r')
			least = Max(least, gaussdp_least_price(share->account->limit_mu2));
	}
	return least;
}

/*
 * What table number t costs.  Which later releases are of one level is not known here: where one of them alone costs less
 * than a query has to, each is taken for a query of its own.  is_paid: what is charged now has been paid before.
 */
static Amounts
cost_of(const GaussdpCharge *charge, int t, int64 least, bool is_paid)
{
	const GaussdpLedgerRest *rest = &charge->rest[t];
	Amounts cost = {0};
	int64 mu2 = 0;

	for (int i = 0; i < charge->nreleases && !is_paid; i++)
		if (charge->releases[i].relid == charge->tables[t].relid)
		{
			mu2 = gdp_spent_add(mu2, charge->releases[i].mu2);
			cost.delta = gdp_spent_add(cost.delta, charge->releases[i].threshold_delta);
		}
	cost.mu2 = mu2 > 0 ? Max(mu2, least) : 0;
	cost.all_mu2 = gdp_spent_add(cost.mu2, rest->later_mu2);
	for (int i = 0; i < rest->later_releases && rest->later_least < least; i++)
		cost.all_mu2 = gdp_spent_add(cost.all_mu2, least);
	cost.all_delta = gdp_spent_add(cost.delta, rest->later_delta);
	cost.statement_mu2 = gdp_spent_add(mu2, gdp_spent_add(rest->later_mu2, rest->before_mu2));
	return cost;
}

/* Who pays for which table; NIL with the verdict set where no account applies. */
static List *
find_shares(List **accounts, GaussdpRequest *request, List *suspended)
{
	GaussdpCharge *charge = request->charge;
	List *shares = NIL;

	for (int t = 0; t < charge->ntables; t++)
	{
		GaussdpLedgerTable *table = &charge->tables[t];
		List *roles = gaussdp_charged_roles(&table->population, charge->role);
		ListCell *cell;

		if (!check_grant(request, table, roles, suspended))
			return NIL;
		foreach (cell, roles)
			add_share(&shares, t,
					  gaussdp_name_account(accounts, &table->population, 'r', lfirst_oid(cell)));
		add_share(&shares, t, gaussdp_name_account(accounts, &table->population, 'p', InvalidOid));
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

/* Has the account paid for the answer in its present term? */
static bool
has_paid(const GaussdpRequest *request, const GaussdpAccount *account)
{
	ListCell *cell;

	foreach (cell, request->before)
	{
		const GaussdpPaid *paid = lfirst(cell);

		if (paid->number == account->number && paid->term == account->term)
			return true;
	}
	return false;
}

/* What each account is to pay, in the order in which refusals name them; NIL where one could not be locked. */
static List *
sums_of(const GaussdpRequest *request, List *shares)
{
	List *sums = NIL;
	ListCell *cell;

	foreach (cell, shares)
	{
		const Share *share = lfirst(cell);

		if (!share->account->locked)
			return NIL;
	}
	foreach (cell, shares)
	{
		const Share *share = lfirst(cell);
		Amounts cost = cost_of(request->charge, share->table, least_price(shares, share->table),
							   has_paid(request, share->account));

		add_to_sum(&sums, share->account, &cost);
	}
	return sums;
}

/* Is there enough for all of the statement in every account?  Else the request is refused. */
static bool
check_sums(GaussdpRequest *request, List *sums)
{
	ListCell *cell;

	foreach (cell, sums)
	{
		const Sum *sum = lfirst(cell);
		const GaussdpAccount *account = sum->account;

		if (sum->cost.all_mu2 == 0 && sum->cost.all_delta == 0)
			continue;
		if (sum->cost.statement_mu2 > account->query_mu2)
		{
			refuse(request, GAUSSDP_OUTCOME_QUERY_LIMIT,
				   "the query costs more than max_epsilon_per_query allows");
			tell_price(request, account, sum->cost.statement_mu2, account->query_mu2, "is allowed");
			return false;
		}
		if (gdp_spent_add(account->spent_mu2, sum->cost.all_mu2) > account->limit_mu2)
		{
			refuse(request, GAUSSDP_OUTCOME_EXHAUSTED, exhausted(&account->key));
			tell_price(request, account, sum->cost.all_mu2,
					   Max(account->limit_mu2 - account->spent_mu2, 0),
					   psprintf("is left%s", renewal(account)));
			return false;
		}
		if (gdp_spent_add(account->spent_delta, sum->cost.all_delta) > account->limit_delta)
		{
			refuse(request, GAUSSDP_OUTCOME_THRESHOLDS, exhausted(&account->key));
			tell_threshold(request, account, sum->cost.all_delta,
						   Max(account->limit_delta - account->spent_delta, 0));
			return false;
		}
	}
	return true;
}

/* Are more than four fifths spent? */
static bool
is_low(int64 spent, int64 limit)
{
	return limit != PG_INT64_MAX && limit - spent < limit / 5;
}

/* Who pays now, for an answer that may be kept. */
static void
note_paid(GaussdpRequest *request, List *sums)
{
	ListCell *cell;

	request->npaid = 0;
	foreach (cell, sums)
	{
		const Sum *sum = lfirst(cell);

		if (sum->cost.mu2 == 0)
			continue;
		if (request->npaid == GAUSSDP_MAX_PAID)
		{
			request->npaid = 0;
			return;
		}
		request->paid[request->npaid++] = (GaussdpPaid){sum->account->number, sum->account->term};
	}
}

static void
decide(GaussdpRequest *request, List *shares)
{
	List *sums = sums_of(request, shares);
	ListCell *cell;

	if (sums == NIL)
	{
		request->verdict = GAUSSDP_VERDICT_RETRY;
		/* Somebody else has locked an account, or it is granted no more and another one pays. */
		gaussdp_forget_charged_roles();
		return;
	}
	if (!check_sums(request, sums))
		return;
	if (request->charge->only_asks)
	{
		refuse(request, GAUSSDP_OUTCOME_CHARGED, "");
		return;
	}
	request->is_low = false;
	note_paid(request, sums);
	foreach (cell, sums)
	{
		const Sum *sum = lfirst(cell);
		GaussdpAccount *account = sum->account;

		account->spent_mu2 = gdp_spent_add(account->spent_mu2, sum->cost.mu2);
		account->spent_delta = gdp_spent_add(account->spent_delta, sum->cost.delta);
		account->changed |= sum->cost.mu2 > 0;
		request->is_low |= is_low(account->spent_mu2, account->limit_mu2) ||
						   is_low(account->spent_delta, account->limit_delta);
	}
	request->verdict = GAUSSDP_VERDICT_CHARGED;
}

/* What this request has paid for is paid for in later ones of the batch for the same answer, too. */
static void
tell_others(GaussdpRequest *request, GaussdpRequest *end)
{
	const GaussdpCharge *charge = request->charge;

	if (charge->drawn == 0 || request->verdict != GAUSSDP_VERDICT_CHARGED)
		return;
	for (GaussdpRequest *other = request + 1; other < end; other++)
	{
		if (other->charge->drawn != charge->drawn || other->charge->asker != charge->asker ||
			memcmp(&other->charge->key, &charge->key, sizeof(charge->key)) != 0)
			continue;
		for (int i = 0; i < request->npaid; i++)
			other->before = lappend(other->before, &request->paid[i]);
	}
}

/* The rows of the journal: one for each table that was charged, which is the level's one; of the accounts that pay. */
static void
journal_request(List **rows, const GaussdpRequest *request, List *shares)
{
	const GaussdpCharge *charge = request->charge;

	for (int t = 0; t < charge->ntables; t++)
	{
		Amounts cost = cost_of(charge, t, least_price(shares, t), false);
		GaussdpPayment payment = {.queries = 1, .mu2 = cost.mu2, .threshold_delta = cost.delta};
		ListCell *cell;

		payment.releases = gaussdp_pack_releases(charge, charge->tables[t].relid);
		if (payment.releases == NULL)
			continue;
		foreach (cell, shares)
		{
			const Share *share = lfirst(cell);

			if (share->table == t && !has_paid(request, share->account))
				payment.accounts = lappend(payment.accounts, share->account);
		}
		if (payment.accounts != NIL)
			gaussdp_journal_charge(rows, charge, &charge->tables[t], &payment);
	}
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
	List *rows = NIL;
	int charged = 0;

	close_roles();
	if (gaussdp_answers_are_paused())
	{
		for (int i = 0; i < nrequests; i++)
		{
			refuse(&requests[i], GAUSSDP_OUTCOME_PAUSED, GAUSSDP_PAUSED);
			strlcpy(requests[i].hint, GAUSSDP_PAUSED_HINT, sizeof(requests[i].hint));
		}
		return 0;
	}
	suspended = find_suspended(requests, nrequests);
	for (int i = 0; i < nrequests; i++)
	{
		requests[i].before = gaussdp_paid_before(requests[i].charge);
		shares[i] =
			requests[i].charge->kept != 0 ? NIL : find_shares(&accounts, &requests[i], suspended);
	}
	gaussdp_lock_accounts(accounts);
	for (int i = 0; i < nrequests; i++)
		if (shares[i] != NIL)
		{
			decide(&requests[i], shares[i]);
			tell_others(&requests[i], &requests[nrequests]);
		}
	gaussdp_write_accounts(accounts);
	for (int i = 0; i < nrequests; i++)
		gaussdp_write_kept(&requests[i]);
	for (int i = 0; i < nrequests; i++)
		if (requests[i].verdict == GAUSSDP_VERDICT_CHARGED)
		{
			journal_request(&rows, &requests[i], shares[i]);
			gaussdp_note_charge_of(requests[i].charge);
			charged++;
		}
	gaussdp_write_charges(rows);
	return charged;
}
