/*
 * ledger.h
 *		Budgets that nothing gives back: the one call by which a privacy cost is paid.
 *
 * The policy calls gaussdp_charge() once for each execution of a verified plan, after core's own
 * permission checks and before the first row is read.  Reads populations from declaration/ and
 * the integer arithmetic of budgets from core/; used by policy/ alone.
 */
#ifndef GAUSSDP_LEDGER_H
#define GAUSSDP_LEDGER_H

#include "postgres.h"

/* More releases than this in one execution are refused (54000). */
#define GAUSSDP_MAX_RELEASES 128

/*
 * One dp_ call of an execution, over all its groups.  A joint release (dp_avg, dp_var, ...) is one
 * of these: l2_sensitivity and sigma describe it for the journal, and mu2 is what it costs in all.
 */
typedef struct GaussdpRelease
{
	const char *kind;      /* the call's name for the journal, e.g. "dp_avg" */
	Oid relid;             /* the protected table that it reads; its population pays */
	double l2_sensitivity; /* the enforced one, finite, > 0, unit of the value */
	double sigma;          /* the real standard deviation of its noise, same unit, finite, > 0 */
	int64 mu2;             /* its cost in units of 2^-52, > 0: gdp_mu2_units(), never less than
								 * (l2_sensitivity / sigma)^2 */
	int64 threshold_delta; /* delta of a group threshold in units of 2^-62, >= 0:
									 * gdp_delta_cost(); 0 for all but dp_keep_group and its like */
} GaussdpRelease;

/*
 * Charges one execution: every release to every pot that applies to its table's population, all or
 * none.  Returns only when the charge is durable; every other outcome is an ERROR, and the caller
 * must then release nothing.  Costs are added up, nothing is merged, nothing is ever refunded.
 *
 * role is the role that pays (current_user at ExecutorStart), query_id that of the planned
 * statement (0 without), query_text the statement's text or NULL: it is kept only when
 * gaussdp.journal_query_text is on.  Works in read-only and in REPEATABLE READ transactions, and
 * assigns no transaction id in the caller.  Not in a parallel worker.
 *
 * Errors, with a DETAIL that says whether anything was charged:
 *		42501	no budget applies to this role and table
 *		53400	a pot has not enough left, or max_epsilon_per_query is exceeded
 *		54000	more than GAUSSDP_MAX_RELEASES releases
 *		55000	the library is not in shared_preload_libraries
 *		25006	the server is a standby
 *		53000	no background worker could be started
 *		55P03	not charged within gaussdp.charge_timeout, withdrawn
 *		08007	the outcome is unknown: it counts as spent, the journal will tell
 *		57014	cancelled by the user or statement_timeout, withdrawn or unknown
 */
extern void gaussdp_charge(Oid role, const GaussdpRelease *releases, int nreleases, uint64 query_id,
						   const char *query_text);

/* What a role may still spend on a table's population now: the least over all pots that apply. */
typedef struct GaussdpFunds
{
	bool granted;        /* does any pot of the role, its groups or PUBLIC apply? */
	int64 mu2_left;      /* for the rest of the period, in units of 2^-52, >= 0 */
	int64 delta_left;    /* for thresholds, in units of 2^-62, >= 0 */
	int64 mu2_per_query; /* the cap on one execution, PG_INT64_MAX without */
	double delta;        /* delta_noise of the pot that is named first, to show mu as epsilon */
} GaussdpFunds;

/* Looks without charging, as of now: for explain_privacy.  The decision is gaussdp_charge()'s alone. */
extern GaussdpFunds gaussdp_budget_left(Oid role, Oid relid);

/* Has any pot been granted that applies?  For the check at ExecutorStart: quick, and remembered. */
extern bool gaussdp_has_budget(Oid role, Oid relid);

/* Installs the shared memory hooks; called once, by _PG_init. */
extern void gaussdp_ledger_init(void);

#endif /* GAUSSDP_LEDGER_H */
