/*
 * keys.c
 *		Rule 7: which groups a level may show.
 *
 * That a group is there tells that somebody is in it.  Either all groups are named by public relations,
 * or small ones are hidden: by dp_keep_group, or by a dp_count that one person alone is unlikely to pass.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "policy/contained/contained.h"
#include "policy/hints/hints.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

#define SETS_HINT                                                                                  \
	"Hide small groups: HAVING dp_keep_group(1, 1e-8). Or name the groups from public tables."

/* Is nothing else equated than the column, by this family's equality?  Then rows differ in it where they differ in what is equated. */
static bool
equates_this_alone(const List *equalities, const Var *column, Oid opfamily)
{
	ListCell *lc;

	foreach (lc, equalities)
		if (!gaussdp_is_equated(list_make1(lfirst(lc)), column->varattno, opfamily,
								column->varcollid))
			return false;
	return equalities != NIL;
}

/*
 * A column of a public relation that holds each value once: so says the join, by an index, and the room asks the rows that it
 * has read.
 */
static bool
is_unique_in_public(const GaussdpLevel *level, const Node *key, Oid opfamily)
{
	const Var *var = (const Var *) key;
	ListCell *lc;

	if (!IsA(var, Var) || var->varlevelsup != 0 || !OidIsValid(opfamily))
		return false;
	foreach (lc, level->public)
	{
		const GaussdpPublicRelation *relation = lfirst(lc);

		if ((int) relation->rti == var->varno)
			return !relation->may_repeat && equates_this_alone(relation->keys, var, opfamily);
	}
	return false;
}

/* Calls that give equal values one form: those of rewrite/images.c, and numbers that are made from integers. */
static bool
is_call_with_one_image(const Node *key)
{
	Oid function = IsA(key, FuncExpr) ? ((const FuncExpr *) key)->funcid : InvalidOid;

	switch (function)
	{
		case InvalidOid:
			return false;
		/* with as many digits as the field has */
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIME:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
			return gaussdp_constant_argument(((const FuncExpr *) key)->args, 0) != NULL ||
				   gaussdp_is_parameter(((const FuncExpr *) key)->args, 0);
		case F_TRIM_SCALE:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return true;
		default:
			return function >= FirstNormalObjectId &&
				   list_length(((const FuncExpr *) key)->args) == 1 &&
				   (exprType(key) == FLOAT4OID || exprType(key) == FLOAT8OID ||
					exprType(key) == INTERVALOID) &&
				   function == gaussdp_own_function("one_image", list_make1_oid(exprType(key)));
	}
}

/* char(n) without the blanks at its end. */
static bool
is_trimmed(const Node *key)
{
	const Node *text = (const Node *) ((const RelabelType *) key)->arg;

	return IsA(key, RelabelType) && IsA(text, FuncExpr) &&
		   ((const FuncExpr *) text)->funcid == F_TEXT_BPCHAR;
}

/*
 * The key that is shown comes from one row of the group: values that are equal must look the same,
 * or it would tell which one.  B-tree operator classes say so of themselves.
 */
bool
gaussdp_has_one_image(const GaussdpLevel *level, Node *key)
{
	Oid type = getBaseType(exprType(key));
	Oid collation = exprCollation(key);
	TypeCacheEntry *cache;
	Oid proc;

	key = gaussdp_without_domain(gaussdp_opened(key));
	cache = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	if (is_call_with_one_image(key) || is_unique_in_public(level, key, cache->btree_opf))
		return true;
	if (type == NUMERICOID)
		return gaussdp_fixed_scale(level, key) >= 0;
	/* Trailing blanks don't count; those of the owner's own char(n) are always as many as fill it. */
	if (type == BPCHAROID)
		return (is_trimmed(key) ||
				(gaussdp_is_column_of_table(level, key) && exprTypmod(key) >= 0)) &&
			   OidIsValid(collation) && get_collation_isdeterministic(collation);
	if (!OidIsValid(cache->btree_opf))
		return false;
	proc = get_opfamily_proc(cache->btree_opf, cache->btree_opintype, cache->btree_opintype,
							 BTEQUALIMAGE_PROC);
	return OidIsValid(proc) && DatumGetBool(OidFunctionCall1Coll(
								   proc, collation, ObjectIdGetDatum(cache->btree_opintype)));
}

/*
 * dp_count(epsilon, delta) against a constant, as at least how many; false for everything else.
 *
 * Comparisons of whole numbers alone: count is on the left for > and >=, on the right for < and <=.
 */
static bool
count_is_at_least(Node *node, Aggref **count, int64 *least)
{
	OpExpr *op = (OpExpr *) node;
	Node *constant;
	bool commuted;
	int strategy;
	int64 value;

	if (!IsA(node, OpExpr) || list_length(op->args) != 2)
		return false;
	commuted = !IsA(linitial(op->args), Aggref);
	*count = commuted ? lsecond(op->args) : linitial(op->args);
	constant = eval_const_expressions(NULL, commuted ? linitial(op->args) : lsecond(op->args));
	strategy = get_op_opfamily_strategy(op->opno, INTEGER_BTREE_FAM_OID);
	if (!IsA(*count, Aggref) || !IsA(constant, Const) || ((Const *) constant)->constisnull)
		return false;
	if (strategy != (commuted ? BTLessStrategyNumber : BTGreaterStrategyNumber) &&
		strategy != (commuted ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber))
		return false;
	/* The operators of this family take int2, int4 and int8, which a Datum holds as they are. */
	switch (((Const *) constant)->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(((Const *) constant)->constvalue);
			break;
		case INT4OID:
			value = DatumGetInt32(((Const *) constant)->constvalue);
			break;
		case INT8OID:
			value = DatumGetInt64(((Const *) constant)->constvalue);
			break;
		default:
			return false;
	}
	if (strategy == BTLessStrategyNumber || strategy == BTGreaterStrategyNumber)
		value = value < PG_INT64_MAX ? value + 1 : value;
	*least = value;
	return true;
}

/*
 * A test by dp_count: its count must be too large for one person, but for a probability that its own
 * delta allows.  Constants alone, since the verdict is made before parameters are known.
 */
static bool
count_hides_one_person(GaussdpLevel *level, Node *node, double *smallest)
{
	Aggref *count;
	int64 least;
	GaussdpCallParts parts;
	double delta;

	if (!count_is_at_least(node, &count, &least) ||
		!gaussdp_call_of(count->aggfnoid, &parts.call) || !parts.call.hides_groups ||
		!gaussdp_call_parts(level, count, &parts))
		return false;
	/* A person's rows that FILTER drops would make groups that are shown by noise alone. */
	if (level->is_weighted && parts.of_people && gaussdp_has_filter(level, count))
		return false;
	delta = gaussdp_hiding_delta(level, &parts, (double) least, smallest);
	if (delta > gaussdp_call_delta(&parts.call, parts.values, parts.isnull))
		return false;
	if (level->count_test == NULL || delta < level->count_delta)
	{
		level->count_test = count;
		level->count_delta = delta;
		level->count_least = least;
	}
	return true;
}

/*
 * Is there a top-level AND conjunct of HAVING that hides small groups?  dp_keep_group before dp_count,
 * whose test costs a delta of its own; of several of these the one that costs least is paid.
 */
static bool
hides_small_groups(GaussdpLevel *level, Node *having, bool by_count, double *smallest)
{
	GaussdpCall call;
	bool found = false;
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(having))
	{
		Node *test = lfirst(lc);

		if (by_count ? count_hides_one_person(level, test, smallest)
					 : IsA(test, Aggref) && gaussdp_call_of(((Aggref *) test)->aggfnoid, &call) &&
						   call.decides_on_groups)
			found = true;
	}
	return found;
}

/* A dp_count test that is there, and too low: what would be high enough. */
static char *
count_hint(double smallest)
{
	return psprintf("The smallest legal numbers for this very call are: dp_count(...) > %.0f, or "
					"dp_count(...) >= %.0f.",
					smallest - 1, smallest);
}

/* Both legal forms, in the words of this query; a declared table of public keys is named. */
static const char *
keys_hint(const GaussdpLevel *level)
{
	Node *key = linitial(level->keys);
	Oid relation = level->owner->relation;
	const char *table = get_rel_name(relation);
	const char *column = "key";
	const char *key_table = "keys";
	const char *key_column;
	GaussdpColumn declared = {0};

	if (gaussdp_groups_by_person(level->query))
		return GAUSSDP_ONE_PERSON_HINT;
	if (level->owner->inner == NULL && IsA(key, Var) &&
		((Var *) key)->varno == (int) level->owner->rti)
	{
		column = get_attname(relation, ((Var *) key)->varattno, false);
		(void) gaussdp_column(relation, ((Var *) key)->varattno, &declared);
	}
	key_column = column;
	if (OidIsValid(declared.key_table) && get_rel_name(declared.key_table) != NULL)
	{
		key_table = get_rel_name(declared.key_table);
		key_column = get_attname(declared.key_table, declared.key_column, false);
	}
	return psprintf(
		"Either hide small groups: GROUP BY %s HAVING dp_keep_group(1, 1e-8). Or name "
		"the groups from a public table: FROM %s LEFT JOIN %s ON %s.%s = %s.%s GROUP BY "
		"%s.%s.",
		column, key_table, table, table, column, key_table, key_column, key_table, key_column);
}

/* Every group that is shown is public, or hidden while it may be one person's. */
static bool
verify_presence(GaussdpVerifier *v, GaussdpLevel *level)
{
	Node *having = level->query->havingQual;
	double smallest = 0;

	/* Every key of a public table appears, whether it has rows or not. */
	if (level->keys == NIL ||
		(level->extending != NULL &&
		 bms_is_subset(gaussdp_relations_of(level, (Node *) level->keys), level->stable)))
		return true;
	/* What one person passes by a count is proven of the groups of one set. */
	if (hides_small_groups(level, having, false, &smallest) ||
		(level->nsets == 1 && hides_small_groups(level, having, true, &smallest)))
		return level->finds_groups = true;
	(void) gaussdp_lack(v, level, GAUSSDP_LACKS_KEY_TABLES);
	GAUSSDP_REFUSE_IF(level->nsets > 1, GAUSSDP_RULE_KEYS, exprLocation(linitial(level->keys)),
					  "groups of grouping sets would be found in the data", SETS_HINT);
	GAUSSDP_REFUSE_IF(
		smallest > 0, GAUSSDP_RULE_KEYS, exprLocation(having),
		"HAVING would show a group of one person with more than the delta of this dp_count",
		count_hint(smallest));
	return gaussdp_refuse(v, GAUSSDP_RULE_KEYS, exprLocation(linitial(level->keys)),
						  "the presence of a group tells that somebody is in it", keys_hint(level));
}

bool
gaussdp_verify_grouping(GaussdpVerifier *v, GaussdpLevel *level)
{
	const Query *q = level->query;
	ListCell *lc;

	gaussdp_check_limit(list_length(q->groupClause), GAUSSDP_MAX_KEYS, "group keys");
	foreach (lc, q->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = get_sortgroupclause_expr(clause, q->targetList);

		level->keys = lappend(level->keys, key);
		if (!gaussdp_verify_expression(v, level, key, GAUSSDP_ON_ROWS) ||
			!gaussdp_verify_width(v, level, key))
			return false;
	}
	return gaussdp_verify_sorting(v, q->groupClause, q->targetList);
}

bool
gaussdp_verify_images(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->keys)
		if (!gaussdp_has_one_image(level, lfirst(lc)))
			return gaussdp_lack(v, level, GAUSSDP_LACKS_ONE_IMAGE) ||
				   gaussdp_refuse(
					   v, GAUSSDP_RULE_KEYS, exprLocation(lfirst(lc)),
					   "values of this key may be equal and yet look different, so that what is "
					   "shown depends on a single row",
					   "Group by the text under a deterministic collation: x COLLATE \"C\".");
	return true;
}

bool
gaussdp_verify_keys(GaussdpVerifier *v, GaussdpLevel *level)
{
	return gaussdp_verify_grouping(v, level) && verify_presence(v, level) &&
		   gaussdp_verify_images(v, level);
}
