/*
 * guarded.h
 *		Functions that fail at the ends of their type's range: what they may be given.
 */
#ifndef GAUSSDP_POLICY_PROOF_GUARDED_H
#define GAUSSDP_POLICY_PROOF_GUARDED_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* A function of which some arguments must be guarded. */
typedef struct GaussdpGuarded
{
	Oid function;
	int arguments; /* of these: GAUSSDP_GUARDED_ARGUMENT(i), i from 0 */
	bool finite;   /* do infinite ones make it fail, too? */
} GaussdpGuarded;

#define GAUSSDP_GUARDED_ARGUMENT(i) (1 << (i))

/* What must be guarded of this function; NULL where nothing must. */
extern const GaussdpGuarded *gaussdp_guarded_by(Oid function);

/*
 * x of a date or time type, but a value before 3900 BC or after the year 200000 counts as that end.  Infinite ones stay what
 * they are unless finite is asked for.  x itself for any other type.
 */
extern Expr *gaussdp_guard(Expr *x, bool finite);

/* The document, but NULL where that field of it is an object or an array. */
extern Node *gaussdp_guard_document(Node *document, Node *key, Oid collation);

/* Whether the expression, of a date or time type, is never far out: guarded, a near constant, or made of these. */
extern bool gaussdp_is_guarded(Node *node);

/* And is it never infinite either? */
extern bool gaussdp_is_finite(Node *node);

/* Arguments of ->> with that input collation: is the document guarded, so that its field is none? */
extern bool gaussdp_has_plain_field(List *args, Oid collation);

#endif /* GAUSSDP_POLICY_PROOF_GUARDED_H */
