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

static const char *const fields_of_date[] = {"century", "day",    "decade",  "dow",        "doy",
											 "epoch",   "isodow", "isoyear", "millennium", "month",
											 "quarter", "week",   "year",    NULL};

static const char *const fields_of_timestamp[] = {
	"century", "day",          "decade",     "dow",          "doy",    "epoch", "hour",    "isodow",
	"isoyear", "microseconds", "millennium", "milliseconds", "minute", "month", "quarter", "second",
	"week",    "year",         NULL};

static const char *const fields_of_interval[] = {
	"century",      "day",    "decade", "epoch",   "hour",   "microseconds", "millennium",
	"milliseconds", "minute", "month",  "quarter", "second", "year",         NULL};

/* Of an infinite one they are NULL; years and longer, and what counts from a day on, are infinite. */
static const char *const fields_of_finite[] = {
	"day",   "dow",     "doy",    "hour", "isodow", "microseconds", "milliseconds", "minute",
	"month", "quarter", "second", "week", NULL};

static const char *const units[] = {"century",    "day",          "decade", "hour",  "microseconds",
									"millennium", "milliseconds", "minute", "month", "quarter",
									"second",     "week",         "year",   NULL};

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

static bool
is_one_of(const Const *constant, const char *const *words)
{
	char *word;

	if (constant == NULL || constant->constisnull || constant->consttype != TEXTOID)
		return false;
	word = TextDatumGetCString(constant->constvalue);
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

bool
gaussdp_is_field_of_date(const Const *constant)
{
	return is_one_of(constant, fields_of_date);
}

bool
gaussdp_is_field_of_timestamp(const Const *constant)
{
	return is_one_of(constant, fields_of_timestamp);
}

bool
gaussdp_is_field_of_interval(const Const *constant)
{
	return is_one_of(constant, fields_of_interval);
}

bool
gaussdp_is_unit_of_time(const Const *constant)
{
	return is_one_of(constant, units);
}

bool
gaussdp_is_field_of_finite(const Const *constant)
{
	return is_one_of(constant, fields_of_finite);
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
gaussdp_is_safe_divisor(const Const *constant)
{
	int64 divisor;

	if (constant == NULL)
		return false;
	if (constant->constisnull)
		return true;
	switch (constant->consttype)
	{
		case INT2OID:
			divisor = DatumGetInt16(constant->constvalue);
			break;
		case INT4OID:
			divisor = DatumGetInt32(constant->constvalue);
			break;
		case INT8OID:
			divisor = DatumGetInt64(constant->constvalue);
			break;
		default:
			return false;
	}
	return divisor != 0 && divisor != -1;
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

/* A century: from 3900 BC, where guarded values begin, a bin of this length does not reach the first timestamp. */
#define LONGEST_STRIDE (INT64CONST(36525) * USECS_PER_DAY)

bool
gaussdp_is_stride(const Const *constant)
{
	const Interval *stride;

	if (constant == NULL || constant->consttype != INTERVALOID)
		return false;
	if (constant->constisnull)
		return true;
	stride = DatumGetIntervalP(constant->constvalue);
	return stride->month == 0 && stride->day >= 0 && stride->day <= 36525 && stride->time >= 0 &&
		   stride->time <= LONGEST_STRIDE - stride->day * USECS_PER_DAY &&
		   (stride->day > 0 || stride->time > 0);
}

bool
gaussdp_is_shift(const Const *constant)
{
	const Interval *shift;

	if (constant == NULL)
		return false;
	if (constant->constisnull)
		return true;
	if (constant->consttype == INT4OID)
		return DatumGetInt32(constant->constvalue) >= -36525 &&
			   DatumGetInt32(constant->constvalue) <= 36525;
	if (constant->consttype != INTERVALOID)
		return false;
	shift = DatumGetIntervalP(constant->constvalue);
	return shift->month >= -1200 && shift->month <= 1200 && shift->day >= -36525 &&
		   shift->day <= 36525 && shift->time >= -LONGEST_STRIDE && shift->time <= LONGEST_STRIDE;
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
