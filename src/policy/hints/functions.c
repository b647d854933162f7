/*
 * functions.c
 *		The nearest legal form of functions that are not legal on rows, contained or not.
 *
 * Read by the verifier to word a refusal (expression.c); it decides nothing.
 */
#include "postgres.h"

#include "utils/fmgroids.h"

#include "policy/hints/hints.h"

#define AS_TEXT                                                                                                                  \
	"Give to_char a constant format of at most 1000 bytes without TM and TZ, or group by date_trunc('month', x)::date and call " \
	"to_char in a query around this one (WITH), on the released key."
#define TODAY "Name the day that it is reckoned from: age(current_date, x)."
#define PATTERN "Write LIKE or ILIKE with a constant pattern, or starts_with()."
#define CONSTANT_PATTERN                                                                           \
	"Write x COLLATE \"C\" LIKE 'y%', with a constant pattern of at most 100 %."
#define OTHER_CASE_PATTERN                                                                         \
	"Write x COLLATE \"C\" ILIKE 'y%', for the letters of ASCII, of a short text and with a "      \
	"constant pattern of at most 100 %: left(x, 1000)."
#define JOINED_WITH                                                                                \
	"Write x || y, of short texts: left(x, 100), columns of type varchar(n), constants."
#define OVERLAP "Write the condition out: x <= last AND y >= first."
#define FIELD                                                                                      \
	"Take one field after the other, data -> 'key' ->> 'key', as text, or write data @> "          \
	"'{\"key\": 5}'."
#define PATH                                                                                       \
	"Write a constant path with at most two numbers in it, data #>> '{key,0}', or take one field " \
	"after the other: data -> 'key' ->> 'key'."
#define NO_JSON "Ask the owner for a column of type jsonb."
#define ELEMENT                                                                                    \
	"Compare with a constant of at most 20 elements without NULL, tags = '{x,y}', or write 'x' = " \
	"ANY (tags) or tags[1] = 'x'."
#define ELEMENTS                                                                                   \
	"Compare with a constant of at most 20 elements without NULL, tags @> '{x,y}' or tags && "     \
	"'{x,y}', or write 'x' = ANY (tags), with AND or OR between them."
#define NUMBER_AS_TEXT                                                                             \
	"Write x::text, or do it on the released value, in a query around this one (WITH)."
#define TEXT_AS_TIME                                                                               \
	"Compare the text, which sorts as the days do where it is written year first, or ask the "     \
	"owner for a column of the type."
#define PARTS                                                                                      \
	"Write split_part(x, '@', 2), left(x, 3) or CASE, or do it on the released key, in a query "   \
	"around this one (WITH)."

static const struct
{
	Oid function;
	const char *form;
} nearest[] = {
	{F_TO_CHAR_TIMESTAMP_TEXT, AS_TEXT},
	{F_TO_CHAR_TIMESTAMPTZ_TEXT, AS_TEXT},
	{F_TEXTLIKE, CONSTANT_PATTERN},
	{F_TEXTNLIKE, CONSTANT_PATTERN},
	{F_TEXTICLIKE, OTHER_CASE_PATTERN},
	{F_TEXTICNLIKE, OTHER_CASE_PATTERN},
	{F_AGE_TIMESTAMP, TODAY},
	{F_AGE_TIMESTAMPTZ, TODAY},
	{F_TEXTREGEXEQ, PATTERN},
	{F_TEXTREGEXNE, PATTERN},
	{F_TEXTICREGEXEQ, PATTERN},
	{F_TEXTICREGEXNE, PATTERN},
	{F_JSONB_EXTRACT_PATH, PATH},
	{F_JSONB_EXTRACT_PATH_TEXT, PATH},
	{F_JSONB_PATH_EXISTS_OPR, FIELD},
	{F_JSONB_PATH_MATCH_OPR, FIELD},
	{F_JSON_OBJECT_FIELD, NO_JSON},
	{F_JSON_OBJECT_FIELD_TEXT, NO_JSON},
	{F_JSON_ARRAY_ELEMENT, NO_JSON},
	{F_JSON_ARRAY_ELEMENT_TEXT, NO_JSON},
	{F_JSON_EXTRACT_PATH, NO_JSON},
	{F_JSON_EXTRACT_PATH_TEXT, NO_JSON},
	{F_ARRAY_EQ, ELEMENT},
	{F_ARRAY_NE, ELEMENT},
	{F_ARRAYCONTAINED, ELEMENT},
	{F_ARRAY_POSITION_ANYCOMPATIBLEARRAY_ANYCOMPATIBLE, ELEMENT},
	{F_ARRAY_TO_STRING_ANYARRAY_TEXT, ELEMENT},
	{F_ARRAYCONTAINS, ELEMENTS},
	{F_ARRAYOVERLAP, ELEMENTS},
	{F_TO_CHAR_INT4_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_INT8_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_FLOAT4_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_FLOAT8_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_NUMERIC_TEXT, NUMBER_AS_TEXT},
	{F_TO_TIMESTAMP_TEXT_TEXT, TEXT_AS_TIME},
	{F_TO_DATE, TEXT_AS_TIME},
	{F_FORMAT_TEXT_ANY, JOINED_WITH},
	{F_FORMAT_TEXT, JOINED_WITH},
	{F_CONCAT, JOINED_WITH},
	{F_CONCAT_WS, JOINED_WITH},
	{F_REPLACE, PARTS},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT, PARTS},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT_TEXT, PARTS},
	{F_SUBSTRING_TEXT_TEXT, PARTS},
	{F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP, OVERLAP},
	{F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ, OVERLAP},
};

const char *
gaussdp_nearest_form(Oid function)
{
	for (size_t i = 0; i < lengthof(nearest); i++)
		if (nearest[i].function == function)
			return nearest[i].form;
	return NULL;
}
