/*
 * hints.h
 *		The nearest legal form of what is refused.
 *
 * Words alone: nothing here decides what is private.  Each is the HINT of an error, or NULL where there is nothing to name.
 *
 *		functions.c		of functions of PostgreSQL's that are not legal on rows
 *		aggregates.c	of aggregates that are not private
 *		hidden.c		whether a refused query computes with a hidden column
 *		views.c			views over protected tables that the role may not read
 */
#ifndef GAUSSDP_POLICY_HINTS_H
#define GAUSSDP_POLICY_HINTS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* What to write in place of this function. */
extern const char *gaussdp_nearest_form(Oid function);

/* What to write in place of this aggregate of the query. */
extern const char *gaussdp_closest_aggregate(const Query *query, const Aggref *agg);

/* Does the query group by what the rows of one person have alone: by the unit column, or by one that is unique? */
extern bool gaussdp_groups_by_person(const Query *query);

/* What to write in place of such a query's private calls. */
#define GAUSSDP_ONE_PERSON_HINT                                                                    \
	"Groups of one person are not shown: let a sub-select make them, and aggregate around it, "    \
	"SELECT dp_count(1, 1e-6) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s."

/* A column that its owner has hidden from private queries, and where it is named. */
typedef struct GaussdpHidden
{
	Oid relation;
	AttrNumber column;
	int location;
} GaussdpHidden;

/* Does the query, which has not been cut, compute with such a column? */
extern bool gaussdp_uses_hidden(Query *query, GaussdpHidden *found);

/* The view over protected tables in the query that the role may not read; InvalidOid where it may read all. */
extern Oid gaussdp_denied_view(Query *query);

/* What to ask in place of such a view. */
#define GAUSSDP_VIEW_HINT                                                                          \
	"Ask about the tables that it reads, or ask their owner for a view that is read with your "    \
	"rights: gaussdp.create_tool_schema makes such."

/* What to write where rows are asked for. */
extern const char *gaussdp_aggregates_hint(void);

#endif /* GAUSSDP_POLICY_HINTS_H */
