/*
 * defaults.h
 *		Epsilon and delta of calls that give none, as a grant states them.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_DEFAULTS_H
#define GAUSSDP_LEDGER_DEFAULTS_H

#include "postgres.h"

#include "fmgr.h"

#include "ledger/ledger.h"
#include "owners.h"

/* default_epsilon and default_delta, from argument number first on; 22023 where they are out of range. */
extern GaussdpDefaults gaussdp_default_arguments(FunctionCallInfo fcinfo, int first);

/* What a grant says beside budget and defaults. */
typedef struct GaussdpGrantTerms
{
	int64 max_pages;         /* 0: no limit */
	int64 reuse;             /* seconds; 0: none */
	int max_resource_errors; /* -1: as the setting says */
} GaussdpGrantTerms;

/* Within the ledger's rights. */
extern void gaussdp_write_grant_terms(const GaussdpLedgerTable *table, Oid role,
									  const GaussdpGrantTerms *terms);

/* Writes them into a role's account; within the ledger's rights. */
extern void gaussdp_write_defaults(const GaussdpLedgerTable *table, Oid role,
								   const GaussdpDefaults *defaults);

/* Plans over the tables of a population hold defaults of its grants: they are made anew after this transaction. */
extern void gaussdp_forget_defaults(const GaussdpLedgerTable *table);

#endif /* GAUSSDP_LEDGER_DEFAULTS_H */
