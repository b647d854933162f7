/*
 * arrays.c
 *		Arrays and rows in and out of the calibration functions.
 *
 * Used by composition.c and transform.c.
 */
#include "calibration.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

double *
gaussdp_calibration_array(PG_FUNCTION_ARGS, int arg, const char *name, size_t *n)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(arg);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s has %d dimensions", name, ARR_NDIM(array)),
						errdetail("%s must be an array of one dimension.", name)));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s contains NULL", name)));
	if (count > GAUSSDP_CALIBRATION_MAX_PARTS)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has %d elements", name, count),
			 errdetail("%s must have at most %d elements.", name, GAUSSDP_CALIBRATION_MAX_PARTS)));
	*n = (size_t) count;
	return (double *) ARR_DATA_PTR(array);
}

double *
gaussdp_calibration_array_of(PG_FUNCTION_ARGS, int arg, const char *name, size_t n)
{
	size_t own;
	double *values = gaussdp_calibration_array(fcinfo, arg, name, &own);

	if (own != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("%s has %zu element", "%s has %zu elements", own, name, own),
				 errdetail_plural("It must have %zu element, as many as the other array.",
								  "It must have %zu elements, as many as the other array.", n, n)));
	return values;
}

Datum
gaussdp_calibration_array_datum(size_t n, const double *values)
{
	Datum *elements = palloc(sizeof(Datum) * Max(n, 1));

	for (size_t i = 0; i < n; i++)
		elements[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(construct_array(elements, (int) n, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum
gaussdp_calibration_row(PG_FUNCTION_ARGS, int n, const double *values)
{
	TupleDesc desc;
	Datum columns[8];
	bool nulls[8] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the result of a calibration function must be a row");
	for (int i = 0; i < n; i++)
		columns[i] = Float8GetDatum(values[i]);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), columns, nulls));
}
