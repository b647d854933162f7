/*
 * report.h
 *		The one place where a status of the core becomes an error of the server, and where errors lose the queries that
 *		they came from.
 *
 * Reads from core/core.h; used by every part that calls the core or runs queries of its own.
 */
#ifndef GAUSSDP_REPORT_H
#define GAUSSDP_REPORT_H

#include "postgres.h"

#include "compat.h"
#include "core/core.h"

/*
 * Raises SQLSTATE 22023 (or XX000 for a status that no input can cause) unless status is GDP_OK.
 * name is the parameter's SQL name and value what the caller gave for it, both for the message;
 * value must come from the query, never from a row.
 */
extern void gaussdp_report(gdp_status status, const char *name, double value);

/* Three digits of a number as people read it; one that was rounded before, by less than 1e-9, shows nothing of that. */
typedef enum GaussdpRounding
{
	GAUSSDP_ROUND_DOWN,
	GAUSSDP_ROUND_NEAREST,
	GAUSSDP_ROUND_UP
} GaussdpRounding;

extern double gaussdp_three_digits(double x, GaussdpRounding rounding);

/*
 * Raises the current error again, in a PG_CATCH block, with the context of whoever stands around that block: what it
 * ran has added queries that nobody else has written and can do anything about.  context: where the error is copied to.
 */
pg_noreturn extern void gaussdp_rethrow_without_query(MemoryContext context);

#endif /* GAUSSDP_REPORT_H */
