/*
 * vector.c
 *		dp_sum and dp_avg over arrays: one joint release of all coordinates.
 *
 * Reads parameters from args.c and noise from random.c; hands a float8[] to the executor.
 *
 * A row is a vector of as many numbers as the call says: the length must be public, for an empty
 * group is answered with noise of that length.  A row of another length, or with a NULL or NaN in it,
 * counts for nothing.  Arrays of all types are read here, none is cast: a cast of numeric[] to
 * float8[] fails on some values, and shows them.  Each vector is scaled down to the norm l2_norm
 * where it is longer, and its coordinates are rounded toward zero to the grid; that the squares of
 * the integers then sum to no more than the square of the norm in grid steps is checked in integers,
 * for every row.
 */
#include "postgres.h"

#include <math.h>

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/array.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_vector_sum_accum);
PG_FUNCTION_INFO_V1(gaussdp_vector_sum_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_vector_avg_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_vector_sum_serialize);
PG_FUNCTION_INFO_V1(gaussdp_vector_avg_accum);
PG_FUNCTION_INFO_V1(gaussdp_vector_avg_serialize);

void
gaussdp_vector_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	bool average = key->kind == GAUSSDP_VECTOR_AVG;
	double norm = gaussdp_param(key, GAUSSDP_PARAM_L2_NORM),
		   ndims = gaussdp_param(key, GAUSSDP_PARAM_DIMENSIONS);
	double rows = gaussdp_rows_or(key, 1);
	gdp_coordinate coordinates[2] = {
		{.l2_sensitivity = rows == 1 ? norm : nextafter(rows * norm, INFINITY),
		 .share = average ? 0.75 : 1},
		{.l2_sensitivity = rows, .share = 0.25, .max_exponent = 0},
	};
	gdp_status status;

	if (!(norm > 0 && isfinite(norm)))
		gaussdp_report(GDP_BAD_SENSITIVITY, "l2_norm", norm);
	if (!(ndims >= 1 && ndims <= GAUSSDP_MAX_CELLS))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("dimensions is out of range: %.0f", ndims),
						errdetail("dimensions must be between 1 and %d.", GAUSSDP_MAX_CELLS)));
	if (average || !key->weighted)
		gaussdp_check_rows(rows);
	coordinates[0].max_exponent = gaussdp_max_exponent(norm);
	params->ncoords = average ? 2 : 1;
	status = gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
							 gaussdp_param(key, GAUSSDP_PARAM_DELTA), params->ncoords, coordinates,
							 params->noise);
	if (status == GDP_OK && average && params->noise[1].exponent < GAUSSDP_MIN_COUNT_EXPONENT)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, coordinates[0].l2_sensitivity);
	params->rows = rows;
	params->sensitivity[0] = coordinates[0].l2_sensitivity;
	params->sensitivity[1] = rows;
	params->upper = norm;
	gaussdp_set_clamp(params, -norm, norm);
}

/* As of dp_avg: no coordinate of an average is longer than a vector may be. */
double
gaussdp_vector_avg_half_width(const GaussdpParams *params, double n)
{
	double stddev = hypot(params->noise[0].sigma, params->upper * params->noise[1].sigma) / n;

	return fmin(GAUSSDP_Z95 * stddev, params->upper);
}

void
gaussdp_vector_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = (GaussdpLayout){
		.ncells = (int32) gaussdp_param(&params->key, GAUSSDP_PARAM_DIMENSIONS), .wide = true};
}

/* The elements of an array without NULLs; false where their type is none of ours. */
static bool
read_elements(ArrayType *array, int n, double *x)
{
	char *data = ARR_DATA_PTR(array);

	for (int i = 0; i < n; i++)
	{
		switch (ARR_ELEMTYPE(array))
		{
			case INT2OID:
				x[i] = ((int16 *) data)[i];
				break;
			case INT4OID:
				x[i] = ((int32 *) data)[i];
				break;
			case INT8OID:
				x[i] = (double) ((int64 *) data)[i];
				break;
			case FLOAT4OID:
				x[i] = ((float4 *) data)[i];
				break;
			case NUMERICOID:
				x[i] = gaussdp_numeric_to_double(PointerGetDatum(data));
				data = att_addlength_pointer(data, -1, data);
				data = (char *) att_align_nominal(data, TYPALIGN_INT);
				break;
			default:
				return false;
		}
	}
	return true;
}

const double *
gaussdp_row_vector(ArrayType *array, int ndims)
{
	const double *x = (const double *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != ndims || array_contains_nulls(array))
		return NULL;
	if (ARR_ELEMTYPE(array) != FLOAT8OID)
	{
		double *read = palloc(ndims * sizeof(double));

		if (!read_elements(array, ndims, read))
			return NULL;
		x = read;
	}
	for (int i = 0; i < ndims; i++)
		if (isnan(x[i]))
			return NULL;
	return x;
}

/*
 * Coordinate i of a vector whose largest coordinate has the magnitude largest: as a part of that, and in the
 * limit for infinite ones.
 */
static inline double
part_of(double x, double largest)
{
	if (isinf(largest))
		return isinf(x) ? copysign(1, x) : 0;
	return x / largest;
}

/*
 * Grid points of one row, clipped.  Rounding may leave the clipped vector a little too long; then it is
 * shortened, and a vector that is still too long, which cannot be, counts as 0.
 */
static void
clip_to_grid(const double *x, int ndims, const GaussdpParams *params, int64 *points)
{
	double norm = params->upper, largest = 0, squares = 0, length;
	gdp_int128 most = (gdp_int128) params->high * (int64) params->high;

	for (int i = 0; i < ndims; i++)
		largest = fmax(largest, fabs(x[i]));
	for (int i = 0; i < ndims && largest > 0; i++)
		squares += part_of(x[i], largest) * part_of(x[i], largest);
	length = fmin(largest, norm / sqrt(squares)); /* of the largest coordinate, clipped */

	for (int attempt = 0; attempt < 3; attempt++)
	{
		gdp_int128 total = 0;

		for (int i = 0; i < ndims; i++)
		{
			double steps = largest > 0 ? part_of(x[i], largest) * length * params->scale : 0;

			steps = steps > params->low ? steps : params->low;
			steps = steps < params->high ? steps : params->high;
			points[i] = (int64) steps;
			total += (gdp_int128) points[i] * points[i];
		}
		if (total <= most)
			return;
		length *= 1 - 1e-12;
	}
	memset(points, 0, ndims * sizeof(int64));
}

static Datum
accumulate(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, kind);
	const double *x;
	int64 *points;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(cells);
	x = gaussdp_row_vector(PG_GETARG_ARRAYTYPE_P(1), cells->ncells);
	if (x == NULL)
		PG_RETURN_POINTER(cells);
	points = palloc(cells->ncells * sizeof(int64));
	clip_to_grid(x, cells->ncells, cells->params, points);
	cells->n = gaussdp_count_add(cells->n, 1);
	for (int i = 0; i < cells->ncells; i++)
		cells->sums[i] += points[i];
	pfree(points);
	PG_RETURN_POINTER(cells);
}

Datum
gaussdp_vector_sum_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, GAUSSDP_VECTOR_SUM);
}

Datum
gaussdp_vector_avg_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, GAUSSDP_VECTOR_AVG);
}

ArrayType *
gaussdp_array_of(Datum value, Oid type)
{
	if (!OidIsValid(gaussdp_array_element_type(type)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the value must be an array of numbers")));
	return DatumGetArrayTypeP(value);
}

static Datum
accumulate_weighted(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, kind);
	int64 weight = gaussdp_row_weight(fcinfo);
	const double *x;
	int64 *points;

	if (PG_ARGISNULL(GAUSSDP_WEIGHTED_VALUE))
		PG_RETURN_POINTER(cells);
	x = gaussdp_row_vector(
		gaussdp_array_of(PG_GETARG_DATUM(GAUSSDP_WEIGHTED_VALUE), gaussdp_row_value_type(fcinfo)),
		cells->ncells);
	if (x == NULL)
		PG_RETURN_POINTER(cells);
	points = palloc(cells->ncells * sizeof(int64));
	clip_to_grid(x, cells->ncells, cells->params, points);
	if (cells->params->ncoords == 2)
		cells->count =
			gaussdp_sum_add(cells->count, gaussdp_weighted_one(&cells->params->noise[1], weight));
	for (int i = 0; i < cells->ncells; i++)
		cells->sums[i] = gaussdp_sum_add(cells->sums[i], gdp_weigh(points[i], weight));
	pfree(points);
	PG_RETURN_POINTER(cells);
}

/* vector_sum_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_vector_sum_weighted_accum(PG_FUNCTION_ARGS)
{
	return accumulate_weighted(fcinfo, GAUSSDP_VECTOR_SUM);
}

/* vector_avg_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_vector_avg_weighted_accum(PG_FUNCTION_ARGS)
{
	return accumulate_weighted(fcinfo, GAUSSDP_VECTOR_AVG);
}

/* Of a sum by the clipped vector's length; of an average, whose count moves by every row, in full. */
int64
gaussdp_vector_size(const GaussdpParams *params, Datum value, Oid type)
{
	int ndims = (int) gaussdp_param(&params->key, GAUSSDP_PARAM_DIMENSIONS);
	const double *x = gaussdp_row_vector(gaussdp_array_of(value, type), ndims);
	gdp_int128 square = 0;
	int64 *points;

	if (x == NULL)
		return 0;
	if (params->key.kind == GAUSSDP_VECTOR_AVG)
		return GDP_SIZE_ROW;
	points = palloc(ndims * sizeof(int64));
	clip_to_grid(x, ndims, params, points);
	for (int i = 0; i < ndims; i++)
		square += (gdp_int128) points[i] * points[i];
	pfree(points);
	return gdp_size_of_vector(square, (int64) params->high);
}

Datum
gaussdp_vector_sum_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_VECTOR_SUM);
}

Datum
gaussdp_vector_avg_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_VECTOR_AVG);
}

/* Draws the noise of all coordinates, once. */
static void
draw(GaussdpCells *cells)
{
	const gdp_noise *noise = cells->params->noise;

	if (cells->released)
		return;
	for (int i = 0; i < cells->ncells; i++)
		cells->sums[i] = gaussdp_add_noise(cells->sums[i], &noise[0]);
	if (cells->params->ncoords == 2)
		cells->result =
			gdp_grid_value(gaussdp_add_noise(gaussdp_cells_count_of(cells, &noise[1]), &noise[1]),
						   noise[1].exponent);
	cells->released = true;
}

static Datum
make_array(const GaussdpCells *cells, const double *values)
{
	Datum *datums = palloc(cells->ncells * sizeof(Datum));

	for (int i = 0; i < cells->ncells; i++)
		datums[i] = Float8GetDatum(values[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(datums, cells->ncells, FLOAT8OID, sizeof(float8),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum
gaussdp_vector_sum_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	double *values = palloc(cells->ncells * sizeof(double));

	draw(cells);
	for (int i = 0; i < cells->ncells; i++)
		values[i] = gdp_grid_value(cells->sums[i], cells->params->noise[0].exponent);
	return make_array(cells, values);
}

/* The noisy sum over the noisy count, brought back to the ball that holds every average. */
Datum
gaussdp_vector_avg_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	double *values = palloc(cells->ncells * sizeof(double));
	double norm = cells->params->upper, squares = 0;

	draw(cells);
	for (int i = 0; i < cells->ncells; i++)
	{
		values[i] = gdp_grid_value(cells->sums[i], cells->params->noise[0].exponent) /
					fmax(cells->result, 1) / norm;
		squares += values[i] * values[i];
	}
	for (int i = 0; i < cells->ncells; i++)
		values[i] = squares > 1 ? values[i] / sqrt(squares) * norm : values[i] * norm;
	return make_array(cells, values);
}
