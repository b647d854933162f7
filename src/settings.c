/*
 * settings.c
 *		Every gaussdp.* setting, alphabetical.
 */
#include "postgres.h"

#include "utils/guc.h"
#include "utils/plancache.h"

#include "settings.h"

bool gaussdp_allow_drop = false;
bool gaussdp_as_analyst = false;
int gaussdp_charge_timeout = 5000;
bool gaussdp_journal_query_text = false;
int gaussdp_max_private_errors = 5;

/* Plans that were made with the other value answer otherwise. */
static void
replan(bool value, void *extra)
{
	if (value != gaussdp_as_analyst)
		ResetPlanCache();
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
	DefineCustomBoolVariable("gaussdp.journal_query_text",
							 "Keeps the first 1,023 bytes of a query's text in gaussdp.journal.",
							 "A text may hold constants that nobody but its author should see.",
							 &gaussdp_journal_query_text, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gaussdp.max_private_errors",
		"How many errors inside of private queries a role may cause in a period.",
		"After one more it is answered nothing about these people, until "
		"gaussdp.resume_budget().",
		&gaussdp_max_private_errors, 5, 0, 1000000, PGC_SUSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("gaussdp");
}
