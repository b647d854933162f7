/*
 * population.c
 *		Whose data a protected table holds: the one place of that rule, for C and for SQL.
 *
 * Reads labels through lookup.c; used by the ledger, whose budgets hang on populations, and by check_policy.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "declaration/population.h"

GaussdpPopulation
gaussdp_declared_population(const char *people, Oid relation)
{
	GaussdpPopulation population;

	/* Zeros everywhere else: a population is part of keys that are compared byte by byte. */
	memset(&population, 0, sizeof(population));
	strlcpy(population.people, people, NAMEDATALEN);
	population.relation = people[0] == '\0' ? relation : InvalidOid;
	return population;
}

bool
gaussdp_population(Oid relid, GaussdpPopulation *population)
{
	GaussdpTable declared;

	if (!gaussdp_table(relid, &declared))
		return false;
	*population = gaussdp_declared_population(declared.people, declared.people_of);
	return true;
}

bool
gaussdp_same_population(const GaussdpPopulation *a, const GaussdpPopulation *b)
{
	return a->relation == b->relation && strcmp(a->people, b->people) == 0;
}

/* Labels are looked through, as the tables of a named population may stand anywhere. */
List *
gaussdp_tables_of(const GaussdpPopulation *population)
{
	List *labelled = NIL;
	List *tables = NIL;
	Relation seclabels;
	SysScanDesc scan;
	HeapTuple tuple;
	ListCell *cell;

	if (OidIsValid(population->relation))
		return list_make1_oid(population->relation);
	seclabels = table_open(SecLabelRelationId, AccessShareLock);
	scan = systable_beginscan(seclabels, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FormData_pg_seclabel *label = (FormData_pg_seclabel *) GETSTRUCT(tuple);

		if (label->classoid == RelationRelationId && label->objsubid == 0)
			labelled = list_append_unique_oid(labelled, label->objoid);
	}
	systable_endscan(scan);
	table_close(seclabels, AccessShareLock);
	foreach (cell, labelled)
	{
		GaussdpTable declared;

		/* Tables with a path follow another table into its population, and decide nothing there. */
		if (gaussdp_table(lfirst_oid(cell), &declared) && !declared.has_path &&
			strcmp(declared.people, population->people) == 0)
			tables = lappend_oid(tables, lfirst_oid(cell));
	}
	return tables;
}

/* gaussdp_internal.population_of(regclass, OUT people, OUT relation), as the ledger's tables have them */
PG_FUNCTION_INFO_V1(gaussdp_population_of);
Datum
gaussdp_population_of(PG_FUNCTION_ARGS)
{
	GaussdpPopulation population;
	Datum values[2];
	bool nulls[2] = {false, false};
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "population_of must return a row");
	if (!gaussdp_population(PG_GETARG_OID(0), &population))
		PG_RETURN_NULL();
	values[0] = CStringGetTextDatum(population.people);
	values[1] = ObjectIdGetDatum(population.relation);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
