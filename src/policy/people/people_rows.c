/*
 * people_rows.c
 *		Rows as the plan node of people.h keeps them (people_rows.h).
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/people/people_rows.h"

/* How values of one column are told apart. */
typedef struct GaussdpComparison
{
	int16 length; /* of the type */
	bool by_value;
	bool by_image;   /* are equal values equal in every bit? */
	bool is_numeric; /* compared by numeric's own equality */
	uint64 mask;     /* the bits of a value that is passed by value */
	FmgrInfo equal;
	FmgrInfo hash;
	Oid collation;
} GaussdpComparison;

/* ---------------------------------------------------------------------------
 * Layout
 * ---------------------------------------------------------------------------
 */

static int
keep_column(GaussdpRowLayout *layout, TupleDesc columns, AttrNumber column, bool is_size)
{
	Form_pg_attribute attribute = TupleDescAttr(columns, column - 1);
	GaussdpKept *kept = layout->kept;

	for (int i = 0; i < layout->n; i++, kept++)
		if (kept->column == column && kept->is_size == is_size)
			return i;
	layout->kept = layout->kept == NULL
					   ? palloc(sizeof(GaussdpKept))
					   : repalloc(layout->kept, sizeof(GaussdpKept) * (layout->n + 1));
	kept = &layout->kept[layout->n];
	*kept = (GaussdpKept){.column = column,
						  .length = attribute->attlen,
						  .align = attribute->attalign,
						  .by_value = attribute->attbyval,
						  .is_size = is_size};
	if (is_size)
		kept->width = 4;
	else if (attribute->attbyval)
		kept->width = attribute->attlen == 8 ? 8 : 4;
	layout->last = Max(layout->last, column);
	return layout->n++;
}

int
gaussdp_keep(GaussdpRowLayout *layout, TupleDesc columns, AttrNumber column)
{
	return keep_column(layout, columns, column, false);
}

int
gaussdp_keep_size(GaussdpRowLayout *layout, TupleDesc columns, AttrNumber column)
{
	return keep_column(layout, columns, column, true);
}

void
gaussdp_lay_out(GaussdpRowLayout *layout)
{
	bool is_first = true;
	uint32 at;

	layout->is_fixed = true;
	layout->alignment = 1;
	for (int i = 0; i < layout->n; i++)
	{
		layout->is_fixed = layout->is_fixed && layout->kept[i].width > 0;
		if (layout->kept[i].width == 0)
			layout->alignment =
				Max(layout->alignment, (uint32) att_align_nominal(1, layout->kept[i].align));
	}
	layout->nulls = layout->is_fixed ? 0 : GAUSSDP_PRINT_AT + sizeof(uint32);
	layout->null_bytes = ((uint32) layout->n + 7) / 8;
	at = layout->nulls + layout->null_bytes;
	for (int i = 0; i < layout->n; i++)
	{
		GaussdpKept *kept = &layout->kept[i];

		kept->at = at;
		kept->is_first = kept->width == 0 && is_first;
		is_first = is_first && kept->width > 0;
		if (!kept->is_first)
			at += Max(kept->width, sizeof(uint32));
	}
	layout->fixed = at;
}

/* As long as all columns before it have one length, a column stands at the same place in all tuples without NULLs. */
void
gaussdp_lay_out_stored(GaussdpRowLayout *layout, TupleDesc stored)
{
	uint32 at = 0;

	layout->is_stored = layout->last <= stored->natts;
	for (int i = 0; i < layout->n; i++)
		layout->is_stored = layout->is_stored && layout->kept[i].by_value;
	for (int column = 1; column <= layout->last && layout->is_stored; column++)
	{
		Form_pg_attribute attribute = TupleDescAttr(stored, column - 1);

		layout->is_stored = attribute->attlen > 0;
		at = (uint32) att_align_nominal(at, attribute->attalign);
		for (int i = 0; i < layout->n; i++)
			if (layout->kept[i].column == column)
				layout->kept[i].stored_at = at;
		at += (uint32) Max(attribute->attlen, 0);
	}
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static bool
is_expanded(const GaussdpKept *kept, Datum value)
{
	return kept->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value));
}

static Size
length_of_value(const GaussdpKept *kept, Datum value)
{
	if (is_expanded(kept, value))
		return EOH_get_flat_size(DatumGetEOHP(value));
	return datumGetSize(value, false, kept->length);
}

/* Where a value goes, of which all before it ends there.  Short ones need no alignment. */
static Size
place_of_value(const GaussdpKept *kept, Datum value, Size at)
{
	if (kept->length == -1 && VARATT_IS_1B(DatumGetPointer(value)) && !is_expanded(kept, value))
		return at;
	return att_align_nominal(at, kept->align);
}

uint32
gaussdp_length_of(const GaussdpRowLayout *layout, const TupleTableSlot *slot)
{
	Size length = layout->fixed;

	if (layout->is_fixed)
		return layout->fixed;
	for (int i = 0; i < layout->n; i++)
	{
		const GaussdpKept *kept = &layout->kept[i];
		Datum value = slot->tts_values[kept->column - 1];

		if (kept->width == 0 && !slot->tts_isnull[kept->column - 1])
			length = place_of_value(kept, value, length) + length_of_value(kept, value);
	}
	length = TYPEALIGN(layout->alignment, length);
	if (length > GAUSSDP_LONGEST_ROW)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("a row is too long")));
	return (uint32) length;
}

/* Puts a value behind what ends there; returns where it ends itself. */
static uint32
keep_value(const GaussdpKept *kept, Datum value, char *row, uint32 end)
{
	Size length = length_of_value(kept, value);
	uint32 at = (uint32) place_of_value(kept, value, end);

	if (is_expanded(kept, value))
		EOH_flatten_into(DatumGetEOHP(value), row + at, length);
	else
		memcpy(row + at, DatumGetPointer(value), length);
	/* the first one is found by that, and no file gets what was in this memory before */
	memset(row + end, 0, at - end);
	if (!kept->is_first)
		memcpy(row + kept->at, &at, sizeof(uint32));
	return at + (uint32) length;
}

void
gaussdp_keep_behind(const GaussdpRowLayout *layout, const TupleTableSlot *slot, uint32 print,
					uint32 length, char *row)
{
	uint32 end = layout->fixed;

	memcpy(row, &length, sizeof(uint32));
	memcpy(row + GAUSSDP_PRINT_AT, &print, sizeof(uint32));
	for (int i = 0; i < layout->n; i++)
	{
		const GaussdpKept *kept = &layout->kept[i];

		if (kept->width == 0 && !slot->tts_isnull[kept->column - 1])
			end = keep_value(kept, slot->tts_values[kept->column - 1], row, end);
		else if (kept->width == 0 && !kept->is_first)
			memset(row + kept->at, 0, sizeof(uint32));
	}
	memset(row + end, 0, length - end);
}

int32
gaussdp_narrow_size(Datum value)
{
	int64 size = DatumGetInt64(value);

	if (size < 0 || size > PG_INT32_MAX)
		elog(ERROR, "the size of a row is out of range");
	return (int32) size;
}

/* ---------------------------------------------------------------------------
 * Prints
 * ---------------------------------------------------------------------------
 */

/*
 * Are values of the column equal only where all of their bits are?  Says PostgreSQL, of a type and a collation; but of char(n),
 * from 18 on, what holds where all have the same n, as in an index.
 */
static bool
is_by_image(Oid column_type, Oid collation, Oid equality)
{
	Oid type = getBaseType(column_type);
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_BTREE_OPFAMILY);
	Oid function;

	if (type == BPCHAROID || !OidIsValid(entry->btree_opf) || entry->eq_opr != equality)
		return false;
	function = get_opfamily_proc(entry->btree_opf, entry->btree_opintype, entry->btree_opintype,
								 BTEQUALIMAGE_PROC);
	return OidIsValid(function) &&
		   DatumGetBool(
			   OidFunctionCall1Coll(function, collation, ObjectIdGetDatum(entry->btree_opintype)));
}

/*
 * The bits of a value that are its type's.  What the others are is nobody's business, and not the same wherever a value comes from: an
 * oid beyond 2^31 that was computed, and one that was read from a row.
 */
static uint64
bits_of_type(int16 length)
{
	return length >= (int16) sizeof(uint64) ? ~UINT64CONST(0)
											: (UINT64CONST(1) << 8 * Max(length, 0)) - 1;
}

void
gaussdp_match(GaussdpMatcher *matcher, TupleDesc columns, const GaussdpRowLayout *layout, int kept,
			  Oid equality)
{
	Form_pg_attribute attribute = TupleDescAttr(columns, layout->kept[kept].column - 1);
	TypeCacheEntry *type =
		lookup_type_cache(getBaseType(attribute->atttypid), TYPECACHE_HASH_EXTENDED_PROC);
	GaussdpComparison *comparison;

	if (matcher->kept == NULL)
	{
		matcher->kept = palloc(sizeof(int) * columns->natts);
		matcher->comparisons = palloc0(sizeof(GaussdpComparison) * columns->natts);
	}
	matcher->kept[matcher->n] = kept;
	comparison = &matcher->comparisons[matcher->n++];
	comparison->length = attribute->attlen;
	comparison->by_value = attribute->attbyval;
	comparison->collation = attribute->attcollation;
	comparison->by_image = is_by_image(attribute->atttypid, attribute->attcollation, equality);
	comparison->is_numeric = get_opcode(equality) == F_NUMERIC_EQ;
	fmgr_info(get_opcode(equality), &comparison->equal);
	fmgr_info(type->hash_extended_proc, &comparison->hash);
	matcher->is_print = matcher->n == 1 && comparison->by_image && comparison->by_value;
	comparison->mask = matcher->mask = bits_of_type(attribute->attlen);
}

/*
 * Sixteen bytes at a time, multiplied with each other.  Both factors are hidden by the seed, so that nobody can choose one of 0.
 */
static uint64
hash_of_image(const char *image, Size length, uint64 seed)
{
	uint64 hash = gaussdp_spread(seed ^ length);
	uint64 words[2];

	for (; length > sizeof(words); image += sizeof(words), length -= sizeof(words))
	{
		memcpy(words, image, sizeof(words));
		hash = gaussdp_multiply(words[0] ^ hash, words[1] ^ seed);
	}
	words[0] = words[1] = 0;
	if (length > 0) /* NaN has no digits at all */
		memcpy(words, image, length);
	return gaussdp_spread(gaussdp_multiply(words[0] ^ hash, words[1] ^ seed));
}

static uint64
hash_of_bytes(const GaussdpComparison *comparison, Datum value, uint64 seed)
{
	struct varlena *plain;
	uint64 hash;

	if (comparison->length > 0)
		return hash_of_image(DatumGetPointer(value), (Size) comparison->length, seed);
	plain = PG_DETOAST_DATUM_PACKED(value);
	hash = hash_of_image(VARDATA_ANY(plain), VARSIZE_ANY_EXHDR(plain), seed);
	if (plain != (struct varlena *) DatumGetPointer(value))
		pfree(plain);
	return hash;
}

/* The functions' own hashes of numerics take them apart by copies. */
static uint64
hash_by_function(const GaussdpComparison *comparison, Datum value, uint64 seed)
{
	const char *digits;
	Size length;
	int64 image;

	if (!comparison->is_numeric)
		return DatumGetUInt64(FunctionCall2Coll(unconstify(FmgrInfo *, &comparison->hash),
												comparison->collation, value,
												UInt64GetDatum(seed)));
	image = gaussdp_numeric_image(value, &digits, &length);
	return hash_of_image(digits, length, seed ^ (uint64) image << 32);
}

static uint64
hash_of(const GaussdpMatcher *matcher, const GaussdpComparison *comparison, Datum value)
{
	MemoryContext old;
	uint64 hash;

	if (comparison->by_image && comparison->by_value)
		return gaussdp_spread((value & comparison->mask) ^ matcher->seed);
	if (comparison->by_image)
		return hash_of_bytes(comparison, value, matcher->seed);
	old = MemoryContextSwitchTo(matcher->scratch);
	hash = hash_by_function(comparison, value, matcher->seed);
	MemoryContextSwitchTo(old);
	MemoryContextReset(matcher->scratch);
	return hash;
}

static uint64
add_to_print(const GaussdpMatcher *matcher, int i, uint64 print, Datum value, bool isnull)
{
	return gaussdp_spread(print ^ (isnull ? 0 : hash_of(matcher, &matcher->comparisons[i], value)));
}

uint32
gaussdp_hash_of_coming(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout,
					   const TupleTableSlot *slot, const char *stored)
{
	uint64 print = matcher->seed;

	for (int i = 0; i < matcher->n; i++)
	{
		const GaussdpKept *kept = &layout->kept[matcher->kept[i]];
		bool isnull = gaussdp_coming_is_null(kept, slot, stored);

		print = add_to_print(matcher, i, print,
							 isnull ? 0 : gaussdp_coming_value(kept, slot, stored), isnull);
	}
	return (uint32) print;
}

uint32
gaussdp_hash_of_row(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout, const char *row)
{
	uint64 print = matcher->seed;

	for (int i = 0; i < matcher->n; i++)
	{
		bool isnull = gaussdp_kept_is_null(layout, row, matcher->kept[i]);

		print =
			add_to_print(matcher, i, print,
						 isnull ? 0 : gaussdp_kept_value(layout, row, matcher->kept[i]), isnull);
	}
	return (uint32) print;
}

static inline bool
is_same_image(const char *a, const char *b)
{
	return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

static bool
is_same_value(const GaussdpMatcher *matcher, const GaussdpComparison *comparison, Datum a, Datum b)
{
	MemoryContext old;
	bool result;

	if (comparison->by_value && comparison->by_image)
		return ((a ^ b) & comparison->mask) == 0;
	if (comparison->length == -1 && is_same_image(DatumGetPointer(a), DatumGetPointer(b)))
		return true;
	if (comparison->length > 0 && !comparison->by_value &&
		memcmp(DatumGetPointer(a), DatumGetPointer(b), (Size) comparison->length) == 0)
		return true;
	if (comparison->by_image && comparison->length > 0)
		return false;
	old = MemoryContextSwitchTo(matcher->scratch);
	result = DatumGetBool(
		FunctionCall2Coll(unconstify(FmgrInfo *, &comparison->equal), comparison->collation, a, b));
	MemoryContextSwitchTo(old);
	MemoryContextReset(matcher->scratch);
	return result;
}

bool
gaussdp_same(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout, const char *a,
			 const char *b)
{
	for (int i = 0; i < matcher->n; i++)
	{
		int kept = matcher->kept[i];
		bool is_null = gaussdp_kept_is_null(layout, a, kept);

		if (is_null != gaussdp_kept_is_null(layout, b, kept))
			return false;
		if (!is_null &&
			!is_same_value(matcher, &matcher->comparisons[i], gaussdp_kept_value(layout, a, kept),
						   gaussdp_kept_value(layout, b, kept)))
			return false;
	}
	return true;
}
