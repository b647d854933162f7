/*
 * kept.c
 *		Which public relations of FROM are there whatever the protected rows are.
 *
 *		FROM countries LEFT JOIN customers		keeps the countries: each is shown, so its name tells nothing
 *		FROM customers LEFT JOIN countries		keeps customers: a country is shown where somebody lives there
 *
 * The proof finds out by itself (join.c); here it decides which form a query as people type it is given.  So does what SQL says of
 * conditions above an outer join: what is false for rows that the join makes up undoes it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* Does the expression, but for columns of joins as they are written, speak of these relations alone? */
static bool
speaks_of(Query *q, Node *node, const Bitmapset *relations)
{
	Node *flat = gaussdp_flatten_joins(q, copyObject(node));
	Bitmapset *all = gaussdp_relations_in((Node *) q->jointree);

	/* From 16 on Vars also name the outer joins above them. */
	return bms_is_subset(bms_int_members(pull_varnos(NULL, flat), all), relations);
}

static Bitmapset *kept_in(Query *q, Node *tree, const Bitmapset *protected);

/* A condition that drops rows: it may speak of what is kept, and of public relations beside it. */
static Bitmapset *
kept_beside(Query *q, Bitmapset *kept, const Bitmapset *public, Node *condition)
{
	Bitmapset *both = bms_union(kept, public);

	return kept != NULL && speaks_of(q, condition, both) ? both : NULL;
}

static Bitmapset *
kept_in_list(Query *q, FromExpr *from, const Bitmapset *protected)
{
	Bitmapset *kept = NULL;
	Bitmapset *public = NULL;
	int nprotected = 0;
	ListCell *lc;

	foreach (lc, from->fromlist)
	{
		Bitmapset *relations = gaussdp_relations_in(lfirst(lc));

		if (!bms_overlap(relations, protected))
		public = bms_add_members(public, relations);
		else if (nprotected++ == 0) kept = kept_in(q, lfirst(lc), protected);
	}
	return nprotected > 1 ? NULL : kept_beside(q, kept, public, from->quals);
}

static Bitmapset *
kept_in_join(Query *q, JoinExpr *join, const Bitmapset *protected)
{
	Bitmapset *left = gaussdp_relations_in(join->larg);
	Bitmapset *right = gaussdp_relations_in(join->rarg);
	bool in_left = bms_overlap(left, protected);
	bool in_right = bms_overlap(right, protected);
	bool keeps_left = join->jointype == JOIN_LEFT;
	Bitmapset *kept;
	Bitmapset *public;

	if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT && join->jointype != JOIN_RIGHT)
		return NULL;
	if (in_left && in_right)
		return join->jointype == JOIN_INNER
				   ? NULL
				   : kept_in(q, keeps_left ? join->larg : join->rarg, protected);
	public = in_left ? right : left;
	if (join->jointype != JOIN_INNER && keeps_left != in_left)
		return public;
	kept = kept_in(q, in_left ? join->larg : join->rarg, protected);
	public = kept_beside(q, kept, public, join->quals);
	return join->jointype == JOIN_INNER || public != NULL ? public : kept;
}

/* Of a tree that has protected relations. */
static Bitmapset *
kept_in(Query *q, Node *tree, const Bitmapset *protected)
{
	check_stack_depth();
	if (IsA(tree, JoinExpr))
		return kept_in_join(q, (JoinExpr *) tree, protected);
	if (IsA(tree, FromExpr))
		return kept_in_list(q, (FromExpr *) tree, protected);
	return NULL;
}

Bitmapset *
gaussdp_kept_relations(Query *q, const Bitmapset *protected)
{
	return kept_in(q, (Node *) q->jointree, protected);
}

bool
gaussdp_is_kept(Query *q, Node *key, const Bitmapset *kept)
{
	return speaks_of(q, key, kept);
}

/* What conditions above demand to be there: so outer joins that may leave it out do not; *undone are these joins. */
static void
reduce(Query *q, Node *tree, const Bitmapset *there, Bitmapset **undone)
{
	Bitmapset *here =
		find_nonnullable_rels(gaussdp_flatten_joins(q, copyObject(gaussdp_join_condition(tree))));
	JoinExpr *join = (JoinExpr *) tree;
	Bitmapset *both = bms_union(there, here);
	bool keeps_left;
	ListCell *lc;

	check_stack_depth();
	if (!IsA(tree, JoinExpr))
	{
		foreach (lc, gaussdp_joined_trees(tree))
			reduce(q, lfirst(lc), both, undone);
		return;
	}
	keeps_left = join->jointype == JOIN_LEFT;
	if ((keeps_left || join->jointype == JOIN_RIGHT) &&
		bms_overlap(gaussdp_relations_in(keeps_left ? join->rarg : join->larg), there))
	{
		join->jointype = JOIN_INNER;
		*undone = bms_add_member(*undone, join->rtindex);
	}
	if (join->jointype == JOIN_INNER)
	{
		reduce(q, join->larg, both, undone);
		reduce(q, join->rarg, both, undone);
	}
	else if (join->jointype != JOIN_FULL)
	{
		/* What the join adds is dropped by its own condition, what it keeps by those above. */
		reduce(q, join->larg, keeps_left ? there : here, undone);
		reduce(q, join->rarg, keeps_left ? here : there, undone);
	}
}

void
gaussdp_reduce_outer_joins(Query *q)
{
	Bitmapset *undone = NULL;
	int rti = -1;

	reduce(q, (Node *) q->jointree, NULL, &undone);
	while ((rti = bms_next_member(undone, rti)) >= 0)
		rt_fetch(rti, q->rtable)->jointype = JOIN_INNER;
	if (undone != NULL)
		*q = *castNode(Query, gaussdp_remove_nulling((Node *) q, undone));
}
