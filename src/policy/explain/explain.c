/*
 * explain.c
 *		gaussdp.explain_privacy(query): the verdict and the price of a query, without executing it.
 *
 * Runs the verifier that would decide about the query, for the current role, and charges nothing.
 * Like the verdict itself it depends on the query, the catalog and the ledger, never on a row.
 *
 * The folder has explain.c, with explain_privacy.sql, warnings.c (what will be left out), and shown.c (what a view shows of tables),
 * with check_policy.sql.  They are called by SQL alone: no other folder includes anything of it, and no answer rests on it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "aggregate/bounds.h"
#include "citus/citus.h"
#include "core/core.h"
#include "declaration/population.h"
#include "ledger/ledger.h"
#include "policy/contained/contained.h"
#include "policy/exec/exec.h"
#include "policy/explain/warnings.h"
#include "policy/hints/hints.h"
#include "policy/proof/proof.h"
#include "policy/rewrite/rewrite.h"
#include "report.h"

PG_FUNCTION_INFO_V1(explain_privacy);

/* Columns of the result. */
enum
{
	VERDICT,
	CALL,
	RELATION,
	MAX_ROWS,
	SENSITIVITY,
	SIGMA,
	HALF_WIDTH,
	MU_SQUARED,
	EPSILON,
	DELTA,
	THRESHOLD_DELTA,
	LEFT_BEFORE,
	LEFT_AFTER,
	REASON,
	HINT,
	NCOLUMNS
};

/* What the calls so far cost a population. */
typedef struct Spent
{
	GaussdpPopulation population;
	int64 mu2;   /* of their levels */
	int64 calls; /* without what levels cost beyond their calls: what the limit on a query counts */
	int64 delta;
} Spent;

/* The explanation of a query whose levels are legal. */
typedef struct Explanation
{
	double group_size; /* for which error bars are shown */
	bool exact;        /* with all digits of the numbers */
	List *rows;
	List *spent;
	bool is_too_expensive;
} Explanation;

typedef struct Row
{
	Datum values[NCOLUMNS];
	bool isnull[NCOLUMNS];
} Row;

static void
set_column(Row *row, int column, Datum value)
{
	row->values[column] = value;
	row->isnull[column] = false;
}

static void
set_text(Row *row, int column, const char *value)
{
	if (value != NULL)
		set_column(row, column, CStringGetTextDatum(value));
}

/* A number as people read it, or as it is. */
static void
set_number(const Explanation *explanation, Row *row, int column, double value,
		   GaussdpRounding rounding)
{
	set_column(row, column,
			   Float8GetDatum(explanation->exact ? value : gaussdp_three_digits(value, rounding)));
}

static Row
empty_row(const char *verdict)
{
	Row row;

	for (int i = 0; i < NCOLUMNS; i++)
		row.isnull[i] = true;
	set_text(&row, VERDICT, verdict);
	return row;
}

static void
put_row(ReturnSetInfo *result, Row *row)
{
	tuplestore_putvalues(result->setResult, result->setDesc, row->values, row->isnull);
}

/* Errors of the parser point into the text that is explained, not into the statement that explains it. */
static void
point_into_text(void *source)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(source);
}

/* The query as the planner would get it; 0A000 for anything but one plain statement. */
static Query *
rewritten_query(const char *source)
{
	List *statements = pg_parse_query(source);
	Oid *types = NULL;
	int ntypes = 0;
	List *queries;

	if (list_length(statements) != 1)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("the text must be one statement, not %d", list_length(statements))));
	queries = pg_analyze_and_rewrite_varparams(linitial_node(RawStmt, statements), source, &types,
											   &ntypes, NULL);
	if (list_length(queries) != 1 || linitial_node(Query, queries)->commandType == CMD_UTILITY)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("only SELECT and INSERT ... SELECT can be explained"),
			 errhint("Give the query alone, without EXPLAIN, COPY, CREATE TABLE AS or DECLARE.")));
	return linitial_node(Query, queries);
}

/* mu^2 in the ledger's units as an epsilon at this delta, rounded up; 0 for nothing. */
static double
epsilon_of(int64 mu2, double delta)
{
	double epsilon = 0;

	if (mu2 > 0)
		gaussdp_report(gdp_profile_epsilon(gdp_mu2_mu_up(mu2), delta, &epsilon), "delta", delta);
	return epsilon;
}

/* What has been spent on the people of a table. */
static Spent *
spent_on(Explanation *explanation, Oid relid)
{
	GaussdpPopulation population = {0};
	Spent *spent;
	ListCell *lc;

	(void) gaussdp_population(relid, &population);
	foreach (lc, explanation->spent)
		if (gaussdp_same_population(&((Spent *) lfirst(lc))->population, &population))
			return lfirst(lc);
	spent = palloc0(sizeof(Spent));
	spent->population = population;
	explanation->spent = lappend(explanation->spent, spent);
	return spent;
}

/*
 * What the role has left before and after a call, in epsilon at its budget's delta; why_free: why nothing is charged, or NULL; least is
 * what the query costs beyond its calls, since it costs too little.
 */
static void
explain_funds(Explanation *explanation, Row *row, const GaussdpRelease *release,
			  const char *why_free, int64 least)
{
	GaussdpFunds funds = gaussdp_budget_left(GetUserId(), release->relid);
	Spent *spent = spent_on(explanation, release->relid);
	int64 left = funds.mu2_left - spent->mu2;
	int64 cost = gdp_spent_add(release->mu2, least);

	if (why_free != NULL)
	{
		set_text(row, REASON, why_free);
		return;
	}
	spent->mu2 = gdp_spent_add(spent->mu2, cost);
	spent->calls = gdp_spent_add(spent->calls, release->mu2);
	spent->delta = gdp_spent_add(spent->delta, release->threshold_delta);
	if (!funds.granted)
	{
		set_text(row, REASON, "No budget for this table has been granted to this role.");
		return;
	}
	if (least > 0)
		set_text(row, REASON,
				 psprintf("A query costs at least 2^-20 of the budget, here a mu^2 of %.3g.",
						  ldexp((double) funds.least_mu2, -52)));
	set_number(explanation, row, LEFT_BEFORE, epsilon_of(left, funds.delta), GAUSSDP_ROUND_DOWN);
	set_number(explanation, row, LEFT_AFTER, epsilon_of(left - cost, funds.delta),
			   GAUSSDP_ROUND_DOWN);
	if (left < cost)
		set_text(row, REASON, "The budget does not suffice.");
	else if (spent->delta > funds.delta_left)
		set_text(
			row, REASON,
			psprintf("The threshold needs more than the delta of %g that is left for thresholds.",
					 gaussdp_three_digits(gdp_delta_of(funds.delta_left), GAUSSDP_ROUND_DOWN)));
	else if (spent->calls > funds.mu2_per_query)
		set_text(row, REASON, "The query costs more than max_epsilon_per_query allows.");
	else
		return;
	explanation->is_too_expensive = true;
}

/* As how many rows a person counts in a call, and the noise that it has. */
static void
explain_noise(const Explanation *explanation, Row *row, const GaussdpPlannedRelease *planned,
			  const GaussdpRelease *release)
{
	double half_width = gaussdp_release_half_width(planned, explanation->group_size);
	GaussdpCall call;

	if (release->max_rows > 0)
		set_column(row, MAX_ROWS, Int64GetDatum(release->max_rows));
	set_number(explanation, row, SENSITIVITY, release->l2_sensitivity, GAUSSDP_ROUND_UP);
	set_number(explanation, row, SIGMA, release->sigma, GAUSSDP_ROUND_NEAREST);
	if (isnan(half_width))
		set_text(
			row, HINT,
			"How far off the answer is depends on bounds that are found privately: ask for an estimate.");
	else
		set_number(explanation, row, HALF_WIDTH, half_width, GAUSSDP_ROUND_UP);
	if (gaussdp_call_of(planned->call->aggfnoid, &call) &&
		(call.kind == GAUSSDP_QUANTILE || call.kind == GAUSSDP_QUANTILES))
		set_text(row, HINT,
				 "half_width_95 is in rows, by which the rank of the answer may be off.");
}

/* Adds a sentence to the hint of a row. */
static void
add_hint(Row *row, const char *hint)
{
	if (hint == NULL)
		return;
	if (!row->isnull[HINT])
		hint = psprintf("%s %s", TextDatumGetCString(row->values[HINT]), hint);
	set_text(row, HINT, hint);
}

/* What histograms of people are for. */
static void
explain_histograms(Row *row, const GaussdpPlannedRelease *planned)
{
	int nfound = 0;
	ListCell *lc;

	foreach (lc, planned->finding)
		nfound += gaussdp_finds_rows(planned->level, ((GaussdpPlannedRelease *) lfirst(lc))->call);
	if (nfound > 0)
		add_hint(
			row,
			"Histograms of people, by which max_rows is found for the calls of the query: a quarter of their price.");
	if (nfound < list_length(planned->finding))
		add_hint(
			row,
			"Histograms of people, which say what the max_rows of the calls cuts off: gaussdp.cut_share of their price.");
}

/* What a release is worth and costs, whoever pays. */
static void
explain_numbers(const Explanation *explanation, Row *row, const GaussdpPlannedRelease *planned,
				const GaussdpRelease *release)
{
	if (planned->call == NULL)
		explain_histograms(row, planned);
	else if (gaussdp_finds_rows(planned->level, planned->call))
		/* its noise is not known before */
		add_hint(
			row,
			"As how many rows a person counts is found privately when the query runs: gaussdp.last_answer shows it then.");
	else
		explain_noise(explanation, row, planned, release);
	set_number(explanation, row, MU_SQUARED, ldexp((double) release->mu2, -52), GAUSSDP_ROUND_UP);
	set_number(explanation, row, EPSILON, epsilon_of(release->mu2, release->delta),
			   GAUSSDP_ROUND_UP);
	set_column(row, DELTA, Float8GetDatum(release->delta));
	set_number(explanation, row, THRESHOLD_DELTA, gdp_delta_of(release->threshold_delta),
			   GAUSSDP_ROUND_UP);
}

/* One row for a dp_ call as it was written. */
static void
explain_release(Explanation *explanation, const GaussdpPlannedRelease *planned,
				const char *why_free, int64 least)
{
	Row *row = palloc(sizeof(Row));
	GaussdpRelease release;

	*row = empty_row("private");
	set_text(row, CALL,
			 planned->call == NULL ? "max_rows" : get_func_name(planned->call->aggfnoid));
	set_column(row, RELATION, ObjectIdGetDatum(planned->level->owner->relation));
	if (!gaussdp_price(planned, &release))
		set_text(row, REASON, "The price depends on parameters of the statement.");
	else
	{
		explain_numbers(explanation, row, planned, &release);
		add_hint(row, gaussdp_warn_of_call(planned));
		explain_funds(explanation, row, &release, why_free, least);
	}
	explanation->rows = lappend(explanation->rows, row);
}

/* What a level costs beyond its calls, where they cost less than a query has to; 0 while a price is not known. */
static int64
beyond_calls(const GaussdpLevel *level, List *calls)
{
	int n;
	GaussdpRelease *releases = gaussdp_priced_releases(calls, &n);
	int64 mu2 = 0;

	if (n < list_length(calls) || level->is_free)
		return 0;
	for (int i = 0; i < n; i++)
		mu2 = gdp_spent_add(mu2, releases[i].mu2);
	return Max(gaussdp_budget_left(GetUserId(), level->owner->relation).least_mu2 - mu2, 0);
}

/* Adds to the hint of a level's row which rows of the table are in no group. */
static void
explain_groups(Row *row, const GaussdpLevel *level)
{
	const char *hint;

	if (level->left_out == NULL)
		return;
	hint = psprintf("Rows whose %s are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of "
					"them, too, where they are large.",
					level->left_out);
	if (!row->isnull[HINT])
		hint = psprintf("%s %s", hint, TextDatumGetCString(row->values[HINT]));
	set_text(row, HINT, hint);
}

/* As people write it: 1 h, 90 min, 30 s. */
static const char *
length_of_time(int64 seconds)
{
	if (seconds % SECS_PER_HOUR == 0)
		return psprintf(INT64_FORMAT " h", seconds / SECS_PER_HOUR);
	if (seconds % SECS_PER_MINUTE == 0)
		return psprintf(INT64_FORMAT " min", seconds / SECS_PER_MINUTE);
	return psprintf(INT64_FORMAT " s", seconds);
}

/* Why nothing is charged for the level, after these that come before it in the query; NULL: it is. */
static const char *
why_free(const GaussdpLevel *level, List *levels)
{
	TimestampTz drawn;
	ListCell *lc;

	if (level->is_free)
		return "This role may read the table: nothing is charged.";
	drawn = gaussdp_drawn_before(level);
	if (drawn != 0)
		return psprintf("These numbers were drawn at %s and are paid: nothing is charged.",
						timestamptz_to_str(drawn));
	foreach (lc, gaussdp_may_be_shown_again(level) ? levels : NIL)
	{
		if (lfirst(lc) == level)
			break;
		if (equal(((GaussdpLevel *) lfirst(lc))->query, level->query))
			return "The numbers of an equal part of the query are shown: nothing is charged.";
	}
	return NULL;
}

/* Adds to the hint of a level's row for how long an equal query is free. */
static void
explain_reuse(Row *row, const GaussdpLevel *level)
{
	int64 seconds = level->is_free || level->is_distributed
						? 0
						: gaussdp_reuse_seconds(GetUserId(), level->owner->relation);

	if (seconds == 0)
		return;
	add_hint(row, psprintf("Asked again within %s it gives the same numbers, at no cost.",
						   length_of_time(seconds)));
}

/* What a contained expression is, as people write it: sqrt, /, a cast to integer. */
static char *
name_of_contained(Node *node)
{
	if (IsA(node, OpExpr))
		return get_opname(((OpExpr *) node)->opno);
	if (IsA(node, CoerceViaIO))
		return psprintf("a cast to %s", format_type_be(((CoerceViaIO *) node)->resulttype));
	if (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CAST ||
		((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST)
		return psprintf("a cast to %s", format_type_be(((FuncExpr *) node)->funcresulttype));
	return get_func_name(((FuncExpr *) node)->funcid);
}

static bool
collect_names(Node *node, void *context)
{
	List **names = context;

	if (node == NULL)
		return false;
	if (IsA(node, OpExpr) || IsA(node, FuncExpr) || IsA(node, CoerceViaIO))
		*names = list_append_unique(*names, makeString(name_of_contained(node)));
	return expression_tree_walker(node, collect_names, context);
}

/* The functions in contained expressions of the level and of queries in its FROM. */
static bool
collect_contained(Node *node, void *names)
{
	if (node == NULL)
		return false;
	if (gaussdp_is_contained(node))
		(void) collect_names((Node *) gaussdp_contained_expression((FuncExpr *) node), names);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_contained, names, 0);
	return expression_tree_walker(node, collect_contained, names);
}

/* Adds to the hint of a level's row which functions are NULL where they fail. */
static void
explain_contained(Row *row, const GaussdpLevel *level)
{
	List *names = NIL;
	StringInfoData hint;
	ListCell *lc;

	(void) collect_contained((Node *) unconstify(Query *, level->query), &names);
	if (names == NIL)
		return;
	initStringInfo(&hint);
	appendStringInfoString(&hint, "NULL on rows where they fail, without an error:");
	foreach (lc, names)
		appendStringInfo(&hint, "%s %s", foreach_current_index(lc) > 0 ? "," : "",
						 strVal(lfirst(lc)));
	appendStringInfoChar(&hint, '.');
	add_hint(row, hint.data);
}

/* One row for what is refused as a whole. */
static void
explain_refusal(ReturnSetInfo *result, const GaussdpLevel *level, const ErrorData *refusal)
{
	Row row = empty_row("refused");

	set_column(&row, RELATION, ObjectIdGetDatum(level->owner->relation));
	set_text(&row, REASON, refusal->detail != NULL ? refusal->detail : refusal->message);
	set_text(&row, HINT, refusal->hint);
	put_row(result, &row);
}

/* Is a level refused by what only its plan shows? */
static bool
refuses_plans(ReturnSetInfo *result, List *levels, const char *source)
{
	ListCell *lc;

	foreach (lc, levels)
	{
		const ErrorData *refusal = gaussdp_servers_refusal(lfirst(lc), source);

		if (refusal == NULL)
			continue;
		explain_refusal(result, lfirst(lc), refusal);
		return true;
	}
	return false;
}

/* The rows of all calls; the last one of a level has what the level costs beyond them. */
static void
explain_levels(ReturnSetInfo *result, List *levels, double group_size, bool exact,
			   const char *warning)
{
	Explanation explanation = {.group_size = group_size, .exact = exact};
	const char *hint;
	const char *problem = gaussdp_why_no_charge(&hint);
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, levels)
	{
		List *calls = gaussdp_level_releases(list_make1(lfirst(lc)));
		int64 beyond = beyond_calls(lfirst(lc), calls);
		const char *free = why_free(lfirst(lc), levels);

		foreach (lc2, calls)
		{
			explain_release(&explanation, lfirst(lc2), free, lnext(calls, lc2) ? 0 : beyond);
			if (lc2 == list_head(calls))
			{
				explain_groups(llast(explanation.rows), lfirst(lc));
				explain_reuse(llast(explanation.rows), lfirst(lc));
				explain_contained(llast(explanation.rows), lfirst(lc));
			}
		}
	}
	if (explanation.rows != NIL)
		add_hint(linitial(explanation.rows), warning);
	/* Nothing is charged of a query that cannot be paid as a whole. */
	foreach (lc, explanation.rows)
	{
		if (explanation.is_too_expensive)
			set_text(lfirst(lc), VERDICT, "too expensive");
		if (problem != NULL)
		{
			set_text(lfirst(lc), VERDICT, "refused");
			set_text(lfirst(lc), REASON, problem);
			set_text(lfirst(lc), HINT, hint);
		}
		put_row(result, lfirst(lc));
	}
}

/* One row for a query of which nothing is computed. */
static void
put_note(ReturnSetInfo *result, const char *verdict, const char *reason)
{
	Row row = empty_row(verdict);

	set_text(&row, REASON, reason);
	put_row(result, &row);
}

#define PREVIEW                                                                                    \
	"A preview: as a statement of its own it shows its columns and no row, and nothing is "        \
	"charged. What would store its rows is refused."

/* One row for what is refused, or shown by a view. */
static void
put_refusal(ReturnSetInfo *result, const GaussdpVerifier *v, Oid denied_view)
{
	Row row = empty_row(v->needs_proof || OidIsValid(denied_view) ? "refused" : "published");

	set_column(&row, RELATION, ObjectIdGetDatum(v->relation));
	row.isnull[RELATION] = !OidIsValid(v->relation);
	if (OidIsValid(denied_view))
		set_text(&row, REASON, "This role may not read the view.");
	else
		set_text(&row, REASON,
				 v->needs_proof ? gaussdp_refusal_detail(v)
								: "The owner of a view shows the table to this role.");
	set_text(&row, HINT, OidIsValid(denied_view) ? GAUSSDP_VIEW_HINT : v->hint);
	put_row(result, &row);
}

/* Would it be shown as a preview?  That takes a budget, too. */
static bool
is_preview(GaussdpVerifier *v, Query *query)
{
	if (!gaussdp_is_written_as_preview(query))
		return false;
	gaussdp_find_protected_entries(v, query);
	return !gaussdp_refuse_without_budget(v);
}

Datum
explain_privacy(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int64 group_size = PG_GETARG_INT64(1);
	ErrorContextCallback in_text = {error_context_stack, point_into_text, source};
	Query *query;
	const char *warning;
	GaussdpVerifier v = {.source = source, .location = -1};

	if (group_size < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("group_size is out of range: " INT64_FORMAT, group_size),
						errdetail("group_size must be at least 1.")));
	error_context_stack = &in_text;
	query = rewritten_query(source);
	error_context_stack = in_text.previous;
	InitMaterializedSRF(fcinfo, 0);
	(void) gaussdp_answer_plain(query);
	gaussdp_fill_numbers(query);
	gaussdp_resolve_bounds(query, gaussdp_derive_bounds);
	warning = gaussdp_warn_of_query(query);
	if (is_preview(&v, query))
		put_note(result, "private", PREVIEW);
	else if (!v.refused && gaussdp_cut_levels(&v, query) && v.levels != NIL)
	{
		if (!refuses_plans(result, v.levels, source))
			explain_levels(result, v.levels, (double) group_size, PG_GETARG_BOOL(2), warning);
	}
	else if (v.needs_proof && !v.refused)
		put_note(result, "private",
				 "The query shows no row, whatever the tables hold: nothing is charged.");
	else if (!v.needs_proof && !v.is_published)
		put_note(
			result, "outside the policy",
			"No table that the query names is protected from this role: PostgreSQL's privileges decide.");
	else
		put_refusal(result, &v, gaussdp_denied_view(query));
	return (Datum) 0;
}
