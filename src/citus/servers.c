/*
 * servers.c
 *		A level whose tables Citus distributes: exact sums by its servers, as the table's owner, and the release here.
 *
 * Citus asks servers as the current role, and shards are the table owner's: so the sums are started and run as the owner, all
 * else as the role.  Nothing of the analyst's runs as the owner: public rows are constants by then, and all functions are
 * PostgreSQL's own, or the library's.
 *
 * Before the charge each server that has a part of the tables is asked for it, with a condition that is false: who cannot log in,
 * lacks the library or is down says so before anything is paid.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "citus/citus.h"
#include "citus/servers.h"
#include "citus/split_level.h"
#include "compat.h"
#include "declaration/owner.h"
#include "policy/contained/contained.h"
#include "policy/exec/exec.h"

struct GaussdpServers
{
	GaussdpRoom *room;
	GaussdpSplitLevel split;
	List *probes;        /* of PlannedStmt: of each table; no server reads a row */
	PlannedStmt *groups; /* NULL without */
	PlannedStmt *release;
	Tuplestorestate *rows; /* of exact and groups */
	EphemeralNamedRelation named_rows;
	QueryDesc *running; /* exact */
};

/* Who is current, while the owner is. */
typedef struct Role
{
	Oid id;
	int security_context;
} Role;

static Role
become_owner(const GaussdpRoom *room)
{
	Role role;

	GetUserIdAndSecContext(&role.id, &role.security_context);
	SetUserIdAndSecContext(gaussdp_owner_of(room->level->owner->relation),
						   role.security_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION);
	return role;
}

static void
become(Role role)
{
	SetUserIdAndSecContext(role.id, role.security_context);
}

static void
refuse(const GaussdpRoom *room, GaussdpRule rule, const char *detail, const char *hint)
{
	GaussdpVerifier v = {
		.source = room->source, .relation = room->level->owner->relation, .location = -1};

	gaussdp_refuse(&v, rule, -1, detail, hint);
	gaussdp_raise_refusal(&v);
}

/* What Citus says of a query before it has read a row; other errors leave as they are. */
static ErrorData *
take_error(MemoryContext context)
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'): /* transaction rollback, deadlocks */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'): /* insufficient resources */
		case ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED):
			PG_RE_THROW();
		default:
			FlushErrorState();
			return error;
	}
}

/* ---------------------------------------------------------------------------
 * Planning
 * ---------------------------------------------------------------------------
 */

/* By Citus. */
static PlannedStmt *
plan_by_citus(const GaussdpRoom *room, Query *query)
{
	MemoryContext memory = CurrentMemoryContext;
	PlannedStmt *volatile plan = NULL;
	const char *problem;

	PG_TRY();
	{
		plan = gaussdp_plan_below(copyObject(query), "private level");
	}
	PG_CATCH();
	{
		ErrorData *error = take_error(memory);

		refuse(room, GAUSSDP_RULE_PUBLIC,
			   psprintf("Citus cannot plan the query: %s", error->message),
			   "Write the query in another form.");
	}
	PG_END_TRY();
	problem = gaussdp_servers_problem(plan, query);
	if (problem != NULL)
		refuse(room, GAUSSDP_RULE_PUBLIC, problem, "Write the query in another form.");
	return plan;
}

static bool
finds_outer_join(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype != JOIN_INNER)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_outer_join, context, 0);
	return expression_tree_walker(node, finds_outer_join, context);
}

/* The sums, marked as a part of a level. */
static PlannedStmt *
plan_exact(const GaussdpServers *servers)
{
	GaussdpLevel level = *servers->room->level;
	Query *query = copyObject(servers->split.exact);
	Expr *column = NULL;

	level.extending = NULL; /* split_level.c has made inner joins of these */
	if (!level.is_weighted && finds_outer_join((Node *) query, NULL))
		column = (Expr *) gaussdp_make_owner_var(&level);
	gaussdp_add_gate(query, true, column);
	query = gaussdp_with_contained_sql(query);
	gaussdp_make_printable(query);
	return plan_by_citus(servers->room, query);
}

/* SELECT count(*) FROM the table WHERE level_part(false) */
static Query *
make_probe(const Query *level, const GaussdpOwner *owner)
{
	RangeTblEntry *entry = copyObject(rt_fetch(owner->rti, level->rtable));
	RangeTblRef *ref = makeNode(RangeTblRef);
	Aggref *count = makeNode(Aggref);
	Query *query = makeNode(Query);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = count->aggtransno = -1;
	count->aggstar = true;
	count->location = -1;
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->hasAggs = true;
	query->rtable = list_make1(entry);
	gaussdp_move_permissions(level, query, entry);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	query->targetList = list_make1(makeTargetEntry((Expr *) count, 1, "count", false));
	gaussdp_add_gate(query, false, NULL);
	return query;
}

/* Of each protected table of the level, and of queries in its FROM. */
static List *
plan_probes(const GaussdpRoom *room, const GaussdpLevel *level, Query *query, List *probes)
{
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->inner != NULL)
			probes = plan_probes(room, owner->inner, rt_fetch(owner->rti, query->rtable)->subquery,
								 probes);
		else
			probes = lappend(probes, plan_by_citus(room, make_probe(query, owner)));
	}
	return probes;
}

/* Where the rows of exact and groups go, and are read by the release. */
static void
make_rows(GaussdpServers *servers)
{
	EphemeralNamedRelation rows = palloc0(sizeof(EphemeralNamedRelationData));

	servers->rows = gaussdp_begin_store(servers->room);
	rows->md.name = GAUSSDP_EXACT_ROWS;
	rows->md.tupdesc = ExecCleanTypeFromTL(servers->split.exact->targetList);
	rows->md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->reldata = servers->rows;
	servers->named_rows = rows;
	register_ENR(servers->room->public_rows, rows);
}

/* Views that stand in it are checked as those of who asks, also while the owner is current. */
static bool
check_as_role(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, check_as_role, context);
	gaussdp_check_rest_as((Query *) node, GetUserId());
	return query_tree_walker((Query *) node, check_as_role, context, 0);
}

/* The level over public rows that have been read; its protected entries are checked as their owner. */
static void
make_readable(GaussdpRoom *room)
{
	room->readable = gaussdp_limit_stored(room->level->query);
	gaussdp_check_as_owners(room->level, room->readable);
	(void) check_as_role((Node *) room->readable, NULL);
	gaussdp_narrow_rows(room->level, room->readable);
	gaussdp_read_public_rows(room);
	gaussdp_order_windows(room->level, room->readable);
	gaussdp_narrow_calls(room->level, room->readable);
	gaussdp_expand_sets(room->level, room->readable);
}

static GaussdpServers *
plan_all(GaussdpRoom *room)
{
	GaussdpServers *servers = palloc0(sizeof(GaussdpServers));

	servers->room = room;
	make_readable(room);
	servers->probes = plan_probes(room, room->level, room->readable, NIL);
	servers->split = gaussdp_split_level(room);
	make_rows(servers);
	room->plan = plan_exact(servers);
	if (servers->split.groups != NULL)
		servers->groups = gaussdp_plan_alone(servers->split.groups, "public groups", 0);
	servers->release = gaussdp_plan_alone(servers->split.release, "release", 0);
	return servers;
}

GaussdpServers *
gaussdp_prepare_servers(GaussdpRoom *room)
{
	GaussdpServers *servers = plan_all(room);

	gaussdp_lock_all(room->plan);
	gaussdp_confirm_level(room);
	return servers;
}

static bool
finds_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_parameter, context, 0);
	return expression_tree_walker(node, finds_parameter, context);
}

/* Plans the level as if it was to run; the errors are those of the room. */
static void
try_plans(GaussdpLevel *level, const char *source)
{
	EState *around = CreateExecutorState();
	int nest_level = gaussdp_close_side_channels();
	GaussdpRoom room = {.around = around, .source = source, .level = level};

	around->es_snapshot = GetActiveSnapshot();
	gaussdp_set_for_servers();
	(void) plan_all(&room);
	gaussdp_end_stores(&room);
	gaussdp_reopen_side_channels(nest_level);
	FreeExecutorState(around);
}

ErrorData *
gaussdp_servers_refusal(GaussdpLevel *level, const char *source)
{
	MemoryContext memory = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile refusal = NULL;

	if (!level->is_distributed || finds_parameter((Node *) level->query, NULL))
		return NULL;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		try_plans(level, source);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(memory);
		refusal = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(memory);
	CurrentResourceOwner = owner;
	if (refusal != NULL && refusal->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(refusal);
	return refusal;
}

/* ---------------------------------------------------------------------------
 * Running
 * ---------------------------------------------------------------------------
 */

static QueryDesc *
start(const GaussdpServers *servers, PlannedStmt *plan, DestReceiver *receiver)
{
	QueryDesc *query = CreateQueryDesc(plan, "private level", GetActiveSnapshot(), InvalidSnapshot,
									   receiver, NULL, servers->room->public_rows, 0);

	standard_ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	return query;
}

static void
run(QueryDesc *query)
{
	gaussdp_run_to_end(query);
	standard_ExecutorFinish(query);
	standard_ExecutorEnd(query);
	FreeQueryDesc(query);
}

/* Rows go behind those that are there. */
static DestReceiver *
receive_exact(const GaussdpServers *servers)
{
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);

	SetTuplestoreDestReceiverParams(receiver, servers->rows, CurrentMemoryContext, true, NULL,
									NULL);
	return receiver;
}

static void
check_exact_columns(const GaussdpServers *servers)
{
	TupleDesc expected = servers->named_rows->md.tupdesc;
	TupleDesc columns = servers->running->tupDesc;

	if (columns->natts != expected->natts)
		elog(ERROR, "Citus gives other columns than planned");
	for (int i = 0; i < expected->natts; i++)
		if (TupleDescAttr(columns, i)->atttypid != TupleDescAttr(expected, i)->atttypid)
			elog(ERROR, "Citus gives a column of another type than planned");
}

void
gaussdp_ask_servers(GaussdpServers *servers)
{
	GaussdpRoom *room = servers->room;
	MemoryContext memory = CurrentMemoryContext;
	Role role = become_owner(room);
	ListCell *lc;

	PG_TRY();
	{
		foreach (lc, servers->probes)
			run(start(servers, lfirst(lc), None_Receiver));
		servers->running = start(servers, room->plan, receive_exact(servers));
	}
	PG_CATCH();
	{
		ErrorData *error = take_error(memory);

		become(role);
		refuse(
			room, GAUSSDP_RULE_BUDGET,
			psprintf("Citus cannot ask its servers as the owner of the table: %s", error->message),
			"The owner must be able to log in on every server of the cluster, which all must be up, with the same version of gaussdp.");
	}
	PG_END_TRY();
	become(role);
	check_exact_columns(servers);
}

void
gaussdp_read_servers(void *what)
{
	GaussdpServers *servers = what;
	Role role = become_owner(servers->room);
	QueryDesc *release;

	run(servers->running);
	become(role);
	if (servers->groups != NULL)
		run(start(servers, servers->groups, receive_exact(servers)));
	servers->named_rows->md.enrtuples = (double) tuplestore_tuple_count(servers->rows);
	release = start(servers, servers->release, gaussdp_receive_released(servers->room));
	gaussdp_prepare_released(servers->room, release->dest, release->tupDesc);
	run(release);
}
