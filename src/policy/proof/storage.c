/*
 * storage.c
 *		Where the rows of a table are.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/citus.h"
#include "compat.h"
#include "policy/proof/storage.h"

static const char *
problem_of_one(Oid relation, bool is_public)
{
	Relation rel;
	const char *problem = NULL;
	AttrNumber column;
	int32 group;
	GaussdpDistribution distribution = gaussdp_distribution_of(relation, &column, &group);

	if (get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE)
		return "a partition is on a foreign server, which would see the conditions";
	if (distribution == GAUSSDP_OTHERWISE)
		return "Citus distributes the table, and neither by hash nor as a reference table";
	if (distribution == GAUSSDP_BY_HASH && is_public)
		return "Citus distributes the table over several servers";
	rel = table_open(relation, AccessShareLock);
	if (rel->rd_rel->relkind == RELKIND_RELATION && rel->rd_rel->relam != HEAP_TABLE_AM_OID)
		problem = "the table has another access method than heap";
	table_close(rel, NoLock);
	return problem;
}

/* Those that a plan would read, at any depth, as the relation cache has them: pg_inherits would be scanned each time. */
static const char *
problem_of_partitions(Oid relation, bool is_public)
{
	Relation rel = table_open(relation, AccessShareLock);
	PartitionDesc partitions = RelationGetPartitionDesc(rel, true);
	const char *problem = NULL;

	check_stack_depth();
	for (int i = 0; i < partitions->nparts && problem == NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		LockRelationOid(partitions->oids[i], AccessShareLock);
		problem = gaussdp_storage_problem(partitions->oids[i], is_public);
	}
	table_close(rel, NoLock);
	return problem;
}

const char *
gaussdp_storage_problem(Oid relation, bool is_public)
{
	const char *problem = problem_of_one(relation, is_public);

	if (problem != NULL || get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE)
		return problem;
	return problem_of_partitions(relation, is_public);
}
