/*
 * functions.c
 *		What the SQL functions and views of the schema gaussdp need of the declarations.
 *
 * Reads label.c and lookup.c.  Nothing here writes: labels are written by SECURITY LABEL, with the
 * rights of whoever calls.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "declaration/declaration.h"

PG_FUNCTION_INFO_V1(gaussdp_label);
PG_FUNCTION_INFO_V1(gaussdp_table_declaration);
PG_FUNCTION_INFO_V1(gaussdp_column_declaration);

/* gaussdp_internal.warn(what, detail, hint) */
PG_FUNCTION_INFO_V1(gaussdp_warn);
Datum
gaussdp_warn(PG_FUNCTION_ARGS)
{
	ereport(WARNING, (errmsg("%s", text_to_cstring(PG_GETARG_TEXT_PP(0))),
					  errdetail("%s", text_to_cstring(PG_GETARG_TEXT_PP(1))),
					  errhint("%s", text_to_cstring(PG_GETARG_TEXT_PP(2))), errhidecontext(true)));
	PG_RETURN_VOID();
}

static void
copy_name(char *to, FunctionCallInfo fcinfo, int arg)
{
	char *value = PG_ARGISNULL(arg) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(arg));

	if (strlen(value) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("name \"%s\" is too long", value),
						errdetail("Names have at most %d bytes.", NAMEDATALEN - 1)));
	strlcpy(to, value, NAMEDATALEN);
}

/*
 * gaussdp.label(existing text, item text, variadic-like values): the label of a table or column with one item changed.
 *		label(text, 'protected', people, NULL, NULL, max_rows, max_groups => max_groups)
 *		label(text, 'protected via', schema, table, column, max_rows, max_groups => max_groups)
 *		label(text, 'limits', NULL, NULL, NULL, max_rows, max_groups => max_groups): the rest as it is, and so are these where they are NULL
 *		label(text, 'unit' | 'no unit' | 'no references' | 'no bounds' | 'no keys' | 'hidden' | 'not hidden')
 *		label(text, 'references', column)
 *		label(text, 'bounds', NULL, NULL, NULL, NULL, lower, upper)
 *		label(text, 'keys', schema, table, column)
 */
Datum
gaussdp_label(PG_FUNCTION_ARGS)
{
	char *item = PG_ARGISNULL(1) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool has_path = strcmp(item, "protected via") == 0;
	bool is_protected = has_path || strcmp(item, "protected") == 0;
	bool is_column = !is_protected && strcmp(item, "limits") != 0;
	GaussdpLabel label = {.max_rows = 1, .max_groups = GAUSSDP_DEFAULT_GROUPS};
	int position;
	char *result;

	if (!PG_ARGISNULL(0) &&
		gaussdp_label_parse(text_to_cstring(PG_GETARG_TEXT_PP(0)), is_column, &label, &position))
		/* damaged: begin anew */
		label = (GaussdpLabel){.max_rows = 1, .max_groups = GAUSSDP_DEFAULT_GROUPS};
	if (!is_column)
	{
		label.is_protected = true;
		if (!PG_ARGISNULL(5))
			label.max_rows = PG_GETARG_INT64(5);
		if (!PG_ARGISNULL(8))
			label.max_groups = PG_GETARG_INT64(8);
	}
	if (is_protected)
	{
		label.has_path = has_path;
		label.people[0] = '\0';
		copy_name(has_path ? label.via_schema : label.people, fcinfo, 2);
		copy_name(label.via_table, fcinfo, 3);
		copy_name(label.via_column, fcinfo, 4);
	}
	else if (strcmp(item, "keys") == 0)
	{
		label.has_keys = true;
		copy_name(label.key_schema, fcinfo, 2);
		copy_name(label.key_table, fcinfo, 3);
		copy_name(label.key_column, fcinfo, 4);
	}
	else if (strcmp(item, "bounds") == 0)
	{
		label.has_bounds = true;
		label.lower = PG_ARGISNULL(6) ? 0 : PG_GETARG_FLOAT8(6);
		label.upper = PG_ARGISNULL(7) ? 0 : PG_GETARG_FLOAT8(7);
	}
	else if (strcmp(item, "unit") == 0)
		label.is_unit = true;
	else if (strcmp(item, "no unit") == 0)
		label.is_unit = false;
	else if (strcmp(item, "references") == 0)
		copy_name(label.references, fcinfo, 2);
	else if (strcmp(item, "no references") == 0)
		label.references[0] = '\0';
	else if (strcmp(item, "no bounds") == 0)
		label.has_bounds = false;
	else if (strcmp(item, "no keys") == 0)
		label.has_keys = false;
	else if (strcmp(item, "hidden") == 0)
		label.is_hidden = true;
	else if (strcmp(item, "not hidden") == 0)
		label.is_hidden = false;
	else if (is_column)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is not an item of a label", item)));
	result = gaussdp_label_format(&label, is_column);
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(result));
}

/* The names of columns beside the unit that name a row of the table above, or of those of that table, as name[]. */
static Datum
further_keys(Oid relation, const GaussdpTable *table, bool is_above)
{
	Datum names[GAUSSDP_MOST_PATH_KEYS];

	for (int i = 1; i < table->nkeys; i++)
		names[i - 1] = DirectFunctionCall1(
			namein,
			CStringGetDatum(get_attname(
				relation, is_above ? table->keys[i].via_column : table->keys[i].column, false)));
	return PointerGetDatum(
		construct_array(names, table->nkeys - 1, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/*
 * gaussdp.table_declaration(regclass, OUT declared_on, OUT unit, OUT max_rows, OUT max_groups, OUT people, OUT problem,
 * OUT via, OUT via_column, OUT also, OUT via_also)
 */
Datum
gaussdp_table_declaration(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	GaussdpTable table;
	Datum values[10] = {0};
	bool nulls[10] = {false, true, false, false, true, true, true, true, true, true};
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "table_declaration must return a row");
	if (!gaussdp_table(relid, &table))
		PG_RETURN_NULL();
	values[0] = ObjectIdGetDatum(table.relid);
	if (table.unit != InvalidAttrNumber)
	{
		values[1] = CStringGetTextDatum(get_attname(relid, table.unit, false));
		nulls[1] = false;
	}
	values[2] = Int64GetDatum(table.max_rows);
	values[3] = Int64GetDatum(table.max_groups);
	if (table.people[0] != '\0')
	{
		values[4] = CStringGetTextDatum(table.people);
		nulls[4] = false;
	}
	if (!table.usable)
	{
		values[5] = CStringGetTextDatum(table.problem);
		nulls[5] = false;
	}
	if (OidIsValid(table.via))
	{
		values[6] = ObjectIdGetDatum(table.via);
		values[7] = CStringGetTextDatum(get_attname(table.via, table.keys[0].via_column, false));
		nulls[6] = nulls[7] = false;
	}
	if (table.nkeys > 1)
	{
		values[8] = further_keys(relid, &table, false);
		values[9] = further_keys(table.via, &table, true);
		nulls[8] = nulls[9] = false;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/* gaussdp.column_declaration(regclass, int2, OUT lower, OUT upper, OUT key_table, OUT key_column, OUT is_hidden) */
Datum
gaussdp_column_declaration(PG_FUNCTION_ARGS)
{
	GaussdpColumn column;
	Datum values[5] = {0};
	bool nulls[5] = {false};
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "column_declaration must return a row");
	if (!gaussdp_column(PG_GETARG_OID(0), PG_GETARG_INT16(1), &column))
		PG_RETURN_NULL();
	nulls[0] = nulls[1] = !column.has_bounds;
	nulls[2] = nulls[3] = !OidIsValid(column.key_table);
	values[0] = Float8GetDatum(column.lower);
	values[1] = Float8GetDatum(column.upper);
	values[2] = ObjectIdGetDatum(column.key_table);
	values[4] = BoolGetDatum(column.is_hidden);
	if (!nulls[3])
		values[3] = CStringGetTextDatum(get_attname(column.key_table, column.key_column, false));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
