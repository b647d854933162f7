/*
 * unknown.c
 *		What gaussdp.lock_down() has closed is shown as unknown, where clients read it beside much else.
 *
 *		SELECT c.*, pg_table_size(c.oid) FROM pg_class c
 *
 * is how psql's \dt+, JDBC's getIndexInfo and browsers of schemas ask for the tables that there are.  PostgreSQL would
 * refuse the whole for want of a privilege on c.reltuples.  Here that column becomes -1 and the size NULL, constants in
 * the query, and the query asks for no privilege on what it does not read any more.  Nothing is shown that the role
 * may not read, so a mistake here can refuse a query or show too little, not tell of a row.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"

/* Catalogs of which columns are closed. */
static const Oid closed[] = {RelationRelationId, DatabaseRelationId, IndexRelationId};

static bool
is_closed_in_part(const RangeTblEntry *entry)
{
	for (size_t i = 0; entry->rtekind == RTE_RELATION && i < lengthof(closed); i++)
		if (entry->relid == closed[i])
			return true;
	return false;
}

/* The query at hand, and those around it. */
typedef struct Masking
{
	List *queries; /* of Query, innermost first */
	bool changed;
} Masking;

static const Oid sizes[] = {
	F_PG_RELATION_SIZE_REGCLASS, F_PG_RELATION_SIZE_REGCLASS_TEXT, F_PG_TABLE_SIZE,
	F_PG_INDEXES_SIZE,           F_PG_TOTAL_RELATION_SIZE,         F_PG_DATABASE_SIZE_NAME,
	F_PG_DATABASE_SIZE_OID,      F_PG_TABLESPACE_SIZE_NAME,        F_PG_TABLESPACE_SIZE_OID,
};

static bool
is_size(const FuncExpr *call)
{
	for (size_t i = 0; i < lengthof(sizes); i++)
		if (call->funcid == sizes[i])
			return true;
	return false;
}

bool
gaussdp_may_be_unknown(const Node *node)
{
	if (IsA(node, RangeTblEntry))
		return is_closed_in_part((const RangeTblEntry *) node);
	return IsA(node, FuncExpr) && is_size((const FuncExpr *) node);
}

/*
 * As these catalogs have them of a table that was never analyzed, of a view, and of most indexes; NULL for a column that says nothing of
 * rows.  VACUUM finds the oldest transaction that a row is left of; an index knows whether an old version of some row was there.
 */
static Const *
unknown_column(Oid catalog, AttrNumber column)
{
	static const struct
	{
		const char *name;
		Oid type;
	} unknown[] = {{"reltuples", FLOAT4OID},  {"relpages", INT4OID},    {"relallvisible", INT4OID},
				   {"relallfrozen", INT4OID}, {"relfrozenxid", XIDOID}, {"relminmxid", XIDOID},
				   {"datfrozenxid", XIDOID},  {"datminmxid", XIDOID},   {"indcheckxmin", BOOLOID}};
	const char *name = get_attname(catalog, column, false);

	for (size_t i = 0; i < lengthof(unknown); i++)
		if (strcmp(name, unknown[i].name) == 0)
			return makeConst(unknown[i].type, -1, InvalidOid, get_typlen(unknown[i].type),
							 unknown[i].type == FLOAT4OID ? Float4GetDatum(-1) : (Datum) 0, false,
							 true);
	return NULL;
}

/* The column of such a catalog, if whoever the entry is checked as may not read it. */
static Const *
hidden_column(const Var *var, List *queries)
{
	Query *query;
	RangeTblEntry *entry;
	const GaussdpPermissions *asked;
	Oid role;

	if (var->varlevelsup >= (Index) list_length(queries) || var->varattno <= 0)
		return NULL;
	query = list_nth_node(Query, queries, (int) var->varlevelsup);
	if (var->varno > list_length(query->rtable))
		return NULL;
	entry = rt_fetch(var->varno, query->rtable);
	if (!is_closed_in_part(entry))
		return NULL;
	asked = gaussdp_permissions_of(gaussdp_query_permissions(query), entry);
	if (asked == NULL || asked->requiredPerms != ACL_SELECT)
		return NULL;
	role = OidIsValid(asked->checkAsUser) ? asked->checkAsUser : GetUserId();
	if (pg_class_aclcheck(entry->relid, role, ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(entry->relid, var->varattno, role, ACL_SELECT) == ACLCHECK_OK)
		return NULL;
	return unknown_column(entry->relid, var->varattno);
}

static Node *
mask(Node *node, void *context)
{
	Masking *m = context;
	Node *unknown = NULL;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Query))
	{
		Query *query = (Query *) node;

		check_stack_depth();
		m->queries = lcons(query, m->queries);
		query = query_tree_mutator(query, mask, m, QTW_DONT_COPY_QUERY);
		m->queries = list_delete_first(m->queries);
		return (Node *) query;
	}
	if (IsA(node, Var))
		unknown = (Node *) hidden_column((Var *) node, m->queries);
	else if (IsA(node, FuncExpr) && is_size((FuncExpr *) node) &&
			 !gaussdp_may_execute(((FuncExpr *) node)->funcid, GetUserId()))
		unknown = (Node *) makeNullConst(((FuncExpr *) node)->funcresulttype, -1, InvalidOid);
	if (unknown == NULL)
		return expression_tree_mutator(node, mask, context);
	m->changed = true;
	return unknown;
}

/* What is not read any more needs no privilege. */
static bool
ask_for_less(Node *node, void *context)
{
	ListCell *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, ask_for_less, context);
	foreach (lc, ((Query *) node)->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		const GaussdpPermissions *asked =
			is_closed_in_part(entry)
				? gaussdp_permissions_of(gaussdp_query_permissions((Query *) node), entry)
				: NULL;

		if (asked == NULL || asked->requiredPerms != ACL_SELECT)
			continue;
		for (AttrNumber column = 1; get_attname(entry->relid, column, true) != NULL; column++)
			if (unknown_column(entry->relid, column) != NULL)
				unconstify(GaussdpPermissions *, asked)->selectedCols = bms_del_member(
					asked->selectedCols, column - FirstLowInvalidHeapAttributeNumber);
	}
	return query_tree_walker((Query *) node, ask_for_less, context, 0);
}

bool
gaussdp_show_unknown(Query *query)
{
	Masking m = {NIL, false};
	size_t i = 0;

	while (i < lengthof(closed) &&
		   pg_class_aclcheck(closed[i], GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		i++;
	if (i == lengthof(closed))
		return false;
	(void) mask((Node *) query, &m);
	if (m.changed)
		(void) ask_for_less((Node *) query, NULL);
	return m.changed;
}
