/*
 * statistics.h
 *		Counters of charges and refusals since the server's start, in shared memory.  Private to ledger/, but for
 *		gaussdp_count_refusal() of ledger.h.
 *
 * What is counted depends on queries, catalog, declarations, budgets and the load of the machine, and never on what a
 * level reads: charges and refusals come before its first row.  Errors inside of levels are not counted here.
 */
#ifndef GAUSSDP_LEDGER_STATISTICS_H
#define GAUSSDP_LEDGER_STATISTICS_H

#include "postgres.h"

#include "portability/instr_time.h"
#include "storage/lwlock.h"

/* What became of a charge, as its session was told. */
typedef enum GaussdpOutcome
{
	GAUSSDP_OUTCOME_CHARGED,
	GAUSSDP_OUTCOME_NO_BUDGET,
	GAUSSDP_OUTCOME_SUSPENDED,
	GAUSSDP_OUTCOME_PAUSED,
	GAUSSDP_OUTCOME_EXHAUSTED,
	GAUSSDP_OUTCOME_THRESHOLDS, /* what is left of threshold_delta does not suffice */
	GAUSSDP_OUTCOME_QUERY_LIMIT,
	GAUSSDP_OUTCOME_TIMED_OUT,
	GAUSSDP_OUTCOME_CANCELLED,
	GAUSSDP_OUTCOME_FAILED, /* any other error; nothing was charged */
	GAUSSDP_OUTCOME_UNKNOWN,
	GAUSSDP_NOUTCOMES
} GaussdpOutcome;

/* At server start, with a lock of the ledger's tranche. */
extern Size gaussdp_statistics_size(void);
extern void gaussdp_start_statistics(LWLock *lock);

/* Counts what became of a charge; start: since when its session has waited, NULL unless it was charged. */
extern void gaussdp_count_charge(Oid role, GaussdpOutcome outcome, const instr_time *start);

#endif /* GAUSSDP_LEDGER_STATISTICS_H */
