/*
 * group_place.c
 *		The order in which the groups of a person stand where not all of them are kept.
 *
 * Called by the query that weights.c makes of a level.  Privacy does not rest on it: whatever the order is, of each
 * person's groups as many stay.  It only has to be the same for equal values, and drawn anew by the seed.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/typcache.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(gaussdp_group_place);

/* What the function keeps of its arguments' types. */
typedef struct Hashing
{
	int n;
	TypeCacheEntry *types[FLEXIBLE_ARRAY_MEMBER];
} Hashing;

static Hashing *
hashing_of(FunctionCallInfo fcinfo)
{
	Hashing *hashing = fcinfo->flinfo->fn_extra;

	if (hashing != NULL)
		return hashing;
	hashing = MemoryContextAllocZero(
		fcinfo->flinfo->fn_mcxt, offsetof(Hashing, types) + sizeof(TypeCacheEntry *) * PG_NARGS());
	for (int i = 1; i < PG_NARGS(); i++)
	{
		Oid type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (OidIsValid(type))
			hashing->types[i] = lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	}
	fcinfo->flinfo->fn_extra = hashing;
	return hashing;
}

/*
 * gaussdp_internal.group_place(seed int8, VARIADIC "any"): a number that is the same for equal values.  Texts are
 * hashed by their bytes: whoever calls has seen to it that equal ones have equal bytes.  What cannot be hashed
 * does not take part.
 */
Datum
gaussdp_group_place(PG_FUNCTION_ARGS)
{
	const Hashing *hashing = hashing_of(fcinfo);
	uint64 seed = PG_ARGISNULL(0) ? 0 : (uint64) PG_GETARG_INT64(0);
	uint64 place = seed;

	for (int i = 1; i < PG_NARGS(); i++)
	{
		TypeCacheEntry *type = hashing->types[i];
		uint64 hash = 0;

		if (type != NULL && OidIsValid(type->hash_extended_proc) && !PG_ARGISNULL(i))
			hash =
				DatumGetUInt64(FunctionCall2Coll(&type->hash_extended_proc_finfo, C_COLLATION_OID,
												 PG_GETARG_DATUM(i), UInt64GetDatum(seed)));
		place = hash_combine64(place, hash);
		place = hash_bytes_uint32_extended((uint32) place, place ^ seed) ^ (place >> 32);
	}
	PG_RETURN_INT64((int64) place);
}
