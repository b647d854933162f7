/*
 * row_partitions.c
 *		Partitions of people's rows, in memory or in temporary files (row_partitions.h).
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fileset.h"
#include "utils/memutils.h"

#include "compat.h"
#include "policy/people/row_chunks.h"
#include "policy/people/row_partitions.h"

/* Chunks are cut from pieces of memory. */
#define SMALLEST_PIECE ((Size) 16 * 1024)
#define LARGEST_PIECE ((Size) 16 * 1024 * 1024)

/* What large pages of the processor's hold, where it has them. */
#define LARGE_PAGE ((Size) 2 * 1024 * 1024)

#define SMALLEST_CHUNK 1024
#define LARGEST_CHUNK 8192
#define ROWS_OF_CHUNK(bytes) ((bytes) -offsetof(GaussdpChunk, rows))

/* Chunks that are written, one of each partition at hand, stay near the processor; each is found in the file by itself. */
#define SMALLEST_WRITTEN ((Size) 4096)
#define LARGEST_WRITTEN ((Size) 8192)
#define LARGEST_BUFFER ((Size) 256 * 1024)

/* Partitions at once, as powers of two: where they are more, rows go to too many places. */
#define FEWEST_BITS 2
#define MOST_BITS 10

int
gaussdp_bits_for(double rows, double rows_of_partition, Size limit)
{
	int bits = FEWEST_BITS;

	while (bits < MOST_BITS && rows / (1 << bits) > rows_of_partition &&
		   SMALLEST_WRITTEN << (bits + 1) <= limit / 2)
		bits++;
	return bits;
}

GaussdpPartitions *
gaussdp_make_partitions(int bits, int skip, Size limit)
{
	GaussdpPartitions *partitions = palloc0(sizeof(GaussdpPartitions));
	int n = 1 << bits;

	partitions->bits = bits;
	partitions->skip = skip;
	partitions->limit = limit;
	partitions->largest = LARGEST_CHUNK;
	while (partitions->largest > SMALLEST_CHUNK && partitions->largest * n > limit / 2)
		partitions->largest /= 2;
	partitions->piece_size = SMALLEST_PIECE;
	partitions->files = CurrentMemoryContext;
	partitions->chunks =
		AllocSetContextCreate(CurrentMemoryContext, "rows of people", ALLOCSET_DEFAULT_SIZES);
	partitions->places = palloc0(sizeof(GaussdpWritePlace) * n);
	partitions->parts = palloc0(sizeof(GaussdpPartition) * n);
	for (int i = 0; i < n; i++)
		partitions->parts[i].skip = skip + bits;
	return partitions;
}

/* From now on all rows go to files. */
static void
go_to_files(GaussdpPartitions *partitions)
{
	Size largest = partitions->limit / 2 >> partitions->bits;

	partitions->is_spilled = true;
	partitions->largest = Max(Min(largest, LARGEST_WRITTEN), partitions->largest);
}

/* Each page of memory that processes share is found by each of them alone, which takes longer than to write and to read it. */
void
gaussdp_share_partitions(GaussdpPartitions *partitions, SharedFileSet *fileset, int writer)
{
	partitions->fileset = fileset;
	partitions->writer = writer;
	go_to_files(partitions);
}

/* ---------------------------------------------------------------------------
 * Files
 * ---------------------------------------------------------------------------
 */

static void
create_file(GaussdpPartitions *partitions)
{
	char name[GAUSSDP_FILE_NAME_LENGTH];

	partitions->file = MemoryContextAllocZero(partitions->files, sizeof(GaussdpRowFile));
	if (partitions->fileset == NULL)
	{
		PrepareTempTablespaces();
		partitions->file->file = OpenTemporaryFile(false);
	}
	else
	{
		gaussdp_name_file(name, partitions->writer);
		partitions->file->file = FileSetCreate(&partitions->fileset->fs, name);
	}
	partitions->file->users = 1;
	partitions->buffer_size = Min(LARGEST_BUFFER, partitions->limit / 16);
	partitions->buffer = MemoryContextAlloc(partitions->files, partitions->buffer_size);
}

/* Without the rows, and without the file's name. */
static void
write_file(File file, char *from, Size length, uint64 at)
{
	if (FileWrite(file, from, (int) length, (off_t) at, WAIT_EVENT_BUFFILE_WRITE) != (int) length)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not write to a temporary file of people's rows: %m")));
}

static void
write_buffer(GaussdpPartitions *partitions)
{
	if (partitions->buffered == 0)
		return;
	write_file(partitions->file->file, partitions->buffer, partitions->buffered,
			   partitions->written);
	partitions->written += partitions->buffered;
	partitions->buffered = 0;
}

/* Chunks are written many at a time: each call of the system takes longer than to copy one. */
static GaussdpExtent
append(GaussdpPartitions *partitions, char *from, Size length)
{
	GaussdpExtent place;

	if (partitions->buffered + length > partitions->buffer_size)
		write_buffer(partitions);
	place = (GaussdpExtent){.at = partitions->written + partitions->buffered, .length = length};
	if (length > partitions->buffer_size)
	{
		write_file(partitions->file->file, from, length, partitions->written);
		partitions->written += length;
		return place;
	}
	memcpy(partitions->buffer + partitions->buffered, from, length);
	partitions->buffered += length;
	return place;
}

static void
write_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, GaussdpChunk *chunk)
{
	Size length = (Size) (chunk->used - (char *) chunk);
	GaussdpWritten *written;

	if (length == offsetof(GaussdpChunk, rows))
		return;
	if (partitions->file == NULL)
		create_file(partitions);
	if (partition->nfiles == 0)
	{
		partition->files = MemoryContextAllocZero(partitions->files, sizeof(GaussdpWritten));
		partition->files->from = partitions->file;
		partition->nfiles = 1;
		partitions->file->users++;
	}
	written = partition->files;
	chunk->before = written->last.at;
	chunk->length_before = written->last.length;
	written->last = append(partitions, (char *) chunk, length);
	written->bytes += MAXALIGN(length);
	partition->bytes += ROWS_OF_CHUNK(length);
}

/* ---------------------------------------------------------------------------
 * Memory
 * ---------------------------------------------------------------------------
 */

/* Rows go to many places in turn, which the processor finds faster in large pages; they also cost less to be had. */
static void
prefer_large_pages(char *memory, Size size)
{
#ifdef MADV_HUGEPAGE
	char *first = (char *) TYPEALIGN(LARGE_PAGE, memory);
	char *end = (char *) TYPEALIGN_DOWN(LARGE_PAGE, memory + size);

	if (first < end)
		(void) madvise(first, (Size) (end - first), MADV_HUGEPAGE); /* an advice: it may fail */
#endif
}

static void
add_piece(GaussdpPartitions *partitions, Size bytes)
{
	Size size = Max(partitions->piece_size, bytes);

	partitions->piece_at = MemoryContextAllocHuge(partitions->chunks, size);
	prefer_large_pages(partitions->piece_at, size);
	partitions->piece_end = partitions->piece_at + size;
	partitions->piece_size = Min(partitions->piece_size * 2,
								 Max(Min(LARGEST_PIECE, partitions->limit / 16), SMALLEST_PIECE));
}

static GaussdpChunk *
cut_chunk(GaussdpPartitions *partitions, Size bytes)
{
	GaussdpChunk *chunk;

	bytes = MAXALIGN(bytes);
	if ((Size) (partitions->piece_end - partitions->piece_at) < bytes)
		add_piece(partitions, bytes);
	chunk = (GaussdpChunk *) partitions->piece_at;
	chunk->next = NULL;
	partitions->piece_at += bytes;
	return chunk;
}

static void
free_pieces(GaussdpPartitions *partitions)
{
	MemoryContextReset(partitions->chunks);
	partitions->piece_at = partitions->piece_end = NULL;
	partitions->used = 0;
}

/* The next row of this partition goes to this chunk. */
static void
start_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, GaussdpChunk *chunk,
			Size bytes)
{
	partition->last = chunk;
	partitions->places[partition - partitions->parts] =
		(GaussdpWritePlace){chunk->rows, (char *) chunk + bytes};
}

/*
 * Writes out what a partition has in memory.  Once rows go to files, its first chunk collects them and stays; another one is that of
 * a longer row.
 */
static void
write_partition(GaussdpPartitions *partitions, GaussdpPartition *partition)
{
	const GaussdpWritePlace *place = &partitions->places[partition - partitions->parts];
	GaussdpChunk *chunk = partitions->is_spilled ? partition->last : partition->first;
	GaussdpChunk *next;

	if (partition->last != NULL)
		partition->last->used = place->at;
	for (; chunk != NULL; chunk = next)
	{
		CHECK_FOR_INTERRUPTS();
		next = partitions->is_spilled ? NULL : chunk->next;
		write_chunk(partitions, partition, chunk);
	}
	if (!partitions->is_spilled)
		partition->first = NULL;
	else if (partition->last != NULL && partition->last != partition->first)
	{
		partitions->used -= (Size) (place->end - (char *) partition->last);
		pfree(partition->last);
	}
	partition->last = NULL;
	partitions->places[partition - partitions->parts] = (GaussdpWritePlace){NULL, NULL};
}

static void
write_all(GaussdpPartitions *partitions)
{
	for (int i = 0; i < 1 << partitions->bits; i++)
		write_partition(partitions, &partitions->parts[i]);
}

static void
spill(GaussdpPartitions *partitions)
{
	write_all(partitions);
	free_pieces(partitions);
	go_to_files(partitions);
}

/* In memory the first chunk of a partition is small; false where there is no room for another. */
static bool
add_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, Size needed)
{
	Size bytes = Max(partition->last == NULL ? SMALLEST_CHUNK : partitions->largest, needed);
	GaussdpChunk *chunk;

	if (partitions->used > 0 && partitions->used + bytes > partitions->limit)
		return false;
	chunk = cut_chunk(partitions, bytes);
	partitions->used += bytes;
	if (partition->last != NULL)
	{
		partition->last->used = partitions->places[partition - partitions->parts].at;
		partition->last->next = chunk;
	}
	else
		partition->first = chunk;
	start_chunk(partitions, partition, chunk, bytes);
	return true;
}

static void
start_next_to_write(GaussdpPartitions *partitions, GaussdpPartition *partition, Size needed)
{
	GaussdpChunk *chunk;

	write_partition(partitions, partition);
	if (needed > partitions->largest)
	{
		if (partitions->used + needed > partitions->limit)
			write_all(partitions);
		partitions->used += needed;
		chunk = MemoryContextAllocHuge(partitions->chunks, needed);
		start_chunk(partitions, partition, chunk, needed);
		return;
	}
	if (partition->first == NULL)
	{
		partition->first = cut_chunk(partitions, partitions->largest);
		partitions->used += partitions->largest;
	}
	start_chunk(partitions, partition, partition->first, partitions->largest);
}

void
gaussdp_make_room(GaussdpPartitions *partitions, uint32 part, uint32 length)
{
	GaussdpPartition *partition = &partitions->parts[part];
	Size needed = length + offsetof(GaussdpChunk, rows);

	CHECK_FOR_INTERRUPTS();
	if (!partitions->is_spilled && add_chunk(partitions, partition, needed))
		return;
	if (!partitions->is_spilled)
		spill(partitions);
	start_next_to_write(partitions, partition, needed);
}

static void
close_file(GaussdpPartitions *partitions)
{
	write_all(partitions);
	free_pieces(partitions);
	MemoryContextDelete(partitions->chunks);
	for (int i = 0; i < 1 << partitions->bits; i++)
		partitions->parts[i].first = NULL;
	if (partitions->file == NULL)
		return;
	write_buffer(partitions);
	pfree(partitions->buffer);
	gaussdp_leave_file(partitions->file);
}

void
gaussdp_close_partitions(GaussdpPartitions *partitions, bool to_files)
{
	if (to_files || partitions->is_spilled)
	{
		close_file(partitions);
		return;
	}
	for (int i = 0; i < 1 << partitions->bits; i++)
	{
		GaussdpPartition *partition = &partitions->parts[i];

		if (partition->last != NULL)
			partition->last->used = partitions->places[i].at;
		for (const GaussdpChunk *chunk = partition->first; chunk != NULL; chunk = chunk->next)
		{
			CHECK_FOR_INTERRUPTS(); /* each is fetched from memory */
			partition->bytes += (uint64) (chunk->used - chunk->rows);
		}
	}
}
