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
	bool changed;
} GaussdpAccount;

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
