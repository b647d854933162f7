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
 * so that every public key appears, and rows with another key, or none, count for nothing.  Several keys
 * need a declared table each; then every combination of their keys appears.  What comes out is
 * verified like any other query: nothing is taken for granted here.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "policy/rewrite/rewrite.h"

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
	shown = list_nth_node(TargetEntry, owner->inner->query->targetList, var->varattno - 1);
	return declared_keys(owner->inner, (Node *) shown->expr, declared);
}

bool
gaussdp_has_key_tables(const GaussdpLevel *level)
{
	GaussdpColumn declared;
	ListCell *lc;

	if (level->extending != NULL)
		return false;
	foreach (lc, level->keys)
		if (!declared_keys(level, lfirst(lc), &declared))
			return false;
	return true;
}

/* The operand as the operator takes it: text for varchar and the like. */
static Expr *
as_operand(Var *var, Oid type)
{
	if (type == var->vartype || IsPolymorphicType(type))
		return (Expr *) copyObject(var);
	return (Expr *) makeRelabelType((Expr *) copyObject(var), type, -1, var->varcollid,
									COERCE_IMPLICIT_CAST);
}

/* Public key = key of the row, as GROUP BY compares the latter. */
static Expr *
equality(Oid operator, Var * column, Var *key)
{
	Oid left;
	Oid right;
	Expr *expr;

	op_input_types(operator, & left, &right);
	expr = make_opclause(operator, BOOLOID, false, as_operand(column, left), as_operand(key, right),
						 InvalidOid, key->varcollid);
	set_opfuncid((OpExpr *) expr);
	return expr;
}

/* Adds which rows have no key of the table, by what is declared: NULL is never a public key. */
static void
tell_left_out(KeyTables *tables, const Var *key, const char *table)
{
	const GaussdpOwner *owner = gaussdp_owner_of_entry(tables->level, key->varno);
	bool is_never_null = false;

	if (owner->inner == NULL)
	{
		HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(owner->entry->relid),
										  Int16GetDatum(key->varattno));

		is_never_null =
			HeapTupleIsValid(tuple) && ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
		if (HeapTupleIsValid(tuple))
			ReleaseSysCache(tuple);
	}
	tables->level->left_out =
		psprintf("%s%s is %snot in %s",
				 tables->level->left_out ? psprintf("%s, or ", tables->level->left_out) : "",
				 get_rte_attribute_name(rt_fetch(key->varno, tables->query->rtable), key->varattno),
				 is_never_null ? "" : "NULL or ", table);
}

/* A further entry for the key table, and the column that stands for the key. */
static bool
add_key_table(GaussdpVerifier *v, KeyTables *tables, Var *key, Oid operator)
{
	GaussdpColumn declared;
	Relation rel;
	ParseNamespaceItem *item;
	RangeTblRef *ref = makeNode(RangeTblRef);
	Var *column;
	Oid type;
	int32 typmod;
	Oid collation;
	char *name;
	bool is_filtered;

	if (!declared_keys(tables->level, (Node *) key, &declared))
		elog(ERROR, "group key has no declared table");
	rel = table_open(declared.key_table, AccessShareLock);
	name = pstrdup(RelationGetRelationName(rel));
	is_filtered = rel->rd_rel->relrowsecurity;
	item = addRangeTableEntryForRelation(tables->pstate, rel, AccessShareLock, NULL, true, true);
	table_close(rel, NoLock);

	ref->rtindex = item->p_rtindex;
	get_atttypetypmodcoll(declared.key_table, declared.key_column, &type, &typmod, &collation);
	column = makeVar(item->p_rtindex, declared.key_column, type, typmod, collation, 0);
	markVarForSelectPriv(tables->pstate, column);
	tables->refs = lappend(tables->refs, ref);
	tables->added = bms_add_member(tables->added, ref->rtindex);
	tables->columns = lappend(tables->columns, column);
	tables->present = lappend(tables->present, gaussdp_make_present((Expr *) copyObject(column)));
	tables->equal = lappend(tables->equal, equality(operator, column, key));

	tell_left_out(tables, key, name);
	GAUSSDP_REFUSE_IF(
		is_filtered, GAUSSDP_RULE_PUBLIC, exprLocation((Node *) key),
		psprintf("%s, which is declared to hold the public keys, has row security", name),
		"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask the owner to declare another "
		"table.");
	GAUSSDP_REFUSE_IF(
		!gaussdp_entry_is_allowed(gaussdp_parse_permissions(tables->pstate), item->p_rte, true),
		GAUSSDP_RULE_PUBLIC, exprLocation((Node *) key),
		psprintf("this role may not read %s, which is declared to hold the public keys", name),
		"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask for SELECT on that table.");
	return true;
}

/* The tree with each group key replaced by its public column; what is inside of calls stays. */
static Node *
replace_keys(Node *node, void *context)
{
	KeyTables *tables = context;
	ListCell *lc;

	if (node == NULL || IsA(node, Aggref) || IsA(node, SubLink))
		return node;
	if (IsA(node, Var))
	{
		foreach (lc, tables->level->keys)
			if (equal(node, lfirst(lc)))
				return (Node *) as_operand(
					list_nth_node(Var, tables->columns, foreach_current_index(lc)), exprType(node));
		return node;
	}
	return expression_tree_mutator(node, replace_keys, context);
}

/* Group keys are replaced wherever they are shown. */
static void
show_public_columns(KeyTables *tables, Index join)
{
	Query *q = tables->query;

	gaussdp_make_nullable((Node *) q->targetList, tables->level->relations, join);
	gaussdp_make_nullable(q->havingQual, tables->level->relations, join);
	gaussdp_mutate_groups(q, replace_keys, tables);
	q->targetList = (List *) replace_keys((Node *) q->targetList, tables);
	q->havingQual = replace_keys(q->havingQual, tables);
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
		SortGroupClause *clause = list_nth(q->groupClause, foreach_current_index(lc));

		if (!add_key_table(v, &tables, lfirst_node(Var, lc), clause->eqop))
			return false;
	}
	join->jointype = JOIN_LEFT;
	join->larg = (Node *) makeFromExpr(tables.refs, (Node *) make_ands_explicit(tables.present));
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
