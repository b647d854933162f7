/*
 * rights.h
 *		How the ledger's tables are read and written on behalf of somebody who may not.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_RIGHTS_H
#define GAUSSDP_LEDGER_RIGHTS_H

#include "postgres.h"

#include "executor/spi.h"

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

/* Is the ledger in this database, and the extension's own?  Else nothing may be written as its owner. */
extern bool gaussdp_has_ledger(void);

/* Runs a query as of now; nulls as for SPI_execute_plan(). */
extern void gaussdp_ledger_run(const char *query, int nargs, Oid *types, Datum *values,
							   const char *nulls, bool read_only);

#endif /* GAUSSDP_LEDGER_RIGHTS_H */
