/*
 * pause.h
 *		One switch that stops all private answers of a database.  Private to ledger/, but for what explain_privacy asks.
 */
#ifndef GAUSSDP_LEDGER_PAUSE_H
#define GAUSSDP_LEDGER_PAUSE_H

#include "postgres.h"

#define GAUSSDP_PAUSED "private answers of this database are paused"
#define GAUSSDP_PAUSED_HINT                                                                        \
	"The owner of the extension, or a superuser, can call gaussdp.resume_answers()."

/* Are answers paused, as of now?  Within the ledger's rights. */
extern bool gaussdp_answers_are_paused(void);

#endif /* GAUSSDP_LEDGER_PAUSE_H */
