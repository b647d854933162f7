/*
 * releases.h
 *		The releases of a level, packed into one value of the journal.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_RELEASES_H
#define GAUSSDP_LEDGER_RELEASES_H

#include "postgres.h"

#include "queue.h"

/* The releases of a charge over one of its tables, equal ones as one that is counted; NULL: there are none. */
extern bytea *gaussdp_pack_releases(const GaussdpCharge *charge, Oid relid);

#endif /* GAUSSDP_LEDGER_RELEASES_H */
