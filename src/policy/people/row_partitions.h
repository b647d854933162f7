/*
 * row_partitions.h
 *		Partitions of people's rows by person, in memory or in temporary files.
 *
 * Where several processes read rows together, each makes partitions of its own, in files that all may read, and who claims a partition
 * has those of all of them (shared_partitions.h).
 */
#ifndef GAUSSDP_POLICY_PEOPLE_ROW_PARTITIONS_H
#define GAUSSDP_POLICY_PEOPLE_ROW_PARTITIONS_H

#include "postgres.h"

#include "storage/fd.h"
#include "storage/sharedfileset.h"

#include "policy/people/people_rows.h"

typedef struct GaussdpChunk GaussdpChunk;

/* Rows go to many places in turn: so far ahead, in bytes, a place is brought into the processor's cache. */
#define GAUSSDP_PREFETCHED 128

/* Leading bits of prints by which partitions may be divided: those who have the same ones have the same print. */
#define GAUSSDP_MOST_SKIPPED 56

/* Where a chunk stands in a file; of no bytes: nowhere. */
typedef struct GaussdpExtent
{
	uint64 at;
	uint64 length;
} GaussdpExtent;

/* All that a process writes goes to one file: opening and removing one for each partition would cost more than its rows. */
typedef struct GaussdpRowFile
{
	File file; /* 0: none */
	int users; /* partitions with rows in it, and who makes or shares it; it is closed by the last one */
} GaussdpRowFile;

/* What of a partition a process has written: chunks, each of which knows the one before. */
typedef struct GaussdpWritten
{
	GaussdpRowFile *from;
	GaussdpExtent last;
	uint64 bytes; /* of all chunks, each aligned */
} GaussdpWritten;

typedef struct GaussdpPartition
{
	GaussdpChunk *first; /* those in memory */
	GaussdpChunk *last;
	int nfiles; /* what has been written out: by each process that did */
	GaussdpWritten *files;
	uint64 bytes; /* of all rows, once there are no more */
	int skip;     /* leading bits of their prints, once these are spread, that all rows share */
} GaussdpPartition;

/* Where the next row of a partition goes: apart from all else, so that those of all partitions stay in the nearest cache. */
typedef struct GaussdpWritePlace
{
	char *at;
	char *end; /* of the last chunk */
} GaussdpWritePlace;

typedef struct GaussdpPartitions
{
	int bits; /* 2^bits partitions */
	int skip;
	GaussdpWritePlace *places;
	GaussdpPartition *parts;
	MemoryContext files;  /* what lasts */
	MemoryContext chunks; /* rows in memory */
	Size used;
	Size limit;
	Size largest; /* chunk, but for one of a longer row */
	bool is_spilled;
	GaussdpRowFile *file;
	uint64 written; /* up to here */
	char *buffer;   /* of what is written next */
	Size buffered;
	Size buffer_size;
	SharedFileSet *fileset; /* where other processes read them; NULL for one process alone */
	int writer;             /* the number of this process among those that write */
	char *piece_at;         /* the memory from which chunks are cut: up to here */
	char *piece_end;
	Size piece_size; /* of the next one */
} GaussdpPartitions;

/* As many bits as tell partitions of so many rows apart, as far as memory has room for what is written of each. */
extern int gaussdp_bits_for(double rows, double rows_of_partition, Size limit);

/* 2^bits partitions of rows that share their first `skip` bits, within so much memory. */
extern GaussdpPartitions *gaussdp_make_partitions(int bits, int skip, Size limit);

/* They are to be read by other processes, from files; before the first row. */
extern void gaussdp_share_partitions(GaussdpPartitions *partitions, SharedFileSet *fileset,
									 int writer);

/* Where the chunk of a partition has no room for so many bytes. */
extern pg_noinline void gaussdp_make_room(GaussdpPartitions *partitions, uint32 part,
										  uint32 length);

/* Room for one more row, whose print, spread, is this. */
static inline char *
gaussdp_add_row(GaussdpPartitions *partitions, uint64 spread, uint32 length)
{
	uint32 part = (uint32) ((spread << partitions->skip) >> 32 >> (32 - partitions->bits));
	GaussdpWritePlace *place = &partitions->places[part];
	char *row;

	if (unlikely((Size) (place->end - place->at) < length))
		gaussdp_make_room(partitions, part, length);
	row = place->at;
	__builtin_prefetch(row + GAUSSDP_PREFETCHED, 1);
	place->at += length;
	return row;
}

/* No more rows.  Where some are in files, or they are to be, all are then. */
extern void gaussdp_close_partitions(GaussdpPartitions *partitions, bool to_files);

/* A partition that is closed, as other processes find it. */
typedef struct GaussdpSharedPart
{
	uint64 bytes; /* of all rows */
	GaussdpExtent last;
	uint64 bytes_of_file;
} GaussdpSharedPart;

extern GaussdpSharedPart gaussdp_publish_partition(GaussdpPartitions *partitions, int part);

/* Adds what that process has written of it to a partition, which is this process's alone from now on.  Its file is opened once. */
extern void gaussdp_take_published(GaussdpPartition *partition, const GaussdpSharedPart *published,
								   SharedFileSet *fileset, int writer, GaussdpRowFile *file);

/* Brings a partition from its files into memory, in this context. */
extern void gaussdp_load_partition(GaussdpPartition *partition, MemoryContext context);

extern void gaussdp_drop_files(GaussdpPartition *partition);

/* One user less. */
extern void gaussdp_leave_file(GaussdpRowFile *file);

/*
 * Reads the rows of a partition: some that stand side by side, then the next ones.  Those that one process has put into it come in the
 * order in which they went there.
 */
typedef struct GaussdpCursor
{
	const GaussdpPartition *partition;
	GaussdpChunk *chunk;
	const char *at; /* those at hand, up to end */
	const char *end;
	int nfiles;            /* that have been begun */
	GaussdpExtent *places; /* chunks of the last of them that have not been read, last first */
	uint64 nplaces;
	uint64 most_places;
	GaussdpChunk *buffer;
	Size capacity;
	MemoryContext memory;
} GaussdpCursor;

extern void gaussdp_start_reading(GaussdpCursor *cursor, const GaussdpPartition *partition);

/* Goes on to the next rows; false at the end.  Those of files stay until the next ones are read; others do as long as there are partitions. */
extern bool gaussdp_read_on(GaussdpCursor *cursor);

/* Smaller ones, of this process alone, with the rows of a partition whose people the matcher tells apart; they are not closed yet. */
extern GaussdpPartitions *gaussdp_divide_partition(GaussdpCursor *cursor,
												   const GaussdpPartition *partition,
												   const GaussdpRowLayout *layout,
												   const GaussdpMatcher *matcher,
												   double rows_of_partition, Size limit);

#endif /* GAUSSDP_POLICY_PEOPLE_ROW_PARTITIONS_H */
