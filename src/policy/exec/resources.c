/*
 * resources.c
 *		What a level can need of the server is there before it is charged, with a wide margin.
 *
 * Buffers, locks, memory and disk are everybody's: an analyst can take all but as many as the level has without some row.  PostgreSQL
 * reserves none of them, so it is made sure that they are there, far from where one row more decides, and refused openly where they are
 * not: nothing is read or charged then.  What is taken between that and a row, the level waits for (reading.c).
 *
 * Invariants
 *		What is asked for depends on the plan's nodes and on sizes of tables, each as the next power of two.  Both are public: plans
 *		are made of these sizes, and whoever may see a table's name may ask for its size (docs/threat-model.md).  Of disk it is as much as
 *		all rows can have, and each node that keeps rows may keep them all (row_bytes.c).
 *		Nothing of it is kept: another level may count on the same.
 */
#include "postgres.h"

#include <math.h>

#include "executor/nodeHash.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/dsm.h"
#include "storage/lock.h"
#include "utils/memutils.h"

#include "compat.h"
#include "policy/exec/resources.h"
#include "policy/exec/row_bytes.h"
#include "policy/exec/temp_space.h"

/* This part of all shared buffers is unpinned, at least as many as this for each table of each process, as far as that is half of all. */
#define PART_OF_BUFFERS 4
#define BUFFERS_OF_TABLE 16

/* Of larger numbers of buffers so many are looked at. */
#define BUFFERS_LOOKED_AT 1024

/* Beside what the leader holds already. */
#define LEAST_LOCKS 32
#define MOST_LOCKS 1024

/* Of a plan that is parallel, beside what it starts with. */
#define SEGMENTS 4
#define SIZE_OF_SEGMENT ((Size) 64 * 1024)

#define LEAST_MEMORY ((Size) 32 * 1024 * 1024)
#define MOST_MEMORY ((Size) 1024 * 1024 * 1024)

#define LEAST_DISK (16.0 * 1024 * 1024)

/* Temporary files of a node that keeps rows, of a join for each part of its rows that fits into memory, and of a plan. */
#define FILES_OF_NODE 4
#define FILES_OF_BATCH 4
#define MOST_FILES 256

typedef struct Shortage
{
	GaussdpRule rule;
	int sqlerrcode;
	const char *what;
	const char *hint;
} Shortage;

/* ---------------------------------------------------------------------------
 * What is needed
 * ---------------------------------------------------------------------------
 */

typedef struct Count
{
	double rows;  /* bytes of all rows */
	bool is_open; /* pairs of tables or elements of arrays may be many more */
	int workers;
	int nodes;    /* that keep rows */
	double bytes; /* that these may write, */
	double files; /* to so many files or fewer, mostly */
} Count;

static void count_plan(Count *count, const Plan *plan);

static void
count_plans(Count *count, List *plans)
{
	ListCell *lc;

	foreach (lc, plans)
		count_plan(count, lfirst(lc));
}

/* Any node that keeps rows may keep them all, with all their columns. */
static void
count_kept_rows(Count *count)
{
	count->nodes++;
	/* With a margin of four, they stay in memory. */
	if (count->rows > work_mem * 1024.0 / 4)
		count->bytes += count->rows;
	else if (!count->is_open)
		return;
	count->files += FILES_OF_NODE;
}

/* The calls of an aggregation that sort their values, each by itself. */
static bool
collect_sorting(Node *node, void *calls)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) &&
		(((Aggref *) node)->aggdistinct != NIL || ((Aggref *) node)->aggorder != NIL))
		*(List **) calls = list_append_unique(*(List **) calls, node);
	return expression_tree_walker(node, collect_sorting, calls);
}

static void
count_aggregation(Count *count, const Plan *plan)
{
	List *calls = NIL;

	(void) collect_sorting((Node *) plan->targetlist, &calls);
	(void) collect_sorting((Node *) plan->qual, &calls);
	for (int i = 0; i <= list_length(calls); i++)
		count_kept_rows(count);
}

static void
count_plan(Count *count, const Plan *plan)
{
	if (plan == NULL)
		return;
	switch (nodeTag(plan))
	{
		case T_Gather:
			count->workers += ((const Gather *) plan)->num_workers;
			break;
		case T_GatherMerge:
			count->workers += ((const GatherMerge *) plan)->num_workers;
			break;
		case T_Sort:
		case T_IncrementalSort:
		case T_HashJoin:
			count->files += FILES_OF_BATCH * floor(count->rows / (work_mem * 1024.0));
			count_kept_rows(count);
			break;
		case T_Hash:
		case T_Material:
		case T_WindowAgg:
			count_kept_rows(count);
			break;
		case T_Agg:
			count_aggregation(count, plan);
			break;
		case T_CustomScan:
			count_kept_rows(count);
			count_plans(count, ((const CustomScan *) plan)->custom_plans);
			break;
		case T_Append:
			count_plans(count, ((const Append *) plan)->appendplans);
			break;
		case T_MergeAppend:
			count_plans(count, ((const MergeAppend *) plan)->mergeplans);
			break;
		case T_SubqueryScan:
			count_plan(count, ((const SubqueryScan *) plan)->subplan);
			break;
		default:
			break;
	}
	count_plan(count, plan->lefttree);
	count_plan(count, plan->righttree);
}

static int
tables_of(const PlannedStmt *plan)
{
	int n = 0;
	ListCell *lc;

	foreach (lc, plan->rtable)
		n += lfirst_node(RangeTblEntry, lc)->rtekind == RTE_RELATION;
	return n;
}

static GaussdpNeeds
needs_of(const GaussdpRoom *room)
{
	Count count = {.rows = gaussdp_bytes_of_rows(room)};
	int ntables = tables_of(room->plan);
	GaussdpNeeds needs;
	Size memory;

	count.is_open = ntables > 1 || gaussdp_arrays_of(room->level) > 0;
	count_plan(&count, room->plan->planTree);
	count_plans(&count, room->plan->subplans);
	/* Rows of groups wait in a file of their own until the plan has ended. */
	if (room->level->query->groupClause != NIL)
		count_kept_rows(&count);
	needs.buffers =
		Max(NBuffers / PART_OF_BUFFERS,
			Min((double) BUFFERS_OF_TABLE * ntables * (count.workers + 1), NBuffers / 2));
	/* A process may lock a table, its indexes and the same of its TOAST table. */
	needs.locks = (int) Min(LEAST_LOCKS + 8.0 * ntables * count.workers, MOST_LOCKS);
	needs.segments = count.workers > 0 ? SEGMENTS : 0;
	memory = Max(get_hash_memory_limit(), (Size) work_mem * 1024);
	needs.memory = Min(memory, MOST_MEMORY / 8) * (Size) Min(count.nodes, 8) + LEAST_MEMORY;
	needs.disk = count.bytes + LEAST_DISK;
	needs.files = (int) Min(count.files, MOST_FILES);
	return needs;
}

/* ---------------------------------------------------------------------------
 * What is there
 * ---------------------------------------------------------------------------
 */

/* Where there are many, of those that are looked at, one at a place of each part that nobody knows before. */
static bool
has_buffers(int needed)
{
	int looks = Min(NBuffers, BUFFERS_LOOKED_AT);
	int unpinned = 0;

	for (int i = 0; i < looks; i++)
	{
		int first = (int) ((int64) NBuffers * i / looks);
		int end = (int) ((int64) NBuffers * (i + 1) / looks);
		int buffer = first + (int) pg_prng_uint64_range(&pg_global_prng_state, 0, end - first - 1);

		unpinned +=
			BUF_STATE_GET_REFCOUNT(pg_atomic_read_u32(&GetBufferDescriptor(buffer)->state)) == 0;
	}
	return (double) unpinned / looks >= (double) needed / NBuffers;
}

/* Advisory locks of a kind that no function of PostgreSQL takes, and of this process alone. */
static LOCKTAG
lock_of(int number)
{
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) MyProcPid, (uint32) number, 3);
	return tag;
}

static bool
has_locks(int needed)
{
	int taken = 0;
	LOCKTAG tag;

	for (bool fits = true; fits && taken < needed; taken += fits)
	{
		tag = lock_of(taken);
		fits = gaussdp_try_lock(&tag, ShareLock);
	}
	for (int i = 0; i < taken; i++)
	{
		tag = lock_of(i);
		(void) LockRelease(&tag, ShareLock, false);
	}
	return taken == needed;
}

/* That of the server's memory there is enough, dsm_create raises itself. */
static bool
has_segments(int needed)
{
	dsm_segment *segments[SEGMENTS];
	int n = 0;

	while (n < needed &&
		   (segments[n] = dsm_create(SIZE_OF_SEGMENT, DSM_CREATE_NULL_IF_MAXSEGMENTS)) != NULL)
		n++;
	for (int i = 0; i < n; i++)
		dsm_detach(segments[i]);
	return n == needed;
}

static bool
has_memory(Size needed)
{
	void *memory = palloc_extended(needed, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);

	if (memory == NULL)
		return false;
	pfree(memory);
	return true;
}

static const Shortage *
shortage_beside_disk(const GaussdpNeeds *needs)
{
	static const Shortage buffers = {
		GAUSSDP_RULE_BUFFERS, ERRCODE_INSUFFICIENT_RESOURCES,
		"too few shared buffers are unpinned for a private query",
		"Close cursors, or run it when fewer queries run. The administrator can raise shared_buffers."};
	static const Shortage locks = {
		GAUSSDP_RULE_LOCKS, ERRCODE_OUT_OF_MEMORY,
		"too little of the lock table is free for a private query",
		"Release advisory locks, or end transactions. The administrator can raise max_locks_per_transaction."};
	static const Shortage memory = {GAUSSDP_RULE_MEMORY, ERRCODE_OUT_OF_MEMORY,
									"too little memory is free for a private query",
									"Lower work_mem, or run it when fewer queries run."};

	if (!has_buffers(needs->buffers))
		return &buffers;
	if (!has_locks(needs->locks))
		return &locks;
	if (!has_memory(needs->memory))
		return &memory;
	return NULL;
}

/* Its part of the disk is reserved already. */
bool
gaussdp_has_resources(const GaussdpRoom *room)
{
	return shortage_beside_disk(&room->needs) == NULL &&
		   gaussdp_free_temp_space() >= room->needs.disk;
}

/* What is there may depend on levels that run: who cannot pay, or is suspended, is told that instead. */
static void
refuse(const GaussdpRoom *room, const Shortage *shortage)
{
	gaussdp_check_payable(room);
	gaussdp_count_refusal((int) shortage->rule);
	ereport(ERROR,
			(errcode(shortage->sqlerrcode), errmsg("%s", shortage->what),
			 errdetail_internal("%s", gaussdp_nothing_charged()), errhint("%s", shortage->hint)));
}

void
gaussdp_check_temp_space(const GaussdpRoom *room)
{
	static const Shortage disk = {
		GAUSSDP_RULE_DISK, ERRCODE_DISK_FULL,
		"too little disk is free for the temporary files of a private query",
		"Run it when fewer private queries run. The administrator can give them larger tablespaces of their own by "
		"gaussdp.temp_tablespaces."};

	if (!gaussdp_reserve_temp_space(room->needs.disk, room->owner))
		refuse(room, &disk);
}

void
gaussdp_check_resources(GaussdpRoom *room)
{
	static const Shortage segments = {
		GAUSSDP_RULE_MEMORY, ERRCODE_INSUFFICIENT_RESOURCES,
		"too few segments of dynamic shared memory are free for a parallel private query",
		"Run it when fewer parallel queries run, or set max_parallel_workers_per_gather to 0."};
	const Shortage *shortage;

	room->needs = needs_of(room);
	shortage = shortage_beside_disk(&room->needs);
	if (shortage != NULL)
		refuse(room, shortage);
	if (!has_segments(room->needs.segments))
		refuse(room, &segments);
	gaussdp_check_temp_space(room);
}
