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

/* Bytes of a file that are looked at at once. */
#define BYTES_READ ((Size) 2 * BLCKSZ)

Size
gaussdp_bytes_of_file(void)
{
	return BLCKSZ + LARGEST_CHUNK;
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
	partitions->files = CurrentMemoryContext;
	partitions->chunks = AllocSetContextCreate(CurrentMemoryContext, "rows of people", 0, 64 * 1024,
											   8 * 1024 * 1024);
	partitions->places = palloc0(sizeof(GaussdpWritePlace) * n);
	partitions->parts = palloc0(sizeof(GaussdpPartition) * n);
	for (int i = 0; i < n; i++)
		partitions->parts[i].skip = skip + bits;
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

		if (partition->last != NULL)
			partition->last->used = partitions->places[i].at;
		for (GaussdpChunk *chunk = partition->first; chunk != NULL; chunk = chunk->next)
		{
			CHECK_FOR_INTERRUPTS();
			write_chunk(partitions, partition, chunk);
		}
		partition->first = partition->last = NULL;
		partitions->places[i] = (GaussdpWritePlace){NULL, NULL};
	}
	MemoryContextReset(partitions->chunks);
	partitions->used = 0;
	partitions->is_spilled = true;
}

/* In memory chunks are large, but for the first one; of files there are small ones, since each has a buffer of its own. */
static void
add_chunk(GaussdpPartitions *partitions, uint32 part, uint32 length)
{
	GaussdpPartition *partition = &partitions->parts[part];
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
		partition->last->used = partitions->places[part].at;
		partition->last->next = chunk;
	}
	else
		partition->first = chunk;
	partition->last = chunk;
	partitions->places[part] = (GaussdpWritePlace){chunk->rows, (char *) chunk + bytes};
}

/* Once rows are written out, one chunk of each partition collects them. */
void
gaussdp_make_room(GaussdpPartitions *partitions, uint32 part, uint32 length)
{
	GaussdpPartition *partition = &partitions->parts[part];
	GaussdpWritePlace *place = &partitions->places[part];
	GaussdpChunk *chunk = partition->last;
	Size bytes = chunk == NULL ? 0 : place->end - (char *) chunk;

	CHECK_FOR_INTERRUPTS();
	if (partitions->is_spilled && chunk != NULL)
	{
		chunk->used = place->at;
		write_chunk(partitions, partition, chunk);
		place->at = chunk->rows;
		if (bytes == partitions->largest && length <= ROWS_OF_CHUNK(bytes))
			return;
		partitions->used -= bytes;
		partition->first = partition->last = NULL;
		pfree(chunk);
	}
	add_chunk(partitions, part, length);
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
	{
		GaussdpPartition *partition = &partitions->parts[i];

		if (partition->last != NULL)
			partition->last->used = partitions->places[i].at;
		for (const GaussdpChunk *chunk = partition->first; chunk != NULL; chunk = chunk->next)
			partition->bytes += (uint64) (chunk->used - chunk->rows);
	}
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
	cursor->left = partition->file != NULL ? partition->bytes : 0;
	cursor->filled = 0;
	if (partition->file != NULL)
		rewind_file(partition->file);
}

/* How many bytes of the buffer are whole rows. */
static Size
whole_rows(const GaussdpCursor *cursor)
{
	Size whole = 0;

	if (cursor->layout->is_fixed)
		return cursor->filled - cursor->filled % cursor->layout->fixed;
	while (whole + sizeof(uint32) <= cursor->filled)
	{
		uint32 length = gaussdp_kept_length(cursor->layout, cursor->buffer + whole);

		if (length > cursor->filled - whole)
			break;
		whole += length;
	}
	return whole;
}

/* Room for so many bytes in the buffer. */
static void
grow_buffer(GaussdpCursor *cursor, Size wanted)
{
	if (wanted <= cursor->capacity)
		return;
	cursor->buffer = cursor->buffer == NULL ? MemoryContextAllocHuge(cursor->memory, wanted)
											: repalloc_huge(cursor->buffer, wanted);
	cursor->capacity = wanted;
}

static void
fill_buffer(GaussdpCursor *cursor)
{
	Size length = Min(cursor->left, cursor->capacity - cursor->filled);

	read_file(cursor->partition->file, cursor->buffer + cursor->filled, length);
	cursor->filled += length;
	cursor->left -= length;
}

static bool
read_file_on(GaussdpCursor *cursor)
{
	Size rest = cursor->end == NULL ? 0 : cursor->filled - (cursor->end - cursor->buffer);
	Size whole;

	if (rest > 0)
		memmove(cursor->buffer, cursor->end, rest);
	cursor->filled = rest;
	grow_buffer(cursor, BYTES_READ);
	fill_buffer(cursor);
	whole = whole_rows(cursor);
	if (whole == 0 && cursor->filled > 0)
	{
		/* one row that is longer */
		grow_buffer(cursor, gaussdp_kept_length(cursor->layout, cursor->buffer));
		fill_buffer(cursor);
		whole = whole_rows(cursor);
	}
	cursor->at = cursor->buffer;
	cursor->end = cursor->buffer + whole;
	return whole > 0;
}

bool
gaussdp_read_on(GaussdpCursor *cursor)
{
	CHECK_FOR_INTERRUPTS();
	if (cursor->partition->file != NULL)
		return read_file_on(cursor);
	while (cursor->chunk != NULL && cursor->chunk->used == cursor->chunk->rows)
		cursor->chunk = cursor->chunk->next;
	if (cursor->chunk == NULL)
		return false;
	cursor->at = cursor->chunk->rows;
	cursor->end = cursor->chunk->used;
	cursor->chunk = cursor->chunk->next;
	return true;
}
