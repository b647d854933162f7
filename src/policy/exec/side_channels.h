/*
 * side_channels.h
 *		Side channels of a running level, closed one by one.
 */
#ifndef GAUSSDP_POLICY_EXEC_SIDE_CHANNELS_H
#define GAUSSDP_POLICY_EXEC_SIDE_CHANNELS_H

#include "postgres.h"

#include "compat.h"
#include "executor/instrument.h"

/* Settings that hold while a level runs; returns what gaussdp_reopen_side_channels takes. */
extern int gaussdp_close_side_channels(void);

/* Sets them once more, while they hold. */
extern void gaussdp_keep_side_channels_closed(void);
extern void gaussdp_reopen_side_channels(int nest_level);

/*
 * What other libraries are told of functions, and take down: a contained call begins, and begins anew, at a row.  Of each expression they have
 * been told before the first one.  The end of a transaction, or of a sub-transaction that fails, opens it again as well.
 */
extern void gaussdp_tell_nobody(void);
extern void gaussdp_tell_others(void);

/* Makes sure, before the first row, that there is stack for what may run for the first time on a row. */
extern void gaussdp_reserve_stack(void);

/* The session's own counters of pages and WAL, before a level and after it. */
typedef struct GaussdpUsage
{
	BufferUsage buffers;
	WalUsage wal;
} GaussdpUsage;

extern GaussdpUsage gaussdp_usage_so_far(void);
extern void gaussdp_forget_usage_since(const GaussdpUsage *before);

/* Lets the session forget its caches of the catalogs when a level has failed and is aborted; called once, by _PG_init. */
extern void gaussdp_side_channels_init(void);

/* The same at the next abort, be it of a sub-transaction. */
extern void gaussdp_forget_caches(void);

/*
 * Raises an error of a level as one that tells no more than that there was one: of those that say something of the server alone the
 * SQLSTATE is kept.  The error is counted for the current role and the population of this relation, which has been
 * charged, unless it is already; InvalidOid: nothing was charged, and nothing is counted.  Where that suspends the role, the
 * error is that of a suspension.  To be called in a PG_CATCH block.
 */
pg_noreturn extern void gaussdp_raise_fixed_error(const ErrorData *error, Oid relation,
												  uint64 query_id, bool is_counted);

#endif /* GAUSSDP_POLICY_EXEC_SIDE_CHANNELS_H */
