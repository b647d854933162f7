/*
 * coordinator.h
 *		Declarations and budgets are made on the coordinator of a cluster of Citus.
 */
#ifndef GAUSSDP_COORDINATOR_H
#define GAUSSDP_COORDINATOR_H

#include "postgres.h"

/* Whether Citus has this database as its coordinator: not where there is no Citus. */
extern bool gaussdp_is_coordinator(void);

/* Whether Citus has it as a worker. */
extern bool gaussdp_is_worker(void);

/* 55000 on a worker of Citus; where there is no Citus, and where it does not say, all is well. */
extern void gaussdp_demand_coordinator(void);

#endif /* GAUSSDP_COORDINATOR_H */
