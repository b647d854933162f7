/*
 * rewrite.h
 *		From a query as it was written to levels that can be proven.
 *
 * What is wrong here is refused by the proof, which takes nothing on trust.  In the order in which a query meets them:
 *
 *		contents.c	which of these steps a query is for: one walk, and most are for none
 *		unknown.c	what lock_down has closed is shown as unknown, in queries on the catalog
 *		plain.c		PostgreSQL's own aggregates become private calls, where a setting says so
 *		counterparts.c	which ones
 *		quotients.c	and quotients that mean an average, averages
 *		parts.c		UNION ALL of people's rows and public ones, two queries
 *		once.c			count(DISTINCT x) of rows that are named more than once, counts
 *		correlated.c	and numbers for each row of a public table, joins
 *		kept.c		which public relations an outer join keeps, and which outer joins are none
 *		nulls.c		which expressions are never NULL
 *		numbers.c	calls without epsilon and delta get those of settings or grants
 *		derived.c	bounds of expressions, from those that are declared for their columns (aggregate/bounds.c asks)
 *		range.c		ranges of what is computed of numbers
 *		find.c		finds the levels of a query, and what may stand around them
 *		empty.c		queries that show no row, whatever the tables hold, read none: probes for columns
 *		dependent.c	columns that depend on a group key become keys
 *		flatten.c	views, sub-selects and WITH queries that only project and filter are written out
 *		elements.c	elements of a person's array become rows of a sub-select
 *		calendar.c	a sub-select of generate_series is put into the form that the proof knows
 *		sublink.c	EXISTS, IN and sub-selects for a value about the same person become joins
 *		chosen.c	joins that choose rows by another level's groups become lists
 *		cut.c		a level is taken out of its query; a call of private_level stays in its FROM
 *		spelled.c	operators of arrays and documents are written out by others
 *		inputs.c	what has no column in it becomes an argument of that call
 *		complete.c	what the proof asks for is put in:
 *		paths.c		joins to the tables by way of which rows are somebody's
 *		guard.c		calls in the form in which they are known to be total
 *		shorten.c	texts of any length are cut before functions make other texts of them
 *		contain.c	what is not known to be total becomes NULL where it fails
 *		keytable.c	joins to the tables that are declared to hold the public keys, or to
 *		labels.c	the values that the catalog lists of a type
 *		images.c	group keys that look the same where they are equal
 *
 * The last eight run at execution, too, when the inputs of a level are known (policy/exec/room.c).
 */
#ifndef GAUSSDP_POLICY_REWRITE_REWRITE_H
#define GAUSSDP_POLICY_REWRITE_REWRITE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "policy/proof/proof.h"

typedef struct GaussdpContents
{
	bool has_aggregates; /* any aggregate, at any depth */
	bool has_calls;      /* a private one */
	bool has_catalog;    /* what gaussdp_show_unknown() may have to hide */
} GaussdpContents;

/* One walk, so that most queries, which have none, are not walked by each of these steps. */
extern GaussdpContents gaussdp_contents(Query *query);

/* Is this an entry of pg_class or the size of a relation or database? */
extern bool gaussdp_may_be_unknown(const Node *node);

/*
 * For a query that has such nodes, and a role that may not read all of pg_class: columns of it that the role may not read become what PostgreSQL shows of
 * a table that was never analyzed, and the sizes of relations and databases, where it may not execute their functions,
 * NULL.  True where something has: the plan then depends on the role.
 */
extern bool gaussdp_show_unknown(Query *query);

/* What there is to say of answers to plain SQL, once they are known to be legal. */
typedef struct GaussdpPlainNotes
{
	bool has_answers;
	bool has_extremes; /* min or max among them */
} GaussdpPlainNotes;

/*
 * Where gaussdp.answer_plain_sql is on: puts short private calls into the place of the query's own aggregates over
 * protected rows that need a proof, in place, and nothing else.  What comes out is proven like any other query.
 */
extern GaussdpPlainNotes gaussdp_answer_plain(Query *query);

/* NOTICEs of these. */
extern void gaussdp_tell_of_plain(const GaussdpPlainNotes *notes);

/* counterparts.c: in the query's list and HAVING; queries are the query, and those around it. */
extern void gaussdp_write_counterparts(Query *query, List *queries, GaussdpPlainNotes *notes);

/* counterparts.c: is it a call of measure(), of a date, time, interval or money as a number? */
extern bool gaussdp_is_measure(const Node *node);

/*
 * Quotients of the query's own sums and counts that mean an average become averages; queries are the query, and those around it.
 * Before the aggregates become private calls.
 */
extern void gaussdp_average_quotients(Query *query, List *queries);

/* counterparts.c: of integers, floats or numerics; not a domain. */
extern bool gaussdp_is_number(Oid type);

/* quotients.c: what plain SQL divides by an aggregate that comes out as 0 is NULL. */
extern void gaussdp_guard_divisors(Query *query);

/*
 * Is the expression, of the first of these queries, never NULL?  A key that may be NULL has rows in no label's group, which a query as
 * people type it would not miss, and a count of all rows counts more than a sum adds up.
 */
extern bool gaussdp_is_never_null(Node *node, List *queries);

/*
 * nulls.c: is it CAST(max(CASE WHEN x IS NULL THEN 1 ELSE 0 END) AS bigint), which Power BI adds to count(DISTINCT x): whether there is a row without x.
 * One person may decide it, and it is less than the noise of the count.
 */
extern bool gaussdp_is_one_for_null(Node *node);

/*
 * kept.c: the public relations of FROM whose rows an outer join keeps beside these protected ones, as far as no condition above drops
 * any; NULL where it keeps none.
 */
extern Bitmapset *gaussdp_kept_relations(Query *q, const Bitmapset *protected);

/* kept.c: is this group key computed of such relations alone? */
extern bool gaussdp_is_kept(Query *q, Node *key, const Bitmapset *kept);

/* kept.c: makes inner joins of outer joins of the query that a condition above them undoes, in place. */
extern void gaussdp_reduce_outer_joins(Query *q);

/*
 * Gives each short call of the query the epsilon and the delta that it lacks, as constants: those of the settings
 * gaussdp.epsilon and gaussdp.delta, else those of the grant that pays.  22023 where there are none.
 */
extern void gaussdp_fill_numbers(Query *query);

/* What a number may be that an expression computes, from low to high. */
typedef struct GaussdpRange
{
	double low;
	double high;
} GaussdpRange;

/* range.c: infinite where it is not known. */
extern GaussdpRange gaussdp_range_of(Node *node);

/* A gaussdp_derive_bounds_type: by the ranges of arithmetic, CASE and their like. */
extern bool gaussdp_derive_bounds(Node *value, List *queries, bool widest, double *lower,
								  double *upper);

/*
 * Finds the levels of a query, proves each and cuts it out of the query, in place.  False where no entry needs a
 * proof (v->needs_proof), and the query is as it was, or where v holds a refusal.
 */
extern bool gaussdp_cut_levels(GaussdpVerifier *v, Query *query);

/* Columns that depend on a primary key which is grouped by become group keys, in each query of it. */
extern void gaussdp_group_by_dependents(Query *query);

/* Queries in it that show no row whatever the tables hold read none of them from now on. */
extern void gaussdp_empty_probes(Query *query);

/* empty.c: is it done when it shows nothing? */
extern bool gaussdp_only_shows(const Query *query);

/* preview.c: would it be a preview of rows as a statement of its own? */
extern bool gaussdp_is_written_as_preview(Query *query);

/* preview.c: is it a preview of rows, and the condition that says so to a client, and is never true. */
extern bool gaussdp_is_preview(Query *query);
extern Node *gaussdp_make_told(Query *query);

/* flatten.c: makes a table of each item of FROM that only projects and filters one; before the walk. */
extern bool gaussdp_flatten_rows(GaussdpVerifier *v, Query *query);

/* flatten.c: what remains of an entry that nothing reads any more: a view is still checked and locked. */
extern void gaussdp_retire_entry(RangeTblEntry *entry);

/* chosen.c: joins to another level's groups that only choose rows become lists, in place; v->queries begins with the query. */
extern void gaussdp_choose_by_lists(GaussdpVerifier *v, Query *query);

/* flatten.c: does relation rti stand in FROM where an outer join may leave its rows out? */
extern bool gaussdp_may_be_missing(const Query *query, Index rti);

/* elements.c: unnest() of a column of protected rows, in FROM or as a group key, becomes a sub-select of people's rows, in place. */
extern void gaussdp_take_elements(Query *query);

/* flatten.c: SELECT DISTINCT u -> SELECT u ... GROUP BY u, where nothing else is in the query that DISTINCT sees. */
extern void gaussdp_group_by_distinct(Query *q);

/* correlated.c: writes sub-selects that count protected rows for each row of a public table as joins, in place. */
extern void gaussdp_join_correlated(Query *query);

/* sublink.c: LEFT JOIN sub around all of FROM, whose condition the caller sets; *join is the join's index.  The index of sub. */
extern Index gaussdp_join_left(Query *q, Query *sub, JoinExpr **expr, Index *join);

/* sublink.c: the last column of sub above that join, or, where its first one is NULL, the other expression. */
extern Expr *gaussdp_column_or(const Query *sub, Index rti, Index join, Expr *without_rows);

/* sublink.c: what a value computed of aggregates is over no row; it has columns left where that is not known. */
extern Expr *gaussdp_value_without_rows(Expr *value);

/* sublink.c: writes sub-selects in expressions that ask for a person's other rows as joins, in place. */
extern void gaussdp_write_sublinks_as_joins(GaussdpVerifier *v, Query *query);

/*
 * Verifies the query, whose own FROM names a protected table, as a level, and leaves the query around it in
 * its place; false where it is refused.  v->queries begins with the query and those around it.
 */
extern bool gaussdp_cut_level(GaussdpVerifier *v, Query *query);

/* spelled.c: in all expressions of a level and of queries in its FROM, in place. */
extern void gaussdp_spell_out(Query *level);

/*
 * Takes every largest expression that holds no column and no call out of a level: a parameter whose number is
 * its place (from 1) among the expressions that are returned, a List of Node, stands there instead.  There is
 * always a first one, a constant.  What may be constant and is not (it is volatile, it depends on rows) stays,
 * and the verifier says what it thinks of it.
 */
extern List *gaussdp_take_inputs(Query *level);

/*
 * Rewrites the level's query, whose protected entries are marked, in place, until it is proven: then it is appended to
 * v->levels.  False where v holds a refusal.
 */
extern bool gaussdp_complete_level(GaussdpVerifier *v, Query *query);

/* Writes columns that USING merges out as what they stand for. */
extern void gaussdp_write_out_joins(Query *query);

/* complete.c: what the planner would cast in the arms of a UNION ALL is cast there, and proven like all else. */
extern void gaussdp_cast_arms(Query *q);

/* parts.c: where the entry is UNION ALL of these arms, which have rows of people, and of public ones, each kind is counted by itself. */
extern void gaussdp_add_up_parts(Query *q, Index rti, const Bitmapset *of_people);

/* images.c: shows group keys whose equal values may look different in one form; false where one of them has none. */
extern bool gaussdp_show_one_image(const GaussdpLevel *level, Query *query);

/*
 * paths.c: joins each table whose rows are somebody's by way of another one to that, where the query does not.  The query's columns of joins
 * have been written out.
 */
extern void gaussdp_join_paths(Query *q);

/*
 * paths.c: does the first of these queries group by what names one row of a protected table: unique columns of its own, or the key of a
 * path?
 */
extern bool gaussdp_groups_by_row(Query *q, List *queries);

/* paths.c: do these columns do so? */
extern bool gaussdp_names_row(const RangeTblEntry *entry, const Bitmapset *columns);

/* paths.c: where the query groups by a column that names a row, it groups by that row's owner, too. */
extern void gaussdp_group_by_owner(Query *q, const Var *owner);

/* paths.c: likewise windows. */
extern void gaussdp_partition_by_owner(Query *q, const Var *owner);

/* once.c: counts of different rows that FROM names more than once, as counts of the first that names each. */
extern void gaussdp_count_rows_once(Query *q, List *queries);

/* counterparts.c: count(DISTINCT CASE WHEN p THEN x END) -> count(DISTINCT x) FILTER (WHERE p), of any number of branches that are x or NULL. */
extern void gaussdp_filter_by_case(Aggref *agg);

/* counterparts.c: is the expression, of the first of these queries, a different value in each row of FROM, which has one relation? */
extern bool gaussdp_is_key_of_rows(const Node *expr, Oid eqop, List *queries);

/* keytable.c: left = right, by an operator whose operands these are, but for the names of their types. */
extern Expr *gaussdp_make_equality(Oid operator, Node * left, Node *right, Oid collation);

/* labels.c: the values that the catalog lists of the type, in their order: a List of Const, NIL of most types. */
extern List *gaussdp_labels(Oid type);

/* An enumeration's value as text, by the names that it has now; the cast itself for other types, or too many names. */
extern Node *gaussdp_label_as_text(CoerceViaIO *io);

/*
 * labels.c: are there such values for this group key, and not too many combinations?  Multiplies these, which begin
 * with 1.
 */
extern bool gaussdp_has_labels(Node *key, int64 *combinations);

/* labels.c: is the column declared NOT NULL? */
extern bool gaussdp_is_not_null(Oid relation, AttrNumber column);

/* keytable.c: is there, for each group key, a table that is declared to hold the public ones, or are they labels? */
extern bool gaussdp_has_key_tables(const GaussdpLevel *level);

/*
 * keytable.c: joins the query to these tables, where it is then known which rows are made up (level->extending).  Sets v->key_tables;
 * false where v holds a refusal.
 */
extern bool gaussdp_join_key_tables(GaussdpVerifier *v, GaussdpLevel *level, Query *query);

/* keytable.c: words a refusal of that query by what has been joined; always false. */
extern bool gaussdp_refuse_key_tables(GaussdpVerifier *v);

/*
 * Puts calls into the form in which they are known to be total, where they have one.  A field of a document that is an object or an array is
 * NULL as text (->>).  Done to all expressions of the query alike, so that a group key stays equal to its copies.
 */
extern void gaussdp_guard_level(Query *query);

/* Makes what is not known to be total NULL where it fails (policy/contained/contained.h), in all expressions of the query, in place. */
extern void gaussdp_contain_level(Query *query);

/* The call with its argument cut, or the text that it takes out of a document or an array; or the node as it is. */
extern Node *gaussdp_shorten(Node *node, const Query *query);

/*
 * Does the query read nothing but one generate_series?  One that stands in its list, without FROM, is put
 * into FROM first.
 */
extern bool gaussdp_is_calendar(Query *q);

#endif /* GAUSSDP_POLICY_REWRITE_REWRITE_H */
