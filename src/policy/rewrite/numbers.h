/*
 * numbers.h
 *		Calls without epsilon and delta: dp_count(*), dp_avg(x).
 */
#ifndef GAUSSDP_POLICY_REWRITE_NUMBERS_H
#define GAUSSDP_POLICY_REWRITE_NUMBERS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Gives each short call of the query the epsilon and the delta that it lacks, as constants: those of the settings
 * gaussdp.epsilon and gaussdp.delta, else those of the grant that pays.  22023 where there are none.
 */
extern void gaussdp_fill_numbers(Query *query);

#endif /* GAUSSDP_POLICY_REWRITE_NUMBERS_H */
