/*
 * arguments.c
 *		What the reviewed list of functions may ask of an argument.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "policy/proof/arguments.h"
#include "policy/proof/functions.h"

const Const *
gaussdp_constant_argument(List *args, int i)
{
	Node *arg;

	if (list_length(args) <= i)
		return NULL;
	arg = (Node *) list_nth(args, i);
	while (IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	return IsA(arg, Const) ? (const Const *) arg : NULL;
}

bool
gaussdp_is_parameter(List *args, int i)
{
	Node *arg = list_length(args) > i ? list_nth(args, i) : NULL;

	while (arg != NULL && IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	return arg != NULL && IsA(arg, Param) && ((Param *) arg)->paramkind == PARAM_EXTERN;
}

bool
gaussdp_is_deterministic(Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

/*
 * LIKE goes one call deeper for each % that a text gets past, a comparison of documents for each level that they share, and
 * both fail where the stack ends; this many calls find room in what side_channels.c reserves.
 */
#define MAX_DEPTH 100

/* A pattern whose last character is not an escape without its object, and that no text makes fail. */
bool
gaussdp_is_like_pattern(const Const *constant, Oid collation)
{
	const char *p;
	int depth = 0;

	if (constant == NULL || constant->consttype != TEXTOID || !gaussdp_is_deterministic(collation))
		return false;
	if (constant->constisnull)
		return true;
	for (p = TextDatumGetCString(constant->constvalue); *p != '\0'; p++)
	{
		if (*p == '%' && ++depth > MAX_DEPTH)
			return false;
		if (*p == '\\' && *++p == '\0')
			return false;
	}
	return true;
}

bool
gaussdp_is_length(const Const *constant)
{
	return constant != NULL && constant->consttype == INT4OID &&
		   (constant->constisnull || DatumGetInt32(constant->constvalue) >= 0);
}

/* A time zone that there is: an unknown one is an error here, before any row.  Its file is read here, too. */
bool
gaussdp_is_zone(const Const *constant)
{
	if (constant == NULL || constant->consttype != TEXTOID)
		return false;
	if (!constant->constisnull)
		(void) DirectFunctionCall2(timestamp_zone, constant->constvalue, TimestampGetDatum(0));
	return true;
}

bool
gaussdp_is_number_of_part(const Const *constant)
{
	return constant != NULL && constant->consttype == INT4OID &&
		   (constant->constisnull || DatumGetInt32(constant->constvalue) != 0);
}

/*
 * A format whose text has one length for all times and zones, but for digits.  TM gives names by lc_time, whose locale is
 * loaded when they are asked for.  TZ gives the zone's own abbreviation, and that of summer time may be too long for
 * to_char() where that of winter is not.
 */
bool
gaussdp_is_date_format(const Const *constant)
{
	const char *format;

	if (constant == NULL || constant->consttype != TEXTOID)
		return false;
	if (constant->constisnull)
		return true;
	format = TextDatumGetCString(constant->constvalue);
	if (strlen(format) > GAUSSDP_LONGEST_FORMAT)
		return false;
	for (const char *p = format; *p != '\0'; p++)
		if (pg_strncasecmp(p, "TM", 2) == 0 || pg_strncasecmp(p, "TZ", 2) == 0)
			return false;
	/* What is wrong with a format is an error here, before any row; its parsed form is kept from here on. */
	(void) DirectFunctionCall2Coll(timestamp_to_char, DEFAULT_COLLATION_OID, TimestampGetDatum(0),
								   constant->constvalue);
	return true;
}

/*
 * PostgreSQL's lower(), upper(), initcap() and ILIKE, in an encoding of several bytes a letter, let the C library read the text.
 * It knows every text in UTF8, not in others: of EUC_JP 1,957 valid codes fail.
 */
bool
gaussdp_has_case_for_all(Oid collation)
{
	if (!OidIsValid(collation) || GetDatabaseEncoding() == PG_SQL_ASCII)
		return gaussdp_has_c_letters(collation);
	return GetDatabaseEncoding() == PG_UTF8 || pg_database_encoding_max_length() == 1 ||
		   gaussdp_has_c_letters(collation);
}

bool
gaussdp_is_flat_document(const Const *constant)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	int arrays = 0;
	int depth = 0;

	if (constant == NULL || constant->consttype != JSONBOID)
		return false;
	if (constant->constisnull)
		return true;
	iterator = JsonbIteratorInit(&DatumGetJsonbP(constant->constvalue)->root);
	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		bool begins = token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT;

		if (begins && (arrays > 0 || ++depth > MAX_DEPTH))
			return false;
		if (token == WJB_END_ARRAY || token == WJB_END_OBJECT)
			depth--;
		if (token == WJB_BEGIN_ARRAY)
			arrays++;
		else if (token == WJB_END_ARRAY)
			arrays--;
	}
	return true;
}
