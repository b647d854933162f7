/*
 * session.c
 *		Settings of Citus that a session has changed.
 *
 * Citus has about a hundred settings that everybody may set: which show what it sends, end a query at a size of what it has
 * read, or take another way.  Under a level all of them are what the administrators have set.
 */
#include "postgres.h"

#include "utils/guc.h"
#include "utils/guc_tables.h"

#include "citus/citus.h"
#include "compat.h"

#define PREFIX "citus."

/* It has a value of its own here. */
#define THRESHOLD "citus.values_materialization_threshold"

/* Settings go along with what is sent. */
#define PROPAGATED "citus.propagate_set_commands"

/* What Citus sets for itself, until the transaction ends: over which connections it asks. */
#define BY_CITUS "citus.enable_local_execution"
#define BY_CITUS_TOO "citus.multi_shard_modify_mode"

static bool
may_be_changed(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strcmp(name, THRESHOLD) == 0 ||
		   strcmp(name, BY_CITUS) == 0 || strcmp(name, BY_CITUS_TOO) == 0;
}

const char *
gaussdp_changed_setting(void)
{
	int n;
	struct config_generic **settings = gaussdp_all_settings(&n);
	const char *propagated = GetConfigOption(PROPAGATED, true, false);

	for (int i = 0; i < n; i++)
		if (!may_be_changed(settings[i]->name) && settings[i]->context == PGC_USERSET &&
			settings[i]->source > PGC_S_DATABASE)
			return settings[i]->name;
	/* It would send the session's settings along. */
	if (propagated != NULL && strcmp(propagated, "none") != 0)
		return PROPAGATED;
	return NULL;
}

/*
 * Under it, Citus sends SET LOCAL to all connections of the transaction, those of the table's owner, too, and to those that it makes
 * later; and not the statement alone, but the text that it stands in, which may be any SQL.
 */
void
gaussdp_close_propagation(void)
{
	int n;
	struct config_generic **settings = gaussdp_all_settings(&n);

	for (int i = 0; i < n; i++)
		if (strcmp(settings[i]->name, PROPAGATED) == 0)
			settings[i]->context = PGC_SUSET;
}

static void
set(const char *name, const char *value)
{
	if (GetConfigOption(name, true, false) != NULL)
		(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
}

/* Constants are printed as any server reads them, and all of them are sent along. */
void
gaussdp_set_for_servers(void)
{
	set("extra_float_digits", "3");
	set("bytea_output", "hex");
	set("standard_conforming_strings", "on");
	set("DateStyle", "ISO, MDY");
	set("IntervalStyle", "postgres");
	set(THRESHOLD, "-1");
}

/* Shards of this server are read by queries of their own, which the owner of the table asks, as it is. */
void
gaussdp_set_for_shards(void)
{
	set("gaussdp.as_analyst", "off");
	set("gaussdp.answer_plain_sql", "off");
}
