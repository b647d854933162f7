/*
 * facts.c
 *		What has been found out about the parts of an expression while it is verified.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "policy/proof/facts.h"

#define SH_PREFIX facts
#define SH_ELEMENT_TYPE GaussdpFact
#define SH_KEY_TYPE Node *
#define SH_KEY node
#define SH_HASH_KEY(table, key) hash_bytes((const unsigned char *) &(key), sizeof(key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* Most expressions are small. */
#define FIRST_SIZE 64

/* The innermost scope: folding may run a function that plans a query of its own. */
static GaussdpFacts *current = NULL;

void
gaussdp_open_facts(GaussdpFacts *facts)
{
	*facts = (GaussdpFacts){.context = CurrentMemoryContext, .outer = current};
	current = facts;
}

void
gaussdp_close_facts(GaussdpFacts *facts)
{
	current = facts->outer;
	if (facts->table != NULL)
		facts_destroy(facts->table);
}

GaussdpFact *
gaussdp_fact_of(Node *node)
{
	GaussdpFact *fact;
	bool found;

	if (current == NULL)
		return NULL;
	if (current->table == NULL)
		current->table = facts_create(current->context, FIRST_SIZE, NULL);
	fact = facts_insert(current->table, node, &found);
	/* The table leaves there what it has moved elsewhere: the facts of another node. */
	if (!found)
		*fact = (GaussdpFact){.node = node, .status = fact->status};
	return fact;
}
