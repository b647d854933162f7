/*
 * enums.h
 *		The enumerations of a level: their labels stay, and leave nothing in caches.
 */
#ifndef GAUSSDP_POLICY_EXEC_ENUMS_H
#define GAUSSDP_POLICY_EXEC_ENUMS_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Loads their orders anew.  After the snapshot, before the first protected row. */
extern void gaussdp_load_enums(Node *computed);

#endif /* GAUSSDP_POLICY_EXEC_ENUMS_H */
