/*
 * people_start.c
 *		What the plan node of people_scan.c knows before the first row.
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "aggregate/random.h"
#include "compat.h"
#include "policy/people/people_scan.h"

/*
 * Rows of a partition: as many as are looked up in the processor's second cache.  Where each person is one cell, rows are small, and
 * little is what is known of a person, so that fewer partitions, to which rows go faster, take less than they save.
 */
#define ROWS_OF_PARTITION (2 * 8192)
#define GROUPED_ROWS_OF_PARTITION (4 * 8192)
#define SMALL_ROWS_OF_PARTITION (10 * 8192)

static void
start_matcher(GaussdpMatcher *matcher)
{
	matcher->seed = (uint64) gaussdp_random_seed();
	matcher->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "hashing of people", ALLOCSET_SMALL_SIZES);
}

/* The kept column of this column of the rows. */
static int
keep(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns,
	 AttrNumber column)
{
	return gaussdp_keep(&state->layout, columns, gaussdp_column_below(weighing, column));
}

/* That of the size of a row, or of the value that it is computed of; none where all rows are whole. */
static int
keep_size(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns,
		  const GaussdpWeight *weight)
{
	if (weight->is_whole)
		return -1;
	if (weight->call != NULL)
		return keep(state, weighing, columns, weight->value);
	return gaussdp_keep_size(&state->layout, columns, gaussdp_column_below(weighing, weight->size));
}

static void
start_counting(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPerson *person = &state->person;
	ListCell *lc;

	person->layout = &state->layout;
	person->unit = &state->unit;
	person->key = state->key.n > 0 ? &state->key : NULL;
	person->most_kept = state->limit / 8;
	person->most_numbered = state->limit / 4;
	person->nweights = list_length(weighing->weights);
	person->countings = palloc0(sizeof(GaussdpCounting) * Max(person->nweights, 1));
	foreach (lc, weighing->weights)
	{
		const GaussdpWeight *weight = lfirst(lc);
		GaussdpCounting *counting = &person->countings[foreach_current_index(lc)];

		counting->norm = weight->norm;
		counting->total = weight->norm == GAUSSDP_NORM_JOINT ? person->njoint++ : -1;
		counting->of_people = weight->of_people;
		counting->most = weight->most;
		counting->unit = weight->skips_null_unit ? state->unit.kept[0] : -1;
		counting->size = keep_size(state, weighing, columns, weight);
		if (weight->call != NULL)
			counting->sizing = gaussdp_prepare_sizing(weight->call);
	}
}

/* The call of group_place: its first argument is a constant. */
static FunctionCallInfo
prepare_place(const FuncExpr *place)
{
	int nargs = list_length(place->args);
	const Const *seed = linitial_node(Const, place->args);
	FmgrInfo *function = palloc0(sizeof(FmgrInfo));
	FunctionCallInfo call = palloc0(SizeForFunctionCallInfo(nargs));

	fmgr_info(place->funcid, function);
	fmgr_info_set_expr((Node *) place, function);
	InitFunctionCallInfoData(*call, function, nargs, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum){.value = seed->constvalue, .isnull = seed->constisnull};
	return call;
}

/* How a person's groups stand in an order, of which only the first are kept. */
static void
start_places(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPlaces *places = &state->person.places;
	ListCell *lc;

	if (weighing->place_call == NULL)
		return;
	places->call = prepare_place(weighing->place_call);
	places->max_groups = weighing->max_groups;
	places->order = palloc0(sizeof(SortSupportData) * list_length(weighing->keys));
	foreach (lc, weighing->keys)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		SortSupport order = &places->order[foreach_current_index(lc)];

		order->ssup_cxt = CurrentMemoryContext;
		order->ssup_collation =
			TupleDescAttr(columns,
						  state->layout.kept[state->key.kept[foreach_current_index(lc)]].column - 1)
				->attcollation;
		order->ssup_nulls_first = key->nulls_first;
		PrepareSortSupportFromOrderingOp(key->sortop, order);
	}
}

static bool
is_key(const GaussdpPeopleScan *state, int kept)
{
	for (int i = 0; i < state->key.n; i++)
		if (state->key.kept[i] == kept)
			return true;
	return false;
}

/* The number of the weight, or of the call with the total, that is this column; -1 where it is one of the rows. */
static int
computed_column(const GaussdpWeighing *weighing, AttrNumber column, bool *is_total)
{
	ListCell *lc;

	*is_total = true;
	foreach (lc, weighing->totals)
		if (((const GaussdpTotalColumn *) lfirst(lc))->column == column)
			return foreach_current_index(lc);
	*is_total = false;
	foreach (lc, weighing->weights)
		if (((const GaussdpWeight *) lfirst(lc))->weight == column)
			return foreach_current_index(lc);
	return -1;
}

/* What is handed up: columns of the rows, and weights or totals. */
static void
start_outputs(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	ListCell *lc;

	state->outputs = palloc0(sizeof(GaussdpOutput) * Max(list_length(scan->custom_scan_tlist), 1));
	foreach (lc, scan->custom_scan_tlist)
	{
		const Var *column = castNode(Var, lfirst_node(TargetEntry, lc)->expr);
		GaussdpOutput *output = &state->outputs[foreach_current_index(lc)];

		output->kept = -1;
		output->computed = computed_column(weighing, column->varattno, &output->is_total);
		if (output->computed < 0)
			output->kept = keep(state, weighing, columns, column->varattno);
		if (weighing->adds_up && output->computed < 0 && !is_key(state, output->kept))
			elog(ERROR, "rows that are added up have a value");
	}
}

/* What is added up. */
static void
start_totals(GaussdpPeopleScan *state, const GaussdpWeighing *weighing)
{
	GaussdpTotals *totals = &state->person.totals;
	Size ncalls = (Size) list_length(weighing->totals);
	ListCell *lc;

	totals->ncalls = (int) ncalls;
	totals->adds_up = weighing->adds_up;
	if (ncalls == 0)
		return;
	totals->calls = palloc0(sizeof(GaussdpTotalled) * ncalls);
	foreach (lc, weighing->totals)
	{
		const GaussdpTotalColumn *total = lfirst(lc);
		GaussdpTotalled *totalled = &totals->calls[foreach_current_index(lc)];

		totalled->weight = total->weight;
		totalled->call = gaussdp_prepare_sizing(total->call);
	}
	totals->packed = palloc0(GAUSSDP_PACKED_TOTAL * ncalls);
}

/* How people and groups are told apart. */
static void
start_matchers(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	int unit = keep(state, weighing, columns, weighing->unit);
	Oid type = TupleDescAttr(columns, state->layout.kept[unit].column - 1)->atttypid;
	ListCell *lc;

	start_matcher(&state->unit);
	start_matcher(&state->key);
	gaussdp_match(&state->unit, columns, &state->layout, unit,
				  lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr);
	foreach (lc, weighing->keys)
		gaussdp_match(&state->key, columns, &state->layout,
					  keep(state, weighing, columns, (AttrNumber) (foreach_current_index(lc) + 1)),
					  lfirst_node(SortGroupClause, lc)->eqop);
}

static void
lay_out(GaussdpPeopleScan *state)
{
	gaussdp_lay_out(&state->layout);
	state->layout.scratch = state->unit.scratch;
	state->unit.is_kept = !state->layout.is_fixed;
}

void
gaussdp_start_weighing(GaussdpPeopleScan *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPerson *person = &state->person;

	state->is_weighing = true;
	state->limit = get_hash_memory_limit();
	start_matchers(state, weighing, columns);
	start_counting(state, weighing, columns);
	start_places(state, weighing, columns);
	start_totals(state, weighing);
	start_outputs(state, weighing, columns);
	lay_out(state);
	for (int i = 0; i < person->nweights; i++)
		if (person->countings[i].size >= 0)
			person->countings[i].size_at = state->layout.kept[person->countings[i].size].at;
	gaussdp_make_person(person, state->memory);
	state->adds_people = state->key.n == 0 && person->totals.adds_up;
	state->rows_of_partition =
		state->adds_people && state->layout.is_fixed ? SMALL_ROWS_OF_PARTITION : ROWS_OF_PARTITION;
}

void
gaussdp_start_grouping(GaussdpPeopleScan *state, const GaussdpGrouping *grouping, TupleDesc columns)
{
	ListCell *lc;
	ListCell *other;

	state->is_distinct = grouping->is_distinct;
	state->limit = get_hash_memory_limit();
	state->rows_of_partition = GROUPED_ROWS_OF_PARTITION;
	state->outputs = palloc(sizeof(GaussdpOutput) * (Size) list_length(grouping->below));
	foreach (lc, grouping->below)
		state->outputs[foreach_current_index(lc)].kept =
			gaussdp_keep(&state->layout, columns, (AttrNumber) lfirst_int(lc));
	start_matcher(&state->unit);
	forboth(lc, grouping->keys, other, grouping->operators)
		gaussdp_match(&state->unit, columns, &state->layout,
					  state->outputs[lfirst_int(lc) - 1].kept, lfirst_oid(other));
	lay_out(state);
}
