/*
 * weight_windows.h
 *		Weighs the rows of people with window functions.
 */
#ifndef GAUSSDP_POLICY_EXEC_WEIGHT_WINDOWS_H
#define GAUSSDP_POLICY_EXEC_WEIGHT_WINDOWS_H

#include "postgres.h"

#include "policy/people/people.h"

/* The rows with the weights that are asked for; says in each weight where its column is. */
extern Query *gaussdp_weigh_by_windows(const GaussdpWeighing *by, Query *rows);

#endif /* GAUSSDP_POLICY_EXEC_WEIGHT_WINDOWS_H */
