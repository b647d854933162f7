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

/* Catalogs of which columns are closed, and how many columns they have. */
static const struct
{
	Oid catalog;
	AttrNumber natts;
} closed[] = {
	{RelationRelationId, Natts_pg_class},
	{DatabaseRelationId, Natts_pg_database},
	{IndexRelationId, Natts_pg_index},
};

/* The columns that the entry has of such a catalog; 0 for any other entry. */
static AttrNumber
columns_of_closed(const RangeTblEntry *entry)
{
	for (size_t i = 0; entry->rtekind == RTE_RELATION && i < lengthof(closed); i++)
		if (entry->relid == closed[i].catalog)
			return closed[i].natts;
	return 0;
}

static bool
may_read_all(Oid role)
{
	for (size_t i = 0; i < lengthof(closed); i++)
		if (pg_class_aclcheck(closed[i].catalog, role, ACL_SELECT) != ACLCHECK_OK)
			return false;
	return true;
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
		return columns_of_closed((const RangeTblEntry *) node) > 0;
	return IsA(node, FuncExpr) && is_size((const FuncExpr *) node);
}

static bool
is_one_of(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* As these catalogs have them of a table that was never analyzed, of a view, and of most indexes; NULL for a column that says nothing of rows. */
static Const *
unknown_column(Oid catalog, AttrNumber column)
{
	static const char *const counts[] = {"relpages", "relallvisible", "relallfrozen"};
	/* VACUUM finds the oldest transaction, and lock of several, that a row is left of. */
	static const char *const oldest[] = {"relfrozenxid", "relminmxid", "datfrozenxid",
										 "datminmxid"};
	const char *name = get_attname(catalog, column, false);

	if (strcmp(name, "reltuples") == 0)
		return makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(-1), false,
						 true);
	if (is_one_of(name, counts, lengthof(counts)))
		return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
	/* Whether an index was made while an old version of some row was there. */
	if (strcmp(name, "indcheckxmin") == 0)
		return (Const *) makeBoolConst(false, false);
	if (is_one_of(name, oldest, lengthof(oldest)))
		return makeConst(XIDOID, -1, InvalidOid, sizeof(TransactionId),
						 TransactionIdGetDatum(InvalidTransactionId), false, true);
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
	if (columns_of_closed(entry) == 0)
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
		AttrNumber natts = columns_of_closed(entry);
		const GaussdpPermissions *asked =
			natts > 0 ? gaussdp_permissions_of(gaussdp_query_permissions((Query *) node), entry)
					  : NULL;

		if (asked == NULL || asked->requiredPerms != ACL_SELECT)
			continue;
		for (AttrNumber column = 1; column <= natts; column++)
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

	if (may_read_all(GetUserId()))
		return false;
	(void) mask((Node *) query, &m);
	if (m.changed)
		(void) ask_for_less((Node *) query, NULL);
	return m.changed;
}
