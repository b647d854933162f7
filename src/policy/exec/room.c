/*
 * room.c
 *		The clean room: one run of a level.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "citus/citus.h"
#include "compat.h"
#include "core/core.h"
#include "declaration/owner.h"
#include "policy/exec/caches.h"
#include "policy/exec/conditions.h"
#include "policy/exec/estimates.h"
#include "policy/exec/find_rows.h"
#include "policy/exec/kept_level.h"
#include "policy/exec/last_answer.h"
#include "policy/exec/named_objects.h"
#include "policy/exec/price.h"
#include "policy/exec/processes.h"
#include "policy/exec/progress.h"
#include "policy/exec/reading.h"
#include "policy/exec/resources.h"
#include "policy/exec/room.h"
#include "policy/exec/sets.h"
#include "policy/exec/side_channels.h"
#include "policy/exec/temp_files.h"
#include "policy/exec/temp_space.h"
#include "policy/exec/weights.h"
#include "policy/exec/window_order.h"
#include "policy/proof/proof.h"
#include "policy/rewrite/rewrite.h"
#include "settings.h"

static bool
verify_budget(GaussdpVerifier *v, const GaussdpLevel *level)
{
	if (level->is_free)
		return true;
	v->relation = level->owner->relation;
	return !gaussdp_refuse_without_budget(v);
}

/*
 * The verdict on a query, for the current role and by the catalog as of now.  What is proven, and what runs, is a copy that nobody
 * else has.
 */
static GaussdpLevel *
verdict(const GaussdpRoom *room, const Query *level, bool (*prove)(GaussdpVerifier *, Query *))
{
	GaussdpVerifier v = {.source = room->source, .location = -1};
	Query *query = copyObject(unconstify(Query *, level));

	gaussdp_find_protected_entries(&v, query);
	if (!gaussdp_verify_conditions(&v) || !gaussdp_verify_columns(&v, query) || !prove(&v, query) ||
		!verify_budget(&v, llast(v.levels)))
		gaussdp_raise_refusal(&v);
	return llast(v.levels);
}

static bool
prove_alone(GaussdpVerifier *v, Query *query)
{
	return gaussdp_verify_level(v, query);
}

/* Are the protected entries of two verdicts the same people's, also inside of sub-queries? */
static bool
owners_agree(const GaussdpLevel *a, const GaussdpLevel *b)
{
	ListCell *lc_a;
	ListCell *lc_b;

	if (list_length(a->owners) != list_length(b->owners))
		return false;
	forboth(lc_a, a->owners, lc_b, b->owners)
	{
		const GaussdpOwner *x = lfirst(lc_a);
		const GaussdpOwner *y = lfirst(lc_b);

		if (x->rti != y->rti || x->column != y->column || x->relation != y->relation ||
			x->is_many != y->is_many || (x->inner == NULL) != (y->inner == NULL) ||
			(x->inner != NULL && !owners_agree(x->inner, y->inner)))
			return false;
	}
	return true;
}

/* Do two verdicts agree?  What a person counts as rests on the catalog beside the query. */
static bool
verdicts_agree(const GaussdpLevel *a, const GaussdpLevel *b)
{
	return a->is_distributed == b->is_distributed && a->is_free == b->is_free &&
		   a->is_weighted == b->is_weighted && a->finds_groups == b->finds_groups &&
		   a->max_rows == b->max_rows && a->finds_rows == b->finds_rows &&
		   a->finds_people == b->finds_people && a->cut_share == b->cut_share &&
		   a->max_groups == b->max_groups && owners_agree(a, b) && equal(a->query, b->query);
}

void
gaussdp_confirm_level(GaussdpRoom *room)
{
	GaussdpLevel *again;

	AcceptInvalidationMessages();
	again = verdict(room, room->level->query, prove_alone);
	if (!verdicts_agree(again, room->level))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("what the query over protected tables rests on has changed meanwhile"),
				 errdetail_internal("%s", gaussdp_nothing_charged()), errhint("Run it again.")));
	room->level = again;
	room->level->found = room->found;
}

static void
prove_plan(const GaussdpRoom *room)
{
	GaussdpVerifier v = {.source = room->source, .relation = room->level->owner->relation};
	const char *problem = gaussdp_plan_problem(room->plan, room->readable, &room->program,
											   room->level->query, room->weighing != NULL);

	if (problem == NULL)
		return;
	gaussdp_refuse(&v, GAUSSDP_RULE_FUNCTIONS, -1, problem, "Write the query in another form.");
	gaussdp_raise_refusal(&v);
}

void
gaussdp_check_as_owners(const GaussdpLevel *level, Query *query)
{
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);
		RangeTblEntry *entry = rt_fetch(owner->rti, query->rtable);

		if (owner->inner != NULL)
			gaussdp_check_as_owners(owner->inner, entry->subquery);
		else
			gaussdp_check_entry_as(query, entry, gaussdp_owner_of(entry->relid));
	}
}

/* The level over the public rows that have been read; its protected entries are checked as their owner. */
static void
make_readable(GaussdpRoom *room)
{
	room->readable = copyObject(unconstify(Query *, room->level->query));
	gaussdp_check_as_owners(room->level, room->readable);
	gaussdp_drop_rows_of_nobody(room->level, room->readable);
	gaussdp_narrow_rows(room->level, room->readable);
	gaussdp_read_public_rows(room);
	gaussdp_order_windows(room->level, room->readable);
	gaussdp_take_program(room, room->readable);
	gaussdp_narrow_calls(room->level, room->readable);
	gaussdp_expand_sets(room->level, room->readable);
	gaussdp_plan_program(room, room->readable);
	if (room->level->is_weighted)
		gaussdp_weigh_rows(room->level, room->readable, room->program.columns, &room->weighing);
}

/* Window functions show no norms. */
static void
verify_finding(const GaussdpRoom *room)
{
	GaussdpVerifier v = {.source = room->source, .relation = room->level->owner->relation};
	bool finds = room->level->finds_rows || room->level->finds_people;

	if (room->weighing != NULL)
		return;
	gaussdp_refuse(&v, GAUSSDP_RULE_UNIT, -1,
				   psprintf("%s only where the types of the unit and of the keys are "
							"PostgreSQL's own, with collations that are deterministic",
							finds ? "max_rows is found" : "what max_rows cuts off is known"),
				   finds
					   ? "Ask the owner of the table to declare max_rows, or give it in each call."
					   : "SET gaussdp.cut_share = 0.");
	gaussdp_raise_refusal(&v);
}

/* PostgreSQL's own checks come with the start; nothing is read yet. */
static QueryDesc *
start(GaussdpRoom *room, bool finds)
{
	QueryDesc *query =
		CreateQueryDesc(room->plan, room->source, GetActiveSnapshot(), InvalidSnapshot,
						finds ? gaussdp_receive_groups(room) : gaussdp_receive_exact(room), NULL,
						room->public_rows, 0);

	standard_ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	(void) gaussdp_hide_frequent_values(query->planstate, NULL);
	if (finds)
		gaussdp_prepare_finding(room, query);
	else
		gaussdp_prepare_release(room, query);
	return query;
}

/* gaussdp_charge(), or what only asks whether it could be paid. */
typedef void (*Payment)(Oid role, const GaussdpRelease *releases, int nreleases,
						const GaussdpRelease *later, int nlater, GaussdpStatement *statement,
						uint64 query_id, const char *query_text);

/* Of a level that is read for what it finds the histograms, which are the last; its calls come later. */
static void
pay_finding(const GaussdpRoom *room, const GaussdpRelease *releases, int n, Payment pay)
{
	int nlater = n - 1 + room->nlater;
	GaussdpRelease *later = palloc(sizeof(GaussdpRelease) * Max(nlater, 1));

	memcpy(later, releases, sizeof(GaussdpRelease) * (n - 1));
	memcpy(later + n - 1, room->later, sizeof(GaussdpRelease) * room->nlater);
	pay(GetUserId(), &releases[n - 1], 1, later, nlater, room->statement, room->query_id,
		room->source);
}

static GaussdpRelease *
price_releases(List *releases, int *n)
{
	GaussdpRelease *priced = gaussdp_priced_releases(releases, n);

	if (*n != list_length(releases))
		elog(ERROR, "a parameter of a private aggregate has no value");
	return priced;
}

static void
pay_level(const GaussdpRoom *room, Payment pay)
{
	int n;
	GaussdpRelease *priced = price_releases(gaussdp_level_releases(list_make1(room->level)), &n);

	if (room->level->is_free)
		return;
	if (gaussdp_has_to_find(room->level))
		pay_finding(room, priced, n, pay);
	else
		pay(GetUserId(), priced, n, room->later, room->nlater, room->statement, room->query_id,
			room->source);
}

/* Step 7, for a new answer. */
static void
charge_level(const GaussdpRoom *room)
{
	pay_level(room, gaussdp_charge);
}

void
gaussdp_check_payable(const GaussdpRoom *room)
{
	pay_level(room, gaussdp_check_charge);
}

void
gaussdp_charge_level_again(const GaussdpRoom *room, const GaussdpReused *kept)
{
	int n;
	GaussdpRelease *priced = price_releases(gaussdp_all_releases(room->level), &n);

	gaussdp_charge_again(GetUserId(), priced, n, room->later, room->nlater, room->statement,
						 room->query_id, room->source, kept);
}

static void
end(QueryDesc *query)
{
	standard_ExecutorFinish(query);
	standard_ExecutorEnd(query);
	FreeQueryDesc(query);
}

/* All that a run computes: of rows, and of what is released. */
static List *
computed_by(const GaussdpRoom *room)
{
	const Query *query = room->level->query;

	return list_make3(room->readable, query->targetList, query->havingQual);
}

/* A run starts a query of its own: what is NULL, or that query. */
static bool
start_here(GaussdpRoom *room, void *what, bool first, GaussdpCaches *caches)
{
	QueryDesc *query = start(room, gaussdp_has_to_find(room->level));

	*(QueryDesc **) what = query;
	if (first && gaussdp_show_kept(room))
	{
		end(query);
		return false;
	}
	if (first)
		gaussdp_check_resources(room);
	gaussdp_prepare_caches(caches, computed_by(room), query);
	if (first)
		charge_level(room);
	gaussdp_watch_progress(query->planstate, room->level->owner->relation);
	return true;
}

static void
read_here(GaussdpRoom *room, void *what)
{
	QueryDesc *query = *(QueryDesc **) what;

	gaussdp_start_together(query, &room->is_starting);
	gaussdp_begin_numbers(room->needs.files);
	gaussdp_run_to_end(query);
	gaussdp_read_left(query->planstate);
	gaussdp_pause_progress();
	end(query);
	if (gaussdp_has_to_find(room->level))
		gaussdp_settle_numbers();
	else
		gaussdp_release_rows(room);
	gaussdp_unwatch_progress();
}

static const GaussdpReader reader_here = {start_here, read_here, true};

/* A level whose protected tables are this server's own. */
static void
run_here(GaussdpRoom *room, const GaussdpUsage *before)
{
	QueryDesc *query;
	bool finds = gaussdp_has_to_find(room->level);

	make_readable(room);
	if (finds)
		verify_finding(room);
	room->plan =
		gaussdp_plan_level(room->readable, room->unique, room->weighing, room->source, !finds);
	gaussdp_hand_up_states(room->plan);
	gaussdp_lock_all(room->plan);
	gaussdp_lock_named_objects((Node *) computed_by(room));
	gaussdp_confirm_level(room);
	prove_plan(room);
	gaussdp_limit_memory(room->plan);
	gaussdp_mark_plan(room->plan);
	gaussdp_check_extent(room);
	gaussdp_choose_temp_tablespaces();

	gaussdp_reserve_stack();
	gaussdp_keep_side_channels_closed(); /* once more, whatever user code has set in the meantime */
	gaussdp_take_key(room); /* rows may be newer than the version in it, and never older */
	PushActiveSnapshot(GetLatestSnapshot());
	gaussdp_read_protected(room, &reader_here, &query, before);
	gaussdp_keep_level(room);
	PopActiveSnapshot();
}

static bool
start_servers(GaussdpRoom *room, void *what, bool first, GaussdpCaches *caches)
{
	gaussdp_ask_servers(what);
	gaussdp_check_temp_space(room);
	charge_level(room);
	return true;
}

static void
read_servers(GaussdpRoom *room, void *what)
{
	gaussdp_begin_numbers(8); /* of their rows, and of two nodes that read these and a sort */
	gaussdp_read_servers(what);
	gaussdp_settle_numbers();
}

/* In no sub-transaction, which Citus would begin on its servers, too. */
static const GaussdpReader reader_of_servers = {start_servers, read_servers, false};

/* One whose tables Citus distributes.  What it leaves in caches is not watched: all of them are forgotten. */
static void
run_distributed(GaussdpRoom *room, const GaussdpUsage *before)
{
	struct GaussdpServers *servers;

	gaussdp_set_for_servers();
	servers = gaussdp_prepare_servers(room);
	gaussdp_reserve_stack();
	gaussdp_choose_temp_tablespaces();
	gaussdp_keep_side_channels_closed();
	gaussdp_set_for_servers();
	gaussdp_set_for_shards();
	PushActiveSnapshot(GetLatestSnapshot());
	gaussdp_read_protected(room, &reader_of_servers, servers, before);
	PopActiveSnapshot();
}

static double
people_shown(const GaussdpRoom *room)
{
	int n;
	double people = 0;
	const GaussdpRelease *priced =
		gaussdp_priced_releases(gaussdp_level_releases(list_make1(room->level)), &n);

	for (int i = 0; i < n; i++)
		people = Max(people, gaussdp_least_people(&priced[i], room->level));
	return people;
}

/*
 * That no group is shown says as much as the empty answer.  Who asks as people type it has not written the threshold, and would take the
 * table for empty.
 */
static void
tell_of_hidden(const GaussdpRoom *room)
{
	double people;

	if (!gaussdp_answer_plain_sql || !room->level->finds_groups ||
		gaussdp_has_released(room->released))
		return;
	people = people_shown(room);
	if (people > 0)
		ereport(NOTICE, (errmsg("no group is shown"),
						 errdetail("Groups of fewer than about %.0f people are hidden.", people),
						 errhint("Group by less, or ask with a larger epsilon.")));
}

/* One reading of the level; true where it has found what the next one needs. */
static bool
run_once(GaussdpRoom *room)
{
	int nest_level;
	GaussdpUsage before = gaussdp_usage_so_far();
	bool finds = false;

	nest_level = gaussdp_close_side_channels();
	room->level = verdict(room, room->filled, gaussdp_complete_level);
	room->level->found = room->found;
	PG_TRY();
	{
		if (room->level->is_distributed)
			run_distributed(room, &before);
		else
			run_here(room, &before);
		/* Not where it was shown what an equal level has found. */
		finds = gaussdp_has_to_find(room->level);
		if (finds)
			room->found = gaussdp_release_found(room);
		if (room->shown_since != 0)
			gaussdp_keep_last_answer(room, true);
		gaussdp_keep_last_answer(room, finds);
		gaussdp_end_stores(room);
		gaussdp_leave_temp_tablespaces();
		if (!finds)
			gaussdp_move_released(room);
	}
	PG_CATCH();
	{
		/* The transaction may go on, with files of its own. */
		gaussdp_leave_temp_tablespaces();
		PG_RE_THROW();
	}
	PG_END_TRY();
	gaussdp_reopen_side_channels(nest_level);
	gaussdp_leave_temp_tablespaces();
	gaussdp_release_temp_space();
	gaussdp_forget_usage_since(&before);
	return finds;
}

void
gaussdp_run_level(GaussdpRoom *room)
{
	GaussdpRoom empty = *room;

	if (run_once(room))
	{
		empty.found = room->found;
		empty.has_key = room->has_key;
		empty.key = room->key;
		empty.drawn = room->drawn;
		if (room->has_key)
			empty.payers = gaussdp_payers();
		*room = empty;
		(void) run_once(room);
	}
	/* What a function of another role asks is that role's to know. */
	if (GetUserId() != GetOuterUserId())
		return;
	gaussdp_tell_of_spent();
	tell_of_hidden(room);
	gaussdp_tell_of_kept(room);
}
