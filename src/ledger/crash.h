/*
 * crash.h
 *		Levels that run are noted in a file, which outlives the server's processes.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_CRASH_H
#define GAUSSDP_LEDGER_CRASH_H

#include "queue.h"

/* At server start, when shared memory is made: levels that ran when the server crashed are to be counted. */
extern void gaussdp_count_crashed(void);

/* The level that asks for this charge is going to run here; an error where that cannot be noted. */
extern void gaussdp_note_running(const GaussdpCharge *charge);

/* It has ended, or will not run.  Raises nothing. */
extern void gaussdp_note_ended(void);

/* What stood in this place of the errors to be counted is durable.  Raises nothing. */
extern void gaussdp_note_counted(int place);

#endif /* GAUSSDP_LEDGER_CRASH_H */
