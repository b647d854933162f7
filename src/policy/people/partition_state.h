/*
 * partition_state.h
 *		The state of the plan node that weighs the rows of people (partition.h).
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PARTITION_STATE_H
#define GAUSSDP_POLICY_PEOPLE_PARTITION_STATE_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "policy/people/partition.h"
#include "policy/people/people_order.h"
#include "policy/people/people_table.h"
#include "policy/people/row_partitions.h"
#include "policy/people/shared_partitions.h"

/* Where a column that is handed up comes from. */
typedef struct GaussdpOutput
{
	int kept;     /* column of kept rows, or -1 */
	int computed; /* the number of a weight, or of a call whose total it is where rows are added up */
} GaussdpOutput;

/* What is added up for calls that take the same. */
typedef struct GaussdpTotalled
{
	int weight;                /* its number */
	int value;                 /* kept column, or -1 */
	const GaussdpSizing *call; /* what a row adds */
} GaussdpTotalled;

/* Rows of the current partition as they are added up. */
typedef struct GaussdpTotals
{
	int ncalls; /* 0: rows are handed up themselves */
	GaussdpTotalled *calls;
	bool by_key; /* is there a total of each key, and not of each row? */
	uint32 n;    /* of keys */
	uint32 capacity;
	uint32 next; /* to be handed up */
	bool *has_rows;
	GaussdpTotal *totals; /* ncalls of each key */
	const char *row;      /* the last one */
	int64 *weights;       /* of a row */
	char *packed;         /* as they are handed up */
} GaussdpTotals;

typedef struct GaussdpPartitionState
{
	CustomScanState css;
	GaussdpRowLayout layout;
	GaussdpMatcher unit;
	GaussdpMatcher keys;
	GaussdpPeople people;
	GaussdpOutput *outputs;
	Size limit;
	Size held; /* by rows in memory */
	MemoryContext memory;
	MemoryContext loaded; /* a small partition that was in a file */
	bool has_read;
	List *waiting; /* of GaussdpPartition, last first */
	GaussdpPartition *current;
	GaussdpCursor cursor;
	uint32 *seats; /* of the current partition's rows; NULL where they are looked up again */
	uint64 capacity;
	uint64 row; /* the next one */
	Size cell;  /* likewise, where cells are added up */
	Size ncells;
	GaussdpTotals totals;
	bool had_nulls; /* the row that was handed up last */
	bool is_sorted; /* do rows come in the order of their people? */
	GaussdpPeopleOrder order;
	MemoryContext batch;     /* some of them */
	TupleTableSlot *pending; /* the first row of the next ones; NULL before the first of all */
	GaussdpSharedPartitions
		*shared; /* of the processes of a parallel plan; NULL where one runs alone */
	int shared_bits;
	GaussdpRowFile *shared_files; /* by process, opened where they are needed */
} GaussdpPartitionState;

/* partition_start.c: what is kept of the rows below, which have these columns, what is handed up of it, and how people are told apart. */
extern void gaussdp_start_partition_state(GaussdpPartitionState *state,
										  const GaussdpWeighing *weighing, TupleDesc columns);

/*
 * partition_count.c: counts and weighs the people of the current partition; false where their tables take more than so many
 * bytes, 0 for any.  Beside them it takes up to gaussdp_bytes_of_seats.
 */
extern bool gaussdp_count_rows(GaussdpPartitionState *state, Size limit);
extern Size gaussdp_bytes_of_seats(const GaussdpPartitionState *state);

/*
 * partition_totals.c: adds up what comes next of the current partition, by key or alone; false where nothing does.  Then its totals are
 * handed up one by one; false at their end.
 */
extern bool gaussdp_add_up(GaussdpPartitionState *state);
extern bool gaussdp_hand_up_total(GaussdpPartitionState *state, TupleTableSlot *slot);

#endif /* GAUSSDP_POLICY_PEOPLE_PARTITION_STATE_H */
