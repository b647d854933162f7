/*
 * storage.h
 *		Where the rows of a table are: in this server's own heap, in shards, or where somebody else's code reads them.
 */
#ifndef GAUSSDP_POLICY_PROOF_STORAGE_H
#define GAUSSDP_POLICY_PROOF_STORAGE_H

#include "postgres.h"

/*
 * Why a level cannot read the rows of a table, or of a partition of it, where they are, as the rest of a sentence; NULL
 * where it can: in this server's heap, or where Citus keeps them, of which citus/level_proof.c asks more.  Other code would see the conditions of a
 * level, and could tell of its rows.
 */
extern const char *gaussdp_storage_problem(Oid relation, bool is_public);

#endif /* GAUSSDP_POLICY_PROOF_STORAGE_H */
