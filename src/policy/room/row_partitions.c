/*
 * row_partitions.c
 *		Partitions of people's rows, in memory or in temporary files (row_partitions.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/room/row_partitions.h"

/* One in shared memory, once it is published, has numbers in the place of this process's addresses. */
struct GaussdpChunk
{
	union
	{
		GaussdpChunk *next;
		dsa_pointer shared_next;
	};
	union
	{
		char *used; /* up to here */
		uint64 length;
	};
	dsa_pointer self; /* of one in shared memory */
	char rows[FLEXIBLE_ARRAY_MEMBER];
};

/* A piece of shared memory begins with the one before. */
typedef struct Piece
{
	dsa_pointer previous;
	char chunks[FLEXIBLE_ARRAY_MEMBER];
} Piece;

#define SMALLEST_PIECE ((Size) 16 * 1024)
#define LARGEST_PIECE ((Size) 1024 * 1024)

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

void
gaussdp_share_partitions(GaussdpPartitions *partitions, dsa_area *area, SharedFileSet *fileset,
						 int writer)
{
	partitions->area = area;
	partitions->fileset = fileset;
	partitions->writer = writer;
	partitions->piece_size = SMALLEST_PIECE;
}

#define FILE_NAME_LENGTH 32

static void
name_file(char name[FILE_NAME_LENGTH], int writer, int part)
{
	snprintf(name, FILE_NAME_LENGTH, "%d.%d", writer, part);
}

static BufFile *
create_file(const GaussdpPartitions *partitions, const GaussdpPartition *partition)
{
	char name[FILE_NAME_LENGTH];

	if (partitions->fileset == NULL)
		return BufFileCreateTemp(false);
	name_file(name, partitions->writer, (int) (partition - partitions->parts));
	return BufFileCreateFileSet(&partitions->fileset->fs, name);
}

static void
write_chunk(GaussdpPartitions *partitions, GaussdpPartition *partition, GaussdpChunk *chunk)
{
	Size length = chunk->used - chunk->rows;
	MemoryContext old;

	if (length == 0)
		return;
	if (partition->nfiles == 0)
	{
		old = MemoryContextSwitchTo(partitions->files);
		partition->files = palloc0(sizeof(GaussdpRowFile));
		partition->files->file = create_file(partitions, partition);
		partition->nfiles = 1;
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(partition->files->file, chunk->rows, length);
	partition->files->bytes += length;
	partition->bytes += length;
}

/* A chunk in shared memory. */
static GaussdpChunk *
cut_chunk(GaussdpPartitions *partitions, Size bytes)
{
	Size room = (Size) (partitions->piece_end - partitions->piece_at);
	Piece *piece;
	GaussdpChunk *chunk;

	bytes = MAXALIGN(bytes);
	if (room < bytes)
	{
		Size size = Max(partitions->piece_size, bytes + offsetof(Piece, chunks));
		dsa_pointer previous = partitions->piece;

		partitions->piece = dsa_allocate_extended(partitions->area, size, DSA_ALLOC_HUGE);
		piece = dsa_get_address(partitions->area, partitions->piece);
		piece->previous = previous;
		partitions->piece_at = piece->chunks;
		partitions->piece_end = (char *) piece + size;
		partitions->piece_size =
			Min(partitions->piece_size * 2,
				Max(Min(LARGEST_PIECE, partitions->limit / 16), SMALLEST_PIECE));
	}
	piece = dsa_get_address(partitions->area, partitions->piece);
	chunk = (GaussdpChunk *) partitions->piece_at;
	chunk->self = partitions->piece + (dsa_pointer) (partitions->piece_at - (char *) piece);
	partitions->piece_at += bytes;
	return chunk;
}

static void
free_pieces(GaussdpPartitions *partitions)
{
	while (DsaPointerIsValid(partitions->piece))
	{
		const Piece *piece = dsa_get_address(partitions->area, partitions->piece);
		dsa_pointer previous = piece->previous;

		dsa_free(partitions->area, partitions->piece);
		partitions->piece = previous;
	}
	partitions->piece_at = partitions->piece_end = NULL;
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
	free_pieces(partitions);
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
	/* what goes to a file is nobody else's */
	if (partitions->area != NULL && !partitions->is_spilled)
		chunk = cut_chunk(partitions, bytes);
	else
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
	for (int i = 0; i < partition->nfiles; i++)
	{
		const GaussdpRowFile *from = &partition->files[i];
		GaussdpChunk *chunk =
			MemoryContextAllocHuge(context, offsetof(GaussdpChunk, rows) + from->bytes);

		rewind_file(from->file);
		read_file(from->file, chunk->rows, from->bytes);
		chunk->next = partition->first;
		chunk->used = chunk->rows + from->bytes;
		partition->first = chunk;
		if (partition->last == NULL)
			partition->last = chunk;
	}
	gaussdp_drop_files(partition);
}

void
gaussdp_drop_files(GaussdpPartition *partition)
{
	for (int i = 0; i < partition->nfiles; i++)
		BufFileClose(partition->files[i].file);
	partition->nfiles = 0;
}

/* ---------------------------------------------------------------------------
 * From one process to another
 * ---------------------------------------------------------------------------
 */

/* Files are written to their ends and closed, so that others can open them. */
GaussdpSharedPart
gaussdp_publish_partition(const GaussdpPartitions *partitions, int part)
{
	GaussdpPartition *partition = &partitions->parts[part];
	GaussdpSharedPart published = {.bytes = partition->bytes};
	GaussdpChunk *next;

	if (partition->nfiles > 0)
	{
		published.bytes_of_file = partition->files->bytes;
		BufFileExportFileSet(partition->files->file);
		gaussdp_drop_files(partition);
	}
	published.chunks = partition->first != NULL ? partition->first->self : InvalidDsaPointer;
	for (GaussdpChunk *chunk = partition->first; chunk != NULL; chunk = next)
	{
		next = chunk->next;
		chunk->shared_next = next != NULL ? next->self : InvalidDsaPointer;
		chunk->length = (uint64) (chunk->used - chunk->rows);
	}
	partition->first = partition->last = NULL;
	return published;
}

void
gaussdp_take_published(GaussdpPartition *partition, const GaussdpSharedPart *published,
					   dsa_area *area, SharedFileSet *fileset, int writer, int part)
{
	dsa_pointer place = published->chunks;
	char name[FILE_NAME_LENGTH];

	partition->bytes += published->bytes;
	while (DsaPointerIsValid(place))
	{
		GaussdpChunk *chunk = dsa_get_address(area, place);

		place = chunk->shared_next;
		chunk->used = chunk->rows + chunk->length;
		chunk->next = partition->first;
		partition->first = chunk;
		if (partition->last == NULL)
			partition->last = chunk;
	}
	if (published->bytes_of_file == 0)
		return;
	name_file(name, writer, part);
	partition->files[partition->nfiles++] =
		(GaussdpRowFile){.file = BufFileOpenFileSet(&fileset->fs, name, O_RDONLY, false),
						 .bytes = published->bytes_of_file};
}

/* ---------------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------------
 */

void
gaussdp_start_reading(GaussdpCursor *cursor, const GaussdpPartition *partition)
{
	cursor->partition = partition;
	cursor->chunk = partition->first;
	cursor->at = cursor->end = NULL;
	cursor->nfiles = 0;
	cursor->left = 0;
	cursor->filled = 0;
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

	read_file(cursor->partition->files[cursor->nfiles - 1].file, cursor->buffer + cursor->filled,
			  length);
	cursor->filled += length;
	cursor->left -= length;
}

/* The next rows of the file at hand, or of the next one; false where there are none. */
static bool
read_file_on(GaussdpCursor *cursor)
{
	Size rest = cursor->end == NULL ? 0 : cursor->filled - (cursor->end - cursor->buffer);
	Size whole;

	if (rest + cursor->left == 0)
	{
		if (cursor->nfiles == cursor->partition->nfiles)
			return false;
		rewind_file(cursor->partition->files[cursor->nfiles].file);
		cursor->left = cursor->partition->files[cursor->nfiles++].bytes;
	}
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
	if (cursor->partition->nfiles > 0 && cursor->chunk == cursor->partition->first &&
		read_file_on(cursor))
		return true;
	while (cursor->chunk != NULL && cursor->chunk->used == cursor->chunk->rows)
		cursor->chunk = cursor->chunk->next;
	if (cursor->chunk == NULL)
		return false;
	cursor->at = cursor->chunk->rows;
	cursor->end = cursor->chunk->used;
	cursor->chunk = cursor->chunk->next;
	return true;
}
