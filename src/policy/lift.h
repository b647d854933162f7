/*
 * lift.h
 *		One execution of a stamped plan: looked at again, lifted, charged.
 */
#ifndef GAUSSDP_POLICY_LIFT_H
#define GAUSSDP_POLICY_LIFT_H

/* Installs the executor hooks; called once, by gaussdp_policy_init. */
extern void gaussdp_lift_init(void);

#endif /* GAUSSDP_POLICY_LIFT_H */
