/*
 * declaration.h
 *		What owners have said of tables, columns and people, as every other part reads it.
 *
 * Declarations are security labels of the provider "gaussdp".  This part knows none of the others but the core.
 *
 *		label.c			their grammar, checked as they are written
 *		lookup.c		declarations as they are now, cached
 *		functions.c		what SQL functions and views need of them
 *		population.c	whose data a protected table holds: the one place of that rule
 *		owner.c			who owns a table, and so decides about it
 *		coordinator.c	declarations and budgets are made on the coordinator of a cluster of Citus
 *
 * Grammar, each item at most once, in this order:
 *		on a table		protected [max_rows=INTEGER | max_rows=found] [max_groups=INTEGER] [people=NAME | via=TABLE(COLUMN)]
 *		on a column		[unit] [references=COLUMN] [bounds=[NUMBER,NUMBER]] [keys=TABLE(COLUMN)] [hidden]
 * NAME is an SQL identifier, TABLE one with its schema; both may be quoted.
 *
 * Invariants
 *		A table whose declaration is damaged or has become untrue is still protected: usable is false and
 *		problem says why.  A table without a label is protected when a partitioned table above it is.
 *		What is declared is looked at again whenever it is asked for; a change of a label invalidates
 *		cached plans and the caches of all sessions.
 */
#ifndef GAUSSDP_DECLARATION_H
#define GAUSSDP_DECLARATION_H

#include "postgres.h"

#include "access/attnum.h"

/* What may be declared, and what holds where nothing is said. */
#define GAUSSDP_MOST_ROWS (INT64CONST(1) << 32)
#define GAUSSDP_MOST_GROUPS (INT64CONST(1) << 20)
#define GAUSSDP_DEFAULT_GROUPS 100

/* In place of a number of rows: it is found in the rows by each query, privately.  A label says "found". */
#define GAUSSDP_FOUND_ROWS 0

/* So many tables a path goes through, the last of which names persons. */
#define GAUSSDP_MOST_STEPS 8

/* So many columns the key of a path has. */
#define GAUSSDP_MOST_PATH_KEYS 8

/* A column of a table that has a path, and the column of the table above that it equals. */
typedef struct GaussdpPathKey
{
	AttrNumber column;
	AttrNumber via_column;
} GaussdpPathKey;

/* A protected table. */
typedef struct GaussdpTable
{
	Oid relid;   /* the relation that carries the label: the table or a partitioned one above */
	bool usable; /* false: refuse everything, for the reason in problem */
	const char *problem; /* a constant; NULL where usable */
	AttrNumber unit;     /* the column, of the relation asked for, that says whose row it is */
	/*
	 * where a person owns several rows: as how many they may count together (1 to 2^32, or GAUSSDP_FOUND_ROWS), and in how many groups
	 * that are found in the data (1 to 2^20); enforced, not believed
	 */
	int64 max_rows;
	int64 max_groups;
	char people[NAMEDATALEN]; /* population; empty: that of people_of alone */
	Oid people_of; /* the relation, relid or the end of its path, whose label says of which people */
	/*
	 * Where rows name no person but a row of another protected table, whose owner is theirs: that table, and the columns
	 * that name its row, the unit first.  InvalidOid where they name a person, or where the path leads nowhere.
	 */
	bool has_path;
	Oid via;
	int nkeys;
	GaussdpPathKey keys[GAUSSDP_MOST_PATH_KEYS];
} GaussdpTable;

/* A column's declaration. */
typedef struct GaussdpColumn
{
	bool has_bounds;
	double lower; /* finite, lower < upper, within the range of the column's type */
	double upper;
	Oid key_table; /* holds the public keys of the column; InvalidOid where not declared, or gone */
	AttrNumber key_column;
	bool is_hidden; /* no private query may use it */
} GaussdpColumn;

/* Is this relation protected?  If so, *table tells the rest; table may be NULL. */
extern bool gaussdp_table(Oid relid, GaussdpTable *table);

/* What is declared of a column; false, and *column empty, where nothing is or it no longer holds. */
extern bool gaussdp_column(Oid relid, AttrNumber attnum, GaussdpColumn *column);

/*
 * Called before a table leaves one population, joins another, or both; NULL: none, empty: the table's
 * own.  The ledger installs it, since budgets hang on populations; it may refuse.
 */
typedef void (*gaussdp_people_hook_type)(Oid relid, const char *from, const char *to);
extern gaussdp_people_hook_type gaussdp_people_hook;

/* Registers the label provider and the invalidation callback; called once, by _PG_init. */
extern void gaussdp_declaration_init(void);

/* Its part in lookup.c: the invalidation callback. */
extern void gaussdp_lookup_init(void);

/* ---------------------------------------------------------------------------
 * Grammar (label.c), for lookup.c and the SQL functions
 * ---------------------------------------------------------------------------
 */

/* The text of a label, taken apart. */
typedef struct GaussdpLabel
{
	bool is_protected; /* table */
	int64 max_rows;    /* 1 where not said */
	int64 max_groups;  /* GAUSSDP_DEFAULT_GROUPS where not said */
	char people[NAMEDATALEN];
	bool has_path;
	char via_schema[NAMEDATALEN];
	char via_table[NAMEDATALEN];
	char via_column[NAMEDATALEN];
	bool is_unit; /* column */
	char references
		[NAMEDATALEN]; /* column of the table above that it equals beside the unit; empty: none */
	bool has_bounds;
	double lower;
	double upper;
	bool has_keys;
	char key_schema[NAMEDATALEN];
	char key_table[NAMEDATALEN];
	char key_column[NAMEDATALEN];
	bool is_hidden;
} GaussdpLabel;

/*
 * Takes the label of a table or a column apart.  Returns NULL, or what was expected instead of what
 * stands at character *position (from 1 on).
 */
extern const char *gaussdp_label_parse(const char *text, bool is_column, GaussdpLabel *label,
									   int *position);

/* The same the other way; palloc'd, NULL for a label that says nothing. */
extern char *gaussdp_label_format(const GaussdpLabel *label, bool is_column);

/*
 * Why these bounds don't suit a column of this type: a sentence, NULL where they do.
 */
extern const char *gaussdp_bounds_problem(Oid type, double lower, double upper);

#endif /* GAUSSDP_DECLARATION_H */
