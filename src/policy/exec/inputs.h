/*
 * inputs.h
 *		What a level needs beside its rows: parameters, constants in other words, sub-selects.
 */
#ifndef GAUSSDP_POLICY_EXEC_INPUTS_H
#define GAUSSDP_POLICY_EXEC_INPUTS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"

/*
 * Takes every largest expression that holds no column and no call out of a level: a parameter whose number is
 * its place (from 1) among the expressions that are returned, a List of Node, stands there instead.  There is
 * always a first one, a constant.  What may be constant and is not (it is volatile, it depends on rows) stays,
 * and the verifier says what it thinks of it.
 */
extern List *gaussdp_take_inputs(Query *level);

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
