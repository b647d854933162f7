/*
 * people.c
 *		Rule 8: by how much a person counts who may own several rows of a level.
 *
 * Where the unit column of the protected table is not unique, or several public rows may stand beside one of its rows,
 * each row is weighed by all rows of its person (policy/exec/weights.c), so that together they count as max_rows rows at most, whatever the rows are.  Here is
 * decided what that number is, one for the level: what its calls ask for, or else what the owner has declared.  Where that is
 * "found", it is found in the rows for each call, when the level runs (policy/exec/find_rows.c).
 * Persons are counted by dp_count(DISTINCT unit, ...) and by dp_keep_group.  dp_count(DISTINCT x, ...) of anything else counts different
 * values, of which each person takes max_rows at most (people/value_matching.c).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "declaration/declaration.h"
#include "policy/proof/internal.h"
#include "settings.h"

/* A person with r rows in each of n joined tables has r^n rows, which take their time. */
#define MOST_OF_MANY_ROWS 3

/* Is this call of the level dp_count(DISTINCT unit, ...)?  Then persons are counted. */
static bool
counts_people(const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	return agg->aggdistinct != NIL && gaussdp_call_of(agg->aggfnoid, &call) &&
		   call.kind == GAUSSDP_COUNT && call.has_value &&
		   gaussdp_is_unit(level, (Node *) linitial_node(TargetEntry, agg->args)->expr);
}

bool
gaussdp_counts_values(const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	return agg->aggdistinct != NIL && level->is_weighted && gaussdp_call_of(agg->aggfnoid, &call) &&
		   call.kind == GAUSSDP_COUNT && call.has_value && !counts_people(level, agg);
}

/* A number of rows that a call asks for: whole, since one row is not divided. */
static int64
rows_of(const GaussdpCall *call, int parameter, const Const *given)
{
	double rows = given->consttype == INT8OID ? (double) DatumGetInt64(given->constvalue)
											  : DatumGetFloat8(given->constvalue);

	if (!(rows >= 1 && rows <= (double) GAUSSDP_MOST_ROWS && rows == rint(rows)))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s is out of range: %s", gaussdp_call_parameter(call, parameter),
					float8out_internal(rows)),
			 errdetail("Where a person may own several rows it must be a whole number between 1 "
					   "and 4294967296.")));
	return (int64) rows;
}

/* Takes the number that this call asks for, if it does; *is_open where it is not known yet. */
static bool
take_rows(GaussdpVerifier *v, GaussdpLevel *level, const Aggref *agg, bool *is_open)
{
	GaussdpCall call;
	int parameter;
	const Const *given;
	int64 rows;

	(void) gaussdp_call_of(agg->aggfnoid, &call);
	parameter = gaussdp_call_rows_parameter(&call);
	if (parameter < 0 || (agg->aggdistinct != NIL && !gaussdp_counts_values(level, agg)))
		return true;
	given = (const Const *) list_nth_node(TargetEntry, agg->args, call.first + parameter)->expr;
	if (!IsA(given, Const))
		*is_open = true;
	/* A null is refused with the call's own words when it is priced. */
	if (!IsA(given, Const) || given->constisnull)
		return true;
	rows = rows_of(&call, parameter, given);
	GAUSSDP_REFUSE_IF(level->max_rows != 0 && level->max_rows != rows, GAUSSDP_RULE_UNIT,
					  agg->location,
					  psprintf("calls of one level ask for different max_rows, " INT64_FORMAT
							   " and " INT64_FORMAT,
							   level->max_rows, rows),
					  "Give the same max_rows in each call, or leave it out; or write two levels.");
	level->max_rows = rows;
	return true;
}

/* What a call may be where persons own several rows. */
static bool
verify_call(GaussdpVerifier *v, const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	(void) gaussdp_call_of(agg->aggfnoid, &call);
	GAUSSDP_REFUSE_IF(
		!call.has_weighted_form, GAUSSDP_RULE_ARGUMENTS, agg->location,
		psprintf("%s is not answered where a person may own several rows", call.name),
		"Ask for dp_avg_auto_estimate, which shows the bounds that it finds; or let a sub-select make one row of each person.");
	GAUSSDP_REFUSE_IF(
		agg->aggdistinct != NIL && !(call.kind == GAUSSDP_COUNT && call.has_value),
		GAUSSDP_RULE_ARGUMENTS, agg->location,
		"which of several equal values counts would depend on other people, where a "
		"person may own several rows",
		"DISTINCT may count people and values: dp_count(DISTINCT x, epsilon, delta).");
	if (!call.decides_on_groups)
		return true;
	GAUSSDP_REFUSE_IF(
		gaussdp_call_rows_parameter(&call) >= 0, GAUSSDP_RULE_ARGUMENTS, agg->location,
		"dp_keep_group counts people where a person may own several rows, and takes no max_rows",
		"Write dp_keep_group(epsilon, delta); the owner declares max_groups.");
	GAUSSDP_REFUSE_IF(gaussdp_has_filter(level, agg), GAUSSDP_RULE_ARGUMENTS, agg->location,
					  "dp_keep_group counts the people of a group, and takes no FILTER",
					  "Write the condition in WHERE.");
	return true;
}

/* What a call may be where a person counts in several grouping sets. */
static bool
verify_call_over_sets(GaussdpVerifier *v, const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	if (level->nsets == 1)
		return true;
	(void) gaussdp_call_of(agg->aggfnoid, &call);
	GAUSSDP_REFUSE_IF(call.finds_bounds, GAUSSDP_RULE_ARGUMENTS, agg->location,
					  "bounds would be found in several grouping sets at once",
					  "Give the bounds: dp_avg(x, epsilon, delta, lower, upper).");
	return true;
}

static bool
has_owner_of_many(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->owners)
		if (((const GaussdpOwner *) lfirst(lc))->is_many)
			return true;
	return false;
}

/*
 * What the owners have declared: as how many rows a person counts, and in how many groups that are found.  Whether it is found is for those
 * to say who have several rows of a person, if there are any.
 */
static void
take_declarations(const GaussdpLevel *level, int64 *max_rows, int64 *max_groups, bool *is_found)
{
	bool has_many = has_owner_of_many(level);
	int64 of_arms = 0;
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);
		GaussdpTable table = {.max_rows = 1};
		bool is_sought = false;

		if (owner->inner != NULL)
			take_declarations(owner->inner, &table.max_rows, max_groups, &is_sought);
		else if (gaussdp_table(owner->relation, &table))
		{
			is_sought = table.max_rows == GAUSSDP_FOUND_ROWS;
			*max_groups = Min(*max_groups, table.max_groups);
		}
		*is_found = *is_found || (is_sought && (owner->is_many || !has_many));
		*max_rows = Max(*max_rows, table.max_rows);
		of_arms += Max(table.max_rows, 1);
	}
	/* A person has rows of each arm of a UNION ALL. */
	if (level->query->setOperations != NULL)
		*max_rows = Min(of_arms, GAUSSDP_MOST_ROWS);
}

/*
 * How many of the protected relations may hold several rows of a person, that no row of another one names?  Without a
 * unit a level is refused, with the reason, when the units are verified.
 */
static int
relations_of_many_rows(const GaussdpLevel *level)
{
	ListCell *lc;
	int n = 0;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->is_many && !owner->is_named)
			n += owner->inner != NULL ? owner->inner->of_many : 1;
	}
	return n;
}

bool
gaussdp_has_several_rows(const GaussdpLevel *level)
{
	return has_owner_of_many(level) || level->is_multiplied;
}

bool
gaussdp_verify_many(GaussdpVerifier *v, GaussdpLevel *level)
{
	level->of_many = relations_of_many_rows(level);
	GAUSSDP_REFUSE_IF(
		level->of_many > MOST_OF_MANY_ROWS, GAUSSDP_RULE_UNIT, -1,
		"more than three tables are joined in which a person may own several rows, so that "
		"the time of an answer would tell of one person",
		"Join fewer of them in one level, or ask in several levels (WITH).");
	return true;
}

/* Of values that are taken in turn nobody's number is their own, and the node that finds numbers does not weigh such a level: each counts once. */
static bool
counts_any_values(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->calls)
		if (gaussdp_counts_values(level, lfirst_node(Aggref, lc)))
			return true;
	return false;
}

bool
gaussdp_verify_people(GaussdpVerifier *v, GaussdpLevel *level)
{
	bool is_open = false;
	bool is_found = false;
	bool has_values;
	int64 max_rows = 1;
	ListCell *lc;

	if (!gaussdp_verify_many(v, level))
		return false;
	level->is_weighted = gaussdp_has_several_rows(level);
	foreach (lc, level->calls)
		if (!verify_call_over_sets(v, level, lfirst_node(Aggref, lc)))
			return false;
	if (!level->is_weighted)
		return true;
	level->max_groups = GAUSSDP_MOST_GROUPS;
	foreach (lc, level->calls)
		if (!verify_call(v, level, lfirst_node(Aggref, lc)) ||
			!take_rows(v, level, lfirst_node(Aggref, lc), &is_open))
			return false;
	take_declarations(level, &max_rows, &level->max_groups, &is_found);
	has_values = counts_any_values(level);
	level->finds_people = is_found && !has_values;
	level->finds_rows = is_found && !has_values && level->max_rows == 0 && !is_open;
	level->counts_one = is_found && has_values && level->max_rows == 0 && !is_open;
	level->cut_share = has_values ? 0 : gaussdp_cut_share;
	if (level->max_rows == 0 && !is_open)
		level->max_rows = level->finds_rows || level->counts_one ? 1 : max_rows;
	return true;
}

/* May it cut off anything of a person?  One who is counted in one group alone counts once. */
static bool
may_cut(const GaussdpLevel *level, const Aggref *agg, GaussdpCall *call)
{
	if (!level->is_weighted || !gaussdp_call_of(agg->aggfnoid, call) || call->decides_on_groups)
		return false;
	return !counts_people(level, agg) || level->query->groupClause != NIL ||
		   level->query->groupingSets != NIL;
}

bool
gaussdp_finds_rows(const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	if (!may_cut(level, agg, &call))
		return false;
	return counts_people(level, agg) ? level->finds_people && gaussdp_call_rows_parameter(&call) < 0
									 : level->finds_rows;
}

double
gaussdp_histogram_share(const GaussdpLevel *level, const Aggref *agg)
{
	GaussdpCall call;

	if (!may_cut(level, agg, &call))
		return 0;
	return gaussdp_finds_rows(level, agg) ? GAUSSDP_FINDING_SHARE : level->cut_share;
}

const GaussdpFoundRows *
gaussdp_found_rows(const GaussdpLevel *level, const Aggref *agg)
{
	ListCell *lc;

	foreach (lc, level->found)
	{
		const GaussdpFoundRows *found = lfirst(lc);

		if (equal(found->call, agg))
			return found;
	}
	return NULL;
}

/* The call's noise becomes so many times as large. */
static void
enlarge_noise(GaussdpCallParts *parts, double times)
{
	int of_epsilon = gaussdp_call_place(&parts->call, GAUSSDP_PARAM_EPSILON);
	int of_delta = gaussdp_call_place(&parts->call, GAUSSDP_PARAM_DELTA);
	double delta;
	double mu;
	double epsilon;

	if (parts->isnull[of_epsilon] || parts->isnull[of_delta])
		return;
	delta = DatumGetFloat8(parts->values[of_delta]);
	/* What they say is refused with the call's own words when it is priced. */
	if (gdp_profile_mu(DatumGetFloat8(parts->values[of_epsilon]), delta, &mu) == GDP_OK &&
		gdp_profile_epsilon(mu / times, delta, &epsilon) == GDP_OK)
		parts->values[of_epsilon] = Float8GetDatum(epsilon);
}

/*
 * dp_keep_group decides on the groups of each of S sets.  Half of its delta is of thresholds, of which each set has one S-th; the noise is
 * that of the other half, sqrt(S) times as large.
 */
static void
split_threshold(GaussdpCallParts *parts, int nsets)
{
	int of_epsilon = gaussdp_call_place(&parts->call, GAUSSDP_PARAM_EPSILON);
	int of_delta = gaussdp_call_place(&parts->call, GAUSSDP_PARAM_DELTA);
	double delta;
	double mu;
	double epsilon;

	if (parts->isnull[of_epsilon] || parts->isnull[of_delta])
		return;
	delta = DatumGetFloat8(parts->values[of_delta]);
	if (gdp_profile_mu(DatumGetFloat8(parts->values[of_epsilon]), delta / 2, &mu) != GDP_OK ||
		gdp_profile_epsilon(mu / sqrt((double) nsets), delta / nsets / 2, &epsilon) != GDP_OK)
		return;
	parts->values[of_epsilon] = Float8GetDatum(epsilon);
	parts->values[of_delta] = Float8GetDatum(delta / nsets);
}

/* A part of the call's mu^2 pays for a histogram; 1 stands for what that finds before. */
static void
take_histogram(const GaussdpLevel *level, const Aggref *agg, GaussdpCallParts *parts)
{
	const GaussdpFoundRows *found = gaussdp_found_rows(level, agg);
	double share = gaussdp_histogram_share(level, agg);

	if (gaussdp_finds_rows(level, agg))
		parts->k = parts->most = found != NULL ? found->rows : 1;
	if (share > 0)
		enlarge_noise(parts, 1 / sqrt(1 - share));
}

bool
gaussdp_call_parts(const GaussdpLevel *level, const Aggref *agg, GaussdpCallParts *parts)
{
	GaussdpCall *call = &parts->call;

	memset(parts, 0, sizeof(*parts));
	(void) gaussdp_call_of(agg->aggfnoid, call);
	for (int i = 0; i < call->nparams; i++)
	{
		const Const *value = (Const *) list_nth_node(TargetEntry, agg->args, call->first + i)->expr;

		if (!IsA(value, Const))
			return false;
		parts->values[i] = value->constvalue;
		parts->isnull[i] = value->constisnull;
	}
	if (call->has_value)
		parts->value = linitial_node(TargetEntry, agg->args)->expr;
	parts->k = (double) level->max_rows;
	if (call->decides_on_groups)
	{
		parts->of_people = true;
		parts->k = (double) level->max_groups;
		parts->most = 1;
	}
	else if (counts_people(level, agg))
	{
		parts->of_people = true;
		parts->k = gaussdp_call_rows(call, parts->values, parts->isnull, 1);
		parts->most = parts->k;
		call->has_value = false;
		parts->value = NULL;
	}
	else
	{
		parts->of_values = gaussdp_counts_values(level, agg);
		parts->most = parts->k;
	}
	take_histogram(level, agg, parts);
	/* A person is in a group of each grouping set, and moves the numbers of all of them by sqrt(S) times as much, in the 2-norm. */
	if (level->nsets > 1)
	{
		parts->most *= sqrt((double) level->nsets);
		if (call->decides_on_groups)
			split_threshold(parts, level->nsets);
		else
			enlarge_noise(parts, sqrt((double) level->nsets));
	}
	return !level->is_weighted || parts->of_people || level->max_rows > 0;
}

double
gaussdp_hiding_delta(const GaussdpLevel *level, const GaussdpCallParts *parts, double least,
					 double *smallest)
{
	if (!level->is_weighted)
		return gaussdp_count_hiding(&parts->call, parts->values, parts->isnull, 1, least, smallest);
	return gaussdp_weighted_hiding(&parts->call, parts->values, parts->isnull, parts->k,
								   parts->of_people ? GAUSSDP_COUNTED_PEOPLE : GAUSSDP_COUNTED_ROWS,
								   (double) level->max_groups, least, smallest);
}
