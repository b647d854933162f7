/*
 * resources.h
 *		What a level can need of the server is there before it is charged.
 */
#ifndef GAUSSDP_POLICY_EXEC_RESOURCES_H
#define GAUSSDP_POLICY_EXEC_RESOURCES_H

#include "postgres.h"

#include "policy/exec/room.h"

/* Counts what the room's plan needs; refuses it, with an SQLSTATE of class 53, where that is not there with a wide margin. */
extern void gaussdp_check_resources(GaussdpRoom *room);

/* Of a level whose plan is not known here: reserves what it needs of the disk beside others, which is nothing. */
extern void gaussdp_check_temp_space(const GaussdpRoom *room);

/* Is it there now?  Reads no catalog, and raises nothing. */
extern bool gaussdp_has_resources(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_RESOURCES_H */
