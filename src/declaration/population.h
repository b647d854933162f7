/*
 * population.h
 *		Whose data a protected table holds: the one place of that rule.
 *
 * The tables that are declared with the same people are about one population; a table without a name for
 * its people is a population of its own, with its partitions.  A table with a path has the people of the table at the
 * path's end.  Budgets hang on populations.
 */
#ifndef GAUSSDP_DECLARATION_POPULATION_H
#define GAUSSDP_DECLARATION_POPULATION_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The people of a name, or (people empty) those of relation alone, which carries the label. */
typedef struct GaussdpPopulation
{
	char people[NAMEDATALEN]; /* zeros behind its end */
	Oid relation;             /* InvalidOid where the people have a name */
} GaussdpPopulation;

/* The population of a protected table or a partition of one; false where it is not protected. */
extern bool gaussdp_population(Oid relid, GaussdpPopulation *population);

/* The population that a label with these people (empty: no name) gives to its relation. */
extern GaussdpPopulation gaussdp_declared_population(const char *people, Oid relation);

extern bool gaussdp_same_population(const GaussdpPopulation *a, const GaussdpPopulation *b);

/* The tables, in this database, whose own labels put them into a population; a List of OIDs. */
extern List *gaussdp_tables_of(const GaussdpPopulation *population);

#endif /* GAUSSDP_DECLARATION_POPULATION_H */
