/*
 * verify.h
 *		The verifier: is this query proven private?
 *
 * A default-deny walk over the rewritten query.  It reads the query, the declarations and the
 * catalog, never a row and never a statistic, so that its verdict is the same on any two databases
 * that differ in rows alone.  Each refusal names a rule of docs/threat-model.md.
 *
 *		verify.c		finds protected entries and levels
 *		flatten.c		writes out views and sub-selects that only project and filter
 *		level.c			what a level may look like
 *		join.c			how it may be joined
 *		public.c		what it may be joined to
 *		size.c			how large a query may be at all
 *		keys.c			which groups it may show
 *		keytable.c		names the groups from declared tables of public keys
 *		expression.c	what may be computed on rows and in HAVING
 *
 * Used before planning, to say early what is refused, by explain.c, and by the room, which decides.
 */
#ifndef GAUSSDP_POLICY_VERIFY_H
#define GAUSSDP_POLICY_VERIFY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "compat.h"

/* The rules of docs/threat-model.md, by the numbers that people see. */
typedef enum Rule
{
	RULE_LEVEL,     /* the shape of a query level that reads protected rows */
	RULE_ONCE,      /* executed once, uncorrelated */
	RULE_FUNCTIONS, /* total and silent functions on rows, behind a barrier */
	RULE_ARGUMENTS, /* what stands in a dp_ call */
	RULE_PUBLIC,    /* what may be joined */
	RULE_UNIQUE,    /* each protected row at most once */
	RULE_LEFT_JOIN, /* rows that a join makes up belong to nobody */
	RULE_KEYS,      /* the presence of a group is information */
	RULE_UNIT,      /* how many rows belong to one person */
	RULE_CAPS,      /* settings and ways of execution that would tell more */
	RULE_VIEWS,     /* entries reached through views */
	RULE_PLACE      /* where a level may stand */
} Rule;

/* A public relation of a level, and the columns by which at most one of its rows stands beside each other. */
typedef struct PublicRelation
{
	Index rti;
	List *keys; /* of Equality: no two rows may agree in all of these columns; NIL asks nothing */
} PublicRelation;

/* A public column that is equated to something that is known for each protected row. */
typedef struct Equality
{
	AttrNumber column;
	Oid operator;
	Oid collation;
	Bitmapset *needed; /* the relations that the other side speaks of */
} Equality;

/* A query level that reads protected rows, as verified. */
typedef struct Level
{
	Query *query;
	RangeTblEntry *entry; /* the protected relation */
	Index rti;            /* its index in the query's range table */
	Bitmapset *relations; /* all of FROM, as indexes in the range table */
	Bitmapset *extending; /* joins that make up rows on the protected side, likewise */
	/* public relations whose rows appear whatever the protected ones are; if any extends */
	Bitmapset *stable;
	List *public;     /* of PublicRelation */
	List *conditions; /* of Node: by which rows are chosen and joined */
	List *calls;      /* of Aggref: each dp_ call written, equal or not */
	List *keys;       /* of Node: the grouping expressions */
	List *equated;    /* public.c: what it has learnt of conditions */
	bool has_changed; /* has the query been joined to declared tables of its keys? */
	/* the dp_count in HAVING that hides small groups, if it is one, the least count shown, its delta */
	Aggref *count_test;
	int64 count_least;
	double count_delta;
} Level;

/* The state of one walk and, when it is over, the verdict. */
typedef struct Verifier
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
	/* the first refusal, if any */
	bool refused;
	Rule rule;
	Oid relation;       /* the table whose name the message carries */
	int location;       /* byte offset in source, or -1 */
	const char *detail; /* a full sentence that begins in lower case, see refusal.c */
	const char *hint;   /* a full sentence */
} Verifier;

/*
 * Finds the levels of a query, proves each and cuts it out of the query, in place.  False where no entry needs a
 * proof (v->needs_proof), and the query is as it was, or where v holds a refusal.
 */
extern bool gaussdp_cut_levels(Verifier *v, Query *query);

/* Marks the entries of the query that need a proof for the current role, and sets v's findings. */
extern void find_protected_entries(Verifier *v, Query *query);

/* Raises the verifier's refusal: 42501 with DETAIL and HINT. */
pg_noreturn extern void gaussdp_refuse(const Verifier *v);

/* The refusal's DETAIL as people see it. */
extern char *gaussdp_refusal_detail(const Verifier *v);

/* Records the refusal unless there is one already; always false, so that checks can return it. */
extern bool refuse(Verifier *v, Rule rule, int location, const char *detail, const char *hint);

/* A rule as one line. */
#define REFUSE_IF(condition, rule, location, detail, hint)                                         \
	do                                                                                             \
	{                                                                                              \
		if (condition)                                                                             \
			return refuse(v, rule, location, detail, hint);                                        \
	} while (0)

/* Has this entry been found to need a proof?  Copies of it have too. */
extern bool is_protected(const RangeTblEntry *entry);

/* Does anything in this tree read such an entry? */
extern bool reads_protected(Node *node);

/* public.c: the WITH query, of v->queries, that the entry reads; or NULL. */
extern CommonTableExpr *cte_of(const Verifier *v, const RangeTblEntry *entry);

/* Does the query show protected rows of its own FROM, without aggregating them? */
extern bool shows_rows(Query *query);

/* Does the query refer to columns or calls of a query around it?  CTEs around it may be read. */
extern bool is_correlated(Query *query);

/* Writes columns that USING merges out as what they stand for. */
extern void flatten_joins(Query *query);

/* flatten.c: makes a table of each item of FROM that only projects and filters one; before the walk. */
extern bool flatten_rows(Verifier *v, Query *query);

/* columns.c: are all columns of tables what the parser has seen?  Before verify_level, which forgets typmods. */
extern bool verify_columns(Verifier *v, Query *query);

/* level.c: verifies a level as it has been cut out; rewrites it in place.  Appends to v->levels. */
extern bool verify_level(Verifier *v, Query *query);

/* level.c: may rows be sorted, compared or hashed by the operators of these clauses? */
extern bool verify_sorting(Verifier *v, List *clauses, List *targets);

/* keys.c: verifies GROUP BY, and that no group tells of one person. */
extern bool verify_keys(Verifier *v, Level *level);

/* keytable.c: is there, for each group key, a table that is declared to hold the public ones? */
extern bool has_key_tables(const Level *level);

/* keytable.c: joins the level's query to these tables; it is then another query, to be verified anew. */
extern bool join_key_tables(Verifier *v, Level *level);

/* keytable.c: words a refusal of that query by what has been joined; always false. */
extern bool refuse_key_tables(Verifier *v);

/* join.c: verifies FROM: one protected relation, each row of which appears at most once. */
extern bool verify_join(Verifier *v, Level *level);

/* join.c: the relations of FROM that the expression speaks of. */
extern Bitmapset *relations_of(const Level *level, Node *node);

/* public.c: may this relation be joined to a protected one? */
extern bool verify_public_entry(Verifier *v, const Level *level, Index rti);

/*
 * public.c: do these conditions equate a unique key of the relation to expressions over known ones, so
 * that they hold for one of its rows at most?  *keys are the columns that do, for the rows to be asked.
 */
extern bool is_matched_once(Level *level, Index rti, List *conditions, const Bitmapset *known,
							List **keys);

/* join.c: rows that a join made up belong to nobody, and no call counts them. */
extern void count_present_rows_only(Level *level);

/* Where an expression stands decides what it may contain. */
typedef enum Place
{
	ON_ROWS,  /* WHERE, FILTER, GROUP BY, arguments: listed functions of columns */
	IN_HAVING /* listed functions of group keys and dp_ calls */
} Place;

/* expression.c: may this expression stand there? level may be NULL where no column can occur. */
extern bool verify_expression(Verifier *v, const Level *level, Node *expression, Place place);

#endif /* GAUSSDP_POLICY_VERIFY_H */
