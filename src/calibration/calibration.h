/*
 * calibration.h
 *		How a function of the core becomes a function of SQL.
 *
 * Reads from gdp/gdp.h and hands errors to report.h.  Every numeric function here is STRICT in SQL:
 * a function of NULL is NULL, as everywhere in PostgreSQL.
 *
 *		calibration.c	arguments checked, statuses as errors
 *		arrays.c		arrays and rows, in and out
 *		gaussian.c		the Gaussian mechanism
 *		composition.c	what several releases cost together
 *		conversion.c	between notions of privacy; sensitivities and accuracy
 *		transform.c		the GDP transformation
 */
#ifndef GAUSSDP_CALIBRATION_H
#define GAUSSDP_CALIBRATION_H

#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "gdp/gdp.h"

/*
 * Raises the error of a status other than GDP_OK, naming the argument it blames, given the names and
 * values of the call's numeric arguments, in the order of the function that returned the status.
 */
extern void gaussdp_calibration_check(gdp_status status, int nargs, const char *const *names,
									  const double *values);

/* A numeric argument that may be an array; a number is one of which the name alone is told. */
typedef struct GaussdpCalibrationArgument
{
	const char *name;
	const double *values;
	bool is_array; /* tell which element it is: shares[2] */
} GaussdpCalibrationArgument;

/* The same where arguments are arrays. */
extern void gaussdp_calibration_check_arrays(gdp_status status, int nargs,
											 const GaussdpCalibrationArgument *arguments);

/*
 * Define the SQL-callable function sql, with the prefix of this folder, over core, a function of the core
 * that takes as many doubles as there are names and a pointer to its result:
 * GAUSSDP_CALIBRATION_2(delta, gdp_profile_delta, "mu", "epsilon").
 */
#define GAUSSDP_CALIBRATION_FUNCTION(sql, call, nargs, ...)                                        \
	PG_FUNCTION_INFO_V1(gaussdp_calibration_##sql);                                                \
	Datum gaussdp_calibration_##sql(PG_FUNCTION_ARGS)                                              \
	{                                                                                              \
		static const char *const names[] = {__VA_ARGS__};                                          \
		double v[nargs];                                                                           \
		double result = 0;                                                                         \
                                                                                                   \
		for (int i = 0; i < (nargs); i++)                                                          \
			v[i] = PG_GETARG_FLOAT8(i);                                                            \
		gaussdp_calibration_check(call, nargs, names, v);                                          \
		PG_RETURN_FLOAT8(result);                                                                  \
	}                                                                                              \
	extern Datum gaussdp_calibration_##sql(PG_FUNCTION_ARGS)

#define GAUSSDP_CALIBRATION_1(sql, core, ...)                                                      \
	GAUSSDP_CALIBRATION_FUNCTION(sql, core(v[0], &result), 1, __VA_ARGS__)
#define GAUSSDP_CALIBRATION_2(sql, core, ...)                                                      \
	GAUSSDP_CALIBRATION_FUNCTION(sql, core(v[0], v[1], &result), 2, __VA_ARGS__)
#define GAUSSDP_CALIBRATION_3(sql, core, ...)                                                      \
	GAUSSDP_CALIBRATION_FUNCTION(sql, core(v[0], v[1], v[2], &result), 3, __VA_ARGS__)
#define GAUSSDP_CALIBRATION_4(sql, core, ...)                                                      \
	GAUSSDP_CALIBRATION_FUNCTION(sql, core(v[0], v[1], v[2], v[3], &result), 4, __VA_ARGS__)
#define GAUSSDP_CALIBRATION_6(sql, core, ...)                                                      \
	GAUSSDP_CALIBRATION_FUNCTION(sql, core(v[0], v[1], v[2], v[3], v[4], v[5], &result), 6,        \
								 __VA_ARGS__)

/*
 * The numbers of a float8[] argument, and how many; 22004 where one is NULL, 22023 where the array has
 * more than one dimension or more than GAUSSDP_CALIBRATION_MAX_PARTS elements.
 */
#define GAUSSDP_CALIBRATION_MAX_PARTS 1000000
extern double *gaussdp_calibration_array(PG_FUNCTION_ARGS, int arg, const char *name, size_t *n);

/* The same for an array that has to be as long as another one. */
extern double *gaussdp_calibration_array_of(PG_FUNCTION_ARGS, int arg, const char *name, size_t n);

/* float8[] of n numbers. */
extern Datum gaussdp_calibration_array_datum(size_t n, const double *values);

/* The composite result of the calling function, made of the numbers in values. */
extern Datum gaussdp_calibration_row(PG_FUNCTION_ARGS, int n, const double *values);

#endif /* GAUSSDP_CALIBRATION_H */
