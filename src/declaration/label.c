/*
 * label.c
 *		The grammar of the labels, and the provider that checks them as they are written.
 *
 * PostgreSQL itself allows SECURITY LABEL to owners only.  What is refused here is what can never
 * be true; what may become untrue later (a dropped constraint, a dropped key table) is looked at
 * again by lookup.c.  A dump restores labels before indexes and before other tables, so neither
 * may be asked for here.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "common/shortest_dec.h"
#include "mb/pg_wchar.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "declaration/declaration.h"

gaussdp_people_hook_type gaussdp_people_hook = NULL;

/* ---------------------------------------------------------------------------
 * Grammar
 * ---------------------------------------------------------------------------
 */

/* Where the parser stands. */
typedef struct Cursor
{
	const char *at;
	const char *expected; /* set by the first failure */
} Cursor;

static bool
fail(Cursor *cursor, const char *expected)
{
	if (cursor->expected == NULL)
		cursor->expected = expected;
	return false;
}

static bool
is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
		   IS_HIGHBIT_SET(c);
}

/* Skips the word if it stands here; a word that goes on is another word. */
static bool
word(Cursor *cursor, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(cursor->at, text, len) != 0)
		return false;
	if (is_word_character(text[len - 1]) && is_word_character(cursor->at[len]))
		return false;
	cursor->at += len;
	return true;
}

static bool
symbol(Cursor *cursor, char c, const char *expected)
{
	if (*cursor->at != c)
		return fail(cursor, expected);
	cursor->at++;
	return true;
}

/* An SQL identifier in lower case, or any in quotes. */
static bool
name(Cursor *cursor, char *out)
{
	bool quoted = *cursor->at == '"';
	int len = 0;

	cursor->at += quoted;
	while (quoted ? *cursor->at != '\0' : is_word_character(*cursor->at))
	{
		if (quoted && *cursor->at == '"' && *++cursor->at != '"')
		{
			quoted = false;
			break;
		}
		if (len == NAMEDATALEN - 1)
			return fail(cursor, "a name of at most 63 bytes");
		out[len++] = *cursor->at++;
	}
	out[len] = '\0';
	if (quoted)
		return fail(cursor, "a closing quote");
	return len > 0 || fail(cursor, "a name");
}

static bool
number(Cursor *cursor, double *out)
{
	char *end;

	/* What strtod takes besides plain numbers (hexadecimals, infinities) is not taken here. */
	if (strspn(cursor->at, "+-.0123456789eE") == 0)
		return fail(cursor, "a number");
	*out = strtod(cursor->at, &end);
	if (end == cursor->at || strspn(cursor->at, "+-.0123456789eE") < (size_t) (end - cursor->at))
		return fail(cursor, "a number");
	if (!isfinite(*out))
		return fail(cursor, "a finite number");
	cursor->at = end;
	return true;
}

static bool
bounds(Cursor *cursor, GaussdpLabel *label)
{
	const char *start = cursor->at;

	label->has_bounds = true;
	if (!symbol(cursor, '[', "\"[\"") || !number(cursor, &label->lower) ||
		!symbol(cursor, ',', "\",\"") || !number(cursor, &label->upper) ||
		!symbol(cursor, ']', "\"]\""))
		return false;
	if (label->lower < label->upper)
		return true;
	cursor->at = start;
	return fail(cursor, "a lower bound that is less than the upper one");
}

/* A whole number from 1 to most. */
static bool
positive(Cursor *cursor, int64 most, const char *expected, int64 *out)
{
	size_t len = strspn(cursor->at, "0123456789");

	/* 18 digits fit. */
	if (len == 0 || len > 18)
		return fail(cursor, expected);
	*out = strtoll(cursor->at, NULL, 10);
	if (*out < 1 || *out > most)
		return fail(cursor, expected);
	cursor->at += len;
	return true;
}

/* TABLE(COLUMN) */
static bool
place(Cursor *cursor, char *schema, char *table, char *column)
{
	return name(cursor, schema) && symbol(cursor, '.', "\".\"") && name(cursor, table) &&
		   symbol(cursor, '(', "\"(\"") && name(cursor, column) && symbol(cursor, ')', "\")\"");
}

static bool
keys(Cursor *cursor, GaussdpLabel *label)
{
	label->has_keys = true;
	return place(cursor, label->key_schema, label->key_table, label->key_column);
}

static bool
path(Cursor *cursor, GaussdpLabel *label)
{
	label->has_path = true;
	return place(cursor, label->via_schema, label->via_table, label->via_column);
}

/* Between items there is one space, at the end there is nothing. */
static bool
next_item(Cursor *cursor)
{
	if (*cursor->at != ' ')
		return false;
	cursor->at++;
	return true;
}

static bool
table_label(Cursor *cursor, GaussdpLabel *label)
{
	label->is_protected = word(cursor, "protected");
	if (!label->is_protected)
		return fail(cursor, "\"protected\"");
	if (!next_item(cursor))
		return true;
	if (word(cursor, "max_rows="))
	{
		if (word(cursor, "found"))
			label->max_rows = GAUSSDP_FOUND_ROWS;
		else if (!positive(cursor, GAUSSDP_MOST_ROWS,
						   "a whole number from 1 to 4294967296, or \"found\"", &label->max_rows))
			return false;
		if (!next_item(cursor))
			return true;
	}
	if (word(cursor, "max_groups="))
	{
		if (!positive(cursor, GAUSSDP_MOST_GROUPS, "a whole number from 1 to 1048576",
					  &label->max_groups))
			return false;
		if (!next_item(cursor))
			return true;
	}
	if (word(cursor, "via="))
		return path(cursor, label);
	return word(cursor, "people=")
			   ? name(cursor, label->people)
			   : fail(cursor, "\"max_rows=\", \"max_groups=\", \"people=\" or \"via=\"");
}

static bool
column_label(Cursor *cursor, GaussdpLabel *label)
{
	if (word(cursor, "unit"))
	{
		label->is_unit = true;
		if (!next_item(cursor))
			return true;
	}
	if (word(cursor, "references="))
	{
		if (!name(cursor, label->references))
			return false;
		if (!next_item(cursor))
			return true;
	}
	if (word(cursor, "bounds="))
	{
		if (!bounds(cursor, label))
			return false;
		if (!next_item(cursor))
			return true;
	}
	if (word(cursor, "keys="))
	{
		if (!keys(cursor, label))
			return false;
		if (!next_item(cursor))
			return true;
	}
	label->is_hidden = word(cursor, "hidden");
	return label->is_hidden ||
		   fail(cursor, "\"unit\", \"references=\", \"bounds=\", \"keys=\" or \"hidden\"");
}

const char *
gaussdp_label_parse(const char *text, bool is_column, GaussdpLabel *label, int *position)
{
	Cursor cursor = {.at = text};

	memset(label, 0, sizeof(*label));
	label->max_rows = 1;
	label->max_groups = GAUSSDP_DEFAULT_GROUPS;
	if ((is_column ? column_label(&cursor, label) : table_label(&cursor, label)) &&
		*cursor.at != '\0')
		fail(&cursor, "the end of the label");
	*position = pg_mbstrlen_with_len(text, cursor.at - text) + 1;
	return cursor.expected;
}

/* All digits that tell a number from others, whatever the session's extra_float_digits is: it is stored. */
static void
append_number(StringInfo buf, double x)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(x, digits);
	appendStringInfoString(buf, digits);
}

static void
append_items(StringInfo buf, const GaussdpLabel *label, bool is_column)
{
	if (!is_column && label->is_protected)
	{
		appendStringInfoString(buf, " protected");
		if (label->max_rows == GAUSSDP_FOUND_ROWS)
			appendStringInfoString(buf, " max_rows=found");
		else if (label->max_rows != 1)
			appendStringInfo(buf, " max_rows=" INT64_FORMAT, label->max_rows);
		if (label->max_groups != GAUSSDP_DEFAULT_GROUPS)
			appendStringInfo(buf, " max_groups=" INT64_FORMAT, label->max_groups);
		if (label->people[0] != '\0')
			appendStringInfo(buf, " people=%s", quote_identifier(label->people));
		if (label->has_path)
			appendStringInfo(buf, " via=%s.%s(%s)", quote_identifier(label->via_schema),
							 quote_identifier(label->via_table),
							 quote_identifier(label->via_column));
	}
	if (is_column && label->is_unit)
		appendStringInfoString(buf, " unit");
	if (is_column && label->references[0] != '\0')
		appendStringInfo(buf, " references=%s", quote_identifier(label->references));
	if (is_column && label->has_bounds)
	{
		appendStringInfoString(buf, " bounds=[");
		append_number(buf, label->lower);
		appendStringInfoChar(buf, ',');
		append_number(buf, label->upper);
		appendStringInfoChar(buf, ']');
	}
	if (is_column && label->has_keys)
		appendStringInfo(buf, " keys=%s.%s(%s)", quote_identifier(label->key_schema),
						 quote_identifier(label->key_table), quote_identifier(label->key_column));
	if (is_column && label->is_hidden)
		appendStringInfoString(buf, " hidden");
}

/* Names are quoted where they must be, and nowhere else, so that a label is the same text in all sessions. */
char *
gaussdp_label_format(const GaussdpLabel *label, bool is_column)
{
	StringInfoData buf;
	int nest = NewGUCNestLevel();

	(void) set_config_option("quote_all_identifiers", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	initStringInfo(&buf);
	append_items(&buf, label, is_column);
	AtEOXact_GUC(true, nest);
	return buf.len > 0 ? buf.data + 1 : NULL;
}

/* ---------------------------------------------------------------------------
 * Checks against the catalog
 * ---------------------------------------------------------------------------
 */

const char *
gaussdp_bounds_problem(Oid type, double lower, double upper)
{
	double most;

	switch (getBaseType(type))
	{
		case INT2OID:
			most = PG_INT16_MAX;
			break;
		case INT4OID:
			most = PG_INT32_MAX;
			break;
		case INT8OID:
			most = 0x1p63;
			break;
		case FLOAT4OID:
			most = FLT_MAX;
			break;
		case FLOAT8OID:
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
		case CASHOID:
			most = DBL_MAX;
			break;
		default:
			return "Only columns of numbers, dates, times, timestamps, intervals and money can have bounds.";
	}
	if (!(lower >= -most - 1 && upper <= most))
		return "The bounds lie beyond the range of the column's type.";
	return NULL;
}

static void
refuse(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid declaration"),
					errdetail("%s", detail)));
}

static void
check_column(const ObjectAddress *object, const GaussdpLabel *label)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(object->objectId),
									  Int16GetDatum(object->objectSubId));
	Form_pg_attribute attribute;
	const char *problem;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", object->objectSubId,
			 object->objectId);
	attribute = (Form_pg_attribute) GETSTRUCT(tuple);
	if (object->objectSubId < 0)
		refuse("System columns cannot be declared.");
	if ((label->is_unit || label->references[0] != '\0') && label->is_hidden)
		refuse("The unit column cannot be hidden: queries join by it.");
	if (label->is_unit && label->references[0] != '\0')
		refuse("What the unit column refers to is said of the table.");
	if (label->has_bounds)
	{
		problem = gaussdp_bounds_problem(attribute->atttypid, label->lower, label->upper);
		if (problem)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid bounds for column \"%s\" of type %s",
							NameStr(attribute->attname), format_type_be(attribute->atttypid)),
					 errdetail_internal("%s", problem)));
	}
	ReleaseSysCache(tuple);
}

/*
 * All plans and caches that rest on a label learn that it changes: its relation's and those of the
 * partitions that inherit it.
 */
static void
invalidate(Oid relid)
{
	ListCell *lc;

	foreach (lc, find_all_inheritors(relid, NoLock, NULL))
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(lfirst_oid(lc))))
			CacheInvalidateRelcacheByRelid(lfirst_oid(lc));
}

/* Tells who hangs on populations that a table's label changes.  A table with a path puts itself into none. */
static void
tell_people(Oid relid, const GaussdpLabel *label)
{
	GaussdpTable before;
	bool is_declared = gaussdp_table(relid, &before) && before.relid == relid && !before.has_path;

	if (gaussdp_people_hook != NULL)
		gaussdp_people_hook(relid, is_declared ? before.people : NULL,
							label && !label->has_path ? label->people : NULL);
}

/* Called by SECURITY LABEL before it stores a label, or removes one (seclabel NULL). */
static void
check_label(const ObjectAddress *object, const char *seclabel)
{
	GaussdpLabel label;
	const char *expected;
	int position;
	char relkind;

	if (object->classId != RelationRelationId)
		refuse("Only tables and their columns can be declared.");
	relkind = get_rel_relkind(object->objectId);
	if (seclabel != NULL)
	{
		if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
			refuse("Only tables and their columns can be declared.");
		/* The ledger would have to remember what is gone with the session. */
		if (get_rel_persistence(object->objectId) == RELPERSISTENCE_TEMP)
			refuse(
				"Temporary tables cannot be declared: what is declared must outlive the session.");
		expected = gaussdp_label_parse(seclabel, object->objectSubId != 0, &label, &position);
		if (expected)
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("invalid security label"),
							errdetail("Expected %s at character %d.", expected, position)));
		if (object->objectSubId != 0)
			check_column(object, &label);
	}
	if (object->objectSubId == 0)
		tell_people(object->objectId, seclabel ? &label : NULL);
	invalidate(object->objectId);
}

void
gaussdp_declaration_init(void)
{
	register_label_provider("gaussdp", check_label);
	gaussdp_lookup_init();
}
