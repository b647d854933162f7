/*
 * owner.h
 *		Who owns a table, and so decides about it.
 */
#ifndef GAUSSDP_DECLARATION_OWNER_H
#define GAUSSDP_DECLARATION_OWNER_H

#include "postgres.h"

/* The role that owns the table, which exists. */
extern Oid gaussdp_owner_of(Oid relation);

/* Has the role the owner's privileges, or all, as a superuser?  A table that does not exist is a superuser's. */
extern bool gaussdp_owns_table(Oid relation, Oid role);

#endif /* GAUSSDP_DECLARATION_OWNER_H */
