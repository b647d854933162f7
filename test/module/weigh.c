/*
 * weigh.c
 *		For tests: the query that weighs the rows of a level, as SQL that anybody who may read them can run.
 */
#include "postgres.h"

#include "fmgr.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

#include "policy/query/query.h"
#include "policy/room/weights.h"
#include "reach.h"

PG_FUNCTION_INFO_V1(test_weighed);

/* test_weighed(query text): its first level, rewritten; for a role that may not read the table, or as_analyst. */
Datum
test_weighed(PG_FUNCTION_ARGS)
{
	void (*resolve_bounds)(Query *) = test_reach("gaussdp_resolve_bounds");
	bool (*cut_levels)(GaussdpVerifier *, Query *) = test_reach("gaussdp_cut_levels");
	void (*weigh_rows)(const GaussdpLevel *, Query *) = test_reach("gaussdp_weigh_rows");
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	List *queries = pg_analyze_and_rewrite_fixedparams(
		linitial_node(RawStmt, pg_parse_query(source)), source, NULL, 0, NULL);
	GaussdpVerifier v = {.source = source, .location = -1};
	GaussdpLevel *level;

	resolve_bounds(linitial_node(Query, queries));
	if (!cut_levels(&v, linitial_node(Query, queries)))
		elog(ERROR, "the query is not proven: %s", v.detail ? v.detail : "it needs no proof");
	level = linitial(v.levels);
	if (level->is_weighted)
		weigh_rows(level, level->query);
	PG_RETURN_TEXT_P(cstring_to_text(pg_get_querydef(level->query, false)));
}
