/*
 * internal.h
 *		What the files of the proof ask one another.
 */
#ifndef GAUSSDP_POLICY_PROOF_INTERNAL_H
#define GAUSSDP_POLICY_PROOF_INTERNAL_H

#include "postgres.h"

#include "declaration/declaration.h"
#include "policy/proof/proof.h"
#include "policy/proof/storage.h"

/* level.c: it is known whose the rows of each protected table are. */
extern bool gaussdp_verify_units(GaussdpVerifier *v, GaussdpLevel *level);

/* level.c: FROM and its conditions, and that each row in it is somebody's. */
extern bool gaussdp_verify_rows(GaussdpVerifier *v, GaussdpLevel *level);

/* inner.c: verifies such a query; NULL where v holds a refusal. */
extern GaussdpLevel *gaussdp_verify_inner(GaussdpVerifier *v, const RangeTblEntry *entry);

/*
 * exact.c: is the aggregate's result, over these arguments, that of a set of rows, whatever their order?  The call
 * says where it stands.
 */
extern bool gaussdp_verify_exact(GaussdpVerifier *v, const GaussdpLevel *level, Oid aggregate,
								 List *args, Node *call);

/* windows.c: does each window hold rows of one person, and each function depend on them as a set? */
extern bool gaussdp_verify_windows(GaussdpVerifier *v, GaussdpLevel *level);

/* expression.c: may rows be sorted, compared or hashed by the operators of these clauses? */
extern bool gaussdp_verify_sorting(GaussdpVerifier *v, List *clauses, List *targets);

/* columns.c: the expression, where it is only called a value of its domain's base type, or of a domain. */
extern Node *gaussdp_without_domain(Node *node);

/* scale.c: how many digits behind the point a numeric has, whatever the rows are; or -1. */
extern int gaussdp_fixed_scale(const GaussdpLevel *level, Node *node);

/* keys.c: verifies the expressions of GROUP BY; sets level->keys. */
extern bool gaussdp_verify_grouping(GaussdpVerifier *v, GaussdpLevel *level);

/* keys.c: verifies that what is shown of them is the same whatever the order of rows. */
extern bool gaussdp_verify_images(GaussdpVerifier *v, GaussdpLevel *level);

/* Verifies GROUP BY, and that no group tells of one person. */
extern bool gaussdp_verify_keys(GaussdpVerifier *v, GaussdpLevel *level);

/* join.c: verifies FROM: protected relations, and public ones that are found by their rows. */
extern bool gaussdp_verify_join(GaussdpVerifier *v, GaussdpLevel *level);

/* level_facts.c: the relations of FROM that the expression speaks of. */
extern Bitmapset *gaussdp_relations_of(const GaussdpLevel *level, Node *node);

/* public.c: may this relation be joined to a protected one? */
extern bool gaussdp_verify_public_entry(GaussdpVerifier *v, const GaussdpLevel *level, Index rti);

/*
 * public.c: do these conditions equate a unique key of the relation to expressions over known ones, so
 * that they hold for one of its rows at most?  *keys are the columns that do, for the rows to be asked.
 */
extern bool gaussdp_is_matched_once(GaussdpLevel *level, Index rti, List *conditions,
									const Bitmapset *known, List **keys);

/* matches.c: are these rows (of VALUES or of a function) constants, or made of constants and parameters alone? */
extern bool gaussdp_rows_are_constant(const RangeTblEntry *entry);

/* level_facts.c: is the first condition of the call's FILTER that the row is a person's, and none that a join has made up? */
extern bool gaussdp_counts_present_rows_only(const GaussdpLevel *level, const Aggref *agg);

/* level_facts.c: does the call's FILTER have other conditions? */
extern bool gaussdp_has_filter(const GaussdpLevel *level, const Aggref *agg);

/* Two entries that name the same row of a table, whose owner is theirs.  named: the one that is that row itself, or 0. */
typedef struct GaussdpSameRow
{
	Index a;
	Index b;
	Index named;
} GaussdpSameRow;

/* paths.c: of which entries do these conditions say so, together?  A List of GaussdpSameRow. */
extern List *gaussdp_same_rows(const GaussdpLevel *level, List *conditions);

/* paths.c: refuses an entry whose rows nothing ties to a person; always false. */
extern bool gaussdp_refuse_untied(GaussdpVerifier *v, const GaussdpOwner *owner, int location,
								  const char *detail);

/* owners.c: finds the protected entries of FROM, and whose the rows of each are. */
extern bool gaussdp_find_owners(GaussdpVerifier *v, GaussdpLevel *level);

/* owners.c: are these tables about the same people? */
extern bool gaussdp_are_one_population(Oid a, Oid b);

/* level_facts.c: is this column of a protected entry the one that names the person? */
extern bool gaussdp_is_owner_column(const GaussdpLevel *level, const Var *var);

/* level_facts.c: is this a column of a protected table itself? */
extern bool gaussdp_is_column_of_table(const GaussdpLevel *level, const Node *node);

/* owners.c: whose row is a row of FROM?  Sets the level's owner; behind the joins. */
extern bool gaussdp_verify_owners(GaussdpVerifier *v, GaussdpLevel *level);

/* people.c: may a person have several rows of the level's FROM? */
extern bool gaussdp_has_several_rows(const GaussdpLevel *level);

/* people.c: of how many tables a person may have several rows beside one another in FROM; sets of_many. */
extern bool gaussdp_verify_many(GaussdpVerifier *v, GaussdpLevel *level);

/* people.c: by how much a person counts who may own several rows; behind the calls, before the keys. */
extern bool gaussdp_verify_people(GaussdpVerifier *v, GaussdpLevel *level);

/* expression.c: may this expression stand there? level may be NULL where no column can occur. */
extern bool gaussdp_verify_expression(GaussdpVerifier *v, const GaussdpLevel *level,
									  Node *expression, GaussdpPlace place);

/*
 * Why it is not known whose rows the table has: NULL when its declared unit column is NOT NULL
 * and, unless it is unique, can be sorted and compared without telling of its values; otherwise the
 * rest of a sentence for the DETAIL.  A partition may be named by itself: its rows are those of the table above
 * it, in the same population.
 */
extern const char *gaussdp_unit_problem(Oid relation);

/*
 * Why rows of a person cannot be found by sorting the unit column, as they are where a person may own several rows
 * of a level; the rest of a sentence, or NULL.
 */
extern const char *gaussdp_unit_comparison_problem(Oid relation);

/*
 * Does a person own one row of the table at most?  Its declared unit column has a valid, immediate, complete
 * unique index of its own, by the equality that tells people apart; for a partition that is named by itself its own index is what counts.
 */
extern bool gaussdp_unit_is_unique(Oid relation);

/*
 * Does the entry, which a view reads as somebody else, show rows that row security would keep from the current role
 * itself?
 */
extern bool gaussdp_entry_shows_hidden_rows(List *permissions, const RangeTblEntry *entry);

/* May the current role itself read the whole table: each column, and without row security each row? */
extern bool gaussdp_may_read_all(Oid relation);

/*
 * The equality by which one of the columns of a table that has a path names a row of the table that it leads to; false where there
 * is none.
 */
extern bool gaussdp_path_equality(Oid relation, const GaussdpTable *table, int key, Oid *opno,
								  Oid *collation);

/* expression.c: adds a value that stands in rows of the level, with others, to what these may hold together. */
extern bool gaussdp_verify_width(GaussdpVerifier *v, GaussdpLevel *level, Node *value);

/* expression.c: the same of what conditions compare with each other. */
extern bool gaussdp_verify_widths_of_comparisons(GaussdpVerifier *v, GaussdpLevel *level,
												 Node *conditions);

/* hidden.c: does a level that is otherwise proven use no column that the owner has hidden? */
extern bool gaussdp_verify_hidden(GaussdpVerifier *v, const Query *query);

/* executed.c: may the role execute all functions of a level? */
extern bool gaussdp_verify_executed(GaussdpVerifier *v, const Query *query);

#endif /* GAUSSDP_POLICY_PROOF_INTERNAL_H */
