/*
 * shown.c
 *		What a view shows of tables, for gaussdp.check_policy(): their rows, or what dp_ calls make of them.
 *
 * Looks at the view's query as a reader gets it, with the views in it written out.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "rewrite/rewriteHandler.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "policy/proof/proof.h"

/* The query of a view or materialized view, rewritten; NULL for anything else, whatever rules it has. */
static Query *
query_of_view(Oid view)
{
	Relation rel = try_relation_open(view, AccessShareLock);
	Query *query = NULL;

	if (rel == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", view)));
	if (rel->rd_rel->relkind == RELKIND_VIEW || rel->rd_rel->relkind == RELKIND_MATVIEW)
		for (int i = 0; rel->rd_rules != NULL && i < rel->rd_rules->numLocks; i++)
			if (rel->rd_rules->rules[i]->event == CMD_SELECT)
				query = copyObject(linitial_node(Query, rel->rd_rules->rules[i]->actions));
	relation_close(rel, NoLock);
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
