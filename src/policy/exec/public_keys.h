/*
 * public_keys.h
 *		How many of the public rows that were read agree in what is equated to protected ones.
 */
#ifndef GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H
#define GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/pg_list.h"
#include "utils/queryenvironment.h"

/* The keys of the rows of one relation. */
typedef struct GaussdpPublicKeys GaussdpPublicKeys;

/* equalities: of GaussdpEquality, over these columns.  To be called before the first row. */
extern GaussdpPublicKeys *gaussdp_start_public_keys(List *equalities, TupleDesc columns);

/* Each row, on its way into its store. */
extern void gaussdp_add_public_key(GaussdpPublicKeys *keys, TupleTableSlot *slot);

/* With all rows in their store: how many of them may stand beside one protected row. */
extern int64 gaussdp_count_matches(GaussdpPublicKeys *keys, EphemeralNamedRelation rows);

#endif /* GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H */
