/*
 * calls.c
 *		The private aggregates as others see them: which calls there are and what each costs.
 *
 * Reads the catalog and the calibrations of this folder; hands descriptions to the policy.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "aggregate/calls.h"

/*
 * The discrete noise is that of mu (1 + kappa), where kappa is at most 3.3e-13 up to mu = 10, beyond which
 * no ledger takes a release (core/grid.c): its square and the roundings of the sum.
 */
#define DISCRETE (1 + 0x1p-40)

/* What the descriptor says of a call with so many arguments. */
static void
describe(const GaussdpDescriptor *descriptor, int nargs, GaussdpCall *call)
{
	call->kind = descriptor->kind;
	/* One argument alone is a value. */
	call->first = nargs == 1 ? 1 : gaussdp_first_param(call->kind, nargs);
	call->has_value = call->first > 0;
	call->nparams = nargs - call->first;
	call->lacks_bounds = gaussdp_form(call->kind, call->nparams, GAUSSDP_PLAIN) == NULL;
	call->lacks_numbers = call->lacks_bounds && gaussdp_short_place(call, GAUSSDP_PARAM_DELTA) < 0;
	call->finds_bounds = descriptor->finds_bounds;
	call->of_pairs = descriptor->of_pairs;
	call->decides_on_groups = descriptor->threshold_delta != NULL;
	call->hides_groups = descriptor->hiding_delta != NULL && !call->is_estimate;
	call->has_weighted_form = descriptor->size != NULL;
	call->sized_by_value = descriptor->sized_by_value;
}

/* Is the function one of the extension's?  Scans two catalogs. */
static bool
is_member(Oid function)
{
	return getExtensionOfObject(ProcedureRelationId, function) ==
		   get_extension_oid("gaussdp", true);
}

/* As gaussdp_call_of, from the catalog. */
static bool
read_call(Oid aggfnoid, GaussdpCall *call)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggfnoid));
	const GaussdpDescriptor *descriptor = NULL;
	Form_pg_proc proc;
	int nargs;

	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	nargs = proc->pronargs;
	if (proc->prokind == PROKIND_AGGREGATE)
		descriptor = gaussdp_descriptor_of(
			NameStr(proc->proname),
			nargs > 0 && OidIsValid(get_element_type(proc->proargtypes.values[0])),
			&call->is_estimate);
	if (descriptor != NULL)
		call->name = gaussdp_descriptor_name(descriptor, NameStr(proc->proname));
	ReleaseSysCache(tuple);
	if (descriptor == NULL || !is_member(aggfnoid))
		return false;
	describe(descriptor, nargs, call);
	return true;
}

/*
 * What was read of functions of the extension, for as long as no function changes.
 *
 * A query asks a dozen times, and each answer scans two catalogs.  Functions of the extension alone are kept.
 * One that leaves the extension does so by its owner, and still is what it was until its row in pg_proc
 * changes: that, or DROP, makes us read again.
 */
typedef struct KnownFunction
{
	Oid function; /* hash key */
	uint64 generation;
	bool is_call; /* is it a private aggregate? */
	GaussdpCall call;
} KnownFunction;

static HTAB *known_functions = NULL;

/* Grows when a function changes; entries of another generation do not count. */
static uint64 generation = 1;

static void
forget_functions(Datum arg, int cacheid, uint32 hashvalue)
{
	generation++;
}

static void
start_remembering(void)
{
	HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownFunction)};

	ctl.hcxt = CacheMemoryContext;
	known_functions =
		hash_create("gaussdp functions", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterSyscacheCallback(PROCOID, forget_functions, (Datum) 0);
}

/* NULL where nothing is known that still holds. */
static const KnownFunction *
known_function(Oid function)
{
	const KnownFunction *known;

	if (known_functions == NULL)
		start_remembering();
	known = hash_search(known_functions, &function, HASH_FIND, NULL);
	return known != NULL && known->generation == generation ? known : NULL;
}

/* before: the generation when reading began; what changed since is read again next time. */
static void
remember_function(Oid function, uint64 before, const GaussdpCall *call)
{
	KnownFunction *known = hash_search(known_functions, &function, HASH_ENTER, NULL);

	known->generation = before;
	known->is_call = call != NULL;
	if (call != NULL)
		known->call = *call;
}

bool
gaussdp_call_of(Oid aggfnoid, GaussdpCall *call)
{
	const KnownFunction *known = known_function(aggfnoid);
	uint64 before = generation;

	if (known != NULL && known->is_call)
	{
		*call = known->call;
		return true;
	}
	if (!read_call(aggfnoid, call))
		return false;
	remember_function(aggfnoid, before, call);
	return true;
}

/* As is_member, remembered. */
static bool
is_own(Oid function)
{
	uint64 before;

	if (known_function(function) != NULL)
		return true;
	before = generation;
	if (!is_member(function))
		return false;
	remember_function(function, before, NULL);
	return true;
}

/* By schema, name and types: no search path takes part, and what others have put there is none of ours. */
static Oid
own_function_in(Oid schema, const char *name, List *argtypes)
{
	Oid types[FUNC_MAX_ARGS];
	int ntypes = 0;
	Oid found;
	ListCell *cell;

	foreach (cell, argtypes)
		types[ntypes++] = lfirst_oid(cell);
	found =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(buildoidvector(types, ntypes)), ObjectIdGetDatum(schema));
	if (!OidIsValid(found) || !is_own(found))
		elog(ERROR, "function %s with %d arguments does not exist", name, ntypes);
	return found;
}

/* The same in gaussdp_internal. */
static Oid
own_function(const char *name, List *argtypes)
{
	return own_function_in(get_namespace_oid("gaussdp_internal", false), name, argtypes);
}

Oid
gaussdp_own_function(const char *name, List *argtypes)
{
	return own_function(name, argtypes);
}

/* The type dp_estimate stands where the aggregates do. */
Oid
gaussdp_call_named(const char *name, List *argtypes)
{
	Oid made = own_function("count_estimate_final", list_make1_oid(INTERNALOID));
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(get_func_rettype(made)));
	Oid schema;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "type dp_estimate does not exist");
	schema = ((Form_pg_type) GETSTRUCT(tuple))->typnamespace;
	ReleaseSysCache(tuple);
	return own_function_in(schema, name, argtypes);
}

Oid
gaussdp_call_sibling(Oid aggfnoid, const char *name, List *argtypes)
{
	return own_function_in(get_func_namespace(aggfnoid), name, argtypes);
}

/*
 * The parser has DISTINCT compare every argument, and the executor counts on more than one being compared where
 * there is more than one.
 */
static void
compare_argument(Aggref *call, TargetEntry *argument)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	ListCell *lc;

	foreach (lc, call->args)
		argument->ressortgroupref =
			Max(argument->ressortgroupref, lfirst_node(TargetEntry, lc)->ressortgroupref + 1);
	clause->tleSortGroupRef = argument->ressortgroupref;
	get_sort_group_operators(exprType((Node *) argument->expr), true, true, false, &clause->sortop,
							 &clause->eqop, NULL, &clause->hashable);
	call->aggdistinct = lappend(call->aggdistinct, clause);
}

void
gaussdp_insert_argument(Aggref *call, int place, Expr *value)
{
	TargetEntry *argument = makeTargetEntry(value, (AttrNumber) (place + 1), NULL, false);

	for (int i = place; i < list_length(call->args); i++)
		((TargetEntry *) list_nth(call->args, i))->resno++;
	if (call->aggdistinct != NIL)
		compare_argument(call, argument);
	call->args = list_insert_nth(call->args, place, argument);
	call->aggargtypes = list_insert_nth_oid(call->aggargtypes, place, exprType((Node *) value));
	call->aggstar = false;
}

Oid
gaussdp_call_packed(const char *name, List *argtypes)
{
	return own_function(name, argtypes);
}

int
gaussdp_call_rows_parameter(const GaussdpCall *call)
{
	return gaussdp_rows_place(gaussdp_form(call->kind, call->nparams, GAUSSDP_PLAIN));
}

int
gaussdp_short_place(const GaussdpCall *call, GaussdpParamName name)
{
	const GaussdpForm *form = gaussdp_form(call->kind, call->nparams, GAUSSDP_SHORT);

	return form == NULL ? -1 : gaussdp_form_place(form, name);
}

int
gaussdp_call_place(const GaussdpCall *call, GaussdpParamName name)
{
	return gaussdp_form_place(gaussdp_form(call->kind, call->nparams, GAUSSDP_PLAIN), name);
}

const char *
gaussdp_call_parameter(const GaussdpCall *call, int i)
{
	return gaussdp_form_name(gaussdp_form(call->kind, call->nparams, GAUSSDP_PLAIN), i);
}

double
gaussdp_call_delta(const GaussdpCall *call, const Datum *values, const bool *isnull)
{
	GaussdpKey key;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	return gaussdp_param(&key, GAUSSDP_PARAM_DELTA);
}

/* What noise with these parameters costs where one person has at most so many rows. */
static void
cost_of(const GaussdpParams *params, double rows, GaussdpCost *cost)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(params->key.kind);

	/* A person whose rows are clipped by a joint norm may move any one coordinate by all of it. */
	bool is_joint = params->key.weighted && descriptor->add_squares != NULL;

	cost->ncoords = params->ncoords;
	cost->mu_squared = 0;
	cost->threshold_delta =
		descriptor->threshold_delta == NULL ? 0 : descriptor->threshold_delta(params, rows);
	for (int i = 0; i < params->ncoords; i++)
	{
		/* Per row first: rows of the caller's are a claim, those of the policy a fact. */
		double sensitivity = params->sensitivity[i] / params->rows * rows * (1 + 0x1p-50);
		double mu = sensitivity / params->noise[i].sigma;

		cost->coord[i].sensitivity = sensitivity;
		cost->coord[i].sigma = params->noise[i].sigma;
		if (is_joint)
			cost->mu_squared = fmax(cost->mu_squared, mu * mu / params->share[i] * (1 + 0x1p-49));
		else
			cost->mu_squared += mu * mu * (1 + 0x1p-49);
	}
	cost->mu_squared *= DISCRETE;
}

void
gaussdp_call_params(GaussdpParams *params, const GaussdpCall *call, const Datum *values,
					const bool *isnull, bool weighted, double k)
{
	double numbers[GAUSSDP_MAX_NUMBERS];
	GaussdpKey key;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	if (weighted)
	{
		int n = gaussdp_weighted_values(&key, k, numbers);

		gaussdp_weighted_key_fill(&key, call->kind, n, numbers);
	}
	gaussdp_params_fill(params, &key);
}

void
gaussdp_call_cost(const GaussdpCall *call, const Datum *values, const bool *isnull, double rows,
				  GaussdpCost *cost)
{
	GaussdpParams params;

	gaussdp_call_params(&params, call, values, isnull, false, 0);
	cost_of(&params, rows, cost);
}

double
gaussdp_call_half_width(const GaussdpCall *call, const Datum *values, const bool *isnull, double k,
						double n)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);
	GaussdpParams params;

	if (descriptor->finds_bounds)
		return NAN;
	gaussdp_call_params(&params, call, values, isnull, k > 0, k);
	if (descriptor->half_width == NULL)
		return GAUSSDP_Z95 * params.noise[0].sigma;
	/* Roots of two numbers differ by no more than the root of their difference. */
	return strcmp(call->name, "dp_stddev") == 0 ? sqrt(descriptor->half_width(&params, n))
												: descriptor->half_width(&params, n);
}

double
gaussdp_count_hiding(const GaussdpCall *call, const Datum *values, const bool *isnull, double rows,
					 double least, double *smallest)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);
	GaussdpParams params;

	gaussdp_call_params(&params, call, values, isnull, false, 0);
	*smallest = descriptor->hiding_least(&params, rows);
	return descriptor->hiding_delta(&params, rows, least);
}

/* ---------------------------------------------------------------------------
 * Weights
 * ---------------------------------------------------------------------------
 */

Oid
gaussdp_row_size_function(void)
{
	return own_function("row_size", list_make3_oid(INT4OID, FLOAT8ARRAYOID, ANYOID));
}

Oid
gaussdp_row_bin_function(void)
{
	return own_function("row_bin", list_make3_oid(INT4OID, FLOAT8ARRAYOID, ANYOID));
}

Oid
gaussdp_person_total_aggregate(void)
{
	return own_function("person_total", list_make3_oid(INT4OID, FLOAT8ARRAYOID, ANYOID));
}

Oid
gaussdp_total_weight_aggregate(void)
{
	return own_function("total_weight", list_make4_oid(BYTEAOID, INT4OID, FLOAT8ARRAYOID, INT8OID));
}

Oid
gaussdp_clip_total_function(void)
{
	return own_function("clip_total", list_make2_oid(BYTEAOID, INT8OID));
}

GaussdpNorm
gaussdp_norm_of(GaussdpKind kind)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(kind);

	if (descriptor->add_squares != NULL)
		return GAUSSDP_NORM_JOINT;
	return descriptor->bin != NULL ? GAUSSDP_NORM_BINS : GAUSSDP_NORM_ROWS;
}

Oid
gaussdp_size_sum_aggregate(void)
{
	return own_function("size_sum", list_make1_oid(INT8OID));
}

Oid
gaussdp_person_weight_aggregate(void)
{
	return own_function("person_weight", list_make3_oid(INT8OID, INT8OID, INT8OID));
}

/* Calls of one kind differ in what is made of the state alone, which no plan does.  Numbers and arrays share names. */
static const char *
weighted_name(const GaussdpCall *call)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);

	return psprintf("%s%s_weighted", descriptor->of_arrays ? "vector_" : "",
					descriptor->names[0] + strlen("dp_"));
}

Oid
gaussdp_weighted_aggregate(const GaussdpCall *call)
{
	List *argtypes = list_make2_oid(INT8OID, FLOAT8ARRAYOID);

	if (gaussdp_norm_of(call->kind) == GAUSSDP_NORM_JOINT)
		return gaussdp_total_aggregate(call);
	if (call->has_value)
		argtypes = lappend_oid(argtypes, ANYOID);
	return own_function(weighted_name(call), argtypes);
}

Oid
gaussdp_total_aggregate(const GaussdpCall *call)
{
	if (gaussdp_descriptor(call->kind)->weigh == NULL)
		return InvalidOid;
	return own_function(weighted_name(call), list_make2_oid(BYTEAOID, FLOAT8ARRAYOID));
}

Const *
gaussdp_weighted_params(const GaussdpCall *call, const Datum *values, const bool *isnull, double k)
{
	double numbers[GAUSSDP_MAX_NUMBERS];
	Datum elements[GAUSSDP_MAX_NUMBERS];
	GaussdpParams params;
	ArrayType *array;
	int n;

	gaussdp_call_params(&params, call, values, isnull, true, k);
	n = gaussdp_key_numbers(&params.key, numbers);
	for (int i = 0; i < n; i++)
		elements[i] = Float8GetDatum(numbers[i]);
	array =
		construct_array(elements, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	return makeConst(FLOAT8ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false);
}

double
gaussdp_call_rows(const GaussdpCall *call, const Datum *values, const bool *isnull,
				  double otherwise)
{
	GaussdpKey key;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	return gaussdp_rows_or(&key, otherwise);
}

void
gaussdp_weighted_cost(const GaussdpCall *call, const Datum *values, const bool *isnull, double k,
					  GaussdpCost *cost)
{
	GaussdpParams params;

	gaussdp_call_params(&params, call, values, isnull, true, k);
	cost_of(&params, params.rows, cost);
}

double
gaussdp_weighted_hiding(const GaussdpCall *call, const Datum *values, const bool *isnull, double k,
						GaussdpCounted counted, double max_groups, double least, double *smallest)
{
	bool people = counted == GAUSSDP_COUNTED_PEOPLE;
	GaussdpParams params;

	gaussdp_call_params(&params, call, values, isnull, true, k);
	*smallest = gaussdp_weighted_hiding_least(&params, people, max_groups);
	return gaussdp_weighted_hiding_delta(&params, people, max_groups, least);
}
