/*
 * points.c
 *		The aggregates that fuse.c plans: what sum and count of a shard's points give, of one state, by one call a row.
 *
 * The integers are those of values.c.  NaN and null are nobody's value, and add nothing: a state exists from the first row on
 * that has a point, so that sums over none are null, as PostgreSQL's are.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregate/cells.h"
#include "citus/split.h"

PG_FUNCTION_INFO_V1(gaussdp_points_add);
PG_FUNCTION_INFO_V1(gaussdp_points_combine);
PG_FUNCTION_INFO_V1(gaussdp_points_serialize);
PG_FUNCTION_INFO_V1(gaussdp_points_deserialize);
PG_FUNCTION_INFO_V1(gaussdp_points_sum);
PG_FUNCTION_INFO_V1(gaussdp_points_squares);
PG_FUNCTION_INFO_V1(gaussdp_points_count);

typedef struct Points
{
	gdp_int128 sum;     /* at most 2^51 a row */
	gdp_int128 squares; /* of variances, else 0 */
	int64 n;
} Points;

StaticAssertDecl(sizeof(Points) == 40, "SSPACE in the SQL script says 40");

static pg_attribute_always_inline void
add_point(Points *points, const GaussdpParams *params, double x)
{
	int64 both[2];

	if (unlikely(isnan(x)))
		return;
	switch ((GaussdpKind) params->key.kind)
	{
		case GAUSSDP_SUM:
		case GAUSSDP_AVG:
			points->sum +=
				gdp_grid_point(x, params->centre, params->scale, params->low, params->high);
			break;
		case GAUSSDP_VAR:
			gaussdp_var_points(params, x, both);
			points->sum += both[0];
			points->squares += both[1];
			break;
		default:
			gaussdp_report_other_kind();
	}
	points->n++;
}

/* The first rows of a group, and whatever is not as usual. */
static pg_noinline Datum
add_checked(FunctionCallInfo fcinfo)
{
	Points *points = PG_ARGISNULL(0) ? NULL : (Points *) PG_GETARG_POINTER(0);
	const GaussdpParams *params;

	if (PG_ARGISNULL(1))
	{
		if (points == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(points);
	}
	params = gaussdp_split_params(fcinfo, 2);
	if (params->key.weighted)
		gaussdp_report_other_kind();
	if (points == NULL)
		points = MemoryContextAllocZero(gaussdp_group_context(fcinfo), sizeof(Points));
	add_point(points, params, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(points);
}

/* add_point(internal, float8, bytea) */
Datum
gaussdp_points_add(PG_FUNCTION_ARGS)
{
	const GaussdpSplitSite *site = fcinfo->flinfo->fn_extra;

	if (unlikely(site == NULL || !site->constant || PG_ARGISNULL(0) || PG_ARGISNULL(1)))
		return add_checked(fcinfo);
	add_point((Points *) PG_GETARG_POINTER(0), &site->params, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

/* points_combine(internal, internal): either may be null. */
Datum
gaussdp_points_combine(PG_FUNCTION_ARGS)
{
	MemoryContext group = gaussdp_group_context(fcinfo);
	Points *points = PG_ARGISNULL(0) ? NULL : (Points *) PG_GETARG_POINTER(0);
	const Points *other = PG_ARGISNULL(1) ? NULL : (const Points *) PG_GETARG_POINTER(1);

	if (points == NULL && other == NULL)
		PG_RETURN_NULL();
	if (points == NULL)
		points = MemoryContextAllocZero(group, sizeof(Points));
	if (other != NULL)
	{
		points->sum = gaussdp_sum_add(points->sum, other->sum);
		points->squares = gaussdp_sum_add(points->squares, other->squares);
		points->n = gaussdp_count_add(points->n, other->n);
	}
	PG_RETURN_POINTER(points);
}

/* points_serialize(internal) */
Datum
gaussdp_points_serialize(PG_FUNCTION_ARGS)
{
	const Points *points = (const Points *) PG_GETARG_POINTER(0);
	bytea *bytes = palloc(VARHDRSZ + 40);
	char *at = VARDATA(bytes);

	(void) gaussdp_group_context(fcinfo);
	SET_VARSIZE(bytes, VARHDRSZ + 40);
	gaussdp_write_int64(&at, points->n);
	gaussdp_write_int128(&at, points->sum);
	gaussdp_write_int128(&at, points->squares);
	PG_RETURN_BYTEA_P(bytes);
}

/* points_deserialize(bytea, internal) */
Datum
gaussdp_points_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	Points *points = palloc0(sizeof(Points));
	StringInfoData buf;

	(void) gaussdp_group_context(fcinfo);
	/* The bytes are read, not copied: the buffer never grows. */
	buf.data = VARDATA_ANY(bytes);
	buf.len = buf.maxlen = (int) VARSIZE_ANY_EXHDR(bytes);
	buf.cursor = 0;
	if (buf.len != 5 * (int) sizeof(int64))
		gaussdp_bad_state();
	points->n = pq_getmsgint64(&buf);
	points->sum = gaussdp_recv_int128(&buf);
	points->squares = gaussdp_recv_int128(&buf);
	if (points->n < 0)
		gaussdp_bad_state();
	PG_RETURN_POINTER(points);
}

/* The points of a final function; NULL where no row has one. */
static const Points *
final_points(FunctionCallInfo fcinfo)
{
	const Points *points = PG_ARGISNULL(0) ? NULL : (const Points *) PG_GETARG_POINTER(0);

	(void) gaussdp_group_context(fcinfo);
	return points != NULL && points->n > 0 ? points : NULL;
}

static Numeric
numeric_of(gdp_int128 value)
{
	unsigned __int128 rest = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	char text[42]; /* 2^127 has 39 digits */
	char *digit = text + sizeof(text) - 1;

	if (value == (int64) value)
		return int64_to_numeric((int64) value);
	*digit = '\0';
	for (; rest > 0; rest /= 10)
		*--digit = (char) ('0' + (int) (rest % 10));
	if (value < 0)
		*--digit = '-';
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(digit),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Datum
gaussdp_points_sum(PG_FUNCTION_ARGS)
{
	const Points *points = final_points(fcinfo);

	if (points == NULL)
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(numeric_of(points->sum));
}

Datum
gaussdp_points_squares(PG_FUNCTION_ARGS)
{
	const Points *points = final_points(fcinfo);

	if (points == NULL)
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(numeric_of(points->squares));
}

Datum
gaussdp_points_count(PG_FUNCTION_ARGS)
{
	const Points *points = final_points(fcinfo);

	PG_RETURN_INT64(points == NULL ? 0 : points->n);
}
