/*
 * people.h
 *		The plan node that brings the rows of each person together.  What must be right.
 *
 * It reads its rows once and puts them into partitions by a hash of the person, in memory or in temporary files (row_partitions.h);
 * the people of one partition are found within the processor's cache, and the rows of each come one after the other.  Each person's
 * rows are seen by one process, all of them; neither the order of rows nor the number of partitions changes a result, so that what is
 * seen of a person depends on nobody else.  It does one of two things with them.
 *
 * It weighs the rows of a level (weights.c), in the place of window functions over sorted rows: it computes the same integers, and
 * hands up rows with their weights, or, where all calls of the level are counts, sums and averages, what people add to each.
 *
 * It groups the rows of a sub-query, SELECT person, count(*) FROM visits GROUP BY person.  PostgreSQL's hash aggregate would look up
 * each row in a table of all people, and wait for memory each time.  Its aggregation of sorted rows stands over the node instead, and
 * compares each row with the one before: it computes all of the same rows, in the same order of each person, as without the node.
 *
 *		weighing_plan.c		which levels it covers; its path and plan there
 *		grouping_plan.c		which sub-queries it covers; its path and plan there
 *		people_start.c		what it knows before the first row: which columns it keeps, how people are told apart
 *		people_scan.c		the node as it runs: partition by partition, person by person
 *		people_reading.c	rows as they go to partitions, and these as they are taken from there
 *		people_order.c		the rows of a partition in the order of their people
 *		person.c			a person whose rows are weighed: sizes by group, weights
 *		person_groups.c		which of their groups are kept
 *		person_totals.c		what people add to counts, sums and averages, by key
 *		group_place.c		the random order by which groups are chosen
 *		value_matching.c	which values a person is counted for, where different values are counted; a window function
 *		people_index.c		numbers for rows that differ in some columns
 *		people_rows.c		rows as the node keeps them
 *		row_partitions.c	partitions of rows by person, in memory or in temporary files
 *		row_reading.c		these as they are read
 *		shared_partitions.c	those of all processes of a parallel plan, which claim them one by one
 *
 * Other folders include this header, and no other one of this folder.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "aggregate/calls.h"

/* ---------------------------------------------------------------------------
 * Weighing: the rows of a level
 * ---------------------------------------------------------------------------
 */

/* A weight that calls share: those with the same sizes, or the same norm of the same values, and the same k. */
typedef struct GaussdpWeight
{
	GaussdpNorm norm;
	AttrNumber size; /* of a row, a column of the rows; the other columns follow */
	bool of_people;  /* only one row of a person in a group, of those that have a size */
	int64 most;      /* as how many rows a person counts, in units of 2^-20 */
	/* windows alone: the bin of a row; the sum of the sizes of a person in a group, of people so far, or their total; the row's number there */
	AttrNumber bin;
	AttrNumber sum;
	AttrNumber number;
	/* windows alone, where values are counted, each of one person: the column of them, 0 otherwise; how they are compared; their places */
	AttrNumber distinct;
	const SortGroupClause *compared;
	AttrNumber value_place;
	AttrNumber
		rows; /* how much the person's rows are together: who has few of them takes values before others do */
	AttrNumber
		weight; /* m; by windows, of a joint norm, the clipped total, in one row of a person in each group */
	/* by the node alone: is the size of each row that of a whole one? */
	bool is_whole;
	bool
		skips_null_unit; /* rows without a unit, as an outer join makes them, have no size, whatever that is otherwise */
	/* the call of row_size that computes the size, with the parameters of the norm, and the column that it reads; NULL where the size is in the rows */
	FuncExpr *call;
	AttrNumber value;
	List *calls; /* of Aggref: those of the level that take it; not in a plan */
} GaussdpWeight;

/* What calls that take the same add up. */
typedef struct GaussdpTotalColumn
{
	FuncExpr *call; /* of row_size: the kind and the parameters, and a NULL of the value's type */
	int weight;     /* its number among the weights */
	AttrNumber column; /* of the total, as GaussdpWeight has one of the weight */
} GaussdpTotalColumn;

/* What the rows of a level are weighed by.  Columns are those of the rows, which is the one item of the level's FROM. */
typedef struct GaussdpWeighing
{
	AttrNumber unit;
	List *
		keys; /* of SortGroupClause: how the first columns are compared, which are the group's keys */
	AttrNumber place;     /* of a group among those of its person; 0 where groups are public */
	FuncExpr *place_call; /* by the node alone: what computes it */
	int64 max_groups;     /* that are kept of each person, where there are places */
	List *weights;        /* of GaussdpWeight */
	List *
		below; /* of int: where the node finds each column, in a table that is scanned as it is; NIL where it is there */
	List *
		totals; /* by the node alone: of GaussdpTotalColumn; those of joint norms are clipped totals, of each person and group once */
	bool adds_up; /* are these all that is handed up, with keys? */
} GaussdpWeighing;

/* Are values of this type told apart by functions of PostgreSQL's own that look nothing up? */
extern bool gaussdp_can_compare(Oid column_type, Oid collation, Oid equality);

/* Can the node weigh these rows?  If not, window functions do. */
extern bool gaussdp_can_partition(const Query *rows, const GaussdpWeighing *weighing);

/*
 * While this level is planned, the node weighs the rows that its FROM yields.  NULL for none; returns what was in its
 * place, to be put back.
 */
typedef struct GaussdpPlannedLevel
{
	const Query *query;
	const GaussdpWeighing *weighing;
} GaussdpPlannedLevel;
extern GaussdpPlannedLevel gaussdp_plan_partitions(GaussdpPlannedLevel level);

/* The step of set_rel_pathlist_hook that puts the node over the rows of that level. */
extern void gaussdp_add_partition_path(PlannerInfo *root, RelOptInfo *rel, Index rti);

/* Is this the node?  *operators are those that it compares by. */
extern bool gaussdp_is_partition(const CustomScan *scan, List **operators);

/* What the node of a plan weighs by. */
extern GaussdpWeighing *gaussdp_weighing_of(const CustomScan *scan);

/*
 * How many rows a plan may yield that such a node reads.  Without statistics of protected rows the planner does not know how many of
 * them a join lets through; all rows of its larger side are a better guess, as of tables that are joined to their public keys.
 */
extern double gaussdp_rows_expected(const Plan *plan);

/*
 * Lets the weighing node of a plan that has been started count people by the bin of their squares for each weight (core.h):
 * GDP_LIMIT_BINS numbers of each, which are added to.  The plan must be one of a single process.
 */
extern void gaussdp_count_people(PlanState *plan, int64 *people);

/* Where the node finds this column of the rows. */
extern AttrNumber gaussdp_column_below(const GaussdpWeighing *weighing, AttrNumber column);

/* ---------------------------------------------------------------------------
 * Grouping: the rows of a sub-query
 * ---------------------------------------------------------------------------
 */

/* What the node of a plan does with the rows below. */
typedef struct GaussdpGrouping
{
	List *keys;      /* of int: the columns that are handed up by which rows are brought together */
	List *operators; /* of Oid: how they are compared */
	List *below;     /* of int: where the rows below have each column that is handed up */
	bool is_distinct; /* is one row of each group all that is wanted? */
} GaussdpGrouping;

/* The step of create_upper_paths_hook that groups the rows of a level's sub-queries by the node, where that is faster. */
extern void gaussdp_add_grouped_path(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
									 RelOptInfo *output);

/* Is this the node? */
extern bool gaussdp_is_grouping(const CustomScan *scan);

/* What the node of a plan does. */
extern GaussdpGrouping gaussdp_grouping_of(const CustomScan *scan);

/*
 * Rows of one table are taken as they are stored, where nothing but columns of it is read, NULL for all columns: the scan has nothing to
 * compute.  Returns where the table has each column; NIL where they are not its own.
 */
extern List *gaussdp_read_as_stored(PlannerInfo *root, Plan *scan, const Bitmapset *read);

/* people_scan.c: the state of a node that runs. */
extern Node *gaussdp_make_people_scan(CustomScan *scan);

/* Registers the plan node as it weighs, and as it groups; called once, by _PG_init. */
extern void gaussdp_weighing_init(void);
extern void gaussdp_grouping_init(void);

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_H */
