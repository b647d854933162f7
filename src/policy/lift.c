/*
 * lift.c
 *		One execution of a stamped plan: looked at again, lifted, charged.
 *
 * The plan may be an old one of a cache, made for another role, under other labels and settings.  So
 * everything that the verdict rests on beside the query is looked at again, for the role that executes.
 * Then a shallow copy, whose approved entries are checked as the table's owner, goes to PostgreSQL; the
 * plan itself is never changed.  The charge comes after PostgreSQL's own checks and before the
 * first row: whatever fails, fails before anything is read.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "commands/tablespace.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "core/core.h"
#include "ledger/ledger.h"
#include "policy/caps.h"
#include "policy/lift.h"
#include "policy/plan.h"
#include "policy/subject.h"
#include "policy/verify.h"
#include "report.h"

static ExecutorStart_hook_type prev_executor_start;
static ExecutorRun_hook_type prev_executor_run;
static ExecutorEnd_hook_type prev_executor_end;

static void
start_query(QueryDesc *query, int eflags)
{
	if (prev_executor_start != NULL)
		prev_executor_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

/*
 * Statistics counters are public: rows that a query of one's own has fetched, calls of a function, and the
 * size of a sort that did not fit into memory are exact answers.  They are off while a lifted plan
 * starts, runs and ends, in parallel workers too, which inherit the settings.  And so are messages for the
 * server's own log, which a session may have asked for between two fetches: trace_sort measures each sort.
 */
static int
stop_telling(void)
{
	int nest_level = NewGUCNestLevel();

	(void) set_config_option("track_counts", "off", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
	(void) set_config_option("track_functions", "none", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	if (client_min_messages < NOTICE)
		(void) set_config_option("client_min_messages", "notice", PGC_SUSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("gin_fuzzy_search_limit", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return nest_level;
}

/* Lifted plans that are running, one inside the other. */
static int running = 0;

static GucEnumAssignHook prev_assign_messages;

/*
 * A function over released values may ask for those messages while rows are still to be read.  Not a check
 * hook, since RESET asks none.  What is set back after an error is never less than notice, because it
 * was set while the plan ran, or when it does not run any more.
 */
static void
assign_messages(int newval, void *extra)
{
	if (running > 0 && newval < NOTICE && !proc_exit_inprogress)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("client_min_messages cannot ask for the server's own log here"),
						errdetail("A query over a protected table is being executed.")));
	if (prev_assign_messages != NULL)
		prev_assign_messages(newval, extra);
}

static GucIntAssignHook prev_assign_fuzzy;

/*
 * With this limit an index scan drops other rows as soon as one row more has the word: a person would move a
 * count by as many as have it.  It is off while a lifted plan runs, and stays off.
 */
static void
assign_fuzzy(int newval, void *extra)
{
	if (running > 0 && newval != 0 && !proc_exit_inprogress)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("gin_fuzzy_search_limit cannot be set here"),
						errdetail("A query over a protected table is being executed.")));
	if (prev_assign_fuzzy != NULL)
		prev_assign_fuzzy(newval, extra);
}

/* Relations take the setting when they are opened; between two fetches somebody may have opened them. */
static void
stop_counting_open_relations(const QueryDesc *query)
{
	EState *estate = query->estate;

	for (Index i = 0; i < estate->es_range_table_size; i++)
	{
		Relation rel = estate->es_relations ? estate->es_relations[i] : NULL;
		ListCell *lc;

		if (rel == NULL)
			continue;
		pgstat_init_relation(rel);
		foreach (lc, RelationGetIndexList(rel))
			index_close(index_open(lfirst_oid(lc), AccessShareLock), AccessShareLock);
	}
}

/*
 * How deep the stack goes may depend on a row: LIKE recurses, and some nodes of a plan run for the first
 * time when there is a row.  A role that calls itself until the stack is nearly full would see which rows
 * make it end.  So there is room for all of that before the first row, or nothing is read.
 */
#define STACK_RESERVE (128 * 1024)

static pg_noinline void
reserve_stack(void)
{
	volatile char reserve[STACK_RESERVE];

	reserve[0] = 0;
	check_stack_depth();
	(void) reserve[0]; /* so that the array is there while the depth is measured */
}

static void
run_query(GAUSSDP_RUN_PARAMETERS)
{
	if (prev_executor_run != NULL)
		prev_executor_run(GAUSSDP_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(GAUSSDP_RUN_ARGUMENTS);
}

/* Is there a marked entry that the role may not read by itself? */
static bool
needs_lift(PlannedStmt *plan)
{
	ListCell *lc;

	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (gaussdp_marked_level(entry) >= 0 && gaussdp_entry_is_checked(entry) &&
			!gaussdp_entry_is_allowed(gaussdp_plan_permissions(plan), entry, true))
			return true;
	}
	return false;
}

/* What the verdict rests on, beside the query, still holds for this table and role. */
static bool
verify_entry_again(Verifier *v, const RangeTblEntry *entry)
{
	const char *why;

	v->relation = entry->relid;
	if (!gaussdp_is_protected(entry->relid))
		return refuse(v, RULE_UNIT, -1, "the table is not protected any more",
					  "Ask the owner of the table: gaussdp.protect.");
	if ((why = gaussdp_unit_problem(entry->relid)) != NULL)
		return refuse(v, RULE_UNIT, -1, why, "Ask the owner of the table: gaussdp.protect.");
	if (!gaussdp_has_budget(GetUserId(), entry->relid))
		return refuse(v, RULE_CAPS, -1, "no budget for this table has been granted to this role",
					  "Ask the owner of the table: gaussdp.grant_budget.");
	return true;
}

/* The copy that PostgreSQL checks and executes. */
static PlannedStmt *
lift_plan(Verifier *v, const PlannedStmt *plan)
{
	PlannedStmt *copy = gaussdp_shallow_copy(plan);
	ListCell *lc;

	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (gaussdp_marked_level(entry) < 0 || !gaussdp_entry_is_checked(entry))
			continue;
		if (!verify_entry_again(v, entry))
			gaussdp_refuse(v);
		gaussdp_check_entry_as(copy, foreach_current_index(lc), gaussdp_owner_of(entry->relid));
	}
	return copy;
}

/* A price as the ledger takes it: in its integer units, rounded up. */
static GaussdpRelease
to_ledger(const Release *release, const Price *price)
{
	GaussdpRelease result = {
		.kind = get_func_name(release->aggregate),
		.relid = release->relation,
		.l2_sensitivity = price->sensitivity,
		.sigma = price->sigma,
	};

	gaussdp_report(gdp_mu2_units(price->mu_squared, &result.mu2), "mu", sqrt(price->mu_squared));
	if (price->threshold_delta > 0)
		gaussdp_report(gdp_delta_cost(price->threshold_delta, &result.threshold_delta), "delta",
					   price->threshold_delta);
	return result;
}

/* Pays for every dp_ call that was written; raises an error when that fails. */
static void
charge(const QueryDesc *query)
{
	List *stamped = gaussdp_stamped_releases(query->plannedstmt);
	GaussdpRelease *releases = palloc0(sizeof(GaussdpRelease) * list_length(stamped));
	ListCell *lc;

	foreach (lc, stamped)
	{
		Release *release = lfirst(lc);
		Price price;

		if (!gaussdp_price(release, query->params, &price))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_PARAMETER),
					 errmsg("a parameter of %s has no value", get_func_name(release->aggregate))));
		releases[foreach_current_index(lc)] = to_ledger(release, &price);
	}
	gaussdp_charge(GetUserId(), releases, list_length(stamped), query->plannedstmt->queryId,
				   query->sourceText);
}

static void
policy_executor_start(QueryDesc *query, int eflags)
{
	Verifier v = {.source = NULL, .location = -1};
	int nest_level;

	if (!gaussdp_is_stamped(query->plannedstmt) || !needs_lift(query->plannedstmt))
	{
		start_query(query, eflags);
		return;
	}
	query->plannedstmt = lift_plan(&v, query->plannedstmt);
	if (!gaussdp_verify_execution(&v, query, eflags))
		gaussdp_refuse(&v);
	nest_level = stop_telling();
	start_query(query, eflags);
	AtEOXact_GUC(true, nest_level);
	/* A hook that was called after this one may have asked for instrumentation. */
	if (!gaussdp_verify_execution(&v, query, eflags))
		gaussdp_refuse(&v);
	reserve_stack();
	charge(query);
}

/*
 * The session's own counters of pages and WAL.  EXPLAIN (ANALYZE, BUFFERS) of a query around, which calls
 * a function that runs a lifted one, shows them; and an index scan reads a page more where a row is.
 */
typedef struct Usage
{
	BufferUsage buffers;
	WalUsage wal;
} Usage;

static Usage
usage_so_far(void)
{
	return (Usage){pgBufferUsage, pgWalUsage};
}

static void
forget_usage_since(const Usage *before)
{
	pgBufferUsage = before->buffers;
	pgWalUsage = before->wal;
}

/* As MAX_VALUE_SIZE, for public values that would be computed with only where there is a protected row. */
static void
check_lengths(TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;

	slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
		if (!slot->tts_isnull[i] &&
			gaussdp_is_long(slot->tts_values[i], TupleDescAttr(columns, i)->attlen))
			ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
							errmsg("a public value beside protected rows is longer than %d bytes",
								   MAX_VALUE_SIZE),
							errhint("Join to a query that leaves the column out.")));
}

/*
 * A join that finds no protected row would not read what it is joined to.  Reading leaves traces, even of a
 * table that is the role's own: pages are pruned, and the next scan starts where the last one ended.  So public
 * relations are read to their ends first.  A CTE's rows wait in its tuplestore, for all who read it.
 */
static bool
read_public_rows(PlanState *state, Bitmapset *ctes)
{
	if (IsA(state, CteScanState) && bms_is_member(castNode(CteScan, state->plan)->ctePlanId, ctes))
	{
		CteScanState *cte = castNode(CteScanState, state)->leader;

		while (!cte->eof_cte)
		{
			TupleTableSlot *slot = ExecProcNode(cte->cteplanstate);

			if (TupIsNull(slot))
			{
				cte->eof_cte = true;
				continue;
			}
			check_lengths(slot);
			tuplestore_puttupleslot(cte->cte_table, slot);
		}
	}
	return planstate_tree_walker(state, read_public_rows, ctes);
}

static void
read_public_relations(const QueryDesc *query)
{
	MemoryContext old = MemoryContextSwitchTo(query->estate->es_query_cxt);

	query->estate->es_direction = ForwardScanDirection;
	(void) read_public_rows(query->planstate, gaussdp_public_ctes(query->plannedstmt));
	MemoryContextSwitchTo(old);
}

/* Expressions are compiled when the first row needs one, and pg_stat_statements shows how often that was. */
static void
forget_compilation(const QueryDesc *query)
{
	if (query->estate->es_jit != NULL)
		memset(&query->estate->es_jit->instr, 0, sizeof(JitInstrumentation));
}

/*
 * Temporary files take the tablespaces of temp_tablespaces in turn, and the session's next temporary table
 * takes the one whose turn it is, which would tell how many files there were.  Another turn, by chance.
 */
static void
shuffle_temp_tablespaces(void)
{
	static Oid spaces[64]; /* fd.c keeps the address until the transaction ends */
	int n = TempTablespacesAreSet() ? GetTempTablespaces(spaces, lengthof(spaces)) : 0;

	if (n > 1)
		SetTempTablespaces(spaces, n);
}

static void
policy_executor_run(GAUSSDP_RUN_PARAMETERS)
{
	int nest_level;
	Usage before = usage_so_far();

	if (!gaussdp_is_stamped(query->plannedstmt))
	{
		run_query(GAUSSDP_RUN_ARGUMENTS);
		return;
	}
	reserve_stack(); /* a cursor may be opened here and read from further down */
	/* pg_stat_statements asks for them, of the whole query, and shows them to whose query it is. */
	if (query->totaltime != NULL)
		query->totaltime->need_bufusage = query->totaltime->need_walusage = false;
	nest_level = stop_telling();
	stop_counting_open_relations(query);
	PrepareTempTablespaces(); /* or else the first file would, and the transaction keeps them */
	running++;
	PG_TRY();
	{
		read_public_relations(query);
		run_query(GAUSSDP_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		running--;
		forget_usage_since(&before);
		forget_compilation(query);
		shuffle_temp_tablespaces();
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest_level);
}

static void
end_query(QueryDesc *query)
{
	if (prev_executor_end != NULL)
		prev_executor_end(query);
	else
		standard_ExecutorEnd(query);
}

/*
 * Parallel workers may be waited for here only: what they have read is added then.  Temporary files are
 * counted when they are removed.
 */
static void
policy_executor_end(QueryDesc *query)
{
	int nest_level;
	Usage before = usage_so_far();

	if (!gaussdp_is_stamped(query->plannedstmt))
	{
		end_query(query);
		return;
	}
	nest_level = stop_telling();
	end_query(query);
	AtEOXact_GUC(true, nest_level);
	forget_usage_since(&before);
}

void
gaussdp_lift_init(void)
{
	struct config_enum *messages =
		(struct config_enum *) gaussdp_find_setting("client_min_messages");
	struct config_int *fuzzy = (struct config_int *) gaussdp_find_setting("gin_fuzzy_search_limit");

	prev_assign_messages = messages->assign_hook;
	messages->assign_hook = assign_messages;
	prev_assign_fuzzy = fuzzy->assign_hook;
	fuzzy->assign_hook = assign_fuzzy;
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = policy_executor_start;
	prev_executor_run = ExecutorRun_hook;
	ExecutorRun_hook = policy_executor_run;
	prev_executor_end = ExecutorEnd_hook;
	ExecutorEnd_hook = policy_executor_end;
}
