/*
 * module.c
 *		For tests: makes the files of this folder one loadable library.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"

PG_MODULE_MAGIC;
