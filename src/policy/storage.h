/*
 * storage.h
 *		Where the rows of a table are: in this server's own heap, or where somebody else's code reads them.
 */
#ifndef GAUSSDP_POLICY_STORAGE_H
#define GAUSSDP_POLICY_STORAGE_H

#include "postgres.h"

/*
 * Why the rows of a table, or of a partition of it, are not this server's own, as the rest of a sentence; NULL
 * where they are.  Other code would see the conditions of a level, and could tell of its rows.
 */
extern const char *gaussdp_storage_problem(Oid relation);

#endif /* GAUSSDP_POLICY_STORAGE_H */
