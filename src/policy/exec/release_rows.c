/*
 * release_rows.c
 *		From the exact numbers of a group to its released row.  The only place of a local level where noise is drawn.
 *
 * Takes the rows of the exact query (exact_level.c) as its plan hands them up: keys, and serialized states of calls.  They are stored until
 * the plan has ended: whatever it can lack, and run again for, it has lacked before the first draw.  Then for each:
 *
 *		1. every state is read and checked: its parameters must be those by which the call is charged
 *		2. the noise of every call is drawn, once, whether the group is shown or not
 *		3. HAVING, by PostgreSQL's own executor, over keys and released values
 *		4. the columns of the level, likewise, of groups that are shown; they go where released.c sorts and stores them
 *
 * What can fail by the numbers of a row comes before the first draw for it; what comes after depends on released values, and
 * on keys.  Groups that are not shown leave nothing but time, and random bits that nobody sees again.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "aggregate/calls.h"
#include "ledger/ledger.h"
#include "policy/exec/price.h"
#include "policy/exec/room.h"
#include "policy/exec/temp_files.h"

typedef struct Releaser
{
	DestReceiver base;
	GaussdpRoom *room;
	DestReceiver *rows;         /* takes those that are shown */
	MemoryContext store;        /* of the exact rows */
	Tuplestorestate *stored;    /* these, */
	TupleTableSlot *exact;      /* and one of them */
	MemoryContext row;          /* holds what is made of one that is stored */
	GaussdpCallRelease **calls; /* by column of the exact query; NULL for keys */
	void **states;
	double *roughness;        /* of what is released of them */
	double *beyond;           /* and what of it may lie beyond bounds */
	TupleTableSlot *released; /* the exact row, with what is released of its states */
	ExprContext *context;
	ExprState *having;
	ProjectionInfo *columns;
} Releaser;

static void
read_states(const Releaser *releaser, const TupleTableSlot *exact)
{
	for (int i = 0; i < exact->tts_tupleDescriptor->natts; i++)
		if (releaser->calls[i] != NULL)
		{
			if (exact->tts_isnull[i])
				elog(ERROR, "a group has no state of a call");
			releaser->states[i] =
				gaussdp_read_state(releaser->calls[i], DatumGetByteaPP(exact->tts_values[i]));
		}
}

static void
draw(const Releaser *releaser, const TupleTableSlot *exact)
{
	TupleTableSlot *released = releaser->released;

	ExecClearTuple(released);
	for (int i = 0; i < exact->tts_tupleDescriptor->natts; i++)
	{
		bool is_call = releaser->calls[i] != NULL;

		if (is_call)
		{
			releaser->roughness[i] =
				gaussdp_release_roughness(releaser->calls[i], releaser->states[i]);
			releaser->beyond[i] = gaussdp_release_beyond(releaser->calls[i], releaser->states[i]);
		}
		released->tts_values[i] =
			is_call ? gaussdp_release_state(releaser->calls[i], releaser->states[i])
					: exact->tts_values[i];
		released->tts_isnull[i] = !is_call && exact->tts_isnull[i];
	}
	(void) ExecStoreVirtualTuple(released);
}

/* Of a group that is shown. */
static void
count_rough(const Releaser *releaser, int n)
{
	int64 *rough = releaser->room->rough;

	for (int i = 0; i < n; i++)
	{
		if (isnan(releaser->roughness[i]))
			rough[i] = -1;
		else if (rough[i] >= 0 && releaser->roughness[i] > GAUSSDP_ROUGH)
			rough[i]++;
		if (rough[i] >= 0)
			releaser->room->beyond[i] = fmax(releaser->room->beyond[i], releaser->beyond[i]);
	}
}

static bool
receive(TupleTableSlot *exact, DestReceiver *self)
{
	Releaser *releaser = (Releaser *) self;
	MemoryContext old = MemoryContextSwitchTo(releaser->row);

	gaussdp_show_phase(GAUSSDP_PHASE_RELEASING);
	/* A key that lies elsewhere is fetched now, not after a draw. */
	tuplestore_putvalues(releaser->stored, exact->tts_tupleDescriptor, gaussdp_plain_values(exact),
						 exact->tts_isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(releaser->row);
	return true;
}

/* What its condition finds lost in noise is not told of: the group may be hidden. */
static bool
is_shown(const Releaser *releaser)
{
	int lost = gaussdp_set_lost_numbers(0);
	bool result = ExecQual(releaser->having, releaser->context);

	(void) gaussdp_set_lost_numbers(lost);
	return result;
}

static void
release(const Releaser *releaser)
{
	ExprContext *context = releaser->context;
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(context);
	old = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
	slot_getallattrs(releaser->exact);
	read_states(releaser, releaser->exact);
	draw(releaser, releaser->exact);
	MemoryContextSwitchTo(old);
	context->ecxt_scantuple = releaser->released;
	if (!is_shown(releaser))
		return;
	releaser->room->shown++;
	count_rough(releaser, releaser->exact->tts_tupleDescriptor->natts);
	(void) releaser->rows->receiveSlot(ExecProject(releaser->columns), releaser->rows);
}

void
gaussdp_release_rows(GaussdpRoom *room)
{
	Releaser *releaser = (Releaser *) room->exact;
	ResourceOwner owner = CurrentResourceOwner;
	bool more;

	CurrentResourceOwner = room->owner; /* of the files of what is released */
	/* The first one is read after the last has been written, in one more file if need be: what lacks space for that may wait. */
	more = tuplestore_gettupleslot(releaser->stored, true, false, releaser->exact);
	gaussdp_settle_numbers();
	room->has_drawn = true;
	for (; more; more = tuplestore_gettupleslot(releaser->stored, true, false, releaser->exact))
		release(releaser);
	releaser->rows->rShutdown(releaser->rows);
	CurrentResourceOwner = owner;
	ExecClearTuple(releaser->exact);
	/* It would free one row after the other. */
	if (!tuplestore_in_memory(releaser->stored))
		tuplestore_end(releaser->stored);
	MemoryContextDelete(releaser->store);
}

static void
begin_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
end_receiving(DestReceiver *self)
{
}

DestReceiver *
gaussdp_receive_exact(GaussdpRoom *room)
{
	Releaser *releaser = palloc0(sizeof(Releaser));
	MemoryContext old;

	releaser->base = (DestReceiver){
		.receiveSlot = receive,
		.rStartup = begin_receiving,
		.rShutdown = end_receiving,
		.rDestroy = end_receiving,
		.mydest = DestNone,
	};
	releaser->room = room;
	releaser->rows = gaussdp_receive_released(room);
	releaser->store =
		AllocSetContextCreate(CurrentMemoryContext, "exact rows", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(releaser->store);
	releaser->stored = tuplestore_begin_heap(false, false, work_mem);
	MemoryContextSwitchTo(old);
	releaser->row = AllocSetContextCreate(CurrentMemoryContext, "exact row", ALLOCSET_SMALL_SIZES);
	room->exact = &releaser->base;
	return &releaser->base;
}

/* What is released of this call of the level, as it is charged. */
static GaussdpCallRelease *
prepare_call(const GaussdpRoom *room, const Aggref *call)
{
	ListCell *lc;

	foreach (lc, gaussdp_level_releases(list_make1(room->level)))
	{
		const GaussdpPlannedRelease *planned = lfirst(lc);

		if (equal(planned->call, call))
			return gaussdp_prepare_planned_release(planned);
	}
	elog(ERROR, "a call of a level is not charged");
}

/* Calls that HAVING alone reads show no number. */
static bool
mark_shown(Node *node, void *rough)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		((int64 *) rough)[((Var *) node)->varattno - 1] = 0;
	return expression_tree_walker(node, mark_shown, rough);
}

void
gaussdp_prepare_release(GaussdpRoom *room, const QueryDesc *query)
{
	Releaser *releaser = (Releaser *) query->dest;
	int n = list_length(room->program.columns);
	TupleDesc released = CreateTemplateTupleDesc(n);
	ListCell *lc;

	if (query->tupDesc->natts != n)
		elog(ERROR, "the exact numbers of a level have other columns than planned");
	releaser->calls = palloc0(sizeof(GaussdpCallRelease *) * n);
	releaser->states = palloc0(sizeof(void *) * n);
	releaser->roughness = palloc0(sizeof(double) * n);
	releaser->beyond = palloc0(sizeof(double) * n);
	room->beyond = palloc0(sizeof(double) * n);
	room->rough = palloc(sizeof(int64) * n);
	for (int i = 0; i < n; i++)
		room->rough[i] = -1;
	(void) mark_shown((Node *) room->program.targets, room->rough);
	foreach (lc, room->program.columns)
	{
		Node *column = lfirst(lc);
		int i = foreach_current_index(lc);

		if (IsA(column, Aggref))
			releaser->calls[i] = prepare_call(room, (Aggref *) column);
		if (TupleDescAttr(query->tupDesc, i)->atttypid !=
			(releaser->calls[i] != NULL ? BYTEAOID : exprType(column)))
			elog(ERROR, "the exact numbers of a level have other types than planned");
		TupleDescInitEntry(released, (AttrNumber) (i + 1), NULL, exprType(column),
						   exprTypmod(column), 0);
		TupleDescInitEntryCollation(released, (AttrNumber) (i + 1), exprCollation(column));
	}
	releaser->released = MakeSingleTupleTableSlot(released, &TTSOpsVirtual);
	releaser->exact =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(query->tupDesc), &TTSOpsMinimalTuple);
	releaser->context = CreateStandaloneExprContext(); /* the plan has ended by then */
	releaser->having = ExecInitQual(room->program.having, NULL);
	releaser->columns = ExecBuildProjectionInfo(
		room->program.targets, releaser->context,
		MakeSingleTupleTableSlot(ExecTypeFromTL(room->program.targets), &TTSOpsVirtual), NULL,
		released);
	gaussdp_prepare_released(room, releaser->rows,
							 releaser->columns->pi_state.resultslot->tts_tupleDescriptor);
}
