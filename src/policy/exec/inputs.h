/*
 * inputs.h
 *		What a level needs beside its rows: parameters, constants in other words, sub-selects.
 */
#ifndef GAUSSDP_POLICY_EXEC_INPUTS_H
#define GAUSSDP_POLICY_EXEC_INPUTS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"

/* The level that hangs in the entry of a stand-in, or NULL: no SQL can make such an entry. */
extern Query *gaussdp_level_of(const RangeTblEntry *entry);

/* A copy of the level in which these stand for its parameters: inputs is a List of Const, or of what is unknown yet. */
extern Query *gaussdp_fill_level(const Query *level, List *inputs);

/*
 * The values of these expressions (a List of ExprState), copied and detoasted: a List of Const.  What is the
 * analyst's own in them runs here, for the last time before the level's end.
 */
extern List *gaussdp_evaluate_inputs(List *states, ExprContext *context);

/* The input as a Const where it is a parameter of the statement that has a value, or a constant; else NULL. */
extern Node *gaussdp_known_input(Node *expr, ParamListInfo params);

/* Number i of the inputs, as the level names it: a parameter. */
extern Node *gaussdp_unknown_input(Node *expr, int i);

#endif /* GAUSSDP_POLICY_EXEC_INPUTS_H */
