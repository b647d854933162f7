/*
 * queue.h
 *		The shared memory between sessions that charge and the worker that commits.
 *
 * Private to ledger/.  One lock guards everything here.  Every backend has a slot of its own, so the
 * queue is never full.  A slot goes FREE -> QUEUED -> TAKEN -> COMMITTING -> DONE -> FREE; its owner may
 * leave at any time by making it FREE with a new number.
 *
 * Invariants
 *		The worker works on copies and finds a slot again by its number: an owner that has left is never
 *		answered.  It marks a batch COMMITTING only when no owner in it has left; one who leaves QUEUED or
 *		TAKEN has therefore not been charged, and one who leaves COMMITTING cannot know.
 */
#ifndef GAUSSDP_LEDGER_QUEUE_H
#define GAUSSDP_LEDGER_QUEUE_H

#include "postgres.h"

#include "portability/instr_time.h"
#include "storage/latch.h"
#include "storage/lwlock.h"

#include "compat.h"
#include "ledger.h"

#define GAUSSDP_LEDGER_MAX_TABLES 16
#define GAUSSDP_LEDGER_TEXT_SIZE 1024

typedef enum GaussdpLedgerState
{
	GAUSSDP_LEDGER_FREE,
	GAUSSDP_LEDGER_QUEUED,
	GAUSSDP_LEDGER_TAKEN,
	GAUSSDP_LEDGER_COMMITTING,
	GAUSSDP_LEDGER_DONE
} GaussdpLedgerState;

/* A table that is read, and who its people are: a name, or (people empty) those of relation alone. */
typedef struct GaussdpLedgerTable
{
	Oid relid;
	Oid relation;
	char people[NAMEDATALEN];
} GaussdpLedgerTable;

typedef struct GaussdpLedgerRelease
{
	char kind[32];
	int table; /* index into tables */
	double l2_sensitivity;
	double sigma;
	int64 mu2;
	int64 threshold_delta;
} GaussdpLedgerRelease;

typedef struct GaussdpLedgerRequest
{
	Oid role;
	Oid session_role;
	uint64 query_id;
	int ntables;
	int nreleases;
	GaussdpLedgerTable tables[GAUSSDP_LEDGER_MAX_TABLES];
	char text[GAUSSDP_LEDGER_TEXT_SIZE];                 /* empty where not kept */
	GaussdpLedgerRelease releases[GAUSSDP_MAX_RELEASES]; /* last: only those in use are copied */
} GaussdpLedgerRequest;

typedef struct GaussdpLedgerSlot
{
	GaussdpLedgerState state;
	uint64 number; /* of the request, to tell it from the next one */
	Oid database;
	Latch *latch; /* the owner's */
	int sqlstate; /* DONE: 0 charged, else why not */
	char message[256];
	GaussdpLedgerRequest request;
} GaussdpLedgerSlot;

/* The one worker of a database. */
typedef struct GaussdpLedgerWorker
{
	Oid database;     /* InvalidOid: unused */
	uint64 token;     /* which worker is meant: a late one finds another token and leaves */
	int64 registered; /* gaussdp_ledger_clock() */
	Latch *latch;     /* NULL until it has come */
} GaussdpLedgerWorker;

typedef struct GaussdpLedgerShared
{
	LWLock *lock;
	uint64 next_number;
	int nslots;
	int nworkers;
	GaussdpLedgerWorker *workers;
	GaussdpLedgerSlot slots[FLEXIBLE_ARRAY_MEMBER];
} GaussdpLedgerShared;

/* NULL where the library was not preloaded. */
extern GaussdpLedgerShared *gaussdp_ledger_shared;

extern PGDLLEXPORT void gaussdp_ledger_worker_main(Datum token);

/* Milliseconds of a clock that nobody sets: waiting goes by this one. */
static inline int64
gaussdp_ledger_clock(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MILLISEC(now);
}

/* Size of the part of a request that is in use. */
#define GAUSSDP_LEDGER_REQUEST_SIZE(n)                                                             \
	(offsetof(GaussdpLedgerRequest, releases) + (n) * sizeof(GaussdpLedgerRelease))

#endif /* GAUSSDP_LEDGER_QUEUE_H */
