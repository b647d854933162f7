/*
 * numeric.c
 *		The double next to a numeric, from its digits in place.
 *
 * numeric_float8 goes through text and would cost three times the whole transition; here the header
 * and up to five digits of base 10000 are read where they lie.  The layout of numeric is stable on
 * disk but not in a public header, so test/pgtap/aggregates_numeric.sql holds it against the server's
 * own conversion.  Total: any numeric gives a double, NaN and the infinities too.
 *
 * Accuracy: correctly rounded while the value has at most 15 significant decimals and 22 decimals on
 * either side of the point, else within a relative 1.2e-15.  Only the accuracy of one
 * contribution hangs on it, never its bound.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/calls.h"
#include "aggregate/state.h"

/* numeric.c of the server: the first 16 bits tell special, short and long headers apart. */
#define HEADER_KIND 0xC000
#define HEADER_SPECIAL 0xC000
#define HEADER_SHORT 0x8000
#define SPECIAL_POSITIVE 0xD000
#define SPECIAL_NEGATIVE 0xF000
#define SPECIAL_MASK 0xF000
#define SHORT_NEGATIVE 0x2000
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT 0x003F
#define SHORT_SCALE 0x1F80
#define SHORT_SCALE_SHIFT 7
#define LONG_NEGATIVE 0x4000
#define LONG_SCALE 0x3FFF

/* Exact in a double up to 10000^5; then rounded to nearest. */
static const double powers[] = {
	1e0,   1e4,   1e8,   1e12,  1e16,  1e20,  1e24,  1e28,  1e32,  1e36,  1e40,  1e44,  1e48,
	1e52,  1e56,  1e60,  1e64,  1e68,  1e72,  1e76,  1e80,  1e84,  1e88,  1e92,  1e96,  1e100,
	1e104, 1e108, 1e112, 1e116, 1e120, 1e124, 1e128, 1e132, 1e136, 1e140, 1e144, 1e148, 1e152,
	1e156, 1e160, 1e164, 1e168, 1e172, 1e176, 1e180, 1e184, 1e188, 1e192, 1e196, 1e200, 1e204,
	1e208, 1e212, 1e216, 1e220, 1e224, 1e228, 1e232, 1e236, 1e240, 1e244, 1e248, 1e252, 1e256,
	1e260, 1e264, 1e268, 1e272, 1e276, 1e280, 1e284, 1e288, 1e292, 1e296, 1e300, 1e304, 1e308};

#define MAX_POWER ((int) lengthof(powers) - 1)

/* mantissa * 10000^exponent */
static double
scale_by_10000(double mantissa, int exponent)
{
	if (exponent >= 0)
		return exponent <= MAX_POWER ? mantissa * powers[exponent] : INFINITY;
	if (exponent >= -MAX_POWER)
		return mantissa / powers[-exponent];
	/* mantissa < 1e20: far below the smallest double another 5 digits down */
	if (exponent >= -MAX_POWER - 9)
		return mantissa / powers[MAX_POWER] / powers[-exponent - MAX_POWER];
	return 0;
}

/* What a numeric consists of, read from the bytes behind its varlena header; unaligned, hence memcpy. */
typedef struct Parts
{
	uint16 special; /* the header of what is no number, else 0 */
	bool negative;
	int16 weight; /* of the first digit: 10000^weight */
	const char *digits;
	int ndigits;
} Parts;

static inline Parts
parts_of(const char *data, int length)
{
	Parts parts = {0};
	uint16 header;

	memcpy(&header, data, sizeof(header));
	if ((header & HEADER_KIND) == HEADER_SHORT)
	{
		parts.negative = (header & SHORT_NEGATIVE) != 0;
		parts.weight = header & SHORT_WEIGHT;
		if (header & SHORT_WEIGHT_SIGN)
			parts.weight |= ~SHORT_WEIGHT;
		parts.digits = data + sizeof(uint16);
	}
	else if (likely((header & HEADER_KIND) != HEADER_SPECIAL))
	{
		parts.negative = (header & HEADER_KIND) == LONG_NEGATIVE;
		memcpy(&parts.weight, data + sizeof(uint16), sizeof(parts.weight));
		parts.digits = data + 2 * sizeof(uint16);
	}
	else
	{
		parts.special = header & SPECIAL_MASK;
		return parts;
	}
	parts.ndigits = (length - (int) (parts.digits - data)) / (int) sizeof(int16);
	return parts;
}

static inline int16
digit_at(const Parts *parts, int i)
{
	int16 digit;

	memcpy(&digit, parts->digits + i * (int) sizeof(int16), sizeof(digit));
	return digit;
}

static double
parts_to_double(const Parts *parts)
{
	int used;
	uint64 mantissa = 0;
	double value;

	if (parts->special == SPECIAL_POSITIVE)
		return INFINITY;
	if (parts->special != 0)
		return parts->special == SPECIAL_NEGATIVE ? -INFINITY : NAN;
	for (used = 0; used < parts->ndigits && used < 5; used++)
	{
		/* A fifth digit fits 64 bits where the first four are short. */
		if (used == 4 && mantissa >= UINT64CONST(1000000000000000))
			break;
		mantissa = mantissa * 10000 + (uint64) digit_at(parts, used);
	}
	value = used == 0 ? 0 : scale_by_10000((double) mantissa, parts->weight + 1 - used);
	return parts->negative ? -value : value;
}

/* Short headers are read as they are; only what is compressed or stored elsewhere is fetched. */
static inline Parts
parts_of_numeric(Datum numeric)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(numeric);

	if (unlikely(VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value)))
		value = pg_detoast_datum_packed(value);
	return parts_of(VARDATA_ANY(value), (int) VARSIZE_ANY_EXHDR(value));
}

double
gaussdp_numeric_to_double(Datum numeric)
{
	Parts parts = parts_of_numeric(numeric);

	return parts_to_double(&parts);
}

bool
gaussdp_numeric_is_long(Datum numeric, int digits)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(numeric);
	Parts parts = parts_of(VARDATA_ANY(value), (int) VARSIZE_ANY_EXHDR(value));
	uint16 header;

	memcpy(&header, VARDATA_ANY(value), sizeof(header));
	if (parts.special != 0)
		return false;
	return (parts.weight + 1) * 4 > digits ||
		   ((header & HEADER_KIND) == HEADER_SHORT ? (header & SHORT_SCALE) >> SHORT_SCALE_SHIFT
												   : header & LONG_SCALE) > digits;
}

double
gaussdp_digits_of_power(Datum base, Datum exponent)
{
	Parts x = parts_of_numeric(base);
	Parts y = parts_of_numeric(exponent);
	Parts leading = x; /* of x, between 1 and 10,000 */
	double digits;

	if (x.special != 0 || y.special != 0)
		return NAN;
	leading.weight = 0;
	digits = log10(fabs(parts_to_double(&leading))) + 4.0 * x.weight;
	return fabs(digits) > 1e-9 ? digits * parts_to_double(&y) : NAN;
}

int64
gaussdp_numeric_image(Datum numeric, const char **digits, Size *length)
{
	Parts parts = parts_of_numeric(numeric);

	for (; parts.ndigits > 0 && digit_at(&parts, parts.ndigits - 1) == 0;)
		parts.ndigits--;
	for (; parts.ndigits > 0 && digit_at(&parts, 0) == 0; parts.ndigits--)
	{
		parts.digits += sizeof(int16);
		parts.weight--;
	}
	*digits = parts.digits;
	*length = (Size) parts.ndigits * sizeof(int16);
	if (parts.ndigits == 0)
		return parts.special;
	return (int64) parts.weight * 4 + (parts.negative ? 3 : 2);
}
