/*
 * processes.h
 *		Processes of a level's parallel plan.
 */
#ifndef GAUSSDP_POLICY_EXEC_PROCESSES_H
#define GAUSSDP_POLICY_EXEC_PROCESSES_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Lets processes that run a part of the plan know that it is a level's. */
extern void gaussdp_mark_plan(PlannedStmt *plan);

/* Steps of ExecutorStart_hook, before and after it: such a process locks and looks up what it may need. */
extern void gaussdp_begin_process(const QueryDesc *query);
extern void gaussdp_prepare_process(const QueryDesc *query);

#endif /* GAUSSDP_POLICY_EXEC_PROCESSES_H */
