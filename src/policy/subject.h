/*
 * subject.h
 *		What the policy asks of declarations and of the catalog about a protected table.
 *
 * Reads from declaration/ and the catalog; used by the verifier and, at execution, by the room.
 */
#ifndef GAUSSDP_POLICY_SUBJECT_H
#define GAUSSDP_POLICY_SUBJECT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "declaration/declaration.h"

/* Is this a protected table, by its own label or that of a partitioned table above it? */
extern bool gaussdp_is_protected(Oid relation);

/*
 * Why it is not known whose rows the table has: NULL when its declared unit column is NOT NULL
 * and, unless it is unique, can be sorted and compared without telling of its values; otherwise the
 * rest of a sentence for the DETAIL.  A partition may be named by itself: its rows are those of the table above
 * it, in the same population.
 */
extern const char *gaussdp_unit_problem(Oid relation);

/*
 * Why rows of a person cannot be found by sorting the unit column, as they are where a person may own several rows
 * of a level; the rest of a sentence, or NULL.
 */
extern const char *gaussdp_unit_comparison_problem(Oid relation);

/*
 * Does a person own one row of the table at most?  Its declared unit column has a valid, immediate, complete
 * unique index of its own, by the equality that tells people apart; for a partition that is named by itself its own index is what counts.
 */
extern bool gaussdp_unit_is_unique(Oid relation);

/* The declared unit column, or 0. */
extern AttrNumber gaussdp_unit_column(Oid relation);

/*
 * The equality by which rows of a table that has a path belong to rows of the table that it leads to; false where there
 * is none.
 */
extern bool gaussdp_path_equality(Oid relation, const GaussdpTable *table, Oid *opno,
								  Oid *collation);

/*
 * Would PostgreSQL let this entry of a relation pass?  permissions come from the same query or plan.  With
 * as_current_user a view on the way to the entry is left out: may the current role itself read it?
 */
extern bool gaussdp_entry_is_allowed(List *permissions, const RangeTblEntry *entry,
									 bool as_current_user);

/*
 * Does the entry, which a view reads as somebody else, show rows that row security would keep from the current role
 * itself?
 */
extern bool gaussdp_entry_shows_hidden_rows(List *permissions, const RangeTblEntry *entry);

/* May the current role itself read the whole table: each column, and without row security each row? */
extern bool gaussdp_may_read_all(Oid relation);

#endif /* GAUSSDP_POLICY_SUBJECT_H */
