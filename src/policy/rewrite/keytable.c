/*
 * keytable.c
 *		Rule 7: joins a level to the tables that are declared to hold the public keys of its groups.
 *
 *		SELECT dept, dp_count(1, 1e-6) FROM emp WHERE age > 30 GROUP BY dept
 *
 * becomes, where dept(name) is declared for emp.dept,
 *
 *		SELECT k.name AS dept, dp_count(1, 1e-6)
 *		FROM (dept k WHERE k.name IS NOT NULL) LEFT JOIN (emp WHERE age > 30) ON k.name = emp.dept
 *		GROUP BY k.name
 *
 * so that every public key appears for which conditions on keys alone hold, and rows with another key, or none, count for
 * nothing.  Several keys need a declared table each; then every combination of their keys appears.  A key whose values the catalog lists,
 * an enumeration or a boolean, needs none: k is (VALUES ('low'::level), ('high')).  What comes out is
 * verified like any other query: nothing is taken for granted here.
 */
#include "postgres.h"

#include "access/table.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* The group keys of a level and the columns that stand for them. */
typedef struct KeyTables
{
	GaussdpLevel *level;
	Query *query;
	ParseState *pstate; /* holds the query's range table while entries are added */
	List *refs;         /* of RangeTblRef */
	List *columns;      /* of Var, one for each of level->keys */
	List *present;      /* conditions on the key tables */
	List *equal;        /* and on both sides */
	Bitmapset *added;   /* the key tables */
} KeyTables;

/*
 * The declaration of a group key; false where it is no column of a protected table, nor one that a sub-select of people's
 * rows shows as it is, or has none.
 */
static bool
declared_keys(const GaussdpLevel *level, Node *key, GaussdpColumn *declared)
{
	Var *var = (Var *) key;
	const GaussdpOwner *owner =
		IsA(key, Var) && var->varlevelsup == 0 ? gaussdp_owner_of_entry(level, var->varno) : NULL;
	TargetEntry *shown;

	if (owner == NULL || var->varattno <= 0)
		return false;
	if (owner->inner == NULL)
		return gaussdp_column(owner->entry->relid, var->varattno, declared) &&
			   OidIsValid(declared->key_table);
	if (owner->inner->query->setOperations != NULL)
		return false; /* the arms may have different ones */
	shown = list_nth_node(TargetEntry, owner->inner->query->targetList, var->varattno - 1);
	return declared_keys(owner->inner, (Node *) shown->expr, declared);
}

bool
gaussdp_has_key_tables(const GaussdpLevel *level)
{
	GaussdpColumn declared;
	int64 combinations = 1;
	ListCell *lc;

	if (level->extending != NULL)
		return false;
	foreach (lc, level->keys)
		if (!declared_keys(level, lfirst(lc), &declared) &&
			!gaussdp_has_labels(lfirst(lc), &combinations))
			return false;
	return true;
}

/* The operand as the operator takes it: text for varchar and the like. */
static Expr *
as_operand(Node *node, Oid type)
{
	if (type == exprType(node) || IsPolymorphicType(type))
		return (Expr *) copyObject(node);
	return (Expr *) makeRelabelType((Expr *) copyObject(node), type, -1, exprCollation(node),
									COERCE_IMPLICIT_CAST);
}

Expr *
gaussdp_make_equality(Oid operator, Node * left, Node *right, Oid collation)
{
	Oid left_type;
	Oid right_type;
	Expr *expr;

	op_input_types(operator, & left_type, &right_type);
	expr = make_opclause(operator, BOOLOID, false, as_operand(left, left_type),
						 as_operand(right, right_type), InvalidOid, collation);
	set_opfuncid((OpExpr *) expr);
	return expr;
}

/* Is the key a column of a table that is NOT NULL, or a test that has an answer for NULL? */
static bool
is_never_null(const KeyTables *tables, Node *key)
{
	const Var *var = (const Var *) key;
	const GaussdpOwner *owner;

	if (IsA(key, NullTest) || IsA(key, BooleanTest) || IsA(key, DistinctExpr))
		return true;
	owner = IsA(key, Var) ? gaussdp_owner_of_entry(tables->level, var->varno) : NULL;
	return owner != NULL && owner->inner == NULL &&
		   gaussdp_is_not_null(owner->entry->relid, var->varattno);
}

/* Adds which rows have no public key: NULL is never one.  They are not in that table, or labels where it is NULL. */
static void
tell_left_out(KeyTables *tables, Node *key, const char *table)
{
	const Var *var = (const Var *) key;
	bool may_be_null = !is_never_null(tables, key);
	const char *before =
		tables->level->left_out ? psprintf("%s, or ", tables->level->left_out) : "";
	const char *name =
		IsA(key, Var)
			? get_rte_attribute_name(rt_fetch(var->varno, tables->query->rtable), var->varattno)
			: "key, as computed,";

	if (may_be_null)
		tables->level->leaves_out_nulls = true;
	if (table != NULL)
		tables->level->left_out = psprintf("%s%s is %snot in table %s", before, name,
										   may_be_null ? "NULL or " : "", table);
	else if (may_be_null)
		tables->level->left_out = psprintf("%s%s is NULL", before, name);
}

/* The entry that has been added to FROM, and its column that stands for the key. */
static void
add_column(KeyTables *tables, Index rti, Var *column, Node *key, Oid operator)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = (int) rti;
	tables->refs = lappend(tables->refs, ref);
	tables->added = bms_add_member(tables->added, ref->rtindex);
	tables->columns = lappend(tables->columns, column);
	/* As GROUP BY compares the row's key. */
	tables->equal = lappend(
		tables->equal, gaussdp_make_equality(operator,(Node *) column, key, exprCollation(key)));
}

/* A further entry that lists the values of the key's type. */
static void
add_labels(KeyTables *tables, Node *key, Oid operator)
{
	List *rows = NIL;
	List *labels = gaussdp_labels(exprType(key));
	Oid type = exprType(linitial(labels));
	ParseNamespaceItem *item;
	ListCell *lc;

	foreach (lc, labels)
		rows = lappend(rows, list_make1(lfirst(lc)));
	item = addRangeTableEntryForValues(tables->pstate, rows, list_make1_oid(type),
									   list_make1_int(-1), list_make1_oid(InvalidOid),
									   makeAlias("labels", NIL), false, true);
	add_column(tables, (Index) item->p_rtindex,
			   makeVar(item->p_rtindex, 1, type, -1, InvalidOid, 0), key, operator);
	tell_left_out(tables, key, NULL);
}

/* A further entry for the key table. */
static bool
add_key_table(GaussdpVerifier *v, KeyTables *tables, Node *key, const GaussdpColumn *declared,
			  Oid operator)
{
	Relation rel;
	ParseNamespaceItem *item;
	Var *column;
	Oid type;
	int32 typmod;
	Oid collation;
	char *name;
	bool is_filtered;

	rel = table_open(declared->key_table, AccessShareLock);
	name = pstrdup(RelationGetRelationName(rel));
	is_filtered = rel->rd_rel->relrowsecurity;
	item = addRangeTableEntryForRelation(tables->pstate, rel, AccessShareLock, NULL, true, true);
	table_close(rel, NoLock);

	get_atttypetypmodcoll(declared->key_table, declared->key_column, &type, &typmod, &collation);
	column = makeVar(item->p_rtindex, declared->key_column, type, typmod, collation, 0);
	markVarForSelectPriv(tables->pstate, column);
	add_column(tables, (Index) item->p_rtindex, column, key, operator);
	tables->present = lappend(tables->present, gaussdp_make_present((Expr *) copyObject(column)));
	tell_left_out(tables, key, name);
	GAUSSDP_REFUSE_IF(
		is_filtered, GAUSSDP_RULE_PUBLIC, exprLocation(key),
		psprintf("%s, which is declared to hold the public keys, has row security", name),
		"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask the owner to declare another "
		"table.");
	GAUSSDP_REFUSE_IF(
		!gaussdp_entry_is_allowed(gaussdp_parse_permissions(tables->pstate), item->p_rte, true),
		GAUSSDP_RULE_PUBLIC, exprLocation(key),
		psprintf("this role may not read %s, which is declared to hold the public keys", name),
		"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask for SELECT on that table.");
	return true;
}

/* Group keys are replaced wherever they are shown. */
static void
show_public_columns(KeyTables *tables, Index join)
{
	Query *q = tables->query;
	List *columns = NIL;
	ListCell *lc;
	ListCell *lc2;

	forboth(lc, tables->level->keys, lc2, tables->columns) columns =
		lappend(columns, as_operand(lfirst(lc2), exprType(lfirst(lc))));
	gaussdp_make_nullable((Node *) q->targetList, tables->level->relations, join);
	gaussdp_make_nullable(q->havingQual, tables->level->relations, join);
	gaussdp_replace_keys(q, tables->level->keys, columns);
}

/* Puts the public column in place of each key. */
static Node *
over_public_columns(Node *node, void *context)
{
	const KeyTables *tables = context;
	ListCell *lc;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	foreach (lc, tables->level->keys)
		if (equal(node, lfirst(lc)))
			return (Node *) as_operand(list_nth(tables->columns, foreach_current_index(lc)),
									   exprType(node));
	return expression_tree_mutator(node, over_public_columns, context);
}

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || expression_tree_walker(node, has_parameter, context);
}

/* Conditions of WHERE on keys and constants alone hold of public keys, too: groups that they leave out are not shown. */
static void
add_conditions(KeyTables *tables)
{
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(tables->query->jointree->quals))
	{
		Node *condition = over_public_columns(lfirst(lc), tables);

		if (equal(condition, lfirst(lc)) || contain_subplans(condition) ||
			has_parameter(condition, NULL) || contain_mutable_functions(condition) ||
			bms_overlap(pull_varnos(NULL, condition), tables->level->relations))
			continue;
		tables->present = lappend(tables->present, condition);
	}
}

bool
gaussdp_join_key_tables(GaussdpVerifier *v, GaussdpLevel *level, Query *q)
{
	KeyTables tables = {.level = level, .query = q, .pstate = make_parsestate(NULL)};
	JoinExpr *join = makeNode(JoinExpr);
	ListCell *lc;

	gaussdp_lend_entries(tables.pstate, q);
	foreach (lc, level->keys)
	{
		Oid eqop = list_nth_node(SortGroupClause, q->groupClause, foreach_current_index(lc))->eqop;
		GaussdpColumn declared;

		if (!declared_keys(level, lfirst(lc), &declared))
			add_labels(&tables, lfirst(lc), eqop);
		else if (!add_key_table(v, &tables, lfirst(lc), &declared, eqop))
			return false;
	}
	add_conditions(&tables);
	join->jointype = JOIN_LEFT;
	join->larg = (Node *) makeFromExpr(
		tables.refs, tables.present != NIL ? (Node *) make_ands_explicit(tables.present) : NULL);
	join->rarg = (Node *) q->jointree;
	join->quals = (Node *) make_ands_explicit(tables.equal);
	join->rtindex = addRangeTableEntryForJoin(tables.pstate, NIL, NULL, JOIN_LEFT, 0, NIL, NIL, NIL,
											  NULL, NULL, false)
						->p_rtindex;
	gaussdp_return_entries(tables.pstate, q);
	q->jointree = makeFromExpr(list_make1(join), NULL);
	show_public_columns(&tables, join->rtindex);
	v->key_tables = tables.added;
	level->extending = bms_make_singleton(join->rtindex);
	return true;
}

bool
gaussdp_refuse_key_tables(GaussdpVerifier *v)
{
	/* Before they were joined, the query's own relations had passed this rule. */
	if (v->key_tables != NULL && v->rule == GAUSSDP_RULE_UNIQUE)
	{
		v->detail = "the table that is declared to hold the public keys may hold one of them twice";
		v->hint =
			"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask its owner for a primary key "
			"on the keys, of the same collation.";
	}
	return false;
}
