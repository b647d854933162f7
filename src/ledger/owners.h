/*
 * owners.h
 *		Who may decide about the budgets of a population.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_OWNERS_H
#define GAUSSDP_LEDGER_OWNERS_H

#include "postgres.h"

#include "storage/lockdefs.h"

#include "declaration/population.h"
#include "queue.h"

/*
 * Locks a population against changes: mode RowExclusiveLock for who changes its budgets, ShareRowExclusiveLock for who
 * changes its tables, until the transaction ends.  Who may not do so must not be let in here: others would wait for it.
 */
extern void gaussdp_lock_population(const GaussdpPopulation *population, LOCKMODE mode);

/*
 * To be called before an account may be added: unless it is there, one transaction at a time goes on, since no index
 * would refuse a second one.  Within the ledger's rights.
 */
extern void gaussdp_lock_new_account(const GaussdpPopulation *population, char holder, Oid role);

/* Adds the account of the population itself, unless it is there; within the ledger's rights. */
extern void gaussdp_add_population_account(const GaussdpPopulation *population);

/* Refuses (42501) unless the current role owns all tables of the population but except. */
extern void gaussdp_check_ownership(const GaussdpPopulation *population, Oid except);

/*
 * The population of a table whose budgets are about to be changed, when the current role may; it
 * cannot get or lose a table before the transaction ends.
 */
extern void gaussdp_open_population(Oid relid, GaussdpLedgerTable *table);

/* Remembers who owns the last table of a population, which is about to lose it; within the ledger's rights. */
extern void gaussdp_remember_last_owner(const GaussdpLedgerTable *table);

/*
 * Refuses (42501) to let a table join a population that has no other one, unless the current role is that of
 * whom the last one was, or nothing was ever spent on it.
 */
extern void gaussdp_check_last_owner(const GaussdpLedgerTable *table);

/* Warns a superuser who joins tables of several owners, or grants on one, that budgets hold for all of them. */
extern void gaussdp_warn_of_other_owners(const GaussdpLedgerTable *table);

/* Warns of a path that does not hold: the people of such a table are its own until it does. */
extern void gaussdp_warn_of_path(Oid relid);

#endif /* GAUSSDP_LEDGER_OWNERS_H */
