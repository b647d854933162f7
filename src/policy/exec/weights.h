/*
 * weights.h
 *		Weighs each row of a level by the other rows of its person.
 */
#ifndef GAUSSDP_POLICY_EXEC_WEIGHTS_H
#define GAUSSDP_POLICY_EXEC_WEIGHTS_H

#include "postgres.h"

#include "policy/people/people.h"
#include "policy/proof/proof.h"

/* Groups of rows that an outer join made up would appear by noise alone: where groups are found, such rows go. */
extern void gaussdp_drop_rows_of_nobody(const GaussdpLevel *level, Query *query);

/*
 * Rewrites the query of a verified level, in place, whose entries may have been replaced meanwhile: its calls become
 * weighted ones over the weighed rows.  All parameters are constants, and level->max_rows is known.  Where a plan node can
 * weigh them, *by_node says by what, and the level must be planned with it; by_node is NULL where window functions shall.
 * written are the level's own calls at the places of the query's columns, by which it knows what has been found for them; NIL where
 * nothing has.
 */
extern void gaussdp_weigh_rows(const GaussdpLevel *level, Query *query, const List *written,
							   GaussdpWeighing **by_node);

#endif /* GAUSSDP_POLICY_EXEC_WEIGHTS_H */
