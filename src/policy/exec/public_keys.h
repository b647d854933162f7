/*
 * public_keys.h
 *		How many of the public rows that were read agree in what is equated to protected ones.
 */
#ifndef GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H
#define GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/queryenvironment.h"

/* How many of the rows, all of which are in their store, may stand beside one protected row; of GaussdpEquality, over their columns. */
extern int64 gaussdp_count_matches(List *equalities, EphemeralNamedRelation rows);

#endif /* GAUSSDP_POLICY_EXEC_PUBLIC_KEYS_H */
