/*
 * last_answer.c
 *		What the session's last statement has released, for gaussdp.last_answer, and one notice of what is wrong with it.
 *
 * All of it is released, or was known before the query ran: calls, their noise and price, as how many rows a person counts, what that
 * cuts off by the histogram that was released for it, how many groups are shown, and in how many of these the released number is small
 * beside its noise.  It costs nothing.
 *
 * A statement is what the client has sent: what runs inside of it, as in a function, belongs to it.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/exec/last_answer.h"
#include "policy/exec/price.h"
#include "settings.h"

PG_FUNCTION_INFO_V1(gaussdp_last_answer);

/* A cut that is told of, as a part of all that people have; and one that may be, since noise hides as much. */
#define CUT_TO_TELL 0.05
#define HIDDEN_TO_TELL 0.15

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
	bool finds;
	bool has_histogram; /* of people, whether it is found or given */
	bool
		is_found; /* or did nobody stand out, so that it is 1, or that it is not known what it cuts? */
	double cut;        /* if it is */
	double most;       /* of what may be cut */
	double half_width; /* NAN where it is not known */
	int64 shown;       /* groups; -1 where it is not known */
	double least; /* about how many people each of these has at least; 0 where none is hidden */
	bool is_in_several; /* may a person be in several groups, and count less in each? */
	int64 rough;   /* likewise, of those: how many may be off by more than half of their value */
	double beyond; /* what part of it may lie beyond bounds that were found, in the worst group */
	bool counts_once; /* does a person count once in all groups, who may be in several? */
	bool is_of_one;   /* or with one row or value, though nobody has said so? */
	bool is_joined;   /* likewise, who has one row, and several beside public ones? */
	TimestampTz at;
} Answer;

static struct
{
	TimestampTz statement;
	bool is_to_tell;
	int n;
	Answer answers[GAUSSDP_MAX_RELEASES];
} last;

/* A release of a draw that has a key: number n of its level. */
typedef struct Counted
{
	GaussdpAnswerKey key;
	TimestampTz drawn;
	int64 n;
} Counted;

/* The innermost of those that are added up. */
static GaussdpPrice *prices = NULL;

void
gaussdp_begin_price(GaussdpPrice *price)
{
	HASHCTL control = {
		.keysize = sizeof(Counted), .entrysize = sizeof(Counted), .hcxt = CurrentMemoryContext};

	memset(price, 0, sizeof(*price));
	price->counted = hash_create("gaussdp counted releases", 16, &control,
								 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	price->role = GetUserId();
	price->around = prices;
	prices = price;
}

void
gaussdp_end_price(const GaussdpPrice *price)
{
	prices = price->around;
}

/* Has an equal level before released the same number? */
static bool
is_counted(const GaussdpPrice *price, const GaussdpRoom *room, TimestampTz drawn, int n)
{
	Counted release;
	bool found = false;

	memset(&release, 0, sizeof(release));
	release.key = room->key;
	release.drawn = drawn;
	release.n = n;
	if (room->has_key || room->shown_since != 0)
		(void) hash_search(price->counted, &release, HASH_ENTER, &found);
	return found;
}

static void
add_to_prices(const Answer *answer, const GaussdpRoom *room, int n)
{
	for (GaussdpPrice *price = prices; price != NULL; price = price->around)
	{
		if (price->role != answer->role)
			continue;
		if (!is_counted(price, room, answer->at, n))
		{
			price->mu2 = gdp_spent_add(price->mu2, answer->release.mu2);
			price->threshold_delta =
				gdp_spent_add(price->threshold_delta, answer->release.threshold_delta);
		}
		price->delta = Max(price->delta, answer->release.delta);
		if (price->calls++ == 0 || answer->at < price->drawn)
			price->drawn = answer->at;
		if (answer->is_owners)
			price->readable = answer->release.relid;
	}
}

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
		(void) gaussdp_set_lost_numbers(0);
	}
	if (last.n == lengthof(last.answers))
		memmove(last.answers, last.answers + 1, sizeof(Answer) * (size_t) --last.n);
	memset(&last.answers[last.n], 0, sizeof(Answer));
	return &last.answers[last.n++];
}

/* In how many groups the call is rough, and what of it may lie beyond bounds; unless that is not known. */
static void
take_quality(Answer *answer, const GaussdpRoom *room, const Aggref *call)
{
	ListCell *lc;

	answer->rough = -1;
	foreach (lc, room->rough == NULL || room->shown_since != 0 ? NIL : room->program.columns)
		if (equal(lfirst(lc), call))
		{
			answer->rough = room->rough[foreach_current_index(lc)];
			answer->beyond = room->beyond[foreach_current_index(lc)];
		}
}

/* Of one table of people alone the keys are columns: a person is in one group. */
static bool
is_in_one_group(const GaussdpLevel *level)
{
	ListCell *lc;
	Bitmapset *keys = pull_varnos(NULL, (Node *) level->keys);

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (!owner->is_many)
			keys = bms_del_member(keys, (int) owner->rti);
	}
	return bms_is_empty(keys);
}

/* Does a person have several rows of the level by public rows alone? */
static bool
is_multiplied_alone(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->owners)
		if (((const GaussdpOwner *) lfirst(lc))->is_many)
			return false;
	return level->is_multiplied;
}

static void
take_call(Answer *answer, const GaussdpRoom *room, const GaussdpPlannedRelease *planned)
{
	const GaussdpLevel *level = planned->level;
	const GaussdpFoundRows *found = gaussdp_found_rows(level, planned->call);
	GaussdpCallParts parts;

	answer->half_width = gaussdp_release_half_width(planned, GROUP_SIZE);
	answer->is_in_several = level->is_weighted && !is_in_one_group(level);
	answer->shown = level->is_distributed || room->shown_since != 0 ? -1 : room->shown;
	take_quality(answer, room, planned->call);
	answer->is_weighted = level->is_weighted && gaussdp_call_parts(level, planned->call, &parts);
	if (answer->is_weighted)
		answer->rows = parts.call.decides_on_groups ? 1 : parts.k;
	answer->counts_once = answer->is_weighted && parts.of_people && found == NULL &&
						  !parts.call.decides_on_groups &&
						  gaussdp_call_rows_parameter(&parts.call) < 0 && level->keys != NIL &&
						  !is_in_one_group(level);
	answer->is_of_one = answer->is_weighted && level->counts_one && !parts.of_people;
	answer->is_joined = answer->is_weighted && !answer->is_of_one && !parts.of_people &&
						found == NULL && parts.k == 1 &&
						gaussdp_call_rows_parameter(&parts.call) < 0 && is_multiplied_alone(level);
	if (found == NULL)
		return;
	answer->has_histogram = true;
	answer->finds = gaussdp_finds_rows(level, planned->call);
	answer->is_found = found->is_found;
	answer->cut = found->cut;
	answer->most = found->most;
}

/* The threshold of dp_keep_group (aggregate/keep.c), without its roundings. */
double
gaussdp_least_people(const GaussdpRelease *release, const GaussdpLevel *level)
{
	double delta = (double) release->threshold_delta / 1e18 / level->nsets;
	double groups = level->is_weighted ? (double) level->max_groups : 1;

	if (release->threshold_delta <= 0 || strcmp(release->kind, "dp_keep_group") != 0)
		return 0;
	return fmax(1 + release->sigma * gdp_norm_upper_quantile(delta),
				1 / sqrt(groups) + release->sigma * gdp_norm_upper_quantile(delta / groups));
}

void
gaussdp_keep_last_answer(const GaussdpRoom *room, bool finds)
{
	ListCell *lc;

	foreach (lc, gaussdp_all_releases(room->level))
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
		answer->least = gaussdp_least_people(&answer->release, room->level);
		answer->half_width = NAN;
		answer->shown = answer->rough = -1;
		if (!finds)
			take_call(answer, room, planned);
		add_to_prices(answer, room, foreach_current_index(lc));
		last.is_to_tell = true;
	}
}

/* One more sentence, unless it is there. */
static void
add_sentence(StringInfo text, const char *sentence)
{
	if (text->len > 0 && strstr(text->data, sentence) != NULL)
		return;
	appendStringInfo(text, "%s%s", text->len > 0 ? " " : "", sentence);
}

/* As how many rows a person counts where that leaves much out, or may. */
static void
tell_of_cut(StringInfo text, const Answer *answer)
{
	bool is_cut = answer->cut > CUT_TO_TELL;
	const char *why = answer->finds
						  ? "since too few people stand out of the noise to find more"
						  : "and too few people stand out of the noise to say what that leaves out";

	if (!answer->has_histogram || (answer->is_found && !is_cut && !(answer->most > HIDDEN_TO_TELL)))
		return;
	if (answer->is_found && is_cut && answer->most < 2 * answer->cut)
		why = psprintf("which leaves out about %.0f percent", 100 * answer->cut);
	else if (answer->is_found)
		why = psprintf("which leaves out about %.0f percent, and up to %.0f where the noise hides "
					   "people with many rows",
					   100 * answer->cut, 100 * answer->most);
	add_sentence(text, psprintf("%s counts a person as %g row%s at most, %s.", answer->release.kind,
								answer->rows, answer->rows == 1 ? "" : "s", why));
}

/* Values beyond bounds that were found in the data. */
static void
tell_of_bounds(StringInfo text, const Answer *answer)
{
	if (answer->beyond > HIDDEN_TO_TELL)
		add_sentence(
			text,
			psprintf("%s found bounds for its values: up to %.0f percent may lie beyond them, "
					 "which no error bar has.",
					 answer->release.kind, 100 * answer->beyond));
}

/* People who count with one row or value since different values are counted.  True where it is told. */
static bool
tell_of_one(StringInfo text, const Answer *answer)
{
	if (answer->is_of_one)
		add_sentence(text,
					 psprintf("%s counts one row or value of each person, since no number is found "
							  "where different values are counted.",
							  answer->release.kind));
	return answer->is_of_one;
}

/* People who count as one row beside several public rows.  True where it is told. */
static bool
tell_of_joined(StringInfo text, const Answer *answer)
{
	if (answer->is_joined)
		add_sentence(text, psprintf("%s counts a person as one row at most, who may have several "
									"beside public rows.",
									answer->release.kind));
	return answer->is_joined;
}

/* People who are counted once in all groups.  True where it is told. */
static bool
tell_of_once(StringInfo text, const Answer *answer)
{
	if (!answer->counts_once || (answer->shown >= 0 && answer->shown < 2))
		return false;
	add_sentence(text, psprintf("%s counts each person once in all groups together: those who are "
								"in several are missing in part.",
								answer->release.kind));
	return true;
}

/* Whether groups are hidden is not to be known, from which size on they are shown is; that none is, room.c says.  True where it is told. */
static bool
tell_of_small_groups(StringInfo text, const Answer *answer)
{
	if (!(answer->least > 0) || (answer->shown == 0 && gaussdp_answer_plain_sql))
		return false;
	add_sentence(text,
				 psprintf("Groups of fewer than about %.0f people%s are not shown.", answer->least,
						  answer->is_in_several ? ", or of more who are in several," : ""));
	return true;
}

/* The notice: of what is left out, of groups that are not shown, of numbers that are NULL, and of those that their noise drowns. */
static void
tell(int lost)
{
	StringInfoData text;
	StringInfoData hint;
	bool is_cut;
	bool is_once = false, is_of_one = false, is_joined = false, is_small = false;
	int64 rough = 0, all = 0;

	initStringInfo(&text);
	initStringInfo(&hint);
	for (int i = 0; i < last.n; i++)
	{
		const Answer *answer = &last.answers[i];

		if (answer->role != GetOuterUserId())
			continue;
		tell_of_cut(&text, answer);
		tell_of_bounds(&text, answer);
		is_once = tell_of_once(&text, answer) || is_once;
		is_of_one = tell_of_one(&text, answer) || is_of_one;
		is_joined = tell_of_joined(&text, answer) || is_joined;
		rough += Max(answer->rough, 0);
		all += answer->rough >= 0 ? answer->shown : 0;
	}
	if (lost > 0)
		add_sentence(&text, psprintf("%d number%s NULL, for want of people.", lost,
									 lost == 1 ? " is" : "s are"));
	is_cut = text.len > 0;
	for (int i = 0; i < last.n; i++)
		if (last.answers[i].role == GetOuterUserId())
			is_small = tell_of_small_groups(&text, &last.answers[i]) || is_small;
	/* Who writes private calls has chosen their noise. */
	rough = gaussdp_answer_plain_sql ? rough : 0;
	if (rough > 0)
		add_sentence(&text,
					 psprintf(INT64_FORMAT " of " INT64_FORMAT
										   " number%s may be off by more than half of %s value.",
							  rough, all, all == 1 ? "" : "s", rough == 1 ? "its" : "their"));
	if (is_once)
		add_sentence(&hint, "dp_count(DISTINCT person, epsilon, delta, C) counts people in up to "
							"C^2 groups in full; where the owner declares max_rows => 0, C is "
							"found.");
	if (is_of_one)
		add_sentence(
			&hint,
			"dp_count(DISTINCT x, epsilon, delta, k) counts k values of each; ask for rows in a query of their own.");
	if (is_joined)
		add_sentence(&hint, "Where the owner declares max_rows => 0, it is found how many count.");
	if (is_small)
		add_sentence(
			&hint, "A larger epsilon shows smaller groups; of keys that the owner declares public "
				   "all are shown.");
	if (rough > 0 || lost > 0)
		add_sentence(&hint, "Fewer groups, a larger epsilon, tighter bounds or a smaller max_rows "
							"make numbers more exact.");
	add_sentence(&hint, "gaussdp.last_answer shows what each call of the last statement has.");
	if (text.len > 0)
		ereport(NOTICE, (is_cut      ? errmsg("the answer leaves something out")
						 : rough > 0 ? errmsg("the answer is rough")
									 : errmsg("small groups are not shown"),
						 errdetail("%s", text.data), errhint("%s", hint.data)));
}

void
gaussdp_tell_of_answer(void)
{
	int lost = gaussdp_set_lost_numbers(0);
	bool is_own = GetUserId() == GetOuterUserId(); /* not asked by a function of another role */
	bool is_last = last.is_to_tell && last.statement == GetCurrentStatementStartTimestamp();

	last.is_to_tell = false;
	if (is_own && is_last)
		tell(lost);
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
			Float8GetDatum(answer->most),
			Float8GetDatum(release->sigma),
			Float8GetDatum(answer->half_width),
			Float8GetDatum(answer->is_free ? 0 : ldexp((double) release->mu2, -52)),
			0,
			Float8GetDatum(release->delta),
			Int64GetDatum(answer->shown),
			Float8GetDatum(round(answer->least)),
			Int64GetDatum(answer->rough),
			Float8GetDatum(answer->beyond),
			TimestampTzGetDatum(answer->at),
			Float8GetDatum(ldexp((double) release->mu2, -52)),
			Float8GetDatum(gdp_delta_of(release->threshold_delta)),
			BoolGetDatum(answer->is_owners),
		};
		bool isnull[lengthof(values)] = {
			[2] = !answer->is_weighted,
			[3] = !answer->finds,
			[4] = !answer->is_found,
			[5] = !answer->is_found,
			[7] = isnan(answer->half_width),
			[9] = gdp_profile_epsilon(gdp_mu2_mu_up(release->mu2), release->delta, &epsilon) !=
				  GDP_OK,
			[11] = answer->shown < 0,
			[12] = answer->least == 0,
			[13] = answer->rough < 0,
			[14] = answer->beyond == 0,
		};

		if (answer->role != GetUserId())
			continue;
		if (!isnull[9])
			values[9] = Float8GetDatum(answer->is_free ? 0 : epsilon);
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}
