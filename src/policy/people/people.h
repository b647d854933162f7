/*
 * people.h
 *		Plan nodes that bring the rows of each person together.  What must be right.
 *
 * Two nodes: one weighs the rows of a level by all rows of their person (partition.h), the other brings rows into the order of
 * people for PostgreSQL's own aggregation (grouped_people.h).  Each person's rows are seen by one process, all of them; neither
 * the order of rows nor the number of partitions changes a result, so that what is seen of a person depends on nobody else.
 *
 *		partition_plan.c	the weighing node: which levels it covers; its path and plan
 *		partition_start.c	what it knows before the first row: which columns it keeps, how people are told apart
 *		partition.c			the node as it runs: partitions of rows by person, weighed and handed up one by one
 *		partition_count.c	counts the rows of one partition by people
 *		partition_totals.c	what weighed rows add to counts, sums and averages, by key where keys are few
 *		people_table.c		the people of one partition: sizes by group, weights
 *		people_groups.c		which groups of a person are kept
 *		group_place.c		the random order by which they are chosen
 *		people_order.c		the order in which people come, where the plan below has one: it is checked
 *		grouped_plan.c		the grouping node: which sub-queries it covers; its path and plan
 *		grouped_people.c	the node as it runs
 *		people_rows.c		rows as both nodes keep them
 *		row_partitions.c	partitions of rows by person, in memory or in temporary files
 *		row_reading.c		these as they are read
 *		shared_partitions.c	those of all processes of a parallel plan, which claim them one by one
 *
 * Other folders include this header, and no other one of this folder.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_H

#include "policy/people/grouped_people.h"
#include "policy/people/partition.h"

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_H */
