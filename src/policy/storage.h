/*
 * storage.h
 *		Where the rows of a table are: in this server's own heap, or where somebody else's code reads them.
 */
#ifndef GAUSSDP_POLICY_STORAGE_H
#define GAUSSDP_POLICY_STORAGE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Why the rows of a table, or of a partition of it, are not this server's own, as the rest of a sentence; NULL
 * where they are.  Other code would see the conditions of a level, and could tell of its rows.
 */
extern const char *gaussdp_storage_problem(Oid relation);

/*
 * Raises 0A000 where a private aggregate of the query, whoever may read what, is over a table that an extension
 * has distributed: partial states do not travel there, and no rows at all would be an error.
 */
extern void gaussdp_refuse_distributed(Query *query);

#endif /* GAUSSDP_POLICY_STORAGE_H */
