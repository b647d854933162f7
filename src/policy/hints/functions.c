/*
 * functions.c
 *		The nearest legal form of functions that are not legal on rows.
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
#define SHIFT                                                                                      \
	"Add a constant of at most 36525 days or 1200 months, or compare a difference, x - y < 30."
#define PATTERN "Write LIKE or ILIKE with a constant pattern, or starts_with()."
#define BIN                                                                                        \
	"Give it a constant stride of at most 36525 days, without months, and a constant origin: "     \
	"date_bin('15 minutes', x, '2000-01-01')."
#define OTHER_CASE                                                                                         \
	"Write lower(x COLLATE \"C\"), for the letters of ASCII, of a short text: left(x, 1000), a column of " \
	"type varchar(n)."
#define OTHER_CASE_PATTERN                                                                         \
	"Write x COLLATE \"C\" ILIKE 'y%', for the letters of ASCII, of a short text and with a "      \
	"constant pattern of at most 100 %: left(x, 1000)."
#define PART "Take fewer letters of the text: left(x, 1000)."
#define DOCUMENT                                                                                   \
	"Compare with a constant in whose arrays there are no arrays and objects, or take a field by " \
	"itself: data -> 'key', data ->> 'key'."
#define JOINED_TEXT                                                                                 \
	"Put short texts together: columns of type varchar(n), left(x, 100), constants; or do it in a " \
	"query around this one (WITH)."
#define JOINED_WITH                                                                                \
	"Write x || y, of short texts: left(x, 100), columns of type varchar(n), constants."
#define OVERLAP "Write the condition out: x <= last AND y >= first."
#define WHOLE "Bound the number first: least(greatest(x, 0), 1000), or compare it as it is."

#define FIELD                                                                                      \
	"Take one field after the other, data -> 'key' ->> 'key', as text, or write data @> "          \
	"'{\"key\": 5}'."
#define PATH                                                                                       \
	"Write a constant path with at most two numbers in it, data #>> '{key,0}', or take one field " \
	"after the other: data -> 'key' ->> 'key'."
#define KEYS "Write data ? 'key', one for each key, with OR or AND between them."
#define FIELD_AS_NUMBER                                                                            \
	"Compare a field's text, data ->> 'key' = '5', or write data @> '{\"key\": 5}'; for sums and " \
	"ranges ask the owner for a column of the type."
#define RANGE "Write out its ends: x >= low AND x < high."
#define ELEMENT                                                                                    \
	"Compare with a constant of at most 20 elements without NULL, tags = '{x,y}', or write 'x' = " \
	"ANY (tags) or tags[1] = 'x'."
#define NUMBER_AS_TEXT                                                                             \
	"Write x::text, or do it on the released value, in a query around this one (WITH)."
#define TEXT_AS_TIME                                                                               \
	"Compare the text, which sorts as the days do where it is written year first, or ask the "     \
	"owner for a column of the type."
#define LENGTH                                                                                     \
	"Compare it as it is, x > interval '1 day', or take its length as a number: "                  \
	"extract(epoch FROM x) / 86400."

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
	{F_LOWER_TEXT, OTHER_CASE},
	{F_UPPER_TEXT, OTHER_CASE},
	{F_INITCAP, OTHER_CASE},
	{F_TEXTICLIKE, OTHER_CASE_PATTERN},
	{F_TEXTICNLIKE, OTHER_CASE_PATTERN},
	{F_BTRIM_TEXT, PART},
	{F_LTRIM_TEXT, PART},
	{F_RTRIM_TEXT, PART},
	{F_LEFT, PART},
	{F_RIGHT, PART},
	{F_SUBSTR_TEXT_INT4, PART},
	{F_SUBSTRING_TEXT_INT4, PART},
	{F_AGE_TIMESTAMP, TODAY},
	{F_AGE_TIMESTAMPTZ, TODAY},
	{F_DATE_PLI, SHIFT},
	{F_DATE_MII, SHIFT},
	{F_DATE_PL_INTERVAL, SHIFT},
	{F_DATE_MI_INTERVAL, SHIFT},
	{F_TIMESTAMP_PL_INTERVAL, SHIFT},
	{F_TIMESTAMP_MI_INTERVAL, SHIFT},
	{F_TIMESTAMPTZ_PL_INTERVAL, SHIFT},
	{F_TIMESTAMPTZ_MI_INTERVAL, SHIFT},
	{F_DATE_PART_TEXT_DATE, "Write extract(year FROM x)."},
	{F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, BIN},
	{F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, BIN},
	{F_TEXTREGEXEQ, PATTERN},
	{F_TEXTREGEXNE, PATTERN},
	{F_TEXTICREGEXEQ, PATTERN},
	{F_TEXTICREGEXNE, PATTERN},
	{F_JSONB_OBJECT_FIELD_TEXT, DOCUMENT},
	{F_JSONB_ARRAY_ELEMENT_TEXT, DOCUMENT},
	{F_JSONB_EQ,
	 "Compare a field's text: data ->> 'key' = 'x', or write data @> '{\"key\": \"x\"}'."},
	{F_JSONB_CONTAINS, DOCUMENT},
	{F_JSONB_NE, "Write NOT, and compare a field's text: NOT data ->> 'key' = 'x'."},
	{F_JSONB_LT, FIELD_AS_NUMBER},
	{F_JSONB_GT, FIELD_AS_NUMBER},
	{F_JSONB_LE, FIELD_AS_NUMBER},
	{F_JSONB_GE, FIELD_AS_NUMBER},
	{F_BOOL_JSONB, FIELD_AS_NUMBER},
	{F_NUMERIC_JSONB, FIELD_AS_NUMBER},
	{F_INT2_JSONB, FIELD_AS_NUMBER},
	{F_INT4_JSONB, FIELD_AS_NUMBER},
	{F_INT8_JSONB, FIELD_AS_NUMBER},
	{F_FLOAT4_JSONB, FIELD_AS_NUMBER},
	{F_FLOAT8_JSONB, FIELD_AS_NUMBER},
	{F_JSONB_EXTRACT_PATH, PATH},
	{F_JSONB_EXTRACT_PATH_TEXT, PATH},
	{F_JSONB_PATH_EXISTS_OPR, FIELD},
	{F_JSONB_PATH_MATCH_OPR, FIELD},
	{F_JSONB_CONTAINED, DOCUMENT},
	{F_JSONB_ARRAY_LENGTH, FIELD},
	{F_JSONB_EXISTS_ANY, KEYS},
	{F_JSONB_EXISTS_ALL, KEYS},
	{F_ARRAY_EQ, ELEMENT},
	{F_ARRAY_NE, ELEMENT},
	{F_ARRAYCONTAINED, ELEMENT},
	{F_ARRAY_POSITION_ANYCOMPATIBLEARRAY_ANYCOMPATIBLE, ELEMENT},
	{F_ARRAY_TO_STRING_ANYARRAY_TEXT, ELEMENT},
	{F_RANGE_CONTAINS_ELEM, RANGE},
	{F_ELEM_CONTAINED_BY_RANGE, RANGE},
	{F_RANGE_OVERLAPS, OVERLAP},
	{F_TO_CHAR_INT4_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_INT8_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_FLOAT4_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_FLOAT8_TEXT, NUMBER_AS_TEXT},
	{F_TO_CHAR_NUMERIC_TEXT, NUMBER_AS_TEXT},
	{F_TO_DATE, TEXT_AS_TIME},
	{F_TO_TIMESTAMP_TEXT_TEXT, TEXT_AS_TIME},
	{F_TO_TIMESTAMP_FLOAT8, "Compare the seconds: x > extract(epoch FROM now())."},
	{F_DATE_TIMESTAMPTZ,
	 "Leave out the cast, or do it on the released key, in a query around this one (WITH)."},
	{F_JUSTIFY_DAYS, LENGTH},
	{F_JUSTIFY_HOURS, LENGTH},
	{F_JUSTIFY_INTERVAL, LENGTH},
	{F_INTERVAL_DIV, LENGTH},
	{F_INTERVAL_MUL, LENGTH},
	{F_EXTRACT_TEXT_INTERVAL, "Name the unit in the singular: extract(day FROM x)."},
	{F_EXTRACT_TEXT_DATE, "Name another unit: extract(epoch FROM x)."},
	{F_EXTRACT_TEXT_TIMESTAMP,
	 "Name the unit in the singular, other than julian: extract(epoch FROM x)."},
	{F_EXTRACT_TEXT_TIMESTAMPTZ,
	 "Name the unit in the singular, other than julian: extract(epoch FROM x)."},
	{F_FORMAT_TEXT_ANY, JOINED_WITH},
	{F_FORMAT_TEXT, JOINED_WITH},
	{F_ARRAYCONTAINS,
	 "Compare with a constant of at most 20 elements without NULL, tags @> '{x,y}', or write 'x' = ANY (tags), with AND between them."},
	{F_ARRAYOVERLAP,
	 "Compare with a constant of at most 20 elements without NULL, tags && '{x,y}', or write 'x' = ANY (tags), with OR between them."},
	{F_REPLACE, PARTS},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT, PARTS},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT_TEXT, PARTS},
	{F_SUBSTRING_TEXT_TEXT, PARTS},
	{F_MAKE_DATE, "Write date_trunc('year', x)::date, of the date that its parts are from."},
	{F_DATE_PART_TEXT_INTERVAL, "Write extract(year FROM x)."},
	{F_TEXTCAT, JOINED_TEXT},
	{F_TEXTANYCAT, "Cast to text: x || n::text."},
	{F_ANYTEXTCAT, "Cast to text: n::text || x."},
	{F_CONCAT, JOINED_WITH},
	{F_CONCAT_WS, JOINED_WITH},
	{F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP, OVERLAP},
	{F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ, OVERLAP},
	{F_INT2_NUMERIC, WHOLE},
	{F_INT4_NUMERIC, WHOLE},
	{F_INT8_NUMERIC, WHOLE},
};

const char *
gaussdp_nearest_form(Oid function)
{
	for (size_t i = 0; i < lengthof(nearest); i++)
		if (nearest[i].function == function)
			return nearest[i].form;
	return NULL;
}
