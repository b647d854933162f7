/*
 * distributed.h
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
 *		tables.c	which tables are distributed, and the order of the libraries
 *		split.c		calls become releases of aggregates that Citus can split
 *		share.c		equal calls become columns of one sub-select, so that they are one release
 *		fuse.c		on the server that has a shard: its sum and count of points become aggregates of one state
 *		points.c	these aggregates
 *		bytes.c		parameters as bytes, and back
 *		values.c	what a row adds, and the aggregates of cells
 *		release.c	from exact integers to what is released
 */
#ifndef GAUSSDP_DISTRIBUTED_H
#define GAUSSDP_DISTRIBUTED_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Whether Citus has a row for this table: one that is distributed, a reference table, or one of its local tables. */
extern bool gaussdp_is_distributed(Oid relation);

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

#endif /* GAUSSDP_DISTRIBUTED_H */
