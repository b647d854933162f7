/*
 * allowed.c
 *		Functions of extensions that a superuser has declared pure, so that contained() may evaluate them.
 *
 * The declaration is a security label of the function, pure and a fingerprint of what it was then.  A dump takes it along, DROP FUNCTION
 * forgets it, and a function that has been replaced since is no longer what was declared.
 *
 * What a superuser promises is less than LEAKPROOF: the function may fail, but it reads nothing but its arguments, leaves nothing behind
 * where it fails, and takes little time and memory for arguments of 8 kB.  What the catalog can tell is asked here.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "compat.h"
#include "policy/contained/contained.h"

PG_FUNCTION_INFO_V1(gaussdp_pure_label);
PG_FUNCTION_INFO_V1(gaussdp_why_not_pure);

#define LABEL "pure "

/* Values whose type is made of others, or is none, say more than their bytes do. */
static bool
is_plain_type(Oid type)
{
	Oid element = get_element_type(type);

	return get_typtype(OidIsValid(element) ? element : type) == TYPTYPE_BASE;
}

/* Why the function cannot be declared, the rest of a sentence; NULL where it can. */
static const char *
problem_of(HeapTuple tuple)
{
	Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(tuple);

	if (proc->oid < FirstNormalObjectId)
		return "is PostgreSQL's own, which are known";
	if (proc->prolang != ClanguageId)
		return "is not written in C: a function in another language may read anything, and others may replace it";
	if (!superuser_arg(proc->proowner))
		return "is not owned by a superuser";
	if (proc->prokind != PROKIND_FUNCTION || proc->proretset)
		return "is an aggregate or a window function, or returns a set";
	if (proc->provolatile != PROVOLATILE_IMMUTABLE)
		return "is not IMMUTABLE: it reads more than its arguments";
	if (!proc->proisstrict)
		return "is not STRICT: it has a value where an argument is NULL";
	if (proc->prosecdef || !heap_attisnull(tuple, Anum_pg_proc_proconfig, NULL))
		return "is SECURITY DEFINER, or sets parameters";
	if (OidIsValid(proc->provariadic) || !is_plain_type(proc->prorettype))
		return "takes or returns values of a type that is made of others";
	for (int i = 0; i < proc->pronargs; i++)
		if (!is_plain_type(proc->proargtypes.values[i]))
			return "takes or returns values of a type that is made of others";
	return NULL;
}

static void
add_item(StringInfo out, const char *item)
{
	appendStringInfo(out, "%zu:%s", strlen(item), item);
}

static void
add_attribute(StringInfo out, HeapTuple tuple, AttrNumber column)
{
	bool isnull;
	Datum value = SysCacheGetAttr(PROCOID, tuple, column, &isnull);

	add_item(out, isnull ? "" : TextDatumGetCString(value));
}

/* The label of the function as it is now.  Types are named, since a dump restores them by other numbers. */
static char *
label_of(HeapTuple tuple)
{
	Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(tuple);
	StringInfoData out;
	Datum hash;

	initStringInfo(&out);
	add_attribute(&out, tuple, Anum_pg_proc_prosrc);
	add_attribute(&out, tuple, Anum_pg_proc_probin);
	add_item(&out, format_type_be_qualified(proc->prorettype));
	for (int i = 0; i < proc->pronargs; i++)
		add_item(&out, format_type_be_qualified(proc->proargtypes.values[i]));
	hash = DirectFunctionCall1(sha256_bytea, PointerGetDatum(cstring_to_text(out.data)));
	hash = DirectFunctionCall2(binary_encode, hash, CStringGetTextDatum("hex"));
	return psprintf(LABEL "%s", TextDatumGetCString(hash));
}

bool
gaussdp_may_be_pure(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool result = HeapTupleIsValid(tuple) && problem_of(tuple) == NULL;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Why a declared function is not used, the rest of a sentence; NULL where it is. */
static const char *
problem_of_declared(HeapTuple tuple)
{
	ObjectAddress address;
	const char *problem = problem_of(tuple);
	const char *label;

	if (problem != NULL)
		return problem;
	ObjectAddressSet(address, ProcedureRelationId, ((Form_pg_proc) GETSTRUCT(tuple))->oid);
	label = GetSecurityLabel(&address, "gaussdp");
	if (label == NULL)
		return "is not declared";
	return strcmp(label, label_of(tuple)) == 0 ? NULL : "has been replaced since it was declared";
}

bool
gaussdp_is_allowed(Oid function)
{
	HeapTuple tuple;
	bool result;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	result = HeapTupleIsValid(tuple) && problem_of_declared(tuple) == NULL;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

bool
gaussdp_is_plain_type(Oid type)
{
	return type < FirstGenbkiObjectId || is_plain_type(type);
}

/* gaussdp_internal.pure_label(regprocedure): what gaussdp.allow_function() writes. */
Datum
gaussdp_pure_label(PG_FUNCTION_ARGS)
{
	Oid function = PG_GETARG_OID(0);
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	const char *problem;
	char *label;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("function with OID %u does not exist", function)));
	problem = problem_of(tuple);
	if (problem != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("function %s cannot be declared pure", format_procedure(function)),
						errdetail("It %s.", problem)));
	label = label_of(tuple);
	ReleaseSysCache(tuple);
	PG_RETURN_TEXT_P(cstring_to_text(label));
}

/* gaussdp_internal.why_not_pure(regprocedure): NULL where a declared function is used. */
Datum
gaussdp_why_not_pure(PG_FUNCTION_ARGS)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(PG_GETARG_OID(0)));
	const char *problem = HeapTupleIsValid(tuple) ? problem_of_declared(tuple) : "does not exist";

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
