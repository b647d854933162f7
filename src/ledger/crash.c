/*
 * crash.c
 *		Levels that run are noted in a file, which outlives the server's processes.
 *
 * A row can make a server crash: a level takes memory for it, and the kernel ends the process, and with it all that was in shared memory.  So
 * a session notes its level in a file before the charge, and its end when the outcome is decided (errors.c), which is a write of
 * some bytes without a flush.  What is noted when the server starts has not come to its end: it is counted as a resource error, once for each
 * role and population, whatever the crash came of.
 *
 *		file	one note for each backend, then one for each place of the errors in shared memory that have still to be counted
 *
 * Invariants
 *		A note stays while an error of its role is not durable, or where its session was terminated: it counts too much then, never too little.
 *		A crash before those of an earlier one are durable loses none.  A crash of the operating system may lose notes; a file that was copied,
 *		as by a backup, holds none.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/proc.h"

#include "crash.h"
#include "errors.h"

#define RUNNING_FILE "pg_stat/gaussdp_running"

/* Changes with the format. */
#define MAGIC 0x47445031

typedef struct Header
{
	uint32 magic;
	uint32 size;  /* of a note */
	uint64 inode; /* of the file, which a copy does not have */
} Header;

typedef struct Note
{
	Oid database; /* InvalidOid: nothing runs */
	Oid role;
	Oid session_role;
	uint64 query_id;
	int limits[GAUSSDP_NKINDS];
	int ntables;
	GaussdpLedgerTable tables[GAUSSDP_MAX_TABLES];
} Note;

/* Of the session, once it has opened it. */
static int file = -1;
static bool is_noted = false;

static off_t
offset_of(int place)
{
	return (off_t) sizeof(Header) + (off_t) place * (off_t) sizeof(Note);
}

static bool
write_bytes(int fd, const void *bytes, size_t length, off_t offset)
{
	return pwrite(fd, bytes, length, offset) == (ssize_t) length;
}

/* ---------------------------------------------------------------------------
 * The session
 * ---------------------------------------------------------------------------
 */

static int
my_place(void)
{
	return (int) (gaussdp_ledger_slot() - gaussdp_ledger_shared->slots);
}

static bool
open_file(void)
{
	if (file < 0)
	{
		ReserveExternalFD();
		file = BasicOpenFile(RUNNING_FILE, O_RDWR | PG_BINARY);
		if (file < 0)
			ReleaseExternalFD();
	}
	return file >= 0;
}

void
gaussdp_note_running(const GaussdpCharge *charge)
{
	Note note;

	memset(&note, 0, sizeof(note));
	note.database = MyDatabaseId;
	note.role = charge->role;
	note.session_role = charge->session_role;
	note.query_id = charge->query_id;
	gaussdp_take_limits(note.limits);
	note.ntables = charge->ntables;
	memcpy(note.tables, charge->tables, sizeof(note.tables));
	if (!open_file() || !write_bytes(file, &note, sizeof(note), offset_of(my_place())))
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not note a private query in file \"%s\": %m", RUNNING_FILE),
						errdetail("Nothing was charged and nothing was released.")));
	is_noted = true;
}

static void
clear(int place)
{
	Oid nothing = InvalidOid;

	(void) write_bytes(file, &nothing, sizeof(nothing),
					   offset_of(place) + (off_t) offsetof(Note, database));
}

void
gaussdp_note_ended(void)
{
	if (is_noted)
		clear(my_place());
	is_noted = false;
}

void
gaussdp_note_counted(int place)
{
	if (open_file())
		clear(gaussdp_ledger_shared->nslots + place);
}

/* ---------------------------------------------------------------------------
 * The start of the server
 * ---------------------------------------------------------------------------
 */

/* The notes of the file; NULL: there are none. */
static Note *
read_notes(int *n)
{
	int fd = open(RUNNING_FILE, O_RDONLY | PG_BINARY, 0);
	struct stat status;
	Header header;
	Note *notes = NULL;

	*n = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && read(fd, &header, sizeof(header)) == sizeof(header) &&
		header.magic == MAGIC && header.size == sizeof(Note) &&
		header.inode == (uint64) status.st_ino)
	{
		*n = (int) ((status.st_size - (off_t) sizeof(header)) / (off_t) sizeof(Note));
		notes = palloc0(mul_size(*n, sizeof(Note)));
		if (read(fd, notes, *n * sizeof(Note)) != (ssize_t) (*n * sizeof(Note)))
			*n = 0;
	}
	close(fd);
	return notes;
}

/* The file anew, with notes of the errors that are to be counted. */
static bool
write_notes(void)
{
	const GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	static const char temporary[] = RUNNING_FILE ".tmp";
	int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | PG_BINARY, pg_file_create_mode);
	Header header = {.magic = MAGIC, .size = sizeof(Note)};
	Note *note = palloc0(sizeof(Note));
	struct stat status;
	bool done = fd >= 0 && fstat(fd, &status) == 0;

	header.inode = done ? (uint64) status.st_ino : 0;
	done = done && write_bytes(fd, &header, sizeof(header), 0);
	for (int i = 0; done && i < shared->nslots + shared->nerrors; i++)
	{
		const GaussdpLedgerErrors *errors = &shared->errors[Max(i - shared->nslots, 0)];

		memset(note, 0, sizeof(Note));
		if (i >= shared->nslots && OidIsValid(errors->database))
			*note = (Note){.database = errors->database,
						   .role = errors->role,
						   .session_role = errors->session_role,
						   .query_id = errors->query_id,
						   .ntables = 1,
						   .tables = {errors->table}};
		memcpy(note->limits, errors->limits, sizeof(note->limits));
		done = write_bytes(fd, note, sizeof(Note), offset_of(i));
	}
	pfree(note);
	done = done && pg_fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return done && durable_rename(temporary, RUNNING_FILE, LOG) == 0;
}

void
gaussdp_count_crashed(void)
{
	int n;
	Note *notes = read_notes(&n);

	for (int i = 0; i < n; i++)
		for (int t = 0; OidIsValid(notes[i].database) && t < notes[i].ntables; t++)
		{
			GaussdpLedgerErrors errors = {.database = notes[i].database,
										  .role = notes[i].role,
										  .session_role = notes[i].session_role,
										  .query_id = notes[i].query_id,
										  .table = notes[i].tables[t]};

			memcpy(errors.limits, notes[i].limits, sizeof(errors.limits));
			gaussdp_add_crash(&errors);
		}
	if (notes != NULL)
		pfree(notes);
	/* Levels that cannot be noted are not charged. */
	if (!write_notes())
		ereport(LOG, (errcode_for_file_access(),
					  errmsg("could not write file \"%s\": %m", RUNNING_FILE)));
}
