/*
 * batch.h
 *		Requests that the worker commits together.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_BATCH_H
#define GAUSSDP_LEDGER_BATCH_H

#include "queue.h"

typedef enum GaussdpVerdict
{
	GAUSSDP_VERDICT_CHARGED,
	GAUSSDP_VERDICT_REFUSED, /* sqlstate and message say why */
	GAUSSDP_VERDICT_RETRY    /* another transaction holds the lock on a pot */
} GaussdpVerdict;

/* A copy of a request, and how to find its slot again. */
typedef struct GaussdpTicket
{
	GaussdpLedgerSlot *slot;
	uint64 number;
	Latch *latch; /* the owner's when it was taken */
	GaussdpVerdict verdict;
	int sqlstate;
	char message[256];
	GaussdpLedgerRequest *request;
} GaussdpTicket;

/*
 * Decides about each ticket, in order, and writes pots and journal; in a transaction, without
 * committing it.  Returns how many were charged.
 */
extern int gaussdp_ledger_decide(GaussdpTicket *tickets, int ntickets);

#endif /* GAUSSDP_LEDGER_BATCH_H */
