/*
 * estimates.h
 *		Plans of verified queries are made without the statistics of protected columns.
 */
#ifndef GAUSSDP_POLICY_ESTIMATES_H
#define GAUSSDP_POLICY_ESTIMATES_H

/* Installs the planner's statistics hooks; called once, by gaussdp_policy_init. */
extern void gaussdp_estimates_init(void);

#endif /* GAUSSDP_POLICY_ESTIMATES_H */
