/*
 * enums.h
 *		The enumerations of a level: their labels stay, and leave nothing in caches.
 */
#ifndef GAUSSDP_POLICY_EXEC_ENUMS_H
#define GAUSSDP_POLICY_EXEC_ENUMS_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Nobody drops one from here until the transaction ends: those of a level's expressions; an error where somebody just has.  Before the verdict. */
extern void gaussdp_lock_enums(Node *computed);

/* Loads their orders anew.  After the snapshot, before the first protected row. */
extern void gaussdp_load_enums(Node *computed);

#endif /* GAUSSDP_POLICY_EXEC_ENUMS_H */
