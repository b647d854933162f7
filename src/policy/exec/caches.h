/*
 * caches.h
 *		What a level leaves in the session's caches of the catalogs: nothing.
 */
#ifndef GAUSSDP_POLICY_EXEC_CACHES_H
#define GAUSSDP_POLICY_EXEC_CACHES_H

#include "postgres.h"

#include "executor/execdesc.h"
#include "nodes/parsenodes.h"

/* One run of a level, as its caches see it. */
typedef struct GaussdpCaches
{
	bool is_watched;     /* or else all caches are forgotten afterwards */
	bool has_types;      /* is all that the run may look up of types there before? */
	uint64 messages;     /* of other sessions, and */
	uint64 changes;      /* of relations, that the session has heard of before */
	MemoryContext usual; /* CacheMemoryContext, while another one has its place */
} GaussdpCaches;

/* Loads what the run may open.  To be called when all is locked, before the first protected row. */
extern void gaussdp_prepare_caches(GaussdpCaches *caches, List *computed, const QueryDesc *run);

/* Loads what a process of a parallel plan may look up, when it has started. */
extern void gaussdp_fill_caches(const QueryDesc *run);

/* From here on caches are filled by protected rows ... */
extern void gaussdp_watch_caches(GaussdpCaches *caches);

/* ... and here they have no more than before, or, where it returns false, all have to be forgotten; after an error, gaussdp_unwatch_caches alone. */
extern bool gaussdp_restore_caches(GaussdpCaches *caches);
extern void gaussdp_unwatch_caches(GaussdpCaches *caches);

/* Called once, by _PG_init. */
extern void gaussdp_caches_init(void);

#endif /* GAUSSDP_POLICY_EXEC_CACHES_H */
