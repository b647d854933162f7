/*
 * weigh.h
 *		The first level of a query, for tests that look at its plan.
 */
#ifndef GAUSSDP_TEST_WEIGH_H
#define GAUSSDP_TEST_WEIGH_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

struct GaussdpLevel;

/* The first level of a query, as it is proven before it runs. */
extern struct GaussdpLevel *test_first_level(const char *source);

/* A level with its rows weighed, as SQL. */
extern char *test_weighed_text(const struct GaussdpLevel *level);

/* Its plan as exec/ makes it, the query that was verified, and whether rows of people are weighed. */
extern PlannedStmt *test_level_plan(const char *source, Query **query, bool *is_weighed);

#endif /* GAUSSDP_TEST_WEIGH_H */
