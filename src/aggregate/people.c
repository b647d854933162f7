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
PG_FUNCTION_INFO_V1(gaussdp_row_bin);
PG_FUNCTION_INFO_V1(gaussdp_person_total_accum);
PG_FUNCTION_INFO_V1(gaussdp_person_total_final);
PG_FUNCTION_INFO_V1(gaussdp_total_weight_accum);
PG_FUNCTION_INFO_V1(gaussdp_clip_total);

/* What a call site remembers of the call whose rows are sized. */
typedef struct SizeSite
{
	bool constant; /* kind and parameters cannot change */
	GaussdpParams params;
	GaussdpSizing sizing; /* by these parameters */
} SizeSite;

/* How a call of this kind with these parameters, checked and calibrated, counts values of this type. */
static GaussdpSizing
make_sizing(const GaussdpDescriptor *descriptor, const GaussdpParams *params, Oid type)
{
	return (GaussdpSizing){.size = descriptor->size,
						   .weigh = descriptor->weigh,
						   .add_squares = descriptor->add_squares,
						   .bin = descriptor->bin,
						   .params = params,
						   .type = type};
}

static const GaussdpDescriptor *
descriptor_of(Datum kind, bool isnull)
{
	const GaussdpDescriptor *descriptor = isnull ? NULL : gaussdp_descriptor(DatumGetInt32(kind));

	if (descriptor == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kind must be the number of a kind of private aggregate")));
	return descriptor;
}

/*
 * Checks kind and parameters, arguments from this one on, and calibrates them, where they are not those of the row before; a value may
 * follow.
 */
static SizeSite *
site_of_row(FunctionCallInfo fcinfo, int first)
{
	SizeSite *site = fcinfo->flinfo->fn_extra;
	const GaussdpDescriptor *descriptor;
	GaussdpParams params;
	GaussdpKey key;

	if (site != NULL && site->constant)
		return site;
	descriptor = descriptor_of(PG_GETARG_DATUM(first), PG_ARGISNULL(first));
	gaussdp_key_unpack(&key, descriptor->kind, true, PG_GETARG_DATUM(first + 1),
					   PG_ARGISNULL(first + 1));
	if (site != NULL && gaussdp_same_key(&site->params.key, &key))
		return site;
	gaussdp_params_fill(&params, &key);
	if (site == NULL)
		site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SizeSite));
	site->params = params;
	site->sizing = make_sizing(descriptor, &site->params, gaussdp_value_type(fcinfo, first + 2));
	site->constant = get_fn_expr_arg_stable(fcinfo->flinfo, first) &&
					 get_fn_expr_arg_stable(fcinfo->flinfo, first + 1);
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
	*sizing = make_sizing(descriptor, params, getBaseType(exprType(lthird(call->args))));
	return sizing;
}

/* row_size(kind int4, params float8[], value "any") RETURNS int8 */
Datum
gaussdp_row_size(PG_FUNCTION_ARGS)
{
	const SizeSite *site = site_of_row(fcinfo, 0);

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

/* row_bin(kind int4, params float8[], value "any") RETURNS int4 */
Datum
gaussdp_row_bin(PG_FUNCTION_ARGS)
{
	const GaussdpSizing *sizing = &site_of_row(fcinfo, 0)->sizing;

	if (sizing->bin == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kind must be the number of a kind whose bins are weighed")));
	PG_RETURN_INT32(
		PG_ARGISNULL(2) ? -1 : sizing->bin(sizing->params, PG_GETARG_DATUM(2), sizing->type));
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
						errmsg("the weight of a person was asked for outside of an aggregate")));
	if (!(k > 0 && k <= (int64) (GAUSSDP_MAX_WEIGHTED_ROWS * GDP_SIZE_ROW)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k20 is out of range: " INT64_FORMAT, k),
						errdetail("k20 must be greater than 0 and at most 2^52.")));
	person = MemoryContextAllocZero(context, sizeof(Person));
	person->k = k;
	return person;
}

/* The person of the aggregate's state, argument 0, whose k is that argument, the same in each row. */
static Person *
person_of(FunctionCallInfo fcinfo, int k)
{
	Person *person = PG_ARGISNULL(0) ? NULL : (Person *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(k))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("k20 must not be null")));
	if (person == NULL)
		person = new_person(fcinfo, PG_GETARG_INT64(k));
	if (PG_GETARG_INT64(k) != person->k)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k20 varies within the rows of a person")));
	return person;
}

/* person_weight_accum(internal, size int8, size_sum int8, k20 int8) RETURNS internal */
Datum
gaussdp_person_weight_accum(PG_FUNCTION_ARGS)
{
	Person *person = person_of(fcinfo, 3);

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

/* ---------------------------------------------------------------------------
 * Calls whose coordinates are clipped together
 * ---------------------------------------------------------------------------
 */

/* How such a call counts, of kind and parameters from this argument on. */
static const GaussdpSizing *
joint_sizing(FunctionCallInfo fcinfo, int first)
{
	const GaussdpSizing *sizing = &site_of_row(fcinfo, first)->sizing;

	if (sizing->add_squares == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kind must be the number of a kind that is clipped as a whole")));
	return sizing;
}

/* person_total_accum(internal, kind int4, params float8[], value "any") RETURNS internal */
Datum
gaussdp_person_total_accum(PG_FUNCTION_ARGS)
{
	const GaussdpSizing *sizing = joint_sizing(fcinfo, 1);
	GaussdpTotal *total;
	MemoryContext context;

	if (AggCheckCallContext(fcinfo, &context) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("person_total_accum was called outside of an aggregate")));
	total = PG_ARGISNULL(0) ? MemoryContextAllocZero(context, sizeof(GaussdpTotal))
							: (GaussdpTotal *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(3))
		sizing->weigh(sizing->params, total, PG_GETARG_DATUM(3), sizing->type, GDP_WEIGHT_ROW, 1);
	PG_RETURN_POINTER(total);
}

static Datum
packed_total(const GaussdpTotal *total)
{
	char *packed = palloc(GAUSSDP_PACKED_TOTAL);

	gaussdp_pack_total(total, packed);
	return PointerGetDatum(packed);
}

/* person_total_final(internal) RETURNS bytea */
Datum
gaussdp_person_total_final(PG_FUNCTION_ARGS)
{
	static const GaussdpTotal nothing = {0};

	return packed_total(PG_ARGISNULL(0) ? &nothing : (const GaussdpTotal *) PG_GETARG_POINTER(0));
}

/* total_weight_accum(internal, total bytea, kind int4, params float8[], k20 int8) RETURNS internal */
Datum
gaussdp_total_weight_accum(PG_FUNCTION_ARGS)
{
	const GaussdpSizing *sizing = joint_sizing(fcinfo, 2);
	Person *person = person_of(fcinfo, 4);

	if (!PG_ARGISNULL(1))
	{
		GaussdpTotal own = gaussdp_unpack_total(PG_GETARG_BYTEA_PP(1));

		person->squares = sizing->add_squares(sizing->params, &own, person->squares);
	}
	PG_RETURN_POINTER(person);
}

/* clip_total(total bytea, m int8) RETURNS bytea */
Datum
gaussdp_clip_total(PG_FUNCTION_ARGS)
{
	GaussdpTotal own = gaussdp_unpack_total(PG_GETARG_BYTEA_PP(0));
	GaussdpTotal total = {0};

	gaussdp_add_clipped(&own, gaussdp_checked_weight(PG_GETARG_INT64(1)), &total);
	return packed_total(&total);
}
