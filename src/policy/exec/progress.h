/*
 * progress.h
 *		How far a level is, for gaussdp.stat_progress.
 */
#ifndef GAUSSDP_POLICY_EXEC_PROGRESS_H
#define GAUSSDP_POLICY_EXEC_PROGRESS_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * From before the first row to after the last one, and before the plan's memory goes: a query that has been started, and reads protected
 * tables of the owner of this one.  Costs a system call or two, and nothing for each row.
 */
extern void gaussdp_watch_progress(PlanState *plan, Oid relation);
extern void gaussdp_unwatch_progress(void);

/* Before that memory goes; what is shown stays. */
extern void gaussdp_pause_progress(void);

#endif /* GAUSSDP_POLICY_EXEC_PROGRESS_H */
