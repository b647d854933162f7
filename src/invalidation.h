/*
 * invalidation.h
 *		Changes of relations, told to every part that remembers something of them.
 */
#ifndef GAUSSDP_INVALIDATION_H
#define GAUSSDP_INVALIDATION_H

#include "postgres.h"

#include "utils/inval.h"

/* Calls this function, for the rest of the session, whenever the relation cache forgets a relation; 0: all of them. */
extern void gaussdp_on_relation_change(RelcacheCallbackFunction tell);

#endif /* GAUSSDP_INVALIDATION_H */
