/*
 * last_answer.c
 *		What the session's last statement has released, for gaussdp.last_answer, and a notice of what it has cut off.
 *
 * All of it is released, or was known before the query ran: calls, their noise and price, as how many rows a person counts, what that
 * cuts off by the histogram that was released for it, and how many groups are shown.  It costs nothing.
 *
 * A statement is what the client has sent: what runs inside of it, as in a function, belongs to it.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/exec/last_answer.h"
#include "policy/exec/price.h"

PG_FUNCTION_INFO_V1(gaussdp_last_answer);
PG_FUNCTION_INFO_V1(gaussdp_forget_last_answer);

/* A cut that is told of, as a part of all that people have. */
#define CUT_TO_TELL 0.05

/* In how large a group half widths are shown, as gaussdp.explain_privacy() does. */
#define GROUP_SIZE 1000

/* One release of the statement. */
typedef struct Answer
{
	GaussdpRelease release;
	Oid role; /* that asked: others who have the session later do not see it */
	bool is_free;
	bool is_owners; /* may the role read the rows by itself? */
	bool is_weighted;
	double rows; /* as how many a person counts */
	bool has_found;
	bool is_found;     /* or is it 1 since nobody stood out? */
	double cut;        /* if it is */
	double half_width; /* NAN where it is not known */
	int64 shown;       /* groups; -1 where it is not known */
	TimestampTz at;
} Answer;

static struct
{
	TimestampTz statement;
	bool is_to_tell;
	int n;
	Answer answers[GAUSSDP_MAX_RELEASES];
} last;

/* The next place; what came first makes room for it. */
static Answer *
add_answer(void)
{
	TimestampTz statement = GetCurrentStatementStartTimestamp();

	if (last.statement != statement)
	{
		last.n = 0;
		last.is_to_tell = false;
		last.statement = statement;
		(void) gaussdp_take_lost_averages();
	}
	if (last.n == lengthof(last.answers))
		memmove(last.answers, last.answers + 1, sizeof(Answer) * (size_t) --last.n);
	memset(&last.answers[last.n], 0, sizeof(Answer));
	return &last.answers[last.n++];
}

static void
take_call(Answer *answer, const GaussdpRoom *room, const GaussdpPlannedRelease *planned)
{
	const GaussdpLevel *level = planned->level;
	const GaussdpFoundRows *found = gaussdp_found_rows(level, planned->call);
	GaussdpCallParts parts;

	answer->half_width = gaussdp_release_half_width(planned, GROUP_SIZE);
	answer->shown = level->is_distributed || room->shown_since != 0 ? -1 : room->shown;
	answer->is_weighted = level->is_weighted && gaussdp_call_parts(level, planned->call, &parts);
	if (answer->is_weighted)
		answer->rows = parts.call.decides_on_groups ? 1 : parts.k;
	if (found == NULL)
		return;
	answer->has_found = true;
	answer->is_found = found->is_found;
	answer->cut = found->cut;
	last.is_to_tell = last.is_to_tell || !found->is_found || found->cut > CUT_TO_TELL;
}

void
gaussdp_keep_last_answer(const GaussdpRoom *room, bool finds)
{
	ListCell *lc;

	foreach (lc, gaussdp_level_releases(list_make1(room->level)))
	{
		const GaussdpPlannedRelease *planned = lfirst(lc);
		Answer *answer;

		/* The calls of a level that finds rows come when it has found them. */
		if ((planned->call == NULL) != finds)
			continue;
		answer = add_answer();
		(void) gaussdp_price(planned, &answer->release);
		answer->role = GetUserId();
		/* An answer that is shown again may have been paid before. */
		answer->is_free = room->level->is_free || (room->shown_since != 0 && !room->is_paid_again);
		answer->is_owners = room->level->is_free;
		answer->at = room->shown_since != 0 ? room->shown_since
					 : room->drawn != 0     ? room->drawn
											: GetCurrentTimestamp();
		answer->half_width = NAN;
		answer->shown = -1;
		if (!finds)
			take_call(answer, room, planned);
	}
}

static void
append_cut(StringInfo detail, const Answer *answer)
{
	if (answer->role != GetOuterUserId() || !answer->has_found ||
		(answer->is_found && answer->cut <= CUT_TO_TELL))
		return;
	appendStringInfo(detail, "%s%s counts a person as %g row%s at most, ",
					 detail->len > 0 ? " " : "", answer->release.kind, answer->rows,
					 answer->rows == 1 ? "" : "s");
	if (answer->is_found)
		appendStringInfo(detail, "which leaves out about %.0f percent.", 100 * answer->cut);
	else
		appendStringInfoString(detail, "since too few people stand out of the noise to find more.");
}

void
gaussdp_tell_of_cut(void)
{
	int averages = gaussdp_take_lost_averages();
	bool is_own = GetUserId() == GetOuterUserId(); /* not asked by a function of another role */
	bool is_cut = last.is_to_tell && last.statement == GetCurrentStatementStartTimestamp();
	StringInfoData detail;

	last.is_to_tell = false;
	if (!is_own || (!is_cut && averages == 0))
		return;
	initStringInfo(&detail);
	for (int i = 0; i < last.n && is_cut; i++)
		append_cut(&detail, &last.answers[i]);
	if (averages > 0)
		appendStringInfo(&detail, "%s%d average%s NULL, for want of people.",
						 detail.len > 0 ? " " : "", averages, averages == 1 ? " is" : "s are");
	if (detail.len == 0)
		return;
	ereport(NOTICE,
			(errmsg("the answer leaves something out"), errdetail("%s", detail.data),
			 errhint("gaussdp.last_answer shows what each call of the last statement has.")));
}

/* last_answer(), with the columns of the view */
Datum
gaussdp_last_answer(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < last.n; i++)
	{
		const Answer *answer = &last.answers[i];
		const GaussdpRelease *release = &answer->release;
		double epsilon;
		Datum values[] = {
			CStringGetTextDatum(release->kind),
			ObjectIdGetDatum(release->relid),
			Float8GetDatum(answer->rows),
			BoolGetDatum(answer->is_found),
			Float8GetDatum(answer->cut),
			Float8GetDatum(release->sigma),
			Float8GetDatum(answer->half_width),
			Float8GetDatum(answer->is_free ? 0 : ldexp((double) release->mu2, -52)),
			0,
			Float8GetDatum(release->delta),
			Int64GetDatum(answer->shown),
			TimestampTzGetDatum(answer->at),
			Float8GetDatum(ldexp((double) release->mu2, -52)),
			Float8GetDatum(gdp_delta_of(release->threshold_delta)),
			BoolGetDatum(answer->is_owners),
		};
		bool isnull[lengthof(values)] = {
			[2] = !answer->is_weighted,
			[3] = !answer->has_found,
			[4] = !answer->is_found,
			[6] = isnan(answer->half_width),
			[8] = gdp_profile_epsilon(gdp_mu2_mu_up(release->mu2), release->delta, &epsilon) !=
				  GDP_OK,
			[10] = answer->shown < 0,
		};

		if (answer->role != GetUserId())
			continue;
		if (!isnull[8])
			values[8] = Float8GetDatum(answer->is_free ? 0 : epsilon);
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}

/* forget_last_answer(): what this statement has released so far is shown no more */
Datum
gaussdp_forget_last_answer(PG_FUNCTION_ARGS)
{
	last.n = 0;
	PG_RETURN_VOID();
}
