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

/* Is it there now?  Reads no catalog, and raises nothing. */
extern bool gaussdp_has_resources(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_RESOURCES_H */
