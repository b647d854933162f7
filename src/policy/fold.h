/*
 * fold.h
 *		Constants in other words.
 */
#ifndef GAUSSDP_POLICY_FOLD_H
#define GAUSSDP_POLICY_FOLD_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * What planning will make of an expression: a constant, where it is one in other words and nothing in it
 * can fail.  Else the expression itself.
 */
extern Node *gaussdp_fold(Node *node);

#endif /* GAUSSDP_POLICY_FOLD_H */
