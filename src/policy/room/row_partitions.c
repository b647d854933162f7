/*
 * row_partitions.c
 *		Partitions of people's rows, in memory or in temporary files (row_partitions.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/room/row_partitions.h"

struct GaussdpChunk
{
	GaussdpChunk *next;
	char *used; /* up to here */
	char rows[FLEXIBLE_ARRAY_MEMBER];
};

/* As many bytes as PostgreSQL still cuts from larger blocks. */
#define SMALLEST_CHUNK 1024
#define LARGEST_CHUNK 8192
#define ROWS_OF_CHUNK(bytes) ((bytes) -offsetof(GaussdpChunk, rows))

GaussdpPartitions *
gaussdp_make_partitions(const GaussdpRowLayout *layout, int bits, int skip, Size limit)
{
	GaussdpPartitions *partitions = palloc0(sizeof(GaussdpPartitions));
	int n = 1 << bits;

	partitions->layout = layout;
	partitions->bits = bits;
	partitions->skip = skip;
	partitions->limit = limit;
	partitions->largest = LARGEST_CHUNK;
	while (partitions->largest > SMALLEST_CHUNK && partitions->largest * n > limit / 2)
		partitions->largest /= 2;
	partitions->files = CurrentMemoryContext;
	partitions->chunks = AllocSetContextCreate(CurrentMemoryContext, "rows of people", 0, 64 * 1024,
											   8 * 1024 * 1024);
	partitions->parts = palloc0(sizeof(GaussdpPartition) * n);
	for (int i = 0; i < n; i++)
	{
		partitions->parts[i].all = ~UINT64CONST(0);
		partitions->parts[i].skip = skip + bits;
	}
	return partitions;
}

static void
write_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, GaussdpChunk *chunk)
{
	Size length = chunk->used - chunk->rows;
	MemoryContext old;

	if (length == 0)
		return;
	if (partition->file == NULL)
	{
		old = MemoryContextSwitchTo(partitions->files);
		partition->file = BufFileCreateTemp(false);
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(partition->file, chunk->rows, length);
	partition->bytes += length;
}

/* Writes out all rows that are in memory. */
static void
spill(GaussdpPartitions *partitions)
{
	for (int i = 0; i < 1 << partitions->bits; i++)
	{
		GaussdpPartition *partition = &partitions->parts[i];

		CHECK_FOR_INTERRUPTS();
		if (partition->last != NULL)
			partition->last->used = partition->at;
		for (GaussdpChunk *chunk = partition->first; chunk != NULL; chunk = chunk->next)
			write_chunk(partitions, partition, chunk);
		partition->first = partition->last = NULL;
		partition->at = partition->end = NULL;
	}
	MemoryContextReset(partitions->chunks);
	partitions->used = 0;
	partitions->is_spilled = true;
}

/* In memory chunks are large, but for the first one; of files there are small ones, since each has a buffer of its own. */
static void
add_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, uint32 length)
{
	Size bytes = partition->last == NULL ? SMALLEST_CHUNK : partitions->largest;
	GaussdpChunk *chunk;

	if (length > ROWS_OF_CHUNK(bytes))
		bytes = length + offsetof(GaussdpChunk, rows);
	if (partitions->used > 0 && partitions->used + bytes > partitions->limit)
		spill(partitions);
	chunk = MemoryContextAllocHuge(partitions->chunks, bytes);
	chunk->next = NULL;
	partitions->used += bytes;
	if (partition->last != NULL)
	{
		partition->last->used = partition->at;
		partition->last->next = chunk;
	}
	else
		partition->first = chunk;
	partition->last = chunk;
	partition->at = chunk->rows;
	partition->end = (char *) chunk + bytes;
}

/* Once rows are written out, one chunk of each partition collects them. */
void
gaussdp_make_room(GaussdpPartitions *partitions, GaussdpPartition *partition, uint32 length)
{
	GaussdpChunk *chunk = partition->last;

	CHECK_FOR_INTERRUPTS();
	if (partitions->is_spilled && chunk != NULL)
	{
		chunk->used = partition->at;
		write_chunk(partitions, partition, chunk);
		partition->at = chunk->rows;
		if ((Size) (partition->end - partition->at) >= length)
			return;
		partitions->used -= partition->end - (char *) chunk;
		partition->first = partition->last = NULL;
		pfree(chunk);
	}
	add_chunk(partitions, partition, length);
}

void
gaussdp_close_partitions(GaussdpPartitions *partitions, bool to_files)
{
	if (to_files || partitions->is_spilled)
	{
		spill(partitions);
		MemoryContextDelete(partitions->chunks);
		return;
	}
	for (int i = 0; i < 1 << partitions->bits; i++)
		if (partitions->parts[i].last != NULL)
			partitions->parts[i].last->used = partitions->parts[i].at;
}

/* Without the rows: the file has become shorter, though nobody has written to it. */
static void
read_file(BufFile *file, void *to, Size length)
{
	if (BufFileRead(file, to, length) != length)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from a temporary file of people's rows")));
}

static void
rewind_file(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not rewind a temporary file of people's rows")));
}

void
gaussdp_load_partition(GaussdpPartition *partition, MemoryContext context)
{
	GaussdpChunk *chunk =
		MemoryContextAllocHuge(context, offsetof(GaussdpChunk, rows) + partition->bytes);

	rewind_file(partition->file);
	read_file(partition->file, chunk->rows, partition->bytes);
	chunk->next = NULL;
	chunk->used = chunk->rows + partition->bytes;
	partition->first = partition->last = chunk;
	gaussdp_drop_file(partition);
}

void
gaussdp_drop_file(GaussdpPartition *partition)
{
	if (partition->file != NULL)
		BufFileClose(partition->file);
	partition->file = NULL;
}

void
gaussdp_start_reading(GaussdpCursor *cursor, const GaussdpPartition *partition)
{
	cursor->partition = partition;
	cursor->chunk = partition->first;
	cursor->at = cursor->end = NULL;
	if (partition->file != NULL)
		rewind_file(partition->file);
	cursor->left = partition->file != NULL ? partition->bytes : 0;
}

char *
gaussdp_next_of_chunks(GaussdpCursor *cursor)
{
	char *row;

	while (cursor->chunk != NULL && cursor->chunk->used == cursor->chunk->rows)
		cursor->chunk = cursor->chunk->next;
	if (cursor->chunk == NULL)
		return NULL;
	row = cursor->chunk->rows;
	cursor->at = row + gaussdp_kept_length(cursor->layout, row);
	cursor->end = cursor->chunk->used;
	cursor->chunk = cursor->chunk->next;
	return row;
}

char *
gaussdp_next_of_file(GaussdpCursor *cursor)
{
	uint32 length = cursor->layout->fixed;
	uint32 read = 0;

	if (cursor->left == 0)
		return NULL;
	if (!cursor->layout->is_fixed)
	{
		read = sizeof(uint32);
		read_file(cursor->partition->file, &length, read);
	}
	if (length > cursor->capacity)
	{
		if (cursor->buffer != NULL)
			pfree(cursor->buffer);
		cursor->capacity = 2 * (Size) length;
		cursor->buffer = MemoryContextAllocHuge(cursor->memory, cursor->capacity);
	}
	memcpy(cursor->buffer, &length, read);
	read_file(cursor->partition->file, cursor->buffer + read, length - read);
	cursor->left -= length;
	return cursor->buffer;
}
