/*
 * publish.h
 *		Publications (publish.c).
 */
#ifndef GAUSSDP_POLICY_EXEC_PUBLISH_H
#define GAUSSDP_POLICY_EXEC_PUBLISH_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Before a query runs, while a publication is filled: an error where it reads a protected table by the publisher's own rights. */
extern void gaussdp_check_published(const QueryDesc *query);

#endif /* GAUSSDP_POLICY_EXEC_PUBLISH_H */
