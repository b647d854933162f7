/*
 * conditions.c
 *		Conditions of an execution under which no level runs, because they would tell more.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "utils/guc.h"

#include "policy/exec/conditions.h"

bool
gaussdp_verify_conditions(GaussdpVerifier *v)
{
	const char *old_snapshots;

	GAUSSDP_REFUSE_IF(strcmp(GetConfigOption("temp_file_limit", false, false), "-1") != 0,
					  GAUSSDP_RULE_BUDGET, -1,
					  "temp_file_limit would fail at a size that depends on the rows",
					  "The administrator may ALTER ROLE ... SET temp_file_limit = -1.");
	/* gone in PostgreSQL 17 */
	old_snapshots = GetConfigOption("old_snapshot_threshold", true, false);
	GAUSSDP_REFUSE_IF(old_snapshots != NULL && strcmp(old_snapshots, "-1") != 0,
					  GAUSSDP_RULE_BUDGET, -1,
					  "old_snapshot_threshold would fail at a page that was changed meanwhile",
					  "The administrator may set old_snapshot_threshold = -1.");
	GAUSSDP_REFUSE_IF(IsolationIsSerializable(), GAUSSDP_RULE_BUDGET, -1,
					  "SERIALIZABLE leaves a lock on each row that was read",
					  "Use REPEATABLE READ.");
	GAUSSDP_REFUSE_IF(IsInParallelMode() || IsParallelWorker(), GAUSSDP_RULE_BUDGET, -1,
					  "a parallel query cannot pay",
					  "Mark the function that runs this query PARALLEL UNSAFE.");
	return true;
}
