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
	GAUSSDP_VERDICT_RETRY    /* another transaction holds the lock on an account */
} GaussdpVerdict;

/* A charge that a session asks for, as the worker has copied it, and how to find its slot again. */
typedef struct GaussdpRequest
{
	GaussdpLedgerSlot *slot;
	uint64 number;
	Latch *latch; /* the owner's when it was taken */
	GaussdpVerdict verdict;
	int sqlstate;
	GaussdpOutcome outcome;
	char message[256];
	char detail[256]; /* what it costs and what is left; empty: nothing to tell */
	char hint[128];
	bool is_low;  /* CHARGED: more than four fifths of a budget are spent */
	List *before; /* of GaussdpPaid: who has paid for the answer before, where it is shown again */
	int npaid;    /* CHARGED: who has paid now; none where they are too many */
	GaussdpPaid paid[GAUSSDP_MAX_PAID];
	GaussdpCharge *charge;
} GaussdpRequest;

/*
 * Decides about each request, in order, and writes accounts and journal; in a transaction, without
 * committing it.  Returns how many were charged.
 */
extern int gaussdp_ledger_decide(GaussdpRequest *requests, int nrequests);

#endif /* GAUSSDP_LEDGER_BATCH_H */
