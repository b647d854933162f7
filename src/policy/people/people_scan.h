/*
 * people_scan.h
 *		The state of the plan node that brings the rows of each person together (people.h).
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_SCAN_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_SCAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "policy/people/people.h"
#include "policy/people/person.h"
#include "policy/people/row_partitions.h"
#include "policy/people/shared_partitions.h"

/* Where a column that is handed up comes from. */
typedef struct GaussdpOutput
{
	int kept;     /* column of kept rows, or -1 */
	int computed; /* the number of a weight, or of a call whose total it is */
	bool is_total;
} GaussdpOutput;

typedef struct GaussdpPeopleScan
{
	CustomScanState css;
	GaussdpRowLayout layout;
	GaussdpMatcher unit; /* how people are told apart */
	GaussdpMatcher key;  /* and groups */
	GaussdpOutput *outputs;
	bool is_weighing;
	bool is_distinct; /* is one row of each person handed up? */
	bool adds_people; /* without keys: is the one cell of each person all that is counted? */
	double rows_of_partition;
	Size limit;
	/* from the first row that is asked for on */
	MemoryContext memory;
	GaussdpPerson person; /* whose rows are weighed */
	GaussdpIndex people;  /* of the current partition */
	Size held;            /* by rows in memory */
	MemoryContext loaded; /* a partition that was in a file */
	MemoryContext order;  /* the arrays below */
	bool has_read;
	List *waiting; /* of GaussdpPartition, last first */
	GaussdpPartition *current;
	GaussdpCursor cursor;
	const char **rows; /* of the current partition, in the order of their people */
	uint32 *cells;     /* of each row that is weighed, as soon as its person is at hand */
	uint32 *ends;      /* of the rows of each person */
	uint32 nrows;
	uint32 at_person; /* the next one */
	uint32 next;      /* row to be handed up, up to the end of those at hand */
	uint32 end;
	uint32 capacity;  /* of the arrays, in rows */
	uint32 at_once;   /* rows of a person that are read and handed up by and by: so many */
	bool is_streamed; /* are they? */
	bool had_nulls;   /* the row that was handed up last */
	GaussdpSharedPartitions
		*shared; /* of the processes of a parallel plan; NULL where one runs alone */
	int shared_bits;
	GaussdpRowFile *shared_files; /* by process, opened where they are needed */
} GaussdpPeopleScan;

/* people_start.c: what is kept of the rows below, which have these columns, what is handed up of it, and how people are told apart. */
extern void gaussdp_start_weighing(GaussdpPeopleScan *state, const GaussdpWeighing *weighing,
								   TupleDesc columns);
extern void gaussdp_start_grouping(GaussdpPeopleScan *state, const GaussdpGrouping *grouping,
								   TupleDesc columns);

/* people_reading.c: reads all rows below, into partitions, by itself or beside the other processes of a parallel plan. */
extern void gaussdp_read_people(GaussdpPeopleScan *state);

/* One that has been divided, or else one that nobody has claimed yet; NULL at the end. */
extern GaussdpPartition *gaussdp_take_partition(GaussdpPeopleScan *state);

/* Puts the rows of the current partition into smaller ones, of this process alone, in files. */
extern void gaussdp_divide_people(GaussdpPeopleScan *state);

extern void gaussdp_leave_partition(GaussdpPeopleScan *state);
extern void gaussdp_drop_all_files(GaussdpPeopleScan *state);

/* people_order.c: the current partition's rows, in the order of their people; false where that takes more than so many bytes, 0 for any. */
extern bool gaussdp_order_rows(GaussdpPeopleScan *state, Size limit);

extern void gaussdp_free_order(GaussdpPeopleScan *state);

/* Has the current partition the rows of one person alone?  It is read until there is another one; there is no order then. */
extern bool gaussdp_has_one_person(GaussdpPeopleScan *state);

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_SCAN_H */
