/*
 * equality.h
 *		Which values are equal, and of which rows a unique index proves that there is one at most.
 *
 * One rule for units, paths, public keys and correlated sub-selects.  An equality is an operator and a collation.
 *		It must be immutable: in the hour that summer time skips, a timestamptz is equal to two timestamps.
 *		A unique index proves something of it only where the index compares by the operator's family and by the same
 *		collation: texts that differ in collation "C" may be one person's name under another one.
 *
 * Reads the catalog; used by the verifier and, at execution, by the room.
 */
#ifndef GAUSSDP_POLICY_PROOF_EQUALITY_H
#define GAUSSDP_POLICY_PROOF_EQUALITY_H

#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"

/* A column that is equated to something else. */
typedef struct GaussdpEquality
{
	AttrNumber column;
	Oid operator;
	Oid collation;
	Bitmapset *needed; /* the relations of a level that the other side speaks of */
} GaussdpEquality;

/*
 * Is the operator the equality of a B-tree operator family, immutable and strict?  Over the types of such a family it is
 * transitive.
 */
extern bool gaussdp_is_equality(Oid opno);

/*
 * The equality that tells values of a type apart, as GROUP BY and the weights of people do; InvalidOid where there is
 * none of the above.  Under a column's collation it says which rows are one person's.
 */
extern Oid gaussdp_equality_of_type(Oid type);

/*
 * The equality of values of two columns, the first of which refers to the second; false where they have none, or where it
 * takes different texts for equal.
 */
extern bool gaussdp_equality_of_reference(Oid relation, AttrNumber column, Oid to,
										  AttrNumber to_column, Oid *opno, Oid *collation);

/* Is the column equated by an equality of this operator family and collation?  equalities: of GaussdpEquality. */
extern bool gaussdp_is_equated(const List *equalities, AttrNumber column, Oid opfamily,
							   Oid collation);

/*
 * Does a unique index prove, for each row that the active snapshot sees, that no other one has equal values in all of
 * these columns?
 */
extern bool gaussdp_table_is_matched_once(Oid relation, const List *equalities);

/* The same of one column. */
extern bool gaussdp_column_is_unique(Oid relation, AttrNumber column, Oid opno, Oid collation);

#endif /* GAUSSDP_POLICY_PROOF_EQUALITY_H */
