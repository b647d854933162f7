/*
 * weigh.h
 *		The first level of a query, for tests that look at its plan.
 */
#ifndef GAUSSDP_TEST_WEIGH_H
#define GAUSSDP_TEST_WEIGH_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

#include "policy/exec/exec.h"

/* The first level of a query, as it is proven before it runs. */
extern GaussdpLevel *test_first_level(const char *source);

/* A level with its rows weighed, as SQL; with the answers of its calls, those that have no aggregate of their own by probe.sql. */
extern char *test_weighed_text(const GaussdpLevel *level, bool answers);

/* What exec/ makes of it: the plan of its exact numbers, their query and program, and the query that was verified. */
typedef struct TestPlan
{
	GaussdpRoom room; /* of which no more is filled in */
	Query *level;
} TestPlan;

/* Its rows are weighed by the node, or, where that is false, by nothing. */
extern TestPlan *test_level_plan(const char *source, bool by_node);

/* Why it is refused; NULL where it is proven. */
extern const char *test_plan_refusal(TestPlan *plan);

#endif /* GAUSSDP_TEST_WEIGH_H */
