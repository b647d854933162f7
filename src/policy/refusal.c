/*
 * refusal.c
 *		How a refusal is worded.
 *
 * The primary message and SQLSTATE are those of PostgreSQL's own refusal, which it stands for.  DETAIL
 * names the rule of docs/threat-model.md that the query broke, and where; HINT the nearest legal form.
 * Nothing in them depends on a row.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"

#include "policy/verify.h"

static const char *const rule_names[] = {
	[RULE_LEVEL] = "level",
	[RULE_ONCE] = "executed once",
	[RULE_FUNCTIONS] = "functions on rows",
	[RULE_ARGUMENTS] = "arguments",
	[RULE_PUBLIC] = "public relations",
	[RULE_UNIQUE] = "each row once",
	[RULE_LEFT_JOIN] = "left join",
	[RULE_KEYS] = "group keys",
	[RULE_UNIT] = "unit and rows",
	[RULE_CAPS] = "caps",
	[RULE_VIEWS] = "views",
	[RULE_PLACE] = "place of a level",
};

char *
gaussdp_refusal_detail(const Verifier *v)
{
	char *where = "";

	if (v->source != NULL && v->location >= 0 && (size_t) v->location <= strlen(v->source))
		where = psprintf(", at character %d", pg_mbstrlen_with_len(v->source, v->location) + 1);
	return psprintf("Rule %d (%s)%s: %s.", (int) v->rule, rule_names[v->rule], where, v->detail);
}

void
gaussdp_refuse(const Verifier *v)
{
	const char *name = get_rel_name(v->relation);

	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("permission denied for table %s", name ? name : "?"),
					errdetail_internal("%s", gaussdp_refusal_detail(v)),
					v->hint ? errhint("%s", v->hint) : 0));
}
