/*
 * storage.c
 *		Where the rows of a table are.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/storage.h"

/* Citus has a row here for each table that it distributes, and keeps the catalog in PostgreSQL's own schema. */
#define DISTRIBUTED "pg_dist_partition"
#define DISTRIBUTED_COLUMN "logicalrelid"

static Oid
catalog_of_distributed(void)
{
	return get_relname_relid(DISTRIBUTED, PG_CATALOG_NAMESPACE);
}

static bool
is_distributed(Oid relation)
{
	Oid catalog = catalog_of_distributed();
	AttrNumber column = OidIsValid(catalog) ? get_attnum(catalog, DISTRIBUTED_COLUMN) : 0;
	Relation rel;
	ScanKeyData key;
	SysScanDesc scan;
	bool found;

	if (!OidIsValid(catalog))
		return false;
	if (column == InvalidAttrNumber)
		return true; /* some other catalog of that name: nothing is known of it */
	rel = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

static const char *
problem_of_one(Oid relation)
{
	Relation rel;
	const char *problem = NULL;

	if (get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE)
		return "a partition is on a foreign server, which would see the conditions";
	if (is_distributed(relation))
		return "the table is distributed over several servers";
	rel = table_open(relation, AccessShareLock);
	if (rel->rd_rel->relkind == RELKIND_RELATION && rel->rd_rel->relam != HEAP_TABLE_AM_OID)
		problem = "the table has another access method than heap";
	table_close(rel, NoLock);
	return problem;
}

/* Those that a plan would read, at any depth, as the relation cache has them: pg_inherits would be scanned each time. */
static const char *
problem_of_partitions(Oid relation)
{
	Relation rel = table_open(relation, AccessShareLock);
	PartitionDesc partitions = RelationGetPartitionDesc(rel, true);
	const char *problem = NULL;

	check_stack_depth();
	for (int i = 0; i < partitions->nparts && problem == NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		LockRelationOid(partitions->oids[i], AccessShareLock);
		problem = gaussdp_storage_problem(partitions->oids[i]);
	}
	table_close(rel, NoLock);
	return problem;
}

const char *
gaussdp_storage_problem(Oid relation)
{
	const char *problem = problem_of_one(relation);

	if (problem != NULL || get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE)
		return problem;
	return problem_of_partitions(relation);
}

/* Stops, with true, at a private aggregate. */
static bool
finds_call(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_call, context, 0);
	return expression_tree_walker(node, finds_call, context);
}

/* Stops, with true, at an entry of a distributed table. */
static bool
finds_distributed(Node *node, Oid *relation)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		*relation = ((RangeTblEntry *) node)->relid;
		return ((RangeTblEntry *) node)->rtekind == RTE_RELATION && is_distributed(*relation);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_distributed, relation,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, finds_distributed, relation);
}

void
gaussdp_refuse_distributed(Query *query)
{
	Oid relation;

	if (!OidIsValid(catalog_of_distributed()) || !finds_call((Node *) query, NULL) ||
		!finds_distributed((Node *) query, &relation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private aggregates over table %s are not supported", get_rel_name(relation)),
			 errdetail("The table is distributed over several servers."),
			 errhint("Use a table of this server: CREATE TABLE ... AS SELECT.")));
}
