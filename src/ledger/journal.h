/*
 * journal.h
 *		The journal: what was charged, what owners did, and what happened to budgets by itself.
 *		Private to ledger/, within the ledger's rights.
 */
#ifndef GAUSSDP_LEDGER_JOURNAL_H
#define GAUSSDP_LEDGER_JOURNAL_H

#include "postgres.h"

#include "accounts.h"
#include "queue.h"

/* What a table's releases cost, and who has paid. */
typedef struct GaussdpPayment
{
	int queries; /* that are equal and were charged at once: the amounts are those of all */
	int64 mu2;   /* the sum of the releases, or the least price of a query */
	int64 threshold_delta;
	bytea *releases; /* packed, see releases.h */
	List *accounts;  /* of GaussdpAccount */
} GaussdpPayment;

/* One row. */
typedef struct GaussdpJournalEntry
{
	const char *event;        /* charge, grant, revoke, limit, reset, resume, close, suspend */
	const char *session_role; /* who logged in; empty: nobody did */
	const char *role;         /* whom it is about; empty: the population */
	const GaussdpLedgerTable *table;
	const GaussdpPayment *payment; /* of a charge; else NULL */
	uint64 query_id;               /* 0: not known */
	const char *text;              /* of the query; NULL: not kept */
	const char *terms;             /* of a budget, why, or that nothing was drawn; may be NULL */
} GaussdpJournalEntry;

/* Writes a row under a number of its own. */
extern void gaussdp_journal(const GaussdpJournalEntry *entry);

/* Puts the row of a charge over one of its tables among those that are to be written, where equal ones become one. */
extern void gaussdp_journal_charge(List **rows, const GaussdpCharge *charge,
								   const GaussdpLedgerTable *table, const GaussdpPayment *payment);

/* Writes them. */
extern void gaussdp_write_charges(List *rows);

/* Before a grant or a limit: refuses a role that has filled the journal with them.  As the ledger's owner, over SPI. */
extern void gaussdp_check_acts(void);

/*
 * Writes what an owner did to the budget of a role (NULL: the population's), and tells all sessions and the
 * worker that budgets have changed.
 */
extern void gaussdp_journal_act(const char *event, const GaussdpLedgerTable *table,
								const char *role, const char *terms);

/* The name of a role; empty where it is gone. */
extern const char *gaussdp_role_name(Oid role);

/* The name of a table, with its schema; empty where there is no such relation. */
extern const char *gaussdp_relation_name(Oid relid);

#endif /* GAUSSDP_LEDGER_JOURNAL_H */
