/*
 * reading.h
 *		The reading of a level's protected rows, from before its charge to its last row.
 */
#ifndef GAUSSDP_POLICY_EXEC_READING_H
#define GAUSSDP_POLICY_EXEC_READING_H

#include "postgres.h"

#include "policy/exec/caches.h"
#include "policy/exec/room.h"
#include "policy/exec/side_channels.h"

/* What there is to do for one run of it. */
typedef struct GaussdpReader
{
	/* Before the first row; what it raises at first is raised as it is.  False: there is nothing to read.  With what() of below. */
	bool (*start)(GaussdpRoom *room, void *what, bool first, GaussdpCaches *caches);
	void (*read)(GaussdpRoom *room, void *what);
	bool may_repeat; /* in a sub-transaction of its own, so that it can run again */
} GaussdpReader;

/*
 * Charges and reads.  No error after the charge leaves as it was.  Where something is lacking that may come back, the run's
 * sub-transaction is rolled back, this is counted, and it runs again when it is there: see reading.c.
 */
extern void gaussdp_read_protected(GaussdpRoom *room, const GaussdpReader *reader, void *what,
								   const GaussdpUsage *before);

#endif /* GAUSSDP_POLICY_EXEC_READING_H */
