/*
 * servers.h
 *		A level whose tables Citus distributes: exact sums by its servers, as the table's owner, and the release here.
 *
 * In the order of the room's steps (room.h), which are its own but for these:
 *
 *		split_level.c		3. the level becomes sums, which Citus plans, and their release
 *		servers_proof.c		6. the plan is one scan of Citus' under aggregates
 *		servers.c			   all servers start it, without reading a row; or it is refused, and nothing is charged
 *							8. it runs; then the release, over what has come
 */
#ifndef GAUSSDP_CITUS_SERVERS_H
#define GAUSSDP_CITUS_SERVERS_H

#include "postgres.h"

#include "citus/citus.h"
#include "policy/exec/exec.h"

/* servers_proof.c: why the finished plan does something else than the query, the rest of a sentence; or NULL. */
extern const char *gaussdp_servers_problem(const PlannedStmt *plan, const Query *exact);

#endif /* GAUSSDP_CITUS_SERVERS_H */
