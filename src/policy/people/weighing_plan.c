/*
 * weighing_plan.c
 *		Planning of the node that weighs the rows of people (people.h).
 *
 * A weighed level has one item of FROM, its rows.  Its path is replaced by one of the node over it, whatever the planner
 * has thought of, so that a plan without the node cannot come about; plan_proof.c asks for it all the same.  The columns
 * for the weights, or for the totals, are NULL in the rows, and NULL is nothing: rows that were not weighed would count for nothing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "policy/exec/exec.h"
#include "policy/people/people.h"

/* A row is taken in, looked up and handed on. */
#define OPERATIONS_OF_A_ROW 8

/* The level that is being planned at this moment. */
static GaussdpPlannedLevel planned = {NULL, NULL};

static const CustomScanMethods scan_methods = {
	.CustomName = "PrivateWeights",
	.CreateCustomScanState = gaussdp_make_people_scan,
};

/* ---------------------------------------------------------------------------
 * Which levels
 * ---------------------------------------------------------------------------
 */

bool
gaussdp_can_compare(Oid column_type, Oid collation, Oid equality)
{
	Oid type = getBaseType(column_type);
	TypeCacheEntry *entry =
		lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_EXTENDED_PROC);

	/* Labels are equal, and hashed, by their numbers: without a look into the catalog. */
	return ((type < FirstNormalObjectId && get_typtype(type) == TYPTYPE_BASE) ||
			get_typtype(type) == TYPTYPE_ENUM) &&
		   !OidIsValid(get_element_type(type)) && equality < FirstNormalObjectId &&
		   entry->eq_opr == equality && OidIsValid(entry->hash_extended_proc) &&
		   entry->hash_extended_proc < FirstNormalObjectId &&
		   (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

bool
gaussdp_can_partition(const Query *rows, const GaussdpWeighing *weighing)
{
	Node *unit = (Node *) gaussdp_expression_of(rows, weighing->unit);
	TypeCacheEntry *type = lookup_type_cache(exprType(unit), TYPECACHE_EQ_OPR);
	ListCell *lc;

	if (!gaussdp_can_compare(exprType(unit), exprCollation(unit), type->eq_opr))
		return false;
	/* Which values a person takes depends on what others have taken, and the node sees a person by themselves. */
	foreach (lc, weighing->weights)
		if (((const GaussdpWeight *) lfirst(lc))->distinct != 0)
			return false;
	/* Where a person's groups are sorted, the order of labels would be looked up. */
	foreach (lc, weighing->keys)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = (Node *) gaussdp_expression_of(rows, foreach_current_index(lc) + 1);

		if (!gaussdp_can_compare(exprType(key), exprCollation(key), clause->eqop) ||
			(weighing->place != 0 && (!OidIsValid(clause->sortop) || type_is_enum(exprType(key)))))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------------------
 * What a plan keeps of it: lists of nodes
 * ---------------------------------------------------------------------------
 */

static int64
int8_of(const List *list, int n)
{
	return DatumGetInt64(list_nth_node(Const, list, n)->constvalue);
}

static List *
pack_totals(const List *totals)
{
	List *packed = NIL;
	ListCell *lc;

	foreach (lc, totals)
	{
		const GaussdpTotalColumn *total = lfirst(lc);

		packed =
			lappend(packed, list_make3(gaussdp_make_int8(total->column),
									   gaussdp_make_int8(total->weight), copyObject(total->call)));
	}
	return packed;
}

static List *
unpack_totals(const List *packed)
{
	List *totals = NIL;
	ListCell *lc;

	foreach (lc, packed)
	{
		GaussdpTotalColumn *total = palloc0(sizeof(GaussdpTotalColumn));

		total->column = (AttrNumber) int8_of(lfirst(lc), 0);
		total->weight = (int) int8_of(lfirst(lc), 1);
		total->call = llast_node(FuncExpr, lfirst(lc));
		totals = lappend(totals, total);
	}
	return totals;
}

/* (unit, max_groups, adds_up, place_call), keys, below, totals, then (size, of_people, most, weight, is_whole, value, skips_null_unit, norm, call) for each weight. */
static List *
pack_weighing(const GaussdpWeighing *weighing)
{
	List *packed = list_make4(
		list_make4(gaussdp_make_int8(weighing->unit), gaussdp_make_int8(weighing->max_groups),
				   gaussdp_make_int8(weighing->adds_up), copyObject(weighing->place_call)),
		copyObject(weighing->keys), weighing->below, pack_totals(weighing->totals));
	ListCell *lc;

	foreach (lc, weighing->weights)
	{
		const GaussdpWeight *weight = lfirst(lc);
		List *one =
			list_make5(gaussdp_make_int8(weight->size), gaussdp_make_int8(weight->of_people),
					   gaussdp_make_int8(weight->most), gaussdp_make_int8(weight->weight),
					   gaussdp_make_int8(weight->is_whole));

		one = lappend(one, gaussdp_make_int8(weight->value));
		one = lappend(one, gaussdp_make_int8(weight->skips_null_unit));
		one = lappend(one, gaussdp_make_int8(weight->norm));
		packed = lappend(packed, lappend(one, copyObject(weight->call)));
	}
	return packed;
}

GaussdpWeighing *
gaussdp_weighing_of(const CustomScan *scan)
{
	GaussdpWeighing *weighing = palloc0(sizeof(GaussdpWeighing));
	const List *first = linitial(scan->custom_private);
	ListCell *lc;

	weighing->unit = (AttrNumber) int8_of(first, 0);
	weighing->max_groups = int8_of(first, 1);
	weighing->adds_up = int8_of(first, 2) != 0;
	weighing->place_call = lfourth(first);
	weighing->keys = lsecond(scan->custom_private);
	weighing->below = lthird(scan->custom_private);
	weighing->totals = unpack_totals(lfourth(scan->custom_private));
	for_each_from(lc, scan->custom_private, 4)
	{
		GaussdpWeight *weight = palloc0(sizeof(GaussdpWeight));

		weight->size = (AttrNumber) int8_of(lfirst(lc), 0);
		weight->of_people = int8_of(lfirst(lc), 1) != 0;
		weight->most = int8_of(lfirst(lc), 2);
		weight->weight = (AttrNumber) int8_of(lfirst(lc), 3);
		weight->is_whole = int8_of(lfirst(lc), 4) != 0;
		weight->value = (AttrNumber) int8_of(lfirst(lc), 5);
		weight->skips_null_unit = int8_of(lfirst(lc), 6) != 0;
		weight->norm = (GaussdpNorm) int8_of(lfirst(lc), 7);
		weight->call = llast(lfirst(lc));
		weighing->weights = lappend(weighing->weights, weight);
	}
	return weighing;
}

AttrNumber
gaussdp_column_below(const GaussdpWeighing *weighing, AttrNumber column)
{
	return weighing->below == NIL ? column : (AttrNumber) list_nth_int(weighing->below, column - 1);
}

/* The type's own operator, by which a unit is compared. */
static Oid
equality_of_unit(const CustomScan *scan, const GaussdpWeighing *weighing)
{
	const Plan *rows = linitial(scan->custom_plans);
	const TargetEntry *column = list_nth_node(TargetEntry, rows->targetlist,
											  gaussdp_column_below(weighing, weighing->unit) - 1);

	return lookup_type_cache(exprType((Node *) column->expr), TYPECACHE_EQ_OPR)->eq_opr;
}

bool
gaussdp_is_partition(const CustomScan *scan, List **operators)
{
	GaussdpWeighing *weighing;
	ListCell *lc;

	if (scan->methods != &scan_methods)
		return false;
	weighing = gaussdp_weighing_of(scan);
	*operators = list_make1_oid(equality_of_unit(scan, weighing));
	foreach (lc, weighing->keys)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);

		*operators = lappend_oid(*operators, key->eqop);
		if (weighing->place_call != NULL)
			*operators = lappend_oid(*operators, key->sortop);
	}
	return true;
}

/* ---------------------------------------------------------------------------
 * Path and plan
 * ---------------------------------------------------------------------------
 */

GaussdpPlannedLevel
gaussdp_plan_partitions(GaussdpPlannedLevel level)
{
	GaussdpPlannedLevel before = planned;

	planned = level;
	return before;
}

/* The columns of the rows that the node reads. */
static Bitmapset *
columns_read(const GaussdpWeighing *weighing, List *handed_up)
{
	Bitmapset *read = bms_make_singleton(weighing->unit);
	Bitmapset *computed = NULL;
	ListCell *lc;

	foreach (lc, weighing->keys)
		read = bms_add_member(read, foreach_current_index(lc) + 1);
	foreach (lc, weighing->weights)
	{
		const GaussdpWeight *weight = lfirst(lc);

		computed = bms_add_member(computed, weight->weight);
		if (weight->call != NULL)
			read = bms_add_member(read, weight->value);
		else if (!weight->is_whole)
			read = bms_add_member(read, weight->size);
	}
	foreach (lc, weighing->totals)
		computed = bms_add_member(computed, ((const GaussdpTotalColumn *) lfirst(lc))->column);
	foreach (lc, handed_up)
		if (!bms_is_member(lfirst_node(Var, lc)->varattno, computed))
			read = bms_add_member(read, lfirst_node(Var, lc)->varattno);
	return read;
}

List *
gaussdp_read_as_stored(PlannerInfo *root, Plan *scan, const Bitmapset *read)
{
	List *places = NIL;
	List *columns;
	ListCell *lc;

	if (!IsA(scan, SeqScan))
		return NIL;
	foreach (lc, scan->targetlist)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);
		const Var *var = (const Var *) column->expr;
		bool is_own = IsA(var, Var) && var->varattno > 0;

		if (!is_own && (read == NULL || bms_is_member(column->resno, read)))
			return NIL;
		places = lappend_int(places, is_own ? var->varattno : 0);
	}
	columns = build_physical_tlist(root, root->simple_rel_array[((Scan *) scan)->scanrelid]);
	if (columns == NIL)
		return NIL;
	scan->targetlist = columns;
	return places;
}

/* The query around the scan of a table is left out: it yields what the scan does. */
static void
read_table(const RelOptInfo *rel, Plan *rows, GaussdpWeighing *weighing, List *handed_up)
{
	Plan *scan;
	ListCell *lc;

	if (!IsA(rows, SubqueryScan))
		return;
	scan = ((SubqueryScan *) rows)->subplan;
	weighing->below = gaussdp_read_as_stored(rel->subroot, scan, columns_read(weighing, handed_up));
	if (weighing->below == NIL)
		return;
	rows->targetlist = NIL;
	foreach (lc, scan->targetlist)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);
		Var *var = makeVarFromTargetEntry((int) rel->relid, column);

		rows->targetlist =
			lappend(rows->targetlist, makeTargetEntry((Expr *) var, column->resno, NULL, false));
	}
}

/*
 * Conditions on the level, which are HAVING's on its keys, hold for weighed rows: they must not be applied before.
 * The scan of the rows is left out then, since it does nothing.
 */
static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan *rows = linitial(custom_plans);
	GaussdpWeighing weighing = *planned.weighing;
	/* None are given where another projection of the path's columns takes their place. */
	List *wanted = targets != NIL ? targets : path->path.pathtarget->exprs;
	List *columns;
	ListCell *lc;

	if (IsA(rows, SubqueryScan))
		rows->qual = NIL;
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	scan->scan.scanrelid = 0;
	scan->scan.plan.targetlist = targets;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->custom_plans = custom_plans;
	columns = list_concat(pull_var_clause((Node *) wanted, 0),
						  pull_var_clause((Node *) scan->scan.plan.qual, 0));
	read_table(rel, rows, &weighing, columns);
	scan->custom_private = pack_weighing(&weighing);
	foreach (lc, columns)
		scan->custom_scan_tlist = lappend(
			scan->custom_scan_tlist,
			makeTargetEntry(lfirst(lc), (AttrNumber) (foreach_current_index(lc) + 1), NULL, false));
	return (Plan *) scan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "PrivateWeights",
	.PlanCustomPath = plan_path,
};

/* All columns of the rows, in their order, so that a scan of them has nothing to do. */
static PathTarget *
all_columns(const RelOptInfo *rel, const Query *rows)
{
	PathTarget *target = makeNode(PathTarget);
	ListCell *lc;

	foreach (lc, rows->targetList)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);

		target->exprs = lappend(target->exprs, makeVar((int) rel->relid, column->resno,
													   exprType((Node *) column->expr),
													   exprTypmod((Node *) column->expr),
													   exprCollation((Node *) column->expr), 0));
	}
	target->width = rel->reltarget->width;
	return target;
}

/* A scan of what this way yields, with all columns. */
static Path *
scan_of_rows(const RelOptInfo *rel, const SubqueryScanPath *pattern, Path *below, const Query *rows)
{
	SubqueryScanPath *scan = makeNode(SubqueryScanPath);

	memcpy(scan, pattern, sizeof(SubqueryScanPath));
	scan->subpath = below;
	scan->path.rows = below->rows;
	scan->path.startup_cost = below->startup_cost;
	scan->path.total_cost = below->total_cost;
	scan->path.pathkeys = NIL;
	scan->path.parallel_safe = rel->consider_parallel && below->parallel_safe;
	scan->path.parallel_workers = below->parallel_workers;
	scan->path.pathtarget = all_columns(rel, rows);
	return (Path *) scan;
}

/* The node over rows of which each process reads all, or only a part: then partitions of all parts are put together. */
static Path *
make_path(RelOptInfo *rel, Path *rows, bool is_parallel)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.rows = rows->rows;
	path->path.startup_cost = rows->total_cost;
	path->path.total_cost =
		rows->total_cost + rows->rows * (OPERATIONS_OF_A_ROW * cpu_operator_cost + cpu_tuple_cost);
	path->path.parallel_aware = path->path.parallel_safe = is_parallel;
	path->path.parallel_workers = is_parallel ? rows->parallel_workers : 0;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	path->custom_paths = list_make1(rows);
	return (Path *) path;
}

/* The cheapest of these ways to the rows, weighed. */
static Path *
weighed_path(RelOptInfo *rel, const SubqueryScanPath *pattern, const List *ways, const Query *rows,
			 bool is_parallel)
{
	Path *best = NULL;
	ListCell *lc;

	foreach (lc, ways)
		if (best == NULL || ((Path *) lfirst(lc))->total_cost < best->total_cost)
			best = lfirst(lc);
	return best == NULL ? NULL
						: make_path(rel, scan_of_rows(rel, pattern, best, rows), is_parallel);
}

/* Where the planner knows that there are no rows. */
static Path *
path_of_nothing(RelOptInfo *rel, const Path *nothing, const Query *rows)
{
	AppendPath *path = makeNode(AppendPath);

	if (!IsA(nothing, AppendPath) || !IS_DUMMY_APPEND(nothing))
		elog(ERROR, "the rows of a level are read in an unknown way");
	memcpy(path, nothing, sizeof(AppendPath));
	path->path.pathtarget = all_columns(rel, rows);
	path->path.parallel_safe = false;
	return make_path(rel, (Path *) path, false);
}

void
gaussdp_add_partition_path(PlannerInfo *root, RelOptInfo *rel, Index rti)
{
	const Query *query;
	const RelOptInfo *ways;
	Path *first;
	Path *path;
	Path *partial = NULL;

	if (planned.weighing == NULL || root->parse != planned.query)
		return;
	query = root->simple_rte_array[rti]->subquery;
	first = linitial(rel->pathlist);
	if (IsA(first, SubqueryScanPath))
	{
		ways = fetch_upper_rel(rel->subroot, UPPERREL_FINAL, NULL);
		path = weighed_path(rel, (SubqueryScanPath *) first, ways->pathlist, query, false);
		if (rel->consider_parallel)
			partial =
				weighed_path(rel, (SubqueryScanPath *) first, ways->partial_pathlist, query, true);
	}
	else
		path = path_of_nothing(rel, first, query);
	rel->pathlist = rel->partial_pathlist = NIL;
	add_path(rel, path);
	if (partial != NULL)
		add_partial_path(rel, partial);
}

void
gaussdp_weighing_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
