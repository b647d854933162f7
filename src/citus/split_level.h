/*
 * split_level.h
 *		A level as Citus computes it: exact sums on the servers, the release here.
 *
 *		SELECT dept, dp_avg(pay, 1, 1e-6, 0, 9) FROM dept LEFT JOIN emp USING (d) GROUP BY dept HAVING dp_count(1, 1e-6) > 9
 *
 * becomes
 *
 *		exact		SELECT dept, sum(grid_point(pay, P)), count(grid_point(pay, P)), count(*)
 *					FROM (VALUES ...) dept JOIN emp USING (d) GROUP BY dept
 *		groups		SELECT dept, NULL, NULL, NULL FROM dept GROUP BY dept
 *		release		SELECT key, release_1 FROM (SELECT key, release_avg(max(part_1), max(part_2), P) AS release_1,
 *					release_count(max(part_3), P3) AS release_2 FROM rows GROUP BY key) WHERE release_2 > 9 ORDER BY key
 *
 * where rows are those of exact and of groups: so a group of public rows has noise, whether there is a protected row or not, and
 * no server makes up rows.  Public rows have been read (public_rows.c), and are sent along.
 */
#ifndef GAUSSDP_CITUS_SPLIT_LEVEL_H
#define GAUSSDP_CITUS_SPLIT_LEVEL_H

#include "postgres.h"

#include "policy/exec/exec.h"

typedef struct GaussdpSplitLevel
{
	Query *exact;
	Query *groups; /* NULL where all groups are those of rows */
	Query *release;
} GaussdpSplitLevel;

/* What the release reads its rows by. */
#define GAUSSDP_EXACT_ROWS "exact rows"

/* Makes these of room->readable, whose public rows have been read, and which is written on. */
extern GaussdpSplitLevel gaussdp_split_level(GaussdpRoom *room);

#endif /* GAUSSDP_CITUS_SPLIT_LEVEL_H */
