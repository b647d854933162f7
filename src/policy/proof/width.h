/*
 * width.h
 *		How long the values are that an expression computes.
 *
 * PostgreSQL fails where a value or a row becomes longer than 1 GB, and some functions need eight bytes of memory for each
 * byte of a text.  So functions that make texts take short ones, and the computed values of a row have a limit together.
 */
#ifndef GAUSSDP_POLICY_PROOF_WIDTH_H
#define GAUSSDP_POLICY_PROOF_WIDTH_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

/* A text that functions may make another one of is at most this long, in bytes. */
#define GAUSSDP_SHORT_WIDTH (1024.0 * 1024)

/* All values of a row that are computed are together at most this long. */
#define GAUSSDP_ROW_WIDTH (128.0 * 1024 * 1024)

/* Longer texts are cut to so many letters before functions make other texts of them (policy/rewrite/shorten.c). */
#define GAUSSDP_LONGEST_TEXT 30000

/* What rows are compared by is at most so long, and an array whose elements become rows: else it is NULL (exec/row_width.c). */
#define GAUSSDP_COMPARED_WIDTH (64.0 * 1024)

/* The most bytes of a value of this expression, rounded up; infinite where it is not known. */
extern double gaussdp_width_of(Node *node);

/* The same of the result of a call. */
extern double gaussdp_width_of_call(Oid function, List *args, Oid type);

/* A column in a stored row: no longer than a page, or a pointer. */
#define GAUSSDP_STORED_WIDTH ((double) BLCKSZ)

/*
 * The most bytes of it in a row, where columns that are passed on have so many: one that is stored stays compressed, or a
 * pointer, one of a query in FROM is what that has computed.
 */
extern double gaussdp_width_in_row(Node *node, double column_width);

/* What is computed of a row, be it short, takes at most so many bytes until the row is done. */
#define GAUSSDP_ROW_MEMORY (256.0 * 1024 * 1024)

/* The most bytes that all expressions in the tree take for one row, those aside that look at values of any length. */
extern double gaussdp_memory_of(Node *tree);

/* The values of which such an expression gives one as it is, as coalesce(x, y) does; NIL for any other. */
extern List *gaussdp_choices(Node *node);

/* Has a column of that type and typmod a limit that PostgreSQL keeps?  varchar(10), char(10) */
extern bool gaussdp_has_limit(Oid type, int32 typmod);

#endif /* GAUSSDP_POLICY_PROOF_WIDTH_H */
