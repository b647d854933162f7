/*
 * args.c
 *		From the arguments of a call to checked and calibrated parameters.
 *
 * Reads the arguments of a row, or the expressions in the plan where a group has no row.
 *
 * fn_extra is a cache only.  Engines that wrap aggregates call with a fresh FmgrInfo for each row, in memory that goes.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "aggregate/state.h"
#include "aggregate/weighted.h"
#include "report.h"

MemoryContext
gaussdp_group_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a function of a private aggregate was called outside of an aggregate")));
	return context;
}

/* ---------------------------------------------------------------------------
 * Checks
 * ---------------------------------------------------------------------------
 */

void
gaussdp_check_bounds(double lower, double upper)
{
	if (isfinite(lower) && isfinite(upper) && lower < upper)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("bounds are out of range: lower %s, upper %s", float8out_internal(lower),
						   float8out_internal(upper)),
					errdetail("Bounds must be finite, and lower must be less than upper.")));
}

void
gaussdp_check_rows(double rows)
{
	if (rows >= 1)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("max_rows is out of range: %s", float8out_internal(rows)),
					errdetail("max_rows must be at least 1.")));
}

int
gaussdp_max_exponent(double magnitude)
{
	return ilogb(magnitude) - 10;
}

void
gaussdp_require_noise(gdp_status status, const GaussdpKey *key, double sensitivity)
{
	if (status != GDP_OUT_OF_RANGE)
	{
		gaussdp_report(status, "l2_sensitivity", sensitivity);
		return;
	}
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("no grid for the noise exists: epsilon %s, delta %s, l2_sensitivity %s",
				float8out_internal(gaussdp_param(key, GAUSSDP_PARAM_EPSILON)),
				float8out_internal(gaussdp_param(key, GAUSSDP_PARAM_DELTA)),
				float8out_internal(sensitivity)),
		 errdetail("The noise must have a finite standard deviation between 2^-20 and 2^31 times "
				   "the largest contribution of a row, and below 2^41 for counts.")));
}

void
gaussdp_set_clamp(GaussdpParams *params, double low, double high)
{
	int exponent = params->noise[0].exponent;
	int64_t low_point = 0;
	int64_t high_point = 0;
	gdp_status status = gdp_grid_bound(low, exponent, &low_point);

	if (status == GDP_OK)
		status = gdp_grid_bound(high, exponent, &high_point);
	gaussdp_require_noise(status, &params->key, params->sensitivity[0]);
	params->scale = ldexp(1.0, -exponent);
	params->low = (double) low_point;
	params->high = (double) high_point;
	params->most = Max(llabs(low_point), llabs(high_point));
}

/* What weights are computed for is bounded, so that their arithmetic is exact (core/weight.c). */
static void
check_weighted(const GaussdpKey *key)
{
	const char *name;
	double last;

	if (!key->weighted)
		return;
	name = gaussdp_form_name(gaussdp_form_of(key), key->nparams - 1);
	last = gaussdp_param_at(key, key->nparams - 1);
	if (!(last >= GAUSSDP_MIN_WEIGHTED_ROWS && last <= GAUSSDP_MAX_WEIGHTED_ROWS))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is out of range: %s", name, float8out_internal(last)),
						errdetail("%s must be at least 2^-20 and at most %.0f.", name,
								  GAUSSDP_MAX_WEIGHTED_ROWS)));
}

void
gaussdp_params_fill(GaussdpParams *params, const GaussdpKey *key)
{
	double epsilon, delta;

	memset(params, 0, sizeof(*params));
	params->key = *key;
	epsilon = gaussdp_param(key, GAUSSDP_PARAM_EPSILON);
	delta = gaussdp_param(key, GAUSSDP_PARAM_DELTA);
	if (!(epsilon > 0 && isfinite(epsilon)))
		gaussdp_report(GDP_BAD_EPSILON, "epsilon", epsilon);
	if (!(delta > 0 && delta < 1))
		gaussdp_report(GDP_BAD_DELTA, "delta", delta);
	check_weighted(key);
	gaussdp_calibrate(params);
	gaussdp_set_wire(params);
}

/* ---------------------------------------------------------------------------
 * Arguments of a row
 * ---------------------------------------------------------------------------
 */

/* Takes so many numbers into the key; 22023 where one is no quantile. */
static void
take_qs(GaussdpKey *key, int i, const double *qs, int n)
{
	if (n < 1 || n > GAUSSDP_MAX_QS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of elements of qs is out of range: %d", n),
						errdetail("There must be 1 to %d quantiles.", GAUSSDP_MAX_QS)));
	for (int j = 0; j < n; j++)
	{
		if (!(qs[j] >= 0 && qs[j] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an element of qs is out of range: %s", float8out_internal(qs[j])),
					 errdetail("Each element must be at least 0 and at most 1.")));
		/* One bit pattern for zero. */
		key->qs[j] = qs[j] == 0 ? 0.0 : qs[j];
	}
	key->raw[i] = Int64GetDatum(n);
}

/* The numbers of a float8[]. */
static void
take_array(GaussdpKey *key, int i, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("qs must be an array of one dimension, without nulls")));
	take_qs(key, i, (const double *) ARR_DATA_PTR(array),
			ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0]);
}

/* Takes one argument into the key; 22023 where it is NULL. */
static void
take_param(GaussdpKey *key, const GaussdpForm *form, int i, Datum value, bool isnull)
{
	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must not be null", gaussdp_form_name(form, i))));
	if (form->params[i] == GAUSSDP_PARAM_QS)
	{
		take_array(key, i, value);
		return;
	}
	key->raw[i] = value;
	/* One bit pattern for zero, so that a key can be compared by its bytes. */
	if (!gaussdp_form_is_integer(form, i) && DatumGetFloat8(value) == 0)
		key->raw[i] = Float8GetDatum(0.0);
}

/* The call whose transition this is, with its arguments; NULL where it cannot be told. */
static Aggref *
call_of_row(FunctionCallInfo fcinfo)
{
	Aggref *call = AggGetAggref(fcinfo);
	HeapTuple tuple;
	bool mine;

	if (call == NULL || list_length(call->args) < PG_NARGS() - 1)
		return NULL;
	/* A wrapper's call is not ours: its arguments stand elsewhere. */
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(call->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		return NULL;
	mine = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn == fcinfo->flinfo->fn_oid;
	ReleaseSysCache(tuple);
	return mine ? call : NULL;
}

bool
gaussdp_arguments_are_constant(FunctionCallInfo fcinfo, int first, int end)
{
	Aggref *call = call_of_row(fcinfo);

	if (call == NULL)
		return false;
	/* Argument 0 of the transition is the state, which the call itself does not have. */
	for (int i = first - 1; i < end - 1; i++)
	{
		Expr *expr = ((TargetEntry *) list_nth(call->args, i))->expr;

		if (!IsA(expr, Const) && !(IsA(expr, Param) && ((Param *) expr)->paramkind == PARAM_EXTERN))
			return false;
	}
	return true;
}

/* Numerics of a declared scale have so many digits behind the point, and no more. */
static int16
digits_of(Oid type, int32 typmod)
{
	int scale;

	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return 1;
		case NUMERICOID:
			if (typmod < (int32) VARHDRSZ)
				return 0;
			scale = (((typmod - VARHDRSZ) & 0x7FF) ^ 1024) - 1024;
			return scale >= 0 && scale <= GDP_MAX_SCALE ? (int16) (1 + scale) : 0;
		default:
			return 0;
	}
}

void
gaussdp_key_set_digits(GaussdpKey *key, const Expr *value)
{
	int32 typmod;
	Oid type;

	if (!gaussdp_descriptor(key->kind)->scaled)
		return;
	/* What makes a domain's value one of its type says nothing of digits. */
	while (IsA(value, RelabelType) && ((const RelabelType *) value)->resulttypmod == -1)
		value = ((const RelabelType *) value)->arg;
	typmod = exprTypmod((const Node *) value);
	type = exprType((const Node *) value);
	if (get_typtype(type) == TYPTYPE_DOMAIN)
		type = getBaseTypeAndTypmod(type, &typmod);
	key->digits = digits_of(type, typmod);
}

/* The value of a call, which has one. */
static const Expr *
value_of(const Aggref *call, bool weighted)
{
	return list_nth_node(TargetEntry, call->args, weighted ? GAUSSDP_WEIGHTED_VALUE - 1 : 0)->expr;
}

void
gaussdp_key_fill(GaussdpKey *key, GaussdpKind kind, int nparams, const Datum *values,
				 const bool *isnull)
{
	const GaussdpForm *form = gaussdp_form(kind, nparams, GAUSSDP_PLAIN);

	if (form == NULL)
		elog(ERROR, "aggregate of kind %d has no form with %d parameters", kind, nparams);
	memset(key, 0, sizeof(*key));
	key->kind = (int16) kind;
	key->nparams = (int16) nparams;
	for (int i = 0; i < nparams; i++)
		take_param(key, form, i, values[i], isnull[i]);
}

/* The form that so many numbers are the parameters of; where it has an array, whose elements are behind, *nqs of them. */
static const GaussdpForm *
form_of_numbers(GaussdpKind kind, GaussdpUse use, int n, const double *values, int *nqs)
{
	*nqs = 0;
	for (int nparams = Min(n, GAUSSDP_MAX_PARAMS); nparams > 0; nparams--)
	{
		const GaussdpForm *form = gaussdp_form(kind, nparams, use);
		int place = form == NULL ? -1 : gaussdp_form_place(form, GAUSSDP_PARAM_QS);

		if (form != NULL && (place < 0 ? nparams == n : values[place] == n - nparams))
		{
			*nqs = n - nparams;
			return form;
		}
	}
	return NULL;
}

/* The same from numbers alone: those in an array, where whole numbers are doubles, too. */
static void
key_of_numbers(GaussdpKey *key, GaussdpKind kind, bool weighted, int n, const double *values)
{
	int nqs;
	const GaussdpForm *form =
		form_of_numbers(kind, weighted ? GAUSSDP_WEIGHTED : GAUSSDP_PLAIN, n, values, &nqs);
	int nparams = n - nqs;

	if (form == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("parameters must be an array of as many numbers as the call takes, "
							   "without nulls")));
	memset(key, 0, sizeof(*key));
	key->kind = (int16) kind;
	key->nparams = (int16) nparams;
	key->weighted = weighted;
	for (int i = 0; i < nparams; i++)
	{
		Datum datum = Float8GetDatum(values[i]);

		if (form->params[i] == GAUSSDP_PARAM_QS)
		{
			take_qs(key, i, values + nparams, nqs);
			continue;
		}
		if (gaussdp_form_is_integer(form, i))
		{
			const char *name = gaussdp_form_name(form, i);

			if (!(fabs(values[i]) <= GAUSSDP_MAX_PACKED_INTEGER && values[i] == rint(values[i])))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("%s is out of range: %s", name, float8out_internal(values[i])),
						 errdetail("%s must be a whole number.", name)));
			datum = Int64GetDatum((int64) values[i]);
		}
		take_param(key, form, i, datum, false);
	}
}

void
gaussdp_weighted_key_fill(GaussdpKey *key, GaussdpKind kind, int n, const double *values)
{
	key_of_numbers(key, kind, true, n, values);
}

/*
 * The same from the array of a packed call (pack.c) or of a weighted one.  The planner makes only good ones,
 * but anyone may write one.
 */
void
gaussdp_key_unpack(GaussdpKey *key, GaussdpKind kind, bool weighted, Datum packed, bool isnull)
{
	ArrayType *array = isnull ? NULL : DatumGetArrayTypeP(packed);
	bool flat = array != NULL && ARR_NDIM(array) == 1 && !ARR_HASNULL(array);

	key_of_numbers(key, kind, weighted, flat ? ARR_DIMS(array)[0] : 0,
				   flat ? (const double *) ARR_DATA_PTR(array) : NULL);
}

/* The parameters in the nargs arguments behind the value; one argument is a packed call's array. */
static void
key_of_arguments(GaussdpKey *key, GaussdpKind kind, bool weighted, int nargs, const Datum *values,
				 const bool *isnull)
{
	if (weighted || nargs == 1)
		gaussdp_key_unpack(key, kind, weighted, values[0], isnull[0]);
	else
		gaussdp_key_fill(key, kind, nargs, values, isnull);
}

static void
key_of_row(GaussdpKey *key, FunctionCallInfo fcinfo, GaussdpKind kind, bool weighted, int first,
		   int end)
{
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	int nargs = Min(end - first, GAUSSDP_MAX_PARAMS);

	for (int i = 0; i < nargs; i++)
	{
		values[i] = PG_GETARG_DATUM(first + i);
		isnull[i] = PG_ARGISNULL(first + i);
	}
	key_of_arguments(key, kind, weighted, nargs, values, isnull);
}

/* Of a call whose parameters are its arguments first .. end - 1. */
static const GaussdpParams *
params_from_row(FunctionCallInfo fcinfo, GaussdpKind kind, bool weighted, int first, int end)
{
	const GaussdpSite *site = fcinfo->flinfo->fn_extra;
	bool fresh = site == NULL;
	GaussdpKey key;
	const GaussdpParams *params;

	/* A further group of a call with constant parameters. */
	if (!fresh && site->constant && site->last != NULL)
		return site->last;
	key_of_row(&key, fcinfo, kind, weighted, first, end);
	if (gaussdp_descriptor(kind)->scaled && call_of_row(fcinfo) != NULL)
		gaussdp_key_set_digits(&key, value_of(call_of_row(fcinfo), weighted));
	params = gaussdp_params_intern(fcinfo, &key);
	if (fresh)
		gaussdp_site_of(fcinfo)->constant = gaussdp_arguments_are_constant(fcinfo, first, end);
	return params;
}

const GaussdpParams *
gaussdp_params_from_row(FunctionCallInfo fcinfo, GaussdpKind kind, int first)
{
	return params_from_row(fcinfo, kind, false, first, PG_NARGS());
}

/* Where the parameters of a weighted transition are. */
#define WEIGHTED_PARAMS 2

const GaussdpParams *
gaussdp_params_from_weighted_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	return params_from_row(fcinfo, kind, true, WEIGHTED_PARAMS, WEIGHTED_PARAMS + 1);
}

static void
report_varying(const GaussdpForm *form, int i)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("%s varies within a group", gaussdp_form_name(form, i)),
		 errdetail("Parameters of private aggregates must be the same for all rows of a group.")));
}

/* As numbers: -0 equals 0. */
static bool
same_value(const GaussdpKey *a, const GaussdpKey *b, int i)
{
	return a->raw[i] == b->raw[i] || gaussdp_param_at(a, i) == gaussdp_param_at(b, i);
}

static void
require_equal(const GaussdpKey *a, const GaussdpKey *b)
{
	if (a->kind != b->kind || a->nparams != b->nparams || a->weighted != b->weighted ||
		a->digits != b->digits)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("states of different private aggregates cannot be combined")));
	for (int i = 0; i < a->nparams; i++)
		if (!same_value(a, b, i))
			report_varying(gaussdp_form_of(a), i);
	if (memcmp(a->qs, b->qs, sizeof(a->qs)) != 0)
		report_varying(gaussdp_form_of(a),
					   gaussdp_form_place(gaussdp_form_of(a), GAUSSDP_PARAM_QS));
}

void
gaussdp_params_compare(FunctionCallInfo fcinfo, const GaussdpParams *params, int first)
{
	GaussdpKey key;

	key_of_row(&key, fcinfo, params->key.kind, false, first, PG_NARGS());
	key.digits = params->key.digits;
	require_equal(&key, &params->key);
}

void
gaussdp_check_weighted_row(FunctionCallInfo fcinfo, const GaussdpParams *params)
{
	const GaussdpSite *site = fcinfo->flinfo->fn_extra;
	GaussdpKey key;

	if (site != NULL && site->constant)
		return;
	key_of_row(&key, fcinfo, params->key.kind, true, WEIGHTED_PARAMS, WEIGHTED_PARAMS + 1);
	key.digits = params->key.digits;
	require_equal(&key, &params->key);
}

void
gaussdp_params_require_equal(const GaussdpParams *a, const GaussdpParams *b)
{
	if (a != b && !gaussdp_same_key(&a->key, &b->key))
		require_equal(&a->key, &b->key);
}

/* ---------------------------------------------------------------------------
 * A call without rows
 * ---------------------------------------------------------------------------
 */

/* The call that fcinfo, a final or serialization function, works for; NULL where it cannot be told. */
static Aggref *
call_of(FunctionCallInfo fcinfo)
{
	AggState *aggstate = castNode(AggState, fcinfo->context);

	/* AggGetAggref may name another call while states are serialized. */
	for (int i = 0; i < aggstate->numtrans; i++)
		if (aggstate->pertrans[i].serialfn_fcinfo == fcinfo)
			return aggstate->pertrans[i].aggref;
	for (int i = 0; i < aggstate->numaggs; i++)
		if (aggstate->peragg[i].finalfn.fn_oid == fcinfo->flinfo->fn_oid &&
			&aggstate->peragg[i].finalfn == fcinfo->flinfo)
			return aggstate->peragg[i].aggref;
	return NULL;
}

static void
report_unknown_params(void)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("the parameters of a private aggregate over no rows cannot be determined"),
		 errhint("Give epsilon, delta and what follows them as constants or query parameters.")));
}

/*
 * Is the call a weighted one, (int8, float8[] [, value]) or (bytea, float8[])?  A packed one has its array elsewhere.
 */
static bool
is_weighted(const Aggref *call, int kind)
{
	int nargs = list_length(call->aggargtypes);

	return (nargs == 3 || (nargs == 2 && (gaussdp_descriptor(kind)->bare_args > 0 ||
										  linitial_oid(call->aggargtypes) == BYTEAOID))) &&
		   lsecond_oid(call->aggargtypes) == FLOAT8ARRAYOID;
}

/* Compiles the parameter expressions of a call, once per call site. */
static void
compile_params(FunctionCallInfo fcinfo, GaussdpSite *site, int kind)
{
	AggState *aggstate = castNode(AggState, fcinfo->context);
	Aggref *call = call_of(fcinfo);
	int nargs;
	int first;
	MemoryContext before;

	/* Above a partial aggregation only a Var is left of the arguments; the states below have them. */
	if (call == NULL || DO_AGGSPLIT_COMBINE(call->aggsplit))
		report_unknown_params();
	/* Columns of an ORDER BY in the call may follow the arguments proper. */
	site->weighted = is_weighted(call, kind);
	nargs = list_length(call->aggargtypes);
	first = gaussdp_first_param(kind, nargs);
	if (site->weighted)
	{
		first = 1;
		nargs = 2;
	}
	if (gaussdp_descriptor(kind)->scaled)
	{
		GaussdpKey key = {.kind = (int16) kind};

		gaussdp_key_set_digits(&key, value_of(call, site->weighted));
		site->digits = key.digits;
	}
	if ((nargs - first != 1 && gaussdp_form(kind, nargs - first, GAUSSDP_PLAIN) == NULL) ||
		list_length(call->args) < nargs)
		report_unknown_params();
	before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	site->constant = true;
	for (int i = first; i < nargs; i++)
	{
		Expr *expr = ((TargetEntry *) list_nth(call->args, i))->expr;

		if (contain_var_clause((Node *) expr))
			report_unknown_params();
		site->constant = site->constant && IsA(expr, Const);
		site->exprs[i - first] = ExecInitExpr(expr, &aggstate->ss.ps);
	}
	MemoryContextSwitchTo(before);
	site->nexprs = nargs - first;
}

const GaussdpParams *
gaussdp_params_from_plan(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	ExprContext *econtext;
	GaussdpSite *site;
	GaussdpKey key;
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];

	(void) gaussdp_group_context(fcinfo);
	econtext = castNode(AggState, fcinfo->context)->ss.ps.ps_ExprContext;
	site = gaussdp_site_of(fcinfo);
	if (site->nexprs < 0)
		compile_params(fcinfo, site, kind);
	/* A further group without rows, as most of public keys may be. */
	if (site->constant && site->last != NULL)
		return site->last;
	/* Evaluated each time: a parameter from an outer query may change between scans. */
	for (int i = 0; i < site->nexprs; i++)
		values[i] = ExecEvalExprSwitchContext(site->exprs[i], econtext, &isnull[i]);
	key_of_arguments(&key, kind, site->weighted, site->nexprs, values, isnull);
	key.digits = site->digits;
	return gaussdp_params_intern(fcinfo, &key);
}
