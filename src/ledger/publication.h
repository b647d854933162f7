/*
 * publication.h
 *		Publications in the ledger (publication.c).  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_PUBLICATION_H
#define GAUSSDP_LEDGER_PUBLICATION_H

#include "postgres.h"

#include "queue.h"

/* In the worker, with the charge: the publication that its numbers are for has been paid now.  Does nothing without one. */
extern void gaussdp_note_charge_of(const GaussdpCharge *charge);

/* What was published in a table that is dropped is published no more; within the ledger's rights. */
extern void gaussdp_forget_publication(Oid relid);

#endif /* GAUSSDP_LEDGER_PUBLICATION_H */
