/*
 * population.h
 *		Who the people of a table are, who may decide about them, and how the ledger is read and written
 *		on behalf of an owner.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_POPULATION_H
#define GAUSSDP_LEDGER_POPULATION_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "executor/spi.h"
#include "nodes/pg_list.h"

#include "queue.h"

/* The caller's rights and settings, while the ledger's own are in force. */
typedef struct GaussdpLedgerRights
{
	Oid user;
	int context;
	int nest_level;
} GaussdpLedgerRights;

/*
 * Goes on as the owner of the ledger's tables, not as a superuser: what that role may have hung on them
 * (triggers, defaults) gets no more rights than it has itself. context: flags beside
 * SECURITY_LOCAL_USERID_CHANGE, none in the worker, which stays the owner until deferred triggers have run.
 */
extern void gaussdp_become_owner(int context);

/*
 * From here to gaussdp_leave_ledger() queries run as the ledger's owner, over SPI, with a search_path
 * that holds nothing of the caller's.  Errors restore the caller's rights by themselves.
 */
extern GaussdpLedgerRights gaussdp_enter_ledger(void);
extern void gaussdp_leave_ledger(GaussdpLedgerRights caller);
extern void gaussdp_ledger_run(const char *query, int nargs, Oid *types, Datum *values,
							   const char *nulls, bool read_only);

/* Runs a query that the worker keeps, prepared at first use; nulls as for SPI_execute_plan(). */
extern void gaussdp_ledger_run_prepared(SPIPlanPtr *plan, const char *query, int nargs, Oid *types,
										Datum *values, const char *nulls);

/* The population of a table; false where it is not protected. */
extern bool gaussdp_population_of(Oid relid, GaussdpLedgerTable *population);

/* The labelled tables of a population. */
extern List *gaussdp_tables_of(const GaussdpLedgerTable *population);

/* Refuses (42501) unless the current role owns all tables of the population but except. */
extern void gaussdp_check_ownership(const GaussdpLedgerTable *population, Oid except);

/*
 * The population of a table whose budgets are about to be changed, when the current role may; it
 * cannot get or lose a table before the transaction ends.
 */
extern void gaussdp_open_population(Oid relid, GaussdpLedgerTable *population);

/*
 * A row of the journal about an owner's act, which the worker is told of; within the ledger's rights.
 * role, terms may be NULL.
 */
extern void gaussdp_write_act(const char *event, const GaussdpLedgerTable *population,
							  const char *role, const char *terms);

/* How many whole periods have passed since then; 0 without a period (NULL). */
extern int64 gaussdp_period(TimestampTz since, const Interval *every);

/* A name for the journal, with its schema; empty where there is no such relation. */
extern const char *gaussdp_relation_name(Oid relid);

/*
 * Closes the budgets of a role that is being dropped, and of all that are gone already (they may have
 * been dropped in another database) unless somebody holds a lock on them; within the ledger's rights.
 * False if there were none.
 */
extern bool gaussdp_close_roles(Oid dropped);

/* Budgets end with their tables and roles; called once, by gaussdp_ledger_init(). */
extern void gaussdp_population_init(void);

#endif /* GAUSSDP_LEDGER_POPULATION_H */
