/*
 * pack.h
 *		Calls with constant parameters: planned with all of them in one constant.
 */
#ifndef GAUSSDP_AGGREGATE_PACK_H
#define GAUSSDP_AGGREGATE_PACK_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Packs the calls of a query, in place: the last step before PostgreSQL plans it.  True if a foreign server may be sent
 * the calls, none of which is packed then.
 */
extern bool gaussdp_pack_calls(Query *query);

#endif /* GAUSSDP_AGGREGATE_PACK_H */
