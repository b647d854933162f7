/*
 * node.c
 *		The plan node of a level: a scan of what it has released.
 *
 * The first row that the query around asks for runs the level, to its end; all rows then come from a
 * store, forwards and backwards, as often as the query likes.  Who opened the query is who is
 * checked and who pays, whoever the session has become since.
 */
#include "postgres.h"

#include "access/relation.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "policy/exec/inputs.h"
#include "policy/exec/kept_level.h"
#include "policy/exec/last_answer.h"
#include "policy/exec/price.h"
#include "policy/exec/room.h"
#include "policy/exec/shown_plan.h"
#include "policy/rewrite/rewrite.h"

PG_FUNCTION_INFO_V1(gaussdp_private_level);

/* Costs of the scan: no number of them may come from rows. */
#define STARTUP_COST 100.0

/* One execution of the node. */
typedef struct GaussdpLevelState
{
	CustomScanState css;
	Query *level; /* with parameters in place of its inputs */
	List *inputs; /* of ExprState */
	Oid role;     /* who opened the query */
	int security_context;
	GaussdpStatement *statement; /* what all levels of the execution have been charged */
	List *opened;                /* of Relation: held, so that this session's own DDL has to wait */
	/* its releases, as other levels look ahead at them; NULL before the first does */
	GaussdpRelease *to_come;
	int nto_come;
	Query *
		asked; /* then what it asks, if an equal level may be shown its numbers, or it theirs; else NULL */
	GaussdpReleased *rows;  /* NULL before the first one is asked for */
	TupleTableSlot *stored; /* a row of it */
	dlist_node open;        /* in open_levels, until the query's memory goes */
} LevelState;

/* Levels of all queries that are open in this session. */
static dlist_head open_levels = DLIST_STATIC_INIT(open_levels);

/* Somebody calls the stand-in, or plans it without the library. */
Datum
gaussdp_private_level(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("private_level cannot be called"),
			 errdetail("It stands in plans where a query reads protected tables.")));
}

/* ---------------------------------------------------------------------------
 * Planning
 * ---------------------------------------------------------------------------
 */

static Node *create_state(CustomScan *scan);

static const CustomScanMethods scan_methods = {
	.CustomName = "PrivateLevel",
	.CreateCustomScanState = create_state,
};

/* The stand-in's columns. */
static List *
make_columns(const RelOptInfo *rel, RangeTblFunction *function)
{
	List *columns = NIL;
	ListCell *type;
	ListCell *typmod;
	ListCell *collation;

	forthree(type, function->funccoltypes, typmod, function->funccoltypmods, collation,
			 function->funccolcollations)
	{
		AttrNumber attno = (AttrNumber) (list_length(columns) + 1);
		Var *var = makeVar((int) rel->relid, attno, lfirst_oid(type), lfirst_int(typmod),
						   lfirst_oid(collation), 0);

		columns = lappend(columns, makeTargetEntry((Expr *) var, attno, NULL, false));
	}
	return columns;
}

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	RangeTblEntry *entry = linitial_node(RangeTblEntry, path->custom_private);
	RangeTblFunction *function = linitial_node(RangeTblFunction, entry->functions);

	/* Only row marks of other relations ask for whole rows, and the verifier has refused these. */
	if (rel->attr_needed[0 - rel->min_attr] != NULL)
		elog(ERROR, "whole rows of a level are needed");
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	scan->scan.scanrelid = 0; /* or else a relation would be opened */
	scan->scan.plan.targetlist = targets;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	/* by now the planner has made subplans of the sub-selects among them */
	scan->custom_exprs = castNode(FuncExpr, function->funcexpr)->args;
	scan->custom_private = list_make1(gaussdp_level_of(entry));
	scan->custom_scan_tlist = make_columns(rel, function);
	return (Plan *) scan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "PrivateLevel",
	.PlanCustomPath = plan_path,
};

void
gaussdp_add_level_path(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry)
{
	CustomPath *path;

	if (gaussdp_level_of(entry) == NULL || IS_DUMMY_REL(rel))
		return;
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rel->rows;
	path->path.startup_cost = STARTUP_COST;
	path->path.total_cost = STARTUP_COST + rel->rows * cpu_tuple_cost;
	path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_MARK_RESTORE |
				  CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	path->custom_private = list_make1(entry);
	rel->pathlist = NIL;
	rel->partial_pathlist = NIL;
	add_path(rel, (Path *) path);
}

/* ---------------------------------------------------------------------------
 * Execution
 * ---------------------------------------------------------------------------
 */

/* Collects the relations that a level names, views aside. */
static bool
collect_relations(Node *node, List **relations)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		if (entry->rtekind == RTE_RELATION && entry->relkind != RELKIND_VIEW)
			*relations = list_append_unique_oid(*relations, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_relations, relations,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, collect_relations, relations);
}

static void
forget_level(void *state)
{
	dlist_delete(&((LevelState *) state)->open);
}

/* What the execution has been charged, shared by its levels. */
static GaussdpStatement *
statement_of(EState *estate)
{
	dlist_iter iter;

	dlist_foreach(iter, &open_levels)
	{
		LevelState *other = dlist_container(LevelState, open, iter.cur);

		if (other->css.ss.ps.state == estate)
			return other->statement;
	}
	return MemoryContextAllocZero(estate->es_query_cxt, sizeof(GaussdpStatement));
}

/* An ordinary plan has its relations open from start to end, which ALTER and DROP respect. */
static void
open_relations(LevelState *state)
{
	List *relations = NIL;
	ListCell *lc;

	(void) collect_relations((Node *) state->level, &relations);
	foreach (lc, relations)
		state->opened = lappend(state->opened, relation_open(lfirst_oid(lc), AccessShareLock));
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	LevelState *state = (LevelState *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	MemoryContextCallback *callback;

	state->level = linitial_node(Query, scan->custom_private);
	GetUserIdAndSecContext(&state->role, &state->security_context);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	state->inputs = ExecInitExprList(scan->custom_exprs, &css->ss.ps);
	callback = MemoryContextAlloc(estate->es_query_cxt, sizeof(MemoryContextCallback));
	callback->func = forget_level;
	callback->arg = state;
	state->statement = statement_of(estate);
	dlist_push_tail(&open_levels, &state->open);
	MemoryContextRegisterResetCallback(estate->es_query_cxt, callback);
	open_relations(state);
}

/*
 * The level with those of its inputs that are parameters of the statement.  Nothing is computed: what is more than
 * a parameter is computed once, when the level runs, and it may be in the middle of that now.
 */
static Query *
fill_known(const LevelState *state)
{
	List *values = NIL;
	ParamListInfo params = state->css.ss.ps.state->es_param_list_info;
	ListCell *lc;

	foreach (lc, ((const CustomScan *) state->css.ss.ps.plan)->custom_exprs)
	{
		Node *expr = lfirst(lc);
		Node *known = gaussdp_known_input(expr, params);

		/* A parameter stands for itself where it is not known. */
		if (known == NULL)
			known = gaussdp_unknown_input(expr, foreach_current_index(lc) + 1);
		values = lappend(values, known);
	}
	return gaussdp_fill_level(state->level, values);
}

/* The level as it will run, as far as its inputs are known; of one that would be refused, or costs nothing, NULL. */
static GaussdpLevel *
level_to_come(const LevelState *state)
{
	GaussdpVerifier v = {.location = -1};
	Query *query = fill_known(state);
	GaussdpLevel *level;

	gaussdp_find_protected_entries(&v, query);
	if (!gaussdp_complete_level(&v, query))
		return NULL;
	level = llast(v.levels);
	return level->is_free ? NULL : level;
}

/*
 * Its releases with their prices, once for each execution: of n levels n - 1 are looked at before the first, n - 2 before the
 * second.  None where it will be shown what is paid already.  When its turn comes, the level is proven and priced by itself.
 */
static void
price_ahead(LevelState *state)
{
	MemoryContext old;
	GaussdpRelease *releases = NULL;
	GaussdpLevel *level;

	if (state->to_come != NULL)
		return;
	level = level_to_come(state);
	if (level != NULL && gaussdp_drawn_before(level) == 0)
		releases =
			gaussdp_priced_releases(gaussdp_level_releases(list_make1(level)), &state->nto_come);
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	if (level != NULL && gaussdp_may_be_shown_again(level))
		state->asked = copyObject(unconstify(Query *, level->query));
	state->to_come = palloc(sizeof(GaussdpRelease) * Max(state->nto_come, 1));
	if (state->nto_come > 0)
		memcpy(state->to_come, releases, sizeof(GaussdpRelease) * state->nto_come);
	MemoryContextSwitchTo(old);
}

static bool
is_to_come(const LevelState *other, const LevelState *state)
{
	return other != state && other->css.ss.ps.state == state->css.ss.ps.state &&
		   other->rows == NULL;
}

/* The other levels of the statement that will cost something: of equal ones only one is drawn, where it may be shown again. */
static List *
levels_to_come(LevelState *state)
{
	List *asked = NIL; /* of Query */
	List *result = NIL;
	dlist_iter iter;

	dlist_foreach(iter, &open_levels)
	{
		LevelState *other = dlist_container(LevelState, open, iter.cur);

		if (!is_to_come(other, state))
			continue;
		price_ahead(state);
		price_ahead(other);
		if (other->asked != NULL &&
			(equal(other->asked, state->asked) || list_member(asked, other->asked)))
			continue;
		if (other->asked != NULL)
			asked = lappend(asked, other->asked);
		result = lappend(result, other);
	}
	return result;
}

/* What the other levels of the statement will release: before the first is paid, all have to be payable. */
static void
look_ahead(LevelState *state, GaussdpRoom *room)
{
	List *others = levels_to_come(state);
	int n = 0;
	ListCell *lc;

	foreach (lc, others)
		n += ((LevelState *) lfirst(lc))->nto_come;
	room->later = palloc(sizeof(GaussdpRelease) * Max(n, 1));
	foreach (lc, others)
	{
		const LevelState *other = lfirst(lc);

		memcpy(room->later + room->nlater, other->to_come,
			   sizeof(GaussdpRelease) * other->nto_come);
		room->nlater += other->nto_come;
	}
}

/*
 * Runs the level, as who opened the query.  Its plan stays until that query ends: an audit library that was asked about
 * the level's tables looks at them once more then.
 */
static void
run(LevelState *state)
{
	EState *estate = state->css.ss.ps.state;
	GaussdpRoom *room;
	MemoryContext memory =
		AllocSetContextCreate(estate->es_query_cxt, "private level", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	List *inputs;
	Oid role;
	int security_context;

	room = palloc0(sizeof(GaussdpRoom));
	room->around = estate;
	room->source = estate->es_sourceText;
	room->query_id = estate->es_plannedstmt->queryId;
	room->columns = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	inputs = gaussdp_evaluate_inputs(state->inputs, state->css.ss.ps.ps_ExprContext);
	room->filled = gaussdp_fill_level(state->level, inputs);
	room->statement = state->statement;
	look_ahead(state, room);

	GetUserIdAndSecContext(&role, &security_context);
	SetUserIdAndSecContext(state->role, state->security_context | SECURITY_LOCAL_USERID_CHANGE |
											SECURITY_RESTRICTED_OPERATION);
	gaussdp_run_level(room);
	SetUserIdAndSecContext(role, security_context);

	MemoryContextSwitchTo(estate->es_query_cxt);
	state->stored =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(room->columns), &TTSOpsMinimalTuple);
	state->rows = room->released;
	MemoryContextSwitchTo(old);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	LevelState *state = (LevelState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int ncolumns = slot->tts_tupleDescriptor->natts;

	if (state->rows == NULL)
		run(state);
	ExecClearTuple(slot);
	if (!gaussdp_next_released(state->rows, ScanDirectionIsForward(node->ps.state->es_direction),
							   state->stored))
		return slot;
	slot_getallattrs(state->stored);
	memcpy(slot->tts_values, state->stored->tts_values, sizeof(Datum) * ncolumns);
	memcpy(slot->tts_isnull, state->stored->tts_isnull, sizeof(bool) * ncolumns);
	return ExecStoreVirtualTuple(slot);
}

/* Rows are checked again where others are locked; the verifier has refused that around a level. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	elog(ERROR, "a row of a level is to be checked again");
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	return ExecScan(&css->ss, next_row, recheck_row);
}

static void
end(CustomScanState *css)
{
	LevelState *state = (LevelState *) css;
	ListCell *lc;

	foreach (lc, state->opened)
		relation_close(lfirst(lc), NoLock);
	if (state->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(state->stored);
	gaussdp_end_released(state->rows);
	gaussdp_tell_of_answer();
}

static void
rescan(CustomScanState *css)
{
	LevelState *state = (LevelState *) css;

	ExecScanReScan(&css->ss);
	if (state->rows != NULL)
		gaussdp_rescan_released(state->rows);
}

static void
mark_position(CustomScanState *css)
{
	gaussdp_mark_released(((LevelState *) css)->rows);
}

static void
restore_position(CustomScanState *css)
{
	gaussdp_return_to_mark(((LevelState *) css)->rows);
}

/* Only for EXPLAIN itself: a library that logs plans of what has run shall plan nothing. */
static void
explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	LevelState *state = (LevelState *) css;
	const EState *estate = css->ss.ps.state;

	if ((estate->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		return;
	open_relations(state); /* a cached plan has no locks on them */
	gaussdp_show_plan(fill_known(state), estate->es_sourceText, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "PrivateLevel",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.MarkPosCustomScan = mark_position,
	.RestrPosCustomScan = restore_position,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *scan)
{
	LevelState *state = (LevelState *) newNode(sizeof(LevelState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}

void
gaussdp_level_node_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
