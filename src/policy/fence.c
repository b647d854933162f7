/*
 * fence.c
 *		Rewrites a verified query so that each level is planned as a unit of its own.
 *
 * PostgreSQL records every aggregate as immutable: it would pull a sub-select up and copy it, inline
 * a CTE, or push a condition from outside below a GROUP BY.  A materialized CTE is what it never
 * touches: planned by itself, evaluated at most once, read as often as the rest of the query likes.
 * The finished plan is checked all the same (plancheck.c).
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "policy/verify.h"

/* Stands beside WITH queries of the user, whose names are shorter than NAMEDATALEN. */
#define SCALAR_NAME "gaussdp: a scalar sub-select over a protected table, as a level by itself"

StaticAssertDecl(sizeof(SCALAR_NAME) > NAMEDATALEN, "a user could give a WITH query this name");

/* A materialized CTE over the query's visible columns. */
static CommonTableExpr *
make_cte(Query *query, char *name)
{
	CommonTableExpr *cte = makeNode(CommonTableExpr);
	ListCell *lc;

	cte->ctename = name;
	cte->ctematerialized = CTEMaterializeAlways;
	cte->ctequery = (Node *) query;
	cte->location = -1;
	cte->cterefcount = 1;
	foreach (lc, query->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		Node *expr = (Node *) tle->expr;

		if (tle->resjunk)
			continue;
		cte->ctecolnames = lappend(cte->ctecolnames,
								   makeString(pstrdup(tle->resname ? tle->resname : "?column?")));
		cte->ctecoltypes = lappend_oid(cte->ctecoltypes, exprType(expr));
		cte->ctecoltypmods = lappend_int(cte->ctecoltypmods, exprTypmod(expr));
		cte->ctecolcollations = lappend_oid(cte->ctecolcollations, exprCollation(expr));
	}
	return cte;
}

/* SELECT every column FROM the CTE, which belongs to the query levelsup above this one. */
static Query *
select_from_cte(const CommonTableExpr *cte, const Query *original, Index levelsup)
{
	Query *query = makeNode(Query);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	AttrNumber attno = 0;
	ListCell *lc;

	entry->rtekind = RTE_CTE;
	entry->ctename = cte->ctename;
	entry->ctelevelsup = levelsup;
	entry->coltypes = cte->ctecoltypes;
	entry->coltypmods = cte->ctecoltypmods;
	entry->colcollations = cte->ctecolcollations;
	entry->eref = makeAlias(cte->ctename, copyObject(cte->ctecolnames));
	entry->inFromCl = true;
	ref->rtindex = 1;

	query->commandType = CMD_SELECT;
	query->querySource = original->querySource;
	query->queryId = original->queryId;
	query->canSetTag = original->canSetTag;
	query->stmt_location = original->stmt_location;
	query->stmt_len = original->stmt_len;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	foreach (lc, original->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		Node *expr = (Node *) tle->expr;
		Var *var;

		if (tle->resjunk)
			continue;
		attno++;
		var = makeVar(1, attno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
		query->targetList =
			lappend(query->targetList, makeTargetEntry((Expr *) var, attno, tle->resname, false));
	}
	return query;
}

void
fence_query(Query *query)
{
	Query *level = makeNode(Query);
	Query *reader;
	CommonTableExpr *cte;

	memcpy(level, query, sizeof(Query));
	/* The level now stands one query deeper: so do its references to CTEs around it. */
	IncrementVarSublevelsUp((Node *) level, 1, 1);
	cte = make_cte(level, "gaussdp level");
	reader = select_from_cte(cte, level, 0);
	reader->cteList = list_make1(cte);
	memcpy(query, reader, sizeof(Query));
}

void
fence_scalar(Query *host, SubLink *sublink)
{
	Query *level = castNode(Query, sublink->subselect);
	CommonTableExpr *cte =
		make_cte(level, psprintf(SCALAR_NAME " %d", list_length(host->cteList) + 1));

	/* A CTE of host is as deep as its sub-select: references outwards stay right. */
	host->cteList = lappend(host->cteList, cte);
	sublink->subselect = (Node *) select_from_cte(cte, level, 1);
}

/* Collects the columns that a query reads of one of its entries. */
typedef struct UsedColumns
{
	Index rti;
	Bitmapset *columns;
} UsedColumns;

static bool
collect_used_columns(Node *node, UsedColumns *used)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var *var = (Var *) node;

		if (var->varno == (int) used->rti && var->varlevelsup == 0 && var->varattno > 0)
			used->columns = bms_add_member(used->columns, var->varattno);
		return false;
	}
	return expression_tree_walker(node, collect_used_columns, used);
}

/* A target list of all columns of the table in their places; those that are not read are NULL. */
static List *
table_columns(Oid relation, const Bitmapset *used)
{
	Relation rel = relation_open(relation, AccessShareLock);
	TupleDesc desc = RelationGetDescr(rel);
	List *targets = NIL;

	for (AttrNumber attno = 1; attno <= desc->natts; attno++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, attno - 1);
		Expr *expr;

		if (att->attisdropped)
			expr = (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
		else if (!bms_is_member(attno, used))
			expr = (Expr *) makeNullConst(att->atttypid, att->atttypmod, att->attcollation);
		else
			expr = (Expr *) makeVar(1, attno, att->atttypid, att->atttypmod, att->attcollation, 0);
		targets =
			lappend(targets, makeTargetEntry(expr, attno, pstrdup(NameStr(att->attname)), false));
	}
	relation_close(rel, NoLock);
	return targets;
}

void
fence_table(Query *query, Index rti)
{
	RangeTblEntry *entry = rt_fetch(rti, query->rtable);
	RangeTblEntry *inner = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Query *reader = makeNode(Query);
	UsedColumns used = {rti, NULL};

	query_tree_walker(query, collect_used_columns, &used,
					  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES |
						  QTW_IGNORE_JOINALIASES);
	*inner = *entry;
	ref->rtindex = 1;
	reader->commandType = CMD_SELECT;
	reader->querySource = query->querySource;
	reader->rtable = list_make1(inner);
	reader->jointree = makeFromExpr(list_make1(ref), NULL);
	reader->targetList = table_columns(entry->relid, used.columns);
	gaussdp_move_permissions(query, reader, inner);
	fence_query(reader);

	/* The entry itself becomes a sub-select, in place: column numbers stay. */
	memset(entry, 0, sizeof(RangeTblEntry));
	entry->type = T_RangeTblEntry;
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = reader;
	entry->alias = inner->alias;
	entry->eref = inner->eref;
	entry->inFromCl = inner->inFromCl;
}

bool
order_by_keys(Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		SortGroupClause *order;

		if (!OidIsValid(key->sortop))
			return false;
		if (get_sortgroupref_clause_noerr(key->tleSortGroupRef, query->sortClause) != NULL)
			continue;
		order = copyObject(key);
		query->sortClause = lappend(query->sortClause, order);
	}
	return true;
}
