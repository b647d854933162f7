/*
 * rows.h
 *		Rows of the ledger's tables, read and written without queries.  Private to ledger/.
 *
 * For what every charge does: a query takes 20 us to start and to end, planned or not, and all sessions of a batch
 * wait for it.  Needs a transaction, and takes no rights: whoever calls has checked them.
 */
#ifndef GAUSSDP_LEDGER_ROWS_H
#define GAUSSDP_LEDGER_ROWS_H

#include "postgres.h"

#include "access/genam.h"
#include "access/skey.h"
#include "nodes/execnodes.h"

#define GAUSSDP_MAX_ROW_KEYS 4

/* A table of schema gaussdp_internal that is open, and one of its rows. */
typedef struct GaussdpRows
{
	Relation rel;
	LOCKMODE mode;
	ResultRelInfo *target;
	EState *estate;
	BlockNumber npages;
	TupleTableSlot *row;     /* the one that was locked or found last */
	TupleTableSlot *changed; /* what becomes of it, or a new one */
	bool is_new;

	int nkeys; /* of the scan that is to begin */
	ScanKeyData keys[GAUSSDP_MAX_ROW_KEYS];
	SysScanDesc scan; /* NULL: none */
} GaussdpRows;

/* Opens a table, to see what is committed by now; to be closed in the same order as active snapshots. */
extern GaussdpRows *gaussdp_open_rows(const char *table, LOCKMODE mode);
extern void gaussdp_close_rows(GaussdpRows *rows);

/* A column of rows->row or rows->changed. */
extern Datum gaussdp_row_value(TupleTableSlot *row, const char *column, bool *isnull);

/*
 * Finds rows by equality of columns of types text, oid (and those like it) and "char", in an index whose first columns are
 * these; without that index, in the whole table.  Without keys: all rows that are in the index.
 */
extern void gaussdp_add_key(GaussdpRows *rows, const char *column, Datum value);
extern void gaussdp_find_rows(GaussdpRows *rows, const char *index);
extern bool gaussdp_next_row(GaussdpRows *rows); /* false: no more; the scan has ended */

/*
 * Locks the row at a place for this transaction, and takes it over as it is now.  False: it is no longer there, or
 * another transaction has locked it.
 */
extern bool gaussdp_lock_row(GaussdpRows *rows, ItemPointer at);

/*
 * Changes the row that was locked, column by column, or makes a new one; then writes it, and returns where it is.
 * Afterwards rows->changed is what was written.
 */
extern void gaussdp_begin_change(GaussdpRows *rows);
extern void gaussdp_begin_insert(GaussdpRows *rows);
extern void gaussdp_set_value(GaussdpRows *rows, const char *column, Datum value);
extern ItemPointerData gaussdp_write_row(GaussdpRows *rows);

#endif /* GAUSSDP_LEDGER_ROWS_H */
