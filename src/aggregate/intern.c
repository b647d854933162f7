/*
 * intern.c
 *		A query calibrates each set of parameters once.
 *
 * The sets hang on a list in the query's memory, shared by all of its calls.  The list is bounded; what does not fit lives with the
 * group's state.
 */
#include "postgres.h"

#include "executor/nodeAgg.h"
#include "utils/memutils.h"

#include "aggregate/state.h"

/* Sets of parameters that a query keeps; those beyond live with the states of their groups. */
#define MAX_SETS 64

/* The sets of one query, in its memory. */
typedef struct GaussdpCache
{
	MemoryContext query;
	struct GaussdpCache *next;
	MemoryContextCallback forget;
	int nsets;
	GaussdpParams *sets[MAX_SETS];
} GaussdpCache;

/* One entry for each query under way: a function in a query may run another query. */
static GaussdpCache *caches = NULL;

bool
gaussdp_same_key(const GaussdpKey *a, const GaussdpKey *b)
{
	return memcmp(a, b, sizeof(GaussdpKey)) == 0;
}

GaussdpSite *
gaussdp_site_of(FunctionCallInfo fcinfo)
{
	GaussdpSite *site = fcinfo->flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(GaussdpSite));
		site->nexprs = -1;
		fcinfo->flinfo->fn_extra = site;
	}
	return site;
}

/* The query's memory goes away, and its list with it. */
static void
forget_cache(void *arg)
{
	for (GaussdpCache **link = &caches; *link != NULL; link = &(*link)->next)
	{
		if (*link == arg)
		{
			*link = (*link)->next;
			return;
		}
	}
}

static GaussdpCache *
cache_of_query(FunctionCallInfo fcinfo)
{
	MemoryContext query = castNode(AggState, fcinfo->context)->ss.ps.state->es_query_cxt;
	GaussdpCache *cache;

	for (cache = caches; cache != NULL; cache = cache->next)
		if (cache->query == query)
			return cache;
	cache = MemoryContextAllocZero(query, sizeof(GaussdpCache));
	cache->query = query;
	cache->next = caches;
	cache->forget.func = forget_cache;
	cache->forget.arg = cache;
	MemoryContextRegisterResetCallback(query, &cache->forget);
	caches = cache;
	return cache;
}

const GaussdpParams *
gaussdp_params_intern(FunctionCallInfo fcinfo, const GaussdpKey *key)
{
	MemoryContext group = gaussdp_group_context(fcinfo);
	GaussdpSite *site = gaussdp_site_of(fcinfo);
	GaussdpCache *cache = site->cache;
	GaussdpParams filled;
	GaussdpParams *params;
	bool shared;

	if (site->last != NULL && gaussdp_same_key(&site->last->key, key))
		return site->last;
	if (cache == NULL)
		cache = site->cache = cache_of_query(fcinfo);
	for (int i = 0; i < cache->nsets; i++)
		if (gaussdp_same_key(&cache->sets[i]->key, key))
			return site->last = cache->sets[i];

	gaussdp_params_fill(&filled, key);
	shared = filled.shared = cache->nsets < MAX_SETS;
	params = MemoryContextAlloc(shared ? cache->query : group, sizeof(GaussdpParams));
	*params = filled;
	if (shared)
		site->last = cache->sets[cache->nsets++] = params;
	return params;
}

const GaussdpParams *
gaussdp_params_keep(FunctionCallInfo fcinfo, const GaussdpParams *params)
{
	GaussdpParams *copy;

	if (params->shared)
		return params;
	copy = MemoryContextAlloc(gaussdp_group_context(fcinfo), sizeof(GaussdpParams));
	*copy = *params;
	return copy;
}
