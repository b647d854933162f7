/*
 * people_order.c
 *		The order in which people come (people_order.h).
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/people/people_order.h"

void
gaussdp_start_order(GaussdpPeopleOrder *order, const GaussdpKept *unit, TupleDesc columns,
					MemoryContext parent)
{
	Form_pg_attribute attribute = TupleDescAttr(columns, unit->column - 1);

	order->unit = unit;
	order->memory = AllocSetContextCreate(parent, "person before", ALLOCSET_SMALL_SIZES);
	order->sort.ssup_cxt = CurrentMemoryContext;
	order->sort.ssup_collation = attribute->attcollation;
	PrepareSortSupportFromOrderingOp(
		lookup_type_cache(attribute->atttypid, TYPECACHE_LT_OPR)->lt_opr, &order->sort);
}

void
gaussdp_take_next_person(GaussdpPeopleOrder *order, Datum value, bool isnull)
{
	MemoryContext old;

	if (order->has_begun &&
		ApplySortComparator(order->value, order->isnull, value, isnull, &order->sort) >= 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("the rows of people do not come in the order of their unit")));
	MemoryContextReset(order->memory);
	old = MemoryContextSwitchTo(order->memory);
	order->value = isnull ? 0 : datumCopy(value, order->unit->by_value, order->unit->length);
	order->isnull = isnull;
	order->has_begun = true;
	MemoryContextSwitchTo(old);
}
