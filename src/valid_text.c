/*
 * valid_text.c
 *		Whether a text is one of the server's encoding.
 *
 * PostgreSQL looks at that wherever texts come in, but not where one is made of a "char", which is any byte.  Functions that fail on no text
 * fail on such ones; and of texts with a zero byte some are equal by their order that are different by their equality, so that a sort does not
 * bring equal ones together.  No constant of a level is such a text, no public value and no result of a contained call.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "valid_text.h"

/* The high bit, and the low one, of each byte. */
#define HIGH_BITS UINT64CONST(0x8080808080808080)
#define LOW_BITS UINT64CONST(0x0101010101010101)

static bool
is_valid_string(const char *string, int length)
{
	/* Letters of ASCII are valid in each encoding that a server may have, and most texts have no others. */
	while (length >= (int) sizeof(uint64))
	{
		uint64 bytes;

		memcpy(&bytes, string, sizeof(bytes));
		if (((bytes - LOW_BITS) | bytes) & HIGH_BITS)
			break;
		string += sizeof(bytes);
		length -= sizeof(bytes);
	}
	while (length > 0 && *string != '\0' && !IS_HIGHBIT_SET(*string))
	{
		string++;
		length--;
	}
	/* false for a zero byte, too */
	return length == 0 || pg_verify_mbstr(GetDatabaseEncoding(), string, length, true);
}

bool
gaussdp_is_valid_varlena(Datum value)
{
	const struct varlena *text = PG_DETOAST_DATUM_PACKED(value);

	return is_valid_string(VARDATA_ANY(text), (int) VARSIZE_ANY_EXHDR(text));
}

static bool
are_valid_elements(Datum value, Oid element)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ArrayIterator elements;
	Datum part;
	bool isnull;
	bool valid = true;

	if (!gaussdp_has_text(element))
		return true;
	elements = array_create_iterator(array, 0, NULL);
	while (valid && array_iterate(elements, &part, &isnull))
		valid = isnull || gaussdp_is_valid_text(part, element);
	array_free_iterator(elements);
	return valid;
}

static bool
are_valid_strings(Datum value)
{
	JsonbIterator *iterator = JsonbIteratorInit(&DatumGetJsonbP(value)->root);
	JsonbIteratorToken token;
	JsonbValue part;

	while ((token = JsonbIteratorNext(&iterator, &part, false)) != WJB_DONE)
		if ((token == WJB_KEY || token == WJB_ELEM || token == WJB_VALUE) &&
			part.type == jbvString && !is_valid_string(part.val.string.val, part.val.string.len))
			return false;
	return true;
}

bool
gaussdp_has_text(Oid type)
{
	Oid element;

	type = getBaseType(type);
	element = get_element_type(type);
	return OidIsValid(element)
			   ? gaussdp_has_text(element)
			   : type == JSONBOID || type == JSONOID || type == XMLOID || type == NAMEOID ||
					 (TypeCategory(type) == TYPCATEGORY_STRING && get_typlen(type) == -1);
}

bool
gaussdp_is_valid_text(Datum value, Oid type)
{
	Oid element;

	type = getBaseType(type);
	if (!gaussdp_has_text(type))
		return true;
	element = get_element_type(type);
	if (OidIsValid(element))
		return are_valid_elements(value, element);
	if (type == NAMEOID)
		return is_valid_string(NameStr(*DatumGetName(value)),
							   (int) strlen(NameStr(*DatumGetName(value))));
	return type == JSONBOID ? are_valid_strings(value) : gaussdp_is_valid_varlena(value);
}
