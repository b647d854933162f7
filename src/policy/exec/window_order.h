/*
 * window_order.h
 *		An order for rows that a window leaves as equals.
 */
#ifndef GAUSSDP_POLICY_EXEC_WINDOW_ORDER_H
#define GAUSSDP_POLICY_EXEC_WINDOW_ORDER_H

#include "postgres.h"

#include "policy/proof/proof.h"

/*
 * Rewrites the queries of people's rows in the FROM of a verified level's query, in place, where it could show in which order
 * their windows have equals.  Before sets and weights; what has to be done with the entries of the level's owners is done.
 */
extern void gaussdp_order_windows(const GaussdpLevel *level, Query *query);

#endif /* GAUSSDP_POLICY_EXEC_WINDOW_ORDER_H */
