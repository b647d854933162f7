/*
 * errors.h
 *		Errors inside of private levels: in shared memory first, then counted by the worker.
 *		Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_ERRORS_H
#define GAUSSDP_LEDGER_ERRORS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "queue.h"

/*
 * The session (errors.c)
 */

/* Remembers whose people these tables are, for an error that comes when no catalog can be read. */
extern void gaussdp_remember_charged(const GaussdpLedgerTable *tables, int ntables);

/* How many errors of each kind the settings of this session let pass. */
extern void gaussdp_take_limits(int *limits);

/* A level is about to be charged in this backend's slot; the lock is held. */
extern void gaussdp_begin_running(GaussdpLedgerSlot *slot);

/* Stops all levels of this database that run now, as if their roles were suspended; takes the lock. */
extern void gaussdp_stop_all_levels(void);

/* From now on a session that is terminated while its level runs counts as a cancel. */
extern void gaussdp_count_at_exit(GaussdpLedgerSlot *slot);

/* Could errors of that role not even be kept in shared memory?  The lock is held. */
extern bool gaussdp_is_blocked(Oid role);

/* At server start: a role had a level running about these people when the server crashed. */
extern void gaussdp_add_crash(const GaussdpLedgerErrors *errors);

/*
 * The worker: what is to be written (errors.c)
 */

/* Has that role (InvalidOid: any) errors in this database that are not written yet?  The lock is held. */
extern bool gaussdp_has_unwritten(Oid role);

/* Copies the errors of this database at or behind place *at, which becomes theirs; false: no more. */
extern bool gaussdp_next_errors(int *at, GaussdpLedgerErrors *errors);

/*
 * What was copied from that place is durable now: forgets it, stops what the role has running about these people if
 * it is suspended, and wakes who waits for it.
 */
extern void gaussdp_errors_written(int at, const GaussdpLedgerErrors *errors, bool suspended);

/*
 * The worker: writing and reading, in a transaction, within the ledger's rights (suspension.c)
 */

/*
 * Adds errors and cancels to what is counted of their role and population, and suspends the role when that is too
 * many; *suspended tells whether it is now.  False: somebody has locked the row, which is not waited for.
 */
extern bool gaussdp_write_errors(const GaussdpLedgerErrors *errors, bool *suspended);

/* PotKeys, by holder 'r', of those of the roles that are suspended for a population. */
extern List *gaussdp_suspended(List *roles);

/* Is a role suspended for a population?  suspended as from above. */
extern bool gaussdp_is_suspended(List *suspended, const GaussdpPopulation *population, Oid role);

#endif /* GAUSSDP_LEDGER_ERRORS_H */
