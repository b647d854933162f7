/*
 * charged_roles.h
 *		Which accounts there are, and which of them pay for a role.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_CHARGED_ROLES_H
#define GAUSSDP_LEDGER_CHARGED_ROLES_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

#include "queue.h"

/* What tells an account from all others; compared byte by byte. */
typedef struct GaussdpAccountKey
{
	GaussdpPopulation population;
	Oid role;    /* InvalidOid: PUBLIC */
	char holder; /* 'p': the population's own, 'r': a role's */
} GaussdpAccountKey;

extern GaussdpAccountKey gaussdp_account_key(const GaussdpPopulation *population, char holder,
											 Oid role);

/* A hash table of entries that begin with a GaussdpAccountKey. */
extern HTAB *gaussdp_account_hash(const char *name, Size entry_size, MemoryContext context);

/*
 * The roles whose accounts pay for a role, beside the population's: its own; without one, those granted to
 * roles whose privileges it has; without those, PUBLIC's (InvalidOid).  NIL: it has no budget.  The list
 * is remembered, and stays valid until the next call.
 */
extern List *gaussdp_charged_roles(const GaussdpPopulation *population, Oid role);

/*
 * What is left of gaussdp.charge_timeout for a charge, in milliseconds: the time that this statement has waited for grants to
 * be read counts as well, once.
 */
extern int gaussdp_take_time_left(void);

/*
 * For how many seconds a kept answer may be shown to a role again: the least of the grants that pay, and of
 * gaussdp.reuse_answers; 0: not at all.
 */
extern int64 gaussdp_reuse_time(Oid role, const GaussdpPopulation *population);

/* The same by the grants alone. */
extern int64 gaussdp_granted_reuse(Oid role, const GaussdpPopulation *population);

/* max_resource_errors of the grants that pay for a role, the least; INT_MAX where none says. */
extern int gaussdp_granted_resource_errors(Oid role, const GaussdpPopulation *population);

/* Forgets what is remembered: an account that it named was not there. */
extern void gaussdp_forget_charged_roles(void);

#endif /* GAUSSDP_LEDGER_CHARGED_ROLES_H */
