/*
 * proof.h
 *		May a query level that reads protected rows run?  What must be right.
 *
 * Each file here reads a query as it has been rewritten, the declarations and the catalog, never a row and never a statistic, so that
 * its verdict is the same on any two databases that differ in rows alone.  It changes nothing.  What it does not know
 * is refused; each refusal names a rule of docs/threat-model.md.
 *
 *		entries.c		which entries of a query need a proof, and which queries are levels
 *		size.c			how large a query may be at all
 *		columns.c		columns are what the parser has seen
 *		hidden.c		columns that an owner has hidden from private queries
 *		executed.c		functions that the role may not execute
 *		level.c			what a level may look like: one function for each rule, one line for each refusal
 *		join.c			how it may be joined
 *		public.c		to which public relations, each of whose rows is matched once
 *		matches.c		or of which several rows may stand beside a protected one
 *		owners.c		whose row a row of FROM is
 *		paths.c			where another table says so
 *		inner.c			queries in its FROM that make rows of people out of their rows
 *		windows.c		window functions in these
 *		people.c		by how much a person counts who owns several rows
 *		keys.c			which groups it may show
 *		scale.c			numerics that look the same where they are equal
 *		expression.c	what may be computed on rows and in HAVING:
 *		functions.c		the reviewed list of functions that are total and leakproof
 *		arguments.c		what it may ask of arguments
 *		width.c			how long computed values may be
 *		documents.c		documents whose fields are none
 *		exact.c			aggregates whose result no order of rows can change
 *		facts.c			what is known of the parts of an expression, each looked at once
 *		level_facts.c	and of a level's entries, once its FROM has been read
 *		equality.c		which values are equal, and what a unique index proves
 *		subject.c		what declarations and the catalog say of a protected table
 *		storage.c		tables whose rows are not in a heap of this server
 *		verdict.c		the state of a proof, and the words of a refusal
 *
 * nodes.txt lists the fields and nodes of PostgreSQL that all this was written for; a major with another one does not build.
 *
 * Used before planning, to say early what is refused, by explain_privacy, and at execution, where it decides.
 */
#ifndef GAUSSDP_POLICY_PROOF_PROOF_H
#define GAUSSDP_POLICY_PROOF_PROOF_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "utils/relcache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "policy/proof/arguments.h"
#include "policy/proof/documents.h"
#include "policy/proof/equality.h"
#include "policy/proof/exact.h"
#include "policy/proof/facts.h"
#include "policy/proof/functions.h"
#include "policy/proof/size.h"
#include "policy/proof/width.h"

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
	GAUSSDP_RULE_PLACE,     /* where a level may stand */
	/* what a level can need of the server is not there (exec/resources.c) */
	GAUSSDP_RULE_BUFFERS,
	GAUSSDP_RULE_LOCKS,
	GAUSSDP_RULE_MEMORY,
	GAUSSDP_RULE_DISK
} GaussdpRule;

/* What a level lacks that rewriting may be able to add. */
typedef enum GaussdpLack
{
	GAUSSDP_LACKS_NOTHING,
	GAUSSDP_LACKS_KEY_TABLES, /* public relations that name its groups */
	GAUSSDP_LACKS_ONE_IMAGE,  /* keys that look the same where they are equal */
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
	const Bitmapset
		*key_tables; /* relations of the level that are refused unless they are matched once */
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

/*
 * Refuses where the role has no budget for the relation, in place of any other refusal: no other form of the query would be answered.
 * False where it has one.
 */
extern bool gaussdp_refuse_without_budget(GaussdpVerifier *v);

/* Raises the verifier's refusal: 42501 with DETAIL and HINT. */
pg_noreturn extern void gaussdp_raise_refusal(const GaussdpVerifier *v);

/* The refusal's DETAIL as people see it. */
extern char *gaussdp_refusal_detail(const GaussdpVerifier *v);

/* Records the refusal unless there is one already; always false, so that checks can return it. */
extern bool gaussdp_refuse(GaussdpVerifier *v, GaussdpRule rule, int location, const char *detail,
						   const char *hint);

/* Refuses a column that its owner has hidden from private queries; always false. */
extern bool gaussdp_refuse_column(GaussdpVerifier *v, Oid relation, AttrNumber column,
								  int location);

/* Records what the level lacks, before it is refused for that; always false. */
extern bool gaussdp_lack(GaussdpVerifier *v, struct GaussdpLevel *level, GaussdpLack lack);

/* A rule as one line. */
#define GAUSSDP_REFUSE_IF(condition, rule, location, detail, hint)                                 \
	do                                                                                             \
	{                                                                                              \
		if (condition)                                                                             \
			return gaussdp_refuse(v, rule, location, detail, hint);                                \
	} while (0)

/* A public relation of a level, and the columns by which its rows are found. */
typedef struct GaussdpPublicRelation
{
	Index rti;
	List *keys;      /* of GaussdpEquality: what is equated to rows that are known before it */
	bool may_repeat; /* may several rows agree in all of them?  If not, that is an error. */
} GaussdpPublicRelation;

/* So many rows of public relations, all together, may stand beside the protected rows of a joined row. */
#define GAUSSDP_MOST_MATCHES 10000

/* A column of an entry that has a path, and the column of the table above that it equals. */
typedef struct GaussdpOwnerKey
{
	AttrNumber column;
	AttrNumber via_column;
	Oid equality; /* of both, under collation; InvalidOid where there is none */
	Oid collation;
} GaussdpOwnerKey;

/* Whose the rows of a protected entry of a level are. */
typedef struct GaussdpOwner
{
	Index rti; /* of the entry, in the level's range table */
	RangeTblEntry *entry;
	/* the entry's column that names the person; 0 where its table has no usable unit, which verify_units refuses */
	AttrNumber column;
	Oid relation; /* the declared table whose people, and whose budget, these are */
	/* instead of column, where rows are somebody's by way of another table (paths.c): what names the row there */
	Oid via;
	int nkeys;
	GaussdpOwnerKey keys[GAUSSDP_MOST_PATH_KEYS];
	bool is_many;  /* may a person have several rows of it? */
	bool is_named; /* owners.c: does one of them at most stand beside a row of another entry? */
	/* the verified query that the entry is; NULL for a table */
	struct GaussdpLevel *inner;
} GaussdpOwner;

/* A query level that reads protected rows, as verified. */
typedef struct GaussdpLevel
{
	const Query *query;
	Bitmapset *protected;      /* the protected relations, as indexes in its range table */
	List *owners;              /* of GaussdpOwner: one for each of these */
	Bitmapset *missing;        /* those that an outer join may leave out of a person's row */
	const GaussdpOwner *owner; /* of one that is in each row that is somebody's: says whose */
	Bitmapset *relations;      /* all of FROM, as indexes in the range table */
	Bitmapset *extending;      /* joins that make up rows on the protected side, likewise */
	/* public relations whose rows appear whatever the protected ones are; if any extends */
	Bitmapset *stable;
	List *public;          /* of GaussdpPublicRelation */
	const char *left_out;  /* which rows are in no group, in words; set by keytable.c */
	bool leaves_out_nulls; /* may their key be NULL? */
	bool is_multiplied;    /* may one of them have several rows beside a protected row? */
	List *conditions;      /* of Node: by which rows are chosen and joined */
	List *calls;           /* of Aggref: each dp_ call written, equal or not */
	List *keys;            /* of Node: the grouping expressions */
	List *equated;         /* public.c: what it has learnt of conditions */
	int last_equated;      /* the last of them that was asked for */
	bool is_free; /* may the role read the rows by itself?  Then its answers cost nothing. */
	/* the dp_count in HAVING that hides small groups, if it is one, the least count shown, its delta */
	Aggref *count_test;
	int64 count_least;
	double count_delta;
	/* people.c: may a person own several rows of the level, which are weighed then? */
	bool is_weighted;
	int64
		max_rows; /* as how many rows a person counts; 0 until the parameter that says it is known, 1 where it is found */
	/* is that to be found in the rows where no call says it, and likewise of people counted by groups? */
	bool finds_rows;
	bool finds_people;
	bool
		counts_one; /* or is it 1, since different values are counted, though nobody has said so? */
	double cut_share; /* what part of the mu^2 of other calls says what their number cuts off */
	const List
		*found; /* of GaussdpFoundRows: what has been found; NIL before, where 1 stands for it */
	int64 max_groups;  /* in how many groups a person appears at most, where finds_groups */
	bool finds_groups; /* are the groups found in the data? */
	int nsets;         /* grouping sets, in each of which a person counts; 1 without */
	int of_many; /* tables in which a person may own several rows, joined here or in a sub-query */
	/* inner.c: of a query in the FROM of another one */
	AttrNumber owner_column; /* its column that says whose its row is */
	bool gives_many;         /* may it give several rows of a person? */
	double width;        /* of what is computed of a row, the queries in FROM included: width.h */
	double widest;       /* of these values, one by itself */
	double column_width; /* of a column of the queries in FROM */
	bool has_windows;    /* does it show window functions, which windows.c verifies? */
	bool is_distributed; /* are its protected tables in shards, which Citus reads? */
} GaussdpLevel;

/* Marks the entries of the query that need a proof for the current role, and sets v's findings. */
extern void gaussdp_find_protected_entries(GaussdpVerifier *v, Query *query);

/* What a query that is a view's shows of relations to those who may read the view. */
typedef struct GaussdpShown
{
	List *relations; /* OIDs: the relations that are asked for */
	bool rows;       /* their rows, or what is computed of them without a proof */
	bool answers;    /* dp_ calls over protected ones, which are proven for each reader of a view */
} GaussdpShown;

/* Sets rows and answers. */
extern void gaussdp_find_shown(GaussdpShown *shown, Query *query);

/* Has this entry been found to need a proof?  Copies of it have too. */
extern bool gaussdp_needs_proof(const RangeTblEntry *entry);

/* Does anything in this tree read such an entry? */
extern bool gaussdp_reads_protected(Node *node);

/* Does the query show protected rows of its own FROM, without aggregating them? */
extern bool gaussdp_shows_rows(Query *query);

/* Does the query's own FROM read protected rows: a table, or what a sub-select makes of each person's rows? */
extern bool gaussdp_is_level(Query *query);

/*
 * Does the query show what its own FROM makes of protected rows, without dp_ calls?  What that may be is for
 * inner.c.
 */
extern bool gaussdp_shows_people(Query *query);

/* Does the query refer to columns or calls of a query around it?  CTEs around it may be read. */
extern bool gaussdp_is_correlated(Query *query);

/* columns.c: are all columns of tables what the parser has seen?  A typmod may have been forgotten. */
extern bool gaussdp_verify_columns(GaussdpVerifier *v, const Query *query);

/*
 * level.c: the proof of a level: may it run?  Appends to v->levels where it may.  False where it is refused; v->lacks says then
 * whether rewriting could add what it lacks.
 */
extern bool gaussdp_verify_level(GaussdpVerifier *v, const Query *query);

/* inner.c: queries in a level's FROM that show people's rows have no clause that depends on the order of rows. */
extern bool gaussdp_verify_inner_shapes(GaussdpVerifier *v, Query *level);

/* level_facts.c: is this the unit of a relation that is in each row? */
extern bool gaussdp_is_unit(const GaussdpLevel *level, const Node *node);

/* inner.c: the array whose elements this call returns as a set; NULL for any other expression. */
extern Node *gaussdp_unnested(const Node *node);

/* level_facts.c: of how many arrays of a row the elements stand beside one another in a row of the level. */
extern int gaussdp_arrays_of(const GaussdpLevel *level);

/* windows.c: does it matter to this call of a verified query in which order its window has equals? */
extern bool gaussdp_depends_on_equals(const WindowFunc *call, const Query *query);

/* windows.c: does the frame hold all rows of the partition, or all equals of its last one? */
extern bool gaussdp_frame_ends_with_equals(const WindowClause *window);

/* keys.c: do values that are equal look the same? */
extern bool gaussdp_has_one_image(const GaussdpLevel *level, Node *expr);

/* matches.c: is it a call of generate_series, of numbers or of times? */
extern bool gaussdp_is_series(Node *node);

/* subject.c: may the unit column of a protected table be NULL?  Such rows are nobody's. */
extern bool gaussdp_has_rows_of_nobody(Oid relation);

/*
 * subject.c: the condition that leaves out rows of nobody, unit IS NOT NULL.  Where a table may have such rows, its entry must
 * have it among its securityQuals, which hold wherever the entry stands in FROM: so these rows are in no join, window or group.
 */
extern Node *gaussdp_make_somebodys(Index rti, Oid relation);

/* level_facts.c: the owner of a protected entry, or NULL for another one. */
extern const GaussdpOwner *gaussdp_owner_of_entry(const GaussdpLevel *level, Index rti);

/* level_facts.c: the level's owner as a column of its FROM. */
extern Var *gaussdp_make_owner_var(const GaussdpLevel *level);

/* A call of a level as aggregate/calls.h takes it. */
typedef struct GaussdpCallParts
{
	GaussdpCall call; /* a count of people has no value */
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	/* where rows are weighed: */
	Expr *value;    /* what it counts of a row; NULL without */
	bool of_people; /* one row of each person in each group */
	bool of_values; /* different values, each of one person */
	double k;       /* the last parameter of the weighted call */
	double
		most; /* as how many rows a person counts: k, but for dp_keep_group; sqrt(S) k of S grouping sets */
} GaussdpCallParts;

/* What a histogram says of a call (exec/find_rows.c): as how many rows a person counts, unless that is given, and what that cuts off. */
typedef struct GaussdpFoundRows
{
	const Aggref *call;
	double rows;   /* a power of two */
	double cut;    /* what part of people's rows that cuts off, about */
	double most;   /* and at most (core.h) */
	bool is_found; /* or did nobody stand out of the noise? */
} GaussdpFoundRows;

/* people.c: is it found for this call of a verified level?  And what has been found for it; NULL where nothing has. */
extern bool gaussdp_finds_rows(const GaussdpLevel *level, const Aggref *agg);
extern const GaussdpFoundRows *gaussdp_found_rows(const GaussdpLevel *level, const Aggref *agg);

/* people.c: does this call of a level whose people own many rows count different values? */
extern bool gaussdp_counts_values(const GaussdpLevel *level, const Aggref *agg);

/* This part of a call's mu^2 pays for what is found (docs/mathematics.md): it keeps the rest. */
#define GAUSSDP_FINDING_SHARE 0.25

/* people.c: the part that pays for a histogram of people: that one, or where a number is given gaussdp.cut_share; 0 for none. */
extern double gaussdp_histogram_share(const GaussdpLevel *level, const Aggref *agg);

/*
 * people.c: takes a call apart; false where a parameter is no constant yet.  Over S grouping sets a person moves it by sqrt(S)
 * times as much: so epsilon is that of sqrt(S) times the noise.  Likewise where a part of its mu^2 finds as how many rows a person counts.
 */
extern bool gaussdp_call_parts(const GaussdpLevel *level, const Aggref *agg,
							   GaussdpCallParts *parts);

/*
 * people.c: the delta of showing only groups whose count, by this call, is at least `least`; *smallest is the
 * smallest number for which it is no more than the call's own delta.
 */
extern double gaussdp_hiding_delta(const GaussdpLevel *level, const GaussdpCallParts *parts,
								   double least, double *smallest);

/* Where an expression stands decides what it may contain. */
typedef enum GaussdpPlace
{
	GAUSSDP_ON_ROWS,  /* WHERE, FILTER, GROUP BY, arguments: listed functions of columns */
	GAUSSDP_IN_HAVING /* listed functions of group keys and dp_ calls */
} GaussdpPlace;

/* Is this a protected table, by its own label or that of a partitioned table above it? */
extern bool gaussdp_is_protected(Oid relation);

/* The declared unit column, or 0. */
extern AttrNumber gaussdp_unit_column(Oid relation);

/*
 * Would PostgreSQL let this entry of a relation pass?  permissions come from the same query or plan.  With
 * as_current_user a view on the way to the entry is left out: may the current role itself read it?
 */
extern bool gaussdp_entry_is_allowed(List *permissions, const RangeTblEntry *entry,
									 bool as_current_user);

#endif /* GAUSSDP_POLICY_PROOF_PROOF_H */
