/*
 * recent.c
 *		Queries that were charged in this second, to count equal ones in one row of the journal.
 *
 * Who asks the same thing a thousand times a second learns little by each and would fill the disk by all.  Read by
 * journal.c, in the worker, whose memory of one second this is.
 *
 * Invariants
 *		Equal is what differs in nothing that the journal says, the time within a second aside: roles, table, accounts and
 *		their terms, releases with their costs, when an answer was drawn that is shown again, query id and text.
 *		A row that is remembered here may never have been committed, or is archived: whoever adds to it finds out.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "recent.h"

#define MAX_QUERIES 4096

static void
update(pg_cryptohash_ctx *hash, const void *data, size_t length)
{
	if (pg_cryptohash_update(hash, data, length) < 0)
		elog(ERROR, "could not compute a SHA-256");
}

GaussdpQueryDigest
gaussdp_digest_query(const GaussdpCharge *charge, const GaussdpLedgerTable *table,
					 const GaussdpPayment *payment)
{
	GaussdpQueryDigest digest;
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	ListCell *cell;

	if (hash == NULL || pg_cryptohash_init(hash) < 0)
		elog(ERROR, "could not compute a SHA-256");
	update(hash, &charge->role, sizeof(charge->role));
	update(hash, &charge->session_role, sizeof(charge->session_role));
	update(hash, &charge->query_id, sizeof(charge->query_id));
	update(hash, &charge->drawn, sizeof(charge->drawn));
	update(hash, charge->text, strlen(charge->text) + 1);
	update(hash, &table->relid, sizeof(table->relid));
	update(hash, &payment->mu2, sizeof(payment->mu2));
	update(hash, payment->releases, VARSIZE(payment->releases));
	foreach (cell, payment->accounts)
	{
		const GaussdpAccount *account = lfirst(cell);

		update(hash, &account->number, sizeof(account->number));
		update(hash, &account->term, sizeof(account->term));
	}
	if (pg_cryptohash_final(hash, digest.bytes, sizeof(digest.bytes)) < 0)
		elog(ERROR, "could not compute a SHA-256");
	pg_cryptohash_free(hash);
	return digest;
}

GaussdpRecentQuery *
gaussdp_recent_query(const GaussdpQueryDigest *digest)
{
	static HTAB *queries = NULL;
	static TimestampTz second = 0;
	TimestampTz now = GetCurrentTimestamp() / USECS_PER_SEC;
	GaussdpRecentQuery *query;
	bool found;

	if (queries == NULL || now != second)
	{
		HASHCTL control = {.keysize = sizeof(GaussdpQueryDigest),
						   .entrysize = sizeof(GaussdpRecentQuery),
						   .hcxt = TopMemoryContext};

		if (queries != NULL)
			hash_destroy(queries);
		queries = NULL; /* where the next line fails */
		queries = hash_create("gaussdp recent queries", 64, &control,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		second = now;
	}
	query = hash_search(queries, digest, HASH_FIND, NULL);
	if (query != NULL || hash_get_num_entries(queries) >= MAX_QUERIES)
		return query;
	query = hash_search(queries, digest, HASH_ENTER, &found);
	query->rows = 0;
	return query;
}
