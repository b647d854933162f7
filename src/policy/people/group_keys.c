/*
 * group_keys.c
 *		The keys of a level's groups, numbered as rows come for as long as they are few (group_keys.h).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "policy/people/group_keys.h"

void
gaussdp_make_keys(GaussdpKeys *keys, MemoryContext parent, const GaussdpRowLayout *layout,
				  const GaussdpMatcher *matcher)
{
	gaussdp_make_index(&keys->index, parent, layout, matcher);
	keys->index.keeps_rows = true;
	gaussdp_clear_index(&keys->index, true);
}

/* Their rows stay where all processes find them. */
void
gaussdp_share_keys(GaussdpKeys *keys, GaussdpSharedKeys *shared)
{
	keys->shared = shared;
	gaussdp_clear_index(&keys->index, false);
}

/*
 * Takes over the keys that other processes have numbered.  Those that stand there stay: they are hashed without the lock, since
 * that takes long where they are long, and who holds it, or waits for it, cannot be cancelled.
 */
static void
take_shared_keys(GaussdpKeys *keys)
{
	GaussdpSharedKeys *shared = keys->shared;
	uint32 n;
	bool are_many;

	LWLockAcquire(&shared->lock, LW_SHARED);
	n = shared->n;
	are_many = shared->are_many;
	LWLockRelease(&shared->lock);
	while (keys->index.n < n)
	{
		CHECK_FOR_INTERRUPTS();
		(void) gaussdp_number_of_row(&keys->index,
									 (const char *) shared->rows + shared->at[keys->index.n]);
	}
	keys->are_many = are_many;
}

static bool
is_room_for_keys(uint32 n, Size bytes, uint32 length)
{
	return n < GAUSSDP_FEW_KEYS && bytes + length <= GAUSSDP_BYTES_OF_FEW_KEYS;
}

/* Adds keys behind those that this process knows, unless others have added some in the meantime. */
static void
hand_in_keys(const GaussdpKeys *keys, const char *row)
{
	GaussdpSharedKeys *shared = keys->shared;
	uint32 length = gaussdp_kept_length(keys->index.layout, row);

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (!is_room_for_keys(shared->n, shared->bytes, length))
		shared->are_many = true;
	else if (shared->n == keys->index.n)
	{
		memcpy((char *) shared->rows + shared->bytes, row, length);
		shared->at[shared->n++] = (uint32) shared->bytes;
		shared->bytes += MAXALIGN(length);
	}
	LWLockRelease(&shared->lock);
}

static uint32
add_shared_keys(GaussdpKeys *keys, uint64 print, uint32 is_null, const char *row)
{
	uint32 number;

	for (;;)
	{
		take_shared_keys(keys);
		number = gaussdp_find_number(&keys->index, print, is_null, row);
		if (number != 0 || keys->are_many)
			return keys->are_many ? 0 : number - 1;
		hand_in_keys(keys, row);
	}
}

uint32
gaussdp_add_keys(GaussdpKeys *keys, uint64 print, uint32 is_null, const char *row)
{
	uint32 length = gaussdp_kept_length(keys->index.layout, row);

	if (keys->shared != NULL)
		return add_shared_keys(keys, print, is_null, row);
	keys->are_many = !is_room_for_keys(keys->index.n, keys->bytes, length);
	if (keys->are_many)
		return 0;
	keys->bytes += length;
	return gaussdp_add_number(&keys->index, print, is_null, row);
}

void
gaussdp_settle_keys(GaussdpKeys *keys)
{
	if (keys->shared != NULL)
		take_shared_keys(keys);
}
