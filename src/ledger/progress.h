/*
 * progress.h
 *		The shared memory of progress.c.  Private to ledger/; what the policy calls is in ledger.h.
 */
#ifndef GAUSSDP_LEDGER_PROGRESS_H
#define GAUSSDP_LEDGER_PROGRESS_H

#include "postgres.h"

/* At server start. */
extern Size gaussdp_progress_size(void);
extern void gaussdp_start_progress_memory(void);

#endif /* GAUSSDP_LEDGER_PROGRESS_H */
