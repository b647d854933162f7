/*
 * temp_files.h
 *		Where a level puts its temporary files.
 */
#ifndef GAUSSDP_POLICY_EXEC_TEMP_FILES_H
#define GAUSSDP_POLICY_EXEC_TEMP_FILES_H

#include "postgres.h"

/* Looks up where gaussdp.temp_tablespaces says that files go, or else that they go where the session's do. */
extern void gaussdp_choose_temp_tablespaces(void);

/* From here on they do. */
extern void gaussdp_enter_temp_tablespaces(void);

/* Files of the session's own go where they did, and it is drawn whose turn it is. */
extern void gaussdp_leave_temp_tablespaces(void);

/* More than these are not written to. */
#define GAUSSDP_MOST_TEMP_SPACES 64

/* The tablespaces that were chosen, one at least; and where files of one of them lie, in or below the server's data: MAXPGPATH bytes. */
extern int gaussdp_temp_spaces(Oid *spaces);
extern void gaussdp_temp_path(Oid space, char *path);

/*
 * Around the reading of a level, of which each run may have so many files, or more: what number the session's next file has tells nothing of how many there were.
 * Behind an error it is tried to hide it.
 */
extern long gaussdp_take_number(void);
extern void gaussdp_begin_numbers(int nfiles);
extern void gaussdp_settle_numbers(void);
extern void gaussdp_try_to_settle_numbers(void);

#endif /* GAUSSDP_POLICY_EXEC_TEMP_FILES_H */
