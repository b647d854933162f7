/*
 * facts.h
 *		What has been found out about the parts of an expression while it is verified.
 *
 * Whether a call can fail depends on the ranges of its arguments.  So each part
 * would be looked at once more for each call around it.  It is looked at once, and remembered here.
 *
 * Facts are remembered by a node's address.  So they end with the verification of the expression (a
 * scope), in which no node is freed or changed.  Outside of a scope nothing is remembered.
 */
#ifndef GAUSSDP_POLICY_PROOF_FACTS_H
#define GAUSSDP_POLICY_PROOF_FACTS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

typedef struct GaussdpFact
{
	Node *node;
	char status; /* the hash table's own */
	/* guard.c */
	bool knows_guarded;
	bool is_guarded;
	/* width.c */
	bool knows_width;
	double width;
	const struct GaussdpRange *range; /* range.c; NULL: not known */
} GaussdpFact;

/* A scope; on the stack of who opens it. */
typedef struct GaussdpFacts
{
	struct facts_hash *table; /* made when there is a first fact */
	MemoryContext context;
	List
		*ranges; /* of relations whose columns have been verified: a List for each, by its number */
	struct GaussdpFacts *outer;
} GaussdpFacts;

/* Opens a scope.  Who opens it closes it, in the case of an error too (PG_FINALLY). */
extern void gaussdp_open_facts(GaussdpFacts *facts, List *ranges);
extern void gaussdp_close_facts(GaussdpFacts *facts);

/* The node's fact, to be read and written until the next one is asked for; NULL outside of a scope. */
extern GaussdpFact *gaussdp_fact_of(Node *node);

/* What is known of the range of a column; NULL outside of a scope, and where nothing is. */
extern const struct GaussdpRange *gaussdp_known_range(const Var *column);

#endif /* GAUSSDP_POLICY_PROOF_FACTS_H */
