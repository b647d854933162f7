/*
 * find_rows.h
 *		As how many rows a person counts in each call of a level, found in the rows themselves (find_rows.c).
 */
#ifndef GAUSSDP_POLICY_EXEC_FIND_ROWS_H
#define GAUSSDP_POLICY_EXEC_FIND_ROWS_H

#include "postgres.h"

#include "policy/exec/room.h"

/* Has the level to be read for that before it is answered? */
extern bool gaussdp_has_to_find(const GaussdpLevel *level);

/* Where the groups of that reading go; and its plan, which has been started, counts people. */
extern DestReceiver *gaussdp_receive_groups(GaussdpRoom *room);
extern void gaussdp_prepare_finding(GaussdpRoom *room, const QueryDesc *query);

/* What is found, a List of GaussdpFoundRows, when it has come to its end: draws noise, once. */
extern List *gaussdp_release_found(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_FIND_ROWS_H */
