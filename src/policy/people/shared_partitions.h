/*
 * shared_partitions.h
 *		Partitions that the processes of a parallel plan fill together, and claim one by one.
 *
 * Each process reads its part of the rows into partitions of its own, by the same hash of the person, and hands them in.
 * When all have, each partition is claimed by one process, which then has all rows of its people: no person is ever weighed
 * by the rows of one process alone.
 *
 * Partitions are in temporary files: the system's cache hands these from one process to another quicker than each of them finds
 * its pages of shared memory.
 *
 * A process that begins after all rows have been read only claims.  One that fails fails the query.  Nobody waits once it has
 * handed up a row, so that no process can wait for one that waits for it.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_SHARED_PARTITIONS_H
#define GAUSSDP_POLICY_PEOPLE_SHARED_PARTITIONS_H

#include "postgres.h"

#include "access/parallel.h"

#include "policy/people/row_partitions.h"

typedef struct GaussdpSharedPartitions GaussdpSharedPartitions;

/* What all processes have in common. */
typedef struct GaussdpAgreement
{
	int bits;         /* 2^bits partitions */
	uint64 unit_seed; /* of the prints of people */
} GaussdpAgreement;

/* In the process that starts the others: the memory that it takes, and what is in it at first. */
extern Size gaussdp_shared_partitions_size(int bits, int nprocesses);
extern void gaussdp_init_shared_partitions(GaussdpSharedPartitions *shared, dsm_segment *segment,
										   const GaussdpAgreement *agreement, int nprocesses);

/* In each of the others. */
extern void gaussdp_attach_shared_partitions(GaussdpSharedPartitions *shared);

extern GaussdpAgreement gaussdp_agreement_of(const GaussdpSharedPartitions *shared);

/* Shall this process read rows?  If so, its partitions are shared from now on.  If not, all have been read. */
extern bool gaussdp_begin_filling(GaussdpSharedPartitions *shared, GaussdpPartitions *partitions);

/* Hands in what has been read, and waits for the others. */
extern void gaussdp_end_filling(GaussdpSharedPartitions *shared, GaussdpPartitions *partitions);

/* The next partition, for this process alone; NULL at the end.  Files of the processes, one each, are opened where they are needed. */
extern GaussdpPartition *gaussdp_claim_partition(GaussdpSharedPartitions *shared,
												 GaussdpRowFile *files);

/* How many processes there are at most. */
extern int gaussdp_most_processes(const GaussdpSharedPartitions *shared);

#endif /* GAUSSDP_POLICY_PEOPLE_SHARED_PARTITIONS_H */
