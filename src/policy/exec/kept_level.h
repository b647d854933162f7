/*
 * kept_level.h
 *		Answers of levels that are kept and shown again.
 */
#ifndef GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H
#define GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H

#include "policy/exec/room.h"

/* Before the level's snapshot: room->key, and whether there is one. */
extern void gaussdp_take_key(GaussdpRoom *room);

/*
 * drawn_before.c: may what an equal level in the statement has drawn be shown in place of this one, which has not run yet?  Not where its inputs are
 * not known.
 */
extern bool gaussdp_may_be_shown_again(const GaussdpLevel *level);

/*
 * drawn_before.c: is what was drawn for an equal level paid, so that this one, which has not run yet, will cost nothing?  When that was, or 0: it is not, or
 * that is not known before it runs, as where public rows are read.
 */
extern TimestampTz gaussdp_drawn_before(const GaussdpLevel *level);

/* kept_rows.c: what was released, and found before, as bytes; false where it is too long. */
extern bool gaussdp_pack_kept(const GaussdpRoom *room, StringInfo kept);

/* kept_rows.c: makes it what the level has released. */
extern void gaussdp_unpack_kept(GaussdpRoom *room, const bytea *rows);

/* Shows what was released for an equal level, if that may be: room->released and room->shown_since; else false. */
extern bool gaussdp_show_kept(GaussdpRoom *room);

/* Keeps what the level has just released, unless answers are not shown again. */
extern void gaussdp_keep_level(GaussdpRoom *room);

/* Tells the client that it was shown numbers again. */
extern void gaussdp_tell_of_kept(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H */
