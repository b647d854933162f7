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
	call->first = gaussdp_first_param(call->kind, nargs);
	call->has_value = call->first > 0;
	call->nparams = nargs - call->first;
	call->lacks_bounds = gaussdp_form(call->kind, call->nparams) == NULL;
	call->finds_bounds = descriptor->finds_bounds;
	call->decides_on_groups = descriptor->threshold_delta != NULL;
	call->hides_groups = descriptor->hiding_delta != NULL && !call->is_estimate;
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
	ReleaseSysCache(tuple);
	if (descriptor == NULL ||
		getExtensionOfObject(ProcedureRelationId, aggfnoid) != get_extension_oid("gaussdp", true))
		return false;
	describe(descriptor, nargs, call);
	return true;
}

/*
 * What was read of an aggregate, for as long as no function changes.
 *
 * A query asks a dozen times, and each answer scans two catalogs.  Aggregates of the extension alone are kept.
 * One that leaves the extension does so by its owner, and still is what it was until its row in pg_proc
 * changes: that, or DROP, makes us read again.
 */
typedef struct KnownCall
{
	Oid aggfnoid; /* hash key */
	uint64 generation;
	GaussdpCall call;
} KnownCall;

static HTAB *known_calls = NULL;

/* Grows when a function changes; entries of another generation do not count. */
static uint64 generation = 1;

static void
forget_calls(Datum arg, int cacheid, uint32 hashvalue)
{
	generation++;
}

static void
start_remembering(void)
{
	HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownCall)};

	ctl.hcxt = CacheMemoryContext;
	known_calls =
		hash_create("gaussdp aggregates", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterSyscacheCallback(PROCOID, forget_calls, (Datum) 0);
}

bool
gaussdp_call_of(Oid aggfnoid, GaussdpCall *call)
{
	KnownCall *known;
	uint64 before;

	if (known_calls == NULL)
		start_remembering();
	known = hash_search(known_calls, &aggfnoid, HASH_FIND, NULL);
	if (known != NULL && known->generation == generation)
	{
		*call = known->call;
		return true;
	}
	before = generation;
	if (!read_call(aggfnoid, call))
		return false;
	/* What changed while it was read is read again next time. */
	known = hash_search(known_calls, &aggfnoid, HASH_ENTER, NULL);
	known->call = *call;
	known->generation = before;
	return true;
}

/* By schema, name and types: no search path takes part, and what others have put there is none of ours. */
static Oid
own_aggregate(Oid schema, const char *name, List *argtypes)
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
	if (!OidIsValid(found) ||
		getExtensionOfObject(ProcedureRelationId, found) != get_extension_oid("gaussdp", true))
		elog(ERROR, "aggregate %s with %d arguments does not exist", name, ntypes);
	return found;
}

Oid
gaussdp_call_sibling(Oid aggfnoid, const char *name, List *argtypes)
{
	return own_aggregate(get_func_namespace(aggfnoid), name, argtypes);
}

Oid
gaussdp_call_packed(const char *name, List *argtypes)
{
	return own_aggregate(get_namespace_oid("gaussdp_internal", false), name, argtypes);
}

int
gaussdp_call_rows_parameter(const GaussdpCall *call)
{
	const GaussdpForm *form = gaussdp_form(call->kind, call->nparams);

	for (int i = 0; i < call->nparams; i++)
		if (form->params[i] == GAUSSDP_PARAM_MAX_ROWS ||
			(form->params[i] == GAUSSDP_PARAM_L2_SENSITIVITY && call->hides_groups))
			return i;
	return -1;
}

const char *
gaussdp_call_parameter(const GaussdpCall *call, int i)
{
	return gaussdp_form_name(gaussdp_form(call->kind, call->nparams), i);
}

double
gaussdp_call_delta(const GaussdpCall *call, const Datum *values, const bool *isnull)
{
	GaussdpKey key;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	return gaussdp_param(&key, GAUSSDP_PARAM_DELTA);
}

void
gaussdp_call_cost(const GaussdpCall *call, const Datum *values, const bool *isnull, double rows,
				  GaussdpCost *cost)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);
	GaussdpKey key;
	GaussdpParams params;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	gaussdp_params_fill(&params, &key);
	cost->ncoords = params.ncoords;
	cost->mu_squared = 0;
	cost->threshold_delta =
		descriptor->threshold_delta == NULL ? 0 : descriptor->threshold_delta(&params, rows);
	for (int i = 0; i < params.ncoords; i++)
	{
		/* Per row first: rows of the caller's are a claim, those of the policy a fact. */
		double sensitivity = params.sensitivity[i] / params.rows * rows * (1 + 0x1p-50);
		double mu = sensitivity / params.noise[i].sigma;

		cost->coord[i].sensitivity = sensitivity;
		cost->coord[i].sigma = params.noise[i].sigma;
		cost->mu_squared += mu * mu * (1 + 0x1p-49);
	}
	cost->mu_squared *= DISCRETE;
}

double
gaussdp_count_hiding(const GaussdpCall *call, const Datum *values, const bool *isnull, double rows,
					 double least, double *smallest)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(call->kind);
	GaussdpKey key;
	GaussdpParams params;

	gaussdp_key_fill(&key, call->kind, call->nparams, values, isnull);
	gaussdp_params_fill(&params, &key);
	*smallest = descriptor->hiding_least(&params, rows);
	return descriptor->hiding_delta(&params, rows, least);
}
