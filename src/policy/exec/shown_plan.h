/*
 * shown_plan.h
 *		EXPLAIN of a level, for who may read its rows anyhow.
 */
#ifndef GAUSSDP_POLICY_EXEC_SHOWN_PLAN_H
#define GAUSSDP_POLICY_EXEC_SHOWN_PLAN_H

#include "postgres.h"

#include "commands/explain.h"

#include "policy/exec/room.h"

/* Adds the level's plan, with its known inputs, to what EXPLAIN says of its node; nothing for those who may not read its rows. */
extern void gaussdp_show_plan(Query *level, const char *source, ExplainState *es);

#endif /* GAUSSDP_POLICY_EXEC_SHOWN_PLAN_H */
