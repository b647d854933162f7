/*
 * verdict.c
 *		The state of a proof, and how a refusal is worded.
 *
 * The primary message and SQLSTATE are those of PostgreSQL's own refusal, which it stands for.  DETAIL
 * names the rule of docs/threat-model.md that the query broke, and where; HINT the nearest legal form.
 * Nothing in them depends on a row.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tcop/cmdtag.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "declaration/declaration.h"
#include "ledger/ledger.h"
#include "policy/proof/internal.h"

PG_FUNCTION_INFO_V1(gaussdp_rule_name);

static const char *const rule_names[] = {
	[GAUSSDP_RULE_LEVEL] = "level",
	[GAUSSDP_RULE_ONCE] = "executed once",
	[GAUSSDP_RULE_FUNCTIONS] = "functions on rows",
	[GAUSSDP_RULE_ARGUMENTS] = "arguments",
	[GAUSSDP_RULE_PUBLIC] = "public relations",
	[GAUSSDP_RULE_UNIQUE] = "each row once",
	[GAUSSDP_RULE_LEFT_JOIN] = "left join",
	[GAUSSDP_RULE_KEYS] = "group keys",
	[GAUSSDP_RULE_UNIT] = "unit and rows",
	[GAUSSDP_RULE_BUDGET] = "budget",
	[GAUSSDP_RULE_VIEWS] = "views",
	[GAUSSDP_RULE_PLACE] = "place of a level",
	[GAUSSDP_RULE_BUFFERS] = "shared buffers",
	[GAUSSDP_RULE_LOCKS] = "lock table",
	[GAUSSDP_RULE_MEMORY] = "memory",
	[GAUSSDP_RULE_DISK] = "temporary disk",
};

StaticAssertDecl(lengthof(rule_names) == GAUSSDP_NRULES, "the ledger counts refusals by rule");
StaticAssertDecl(GAUSSDP_FIRST_LACK == GAUSSDP_RULE_BUFFERS,
				 "the ledger shows owners what the server lacked");

/* rule_name(int4): for views that count refusals */
Datum
gaussdp_rule_name(PG_FUNCTION_ARGS)
{
	int32 rule = PG_GETARG_INT32(0);

	if (rule < 0 || rule >= GAUSSDP_NRULES)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(rule_names[rule]));
}

bool
gaussdp_refuse(GaussdpVerifier *v, GaussdpRule rule, int location, const char *detail,
			   const char *hint)
{
	if (!v->refused)
	{
		v->refused = true;
		v->rule = rule;
		v->location = location;
		v->detail = detail;
		v->hint = hint;
	}
	return false;
}

bool
gaussdp_lack(GaussdpVerifier *v, struct GaussdpLevel *level, GaussdpLack lack)
{
	if (!v->refused)
	{
		v->lacks = lack;
		v->lacking = level;
	}
	return false;
}

char *
gaussdp_refusal_detail(const GaussdpVerifier *v)
{
	char *where = "";

	if (v->source != NULL && v->location >= 0 && (size_t) v->location <= strlen(v->source))
		where = psprintf(", at character %d", pg_mbstrlen_with_len(v->source, v->location) + 1);
	return psprintf("Rule %d (%s)%s: %s.", (int) v->rule, rule_names[v->rule], where, v->detail);
}

bool
gaussdp_refuse_without_budget(GaussdpVerifier *v)
{
	GaussdpTable table;

	/* A declaration that is broken is what has to be mended. */
	if (!OidIsValid(v->relation) || (gaussdp_table(v->relation, &table) && !table.usable) ||
		gaussdp_has_budget(GetUserId(), v->relation))
		return false;
	v->refused = false;
	(void) gaussdp_refuse(v, GAUSSDP_RULE_BUDGET, -1,
						  "no budget for this table has been granted to this role",
						  "Ask the owner of the table: gaussdp.grant_budget.");
	return true;
}

/* A materialized view asks anew whenever it is refreshed, as a restore does, without the settings of who has made it. */
static const char *
hint_of(const GaussdpVerifier *v)
{
	if (ActivePortal == NULL || ActivePortal->commandTag != CMDTAG_REFRESH_MATERIALIZED_VIEW)
		return v->hint;
	return "gaussdp.publish() keeps released numbers in a plain table, which a dump takes along.";
}

void
gaussdp_raise_refusal(const GaussdpVerifier *v)
{
	const char *name = get_rel_name(v->relation);
	const char *hint = hint_of(v);

	gaussdp_count_refusal((int) v->rule);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for table %s", name ? name : "?"),
			 errdetail_internal("%s", gaussdp_refusal_detail(v)), hint ? errhint("%s", hint) : 0));
}
