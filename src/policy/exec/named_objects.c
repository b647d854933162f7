/*
 * named_objects.c
 *		What a level's expressions name stays there while it runs: types, operators, functions, collations.
 *
 * PostgreSQL looks at some of them late: at the base type of a domain, at the function of an operator, at the first row that asks.  Who has
 * made one may drop it while the level runs, though the table is somebody else's, and then only that row would fail.  DROP takes a lock that
 * is in conflict with the one taken here.  What PostgreSQL itself has cannot be dropped, and what gaussdp
 * has is its owner's.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "ledger/ledger.h"
#include "policy/contained/contained.h"
#include "policy/exec/named_objects.h"

static const struct
{
	Oid class;
	int cache;
	const char *what;
} kinds[] = {
	{TypeRelationId, TYPEOID, "type"},
	{OperatorRelationId, OPEROID, "operator"},
	{ProcedureRelationId, PROCOID, "function"},
	{CollationRelationId, COLLOID, "collation"},
};

static void
check_exists(const ObjectAddress *object)
{
	int kind = 0;

	while (kinds[kind].class != object->classId)
		kind++;
	if (!SearchSysCacheExists1(kinds[kind].cache, ObjectIdGetDatum(object->objectId)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("a %s of the query has been dropped meanwhile", kinds[kind].what),
						errdetail_internal("%s", gaussdp_nothing_charged())));
}

static void
add(List **objects, Oid class, Oid oid)
{
	ObjectAddress *object;
	ListCell *lc;

	if (oid < FirstNormalObjectId ||
		getExtensionOfObject(class, oid) == get_extension_oid("gaussdp", true))
		return;
	foreach (lc, *objects)
	{
		object = lfirst(lc);
		if (object->classId == class && object->objectId == oid)
			return;
	}
	object = palloc(sizeof(ObjectAddress));
	ObjectAddressSet(*object, class, oid);
	*objects = lappend(*objects, object);
	check_exists(object);
}

/* A type, and what it is made of. */
static void
add_type(List **objects, Oid type)
{
	while (type >= FirstNormalObjectId)
	{
		Oid element = get_element_type(type);
		Oid range = get_typtype(type) == TYPTYPE_MULTIRANGE ? get_multirange_range(type) : type;
		Oid base;

		add(objects, TypeRelationId, type);
		base = OidIsValid(element) ? element : get_range_subtype(range);
		if (!OidIsValid(base) && get_typtype(type) == TYPTYPE_DOMAIN)
			base = getBaseType(type);
		type = base;
	}
}

static bool
add_function(Oid function, void *objects)
{
	add(objects, ProcedureRelationId, function);
	return false;
}

static void
add_operators(List **objects, List *operators)
{
	ListCell *lc;

	foreach (lc, operators)
		add(objects, OperatorRelationId, lfirst_oid(lc));
}

static bool
collect(Node *node, void *context)
{
	List **objects = context;

	check_stack_depth();
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Query:
			return query_tree_walker((Query *) node, collect, context, QTW_EXAMINE_SORTGROUP);
		case T_IntList:
		case T_OidList:
			return false;
		case T_SortGroupClause:
			add(objects, OperatorRelationId, ((SortGroupClause *) node)->eqop);
			add(objects, OperatorRelationId, ((SortGroupClause *) node)->sortop);
			return false;
		case T_RowCompareExpr:
			add_operators(objects, ((RowCompareExpr *) node)->opnos);
			break;
		case T_ScalarArrayOpExpr:
			add(objects, OperatorRelationId, ((ScalarArrayOpExpr *) node)->opno);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			add(objects, OperatorRelationId, ((OpExpr *) node)->opno);
			break;
		case T_List:
		case T_TargetEntry:
		case T_FromExpr:
		case T_JoinExpr:
		case T_RangeTblRef:
		case T_CommonTableExpr:
		case T_WindowClause:
		case T_GroupingSet:
		case T_SetOperationStmt:
		case T_RangeTblFunction:
		case T_TableFunc:
		case T_WithCheckOption:
		case T_CaseWhen:
			return expression_tree_walker(node, collect, context);
		default:
			break;
	}
	/* what a contained call computes is in its expression; its arguments are walked below */
	if (gaussdp_is_contained(node))
		(void) collect((Node *) gaussdp_contained_expression((FuncExpr *) node), context);
	add_type(objects, exprType(node));
	add(objects, CollationRelationId, exprCollation(node));
	add(objects, CollationRelationId, exprInputCollation(node));
	(void) check_functions_in_node(node, add_function, context);
	return expression_tree_walker(node, collect, context);
}

List *
gaussdp_named_objects(Node *computed)
{
	List *objects = NIL;

	(void) collect(computed, &objects);
	return objects;
}

void
gaussdp_lock_named_objects(Node *computed)
{
	ListCell *lc;

	foreach (lc, gaussdp_named_objects(computed))
	{
		const ObjectAddress *object = lfirst(lc);

		LockDatabaseObject(object->classId, object->objectId, 0, AccessShareLock);
		check_exists(object);
	}
}
