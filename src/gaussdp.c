/*
 * gaussdp.c
 *		Module entry: settings, hooks and the label provider are installed here, nothing else.
 *
 * Hooks are installed in one visible order; each part of the house offers one function per hook
 * and keeps its predecessor itself.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/bounds.h"
#include "aggregate/pack.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	gaussdp_settings_init();

	/* First, so that its planner hook comes last: all others see calls as they were written. */
	gaussdp_pack_init();
	gaussdp_declaration_init();
	gaussdp_ledger_init();
	gaussdp_policy_init();

	/* Last, so that its planner hook comes first: all others see calls with bounds. */
	gaussdp_bounds_init();
}
