/*
 * compat.h
 *		The only file that names PG_VERSION_NUM: differences between PostgreSQL majors.
 *
 * Written for 15 to 18. A major that is not listed here does not build: whoever adds one has
 * read its release notes for changes in hooks, node types and permission checks first.
 */
#ifndef GAUSSDP_COMPAT_H
#define GAUSSDP_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "gaussdp supports PostgreSQL 15 to 18"
#endif

/* The access to varlena headers left postgres.h in 16. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 has the C23 form of the attribute, before the declaration, and that one alone. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 15.0 still had the old name. */
#if PG_VERSION_NUM < 150001
#define InitMaterializedSRF SetSingleFuncCall
#endif

#endif /* GAUSSDP_COMPAT_H */
