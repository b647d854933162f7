/*
 * report.h
 *		The one place where a status of the core becomes an error of the server.
 *
 * Reads from core/core.h; used by every part that calls the core.
 */
#ifndef GAUSSDP_REPORT_H
#define GAUSSDP_REPORT_H

#include "core/core.h"

/*
 * Raises SQLSTATE 22023 (or XX000 for a status that no input can cause) unless status is GDP_OK.
 * name is the parameter's SQL name and value what the caller gave for it, both for the message;
 * value must come from the query, never from a row.
 */
extern void gaussdp_report(gdp_status status, const char *name, double value);

#endif /* GAUSSDP_REPORT_H */
