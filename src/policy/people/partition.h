/*
 * partition.h
 *		The plan node that weighs the rows of people, partition by partition.
 *
 * Stands between the rows of a level (weights.c) and its aggregation, in the place of window functions over sorted rows,
 * and computes the same integers.  It reads its rows once, puts them into partitions by a hash of the person, in memory or
 * in temporary files, and hands up the rows of one partition after the other, with the weights of their people; or, where all
 * calls of the level are counts, sums and averages, what these rows add to each of them.  Where rows come in the order of their
 * people, some thousand of them at a time are a partition.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PARTITION_H
#define GAUSSDP_POLICY_PEOPLE_PARTITION_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* A weight that calls share: those with the same sizes and the same k. */
typedef struct GaussdpWeight
{
	AttrNumber size;   /* of a row, a column of the rows; the other columns follow */
	bool of_people;    /* only one row of a person in a group, of those that have a size */
	int64 most;        /* as how many rows a person counts, in units of 2^-20 */
	AttrNumber sum;    /* of the sizes of a person in a group; of people: so far (windows alone) */
	AttrNumber weight; /* m */
	/* by the node alone: is the size of each row that of a whole one, or else, what computes it, and of which column? */
	bool is_whole;
	bool
		skips_null_unit; /* rows without a unit, as an outer join makes them, have no size, whatever that is otherwise */
	FuncExpr *call; /* NULL where the size is in the rows */
	AttrNumber value;
} GaussdpWeight;

/* What calls that take the same add up. */
typedef struct GaussdpTotalColumn
{
	FuncExpr *call;   /* of row_size: the kind and the parameters, and a NULL of the value's type */
	AttrNumber value; /* of a row; 0 without */
	int weight;       /* its number among the weights */
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
	bool is_sorted; /* do rows come in the order of the unit? */
	List *
		totals; /* by the node alone: of GaussdpTotalColumn; where there are any, it hands up keys and totals, and no weights */
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

/* The step of create_upper_paths_hook that leaves the rows of that level as they come. */
extern void gaussdp_leave_unsorted(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
								   RelOptInfo *output);

/* Is this the node?  *operators are those that it compares by. */
extern bool gaussdp_is_partition(const CustomScan *scan, List **operators);

/* What the node of a plan weighs by. */
extern GaussdpWeighing *gaussdp_weighing_of(const CustomScan *scan);

/*
 * How many rows a plan may yield that such a node reads.  Without statistics of protected rows the planner does not know how many of
 * them a join lets through; all rows of its larger side are a better guess, as of tables that are joined to their public keys.
 */
extern double gaussdp_rows_expected(const Plan *plan);

/* Where the node finds this column of the rows. */
extern AttrNumber gaussdp_column_below(const GaussdpWeighing *weighing, AttrNumber column);

/* partition.c: the state of a node that runs. */
extern Node *gaussdp_make_partition_state(CustomScan *scan);

/* Registers the plan node; called once, by _PG_init. */
extern void gaussdp_partition_init(void);

#endif /* GAUSSDP_POLICY_PEOPLE_PARTITION_H */
