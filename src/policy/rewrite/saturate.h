/*
 * saturate.h
 *		Arithmetic and casts of numbers on rows that end where their type ends, where they would fail.
 */
#ifndef GAUSSDP_POLICY_REWRITE_SATURATE_H
#define GAUSSDP_POLICY_REWRITE_SATURATE_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* The call of this function with these arguments, made total; or the node as it is, where it is total or unknown. */
extern Node *gaussdp_saturate(Node *node, Oid function, List *args);

#endif /* GAUSSDP_POLICY_REWRITE_SATURATE_H */
