/*
 * temp_files.c
 *		Where a level puts its temporary files.
 *
 * Where an analyst can fill the disk of temporary files, that it is full is met at a row.  gaussdp.temp_tablespaces names tablespaces in
 * which nobody else has a right to write: what is free there is the levels'.  The session's own list is put back after each level, in
 * which its temporary tables would need a right of their own.
 *
 * The server's fd.c keeps the address of the list until the transaction ends, so that both are static.
 */
#include "postgres.h"

#include <math.h>
#include <sys/statvfs.h>

#include "catalog/pg_tablespace_d.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/varlena.h"

#include "policy/exec/temp_files.h"
#include "settings.h"

#define MOST_SPACES 64

static Oid usual[MOST_SPACES];
static int nusual;
static Oid own[MOST_SPACES];
static int nown = 0;
static bool is_entered = false;

void
gaussdp_choose_temp_tablespaces(void)
{
	List *names;
	ListCell *lc;

	PrepareTempTablespaces(); /* or else the first file would, and the transaction keeps them */
	nown = 0;
	if (gaussdp_temp_tablespaces == NULL ||
		!SplitIdentifierString(pstrdup(gaussdp_temp_tablespaces), ',', &names))
		return; /* its check has refused what is no list */
	foreach (lc, names)
		if (nown < MOST_SPACES)
			own[nown++] = get_tablespace_oid(lfirst(lc), false);
}

void
gaussdp_enter_temp_tablespaces(void)
{
	if (nown == 0 || is_entered)
		return;
	nusual = GetTempTablespaces(usual, MOST_SPACES);
	SetTempTablespaces(own, nown);
	is_entered = true;
}

/*
 * Temporary files take the tablespaces of temp_tablespaces in turn, and the session's next temporary table
 * takes the one whose turn it is, which would tell how many files there were.
 */
void
gaussdp_leave_temp_tablespaces(void)
{
	if (!is_entered)
		nusual = TempTablespacesAreSet() ? GetTempTablespaces(usual, MOST_SPACES) : 0;
	if (is_entered || nusual > 1)
		SetTempTablespaces(usual, nusual);
	is_entered = false;
}

/* Where files of a tablespace lie, in or below the server's data. */
static double
free_bytes(Oid space)
{
	char path[MAXPGPATH] = "base";
	struct statvfs disk;

	if (!OidIsValid(space))
		space = MyDatabaseTableSpace;
	if (space != DEFAULTTABLESPACE_OID && space != GLOBALTABLESPACE_OID)
		snprintf(path, sizeof(path), "pg_tblspc/%u", space);
	/* Where nothing is known of it, a want is met when it comes. */
	if (statvfs(path, &disk) != 0)
		return HUGE_VAL;
	return (double) disk.f_bavail * (double) disk.f_frsize;
}

double
gaussdp_free_temp_space(void)
{
	Oid spaces[MOST_SPACES] = {InvalidOid};
	int n = nown;
	double least;

	if (n > 0)
		memcpy(spaces, own, sizeof(spaces));
	else
		n = GetTempTablespaces(spaces, MOST_SPACES);
	least = free_bytes(spaces[0]);
	for (int i = 1; i < n; i++)
		least = Min(least, free_bytes(spaces[i]));
	return least;
}
