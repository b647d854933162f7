/*
 * temp_space.h
 *		The disks of temporary files are shared out to levels by what each of them can need.
 */
#ifndef GAUSSDP_POLICY_EXEC_TEMP_SPACE_H
#define GAUSSDP_POLICY_EXEC_TEMP_SPACE_H

#include "postgres.h"

#include "utils/resowner.h"

/* At server start: before and when shared memory is made. */
extern void gaussdp_request_temp_space(void);
extern void gaussdp_start_temp_space(void);

/*
 * Reserves so many bytes on each disk on which files of this session's level may lie, in place of what it had reserved before: until
 * gaussdp_release_temp_space(), or until the owner's resources are released, after an error.  False: there is not so much.
 */
extern bool gaussdp_reserve_temp_space(double bytes, ResourceOwner owner);

/* The level's files are gone. */
extern void gaussdp_release_temp_space(void);

/* The least free bytes of any of these disks, as of now: this depends on what running levels have written. */
extern double gaussdp_free_temp_space(void);

#endif /* GAUSSDP_POLICY_EXEC_TEMP_SPACE_H */
