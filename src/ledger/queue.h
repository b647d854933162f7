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
 *		TAKEN has therefore not been charged, and one who leaves COMMITTING cannot know.  One who leaves DONE does know.
 *		Errors that are to be counted stand outside of the slots, so that a session that ends loses none:
 *		only the worker takes an entry away, after it has written it.  While a role has entries in a
 *		database, the worker takes none of its requests there.
 *		A level runs from the moment its charge is queued until its outcome is decided, under the lock.  No outcome is
 *		decided while an error of its role and population is not written.  When the worker has written one that suspends
 *		the role, it stops all levels of that role and population that run then, under the same hold of the lock.
 */
#ifndef GAUSSDP_LEDGER_QUEUE_H
#define GAUSSDP_LEDGER_QUEUE_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "storage/lwlock.h"

#include "compat.h"
#include "declaration/population.h"
#include "ledger.h"
#include "statistics.h"

#define GAUSSDP_LEDGER_MAX_BLOCKED 64
#define GAUSSDP_LEDGER_TEXT_SIZE 1024

typedef enum GaussdpLedgerState
{
	GAUSSDP_LEDGER_FREE,
	GAUSSDP_LEDGER_QUEUED,
	GAUSSDP_LEDGER_TAKEN,
	GAUSSDP_LEDGER_COMMITTING,
	GAUSSDP_LEDGER_DONE,
	GAUSSDP_LEDGER_COUNTING /* no request: waits until errors are written */
} GaussdpLedgerState;

/* What became of a request whose owner has left. */
typedef enum GaussdpLedgerOutcome
{
	GAUSSDP_LEDGER_NOT_CHARGED,
	GAUSSDP_LEDGER_CHARGED,
	GAUSSDP_LEDGER_UNKNOWN
} GaussdpLedgerOutcome;

/* A protected table that is read, and whose data it holds. */
typedef struct GaussdpLedgerTable
{
	Oid relid;
	GaussdpPopulation population;
} GaussdpLedgerTable;

/* What a table costs in its statement, beside the releases that are charged now; units as in GaussdpRelease. */
typedef struct GaussdpLedgerRest
{
	int64 before_mu2; /* charged already: only the limit on a statement still counts it */
	int64 later_mu2;  /* not charged yet */
	int64 later_delta;
	int64 later_least; /* the mu^2 of the cheapest of these releases */
	int later_releases;
} GaussdpLedgerRest;

/* What a session asks to be charged; or, in place of all that, an answer to be kept. */
typedef struct GaussdpCharge
{
	uint32 kept; /* handle of shared memory that has a GaussdpKeptAnswer; 0: a charge */
	bool
		only_asks; /* whether it could be charged: it is refused, with the outcome that a charge would have */
	/* which answer is shown again, that accounts need not pay for twice; drawn 0: a new one */
	GaussdpAnswerKey key;
	Oid asker;
	TimestampTz drawn;
	Oid publication;  /* whose numbers these will be, or InvalidOid */
	Oid role;         /* that pays */
	Oid session_role; /* that has logged in */
	uint64 query_id;  /* 0: not known */
	int ntables;
	int nreleases;
	GaussdpLedgerTable tables[GAUSSDP_MAX_TABLES]; /* of the releases, and of the rest */
	GaussdpLedgerRest rest[GAUSSDP_MAX_TABLES];    /* table by table */
	char text[GAUSSDP_LEDGER_TEXT_SIZE];           /* of the query; empty where not kept */
	GaussdpRelease releases[GAUSSDP_MAX_RELEASES]; /* last: only those in use are copied */
} GaussdpCharge;

typedef struct GaussdpLedgerSlot
{
	GaussdpLedgerState state;
	uint64 number; /* of the request, to tell it from the next one */
	Oid database;
	Latch *latch; /* the owner's */
	int pid;
	Latch *wakes[2];        /* DONE: whom its owner wakes in turn; NULL: nobody */
	int64 since;            /* gaussdp_ledger_clock() when it was queued */
	int sqlstate;           /* DONE: 0 charged, else why not */
	GaussdpOutcome outcome; /* DONE: the same as it is counted */
	char message[256];
	char detail[256]; /* beside the outcome; empty: none */
	char hint[128];
	int npaid; /* DONE: who has paid; none where they are too many */
	GaussdpPaid paid[GAUSSDP_MAX_PAID];
	bool is_running;       /* a level is charged or runs; charge says whose */
	bool is_stopped;       /* its role was suspended meanwhile, or */
	bool is_paused;        /* all answers were paused */
	bool is_low;           /* DONE: more than four fifths of a budget are spent */
	GaussdpCharge *charge; /* apart, so that the worker looks through all slots quickly */
} GaussdpLedgerSlot;

/* Errors of running levels are counted by kind, each with a limit of its own. */
typedef enum GaussdpErrorKind
{
	GAUSSDP_ERROR,
	GAUSSDP_CANCEL,
	GAUSSDP_RESOURCE_ERROR, /* something was lacking that may come back: the level waits for it and runs again */
	GAUSSDP_NKINDS
} GaussdpErrorKind;

/* Errors of one role about one population that are not written yet. */
typedef struct GaussdpLedgerErrors
{
	Oid database; /* InvalidOid: unused */
	Oid role;
	Oid session_role; /* of the last one, as are query_id and table.relid */
	uint64 query_id;
	GaussdpLedgerTable table;
	int counts[GAUSSDP_NKINDS];
	int limits[GAUSSDP_NKINDS]; /* the least of their sessions' settings */
	uint64 last;                /* number of the last one */
} GaussdpLedgerErrors;

/* A role in whose name errors could not even be kept here: it is charged no more. */
typedef struct GaussdpLedgerBlocked
{
	Oid database;
	Oid role;
} GaussdpLedgerBlocked;

/* The one worker of a database. */
typedef struct GaussdpLedgerWorker
{
	Oid database;     /* InvalidOid: unused */
	uint64 token;     /* which worker is meant: a late one finds another token and leaves */
	int64 registered; /* gaussdp_ledger_clock() */
	Latch *latch;     /* NULL until it has come; what follows is of no meaning before */
	int pid;
	TimestampTz started;
} GaussdpLedgerWorker;

typedef struct GaussdpLedgerShared
{
	LWLock *lock;
	uint64 next_number;
	int nslots;
	int nworkers;
	GaussdpLedgerWorker *workers;
	Latch *reserve;       /* of a worker that waits for the time when no other one can be started */
	int reserve_worker;   /* which of the workers it becomes; -1: none yet */
	uint64 reserve_token; /* of that one */
	int nerrors;
	int nunwritten; /* entries of errors in use */
	GaussdpLedgerErrors *errors;
	bool all_blocked; /* there was no room for another blocked role */
	int nblocked;
	GaussdpLedgerBlocked blocked[GAUSSDP_LEDGER_MAX_BLOCKED];
	GaussdpCharge *charges;
	GaussdpLedgerSlot slots[FLEXIBLE_ARRAY_MEMBER];
} GaussdpLedgerShared;

/* NULL where the library was not preloaded. */
extern GaussdpLedgerShared *gaussdp_ledger_shared;

/* What to do where the library was not preloaded. */
#define GAUSSDP_LOAD_HINT "Add gaussdp to shared_preload_libraries and restart the server."

/* A warning where the library was not preloaded: what is declared or granted answers no query. */
extern void gaussdp_warn_of_server(void);

extern PGDLLEXPORT void gaussdp_ledger_worker_main(Datum token);
extern PGDLLEXPORT void gaussdp_ledger_reserve_main(Datum unused);

/* worker.c: what a process of the ledger does with signals, */
extern void gaussdp_begin_worker(void);

/* and how it serves a database: until there is no more work, or the token says that another process is meant. */
extern void gaussdp_serve_database(GaussdpLedgerWorker *entry, uint64 token);

/* This backend's slot. */
extern GaussdpLedgerSlot *gaussdp_ledger_slot(void);

/* Leaves the queue, wherever the request is by now. */
extern GaussdpLedgerOutcome gaussdp_leave_slot(GaussdpLedgerSlot *slot);

/* Does a commit of the worker wait for a standby? */
extern bool gaussdp_awaits_standby(void);

/* As gaussdp_leave_slot(), for who holds the lock and has seen that the request is DONE. */
extern void gaussdp_free_slot(GaussdpLedgerSlot *slot, Latch *wakes[2]);

/* Wakes them; without the lock, since each session that wakes takes it. */
extern void gaussdp_wake(Latch *const wakes[2]);

/*
 * The wait event of sessions that wait for the worker, for a charge or until an error is counted: which of them must
 * not show.  Until 17, where extensions can name theirs, the one of all extensions.
 */
extern uint32 gaussdp_charge_wait_event(void);

/*
 * Sees to it that this database has a worker; to be woken by *latch, once the lock that is held here is
 * released, since the worker wants it first of all.  A worker that was registered and has not come within
 * a second is given up: should it come later, it finds another token.  False: there is no place for one.
 */
extern bool gaussdp_find_worker(Latch **latch);

/* Milliseconds of a clock that nobody sets: waiting goes by this one. */
static inline int64
gaussdp_ledger_clock(void)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	return (int64) INSTR_TIME_GET_MILLISEC(now);
}

/* Which of its tables has that OID; -1: none. */
static inline int
gaussdp_table_of_charge(const GaussdpCharge *charge, Oid relid)
{
	for (int i = 0; i < charge->ntables; i++)
		if (charge->tables[i].relid == relid)
			return i;
	return -1;
}

/* Size of the part of a charge that is in use. */
static inline Size
gaussdp_size_of_charge(const GaussdpCharge *charge)
{
	return offsetof(GaussdpCharge, releases) + charge->nreleases * sizeof(GaussdpRelease);
}

#endif /* GAUSSDP_LEDGER_QUEUE_H */
