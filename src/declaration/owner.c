/*
 * owner.c
 *		Who owns a table, and so decides about it: the one place of that question, for C and for SQL.
 *
 * Reads the catalog; used by the ledger, by its views and by the room, which reads rows as their owner.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/syscache.h"

#include "compat.h"
#include "declaration/owner.h"

/* InvalidOid for a table that does not exist. */
static Oid
look_up(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

Oid
gaussdp_owner_of(Oid relation)
{
	Oid owner = look_up(relation);

	if (!OidIsValid(owner))
		elog(ERROR, "cache lookup failed for relation %u", relation);
	return owner;
}

bool
gaussdp_owns_table(Oid relation, Oid role)
{
	Oid owner;

	if (superuser_arg(role))
		return true;
	owner = look_up(relation);
	return OidIsValid(owner) && has_privs_of_role(role, owner);
}

/* gaussdp_internal.current_role_owns(regclass): does the current role? */
PG_FUNCTION_INFO_V1(gaussdp_current_role_owns);
Datum
gaussdp_current_role_owns(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(gaussdp_owns_table(PG_GETARG_OID(0), GetUserId()));
}
