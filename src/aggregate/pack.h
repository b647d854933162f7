/*
 * pack.h
 *		Calls with constant parameters: planned with all of them in one constant.
 */
#ifndef GAUSSDP_AGGREGATE_PACK_H
#define GAUSSDP_AGGREGATE_PACK_H

/*
 * Installs the planner hook that packs them.  To be called before other parts install theirs, so that it
 * comes after them: they see calls as they were written.
 */
extern void gaussdp_pack_init(void);

#endif /* GAUSSDP_AGGREGATE_PACK_H */
