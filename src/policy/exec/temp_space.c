/*
 * temp_space.c
 *		The disks of temporary files are shared out to levels by what each of them can need.
 *
 * How much of a disk a running level has filled depends on rows, and so does what is free beside it.  A level that is refused before its
 * charge, because the disk is too small, must not tell of that: so the free space of a disk is measured only while no level has files on it,
 * and remembered.  While levels run, that number less what each of them has reserved is left for others.  What a level reserves is what its
 * plan can need by public sizes (resources.c).
 *
 * Invariants
 *		A level's part is given back when its files are gone: at its end, or, after an error, when the resources of the query around are
 *		released, which closes them.  A session that is terminated releases them, too; after a crash nothing is reserved, and PostgreSQL
 *		has removed all temporary files.
 *		A disk is a file system, as stat() tells them apart: several tablespaces may lie on one.
 *		What others write to a disk while levels run is not seen.  Levels meet it when they lack the space, which is counted.
 */
#include "postgres.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"

#include "policy/exec/temp_files.h"
#include "policy/exec/temp_space.h"

#define TRANCHE "gaussdp temporary files"

/* Of as many file systems it is remembered how large they are.  On further ones there is no space. */
#define MOST_DISKS 64

/* Without room for so many files there is no space. */
#define LEAST_FILES 1024

typedef struct Disk
{
	dev_t device;
	double free; /* bytes, when no level had files there */
} Disk;

/* What the level of a session has reserved, of each of its disks. */
typedef struct Part
{
	int ndisks;
	dev_t disks[GAUSSDP_MOST_TEMP_SPACES];
	double bytes;
} Part;

typedef struct Shared
{
	LWLock *lock;
	int nparts;
	int ndisks;
	Disk disks[MOST_DISKS];
	Part parts[FLEXIBLE_ARRAY_MEMBER];
} Shared;

static Shared *shared = NULL;

/* Of the query whose level has a part; NULL: none has. */
static ResourceOwner reserved_by = NULL;

static Size
shared_size(void)
{
	return add_size(offsetof(Shared, parts), mul_size(MaxBackends, sizeof(Part)));
}

void
gaussdp_request_temp_space(void)
{
	RequestAddinShmemSpace(shared_size());
	RequestNamedLWLockTranche(TRANCHE, 1);
}

void
gaussdp_start_temp_space(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct(TRANCHE, shared_size(), &found);
	if (!found)
	{
		memset(shared, 0, shared_size());
		shared->lock = &GetNamedLWLockTranche(TRANCHE)->lock;
		shared->nparts = MaxBackends;
	}
	LWLockRelease(AddinShmemInitLock);
}

/* ---------------------------------------------------------------------------
 * File systems
 * ---------------------------------------------------------------------------
 */

static double
free_bytes(Oid space)
{
	char path[MAXPGPATH];
	struct statvfs disk;

	gaussdp_temp_path(space, path);
	/* A directory that is gone has no room. */
	if (statvfs(path, &disk) != 0)
		return 0;
	/* Some file systems have no limit of files, and say 0 of all. */
	if (disk.f_files > 0 && disk.f_favail < LEAST_FILES)
		return 0;
	return (double) disk.f_bavail * (double) disk.f_frsize;
}

double
gaussdp_free_temp_space(void)
{
	Oid spaces[GAUSSDP_MOST_TEMP_SPACES];
	int n = gaussdp_temp_spaces(spaces);
	double least = HUGE_VAL;

	for (int i = 0; i < n; i++)
		least = Min(least, free_bytes(spaces[i]));
	return least;
}

/* ---------------------------------------------------------------------------
 * Parts, with the lock held
 * ---------------------------------------------------------------------------
 */

static bool
has_disk(const Part *part, dev_t device)
{
	for (int i = 0; i < part->ndisks; i++)
		if (part->disks[i] == device)
			return true;
	return false;
}

/* The bytes that levels of other sessions have reserved of a disk; -1: there is no such level. */
static double
reserved_by_others(const Part *mine, dev_t device)
{
	double bytes = 0;
	bool any = false;

	for (int i = 0; i < shared->nparts; i++)
		if (&shared->parts[i] != mine && has_disk(&shared->parts[i], device))
		{
			any = true;
			bytes += shared->parts[i].bytes;
		}
	return any ? bytes : -1;
}

/* NULL: there is no place for one more. */
static Disk *
find_disk(dev_t device)
{
	for (int i = 0; i < shared->ndisks; i++)
		if (shared->disks[i].device == device)
			return &shared->disks[i];
	if (shared->ndisks == MOST_DISKS)
		return NULL;
	shared->disks[shared->ndisks].device = device;
	return &shared->disks[shared->ndisks++];
}

/* Is there so much on the disk of this tablespace?  Adds it to the part. */
static bool
add_space(Part *part, const Part *mine, Oid space, double bytes)
{
	char path[MAXPGPATH];
	struct stat status;
	double reserved;
	Disk *disk;

	gaussdp_temp_path(space, path);
	if (stat(path, &status) != 0)
		return false;
	if (has_disk(part, status.st_dev))
		return true;
	disk = find_disk(status.st_dev);
	if (disk == NULL)
		return false;
	reserved = reserved_by_others(mine, status.st_dev);
	if (reserved < 0)
		disk->free = free_bytes(space);
	part->disks[part->ndisks++] = status.st_dev;
	return bytes <= disk->free - Max(reserved, 0);
}

/* ---------------------------------------------------------------------------
 * The session
 * ---------------------------------------------------------------------------
 */

static Part *
my_part(void)
{
	int index = (int) (MyProc - ProcGlobal->allProcs);

	if (index < 0 || index >= shared->nparts)
		elog(ERROR, "backend %d has no place for its temporary files", index);
	return &shared->parts[index];
}

void
gaussdp_release_temp_space(void)
{
	if (reserved_by == NULL)
		return;
	reserved_by = NULL;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	my_part()->ndisks = 0;
	LWLockRelease(shared->lock);
}

/* The last phase is the one in which files are closed, before this is called. */
static void
release_after_files(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *arg)
{
	if (phase == RESOURCE_RELEASE_AFTER_LOCKS && CurrentResourceOwner == reserved_by)
		gaussdp_release_temp_space();
}

static void
release_at_exit(int code, Datum arg)
{
	gaussdp_release_temp_space();
}

static void
release_by_itself(void)
{
	static bool is_registered = false;

	if (!is_registered)
	{
		RegisterResourceReleaseCallback(release_after_files, NULL);
		on_shmem_exit(release_at_exit, 0);
	}
	is_registered = true;
}

bool
gaussdp_reserve_temp_space(double bytes, ResourceOwner owner)
{
	Oid spaces[GAUSSDP_MOST_TEMP_SPACES];
	int n = gaussdp_temp_spaces(spaces);
	Part part = {.bytes = bytes};
	bool fits = true;
	Part *mine;

	/* Without shared memory nothing is charged: who asks may read the rows. */
	if (shared == NULL)
		return gaussdp_free_temp_space() >= bytes;
	release_by_itself();
	mine = my_part();
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < n && fits; i++)
		fits = add_space(&part, mine, spaces[i], bytes);
	if (!fits)
		part.ndisks = 0;
	*mine = part;
	reserved_by = fits ? owner : NULL;
	LWLockRelease(shared->lock);
	return fits;
}
