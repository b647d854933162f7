/*
 * coordinator.h
 *		Declarations and budgets are made on the coordinator of a cluster of Citus.
 */
#ifndef GAUSSDP_COORDINATOR_H
#define GAUSSDP_COORDINATOR_H

#include "postgres.h"

/* Whether Citus has this database as a worker: not where there is no Citus, and not on a coordinator. */
extern bool gaussdp_is_worker(void);

/* 55000 on a worker of Citus. */
extern void gaussdp_demand_coordinator(void);

#endif /* GAUSSDP_COORDINATOR_H */
