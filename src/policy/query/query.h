/*
 * query.h
 *		Finding the levels of a query, and proving each.
 *
 * A default-deny walk over the rewritten query.  It reads the query, the declarations and the
 * catalog, never a row and never a statistic, so that its verdict is the same on any two databases
 * that differ in rows alone.  Each refusal names a rule of docs/threat-model.md.
 *
 *		find.c			finds protected entries and levels
 *		empty.c			queries that show no row, whatever the tables hold
 *		flatten.c		writes out views and sub-selects that only project and filter
 *		level.c			what a level may look like
 *		sublink.c		writes sub-selects in expressions about the same person as joins
 *		inner.c			queries in its FROM that make rows of people out of their rows
 *		join.c			how it may be joined
 *		public.c		what it may be joined to
 *		matches.c		public relations of which several rows may stand beside a protected one
 *		columns.c		are its columns what the parser has seen?
 *		size.c			how large a query may be at all
 *		owners.c		whose row a row of FROM is
 *		paths.c			where another table says so
 *		people.c		by how much a person counts who owns several rows
 *		keys.c			which groups it may show
 *		scale.c			numerics that look the same where they are equal
 *		keytable.c		names the groups from declared tables of public keys
 *		expression.c	what may be computed on rows and in HAVING
 *		distributed.c	what Citus may be asked for
 *
 * Used before planning, to say early what is refused, by explain.c, and by the room, which decides.
 */
#ifndef GAUSSDP_POLICY_QUERY_H
#define GAUSSDP_POLICY_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "aggregate/calls.h"
#include "policy/verdict.h"

/* A public relation of a level, and the columns by which its rows are found. */
typedef struct GaussdpPublicRelation
{
	Index rti;
	List *keys;      /* of GaussdpEquality: what is equated to rows that are known before it */
	bool may_repeat; /* may several rows agree in all of them?  If not, that is an error. */
} GaussdpPublicRelation;

/* So many rows of public relations, all together, may stand beside the protected rows of a joined row. */
#define GAUSSDP_MOST_MATCHES 10000

/* A public column that is equated to something that is known for each protected row. */
typedef struct GaussdpEquality
{
	AttrNumber column;
	Oid operator;
	Oid collation;
	Bitmapset *needed; /* the relations that the other side speaks of */
} GaussdpEquality;

/* Whose the rows of a protected entry of a level are. */
typedef struct GaussdpOwner
{
	Index rti; /* of the entry, in the level's range table */
	RangeTblEntry *entry;
	/* the entry's column that names the person; 0 where its table has no usable unit, which verify_units refuses */
	AttrNumber column;
	Oid relation; /* the declared table whose people, and whose budget, these are */
	/* instead of column, where rows are somebody's by way of another table (paths.c): its key, and what names that */
	Oid via;
	AttrNumber via_column;
	AttrNumber key; /* column of the entry */
	bool is_many;   /* may a person have several rows of it? */
	/* the verified query that the entry is; NULL for a table */
	struct GaussdpLevel *inner;
} GaussdpOwner;

/* A query level that reads protected rows, as verified. */
typedef struct GaussdpLevel
{
	Query *query;
	Bitmapset *protected;      /* the protected relations, as indexes in its range table */
	List *owners;              /* of GaussdpOwner: one for each of these */
	Bitmapset *missing;        /* those that an outer join may leave out of a person's row */
	const GaussdpOwner *owner; /* of one that is in each row that is somebody's: says whose */
	Bitmapset *relations;      /* all of FROM, as indexes in the range table */
	Bitmapset *extending;      /* joins that make up rows on the protected side, likewise */
	/* public relations whose rows appear whatever the protected ones are; if any extends */
	Bitmapset *stable;
	List *public;          /* of GaussdpPublicRelation */
	bool is_multiplied;    /* may one of them have several rows beside a protected row? */
	Bitmapset *key_tables; /* those of them that are joined for declared keys: none may */
	const char
		*left_out;    /* which rows are in no group for that, in words; NULL without key tables */
	List *conditions; /* of Node: by which rows are chosen and joined */
	List *calls;      /* of Aggref: each dp_ call written, equal or not */
	List *keys;       /* of Node: the grouping expressions */
	List *equated;    /* public.c: what it has learnt of conditions */
	int last_equated; /* the last of them that was asked for */
	bool is_free;     /* may the role read the rows by itself?  Then its answers cost nothing. */
	bool has_changed; /* has the query been joined to declared tables of its keys? */
	/* the dp_count in HAVING that hides small groups, if it is one, the least count shown, its delta */
	Aggref *count_test;
	int64 count_least;
	double count_delta;
	/* people.c: may a person own several rows of the level, which are weighed then? */
	bool is_weighted;
	int64
		max_rows; /* as how many rows a person counts; 0 until the parameter that says it is known */
	int64 max_groups;  /* in how many groups a person appears at most, where finds_groups */
	bool finds_groups; /* are the groups found in the data? */
	int nsets;         /* grouping sets, in each of which a person counts; 1 without */
	int of_many; /* tables in which a person may own several rows, joined here or in a sub-query */
	/* inner.c: of a query in the FROM of another one */
	AttrNumber owner_column; /* its column that says whose its row is */
	bool gives_many;         /* may it give several rows of a person? */
	List *ranges;            /* of its columns, for range.c */
	bool has_windows;        /* does it show window functions, which windows.c verifies? */
	bool is_distributed;     /* are its protected tables in shards, which Citus reads? */
} GaussdpLevel;

/*
 * Finds the levels of a query, proves each and cuts it out of the query, in place.  False where no entry needs a
 * proof (v->needs_proof), and the query is as it was, or where v holds a refusal.
 */
extern bool gaussdp_cut_levels(GaussdpVerifier *v, Query *query);

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

/*
 * Does the query show what its own FROM makes of protected rows, without dp_ calls?  What that may be is for
 * inner.c.
 */
extern bool gaussdp_shows_people(Query *query);

/* Does the query refer to columns or calls of a query around it?  CTEs around it may be read. */
extern bool gaussdp_is_correlated(Query *query);

/* Writes columns that USING merges out as what they stand for. */
extern void gaussdp_write_out_joins(Query *query);

/* Queries in it that show no row whatever the tables hold read none of them from now on. */
extern void gaussdp_empty_probes(Query *query);

/* flatten.c: makes a table of each item of FROM that only projects and filters one; before the walk. */
extern bool gaussdp_flatten_rows(GaussdpVerifier *v, Query *query);

/* flatten.c: does relation rti stand in FROM where an outer join may leave its rows out? */
extern bool gaussdp_may_be_missing(const Query *query, Index rti);

/* flatten.c: SELECT DISTINCT u -> SELECT u ... GROUP BY u, where nothing else is in the query that DISTINCT sees. */
extern void gaussdp_group_by_distinct(Query *q);

/* sublink.c: writes sub-selects in expressions that ask for a person's other rows as joins, in place. */
extern void gaussdp_write_sublinks_as_joins(GaussdpVerifier *v, Query *query);

/* columns.c: are all columns of tables what the parser has seen?  Before verify_level, which forgets typmods. */
extern bool gaussdp_verify_columns(GaussdpVerifier *v, Query *query);

/* Does a level that is otherwise proven use no column that the owner has hidden? (hidden.c) */
extern bool gaussdp_verify_hidden(GaussdpVerifier *v, Query *query);

/* level.c: verifies a level as it has been cut out; rewrites it in place.  Appends to v->levels. */
extern bool gaussdp_verify_level(GaussdpVerifier *v, Query *query);

/* level.c: it is known whose the rows of each protected table are. */
extern bool gaussdp_verify_units(GaussdpVerifier *v, GaussdpLevel *level);

/* level.c: FROM and its conditions, and that each row in it is somebody's. */
extern bool gaussdp_verify_rows(GaussdpVerifier *v, GaussdpLevel *level);

/* inner.c: queries in a level's FROM that show people's rows have no clause that depends on the order of rows. */
extern bool gaussdp_verify_inner_shapes(GaussdpVerifier *v, Query *level);

/* inner.c: verifies such a query, and rewrites it in place; NULL where v holds a refusal. */
extern GaussdpLevel *gaussdp_verify_inner(GaussdpVerifier *v, RangeTblEntry *entry);

/* inner.c: is this the unit of a relation that is in each row? */
extern bool gaussdp_is_unit(const GaussdpLevel *level, const Node *node);

/*
 * inner.c: is the aggregate's result, over these arguments, that of a set of rows, whatever their order?  The call
 * says where it stands.
 */
extern bool gaussdp_verify_exact(GaussdpVerifier *v, const GaussdpLevel *level, Oid aggregate,
								 List *args, Node *call);

/* windows.c: does each window hold rows of one person, and each function depend on them as a set? */
extern bool gaussdp_verify_windows(GaussdpVerifier *v, GaussdpLevel *level);

/* windows.c: does it matter to this call of a verified query in which order its window has equals? */
extern bool gaussdp_depends_on_equals(const WindowFunc *call, const Query *query);

/* windows.c: does the frame hold all rows of the partition, or all equals of its last one? */
extern bool gaussdp_frame_ends_with_equals(const WindowClause *window);

/* level.c: may rows be sorted, compared or hashed by the operators of these clauses? */
extern bool gaussdp_verify_sorting(GaussdpVerifier *v, List *clauses, List *targets);

/* keys.c: do values that are equal look the same? */
extern bool gaussdp_has_one_image(const GaussdpLevel *level, Node *expr);

/* scale.c: how many digits behind the point a numeric has, whatever the rows are; or -1. */
extern int gaussdp_fixed_scale(const GaussdpLevel *level, Node *node);

/* keys.c: verifies that what is shown of GROUP BY is the same whatever the order of rows; sets level->keys. */
extern bool gaussdp_verify_grouping(GaussdpVerifier *v, GaussdpLevel *level);

/* Verifies GROUP BY, and that no group tells of one person. */
extern bool gaussdp_verify_keys(GaussdpVerifier *v, GaussdpLevel *level);

/* keytable.c: is there, for each group key, a table that is declared to hold the public ones? */
extern bool gaussdp_has_key_tables(const GaussdpLevel *level);

/* keytable.c: joins the level's query to these tables; it is then another query, to be verified anew. */
extern bool gaussdp_join_key_tables(GaussdpVerifier *v, GaussdpLevel *level);

/* keytable.c: words a refusal of that query by what has been joined; always false. */
extern bool gaussdp_refuse_key_tables(GaussdpVerifier *v);

/* join.c: verifies FROM: protected relations, and public ones that are found by their rows. */
extern bool gaussdp_verify_join(GaussdpVerifier *v, GaussdpLevel *level);

/* join.c: the relations of FROM that the expression speaks of. */
extern Bitmapset *gaussdp_relations_of(const GaussdpLevel *level, Node *node);

/* public.c: may this relation be joined to a protected one? */
extern bool gaussdp_verify_public_entry(GaussdpVerifier *v, const GaussdpLevel *level, Index rti);

/*
 * public.c: do these conditions equate a unique key of the relation to expressions over known ones, so
 * that they hold for one of its rows at most?  *keys are the columns that do, for the rows to be asked.
 */
extern bool gaussdp_is_matched_once(GaussdpLevel *level, Index rti, List *conditions,
									const Bitmapset *known, List **keys);

/* public.c: columns of the relation that these conditions equate to known ones; a List of GaussdpEquality. */
extern List *gaussdp_known_equalities(GaussdpLevel *level, Index rti, List *conditions,
									  const Bitmapset *known);

/* matches.c: are these rows (of VALUES or of a function) constants, or made of constants and parameters alone? */
extern bool gaussdp_rows_are_constant(const RangeTblEntry *entry);

/*
 * matches.c: does the query read nothing but one generate_series?  One that stands in its list, without FROM, is put
 * into FROM first.
 */
extern bool gaussdp_is_calendar(Query *q);

/* join.c: expr IS NOT NULL */
extern Expr *gaussdp_make_present(Expr *expr);

/* join.c: rows that a join made up belong to nobody, and no call counts them. */
extern void gaussdp_count_present_rows_only(GaussdpLevel *level);

/* join.c: the relations of a tree of joins. */
extern Bitmapset *gaussdp_relations_in(Node *tree);

/* paths.c: does the condition say that the second entry's row belongs to the one row of the first that it names? */
extern bool gaussdp_follows_path(const GaussdpLevel *level, Node *condition, Index *above,
								 Index *below);

/* paths.c: refuses an entry whose rows nothing ties to a person; always false. */
extern bool gaussdp_refuse_untied(GaussdpVerifier *v, const GaussdpOwner *owner, int location,
								  const char *detail);

/* public.c: is there a unique index of the table all of whose columns are equated?  A List of GaussdpEquality. */
extern bool gaussdp_table_is_matched_once(Oid relation, List *equalities);

/* owners.c: finds the protected entries of FROM, and whose the rows of each are. */
extern bool gaussdp_find_owners(GaussdpVerifier *v, GaussdpLevel *level);

/* owners.c: the owner of a protected entry, or NULL for another one. */
extern const GaussdpOwner *gaussdp_owner_of_entry(const GaussdpLevel *level, Index rti);

/* owners.c: is this column of a protected entry the one that names the person? */
extern bool gaussdp_is_owner_column(const GaussdpLevel *level, const Var *var);

/* owners.c: is this a column of a protected table itself? */
extern bool gaussdp_is_column_of_table(const GaussdpLevel *level, const Node *node);

/* owners.c: the level's owner as a column of its FROM. */
extern Var *gaussdp_make_owner_var(const GaussdpLevel *level);

/* owners.c: whose row is a row of FROM?  Sets the level's owner; behind the joins. */
extern bool gaussdp_verify_owners(GaussdpVerifier *v, GaussdpLevel *level);

/* people.c: may a person have several rows of the level's FROM? */
extern bool gaussdp_has_several_rows(const GaussdpLevel *level);

/* people.c: of how many tables a person may have several rows beside one another in FROM; sets of_many. */
extern bool gaussdp_verify_many(GaussdpVerifier *v, GaussdpLevel *level);

/* people.c: by how much a person counts who may own several rows; behind the calls, before the keys. */
extern bool gaussdp_verify_people(GaussdpVerifier *v, GaussdpLevel *level);

/* people.c: is this call of the level dp_count(DISTINCT unit, ...)?  Then persons are counted. */
extern bool gaussdp_counts_people(const GaussdpLevel *level, const Aggref *agg);

/* A call of a level as aggregate/calls.h takes it. */
typedef struct GaussdpCallParts
{
	GaussdpCall call; /* a count of people has no value */
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	/* where rows are weighed: */
	Expr *value;    /* what it counts of a row; NULL without */
	bool of_people; /* one row of each person in each group */
	double k;       /* the last parameter of the weighted call */
	double
		most; /* as how many rows a person counts: k, but for dp_keep_group; sqrt(S) k of S grouping sets */
} GaussdpCallParts;

/*
 * people.c: takes a call apart; false where a parameter is no constant yet.  Over S grouping sets a person moves it by sqrt(S)
 * times as much: so epsilon is that of sqrt(S) times the noise.
 */
extern bool gaussdp_call_parts(const GaussdpLevel *level, const Aggref *agg,
							   GaussdpCallParts *parts);

/*
 * people.c: the delta of showing only groups whose count, by this call, is at least `least`; *smallest is the
 * smallest number for which it is no more than the call's own delta.
 */
extern double gaussdp_hiding_delta(const GaussdpLevel *level, const GaussdpCallParts *parts,
								   double least, double *smallest);

/* distributed.c: where Citus keeps its protected tables, can Citus compute the level?  Sets is_distributed; comes last. */
extern bool gaussdp_verify_distributed(GaussdpVerifier *v, GaussdpLevel *level);

/* Where an expression stands decides what it may contain. */
typedef enum GaussdpPlace
{
	GAUSSDP_ON_ROWS,  /* WHERE, FILTER, GROUP BY, arguments: listed functions of columns */
	GAUSSDP_IN_HAVING /* listed functions of group keys and dp_ calls */
} GaussdpPlace;

/* expression.c: may this expression stand there? level may be NULL where no column can occur. */
extern bool gaussdp_verify_expression(GaussdpVerifier *v, const GaussdpLevel *level,
									  Node *expression, GaussdpPlace place);

/* expression.c: finds the ranges of the columns of a query in FROM, which have been verified. */
extern void gaussdp_find_ranges(GaussdpLevel *level);

#endif /* GAUSSDP_POLICY_QUERY_H */
