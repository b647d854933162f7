/*
 * recent.h
 *		Queries that were charged in this second, to count equal ones in one row of the journal.
 *		Private to ledger/, for the worker.
 */
#ifndef GAUSSDP_LEDGER_RECENT_H
#define GAUSSDP_LEDGER_RECENT_H

#include "postgres.h"

#include "common/sha2.h"

#include "journal.h"

/* So many rows are written of equal queries in a second before they are counted in the last one. */
#define GAUSSDP_ROWS_OF_EQUAL_QUERIES 16

/* What the journal says of a query, its time aside; told apart by SHA-256. */
typedef struct GaussdpQueryDigest
{
	uint8 bytes[PG_SHA256_DIGEST_LENGTH];
} GaussdpQueryDigest;

/* Rows about equal queries. */
typedef struct GaussdpRecentQuery
{
	GaussdpQueryDigest digest;
	int rows;           /* in this second */
	int64 charge;       /* the last one's number; it may have been rolled back since */
	ItemPointerData at; /* where it is, or was */
} GaussdpRecentQuery;

extern GaussdpQueryDigest gaussdp_digest_query(const GaussdpCharge *charge,
											   const GaussdpLedgerTable *table,
											   const GaussdpPayment *payment);

/* The rows of this second about equal queries; NULL: there are too many others. */
extern GaussdpRecentQuery *gaussdp_recent_query(const GaussdpQueryDigest *digest);

#endif /* GAUSSDP_LEDGER_RECENT_H */
