/*
 * people.c
 *		Sizes of rows and weights of people, as SQL functions for window functions that the policy writes into
 *		levels over people who own many rows.
 *
 * Reads rows' values; hands sizes and weights to the weighted aggregates.  core/weight.c has the arithmetic and
 * the theorem, calls.h says what the policy makes of it.
 *
 * Invariants
 *		Anyone may call these functions with anything: sizes below 0 and k that varies are errors, and what
 *		is too large saturates on the side of less weight.
 *		Sizes and weights depend on neither the order of rows nor the plan.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "aggregate/state.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_row_size);
PG_FUNCTION_INFO_V1(gaussdp_size_add);
PG_FUNCTION_INFO_V1(gaussdp_person_weight_accum);
PG_FUNCTION_INFO_V1(gaussdp_person_weight_final);

/* What a call site remembers of the call whose rows are sized. */
typedef struct SizeSite
{
	bool constant; /* kind and parameters cannot change */
	GaussdpParams params;
	GaussdpSizing sizing; /* by these parameters */
} SizeSite;

static const GaussdpDescriptor *
descriptor_of(Datum kind, bool isnull)
{
	const GaussdpDescriptor *descriptor = isnull ? NULL : gaussdp_descriptor(DatumGetInt32(kind));

	if (descriptor == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kind must be the number of a kind of private aggregate")));
	return descriptor;
}

/* Checks kind and parameters and calibrates them, where they are not those of the row before. */
static SizeSite *
site_of_row(FunctionCallInfo fcinfo)
{
	SizeSite *site = fcinfo->flinfo->fn_extra;
	const GaussdpDescriptor *descriptor;
	GaussdpParams params;
	GaussdpKey key;

	if (site != NULL && site->constant)
		return site;
	descriptor = descriptor_of(PG_GETARG_DATUM(0), PG_ARGISNULL(0));
	gaussdp_key_unpack(&key, descriptor->kind, true, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	if (site != NULL && gaussdp_same_key(&site->params.key, &key))
		return site;
	gaussdp_params_fill(&params, &key);
	if (site == NULL)
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SizeSite));
	site->params = params;
	site->sizing = (GaussdpSizing){
		.size = descriptor->size, .params = &site->params, .type = gaussdp_value_type(fcinfo, 2)};
	site->constant =
		get_fn_expr_arg_stable(fcinfo->flinfo, 0) && get_fn_expr_arg_stable(fcinfo->flinfo, 1);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

GaussdpSizing *
gaussdp_prepare_sizing(const FuncExpr *call)
{
	GaussdpSizing *sizing = palloc(sizeof(GaussdpSizing));
	GaussdpParams *params = palloc(sizeof(GaussdpParams));
	const Const *kind = linitial_node(Const, call->args);
	const Const *given = lsecond_node(Const, call->args);
	const GaussdpDescriptor *descriptor = descriptor_of(kind->constvalue, kind->constisnull);
	GaussdpKey key;

	gaussdp_key_unpack(&key, descriptor->kind, true, given->constvalue, given->constisnull);
	gaussdp_params_fill(params, &key);
	*sizing = (GaussdpSizing){.size = descriptor->size,
							  .weigh = descriptor->weigh,
							  .params = params,
							  .type = getBaseType(exprType(lthird(call->args)))};
	return sizing;
}

/* row_size(kind int4, params float8[], value "any") RETURNS int8 */
Datum
gaussdp_row_size(PG_FUNCTION_ARGS)
{
	const SizeSite *site = site_of_row(fcinfo);

	if (PG_ARGISNULL(2))
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(gaussdp_size_by(&site->sizing, PG_GETARG_DATUM(2)));
}

/* An argument that is a size; 0 where it is null. */
static int64
size_argument(FunctionCallInfo fcinfo, int argument)
{
	int64 size = PG_ARGISNULL(argument) ? 0 : PG_GETARG_INT64(argument);

	if (size < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a size must not be negative")));
	return size;
}

/* size_add(int8, int8) RETURNS int8: the transition of size_sum */
Datum
gaussdp_size_add(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(gdp_size_add(size_argument(fcinfo, 0), size_argument(fcinfo, 1)));
}

/* The sum of the squares of a person's sizes by group. */
typedef struct Person
{
	gdp_int128 squares;
	int64 k;
} Person;

static Person *
new_person(FunctionCallInfo fcinfo, int64 k)
{
	MemoryContext context;
	Person *person;

	if (AggCheckCallContext(fcinfo, &context) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("person_weight_accum was called outside of an aggregate")));
	if (!(k > 0 && k <= (int64) (GAUSSDP_MAX_WEIGHTED_ROWS * GDP_SIZE_ROW)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k20 is out of range: " INT64_FORMAT, k),
						errdetail("k20 must be greater than 0 and at most 2^52.")));
	person = MemoryContextAllocZero(context, sizeof(Person));
	person->k = k;
	return person;
}

/* person_weight_accum(internal, size int8, size_sum int8, k20 int8) RETURNS internal */
Datum
gaussdp_person_weight_accum(PG_FUNCTION_ARGS)
{
	Person *person = PG_ARGISNULL(0) ? NULL : (Person *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("k20 must not be null")));
	if (person == NULL)
		person = new_person(fcinfo, PG_GETARG_INT64(3));
	if (PG_GETARG_INT64(3) != person->k)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k20 varies within the rows of a person")));
	person->squares =
		gdp_squares_add(person->squares, size_argument(fcinfo, 1), size_argument(fcinfo, 2));
	PG_RETURN_POINTER(person);
}

/* person_weight_final(internal) RETURNS int8 */
Datum
gaussdp_person_weight_final(PG_FUNCTION_ARGS)
{
	const Person *person = PG_ARGISNULL(0) ? NULL : (const Person *) PG_GETARG_POINTER(0);

	PG_RETURN_INT64(person == NULL ? 0 : gdp_person_weight(person->squares, person->k));
}
