/*
 * gaussdp.c
 *		Module entry: settings, the label provider, the plan node and the hooks.
 */
#include "postgres.h"

#include "fmgr.h"

#include "citus/citus.h"
#include "compat.h"
#include "declaration/declaration.h"
#include "hooks.h"
#include "ledger/ledger.h"
#include "policy/exec/exec.h"
#include "policy/people/people.h"
#include "settings.h"

GAUSSDP_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	gaussdp_check_load_order();
	gaussdp_close_propagation();
	gaussdp_settings_init();

	gaussdp_declaration_init();
	gaussdp_ledger_init();
	gaussdp_level_node_init();
	gaussdp_weighing_init();
	gaussdp_grouping_init();
	gaussdp_side_channels_init();
	gaussdp_caches_init();
	gaussdp_hooks_init();
}
