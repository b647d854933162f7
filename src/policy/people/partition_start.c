/*
 * partition_start.c
 *		What the plan node that weighs the rows of people knows before the first row (partition.h).
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "aggregate/random.h"
#include "compat.h"
#include "policy/people/partition_state.h"

static void
start_matcher(GaussdpPartitionState *state, GaussdpMatcher *matcher)
{
	matcher->seed = (uint64) gaussdp_random_seed();
	matcher->scratch =
		AllocSetContextCreate(state->memory, "hashing of people", ALLOCSET_SMALL_SIZES);
}

/* The kept column of this column of the rows. */
static int
keep(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns,
	 AttrNumber column)
{
	return gaussdp_keep(&state->layout, columns, gaussdp_column_below(weighing, column));
}

/* That of the size of a row, or of the value that has it; none where all rows are whole. */
static int
keep_size(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns,
		  const GaussdpWeight *weight)
{
	if (weight->is_whole)
		return -1;
	if (weight->call != NULL)
		return keep(state, weighing, columns, weight->value);
	return gaussdp_keep_size(&state->layout, columns, gaussdp_column_below(weighing, weight->size));
}

static void
start_counting(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPeople *people = &state->people;
	ListCell *lc;

	people->layout = &state->layout;
	people->nweights = list_length(weighing->weights);
	people->countings = palloc0(sizeof(GaussdpCounting) * Max(people->nweights, 1));
	foreach (lc, weighing->weights)
	{
		const GaussdpWeight *weight = lfirst(lc);
		GaussdpCounting *counting = &people->countings[foreach_current_index(lc)];

		counting->of_people = weight->of_people;
		counting->most = weight->most;
		counting->unit = weight->skips_null_unit ? state->unit.kept[0] : -1;
		counting->size = keep_size(state, weighing, columns, weight);
		if (weight->call != NULL)
			counting->sizing = gaussdp_prepare_sizing(weight->call);
	}
	gaussdp_make_people(people, state->memory, &state->unit,
						state->keys.n > 0 ? &state->keys : NULL);
	state->layout.has_numbers = state->keys.n > 0;
	if (state->keys.n > 0)
		gaussdp_number_keys(people);
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
start_places(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPlaces *places = &state->people.places;
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
			TupleDescAttr(
				columns, state->layout.kept[state->keys.kept[foreach_current_index(lc)]].column - 1)
				->attcollation;
		order->ssup_nulls_first = key->nulls_first;
		PrepareSortSupportFromOrderingOp(key->sortop, order);
	}
}

static bool
is_key(const GaussdpPartitionState *state, int kept)
{
	for (int i = 0; i < state->keys.n; i++)
		if (state->keys.kept[i] == kept)
			return true;
	return false;
}

/* The number of the weight, or of the call with the total, that is this column; -1 where it is one of the rows. */
static int
computed_column(const GaussdpWeighing *weighing, AttrNumber column)
{
	ListCell *lc;

	foreach (lc, weighing->totals)
		if (((const GaussdpTotalColumn *) lfirst(lc))->column == column)
			return foreach_current_index(lc);
	foreach (lc, weighing->totals == NIL ? weighing->weights : NIL)
		if (((const GaussdpWeight *) lfirst(lc))->weight == column)
			return foreach_current_index(lc);
	return -1;
}

/* What is handed up: columns of the rows, and weights or totals. */
static void
start_outputs(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	ListCell *lc;

	state->outputs = palloc0(sizeof(GaussdpOutput) * Max(list_length(scan->custom_scan_tlist), 1));
	foreach (lc, scan->custom_scan_tlist)
	{
		const Var *column = castNode(Var, lfirst_node(TargetEntry, lc)->expr);
		GaussdpOutput *output = &state->outputs[foreach_current_index(lc)];

		output->kept = -1;
		output->computed = computed_column(weighing, column->varattno);
		if (output->computed < 0)
			output->kept = keep(state, weighing, columns, column->varattno);
		if (weighing->totals != NIL && output->computed < 0 && !is_key(state, output->kept))
			elog(ERROR, "rows that are added up have a value");
	}
}

/* What is added up, and whether it can be without looking at the rows again. */
static void
start_totals(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpTotals *totals = &state->totals;
	Size ncalls = (Size) list_length(weighing->totals);
	ListCell *lc;

	totals->ncalls = (int) ncalls;
	if (ncalls == 0)
		return;
	totals->calls = palloc0(sizeof(GaussdpTotalled) * ncalls);
	state->people.is_counted = true;
	foreach (lc, weighing->totals)
	{
		const GaussdpTotalColumn *total = lfirst(lc);
		GaussdpTotalled *totalled = &totals->calls[foreach_current_index(lc)];

		totalled->weight = total->weight;
		totalled->value = total->value == 0 ? -1 : keep(state, weighing, columns, total->value);
		totalled->call = gaussdp_prepare_sizing(total->call);
		state->people.is_counted = state->people.is_counted && total->value == 0;
	}
	totals->weights = palloc0(sizeof(int64) * Max(list_length(weighing->weights), 1));
	totals->packed = palloc0(GAUSSDP_PACKED_TOTAL * ncalls);
}

/* How people and groups are told apart. */
static void
start_matchers(GaussdpPartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	int unit = keep(state, weighing, columns, weighing->unit);
	Oid type = TupleDescAttr(columns, state->layout.kept[unit].column - 1)->atttypid;
	ListCell *lc;

	start_matcher(state, &state->unit);
	start_matcher(state, &state->keys);
	gaussdp_match(&state->unit, columns, &state->layout, unit,
				  lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr);
	foreach (lc, weighing->keys)
		gaussdp_match(&state->keys, columns, &state->layout,
					  keep(state, weighing, columns, (AttrNumber) (foreach_current_index(lc) + 1)),
					  lfirst_node(SortGroupClause, lc)->eqop);
}

void
gaussdp_start_partition_state(GaussdpPartitionState *state, const GaussdpWeighing *weighing,
							  TupleDesc columns)
{
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "weights of people", ALLOCSET_DEFAULT_SIZES);
	state->loaded = AllocSetContextCreate(state->memory, "loaded rows", ALLOCSET_DEFAULT_SIZES);
	start_matchers(state, weighing, columns);
	start_counting(state, weighing, columns);
	start_places(state, weighing, columns);
	start_totals(state, weighing, columns);
	start_outputs(state, weighing, columns);
	gaussdp_lay_out(&state->layout);
	for (int i = 0; i < state->people.nweights; i++)
		if (state->people.countings[i].size >= 0)
			state->people.countings[i].size_at =
				state->layout.kept[state->people.countings[i].size].at;
	state->layout.scratch = state->unit.scratch;
	state->unit.is_kept = !state->layout.is_fixed;
	state->limit = get_hash_memory_limit();
	state->cursor.memory = state->memory;
	state->is_sorted = weighing->is_sorted;
	state->batch = AllocSetContextCreate(state->memory, "batch of people", ALLOCSET_DEFAULT_SIZES);
	if (state->is_sorted)
		gaussdp_start_order(&state->order, &state->layout.kept[state->unit.kept[0]], columns,
							state->memory);
}
