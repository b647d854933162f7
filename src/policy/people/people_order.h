/*
 * people_order.h
 *		The order in which people come, where the plan below the weighing node says that they come in one.
 *
 * A person who came twice would be weighed twice, by a part of their rows each time.  So the order is checked: each new person must
 * sort after the one before, or the query ends with an error (an index over texts whose collation has changed since).
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_ORDER_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_ORDER_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "policy/people/people_rows.h"

typedef struct GaussdpPeopleOrder
{
	SortSupportData sort;
	const GaussdpKept *unit;
	bool has_begun;
	uint64 print; /* of the row before */
	/* the person before, but for those with the same print */
	bool isnull;
	Datum value;
	MemoryContext memory;
} GaussdpPeopleOrder;

extern void gaussdp_start_order(GaussdpPeopleOrder *order, const GaussdpKept *unit,
								TupleDesc columns, MemoryContext parent);

extern pg_noinline void gaussdp_take_next_person(GaussdpPeopleOrder *order, Datum value,
												 bool isnull);

/* Has the row another person than the one before?  False may be wrong, true is not. */
static inline bool
gaussdp_is_next_person(GaussdpPeopleOrder *order, const TupleTableSlot *slot, const char *stored,
					   uint64 print)
{
	bool isnull;

	if (likely(order->has_begun && order->print == print))
		return false;
	order->print = print;
	isnull = gaussdp_coming_is_null(order->unit, slot, stored);
	gaussdp_take_next_person(order, isnull ? 0 : gaussdp_coming_value(order->unit, slot, stored),
							 isnull);
	return true;
}

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_ORDER_H */
