/*
 * contents.h
 *		What is in a query that steps of its planning are about.
 */
#ifndef GAUSSDP_POLICY_REWRITE_CONTENTS_H
#define GAUSSDP_POLICY_REWRITE_CONTENTS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

typedef struct GaussdpContents
{
	bool has_aggregates; /* any aggregate, at any depth */
	bool has_calls;      /* a private one */
	bool has_catalog;    /* what gaussdp_show_unknown() may have to hide */
} GaussdpContents;

/* One walk, so that most queries, which have none, are not walked by each of these steps. */
extern GaussdpContents gaussdp_contents(Query *query);

#endif /* GAUSSDP_POLICY_REWRITE_CONTENTS_H */
