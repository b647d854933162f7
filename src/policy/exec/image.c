/*
 * image.c
 *		The bytes of a value, by which a query that window_order.c makes tells values apart that their type's own order does not.
 *		And the one form of values that are equal and look different, which rewrite/images.c shows as a group key.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "policy/contained/contained.h"

PG_FUNCTION_INFO_V1(gaussdp_image);
PG_FUNCTION_INFO_V1(gaussdp_float4_one_image);
PG_FUNCTION_INFO_V1(gaussdp_float8_one_image);
PG_FUNCTION_INFO_V1(gaussdp_interval_one_image);

/* What the function keeps of its argument's type. */
typedef struct Storage
{
	int16 length;
	bool by_value;
} Storage;

static const Storage *
storage_of(FmgrInfo *function)
{
	Storage *storage = function->fn_extra;

	if (storage == NULL)
	{
		storage = MemoryContextAlloc(function->fn_mcxt, sizeof(Storage));
		get_typlenbyval(get_fn_expr_argtype(function, 0), &storage->length, &storage->by_value);
		function->fn_extra = storage;
	}
	return storage;
}

/* Shorter bytes are their own image, so that no two texts have one, and others have a hash that nobody can find two texts for. */
static bytea *
make_image(const char *bytes, Size length)
{
	Size size = Min(length, PG_SHA256_DIGEST_LENGTH);
	bytea *image = palloc(VARHDRSZ + size);
	pg_cryptohash_ctx *hash;

	SET_VARSIZE(image, VARHDRSZ + size);
	if (length < PG_SHA256_DIGEST_LENGTH)
	{
		memcpy(VARDATA(image), bytes, length);
		return image;
	}
	hash = pg_cryptohash_create(PG_SHA256);
	if (hash == NULL || pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) bytes, length) < 0 ||
		pg_cryptohash_final(hash, (uint8 *) VARDATA(image), size) < 0)
		elog(ERROR, "could not compute a SHA-256");
	pg_cryptohash_free(hash);
	return image;
}

/* gaussdp_internal.image("any") */
Datum
gaussdp_image(PG_FUNCTION_ARGS)
{
	const Storage *storage = storage_of(fcinfo->flinfo);
	Datum value = PG_GETARG_DATUM(0);
	struct varlena *plain;
	bytea *image;
	char bytes[sizeof(Datum)];

	if (storage->by_value)
	{
		store_att_byval(bytes, value, storage->length);
		PG_RETURN_BYTEA_P(make_image(bytes, (Size) storage->length));
	}
	if (storage->length > 0)
		PG_RETURN_BYTEA_P(make_image(DatumGetPointer(value), (Size) storage->length));
	if (storage->length == -2)
		PG_RETURN_BYTEA_P(make_image(DatumGetCString(value), strlen(DatumGetCString(value))));
	/* which nothing else of a level reads either (row_memory.c) */
	if (toast_raw_datum_size(value) > GAUSSDP_ALONE_MEMORY)
		PG_RETURN_NULL();
	plain = PG_DETOAST_DATUM_PACKED(value);
	image = make_image(VARDATA_ANY(plain), VARSIZE_ANY_EXHDR(plain));
	if ((Pointer) plain != DatumGetPointer(value))
		pfree(plain);
	PG_RETURN_BYTEA_P(image);
}

/* gaussdp_internal.one_image(float4): NaN has many images, too */
Datum
gaussdp_float4_one_image(PG_FUNCTION_ARGS)
{
	float4 value = PG_GETARG_FLOAT4(0);

	if (isnan(value))
		PG_RETURN_FLOAT4(get_float4_nan());
	PG_RETURN_FLOAT4(value == 0 ? 0 : value);
}

/* gaussdp_internal.one_image(float8) */
Datum
gaussdp_float8_one_image(PG_FUNCTION_ARGS)
{
	float8 value = PG_GETARG_FLOAT8(0);

	if (isnan(value))
		PG_RETURN_FLOAT8(get_float8_nan());
	PG_RETURN_FLOAT8(value == 0 ? 0 : value);
}

/*
 * gaussdp_internal.one_image(interval): a function of the span alone, by which intervals are compared.  Unlike justify_interval() it does not
 * fail: what months cannot hold stays days, what these cannot hold stays time, of which there is no more then than there was.
 */
Datum
gaussdp_interval_one_image(PG_FUNCTION_ARGS)
{
	const Interval *value = PG_GETARG_INTERVAL_P(0);
	Interval *image = palloc0(sizeof(Interval));
	int64 days = (int64) value->month * DAYS_PER_MONTH + value->day + value->time / USECS_PER_DAY;
	int64 time = value->time % USECS_PER_DAY;

	if (days > 0 && time < 0)
	{
		days--;
		time += USECS_PER_DAY;
	}
	else if (days < 0 && time > 0)
	{
		days++;
		time -= USECS_PER_DAY;
	}
	image->month = (int32) Min(Max(days / DAYS_PER_MONTH, PG_INT32_MIN), PG_INT32_MAX);
	days -= (int64) image->month * DAYS_PER_MONTH;
	image->day = (int32) Min(Max(days, PG_INT32_MIN), PG_INT32_MAX);
	image->time = (days - image->day) * USECS_PER_DAY + time;
	PG_RETURN_INTERVAL_P(image);
}
