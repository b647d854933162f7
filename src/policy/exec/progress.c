/*
 * progress.c
 *		How far a level is, for gaussdp.stat_progress: which blocks its sequential scans have come to.
 *
 * The scans know their block.  A timer looks at it once a second and puts the sum into shared memory (ledger/progress.c), so that rows
 * cost nothing.  Blocks are public, in number and order, and all are read (page_reads.c).
 *
 * The timer's handler runs at any time between the two functions below.  It reads scans that PostgreSQL changes meanwhile: a block number is
 * written at once, and the scan is there before its node points to it and until the executor ends.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "catalog/pg_am.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/rel.h"
#include "utils/timeout.h"

#include "compat.h"
#include "ledger/ledger.h"
#include "policy/exec/progress.h"

#define MILLISECONDS 1000

/* Scans beyond these are not counted. */
#define MOST_SCANS 64

typedef struct Watched
{
	const SeqScanState *scan;
	BlockNumber blocks;
} Watched;

static Watched watched[MOST_SCANS];
static volatile int nwatched = 0;
static TimeoutId timer = MAX_TIMEOUTS;

static BlockNumber
blocks_done(const Watched *watch)
{
	const HeapScanDescData *scan = (const HeapScanDescData *) watch->scan->ss.ss_currentScanDesc;
	BlockNumber block;

	if (scan == NULL)
		return 0;
	/* Of a scan that processes share, what they had taken when this one took its last blocks: their own memory may be gone. */
	if (scan->rs_parallelworkerdata != NULL)
		return (BlockNumber) Min(scan->rs_parallelworkerdata->phsw_nallocated, watch->blocks);
	block = scan->rs_cblock;
	if (block == InvalidBlockNumber) /* it has come to its end */
		return watch->blocks;
	return block >= scan->rs_startblock ? block - scan->rs_startblock
										: block + scan->rs_nblocks - scan->rs_startblock;
}

static void
look(void)
{
	uint64 done = 0;

	for (int i = 0; i < nwatched; i++)
		done += blocks_done(&watched[i]);
	gaussdp_show_blocks(done);
}

static bool
find_scans(PlanState *node, void *context)
{
	uint64 *blocks = context;

	if (IsA(node, SeqScanState) && nwatched < MOST_SCANS)
	{
		const SeqScanState *scan = (const SeqScanState *) node;
		Relation relation = scan->ss.ss_currentRelation;

		if (relation->rd_rel->relam == HEAP_TABLE_AM_OID)
		{
			Watched *watch = &watched[nwatched++];

			*watch = (Watched){scan, RelationGetNumberOfBlocks(relation)};
			*blocks += watch->blocks;
		}
	}
	return planstate_tree_walker(node, find_scans, context);
}

/* A session that is terminated frees the plan without an error that anybody catches. */
static void
end_session(int code, Datum arg)
{
	gaussdp_unwatch_progress();
}

static void
start_timer(void)
{
	if (timer == MAX_TIMEOUTS)
	{
		timer = RegisterTimeout(USER_TIMEOUT, look);
		before_shmem_exit(end_session, (Datum) 0);
	}
	if (nwatched > 0)
		enable_timeout_every(
			timer, TimestampTzPlusMilliseconds(GetCurrentTimestamp(), MILLISECONDS), MILLISECONDS);
}

void
gaussdp_watch_progress(PlanState *plan, Oid relation)
{
	uint64 blocks = 0;

	nwatched = 0;
	(void) find_scans(plan, &blocks);
	gaussdp_begin_progress(relation, blocks);
	start_timer();
}

void
gaussdp_pause_progress(void)
{
	if (timer != MAX_TIMEOUTS)
		disable_timeout(timer, false);
	nwatched = 0;
}

void
gaussdp_unwatch_progress(void)
{
	gaussdp_pause_progress();
	gaussdp_end_progress();
}
