/*
 * grouped_people.h
 *		The plan node that brings the rows of each person together, for sub-queries that group by people.
 *
 *		SELECT person, count(*) AS n FROM visits GROUP BY person
 *
 * PostgreSQL's hash aggregate looks up each row in a table of all people: where they are many, and come in no order, each row
 * waits for memory.  This node reads its rows once and puts them into partitions by a hash of the person (row_partitions.h); the
 * people of one partition are found within the processor's cache, and the rows of each are handed up side by side.  PostgreSQL's
 * own aggregation of sorted rows stands over it, which compares each row with the one before: all that it computes it computes of
 * the same rows, in the same order of each person, as without the node.
 *
 * It tells people apart by the values that the query groups by, one or several.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_GROUPED_PEOPLE_H
#define GAUSSDP_POLICY_PEOPLE_GROUPED_PEOPLE_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

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

/* grouped_people.c: the state of a node that runs. */
extern Node *gaussdp_make_grouping_state(CustomScan *scan);

/* Registers the plan node; called once, by _PG_init. */
extern void gaussdp_grouped_people_init(void);

#endif /* GAUSSDP_POLICY_PEOPLE_GROUPED_PEOPLE_H */
