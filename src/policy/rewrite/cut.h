/*
 * cut.h
 *		A level, cut out of the query around it: what stays there is a stand-in.
 *
 *		SELECT dept, round(dp_avg(pay, $1, 1e-6)) FROM emp WHERE day < now() GROUP BY dept ORDER BY 2
 *
 * becomes
 *
 *		SELECT l.key_1, round(l.release_1) FROM private_level(0, $1, now()) l ORDER BY 2
 *
 * where the entry of private_level carries the level itself, which reads emp and whose $2 and $3 are the
 * stand-in's arguments:
 *
 *		SELECT dept AS key_1, dp_avg(pay, $2, 1e-6) AS release_1 FROM emp WHERE day < $3 GROUP BY dept
 *
 * So all that is computed on released values is ordinary SQL of the query around, and all that a level needs
 * beside its rows is computed there too, before its first row (node.c).
 */
#ifndef GAUSSDP_POLICY_REWRITE_CUT_H
#define GAUSSDP_POLICY_REWRITE_CUT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "policy/proof/query.h"

/*
 * Verifies the query, whose own FROM names a protected table, as a level, and leaves the query around it in
 * its place; false where it is refused.  v->queries begins with the query and those around it.
 */
extern bool gaussdp_cut_level(GaussdpVerifier *v, Query *query);

/*
 * Takes every largest expression that holds no column and no call out of a level: a parameter whose number is
 * its place (from 1) among the expressions that are returned, a List of Node, stands there instead.  There is
 * always a first one, a constant.  What may be constant and is not (it is volatile, it depends on rows) stays,
 * and the verifier says what it thinks of it.
 */
extern List *gaussdp_take_inputs(Query *level);

#endif /* GAUSSDP_POLICY_REWRITE_CUT_H */
