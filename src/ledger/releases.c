/*
 * releases.c
 *		The releases of a level, packed into one value of the journal, and read again.
 *
 * A level may make 128 releases, and a row for each of them let an analyst fill the disk for nearly nothing.  Packed, a
 * release takes 36 bytes, and equal ones take them once.
 *
 * Format, in network byte order: a byte with the format's number, then for each distinct release
 *
 *		1 byte	length of its kind, and the kind
 *		2 bytes	how many of them there are; the highest bit says that a threshold follows
 *		8 bytes	l2_sensitivity			(float8)
 *		8 bytes	sigma					(float8)
 *		8 bytes	mu^2 of each, 2^-52		(int8)
 *		8 bytes	threshold_delta, 10^-18	(int8; only where it is not 0)
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "releases.h"

#define FORMAT 1
#define HAS_THRESHOLD 0x8000

/* Columns of gaussdp_internal.releases(). */
enum
{
	ITEM,
	KIND,
	TIMES,
	L2_SENSITIVITY,
	SIGMA,
	MU2,
	THRESHOLD_DELTA,
	NCOLUMNS
};

static bool
is_equal(const GaussdpRelease *a, const GaussdpRelease *b)
{
	return a->relid == b->relid && strcmp(a->kind, b->kind) == 0 &&
		   a->l2_sensitivity == b->l2_sensitivity && a->sigma == b->sigma && a->mu2 == b->mu2 &&
		   a->threshold_delta == b->threshold_delta;
}

/* How many releases equal number i; 0 where an earlier one does, which has counted it. */
static int
count_equal(const GaussdpCharge *charge, int i)
{
	int times = 0;

	for (int j = 0; j < charge->nreleases; j++)
	{
		if (!is_equal(&charge->releases[i], &charge->releases[j]))
			continue;
		if (j < i)
			return 0;
		times++;
	}
	return times;
}

static void
pack(StringInfo packed, const GaussdpRelease *release, int times)
{
	int length = strlen(release->kind);

	pq_sendbyte(packed, length);
	pq_sendbytes(packed, release->kind, length);
	pq_sendint16(packed, times | (release->threshold_delta > 0 ? HAS_THRESHOLD : 0));
	pq_sendfloat8(packed, release->l2_sensitivity);
	pq_sendfloat8(packed, release->sigma);
	pq_sendint64(packed, release->mu2);
	if (release->threshold_delta > 0)
		pq_sendint64(packed, release->threshold_delta);
}

bytea *
gaussdp_pack_releases(const GaussdpCharge *charge, Oid relid)
{
	StringInfoData packed;
	bool is_empty = true;

	pq_begintypsend(&packed);
	pq_sendbyte(&packed, FORMAT);
	for (int i = 0; i < charge->nreleases; i++)
	{
		int times = charge->releases[i].relid == relid ? count_equal(charge, i) : 0;

		if (times == 0)
			continue;
		pack(&packed, &charge->releases[i], times);
		is_empty = false;
	}
	return is_empty ? NULL : pq_endtypsend(&packed);
}

/* Reads one release; errors of a value that is cut off are those of PostgreSQL's own binary formats. */
static void
unpack(StringInfo packed, Datum *values)
{
	int length = pq_getmsgbyte(packed);
	const char *kind = pq_getmsgbytes(packed, length);
	unsigned times;

	/* Anybody may call this, and what it returns is a text like any other: rule 2 counts on valid ones. */
	pg_verifymbstr(kind, length, false);
	values[KIND] = PointerGetDatum(cstring_to_text_with_len(kind, length));
	times = pq_getmsgint(packed, 2);
	values[TIMES] = Int32GetDatum((int32) (times & ~HAS_THRESHOLD));
	values[L2_SENSITIVITY] = Float8GetDatum(pq_getmsgfloat8(packed));
	values[SIGMA] = Float8GetDatum(pq_getmsgfloat8(packed));
	values[MU2] = Int64GetDatum(pq_getmsgint64(packed));
	values[THRESHOLD_DELTA] =
		Int64GetDatum((times & HAS_THRESHOLD) != 0 ? pq_getmsgint64(packed) : 0);
}

/* gaussdp_internal.releases(packed) */
PG_FUNCTION_INFO_V1(gaussdp_releases);
Datum
gaussdp_releases(PG_FUNCTION_ARGS)
{
	bytea *value = PG_GETARG_BYTEA_PP(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	StringInfoData packed;
	bool isnull[NCOLUMNS] = {false};

	InitMaterializedSRF(fcinfo, 0);
	initStringInfo(&packed);
	appendBinaryStringInfo(&packed, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	if (pq_getmsgbyte(&packed) != FORMAT)
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						errmsg("unknown format of the releases of a journal row")));
	for (int32 item = 1; packed.cursor < packed.len; item++)
	{
		Datum values[NCOLUMNS];

		values[ITEM] = Int32GetDatum(item);
		unpack(&packed, values);
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	PG_RETURN_NULL();
}
