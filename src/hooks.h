/*
 * hooks.h
 *		Every hook of PostgreSQL that the library takes.
 */
#ifndef GAUSSDP_HOOKS_H
#define GAUSSDP_HOOKS_H

#include "postgres.h"

/* Saves the predecessors and takes the hooks; called once, by _PG_init. */
extern void gaussdp_hooks_init(void);

#endif /* GAUSSDP_HOOKS_H */
