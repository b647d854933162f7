/*
 * pots.h
 *		The pots of a batch.  Private to ledger/, within the ledger's rights.
 */
#ifndef GAUSSDP_LEDGER_POTS_H
#define GAUSSDP_LEDGER_POTS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/itemptr.h"

#include "payers.h"
#include "queue.h"

typedef struct GaussdpPot
{
	GaussdpPotKey key;
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
} GaussdpPot;

/* The pot of a table's population with that holder, among those of the batch, to which it is added. */
extern GaussdpPot *gaussdp_name_pot(List **pots, const GaussdpLedgerTable *table, char holder,
									Oid role);

/* Locks the pots where they were last, and the others wherever they are; takes over what is in them. */
extern void gaussdp_lock_pots(List *pots);

/* Writes what has changed of the pots. */
extern void gaussdp_write_pots(List *pots);

#endif /* GAUSSDP_LEDGER_POTS_H */
