/*
 * allowed.c
 *		Functions of extensions that a superuser has declared pure, so that contained() may evaluate them.
 *
 * The declarations are in a table, each with a fingerprint of what the function was then: a function that has been replaced since is no
 * longer what was declared.  They are by name, since a dump restores functions by other numbers; of functions that are an extension's a dump
 * has no security labels.
 *
 * What a superuser promises is less than LEAKPROOF: the function may fail, but it reads nothing but its arguments, leaves nothing behind
 * where it fails, and takes little time and memory for arguments of 8 kB.  What the catalog can tell is asked here.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "policy/contained/contained.h"

PG_FUNCTION_INFO_V1(gaussdp_fingerprint);
PG_FUNCTION_INFO_V1(gaussdp_function_name);
PG_FUNCTION_INFO_V1(gaussdp_why_not_pure);

#define TABLE "allowed_function"

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

/* Of the function as it is now.  Types are named, since a dump restores them by other numbers. */
static char *
fingerprint_of(HeapTuple tuple)
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
	return TextDatumGetCString(hash);
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

/* The fingerprint with which the function has been declared, or NULL.  What is in the table counts only where none but superusers write. */
static char *
declared_fingerprint(Oid function)
{
	Oid table = get_relname_relid(TABLE, get_namespace_oid("gaussdp_internal", true));
	const char *name = format_procedure_qualified(function);
	char *fingerprint = NULL;
	Relation rel;
	SysScanDesc scan;
	HeapTuple tuple;

	if (!OidIsValid(table))
		return NULL;
	rel = table_open(table, AccessShareLock);
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (superuser_arg(rel->rd_rel->relowner) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum declared = heap_getattr(tuple, 1, RelationGetDescr(rel), &isnull);

		if (strcmp(TextDatumGetCString(declared), name) == 0)
			fingerprint =
				TextDatumGetCString(heap_getattr(tuple, 2, RelationGetDescr(rel), &isnull));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return fingerprint;
}

/* Why a declared function is not used, the rest of a sentence; NULL where it is. */
static const char *
problem_of_declared(HeapTuple tuple)
{
	const char *problem = problem_of(tuple);
	const char *declared;

	if (problem != NULL)
		return problem;
	declared = declared_fingerprint(((Form_pg_proc) GETSTRUCT(tuple))->oid);
	if (declared == NULL)
		return "is not declared";
	return strcmp(declared, fingerprint_of(tuple)) == 0 ? NULL
														: "has been replaced since it was declared";
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

/* gaussdp_internal.fingerprint(regprocedure): what gaussdp.allow_function() keeps. */
Datum
gaussdp_fingerprint(PG_FUNCTION_ARGS)
{
	Oid function = PG_GETARG_OID(0);
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	const char *problem;
	char *fingerprint;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("function with OID %u does not exist", function)));
	problem = problem_of(tuple);
	if (problem != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("function %s cannot be declared pure", format_procedure(function)),
						errdetail("It %s.", problem)));
	fingerprint = fingerprint_of(tuple);
	ReleaseSysCache(tuple);
	PG_RETURN_TEXT_P(cstring_to_text(fingerprint));
}

/* gaussdp_internal.function_name(regprocedure) */
Datum
gaussdp_function_name(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(format_procedure_qualified(PG_GETARG_OID(0))));
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
