/*
 * last_answer.h
 *		What the session's last statement has released (last_answer.c).
 */
#ifndef GAUSSDP_POLICY_EXEC_LAST_ANSWER_H
#define GAUSSDP_POLICY_EXEC_LAST_ANSWER_H

#include "postgres.h"

#include "policy/exec/room.h"
#include "utils/hsearch.h"

/* About how many people a group has at least that this release does not hide; 0: it hides none. */
extern double gaussdp_least_people(const GaussdpRelease *release, const GaussdpLevel *level);

/* Keeps what a level has released, when it is over: its histograms where it finds rows, or its calls. */
extern void gaussdp_keep_last_answer(const GaussdpRoom *room, bool finds);

/* When a query is over: tells, once, what its levels have left out, and how rough their numbers are. */
extern void gaussdp_tell_of_answer(void);

/* What a part of a statement releases to a role, however much that is; it belongs to what is added up around it, too. */
typedef struct GaussdpPrice
{
	struct GaussdpPrice *around;
	Oid role;
	int64 calls;
	int64 mu2; /* as in GaussdpRelease, whoever has paid for it */
	int64 threshold_delta;
	double delta;      /* the largest of its calls */
	TimestampTz drawn; /* the oldest */
	HTAB *
		counted; /* releases that may be shown again: of equal levels only one has cost something */
	Oid readable; /* a table that the role may read by itself; InvalidOid: none */
} GaussdpPrice;

/* Adds up what is released to the current role from here on, until gaussdp_end_price(), also after an error. */
extern void gaussdp_begin_price(GaussdpPrice *price);
extern void gaussdp_end_price(const GaussdpPrice *price);

#endif /* GAUSSDP_POLICY_EXEC_LAST_ANSWER_H */
