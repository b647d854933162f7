/*
 * row_partitions.h
 *		Partitions of people's rows by person, in memory or in temporary files.
 */
#ifndef GAUSSDP_POLICY_ROOM_ROW_PARTITIONS_H
#define GAUSSDP_POLICY_ROOM_ROW_PARTITIONS_H

#include "postgres.h"

#include "storage/buffile.h"

#include "policy/room/people_rows.h"

typedef struct GaussdpChunk GaussdpChunk;

/* Rows go to many places in turn: so far ahead, in bytes, a place is brought into the processor's cache. */
#define GAUSSDP_PREFETCHED 128

typedef struct GaussdpPartition
{
	char *at;            /* where the next row goes */
	char *end;           /* of the last chunk */
	GaussdpChunk *first; /* those in memory */
	GaussdpChunk *last;
	BufFile *file; /* what has been written out, before them */
	uint64 bytes;  /* in the file */
	uint64 nrows;
	uint64 all; /* bits that the prints of all rows have, once they are spread */
	uint64 any; /* bits that any has */
	int skip;   /* leading bits that all of its rows share */
} GaussdpPartition;

typedef struct GaussdpPartitions
{
	const GaussdpRowLayout *layout;
	int bits; /* 2^bits partitions */
	int skip;
	GaussdpPartition *parts;
	MemoryContext files;  /* what lasts */
	MemoryContext chunks; /* rows in memory */
	Size used;
	Size limit;
	Size largest; /* chunk */
	bool is_spilled;
} GaussdpPartitions;

/* 2^bits partitions of rows that share their first `skip` bits, within so much memory. */
extern GaussdpPartitions *gaussdp_make_partitions(const GaussdpRowLayout *layout, int bits,
												  int skip, Size limit);

/* Where the chunk of a partition has no room for so many bytes. */
extern pg_noinline void gaussdp_make_room(GaussdpPartitions *partitions,
										  GaussdpPartition *partition, uint32 length);

/* Room for one more row, whose print, spread, is this. */
static inline char *
gaussdp_add_row(GaussdpPartitions *partitions, uint64 spread, uint32 length)
{
	GaussdpPartition *partition =
		&partitions->parts[(spread << partitions->skip) >> (64 - partitions->bits)];
	char *row;

	if (unlikely((Size) (partition->end - partition->at) < length))
		gaussdp_make_room(partitions, partition, length);
	row = partition->at;
	__builtin_prefetch(row + GAUSSDP_PREFETCHED, 1);
	partition->at += length;
	partition->nrows++;
	partition->all &= spread;
	partition->any |= spread;
	return row;
}

/* No more rows.  Where some are in files, or they are to be, all are then. */
extern void gaussdp_close_partitions(GaussdpPartitions *partitions, bool to_files);

/* Has it rows of one person alone, or of people who cannot be told apart by their prints? */
static inline bool
gaussdp_is_indivisible(const GaussdpPartition *partition)
{
	return partition->all == partition->any || partition->skip >= 56;
}

/* Brings a partition from its file into memory, in this context. */
extern void gaussdp_load_partition(GaussdpPartition *partition, MemoryContext context);

extern void gaussdp_drop_file(GaussdpPartition *partition);

/* Reads the rows of a partition, one by one. */
typedef struct GaussdpCursor
{
	const GaussdpRowLayout *layout;
	const GaussdpPartition *partition;
	GaussdpChunk *chunk;
	char *at;
	char *end;
	uint64 left; /* bytes of the file */
	MemoryContext memory;
	char *buffer; /* a row of it */
	Size capacity;
} GaussdpCursor;

extern void gaussdp_start_reading(GaussdpCursor *cursor, const GaussdpPartition *partition);
extern char *gaussdp_next_of_file(GaussdpCursor *cursor);
extern char *gaussdp_next_of_chunks(GaussdpCursor *cursor);

/* NULL at the end.  A row of a file stays until the next one. */
static inline char *
gaussdp_next_kept(GaussdpCursor *cursor)
{
	char *row = cursor->at;

	if (row >= cursor->end)
		return cursor->partition->file != NULL ? gaussdp_next_of_file(cursor)
											   : gaussdp_next_of_chunks(cursor);
	cursor->at += gaussdp_kept_length(cursor->layout, row);
	return row;
}

#endif /* GAUSSDP_POLICY_ROOM_ROW_PARTITIONS_H */
