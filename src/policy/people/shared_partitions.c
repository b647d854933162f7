/*
 * shared_partitions.c
 *		Partitions that the processes of a parallel plan fill together, and claim one by one (shared_partitions.h).
 */
#include "postgres.h"

#include "port/atomics.h"
#include "storage/barrier.h"

#include "compat.h"
#include "policy/people/shared_partitions.h"

/* The first phase of the barrier; in all others partitions are claimed. */
#define FILLING 0

struct GaussdpSharedPartitions
{
	GaussdpAgreement agreement;
	int nprocesses; /* at most */
	dsm_handle segment;
	Barrier barrier;
	pg_atomic_uint32 nwriters; /* processes that have begun to read rows */
	pg_atomic_uint32 nclaimed; /* partitions */
	SharedFileSet fileset;
	GaussdpSharedPart parts[FLEXIBLE_ARRAY_MEMBER]; /* by writer, then by partition */
};

static Size
parts_of(int bits, int nprocesses)
{
	return ((Size) 1 << bits) * (Size) nprocesses;
}

Size
gaussdp_shared_partitions_size(int bits, int nprocesses)
{
	return offsetof(GaussdpSharedPartitions, parts) +
		   sizeof(GaussdpSharedPart) * parts_of(bits, nprocesses);
}

void
gaussdp_init_shared_partitions(GaussdpSharedPartitions *shared, dsm_segment *segment,
							   const GaussdpAgreement *agreement, int nprocesses)
{
	memset(shared, 0, gaussdp_shared_partitions_size(agreement->bits, nprocesses));
	shared->agreement = *agreement;
	shared->nprocesses = nprocesses;
	shared->segment = dsm_segment_handle(segment);
	BarrierInit(&shared->barrier, 0);
	pg_atomic_init_u32(&shared->nwriters, 0);
	pg_atomic_init_u32(&shared->nclaimed, 0);
	SharedFileSetInit(&shared->fileset, segment);
}

void
gaussdp_attach_shared_partitions(GaussdpSharedPartitions *shared)
{
	dsm_segment *segment = dsm_find_mapping(shared->segment);

	if (segment == NULL)
		elog(ERROR, "the memory of a parallel query is not there");
	SharedFileSetAttach(&shared->fileset, segment);
}

GaussdpAgreement
gaussdp_agreement_of(const GaussdpSharedPartitions *shared)
{
	return shared->agreement;
}

int
gaussdp_most_processes(const GaussdpSharedPartitions *shared)
{
	return shared->nprocesses;
}

bool
gaussdp_begin_filling(GaussdpSharedPartitions *shared, GaussdpPartitions *partitions)
{
	uint32 writer;

	if (BarrierAttach(&shared->barrier) != FILLING)
		return false;
	writer = pg_atomic_fetch_add_u32(&shared->nwriters, 1);
	if (writer >= (uint32) shared->nprocesses || partitions->bits != shared->agreement.bits)
		elog(ERROR, "more processes read the rows of people than were planned");
	gaussdp_share_partitions(partitions, &shared->fileset, (int) writer);
	return true;
}

void
gaussdp_end_filling(GaussdpSharedPartitions *shared, GaussdpPartitions *partitions)
{
	GaussdpSharedPart *parts = &shared->parts[parts_of(shared->agreement.bits, partitions->writer)];

	for (int i = 0; i < 1 << partitions->bits; i++)
	{
		CHECK_FOR_INTERRUPTS();
		parts[i] = gaussdp_publish_partition(partitions, i);
	}
	(void) BarrierArriveAndWait(&shared->barrier, PG_WAIT_EXTENSION);
}

GaussdpPartition *
gaussdp_claim_partition(GaussdpSharedPartitions *shared, GaussdpRowFile *files)
{
	int nparts = 1 << shared->agreement.bits;
	int nwriters = (int) pg_atomic_read_u32(&shared->nwriters);
	uint32 part = pg_atomic_fetch_add_u32(&shared->nclaimed, 1);
	GaussdpPartition *partition;

	if (BarrierPhase(&shared->barrier) == FILLING)
		elog(ERROR, "a partition is claimed before all rows have been read");
	if (part >= (uint32) nparts)
		return NULL;
	partition = palloc0(sizeof(GaussdpPartition));
	partition->files = palloc0(sizeof(GaussdpWritten) * (Size) Max(nwriters, 1));
	partition->skip = shared->agreement.bits;
	for (int writer = 0; writer < nwriters; writer++)
	{
		CHECK_FOR_INTERRUPTS();
		gaussdp_take_published(partition, &shared->parts[writer * nparts + (int) part],
							   &shared->fileset, writer, &files[writer]);
	}
	return partition;
}
