/*
 * derived.h
 *		Bounds of expressions, derived from those that are declared for their columns.
 */
#ifndef GAUSSDP_POLICY_REWRITE_DERIVED_H
#define GAUSSDP_POLICY_REWRITE_DERIVED_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* A gaussdp_derive_bounds_type: by the ranges that the verifier knows of arithmetic, CASE and their like. */
extern bool gaussdp_derive_bounds(Node *value, List *queries, double *lower, double *upper);

#endif /* GAUSSDP_POLICY_REWRITE_DERIVED_H */
