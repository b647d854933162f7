/*
 * fold.h
 *		Constants in other words.
 */
#ifndef GAUSSDP_POLICY_FOLD_H
#define GAUSSDP_POLICY_FOLD_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * What planning will make of an expression: a constant, where it is one in other words and nothing in it
 * can fail.  Else the expression itself.  Each part is folded once, as long as facts.h remembers it.
 */
extern Node *gaussdp_fold(Node *node);

/* The same of each item; a new list. */
extern List *gaussdp_fold_list(List *nodes);

#endif /* GAUSSDP_POLICY_FOLD_H */
