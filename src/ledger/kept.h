/*
 * kept.h
 *		Answers that are kept: the worker's side.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_KEPT_H
#define GAUSSDP_LEDGER_KEPT_H

#include "postgres.h"

#include "batch.h"

/* Writes the answer of a request that is none for a charge; its verdict says whether it was there. */
extern void gaussdp_write_kept(GaussdpRequest *request);

#endif /* GAUSSDP_LEDGER_KEPT_H */
