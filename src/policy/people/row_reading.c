/*
 * row_reading.c
 *		Partitions of people's rows as they are read, by the process that filled them or by others (row_partitions.h).
 */
#include "postgres.h"

#include <fcntl.h>

#include "miscadmin.h"
#include "storage/fileset.h"
#include "utils/memutils.h"

#include "compat.h"
#include "policy/people/row_chunks.h"
#include "policy/people/row_partitions.h"

void
gaussdp_leave_file(GaussdpRowFile *file)
{
	if (--file->users > 0)
		return;
	FileClose(file->file);
	file->file = 0;
}

/* It may have become shorter, though nobody has written to it. */
static void
read_file(File file, char *to, Size length, uint64 at)
{
	if (FileRead(file, to, (int) length, (off_t) at, WAIT_EVENT_BUFFILE_READ) != (int) length)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from a temporary file of people's rows")));
}

/* Reads a chunk to where it shall stand; the one before it is the next to be read. */
static GaussdpExtent
read_chunk(const GaussdpRowFile *from, GaussdpExtent place, GaussdpChunk *chunk)
{
	GaussdpExtent next;

	read_file(from->file, (char *) chunk, place.length, place.at);
	next = (GaussdpExtent){.at = chunk->before, .length = chunk->length_before};
	chunk->used = (char *) chunk + place.length;
	return next;
}

void
gaussdp_load_partition(GaussdpPartition *partition, MemoryContext context)
{
	for (int i = 0; i < partition->nfiles; i++)
	{
		const GaussdpWritten *written = &partition->files[i];
		char *to = MemoryContextAllocHuge(context, Max(written->bytes, 1));

		for (GaussdpExtent place = written->last; place.length > 0;)
		{
			GaussdpChunk *chunk = (GaussdpChunk *) to;

			CHECK_FOR_INTERRUPTS();
			to += MAXALIGN(place.length);
			place = read_chunk(written->from, place, chunk);
			chunk->next = partition->first;
			partition->first = chunk;
			if (partition->last == NULL)
				partition->last = chunk;
		}
	}
	gaussdp_drop_files(partition);
}

void
gaussdp_drop_files(GaussdpPartition *partition)
{
	for (int i = 0; i < partition->nfiles; i++)
		gaussdp_leave_file(partition->files[i].from);
	partition->nfiles = 0;
}

void
gaussdp_start_reading(GaussdpCursor *cursor, const GaussdpPartition *partition)
{
	cursor->partition = partition;
	cursor->chunk = partition->first;
	cursor->at = cursor->end = NULL;
	cursor->nfiles = 0;
	cursor->nplaces = 0;
}

static void
list_chunk(GaussdpCursor *cursor, GaussdpExtent place)
{
	if (cursor->nplaces == cursor->most_places)
	{
		uint64 n = Max(cursor->most_places * 2, 64);

		cursor->places = cursor->places == NULL
							 ? MemoryContextAllocHuge(cursor->memory, sizeof(GaussdpExtent) * n)
							 : repalloc_huge(cursor->places, sizeof(GaussdpExtent) * n);
		cursor->most_places = n;
	}
	cursor->places[cursor->nplaces++] = place;
}

/* From the last chunk to the first one: each knows where the one before is. */
static void
list_chunks(GaussdpCursor *cursor, const GaussdpWritten *written)
{
	GaussdpExtent place = written->last;

	while (place.length > 0)
	{
		GaussdpChunk head;

		CHECK_FOR_INTERRUPTS();
		list_chunk(cursor, place);
		read_file(written->from->file, (char *) &head, offsetof(GaussdpChunk, rows), place.at);
		place = (GaussdpExtent){.at = head.before, .length = head.length_before};
	}
}

/* The next rows of the file at hand, or of the next one; false where there are none. */
static bool
read_file_on(GaussdpCursor *cursor)
{
	GaussdpExtent place;

	while (cursor->nplaces == 0)
	{
		if (cursor->nfiles == cursor->partition->nfiles)
			return false;
		list_chunks(cursor, &cursor->partition->files[cursor->nfiles++]);
	}
	place = cursor->places[--cursor->nplaces];
	if (place.length > cursor->capacity)
	{
		if (cursor->buffer != NULL)
			pfree(cursor->buffer);
		cursor->buffer = MemoryContextAllocHuge(cursor->memory, place.length);
		cursor->capacity = place.length;
	}
	(void) read_chunk(cursor->partition->files[cursor->nfiles - 1].from, place, cursor->buffer);
	cursor->at = cursor->buffer->rows;
	cursor->end = cursor->buffer->used;
	return true;
}

bool
gaussdp_read_on(GaussdpCursor *cursor)
{
	CHECK_FOR_INTERRUPTS();
	if (cursor->partition->nfiles > 0)
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

GaussdpPartitions *
gaussdp_divide_partition(GaussdpCursor *cursor, const GaussdpPartition *partition,
						 const GaussdpRowLayout *layout, const GaussdpMatcher *matcher,
						 double rows_of_partition, Size limit)
{
	double rows = (double) (partition->bytes / layout->fixed);
	GaussdpPartitions *partitions = gaussdp_make_partitions(
		gaussdp_bits_for(rows, rows_of_partition, limit), partition->skip, limit / 2);

	gaussdp_start_reading(cursor, partition);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			uint32 is_null;
			uint64 print = gaussdp_print_of_row(matcher, layout, cursor->at, &is_null);
			uint32 length = gaussdp_kept_length(layout, cursor->at);

			CHECK_FOR_INTERRUPTS();
			memcpy(gaussdp_add_row(partitions, gaussdp_spread(print ^ matcher->seed), length),
				   cursor->at, length);
			cursor->at += length;
		}
	return partitions;
}

/* ---------------------------------------------------------------------------
 * From one process to another
 * ---------------------------------------------------------------------------
 */

GaussdpSharedPart
gaussdp_publish_partition(GaussdpPartitions *partitions, int part)
{
	GaussdpPartition *partition = &partitions->parts[part];
	GaussdpSharedPart published = {.bytes = partition->bytes};

	if (partition->nfiles > 0)
	{
		published.last = partition->files->last;
		published.bytes_of_file = partition->files->bytes;
		gaussdp_drop_files(partition);
	}
	return published;
}

static void
open_shared_file(GaussdpRowFile *file, SharedFileSet *fileset, int writer)
{
	char name[GAUSSDP_FILE_NAME_LENGTH];

	gaussdp_name_file(name, writer);
	file->file = FileSetOpen(&fileset->fs, name, O_RDONLY);
	if (file->file <= 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not open a temporary file of people's rows: %m")));
	file->users = 1;
}

void
gaussdp_take_published(GaussdpPartition *partition, const GaussdpSharedPart *published,
					   SharedFileSet *fileset, int writer, GaussdpRowFile *file)
{
	partition->bytes += published->bytes;
	if (published->last.length == 0)
		return;
	if (file->file == 0)
		open_shared_file(file, fileset, writer);
	file->users++;
	partition->files[partition->nfiles++] =
		(GaussdpWritten){.from = file, .last = published->last, .bytes = published->bytes_of_file};
}
