/*
 * plain.h
 *		Plain SQL: PostgreSQL's own aggregates over tables that the role may not read become private ones.
 */
#ifndef GAUSSDP_POLICY_REWRITE_PLAIN_H
#define GAUSSDP_POLICY_REWRITE_PLAIN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Where gaussdp.answer_plain_sql is on: puts short private calls into the place of the query's own aggregates over
 * protected rows that need a proof, in place, and nothing else.  What comes out is proven like any other query.
 */
extern void gaussdp_answer_plain(Query *query);

#endif /* GAUSSDP_POLICY_REWRITE_PLAIN_H */
