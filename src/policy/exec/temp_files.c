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

#include "catalog/pg_tablespace_d.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "policy/exec/temp_files.h"
#include "settings.h"

static Oid usual[GAUSSDP_MOST_TEMP_SPACES];
static int nusual;
static Oid own[GAUSSDP_MOST_TEMP_SPACES];
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
		if (nown < GAUSSDP_MOST_TEMP_SPACES)
			own[nown++] = get_tablespace_oid(lfirst(lc), false);
}

void
gaussdp_enter_temp_tablespaces(void)
{
	if (nown == 0 || is_entered)
		return;
	nusual = GetTempTablespaces(usual, GAUSSDP_MOST_TEMP_SPACES);
	SetTempTablespaces(own, nown);
	is_entered = true;
}

/* Files take the tablespaces of temp_tablespaces in turn: in which one the session's next temporary table is would tell how many files there were. */
void
gaussdp_leave_temp_tablespaces(void)
{
	if (!is_entered)
		nusual = TempTablespacesAreSet() ? GetTempTablespaces(usual, GAUSSDP_MOST_TEMP_SPACES) : 0;
	if (is_entered || nusual > 1)
		SetTempTablespaces(usual, nusual);
	is_entered = false;
}

void
gaussdp_temp_path(Oid space, char *path)
{
	if (!OidIsValid(space))
		space = MyDatabaseTableSpace;
	strlcpy(path, "base", MAXPGPATH);
	if (space != DEFAULTTABLESPACE_OID && space != GLOBALTABLESPACE_OID)
		snprintf(path, MAXPGPATH, "pg_tblspc/%u", space);
}

int
gaussdp_temp_spaces(Oid *spaces)
{
	int n = nown;

	if (n > 0)
		memcpy(spaces, own, sizeof(own));
	else
		n = GetTempTablespaces(spaces, GAUSSDP_MOST_TEMP_SPACES);
	if (n < 1)
	{
		spaces[0] = InvalidOid;
		n = 1;
	}
	return n;
}

/* ---------------------------------------------------------------------------
 * Numbers
 *
 * PostgreSQL numbers the files of a session, and shows the number of a later one in errors and, where the administrator logs temporary files,
 * in messages.  How many files a level has had, rows decide.  So behind it come as many empty ones as make their number one that the plan
 * has: or, where there were more, twice that, four times, ...  This is done of every level: that rows do not outgrow memory is known of
 * most, by their number, and not of a person's pairs and elements.
 * ---------------------------------------------------------------------------
 */

/* Of a level that was not thought to write any, and has. */
#define UNEXPECTED 16

/* Of the level that reads; -1: none does. */
static int numbers = -1;
static long first_number;

/* The number of a file that is gone again, which nobody logs. */
long
gaussdp_take_number(void)
{
	int logged = log_temp_files;
	volatile long number = 0;

	log_temp_files = -1;
	PG_TRY();
	{
		File file = OpenTemporaryFile(false);
		const char *digits = strrchr(FilePathName(file), '.');

		number = digits == NULL ? 0 : strtol(digits + 1, NULL, 10);
		FileClose(file);
	}
	PG_FINALLY();
	{
		log_temp_files = logged;
	}
	PG_END_TRY();
	return number;
}

void
gaussdp_begin_numbers(int nfiles)
{
	/* Those of a run that has failed have still to be hidden. */
	if (numbers >= 0)
		return;
	first_number = gaussdp_take_number();
	numbers = nfiles;
}

void
gaussdp_settle_numbers(void)
{
	long last;
	long target = numbers;

	if (numbers < 0)
		return;
	last = gaussdp_take_number();
	if (target == 0)
		target = last - first_number > 1 ? UNEXPECTED : 1;
	while (target < last - first_number)
		target *= 2;
	while (last - first_number < target)
		last = gaussdp_take_number();
	numbers = -1;
}

void
gaussdp_try_to_settle_numbers(void)
{
	MemoryContext memory = CurrentMemoryContext;

	PG_TRY();
	{
		gaussdp_settle_numbers();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(memory);
		FlushErrorState();
	}
	PG_END_TRY();
}
