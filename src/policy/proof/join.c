/*
 * join.c
 *		A level's FROM: protected relations, alone or joined to public ones.
 *
 * Proven here is how many rows of public relations stand beside the protected rows of a joined row, and
 * which public rows appear whatever the protected ones are.  That the protected rows are one person's is for owners.c.
 *
 * From each protected relation a path leads up through the joins to the top; what each join on it adds
 * is a part, a tree of public relations.  A relation is known if for the protected rows of a joined row at most one
 * of its rows (or, behind an outer join, none) can stand beside them.  It becomes known through a
 * key that is equated to what is known already, in a condition that holds wherever the
 * relation has a row and the protected ones too:
 *		WHERE, and ON of each join on the path that drops protected rows or makes up rows beside them
 *		public ones, for every relation;
 *		ON of a join on the path that keeps protected rows without a match, for what it adds alone, be that
 *		public or protected with public parts of its own.
 * A part that may be missing (the last case) is missing or not by what is below it, which must all be
 * known before it.  Inside a part, an outer join's preserved side comes first, for the same reason.
 *
 * Where nothing more becomes known so, a relation is taken of which several rows may match (is_multiplied): rows of the
 * level are weighed then, and when the relation has been read, the room counts how many rows agree in what is equated.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

#define JOIN_HINT                                                                                  \
	"Join the protected table to public tables, each on its primary key, or use the results of "   \
	"levels (WITH) in the query around them."

/* Conditions that hold wherever there is a row of a tree: of all of FROM, or of what an outer join adds. */
typedef struct Scope
{
	struct Scope *outer; /* NULL: all of FROM */
	List *conditions;
} Scope;

/* What a join on the path adds. */
typedef struct Part
{
	Node *tree; /* of public relations */
	Scope *scope;
	Node *own; /* the condition under which it is there, if it may be missing */
	bool may_be_missing;
	bool is_known;
} Part;

/* By what a relation becomes known. */
typedef enum Matching
{
	MATCHED_ONCE,   /* a key that is equated */
	MATCHED_BY_KEY, /* columns that are equated, of which several rows may agree */
	MATCHED_ANYHOW
} Matching;

/* The path and what has been learnt of it. */
typedef struct Path
{
	GaussdpVerifier *v;
	GaussdpLevel *level;
	List *parts;  /* of Part, from the protected relation up */
	Scope *scope; /* of the tree at hand */
	Bitmapset *known;
	Matching matching; /* by which one relation at most is taken before it is MATCHED_ONCE again */
} Path;

static bool
holds_protected(const Path *path, Node *tree)
{
	return bms_overlap(path->level->protected, gaussdp_relations_in(tree));
}

static void
add_condition(Path *path, Node *condition)
{
	if (condition != NULL)
		path->level->conditions = lappend(path->level->conditions, condition);
}

static bool
is_known_join(const JoinExpr *join)
{
	return join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT ||
		   join->jointype == JOIN_RIGHT;
}

static bool
refuse_join(Path *path)
{
	return gaussdp_refuse(path->v, GAUSSDP_RULE_LEFT_JOIN, -1,
						  "this kind of join makes up rows on both sides", JOIN_HINT);
}

/* The conditions of a part, and its joins: none makes up rows on both sides. */
static bool
verify_part(Path *path, Node *tree)
{
	ListCell *lc;

	add_condition(path, gaussdp_join_condition(tree));
	if (IsA(tree, JoinExpr) && !is_known_join((JoinExpr *) tree))
		return refuse_join(path);
	foreach (lc, gaussdp_joined_trees(tree))
		if (!verify_part(path, lfirst(lc)))
			return false;
	return true;
}

static bool
add_part(Path *path, Node *tree, Node *own, bool may_be_missing)
{
	Part *part = palloc0(sizeof(Part));

	part->tree = tree;
	part->scope = path->scope;
	part->own = own;
	part->may_be_missing = may_be_missing || path->scope->outer != NULL;
	path->parts = lappend(path->parts, part);
	return verify_part(path, tree);
}

/*
 * An inner join or WHERE on the path.  Above a join that makes up rows on the protected side it may
 * speak of rows alone that are there whatever the protected ones are: or it would undo that join.  Inside of what an
 * outer join adds beside protected rows it drops nothing but that, and nothing there is stable.
 */
static bool
add_filter(Path *path, Node *condition, Bitmapset *added)
{
	GaussdpLevel *level = path->level;

	path->scope->conditions = lappend(path->scope->conditions, condition);
	add_condition(path, condition);
	if (level->extending == NULL || path->scope->outer != NULL)
		return true;
	level->stable = bms_add_members(level->stable, added);
	if (!bms_is_subset(gaussdp_relations_of(level, condition), level->stable))
		return gaussdp_refuse(
			path->v, GAUSSDP_RULE_LEFT_JOIN, exprLocation(condition),
			"WHERE speaks of the protected side and would drop keys that have no rows",
			"Write conditions on the protected table in ON or in FILTER.");
	return true;
}

static bool walk_path(Path *path, Node *tree);

/* Relations that are listed, and WHERE. */
static bool
walk_list(Path *path, FromExpr *from)
{
	Bitmapset *added = NULL;
	ListCell *lc;

	foreach (lc, from->fromlist)
		if (holds_protected(path, lfirst(lc)) && !walk_path(path, lfirst(lc)))
			return false;
	foreach (lc, from->fromlist)
	{
		if (holds_protected(path, lfirst(lc)))
			continue;
		added = bms_add_members(added, gaussdp_relations_in(lfirst(lc)));
		if (!add_part(path, lfirst(lc), NULL, false))
			return false;
	}
	return add_filter(path, from->quals, added);
}

/* Protected rows on both sides. */
static bool
walk_protected_join(Path *path, JoinExpr *join)
{
	bool keeps_left = join->jointype == JOIN_LEFT;
	Scope *around = path->scope;
	Scope *added = palloc(sizeof(Scope));

	if (join->jointype == JOIN_INNER)
		return walk_path(path, join->larg) && walk_path(path, join->rarg) &&
			   add_filter(path, join->quals, NULL);
	add_condition(path, join->quals);
	if (!walk_path(path, keeps_left ? join->larg : join->rarg))
		return false;
	*added = (Scope){around, list_make1(join->quals)};
	path->scope = added;
	if (!walk_path(path, keeps_left ? join->rarg : join->larg))
		return false;
	path->scope = around;
	return true;
}

/* Protected rows on one side, public ones on the other. */
static bool
walk_public_join(Path *path, JoinExpr *join)
{
	GaussdpLevel *level = path->level;
	bool left_is_protected = holds_protected(path, join->larg);
	Node *public = left_is_protected ? join->rarg : join->larg;

	if (!walk_path(path, left_is_protected ? join->larg : join->rarg))
		return false;
	if (join->jointype == JOIN_INNER)
		return add_part(path, public, NULL, false) &&
			   add_filter(path, join->quals, gaussdp_relations_in(public));
	add_condition(path, join->quals);
	if ((join->jointype == JOIN_LEFT) == left_is_protected)
	{
		/* Protected rows stay; what is added is stable if it depends on stable rows alone. */
		Bitmapset *stable = bms_union(level->stable, gaussdp_relations_in(public));

		if (level->extending != NULL && path->scope->outer == NULL &&
			bms_is_subset(gaussdp_relations_of(level, join->quals), stable))
			level->stable = stable;
		return add_part(path, public, join->quals, true);
	}
	if (path->scope->outer != NULL)
		return gaussdp_refuse(
			path->v, GAUSSDP_RULE_LEFT_JOIN, exprLocation(join->quals),
			"public rows are kept inside of what an outer join adds to protected ones", JOIN_HINT);
	/* Public rows stay, and beside a protected row the condition holds. */
	level->extending = bms_add_member(level->extending, join->rtindex);
	level->stable = gaussdp_relations_in(public);
	path->scope->conditions = lappend(path->scope->conditions, join->quals);
	return add_part(path, public, NULL, false);
}

static bool
walk_join(Path *path, JoinExpr *join)
{
	if (!is_known_join(join))
		return refuse_join(path);
	if (holds_protected(path, join->larg) && holds_protected(path, join->rarg))
		return walk_protected_join(path, join);
	return walk_public_join(path, join);
}

static bool
walk_path(Path *path, Node *tree)
{
	if (IsA(tree, JoinExpr))
		return walk_join(path, (JoinExpr *) tree);
	if (IsA(tree, FromExpr))
		return walk_list(path, (FromExpr *) tree);
	return true;
}

/* The rows will be asked whether they are what the key says, or how many match (policy/exec/public_rows.c). */
static void
add_known(Path *path, Index rti, List *keys, bool may_repeat)
{
	GaussdpPublicRelation *relation = palloc(sizeof(GaussdpPublicRelation));

	*relation = (GaussdpPublicRelation){rti, keys, may_repeat};
	path->level->public = lappend(path->level->public, relation);
	path->level->is_multiplied |= may_repeat;
	path->known = bms_add_member(path->known, rti);
}

/* Makes the relation known, if it can be by these conditions. */
static void
learn_relation(Path *path, Index rti, List *conditions)
{
	List *keys;

	if (gaussdp_is_matched_once(path->level, rti, conditions, path->known, &keys))
		add_known(path, rti, keys, false);
	else if (path->matching != MATCHED_ONCE && (keys != NIL || path->matching == MATCHED_ANYHOW) &&
			 !bms_is_member(rti, path->v->key_tables))
	{
		add_known(path, rti, keys, true);
		path->matching = MATCHED_ONCE;
	}
}

static bool learn_tree(Path *path, Node *tree, List *conditions);

/* Trees that are joined by inner joins: each may make others known. */
static bool
learn_list(Path *path, List *trees, List *conditions)
{
	bool all;
	int nknown;
	ListCell *lc;

	do
	{
		nknown = bms_num_members(path->known);
		all = true;
		foreach (lc, trees)
			if (!learn_tree(path, lfirst(lc), conditions))
				all = false;
	} while (!all && bms_num_members(path->known) > nknown);
	return all;
}

/* An outer join: the rows that it keeps, then those that it may add. */
static bool
learn_outer(Path *path, JoinExpr *join, List *conditions)
{
	Node *kept = join->jointype == JOIN_LEFT ? join->larg : join->rarg;
	Node *added = join->jointype == JOIN_LEFT ? join->rarg : join->larg;
	List *matched = lappend(list_copy(conditions), join->quals);

	/* A row that is found by conditions from outside is there, so that this join's own holds too. */
	if (IsA(added, RangeTblRef) && path->matching != MATCHED_ANYHOW &&
		learn_tree(path, added, conditions))
		return learn_tree(path, kept, matched);
	return learn_tree(path, kept, conditions) && learn_tree(path, added, matched);
}

/*
 * Tries to make all relations of the tree known, by conditions that hold where the tree has a row.  What
 * has become known stays so, also where the rest of the tree does not.
 */
static bool
learn_tree(Path *path, Node *tree, List *conditions)
{
	if (IsA(tree, RangeTblRef))
	{
		Index rti = ((RangeTblRef *) tree)->rtindex;

		if (!bms_is_member(rti, path->known))
			learn_relation(path, rti, conditions);
		return bms_is_member(rti, path->known);
	}
	if (IsA(tree, FromExpr))
		return learn_list(path, ((FromExpr *) tree)->fromlist,
						  lappend(list_copy(conditions), ((FromExpr *) tree)->quals));
	if (((JoinExpr *) tree)->jointype != JOIN_INNER)
		return learn_outer(path, (JoinExpr *) tree, conditions);
	return learn_list(path, list_make2(((JoinExpr *) tree)->larg, ((JoinExpr *) tree)->rarg),
					  lappend(list_copy(conditions), ((JoinExpr *) tree)->quals));
}

/* All that holds wherever the part has a row. */
static List *
conditions_of(const Part *part)
{
	List *conditions = part->own != NULL ? list_make1(part->own) : NIL;

	for (const Scope *scope = part->scope; scope != NULL; scope = scope->outer)
		conditions = list_concat(conditions, scope->conditions);
	return conditions;
}

/* Goes through the parts once, as far as they can be known; are all? */
static bool
learn_parts(Path *path, Matching matching)
{
	bool all = true;
	ListCell *lc;

	path->matching = matching;
	foreach (lc, path->parts)
	{
		Part *part = lfirst(lc);

		if (!part->is_known && (all || !part->may_be_missing))
			part->is_known = learn_tree(path, part->tree, conditions_of(part));
		all = all && part->is_known;
	}
	return all;
}

/* Makes all public relations known: those whose key is equated first, then others one by one. */
static bool
verify_known(Path *path)
{
	Matching matching = MATCHED_ONCE;

	path->known = bms_copy(path->level->protected);
	for (;;)
	{
		int nknown = bms_num_members(path->known);

		if (learn_parts(path, matching))
			return true;
		if (bms_num_members(path->known) > nknown)
			matching = MATCHED_ONCE;
		else if (matching++ == MATCHED_ANYHOW)
			return gaussdp_refuse(
				path->v, GAUSSDP_RULE_UNIQUE, -1,
				"a protected row may match several rows of the joined relation",
				"Equate every column of a primary key of the joined table, in ON or as AND "
				"conditions.");
	}
}

/* No parser lets a condition name what stands outside of its join: what it does there, nobody has thought of. */
static bool
names_its_own(const GaussdpLevel *level, Node *tree)
{
	Bitmapset *outside = bms_difference(level->relations, gaussdp_relations_in(tree));
	ListCell *lc;

	check_stack_depth();
	if (bms_overlap(pull_varnos(NULL, gaussdp_join_condition(tree)), outside))
		return false;
	foreach (lc, gaussdp_joined_trees(tree))
		if (!names_its_own(level, lfirst(lc)))
			return false;
	return true;
}

bool
gaussdp_verify_join(GaussdpVerifier *v, GaussdpLevel *level)
{
	Scope all = {NULL, NIL};
	Path path = {.v = v, .level = level, .scope = &all};
	int rti = -1;

	level->relations = gaussdp_relations_in((Node *) level->query->jointree);
	gaussdp_check_limit(bms_num_members(level->relations), GAUSSDP_MAX_RELATIONS,
						"relations in FROM beside one another");
	GAUSSDP_REFUSE_IF(!names_its_own(level, (Node *) level->query->jointree), GAUSSDP_RULE_UNIQUE,
					  -1, "a condition of a join names a relation that is not joined there",
					  JOIN_HINT);
	if (!gaussdp_find_owners(v, level) || !walk_path(&path, (Node *) level->query->jointree))
		return false;
	while ((rti = bms_next_member(level->relations, rti)) >= 0)
		if (!bms_is_member(rti, level->protected) && !gaussdp_verify_public_entry(v, level, rti))
			return false;
	return verify_known(&path);
}
