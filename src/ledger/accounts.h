/*
 * accounts.h
 *		The accounts of a batch.  Private to ledger/, within the ledger's rights.
 */
#ifndef GAUSSDP_LEDGER_ACCOUNTS_H
#define GAUSSDP_LEDGER_ACCOUNTS_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "storage/itemptr.h"

#include "charged_roles.h"
#include "queue.h"

typedef struct GaussdpAccount
{
	GaussdpAccountKey key;
	bool locked;        /* by us; else somebody else has it, or it is not there */
	ItemPointerData at; /* if locked */
	const char *role_name;
	int64 limit_mu2; /* PG_INT64_MAX, which no sum exceeds: no limit */
	int64 limit_delta;
	int64 query_mu2;
	int64 period;
	int64 spent_mu2;
	int64 spent_delta;
	int32 number;
	int32 term; /* a new one begins where what is spent is zero again */
	bool is_new_term;
	bool changed;
	double delta;          /* at which its epsilon counts; 0: no limit */
	TimestampTz renews_at; /* DT_NOEND: never */
} GaussdpAccount;

/*
 * What a query costs at least: 2^-20 of the mu^2 that a grant allows in a period, rounded up.  So a period holds no more
 * than 2^20 rows of the journal from one grant.
 */
static inline int64
gaussdp_least_price(int64 limit_mu2)
{
	return limit_mu2 == PG_INT64_MAX ? 0 : (limit_mu2 + (INT64CONST(1) << 20) - 1) >> 20;
}

/* The account of a population with that holder, among those of the batch, to which it is added. */
extern GaussdpAccount *gaussdp_name_account(List **accounts, const GaussdpPopulation *population,
											char holder, Oid role);

/* Locks the accounts where they were last, and the others wherever they are; takes over what is in them. */
extern void gaussdp_lock_accounts(List *accounts);

/* How many whole periods have passed since then; 0 without a period (NULL). */
extern int64 gaussdp_period(TimestampTz since, const Interval *every);

/* Writes what has changed of the accounts. */
extern void gaussdp_write_accounts(List *accounts);

#endif /* GAUSSDP_LEDGER_ACCOUNTS_H */
