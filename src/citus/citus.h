/*
 * citus.h
 *		Private aggregates over tables that Citus distributes over several servers.
 *
 * Read by the hooks and by the policy.  No other part of the library knows of Citus, and nothing here is linked to it:
 * what it distributes is read from its catalog.
 *
 * A state of an aggregate does not travel between its servers, but integers do.  So, before Citus plans a query,
 *
 *		dp_sum(x, epsilon, delta, lower, upper)
 *
 * becomes, P being the parameters as bytes,
 *
 *		gaussdp_internal.release_sum(sum(gaussdp_internal.grid_point(x, P)), P)
 *
 * Citus splits the sum between the servers as any other, and the noise is drawn where the whole sum is.
 *
 *		tables.c	which tables are distributed, how, and the order of the libraries
 *		split.c		calls become releases of aggregates that Citus can split
 *		share.c		equal calls become columns of one sub-select, so that they are one release
 *		fuse.c		on the server that has a shard: its sum and count of points become aggregates of one state
 *		points.c	these aggregates
 *		bytes.c		parameters as bytes, and back
 *		values.c	what a row adds, and the aggregate of automatic bounds
 *		release.c	from exact integers to what is released
 *		weighted.c	the same three steps of calls over people who own many rows
 *		cell_sums.c	the aggregates of what rows add to cells and leaves
 *		gate.c		how a server knows that it is sent a part of a level
 *		session.c	settings under which it is sent
 *		printable.c	a level that has been rewritten, as one that can be sent
 *		level_proof.c	what Citus may be asked for of a level over protected tables
 *		split_level.c	such a level becomes sums and their release
 *		servers.c		it runs: sums by the servers, as the tables' owner, the release here
 *		servers_proof.c	its plan is proven
 *
 * Other folders include this header, and no other one of this folder.
 *
 * Of a level over protected tables the policy makes the same (citus/split_level.h), but keeps sums and release apart, so that
 * the noise is drawn by the room.
 */
#ifndef GAUSSDP_CITUS_CITUS_H
#define GAUSSDP_CITUS_CITUS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Whether Citus has a row for this table: one that is distributed, a reference table, or one of its local tables. */
extern bool gaussdp_is_distributed(Oid relation);

/* Does the query read such a table anywhere? */
extern bool gaussdp_reads_distributed(Query *query);

/* How Citus keeps the rows of a table. */
typedef enum GaussdpDistribution
{
	GAUSSDP_NOT_DISTRIBUTED, /* it does not: they are in the table */
	GAUSSDP_BY_HASH,         /* in shards, by the hash of a column */
	GAUSSDP_REFERENCE,       /* on every server that it knows */
	GAUSSDP_CITUS_LOCAL,     /* on the coordinator alone */
	GAUSSDP_OTHERWISE        /* some other way */
} GaussdpDistribution;

/*
 * How, by the catalog as of now; *column is the one whose hash counts, *group the number that tables have in common whose
 * equal values are on the same server; 0 where there is none.
 */
extern GaussdpDistribution gaussdp_distribution_of(Oid relation, AttrNumber *column, int32 *group);

/*
 * What Citus adds up of a call, and what becomes of the sums: a function of gaussdp_internal over aggregates, in this order,
 * and the parameters.
 */
typedef struct GaussdpSplitCall
{
	List *parts;         /* of Expr: Aggrefs over rows */
	Expr *params;        /* a constant */
	const char *release; /* name of the function */
} GaussdpSplitCall;

/*
 * Takes a dp_ call over the distributed table apart, or a weighted one, which has its name; its parameters are constants.  0A000 for
 * calls that cannot be split.
 */
extern GaussdpSplitCall gaussdp_split_call(Aggref *call, Oid relation, bool is_weighted);

/* The release over these sums, one for each part. */
extern Expr *gaussdp_release_call(const GaussdpSplitCall *call, List *sums);

/*
 * gate.c: puts the condition into the query that says that it is a part of a level, which may read rows, or none.  Where it has outer
 * joins, a column of it is needed; else NULL.
 */
extern void gaussdp_add_gate(Query *level, bool reads, Expr *column);

/* gate.c: does it have one?  Then statistics of rows are not to be used. */
extern bool gaussdp_has_gate(const Query *query);

/*
 * gate.c: before such a query is planned: rows are not counted until the transaction ends.  42501 where it names a function
 * or a type here that a level has not been proven for.
 */
extern void gaussdp_begin_part(Query *query);

/* gate.c: may values of this type, compared by this collation, be sent to another server? */
extern bool gaussdp_is_sent(Oid type, Oid collation);

/* printable.c: completes what is needed to print the query, none of whose columns are a join's; in place. */
extern void gaussdp_make_printable(Query *query);

/* session.c: the name of a setting of Citus that the session, or the role, has changed; NULL without. */
extern const char *gaussdp_changed_setting(void);

/* session.c: the setting by which a session sends text of its own to the connections of others is a superuser's; called once, by _PG_init. */
extern void gaussdp_close_propagation(void);

/* session.c: sets, in a nest level of the caller's, what holds while parts of a level are planned and sent, and what while they run. */
extern void gaussdp_set_for_servers(void);
extern void gaussdp_set_for_shards(void);

/* weighted.c: why this dp_ call, and its weighted form, cannot be split, the rest of a sentence; or NULL. */
extern const char *gaussdp_split_problem(const Aggref *aggref);

/*
 * The query with its private aggregates made ready for Citus, where it reads such a table; else, which is found out by a
 * look-up in a cache where there is no Citus, the query itself.  The query that is given may be written on.  *unbound: the
 * plan lacks parameters of the query, and must not be executed (gaussdp_avoid_plan).
 *
 * 0A000 for calls that cannot be split, and for a level of the policy beside such a table.
 */
extern Query *gaussdp_split_calls(Query *query, ParamListInfo params, bool *unbound);

/*
 * Sums and counts of points in a query of shards become aggregates that share a state, in place; nothing where there is no
 * Citus.
 */
extern void gaussdp_fuse_points(Query *query);

/* Lets PostgreSQL choose a plan with the values of the parameters in place of this one. */
extern void gaussdp_avoid_plan(PlannedStmt *plan);

/* As the library is loaded: 55000 where Citus is loaded with the server, and this library not, or before it. */
extern void gaussdp_check_load_order(void);

/* ---------------------------------------------------------------------------
 * Levels over protected tables that Citus distributes
 * ---------------------------------------------------------------------------
 */

struct GaussdpLevel;
struct GaussdpRoom;
struct GaussdpVerifier;

typedef struct GaussdpServers GaussdpServers;

/* Steps 2 to 6. */
extern GaussdpServers *gaussdp_prepare_servers(struct GaussdpRoom *room);

/* Lets each server that will be asked start its part, as the owner; and starts what shall run. */
extern void gaussdp_ask_servers(GaussdpServers *servers);

/* Step 8; takes a GaussdpServers. */
extern void gaussdp_read_servers(void *servers);

/*
 * What the room would say of planning a level that has been verified, for explain.c; NULL where nothing is refused, or a parameter is not known
 * yet, or Citus does not distribute it.
 */
extern ErrorData *gaussdp_servers_refusal(struct GaussdpLevel *level, const char *source);

/* level_proof.c: can Citus compute the level?  Sets is_distributed; comes last. */
extern bool gaussdp_verify_distributed(struct GaussdpVerifier *v, struct GaussdpLevel *level);

#endif /* GAUSSDP_CITUS_CITUS_H */
