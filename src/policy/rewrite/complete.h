/*
 * complete.h
 *		Gives a level that has been cut out what its proof asks for.
 */
#ifndef GAUSSDP_POLICY_REWRITE_COMPLETE_H
#define GAUSSDP_POLICY_REWRITE_COMPLETE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "policy/proof/query.h"

/*
 * Rewrites the level's query, whose protected entries are marked, in place, until it is proven: then it is appended to
 * v->levels.  False where v holds a refusal.
 */
extern bool gaussdp_complete_level(GaussdpVerifier *v, Query *query);

/* Writes columns that USING merges out as what they stand for. */
extern void gaussdp_write_out_joins(Query *query);

/* keytable.c: is there, for each group key, a table that is declared to hold the public ones? */
extern bool gaussdp_has_key_tables(const GaussdpLevel *level);

/*
 * keytable.c: joins the query to these tables, where it is then known which rows are made up (level->extending).  Sets v->key_tables;
 * false where v holds a refusal.
 */
extern bool gaussdp_join_key_tables(GaussdpVerifier *v, GaussdpLevel *level, Query *query);

/* keytable.c: words a refusal of that query by what has been joined; always false. */
extern bool gaussdp_refuse_key_tables(GaussdpVerifier *v);

#endif /* GAUSSDP_POLICY_REWRITE_COMPLETE_H */
