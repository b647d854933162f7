/*
 * settings.c
 *		Every gaussdp.* setting, alphabetical.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "settings.h"

int gaussdp_charge_timeout = 5000;
bool gaussdp_journal_query_text = false;
int gaussdp_max_private_errors = 5;

void
gaussdp_settings_init(void)
{
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
