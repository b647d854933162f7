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
gaussdp_share_keys(GaussdpKeys *keys, GaussdpSharedKeys *shared, dsa_area *area)
{
	keys->shared = shared;
	keys->area = area;
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
									 dsa_get_address(keys->area, shared->rows[keys->index.n]));
	}
	keys->are_many = are_many;
}

static bool
is_room_for_keys(uint32 n, Size bytes, uint32 length)
{
	return n < GAUSSDP_FEW_KEYS && bytes + length <= GAUSSDP_BYTES_OF_FEW_KEYS;
}

/* Adds keys behind those that this process knows; false where others have added some in the meantime. */
static bool
hand_in_keys(const GaussdpKeys *keys, dsa_pointer row, uint32 length)
{
	GaussdpSharedKeys *shared = keys->shared;
	bool is_handed_in = false;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (!is_room_for_keys(shared->n, shared->bytes, length))
		shared->are_many = true;
	else if (shared->n == keys->index.n)
	{
		shared->rows[shared->n++] = row;
		shared->bytes += length;
		is_handed_in = true;
	}
	LWLockRelease(&shared->lock);
	return is_handed_in;
}

static uint32
add_shared_keys(GaussdpKeys *keys, uint64 print, uint32 is_null, const char *row)
{
	uint32 length = gaussdp_kept_length(keys->index.layout, row);
	dsa_pointer copy = dsa_allocate_extended(keys->area, length, DSA_ALLOC_HUGE);
	bool is_handed_in = false;
	uint32 number;

	memcpy(dsa_get_address(keys->area, copy), row, length);
	for (;;)
	{
		take_shared_keys(keys);
		number = gaussdp_find_number(&keys->index, print, is_null, row);
		if (number != 0 || keys->are_many)
			break;
		is_handed_in = hand_in_keys(keys, copy, length);
	}
	if (!is_handed_in)
		dsa_free(keys->area, copy);
	return keys->are_many ? 0 : number - 1;
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
