/*
 * extent.c
 *		How much a level may read: by the size of its tables, which is public, and before it is charged.
 *
 * temp_file_limit would fail at a size that depends on rows.  So what a level may write to temporary files is limited by what it
 * reads: the pages of its protected tables, each time that it names one, times as many rows of public relations as may
 * stand beside a protected row, as many elements of an array as PostgreSQL's planner takes one to have, and as grouping sets count it.
 *
 * Invariants
 *		A size counts as the next power of two: the verdict and its words tell the order of magnitude alone, and
 *		hardly ever depend on one person.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "policy/exec/room.h"

/* What the planner takes an array to have whose length it does not know; no statistics of rows are asked. */
#define ELEMENTS_OF_ARRAY 10.0

static double
rounded(Relation rel)
{
	return (double) pg_nextpower2_64(Max(RelationGetNumberOfBlocks(rel), 1));
}

/* Those in which long values lie. */
static double
pages_of_toast(Relation rel)
{
	double pages = 0;

	if (OidIsValid(rel->rd_rel->reltoastrelid))
	{
		Relation toast = relation_open(rel->rd_rel->reltoastrelid, NoLock);

		pages = rounded(toast);
		relation_close(toast, NoLock);
	}
	return pages;
}

/* Of all tables and partitions that the plan reads, but for the public ones, which have been copied; each row as often as it counts. */
static double
pages_of(const GaussdpRoom *room, bool with_toast)
{
	double pages = 0;
	ListCell *lc;

	foreach (lc, room->plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Relation rel;

		/* One that has children stands for them; as one of them it has another entry. */
		if (entry->rtekind != RTE_RELATION || entry->inh || !RELKIND_HAS_STORAGE(entry->relkind))
			continue;
		rel = relation_open(entry->relid, NoLock); /* locks.c has locked it */
		pages += rounded(rel) + (with_toast ? pages_of_toast(rel) : 0);
		relation_close(rel, NoLock);
	}
	return pages * (double) (room->matches * room->level->nsets) *
		   pow(ELEMENTS_OF_ARRAY, gaussdp_arrays_of(room->level));
}

double
gaussdp_pages_read(const GaussdpRoom *room)
{
	return pages_of(room, false);
}

double
gaussdp_pages_stored(const GaussdpRoom *room)
{
	return pages_of(room, true);
}

void
gaussdp_check_extent(const GaussdpRoom *room)
{
	const GaussdpLevel *level = room->level;
	GaussdpVerifier v = {
		.source = room->source, .relation = level->owner->relation, .location = -1};
	int64 most = level->is_free ? PG_INT64_MAX : gaussdp_page_limit(GetUserId(), v.relation);
	double pages;

	if (most == PG_INT64_MAX)
		return;
	pages = gaussdp_pages_read(room);
	if (pages <= (double) most)
		return;
	gaussdp_refuse(
		&v, GAUSSDP_RULE_BUDGET, -1,
		psprintf(
			"its protected tables count as %.0f pages, and max_relation_pages is " INT64_FORMAT,
			pages, most),
		"Join fewer tables, or fewer rows of public ones, or ask the owner of the table for a larger max_relation_pages.");
	gaussdp_raise_refusal(&v);
}
