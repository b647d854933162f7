/*
 * kept_level.h
 *		Answers of levels that are kept and shown again.  Private to policy/exec/.
 */
#ifndef GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H
#define GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H

#include "policy/exec/room.h"

/* Before the level's snapshot: room->key, and whether there is one. */
extern void gaussdp_take_key(GaussdpRoom *room);

/* Shows what was released for an equal level, if that may be: room->released and room->shown_since; else false. */
extern bool gaussdp_show_kept(GaussdpRoom *room);

/* Keeps what the level has just released, unless answers are not shown again. */
extern void gaussdp_keep_level(GaussdpRoom *room);

/* Tells the client that it was shown numbers again. */
extern void gaussdp_tell_of_kept(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_KEPT_LEVEL_H */
