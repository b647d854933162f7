/*
 * contained.h
 *		Expressions on protected rows whose errors are NULL.
 *
 * A call of contained(NULL::type, expression, $1, $2, ...) evaluates the expression, a tree of nodes in a constant, and is NULL where
 * that fails: so a function that no proof shows to be total may run on protected rows, if it is pure.  What the expression holds is
 *
 *		pure		functions of PostgreSQL's that read nothing but their arguments, by a list that is made by a rule (pure.c), and
 *					such of extensions, as a superuser has declared (allowed.c)
 *		strict		NULL if any argument is, so that one call for a whole tree is the same as one for each of its functions
 *		small		arguments, results and what is between them, so that time and memory are limited, too (limits.c)
 *
 *		contained.c	the function
 *		tree.c		how such a call is made, and what it computes
 *		sql.c		such a call with its expression as SQL, for servers of Citus
 *		pure.c		which expressions are pure: asked by the proof, and again by the function
 *		quick.c		single calls of common functions, without the executor
 *		allowed.c	functions of extensions
 *		limits.c	how large values may be
 *		alone.c		proven expressions that look at long values, in memory of their own
 *		pure_functions.inc	the list, made by test/pure from test/module/pure.sql
 *
 * If this is wrong, the guarantee breaks.  Other folders include this header, and no other one of this folder.
 */
#ifndef GAUSSDP_POLICY_CONTAINED_CONTAINED_H
#define GAUSSDP_POLICY_CONTAINED_CONTAINED_H

#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/pg_list.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "compat.h"

/* All arguments of a call together, and each value of varying length on the way to its result, have at most so many bytes, or it is NULL. */
#define GAUSSDP_CONTAINED_ARGUMENTS (8 * 1024)

/* A constant in an expression has at most so many. */
#define GAUSSDP_CONTAINED_CONSTANT 1024

/* A result has at most so many, or it is NULL. */
#define GAUSSDP_CONTAINED_RESULT (64 * 1024)

/* A numeric has at most so many digits before the point, and behind it. */
#define GAUSSDP_CONTAINED_DIGITS 1000

/* A document is at most so deep: functions of documents call themselves for each level. */
#define GAUSSDP_CONTAINED_DEPTH 100

/* Nodes of an expression. */
#define GAUSSDP_CONTAINED_NODES 200

/* What an expression of long values may take, evaluated alone, or the result is NULL: so many bytes. */
#define GAUSSDP_ALONE_MEMORY ((Size) 256 * 1024 * 1024)

/* An array of more elements is NULL where their number or its bytes matter to a level. */
#define GAUSSDP_MOST_ELEMENTS 10000

/* tree.c: the parameter that stands for the argument, which is added to these where it is not among them. */
extern Param *gaussdp_parameter_for(List **args, Node *arg);

/* tree.c: a call that evaluates the proven expression alone, in which $n is the n-th of these arguments. */
extern FuncExpr *gaussdp_make_alone(Node *expression, List *args);

/* tree.c: is it such a call? */
extern bool gaussdp_is_alone(const Node *node);

/* tree.c: a call that gives the value, or NULL where that is longer than so many bytes. */
extern FuncExpr *gaussdp_make_at_most(Node *value, Size bytes);

/* tree.c: is it such a call?  It looks up nothing by its argument. */
extern bool gaussdp_is_at_most(const Node *node);

/* tree.c: the expression that is the value of this constant; NULL where it is none. */
extern Node *gaussdp_tree_of(Node *constant);

/* The call by which the function is called; NULL where no query has one, as where the protocol calls it. */
extern FuncExpr *gaussdp_call_in_query(const FmgrInfo *function);

/* A value of varying length as it is in memory; its own copy where it is compressed or stored elsewhere. */
static inline Datum
gaussdp_plain_value(Datum value)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);

	/* VARATT_IS_SHORT is true of pointers to TOAST tables, too. */
	if (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer))
		return PointerGetDatum(pg_detoast_datum_packed(pointer));
	return value;
}

/* tree.c: a call that evaluates the expression, in which $n is the n-th of these arguments. */
extern FuncExpr *gaussdp_make_contained(Expr *expression, List *args);

/* sql.c: the expression that is written so, in which $n is the n-th of these arguments. */
extern Node *gaussdp_read_sql(const char *sql, List *args);

/* tree.c: a call that evaluates the expression by this SQL. */
extern FuncExpr *gaussdp_make_contained_sql(Node *expression, const char *sql, List *args);

/* sql.c: may all such calls of the query be written so?  And the query with them. */
extern bool gaussdp_contained_have_sql(const Query *query);
extern Query *gaussdp_with_contained_sql(Query *query);

/* tree.c: is it such a call? */
extern bool gaussdp_is_contained(const Node *node);

/* tree.c: its expression, with $n, and the arguments for these; NULL where it is not one constant. */
extern Expr *gaussdp_contained_expression(const FuncExpr *call);
extern List *gaussdp_contained_arguments(const FuncExpr *call);

/* tree.c: lets the session know what the first row of an expression, or of such a call, would look up. */
extern void gaussdp_load_expression(Expr *expression, List *args);
extern void gaussdp_load_contained(const FuncExpr *call);
extern void gaussdp_load_alone(const FuncExpr *call);

/* tree.c: has each $n of the expression an argument, of its type? */
extern bool gaussdp_parameters_match(Node *expression, List *args);

/* tree.c: its expression and its arguments: who walks through these sees each once, where such calls stand within one another. */
extern List *gaussdp_contained_parts(const FuncExpr *call);

/* tree.c: a contained call's expression over its arguments, which is what it computes; any other node as it is. */
extern Node *gaussdp_opened(Node *node);

/*
 * pure.c: why an expression may not be evaluated so: the rest of a sentence that begins with "the expression"; NULL where it may.
 * args are what $n stands for, or NIL where only types are known.  An argument that is an input of the level counts as a
 * constant before that has a value.
 */
extern const char *gaussdp_contained_problem(Node *expression, List *args);

/*
 * pure.c: may the expression be evaluated, as far as the function itself asks?  Of functions of extensions it is not asked, in the middle of
 * a level, what a superuser has declared: their call has been proven, or somebody calls contained() by hand, with what the catalogs have.
 */
extern bool gaussdp_may_be_contained(Node *expression);

/* quick.c: the value of a call of two arguments, not NULL, in the caller's memory; false where it has none, or that is not certain. */
typedef bool (*GaussdpQuickFunction)(Datum a, Datum b, Datum *result);

/* Such a call: each argument is a parameter, or a constant where its number is 0. */
typedef struct GaussdpQuick
{
	GaussdpQuickFunction function;
	int params[2];
	Datum constants[2];
} GaussdpQuick;

/* quick.c: is the expression one? */
extern bool gaussdp_find_quick(const Node *expression, GaussdpQuick *quick);

/* allowed.c: has a superuser declared the function, as it is now?  And could one? */
extern bool gaussdp_is_allowed(Oid function);
extern bool gaussdp_may_be_pure(Oid function);

/* allowed.c: a type of PostgreSQL's or a base type, which a superuser has made, or an array of these. */
extern bool gaussdp_is_plain_type(Oid type);

/* limits.c: has a numeric, or a document, more digits or a greater depth than contained values may have? */
extern bool gaussdp_is_wide_inside(Datum value, Oid type);

/* Is a value of this type of varying length, which is not NULL and not compressed, larger than contained values may be? */
static inline bool
gaussdp_is_wide(Datum value, Oid type, Size limit)
{
	return VARSIZE_ANY(DatumGetPointer(value)) > limit ||
		   ((type == NUMERICOID || type == JSONBOID) && gaussdp_is_wide_inside(value, type));
}

/* limits.c: a copy of the expression that fails where a value between its functions is wide, or a text names a zone. */
extern Expr *gaussdp_limited(Expr *expression);

#endif /* GAUSSDP_POLICY_CONTAINED_CONTAINED_H */
