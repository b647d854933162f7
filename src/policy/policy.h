/*
 * policy.h
 *		Grant by proof: PostgreSQL's refusal does not hold for queries that are proven private.
 *
 * The extension restricts nobody.  It raises a refusal that PostgreSQL would raise anyway, with a
 * reason and before planning, or answers a query by levels that are proven and paid.  Without the
 * library, with an error in it, on anything unknown, PostgreSQL's own check stands.
 *
 *		policy.c	what the planner's hook calls, before planning and after it
 *		rewrite/	from a query as it was written to levels that can be proven
 *		proof/		may a level run?
 *		exec/		it runs: charges, releases, closes side channels
 *		people/		plan nodes that bring the rows of people together
 *		explain/	the verdict and the price without a run
 *		hints/		the nearest legal form of what is refused
 */
#ifndef GAUSSDP_POLICY_H
#define GAUSSDP_POLICY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* What the step before planning has found, for the one after it. */
typedef struct GaussdpFindings
{
	bool touches;       /* is a protected table named? */
	bool calls_in_from; /* may a function in FROM bring another query with it? */
} GaussdpFindings;

/* Before planning: proves the levels of the query and cuts them out, in place; 42501 where that is refused. */
extern GaussdpFindings gaussdp_prove_query(Query *query, const char *source);

/* After planning: nothing was put in that nobody has proven, and the plan is the role's alone. */
extern void gaussdp_finish_plan(PlannedStmt *plan, const char *source,
								const GaussdpFindings *findings);

#endif /* GAUSSDP_POLICY_H */
