/*
 * payers.h
 *		Which pots there are, and which of them pay for a role.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_PAYERS_H
#define GAUSSDP_LEDGER_PAYERS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

#include "queue.h"

typedef struct GaussdpPotKey
{
	char people[NAMEDATALEN];
	Oid relation;
	Oid role;    /* InvalidOid: PUBLIC */
	char holder; /* 'p': the population's own, 'r': a role's */
} GaussdpPotKey;

extern GaussdpPotKey gaussdp_pot_key(const char *people, Oid relation, char holder, Oid role);

/* A hash table of entries that begin with a GaussdpPotKey. */
extern HTAB *gaussdp_pot_memory(const char *name, Size entry_size, MemoryContext context);

/*
 * The roles whose pots pay for a role, beside the population's: its own; without one, those granted to
 * roles whose privileges it has; without those, PUBLIC's (InvalidOid).  NIL: it has no budget.  The list
 * is remembered, and stays valid until the next call.
 */
extern List *gaussdp_payers(const GaussdpLedgerTable *table, Oid role);

/* Looks anew next time: what was remembered was not found. */
extern void gaussdp_forget_payers(void);

#endif /* GAUSSDP_LEDGER_PAYERS_H */
