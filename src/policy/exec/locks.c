/*
 * locks.c
 *		Locks all that reading a level may need.
 *
 * PostgreSQL locks a TOAST table when the first value of it is fetched.  When the lock table is full by then, or
 * somebody else holds the lock, an error or a wait tells that there was such a value.
 */
#include "postgres.h"

#include "access/relation.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "policy/exec/room.h"

static void
lock_relation(Oid relation)
{
	Relation rel = relation_open(relation, AccessShareLock);
	Oid toast = rel->rd_rel->reltoastrelid;
	ListCell *lc;

	foreach (lc, RelationGetIndexList(rel))
		LockRelationOid(lfirst_oid(lc), AccessShareLock);
	relation_close(rel, NoLock);
	if (OidIsValid(toast))
		lock_relation(toast);
}

void
gaussdp_lock_all(const PlannedStmt *plan)
{
	ListCell *lc;

	/* Partitions are among the entries of a plan. */
	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION && entry->relkind != RELKIND_VIEW)
			lock_relation(entry->relid);
	}
}
