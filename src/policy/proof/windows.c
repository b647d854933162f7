/*
 * windows.c
 *		Window functions over a person's rows, in a query of a level's FROM (inner.c).
 *
 *		SELECT unit, visited - lag(visited) OVER (PARTITION BY unit ORDER BY visited) AS days FROM visits
 *
 * Every window is partitioned by the unit, so what a function computes is of one person's rows.  It must depend on
 * them as a set.  Rows that ORDER BY leaves as equals stand in an order that changes with the plan, and with everybody's
 * rows: where that order could show, the room numbers the rows before (policy/exec/window_order.c).
 *
 * A frame begins at the first row, and ends with the last one or at the current one.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/proof/internal.h"

#define WINDOW_HINT                                                                                \
	"Use lag, lead, first_value, last_value, row_number, rank, dense_rank, count, sum, avg, min, " \
	"max, bool_and or bool_or."

/* On what of the order of a person's rows the result depends. */
typedef enum Dependence
{
	OF_THE_SET,   /* on nothing, or on which rows are before others, not on the order of equals */
	OF_EACH_ROW,  /* on which of several equals is which */
	OF_THE_LAST,  /* on which row ends the frame */
	OF_AN_UNKNOWN /* not reviewed */
} Dependence;

typedef struct Walk
{
	GaussdpVerifier *v;
	const GaussdpLevel *level;
} Walk;

bool
gaussdp_frame_ends_with_equals(const WindowClause *window)
{
	return (window->frameOptions & (FRAMEOPTION_RANGE | FRAMEOPTION_GROUPS)) != 0 ||
		   (window->frameOptions & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) != 0;
}

static Dependence
dependence(const WindowFunc *call, const WindowClause *window)
{
	if (call->winagg)
		return gaussdp_frame_ends_with_equals(window) ? OF_THE_SET : OF_EACH_ROW;
	switch (call->winfnoid)
	{
		case F_RANK_:
		case F_DENSE_RANK_:
			return OF_THE_SET;
		case F_ROW_NUMBER:
		case F_LAG_ANYELEMENT:
		case F_LAG_ANYELEMENT_INT4:
		case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_LEAD_ANYELEMENT:
		case F_LEAD_ANYELEMENT_INT4:
		case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_FIRST_VALUE:
			return OF_EACH_ROW;
		case F_LAST_VALUE:
			return OF_THE_LAST;
		default:
			return OF_AN_UNKNOWN;
	}
}

static const WindowClause *
window_of(const Query *query, Index winref)
{
	ListCell *lc;

	foreach (lc, query->windowClause)
		if (lfirst_node(WindowClause, lc)->winref == winref)
			return lfirst(lc);
	elog(ERROR, "a window function has no window");
}

bool
gaussdp_depends_on_equals(const WindowFunc *call, const Query *query)
{
	return dependence(call, window_of(query, call->winref)) != OF_THE_SET;
}

/* Is one of its partition's keys the unit, by its type's own equality? */
static bool
is_of_one_person(const GaussdpLevel *level, const WindowClause *window)
{
	ListCell *lc;

	foreach (lc, window->partitionClause)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = get_sortgroupclause_expr(unconstify(SortGroupClause *, clause),
											 level->query->targetList);

		if (gaussdp_is_unit(level, key) && clause->eqop == gaussdp_equality_of_type(exprType(key)))
			return true;
	}
	return false;
}

static bool
verify_window(GaussdpVerifier *v, const GaussdpLevel *level, const WindowClause *window)
{
	GAUSSDP_REFUSE_IF(!is_of_one_person(level, window), GAUSSDP_RULE_UNIT, -1,
					  "a window holds rows of several people",
					  "Partition it by the unit column: OVER (PARTITION BY unit ORDER BY ...).");
	GAUSSDP_REFUSE_IF((window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) == 0 ||
						  (window->frameOptions & FRAMEOPTION_EXCLUSION) != 0 ||
						  window->startOffset != NULL || window->endOffset != NULL ||
						  (window->frameOptions & (FRAMEOPTION_END_CURRENT_ROW |
												   FRAMEOPTION_END_UNBOUNDED_FOLLOWING)) == 0,
					  GAUSSDP_RULE_FUNCTIONS, -1,
					  "a window's frame begins elsewhere than at its first row, or leaves rows out",
					  "Leave the frame out, or write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT "
					  "ROW, or UNBOUNDED FOLLOWING.");
	return gaussdp_verify_sorting(v, window->partitionClause, level->query->targetList) &&
		   gaussdp_verify_sorting(v, window->orderClause, level->query->targetList);
}

/* lag(x, n): rows are walked over one by one, so that n of a row takes the square of the time that the rows take. */
static bool
looks_as_far_as_a_row_says(const WindowFunc *call)
{
	Node *offset;

	if (call->winagg || list_length(call->args) < 2)
		return false;
	offset = lsecond(call->args);
	return !IsA(offset, Const) && !IsA(offset, Param);
}

/* One call, but for its window. */
static bool
verify_call(GaussdpVerifier *v, const GaussdpLevel *level, const WindowFunc *call)
{
	const WindowClause *window = window_of(level->query, call->winref);
	Dependence depends = dependence(call, window);

	GAUSSDP_REFUSE_IF(depends == OF_AN_UNKNOWN, GAUSSDP_RULE_FUNCTIONS, call->location,
					  psprintf("the window function %s is not known to depend on a person's set "
							   "of rows alone",
							   get_func_name(call->winfnoid)),
					  WINDOW_HINT);
	GAUSSDP_REFUSE_IF(depends == OF_THE_LAST && window->orderClause != NIL &&
						  (window->frameOptions & FRAMEOPTION_END_CURRENT_ROW) != 0 &&
						  gaussdp_frame_ends_with_equals(window),
					  GAUSSDP_RULE_FUNCTIONS, call->location,
					  "which of several equals is the last value would depend on the order of rows",
					  "Write the frame: ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING.");
	GAUSSDP_REFUSE_IF(looks_as_far_as_a_row_says(call), GAUSSDP_RULE_FUNCTIONS, call->location,
					  "how far this call looks would depend on the row, and the time of an answer "
					  "on the rows of one person",
					  "Give a number: lag(x, 1).");
	/* The parser lets none stand in another. */
	if (!gaussdp_verify_expression(v, level, (Node *) call->args, GAUSSDP_ON_ROWS) ||
		!gaussdp_verify_expression(v, level, (Node *) call->aggfilter, GAUSSDP_ON_ROWS))
		return false;
	return !call->winagg ||
		   gaussdp_verify_exact(v, level, call->winfnoid, call->args, (Node *) call);
}

/* Stops, with true, at the first call that is refused. */
static bool
refuses_a_call(Node *node, Walk *walk)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
	{
		return !verify_call(walk->v, walk->level, (WindowFunc *) node);
	}
	return expression_tree_walker(node, refuses_a_call, walk);
}

bool
gaussdp_verify_windows(GaussdpVerifier *v, GaussdpLevel *level)
{
	Walk walk = {.v = v, .level = level};
	ListCell *lc;

	gaussdp_check_limit(list_length(level->query->windowClause), GAUSSDP_MAX_KEYS, "windows");
	level->has_windows = true;
	foreach (lc, level->query->windowClause)
		if (!verify_window(v, level, lfirst_node(WindowClause, lc)))
			return false;
	return !refuses_a_call((Node *) level->query->targetList, &walk);
}
