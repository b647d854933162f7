/*
 * last_answer.h
 *		What the session's last statement has released (last_answer.c).
 */
#ifndef GAUSSDP_POLICY_EXEC_LAST_ANSWER_H
#define GAUSSDP_POLICY_EXEC_LAST_ANSWER_H

#include "postgres.h"

#include "policy/exec/room.h"

/* Keeps what a level has released, when it is over: its histograms where it finds rows, or its calls. */
extern void gaussdp_keep_last_answer(const GaussdpRoom *room, bool finds);

/* When a query is over: tells, once, what its levels have left out, and how rough their numbers are. */
extern void gaussdp_tell_of_answer(void);

#endif /* GAUSSDP_POLICY_EXEC_LAST_ANSWER_H */
