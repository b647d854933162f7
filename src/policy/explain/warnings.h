/*
 * warnings.h
 *		What an answer will leave out, as far as it is public (warnings.c).
 */
#ifndef GAUSSDP_POLICY_EXPLAIN_WARNINGS_H
#define GAUSSDP_POLICY_EXPLAIN_WARNINGS_H

#include "postgres.h"

#include "policy/exec/exec.h"
#include "policy/proof/proof.h"

/* Full sentences, or NULL: of a query before its levels are cut out, and of a call of a level. */
extern const char *gaussdp_warn_of_query(Query *query);
extern const char *gaussdp_warn_of_call(const GaussdpPlannedRelease *planned);

#endif /* GAUSSDP_POLICY_EXPLAIN_WARNINGS_H */
