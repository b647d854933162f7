/*
 * exact.h
 *		PostgreSQL's own aggregates that may compute a number of one person's rows.
 */
#ifndef GAUSSDP_POLICY_PROOF_EXACT_H
#define GAUSSDP_POLICY_PROOF_EXACT_H

#include "postgres.h"

#include "nodes/nodes.h"

#define GAUSSDP_EXACT_HINT                                                                         \
	"Use count, sum, avg, bool_and, bool_or, or min and max of integers, times, text or enums, "   \
	"without ORDER BY."

/* What an aggregate asks of its argument, so that its result depends on the set of values alone, and never fails. */
typedef enum GaussdpExactKind
{
	GAUSSDP_NOT_EXACT,       /* not in the list */
	GAUSSDP_EXACT,           /* nothing */
	GAUSSDP_EXACT_OF_IMAGES, /* the result is one of the values: equal ones look the same */
	GAUSSDP_EXACT_IF_SHORT, /* the result is a numeric, which overflows unless the values have few digits */
	GAUSSDP_EXACT_AS_NUMERIC /* none will do: rounded sums depend on the order of rows */
} GaussdpExactKind;

extern GaussdpExactKind gaussdp_exact_kind(Oid aggregate);

/* Is it one that may be computed inside of a level?  Draws nothing. */
extern bool gaussdp_is_exact(Oid aggregate);

/* Have all values of this numeric so few digits, by its type, that no number of rows makes their sum overflow? */
extern bool gaussdp_has_few_digits(Node *value);

#endif /* GAUSSDP_POLICY_PROOF_EXACT_H */
