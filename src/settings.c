/*
 * settings.c
 *		Every gaussdp.* setting, alphabetical.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "settings.h"

void
gaussdp_settings_init(void)
{
	MarkGUCPrefixReserved("gaussdp");
}
