/*
 * kept.h
 *		Answers that are kept: the worker's side.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_KEPT_H
#define GAUSSDP_LEDGER_KEPT_H

#include "postgres.h"

#include "batch.h"

/* Who has paid for the answer that is shown again, of GaussdpPaid; NIL where a new one is drawn, and where it is there no more. */
extern List *gaussdp_paid_before(const GaussdpCharge *charge);

/*
 * Writes the answer of a request that is none for a charge, which becomes CHARGED; and, of one that was charged for an answer that is
 * shown again, who has paid for it now.
 */
extern void gaussdp_write_kept(GaussdpRequest *request);

#endif /* GAUSSDP_LEDGER_KEPT_H */
