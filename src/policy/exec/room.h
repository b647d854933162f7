/*
 * room.h
 *		The clean room: one run of a level, from its inputs to its released rows.
 *
 * Nothing of the analyst's runs between a level's verdict and its last row, and everything that is not
 * protected is computed, copied, detoasted, checked and locked before the first protected row.  In order:
 *
 *		inputs.c		1. parameters and expressions without columns become constants
 *		public_rows.c	2. public relations are read to their ends, and their keys checked in these rows
 *		row_width.c		   rows are compared by short values
 *		exact_level.c	3. it becomes a query of exact numbers, and a program for its rows
 *		estimates.c		   the query is planned, alone
 *		locks.c			4. all that reading may need is locked,
 *		named_objects.c	   and what the level names, which may be dropped
 *		enums.c			   enumerations, too
 *		room.c			5. the verdict, against the catalog as of now
 *		plan_proof.c	6. the finished plan is proven, too
 *		row_memory.c	   and takes no more memory for a row than is known now
 *		extent.c		   and refused where its tables are larger than is allowed
 *		kept_level.c	   what was released for an equal level is shown again instead, to who has paid for it
 *		resources.c		   it is refused where what it can need is not there
 *		price.c			7. what is released of its rows is charged, durably
 *		reading.c		8. the level runs to its end, with its side channels closed (side_channels.c), and leaves no
 *						   trace in caches (caches.c); release_rows.c draws the noise of each group
 *
 * Where rows are to be found (find_rows.c), steps 1 to 8 are taken twice, as by two levels: the first releases as how many rows a
 * person counts.
 *
 * Where Citus distributes the level's tables, citus/servers.c takes the places of steps 3, 6 and 8.
 *
 * User code may run in steps 1 to 3 (in 3: in expressions of indexes and in CHECK constraints), so the verdict
 * comes after them.  node.c is the plan node around all that.
 */
#ifndef GAUSSDP_POLICY_EXEC_ROOM_H
#define GAUSSDP_POLICY_EXEC_ROOM_H

#include "postgres.h"

#include "executor/execdesc.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "tcop/dest.h"
#include "utils/queryenvironment.h"
#include "utils/resowner.h"
#include "utils/tuplestore.h"

#include "ledger/ledger.h"
#include "policy/people/people.h"
#include "policy/proof/proof.h"

/* The first reading of a level that finds as how many rows a person counts (find_rows.c). */
typedef struct GaussdpFinding GaussdpFinding;

/* Rows that a level has released. */
typedef struct GaussdpReleased GaussdpReleased;

/* An answer is rough that may be off by more than this part of its value, with 95 % confidence. */
#define GAUSSDP_ROUGH 0.5

/* What is released of the rows of a level's exact query (exact_level.c). */
typedef struct GaussdpProgram
{
	List *columns; /* of Node: the columns of that query, keys and calls of the level, each once */
	List *having;  /* of Expr, over the same columns with calls released: is a group shown? */
	List *targets; /* of TargetEntry, likewise: the columns of the level */
} GaussdpProgram;

/* What a plan can need, by what is public: its nodes, and the sizes of its tables as powers of two. */
typedef struct GaussdpNeeds
{
	int buffers; /* pinned at the same time */
	int locks;
	int segments; /* of dynamic shared memory */
	Size memory;
	double disk; /* bytes of temporary files, */
	int files; /* and how many of them its number is made to be (temp_files.c); 0: it fits into memory */
} GaussdpNeeds;

/* One run of a level. */
typedef struct GaussdpRoom
{
	EState *around;              /* of the query around */
	const char *source;          /* its text */
	uint64 query_id;             /* 0 without */
	TupleDesc columns;           /* of the released rows, as the query around was planned */
	GaussdpStatement *statement; /* what it has been charged so far */
	/* the releases of the other levels of the statement that have not run yet, as far as they have a price */
	GaussdpRelease *later;
	int nlater;
	Query *filled;     /* the level with its inputs */
	const List *found; /* of GaussdpFoundRows: what the first reading has found */
	/* filled in step by step */
	GaussdpFinding *finding; /* NULL but in that reading */
	GaussdpLevel *level;     /* as verified */
	/* the same over public rows that have been read; here, its exact numbers, and what is released of them */
	Query *readable;
	GaussdpProgram program;
	QueryEnvironment *public_rows; /* these rows */
	List *stores;                  /* of Tuplestorestate: where they are */
	List *unique;                  /* of GaussdpUniqueColumn: what is known of them */
	int64
		matches; /* how many of them may stand beside one protected row, in any query of the level */
	double public_bytes;       /* of all of them, */
	double public_width;       /* and of the widest of each relation together */
	GaussdpWeighing *weighing; /* by what a node of the plan weighs rows; NULL without */
	List *order;               /* of SortGroupClause, over targets: how the released rows come */
	List *targets;
	PlannedStmt *plan;
	GaussdpPayers payers;    /* who has paid for that reading */
	bool has_key;            /* may what is released be shown again? */
	GaussdpAnswerKey key;    /* then by this, */
	TimestampTz drawn;       /* and since when */
	TimestampTz shown_since; /* when what is shown again was drawn; 0: it is new */
	bool is_paid_again;      /* did it cost something again? */
	ResourceOwner owner;     /* of the query around */
	DestReceiver *exact;     /* takes the exact rows */
	bool has_drawn;          /* has noise been drawn of them? */
	bool is_starting;        /* do its processes start, so that none has read a row? */
	GaussdpNeeds needs;      /* of its plan */
	GaussdpReleased *released;
	int64 shown; /* groups */
	/*
	 * by column of the program: in how many of them the answer may be off by more than half of its value; -1 where that is not
	 * known, or the column is none of the level's; NULL where no row was released here
	 */
	int64 *rough;
	/* likewise, what part of the answer may lie beyond bounds that are found, at most */
	double *beyond;
} GaussdpRoom;

/* Steps 2 to 8, as the current role.  The released rows are in the memory of the query around. */
extern void gaussdp_run_level(GaussdpRoom *room);

/* room.c: the level's protected entries, and those of queries in its FROM, are checked as their owners. */
extern void gaussdp_check_as_owners(const GaussdpLevel *level, Query *query);

/* room.c: step 5: whatever the catalog has become while user code could still run, the verdict must be the same again. */
extern void gaussdp_confirm_level(GaussdpRoom *room);

/* room.c: step 7, for an answer that is shown again. */
extern void gaussdp_charge_level_again(const GaussdpRoom *room, const GaussdpReused *kept);

/* room.c: raises what a charge of a new answer would, and charges nothing. */
extern void gaussdp_check_payable(const GaussdpRoom *room);

/* released.c: from now on the query, whose rows will be released, has no order: the room sorts them by it. */
extern void gaussdp_take_order(GaussdpRoom *room, Query *query);

/* released.c: where the released rows go; and, before they come, are their columns what the query around was planned for? */
extern DestReceiver *gaussdp_receive_released(GaussdpRoom *room);
extern void gaussdp_prepare_released(GaussdpRoom *room, DestReceiver *receiver, TupleDesc columns);

/*
 * exact_level.c: takes the program out of the query, which then shows keys and calls; plans it, when nothing more is to be added to
 * the query; and lets the plan hand up the states of calls.
 */
extern void gaussdp_take_program(GaussdpRoom *room, Query *query);
extern void gaussdp_plan_program(GaussdpRoom *room, Query *query);
extern void gaussdp_hand_up_states(PlannedStmt *stmt);

/*
 * release_rows.c: where exact rows go; what is needed for that of a query that is started; and, when it has ended, the noise of
 * all rows.
 */
extern DestReceiver *gaussdp_receive_exact(GaussdpRoom *room);
extern void gaussdp_prepare_release(GaussdpRoom *room, const QueryDesc *query);
extern void gaussdp_release_rows(GaussdpRoom *room);

/* released.c: the values of a row, none of them compressed or stored elsewhere. */
extern Datum *gaussdp_plain_values(TupleTableSlot *slot);

/* released.c: in place of what would be released, rows that were before, in their order; with all columns of the program. */
extern TupleTableSlot *gaussdp_begin_kept(GaussdpRoom *room);
extern void gaussdp_add_kept(GaussdpRoom *room, TupleTableSlot *row);

/*
 * released.c: what of them lies in files moves to files of the session's own, when the level is over: the query around may keep them for
 * as long as it likes.
 */
extern void gaussdp_move_released(GaussdpRoom *room);

/* released.c: the released rows, forwards and backwards, also from the beginning or from a place that was marked. */
extern bool gaussdp_next_released(GaussdpReleased *released, bool forward, TupleTableSlot *slot);
extern bool gaussdp_has_released(const GaussdpReleased *released);
extern void gaussdp_rescan_released(GaussdpReleased *released);
extern void gaussdp_mark_released(GaussdpReleased *released);
extern void gaussdp_return_to_mark(GaussdpReleased *released);
extern void gaussdp_end_released(GaussdpReleased *released);

/* public_rows.c: step 2. */
extern void gaussdp_read_public_rows(GaussdpRoom *room);

/* public_rows.c: a store of the room's, in memory of its own, and the end of them all. */
extern Tuplestorestate *gaussdp_begin_store(GaussdpRoom *room);
extern void gaussdp_end_stores(const GaussdpRoom *room);

/* locks.c: step 4. */
extern void gaussdp_lock_all(const PlannedStmt *plan);

/* extent.c: refuses a plan that reads more pages than the role's grant or a setting allows; before the charge. */
extern void gaussdp_check_extent(const GaussdpRoom *room);

/* extent.c: the pages of its tables, each size as the next power of two, as often as rows may be written again. */
extern double gaussdp_pages_read(const GaussdpRoom *room);

/* extent.c: the same with the pages in which long values lie. */
extern double gaussdp_pages_stored(const GaussdpRoom *room);

/*
 * plan_proof.c: step 6.  Why the plan does more than the query of exact numbers, or the program for its rows more than the verified
 * level, or the plan less, where a node shall weigh rows: the rest of a sentence; or NULL.
 */
extern const char *gaussdp_plan_problem(PlannedStmt *plan, const Query *query,
										const GaussdpProgram *program, const Query *level,
										bool is_weighed);

/* page_reads.c: does any part of the plan read a table?  Public relations are tuplestores by then, so that it is a protected one. */
extern bool gaussdp_reads_table(const Plan *plan);

/* page_reads.c: all plans right below this one. */
extern List *gaussdp_children_of(const Plan *plan);

/* page_reads.c: nested loops of the plan read tables once; does this one? */
extern void gaussdp_keep_inner_tables(Plan *plan);
extern bool gaussdp_inner_is_kept(const NestLoop *join);

/* page_reads.c: has a process that runs this plan to its end read all of its tables then, whatever the rows are?  Have all processes? */
extern bool gaussdp_leaves_nothing(const Plan *plan);
extern bool gaussdp_processes_leave_nothing(const PlannedStmt *plan);

/* page_reads.c: reads what a plan that has run to its end has left of its tables. */
extern void gaussdp_read_left(PlanState *plan);

/* processes.c: the node of a parallel plan that starts its processes once, whatever the rows are; or NULL. */
extern const Plan *gaussdp_gather_asked_first(const Plan *plan);

/* processes.c: does no other node start processes? */
extern bool gaussdp_starts_processes_once(const PlannedStmt *plan);

/* row_width.c: by what rows of the query, a copy of the level's, are grouped, sorted and joined is short. */
extern void gaussdp_narrow_rows(const GaussdpLevel *level, Query *query);

/* row_width.c: the same of its calls' values, when its program has been taken. */
extern void gaussdp_narrow_calls(const GaussdpLevel *level, Query *query);

/* row_memory.c: what looks at long values in a proven plan is evaluated in memory of its own. */
extern void gaussdp_limit_memory(PlannedStmt *plan);

/* The same for a query that servers of Citus compute: what is longer than a megabyte is NULL for its calls. */
extern Query *gaussdp_limit_stored(const Query *query);

/* node.c: the step of set_rel_pathlist_hook that gives a stand-in its one path. */
extern void gaussdp_add_level_path(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry);

/* node.c: registers the plan node; called once, by _PG_init. */
extern void gaussdp_level_node_init(void);

#endif /* GAUSSDP_POLICY_EXEC_ROOM_H */
