/*
 * columns.c
 *		Are the columns of a level still those that the parser has seen?
 *
 * The tree of a query was made some time ago.  A column that has been dropped or has another type since would make
 * the first row fail that is read of it, or of what is joined to it.  So would a column of a query in FROM that a rewriting has
 * made another one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "policy/proof/internal.h"

/* The queries around the node at hand, innermost first. */
typedef struct Walk
{
	GaussdpVerifier *v;
	List *queries;
} Walk;

static bool
verify_column(GaussdpVerifier *v, const Var *var, Oid relation)
{
	HeapTuple tuple =
		SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(var->varattno));
	Form_pg_attribute att;
	int32 typmod;
	bool is_same;
	bool is_virtual;

	if (!HeapTupleIsValid(tuple))
		return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, var->location,
							  "a column is not there any more", "Run the query again.");
	att = (Form_pg_attribute) GETSTRUCT(tuple);
	typmod = att->atttypmod;
	(void) getBaseTypeAndTypmod(att->atttypid, &typmod);
	is_same = !att->attisdropped && att->atttypid == var->vartype &&
			  (typmod == var->vartypmod || var->vartypmod == -1) &&
			  att->attcollation == var->varcollid;
	is_virtual = att->attgenerated == 'v';
	ReleaseSysCache(tuple);
	GAUSSDP_REFUSE_IF(!is_same, GAUSSDP_RULE_LEVEL, var->location,
					  "a column has changed since the query was parsed", "Run the query again.");
	GAUSSDP_REFUSE_IF(is_virtual, GAUSSDP_RULE_FUNCTIONS, var->location,
					  "a virtual column is computed when it is read",
					  "Ask the owner for a stored column.");
	return true;
}

static bool
verify_shown(GaussdpVerifier *v, const Var *var, const Query *query)
{
	const TargetEntry *shown = get_tle_by_resno(query->targetList, var->varattno);

	GAUSSDP_REFUSE_IF(shown == NULL || exprType((Node *) shown->expr) != var->vartype ||
						  exprCollation((Node *) shown->expr) != var->varcollid,
					  GAUSSDP_RULE_LEVEL, var->location,
					  "a column is not of the type that the query in FROM shows",
					  "Write the query in another form.");
	return true;
}

Node *
gaussdp_without_domain(Node *node)
{
	while (IsA(node, RelabelType) && getBaseType(exprType((Node *) ((RelabelType *) node)->arg)) ==
										 getBaseType(exprType(node)))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* Stops, with true, at the first column that is refused. */
static bool
refuses_a_column(Node *node, Walk *walk)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var *var = (Var *) node;
		const Query *query;
		RangeTblEntry *entry;

		if (var->varattno <= 0 || var->varlevelsup >= (Index) list_length(walk->queries))
			return false;
		query = list_nth(walk->queries, (int) var->varlevelsup);
		entry = rt_fetch(var->varno, query->rtable);
		if (entry->rtekind == RTE_JOIN)
		{
			Walk outside = {walk->v, list_copy_tail(walk->queries, (int) var->varlevelsup)};

			return refuses_a_column(list_nth(entry->joinaliasvars, var->varattno - 1), &outside);
		}
		/* Of UNION ALL each arm is looked at (inner.c). */
		if (entry->rtekind == RTE_SUBQUERY && query->setOperations == NULL)
			return !verify_shown(walk->v, var, entry->subquery);
		return entry->rtekind == RTE_RELATION && !verify_column(walk->v, var, entry->relid);
	}
	if (IsA(node, Query))
	{
		bool found;

		walk->queries = lcons(node, walk->queries);
		found = query_tree_walker((Query *) node, refuses_a_column, walk, QTW_IGNORE_JOINALIASES);
		walk->queries = list_delete_first(walk->queries);
		return found;
	}
	return expression_tree_walker(node, refuses_a_column, walk);
}

bool
gaussdp_verify_columns(GaussdpVerifier *v, const Query *query)
{
	Walk walk = {v, NIL};

	return !refuses_a_column((Node *) query, &walk);
}
