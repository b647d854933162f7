/*
 * ledger.h
 *		Budgets that nothing gives back: the one call by which a privacy cost is paid.
 *
 * The policy calls gaussdp_charge() once for each level of an execution of a verified plan, after core's
 * own permission checks and before the level's first row is read.  Reads populations from declaration/ and
 * the integer arithmetic of budgets from core/.  Other folders include this header, and no other one of this folder.
 *
 * In the session:
 *		charge.c		a charge of releases goes into the session's slot of shared memory, and is waited for: three outcomes
 *		queue.c			that shared memory (queue.h: the states of a slot, and what it means to leave in each); finds a worker
 *		errors.c		errors inside of levels: in shared memory before anything else; decides whether a level's answer is shown
 *		crash.c			levels that run are noted in a file, and counted after a crash
 *		statistics.c	counts outcomes and refusals
 *		progress.c		how far each session's query is, in blocks of its tables
 *		defaults.c		epsilon and delta of calls that give none, as a grant states them
 *		left.c			what is left of the budgets that pay
 * In the worker, one for each database, which exits after three seconds without work (a lasting connection would block
 * DROP DATABASE):
 *		processes.c		which processes charge, and how they start
 *		worker.c		takes all that is queued, answers after the flush
 *		batch.c			its transaction: who pays, whether it suffices; accounts and journal together
 *		accounts.c		the accounts of a batch: locked, then written
 *		charged_roles.c	which accounts pay for a role, remembered until something changes
 *		journal.c		the one place that writes the journal
 *		releases.c		the releases of a level, packed into one value of its row
 *		recent.c		equal queries of one second, which share a row
 *		suspension.c	counts errors durably, and suspends roles
 *		rows.c			rows of the ledger's tables, read and written without queries
 * For owners of tables:
 *		admin.c			grants, limits, resets
 *		owners.c		who may decide about a population: who owns all of its tables
 *		kept.c			answers that are shown again to those who have paid for them
 *		pause.c			one switch that stops all answers
 *		publication.c	what is published, and refreshed by whom
 *		closing.c		budgets end with their tables and roles
 *		rights.c		under these: queries run as the ledger's owner, and errors that do not show them
 */
#ifndef GAUSSDP_LEDGER_H
#define GAUSSDP_LEDGER_H

#include "postgres.h"

#include "compat.h"
#include "datatype/timestamp.h"

/* More releases or protected tables than this in one statement are refused (54000). */
#define GAUSSDP_MAX_RELEASES 128
#define GAUSSDP_MAX_TABLES 16

/*
 * One release: a draw of noise over all groups of a level; several equal calls of the level may share it.
 * The policy prices it, it is charged as it stands here, and each becomes a row of the journal.
 *
 * A joint release (dp_avg, dp_var, ...) is one of these: l2_sensitivity and sigma are those of its first
 * number, and mu2 is what it costs in all.  It has no pointers: it is copied through shared memory.
 */
typedef struct GaussdpRelease
{
	char kind[NAMEDATALEN]; /* the call's name, e.g. "dp_avg" */
	Oid relid;              /* the protected table that it reads; its population pays */
	double l2_sensitivity;  /* the enforced one, finite, > 0, unit of the value */
	double sigma;           /* the real standard deviation of its noise, same unit, finite, > 0 */
	int64 mu2;              /* its cost in units of 2^-52, > 0: gdp_mu2_units(), never less than
							 * (l2_sensitivity / sigma)^2 */
	int64 threshold_delta; /* delta of a group threshold in units of 10^-18, >= 0: gdp_delta_cost();
							 * 0 for all but calls that decide which groups are shown */
	int64
		max_rows; /* as how many rows a person counts, where persons may own several; else 0; for explain_privacy */
	int numbers;  /* that are released together, >= 1; for explain_privacy */
	double delta; /* as the call gives it, in (0, 1), to show mu2 as an epsilon */
} GaussdpRelease;

/*
 * What one execution of a statement has been charged so far.  The caller zeroes it when the execution
 * begins, hands it to each charge of that execution, and looks at nothing in it; it is written when a
 * charge has succeeded.  Another execution of the same statement, and a statement that runs inside of
 * it, have one of their own.
 */
typedef struct GaussdpStatement
{
	int nreleases;
	int ntables;
	struct
	{
		Oid relid;
		int64 mu2; /* units of 2^-52 */
	} tables[GAUSSDP_MAX_TABLES];
} GaussdpStatement;

/*
 * Charges one level of a statement: every release to every account that applies to its table's population,
 * all or none.  Returns only when the charge is durable; every other outcome is an ERROR, and the caller
 * must then release nothing.  Costs are added up, nothing is merged, nothing is ever refunded.
 *
 * later are the releases of the statement's other levels, as far as they are known and not charged yet:
 * all of them at the first charge of a statement.  They are not charged and not journalled, but nothing
 * is charged unless all could be paid together.  A table's releases of one call cost 2^-20 of the greatest grant that
 * pays at least, which bounds the journal.  For each account that pays for any of the tables:
 *
 *		spent in its period + releases + later				<= its limit, mu^2 and threshold deltas
 *		*statement (charged before) + releases + later		<= max_epsilon_per_query, mu^2
 *
 * and a table of later that has no budget, or whose budget is suspended, refuses the charge as one of
 * releases does.  Nothing is reserved: others may spend what later counted on, and later charges look
 * again, with nlater 0 or with what is still to come.  A level of later that is never run costs nothing.
 * statement NULL: a statement of this one charge.
 *
 * role is the role that pays (current_user at ExecutorStart), query_id that of the planned
 * statement (0 without), query_text the statement's text or NULL: it is kept only when
 * gaussdp.journal_query_text is on.  Works in read-only and in REPEATABLE READ transactions, and
 * assigns no transaction id in the caller.  Not in a parallel worker.
 *
 * Errors, with a DETAIL that says whether anything was charged:
 *		42501	no budget applies to this role and table, or the budget is suspended after errors
 *		53400	an account has not enough left, or max_epsilon_per_query is exceeded
 *		54000	more than GAUSSDP_MAX_RELEASES releases or GAUSSDP_MAX_TABLES tables in the statement
 *		55000	the library is not in shared_preload_libraries, or errors of the role could not be counted
 *		25006	the server is a standby
 *		53000	no background worker could be started
 *		55P03	not charged within gaussdp.charge_timeout, withdrawn
 *		08007	the outcome is unknown: it counts as spent, the journal will tell
 *		57014	cancelled by the user or statement_timeout, withdrawn or unknown
 */
extern void gaussdp_charge(Oid role, const GaussdpRelease *releases, int nreleases,
						   const GaussdpRelease *later, int nlater, GaussdpStatement *statement,
						   uint64 query_id, const char *query_text);

/* Raises the error that gaussdp_charge() would raise; returns where it would charge, and charges nothing. */
extern void gaussdp_check_charge(Oid role, const GaussdpRelease *releases, int nreleases,
								 const GaussdpRelease *later, int nlater,
								 GaussdpStatement *statement, uint64 query_id,
								 const char *query_text);

/* The DETAIL of a refusal before the charge: that nothing was read or charged, or nothing beside the statement's earlier levels. */
extern const char *gaussdp_nothing_charged(void);

/* SHA-256 of all that an answer depends on, but for protected rows. */
typedef struct GaussdpAnswerKey
{
	uint8 bytes[32];
} GaussdpAnswerKey;

/* An answer that may be shown again. */
typedef struct GaussdpReused
{
	GaussdpAnswerKey key;
	Oid role;          /* who has asked for it */
	TimestampTz drawn; /* when it was charged */
	bool
		is_paid; /* has every account that would pay for a new one paid for it in its present period? */
	bytea *rows;
} GaussdpReused;

/*
 * As gaussdp_charge, for an answer that is shown again: accounts that have paid for it in their present period, and since their
 * last reset, pay nothing.
 */
extern void gaussdp_charge_again(Oid role, const GaussdpRelease *releases, int nreleases,
								 const GaussdpRelease *later, int nlater,
								 GaussdpStatement *statement, uint64 query_id,
								 const char *query_text, const GaussdpReused *kept);

/*
 * Lets cancels of this session, wherever they come, tell whether their statement was charged.  Errors have contexts, which
 * stand on the stack; this one goes below all others, where whoever leaves takes none but their own away.  Whoever catches
 * errors puts back what was there before, and so it is put in wherever a query is planned: outside of all that executes it.
 */
extern void gaussdp_watch_cancels(void);

/* Why this server can charge no budget, whatever is granted, and what to do; NULL where it can. */
extern const char *gaussdp_why_no_charge(const char **hint);

/*
 * Counts an error that was raised inside of a running level, after its charge: once for each population
 * of relations, which are tables that were charged in this session.  SQLSTATE class 57 is counted apart, as a
 * cancel.  After more than gaussdp.max_private_errors errors in a period of its budgets the role is charged nothing more
 * for that population until gaussdp.resume_budget(); after more than gaussdp.max_private_cancels in 24 hours, until these
 * are over.  True: the error was let pass, and may be told.  False: the role is suspended, or whether it is could
 * not be known in time, and the caller raises gaussdp_raise_suspended() in place of the error.
 *
 * For PG_CATCH, once the error was copied: it reads no catalog, needs no valid transaction, releases the
 * LWLocks that the error has left behind, and raises nothing.  The count stands in shared memory before
 * anything else happens, so that no cancel or end of the session loses it; the worker makes it durable.
 * That is waited for with interrupts held, for at most gaussdp.charge_timeout; then it returns false, and the role's next
 * charge waits for it instead.  Where there is no room for it, or a relation was never charged here, the
 * role is charged nothing more in this database until the server restarts.  After a crash of the
 * whole server, as by kill -9 of a backend, what the worker could not write by then counts as a resource error (crash.c).  Does
 * nothing in a parallel worker, whose leader raises the error once more.
 */
extern bool gaussdp_count_private_error(Oid role, const Oid *relations, int nrelations,
										int sqlerrcode, uint64 query_id);

/*
 * The same for a level that lacks something after its first row, and will wait and run again: counted apart, by
 * gaussdp.max_resource_errors in 24 hours.  True: it may.  To be called once for a level, before it waits.
 */
extern bool gaussdp_count_resource_error(Oid role, Oid relation, uint64 query_id);

/*
 * Decides what becomes of a level that was charged and has come to its last row, before anything of it is shown.  All
 * outcomes of a role's levels about the same people are decided one after the other, under the ledger's lock: when an
 * error has suspended the role, whatever the level has found, this returns false, and the caller raises
 * gaussdp_raise_suspended().  Waits, with interrupts held and for at most gaussdp.charge_timeout, while errors of
 * that role are not durable yet; false as well if they are not by then.
 */
extern bool gaussdp_may_release(void);

/* Tells the client, once in a session, that a budget that has paid in it is nearly spent; for when a level is over. */
extern void gaussdp_tell_of_spent(void);

/* The one error of all levels that run while their role is suspended, or answers are paused: of those that have failed, too. */
pg_noreturn extern void gaussdp_raise_suspended(void);

/* For how many seconds answers about the people of this table may be shown to the role again; 0: not at all. */
extern int64 gaussdp_reuse_seconds(Oid role, Oid relid);

/*
 * An answer with this key that may be shown to the role, by its grants and settings; false: there is none.  The oldest that is
 * young enough, of those that are paid already, if there are any.
 */
extern bool gaussdp_find_answer(Oid role, Oid relid, const GaussdpAnswerKey *key,
								GaussdpReused *kept);

/* The most bytes that an answer may have to be kept. */
extern int gaussdp_most_kept(void);

/* What more accounts have paid for is not kept. */
#define GAUSSDP_MAX_PAID 64

/* An account that has paid for a draw, and the term of it in which it has. */
typedef struct GaussdpPaid
{
	int32 number;
	int32 term;
} GaussdpPaid;

typedef struct GaussdpPayers
{
	int n;
	GaussdpPaid paid[GAUSSDP_MAX_PAID];
} GaussdpPayers;

/* Who has paid for this session's last charge; and those who have paid for another one as well. */
extern GaussdpPayers gaussdp_payers(void);
extern GaussdpPayers gaussdp_payers_of_both(const GaussdpPayers *a, const GaussdpPayers *b);

/* Keeps what these have paid for, durably; does nothing where that is not possible. */
extern void gaussdp_keep_answer(Oid role, Oid relid, const GaussdpAnswerKey *key, TimestampTz drawn,
								const GaussdpPayers *payers, const char *rows, int size);

/* The publication whose query runs in this session. */
typedef struct GaussdpPublishing
{
	Oid relation; /* InvalidOid: none */
	Oid role;     /* that publishes */
	bool
		is_paid; /* was it charged before?  Then nothing is charged for it any more, but that is an error. */
} GaussdpPublishing;

/* From now on charges are for this one; what it was before is given back. */
extern GaussdpPublishing gaussdp_set_publishing(GaussdpPublishing publishing);

/* charge.c: which one it is now. */
extern GaussdpPublishing gaussdp_publishing(void);

/* publication.c: is it an ordinary table that lasts, the current role's own? */
extern bool gaussdp_may_publish_in(Oid relid);

/* publication.c: the current role's publication has new numbers. */
extern void gaussdp_note_published(Oid relid, TimestampTz drawn, double epsilon, double delta);

/* What the owner says of the version of a table's rows; NULL: nothing. */
extern char *gaussdp_data_version(Oid relid);

/* What a role may still spend on a table's population now: the least over all accounts that apply. */
typedef struct GaussdpFunds
{
	bool granted;        /* does any account of the role, its groups or PUBLIC apply? */
	bool suspended;      /* after errors, see gaussdp_count_private_error(): nothing is left then */
	int64 mu2_left;      /* for the rest of the period, in units of 2^-52, >= 0 */
	int64 delta_left;    /* for thresholds, in units of 10^-18, >= 0 */
	int64 mu2_per_query; /* the limit on one statement, PG_INT64_MAX without */
	int64 least_mu2;     /* what a query costs at least: 2^-20 of the greatest grant that pays */
	int64 part_mu2;      /* limits of the account that has the least delta for its mu^2; 0: none */
	int64 part_delta;    /* has limits */
	double delta;        /* that of the account that is named first, to show mu as epsilon */
} GaussdpFunds;

/* Looks without charging, as of now: for explain_privacy.  The decision is gaussdp_charge()'s alone. */
extern GaussdpFunds gaussdp_budget_left(Oid role, Oid relid);

/* Has any account been granted that applies?  For the check at ExecutorStart: quick, and remembered. */
extern bool gaussdp_has_budget(Oid role, Oid relid);

/*
 * How many pages the protected tables of a query of this role about the people of this table may have: the least of the
 * grants that pay and of gaussdp.max_relation_pages; PG_INT64_MAX without a limit.
 */
extern int64 gaussdp_page_limit(Oid role, Oid relid);

/* Numbers of calls that give none; 0: not known. */
typedef struct GaussdpDefaults
{
	double epsilon;
	double delta;
} GaussdpDefaults;

/*
 * Takes what *defaults lacks from the grants that pay for this role's questions about the people of this table: the
 * smallest where several pay.
 */
extern void gaussdp_take_defaults(Oid role, Oid relid, GaussdpDefaults *defaults);

/*
 * For a threshold that hides small groups: a smaller delta, and the epsilon of the same mu^2 at half of it, so that the threshold
 * takes no greater part of the budgets' threshold_delta, half of the delta, than its mu^2 is of theirs: the least over all accounts
 * that pay for this role's questions about the people of this table.
 */
extern void gaussdp_narrow_threshold(Oid role, Oid relid, GaussdpDefaults *numbers);

/* How many rules there are by which the policy may refuse a query; it counts by their numbers. */
#define GAUSSDP_NRULES 16
/* From this one on: what the server lacked, buffers, locks, memory or disk */
#define GAUSSDP_FIRST_LACK 12

/* Counts a refusal of the current role's query by a rule of the policy, for gaussdp.stat_refusals. */
extern void gaussdp_count_refusal(int rule);

/* What a private query does. */
typedef enum GaussdpPhase
{
	GAUSSDP_PHASE_READING,
	GAUSSDP_PHASE_PEOPLE,
	GAUSSDP_PHASE_RELEASING
} GaussdpPhase;

/*
 * What this session's query does, for gaussdp.stat_progress: over tables like this one, whose owner may see it, so many of whose blocks
 * it reads one after the other (0: none).  The two in the middle do nothing where no query has begun.
 */
extern void gaussdp_begin_progress(Oid relation, uint64 blocks);
extern void gaussdp_show_blocks(uint64 done);
extern void gaussdp_show_phase(GaussdpPhase phase);
extern void gaussdp_end_progress(void);

/*
 * Processes of this session's parallel plan read nothing until all are ready.  The leader holds them before it starts them (false: there is no
 * shared memory, and nobody waits), and lets them read when so many are ready; each of them, ready, waits for that.
 */
extern bool gaussdp_hold_processes(void);
extern void gaussdp_await_processes(int n);
extern void gaussdp_await_leader(void);

/* Lets the ledger hear of tables that change their population; called once, by _PG_init. */
extern void gaussdp_ledger_init(void);

/* Steps of shmem_request_hook and shmem_startup_hook: the queue to the worker. */
extern void gaussdp_request_ledger_memory(void);
extern void gaussdp_start_ledger_memory(void);

/* At server start: a worker that waits for the time when all slots of background workers are taken. */
extern void gaussdp_register_reserve(void);

/* Step of object_access_hook, where an object is dropped: budgets end with their tables and roles. */
extern void gaussdp_object_is_dropped(Oid class_id, Oid object_id, void *arg);

#endif /* GAUSSDP_LEDGER_H */
