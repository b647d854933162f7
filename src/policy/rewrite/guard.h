/*
 * guard.h
 *		Functions that fail at the ends of their type's range, made total.
 */
#ifndef GAUSSDP_POLICY_REWRITE_GUARD_H
#define GAUSSDP_POLICY_REWRITE_GUARD_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/*
 * Puts a guard around the columns that such functions take in a level: a value before 3900 BC or after
 * the year 200000 counts as that end.  Infinite ones stay what they are, but in differences.
 * A field of a document that is an object or an array is NULL as text (->>).  Done to all expressions of the
 * query alike, so that a group key stays equal to its copies.
 */
extern void gaussdp_guard_level(Query *query);

#endif /* GAUSSDP_POLICY_REWRITE_GUARD_H */
