/*
 * verdict.h
 *		The state of a proof, and its refusals: what all of the policy rests on.
 */
#ifndef GAUSSDP_POLICY_PROOF_VERDICT_H
#define GAUSSDP_POLICY_PROOF_VERDICT_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "compat.h"

/* The rules of docs/threat-model.md, by the numbers that people see. */
typedef enum GaussdpRule
{
	GAUSSDP_RULE_LEVEL,     /* the shape of a query level that reads protected rows */
	GAUSSDP_RULE_ONCE,      /* executed once, uncorrelated */
	GAUSSDP_RULE_FUNCTIONS, /* total and leakproof functions on rows, behind a barrier */
	GAUSSDP_RULE_ARGUMENTS, /* what stands in a dp_ call */
	GAUSSDP_RULE_PUBLIC,    /* what may be joined */
	GAUSSDP_RULE_UNIQUE,    /* each protected row at most once */
	GAUSSDP_RULE_LEFT_JOIN, /* rows that a join makes up belong to nobody */
	GAUSSDP_RULE_KEYS,      /* the presence of a group is information */
	GAUSSDP_RULE_UNIT,      /* how many rows belong to one person */
	GAUSSDP_RULE_BUDGET,    /* settings and ways of execution that would tell more */
	GAUSSDP_RULE_VIEWS,     /* entries reached through views */
	GAUSSDP_RULE_PLACE      /* where a level may stand */
} GaussdpRule;

/* What a level lacks that rewriting may be able to add. */
typedef enum GaussdpLack
{
	GAUSSDP_LACKS_NOTHING,
	GAUSSDP_LACKS_KEY_TABLES, /* public relations that name its groups */
	GAUSSDP_LACKS_PRESENCE    /* FILTERs that leave out rows that joins make up */
} GaussdpLack;

/* The state of one walk and, when it is over, the verdict. */
typedef struct GaussdpVerifier
{
	const char *source;  /* text of the query, for positions; may be NULL */
	bool touches;        /* is any labelled relation read at all? */
	bool is_published;   /* is one read that the current role may not read by itself? */
	bool needs_proof;    /* and PostgreSQL would refuse that, or it feeds dp_ calls? */
	bool calls_in_from;  /* is there a function in FROM, which may be inlined? */
	List *queries;       /* of Query: the one that is walked, and those around it */
	List *read_by_calls; /* of CommonTableExpr: WITH queries whose rows reach dp_ calls */
	int64
		written_out; /* nodes of sub-selects, views and WITH queries of rows that were written out */
	/* the result */
	List *levels; /* of Level, complete when nothing was refused */
	const Bitmapset *key_tables; /* relations of the level that are refused unless they are matched once */
	/* the first refusal, if any */
	bool refused;
	GaussdpRule rule;
	Oid relation;       /* the table whose name the message carries */
	int location;       /* byte offset in source, or -1 */
	const char *detail; /* a full sentence that begins in lower case, see verdict.c */
	const char *hint;   /* a full sentence */
	/* and whether the query would do with something added */
	GaussdpLack lacks;
	struct GaussdpLevel *lacking; /* the level, as far as it has been proven */
} GaussdpVerifier;

/* Raises the verifier's refusal: 42501 with DETAIL and HINT. */
pg_noreturn extern void gaussdp_raise_refusal(const GaussdpVerifier *v);

/* The refusal's DETAIL as people see it. */
extern char *gaussdp_refusal_detail(const GaussdpVerifier *v);

/* Records the refusal unless there is one already; always false, so that checks can return it. */
extern bool gaussdp_refuse(GaussdpVerifier *v, GaussdpRule rule, int location, const char *detail,
						   const char *hint);

/* Records what the level lacks, before it is refused for that; always false. */
extern bool gaussdp_lack(GaussdpVerifier *v, struct GaussdpLevel *level, GaussdpLack lack);

/* A rule as one line. */
#define GAUSSDP_REFUSE_IF(condition, rule, location, detail, hint)                                 \
	do                                                                                             \
	{                                                                                              \
		if (condition)                                                                             \
			return gaussdp_refuse(v, rule, location, detail, hint);                                \
	} while (0)

#endif /* GAUSSDP_POLICY_PROOF_VERDICT_H */
