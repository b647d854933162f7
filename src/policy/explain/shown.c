/*
 * shown.c
 *		What a view shows of tables, for gaussdp.check_policy(): their rows, or what dp_ calls make of them.
 *
 * Looks at the view's query as a reader gets it, with the views in it written out.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "rewrite/rewriteHandler.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "policy/proof/proof.h"

/* The query of a view or materialized view, rewritten; NULL where it has none. */
static Query *
query_of_view(Oid view)
{
	Relation rel = table_open(view, AccessShareLock);
	Query *query = NULL;

	if (rel->rd_rules != NULL && rel->rd_rules->numLocks == 1)
		query = copyObject(linitial_node(Query, rel->rd_rules->rules[0]->actions));
	table_close(rel, NoLock);
	if (query == NULL)
		return NULL;
	AcquireRewriteLocks(query, true, false);
	return linitial_node(Query, QueryRewrite(query));
}

/* gaussdp_internal.shown_by(view regclass, relations oid[]) */
PG_FUNCTION_INFO_V1(gaussdp_shown_by);
Datum
gaussdp_shown_by(PG_FUNCTION_ARGS)
{
	GaussdpShown shown = {NIL, false, false};
	Query *query = query_of_view(PG_GETARG_OID(0));
	Datum *relations;
	int n;

	if (query == NULL)
		PG_RETURN_NULL();
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), OIDOID, sizeof(Oid), true, TYPALIGN_INT, &relations,
					  NULL, &n);
	for (int i = 0; i < n; i++)
		shown.relations = lappend_oid(shown.relations, DatumGetObjectId(relations[i]));
	gaussdp_find_shown(&shown, query);
	if (shown.rows)
		PG_RETURN_TEXT_P(cstring_to_text("rows"));
	if (shown.answers)
		PG_RETURN_TEXT_P(cstring_to_text("answers"));
	PG_RETURN_NULL();
}
