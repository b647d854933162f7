/*
 * facts.h
 *		What has been found out about the parts of an expression while it is verified.
 *
 * How long a value is depends on the lengths of what it is made of.  So each part
 * would be looked at once more for each call around it.  It is looked at once, and remembered here.
 *
 * Facts are remembered by a node's address.  So they end with the verification of the expression (a
 * scope), in which no node is freed or changed.  Outside of a scope nothing is remembered.
 */
#ifndef GAUSSDP_POLICY_PROOF_FACTS_H
#define GAUSSDP_POLICY_PROOF_FACTS_H

#include "postgres.h"

#include "nodes/primnodes.h"

typedef struct GaussdpFact
{
	Node *node;
	char status; /* the hash table's own */
	/* width.c */
	bool knows_width;
	double width;
} GaussdpFact;

/* A scope; on the stack of who opens it. */
typedef struct GaussdpFacts
{
	struct facts_hash *table; /* made when there is a first fact */
	MemoryContext context;
	struct GaussdpFacts *outer;
} GaussdpFacts;

/* Opens a scope.  Who opens it closes it, in the case of an error too (PG_FINALLY). */
extern void gaussdp_open_facts(GaussdpFacts *facts);
extern void gaussdp_close_facts(GaussdpFacts *facts);

/* The node's fact, to be read and written until the next one is asked for; NULL outside of a scope. */
extern GaussdpFact *gaussdp_fact_of(Node *node);

#endif /* GAUSSDP_POLICY_PROOF_FACTS_H */
