/*
 * settings.c
 *		Every gaussdp.* setting, alphabetical.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "utils/guc.h"
#include "utils/plancache.h"
#include "utils/varlena.h"

#include "settings.h"

bool gaussdp_allow_drop = false;
bool gaussdp_answer_plain_sql = false;
bool gaussdp_as_analyst = false;
int gaussdp_charge_timeout = 5000;
double gaussdp_cut_share = 0;
double gaussdp_delta = 0;
double gaussdp_epsilon = 0;
bool gaussdp_journal_query_text = false;
int gaussdp_kept_answers_size = 65536;
int gaussdp_max_private_cancels = 20;
int gaussdp_max_private_errors = 0;
int gaussdp_max_relation_pages = 0;
int gaussdp_max_resource_errors = 3;
int gaussdp_max_work_mem = 65536;
int gaussdp_reuse_answers = -1;
char *gaussdp_temp_tablespaces = NULL;

/* Plans that were made with the other value answer otherwise. */
static void
replan(bool value, void *extra)
{
	if (value != gaussdp_as_analyst)
		ResetPlanCache();
}

static void
replan_for_plain_sql(bool value, void *extra)
{
	if (value != gaussdp_answer_plain_sql)
		ResetPlanCache();
}

static void
replan_for_delta(double value, void *extra)
{
	if (value != gaussdp_delta)
		ResetPlanCache();
}

static void
replan_for_epsilon(double value, void *extra)
{
	if (value != gaussdp_epsilon)
		ResetPlanCache();
}

/* 0 is no value; a delta of 1 would promise nothing. */
static bool
check_delta(double *value, void **extra, GucSource source)
{
	return *value >= 0 && *value < 1;
}

static bool
check_epsilon(double *value, void **extra, GucSource source)
{
	return *value >= 0 && isfinite(*value);
}

/* Whether they are there, the level finds out. */
static bool
check_tablespaces(char **value, void **extra, GucSource source)
{
	List *names;

	if (SplitIdentifierString(pstrdup(*value), ',', &names))
		return true;
	GUC_check_errdetail("List syntax is invalid.");
	return false;
}

void
gaussdp_settings_init(void)
{
	DefineCustomBoolVariable(
		"gaussdp.allow_drop",
		"Lets the extension be dropped while charges of a running period stand.",
		"Budgets, what is spent of them, and the journal are dropped with it.", &gaussdp_allow_drop,
		false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"gaussdp.answer_plain_sql",
		"Answers PostgreSQL's own aggregates over protected tables by private ones.",
		"Of tables that the role may not read; with the epsilon and delta of gaussdp.epsilon and "
		"gaussdp.delta or of the grant.",
		&gaussdp_answer_plain_sql, false, PGC_USERSET, 0, NULL, replan_for_plain_sql, NULL);
	DefineCustomBoolVariable(
		"gaussdp.as_analyst",
		"Answers queries of protected tables that the role may read as it would an analyst's.",
		"They are proven private and answered with noise, and cost nothing, since the role may read "
		"the rows.",
		&gaussdp_as_analyst, false, PGC_USERSET, 0, NULL, replan, NULL);
	DefineCustomIntVariable("gaussdp.charge_timeout",
							"How long a query waits until its privacy cost is durably charged.",
							"After that it fails, and nothing is released.",
							&gaussdp_charge_timeout, 5000, 10, 600000, PGC_USERSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomRealVariable(
		"gaussdp.cut_share",
		"What part of the price of a call says how much its max_rows cuts off.",
		"A histogram of people, where max_rows is given; the call's noise grows, and its price is "
		"the same. 0: nothing is said.",
		&gaussdp_cut_share, 0, 0, 0.25, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("gaussdp.delta", "The delta of private calls that give none.",
							 "0: that of the grant that pays, if it has one.", &gaussdp_delta, 0, 0,
							 1, PGC_USERSET, 0, check_delta, replan_for_delta, NULL);
	DefineCustomRealVariable("gaussdp.epsilon",
							 "The epsilon of private calls that give none, as dp_count(*).",
							 "0: that of the grant that pays, if it has one.", &gaussdp_epsilon, 0,
							 0, DBL_MAX, PGC_USERSET, 0, check_epsilon, replan_for_epsilon, NULL);
	DefineCustomBoolVariable("gaussdp.journal_query_text",
							 "Keeps the first 1,023 bytes of a query's text in gaussdp.journal.",
							 "A text may hold constants that nobody but its author should see.",
							 &gaussdp_journal_query_text, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gaussdp.kept_answers_size",
							"How much of answers a database keeps, to show them again.",
							"One answer takes a sixteenth of it at most; what does not fit is not "
							"kept. 0: none is.",
							&gaussdp_kept_answers_size, 65536, 0, 1024 * 1024, PGC_SIGHUP,
							GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_private_cancels",
		"How many private queries of a role may be cancelled, or time out, in 24 hours while they run.",
		"After one more it is answered nothing about these people, until the 24 hours are over or "
		"gaussdp.resume_budget().",
		&gaussdp_max_private_cancels, 20, 0, GAUSSDP_MAX_LET_PASS, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_private_errors",
		"How many errors inside of private queries of a role are let pass in a period.",
		"After one more it is answered nothing about these people, until "
		"gaussdp.resume_budget().",
		&gaussdp_max_private_errors, 0, 0, GAUSSDP_MAX_LET_PASS, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_relation_pages",
		"How many pages the protected tables of a private query may have.",
		"Of each row beside which several public rows may stand, so many times; 0: any. A grant "
		"may allow less.",
		&gaussdp_max_relation_pages, 0, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_resource_errors",
		"How many private queries of a role may wait for memory, disk, buffers or locks in 24 hours while they run.",
		"After one more it is answered nothing about these people, until the 24 hours are over or "
		"gaussdp.resume_budget().",
		&gaussdp_max_resource_errors, 3, 0, GAUSSDP_MAX_LET_PASS, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_work_mem", "The most of work_mem that a private query has.",
		"How much memory it takes depends on rows: roles choose no more than this. Its "
		"hash_mem_multiplier is 2 at most.",
		&gaussdp_max_work_mem, 65536, 64, MAX_KILOBYTES, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.reuse_answers",
		"For how long an equal query is shown the same numbers again, at no cost.",
		"Never longer than reuse_answers of the grant, which -1 stands for; 0: "
		"numbers are drawn anew.",
		&gaussdp_reuse_answers, -1, -1, INT_MAX, PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"gaussdp.temp_tablespaces", "Where private queries put their temporary files.",
		"A list of tablespaces, best ones that nobody else writes to. Empty: where "
		"temp_tablespaces says.",
		&gaussdp_temp_tablespaces, "", PGC_SUSET, GUC_LIST_INPUT, check_tablespaces, NULL, NULL);
	MarkGUCPrefixReserved("gaussdp");
}
