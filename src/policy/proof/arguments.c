/*
 * arguments.c
 *		What the reviewed list of functions may ask of an argument.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

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

bool
gaussdp_is_date_format(const Const *constant)
{
	if (constant == NULL || constant->consttype != TEXTOID)
		return false;
	if (constant->constisnull)
		return true;
	for (const char *p = TextDatumGetCString(constant->constvalue); *p != '\0'; p++)
		if (pg_strncasecmp(p, "TM", 2) ==
			0) /* names by lc_time, whose locale is loaded when they are asked for */
			return false;
	/* What is wrong with a format is an error here, before any row; its parsed form is kept from here on. */
	(void) DirectFunctionCall2Coll(timestamp_to_char, DEFAULT_COLLATION_OID, TimestampGetDatum(0),
								   constant->constvalue);
	return true;
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

/* What is put together of so many short texts and calls is together much less than PostgreSQL's 1 GB, also in letters that take three times the room. */
#define MOST_NODES 400

static bool is_short(Node *node, int *nodes);

static bool
all_are_short(List *list, int *nodes)
{
	ListCell *lc;

	foreach (lc, list)
		if (!is_short(lfirst(lc), nodes))
			return false;
	return true;
}

/* Functions of a text whose result is at most as long as their first argument, but for other letters. */
static bool
call_is_short(Oid function, List *args, int *nodes)
{
	switch (function)
	{
		case F_TEXTCAT:
			return all_are_short(args, nodes);
		case F_LOWER_TEXT:
		case F_UPPER_TEXT:
		case F_INITCAP:
		case F_BTRIM_TEXT:
		case F_LTRIM_TEXT:
		case F_RTRIM_TEXT:
		case F_TEXT_BPCHAR:
			return is_short(linitial(args), nodes);
		case F_LEFT:
		case F_RIGHT:
		{
			const Const *length = gaussdp_constant_argument(args, 1);

			/* left(x, -3) is all but three letters */
			return is_short(linitial(args), nodes) ||
				   (length != NULL && !length->constisnull &&
					DatumGetInt32(length->constvalue) >= 0 &&
					DatumGetInt32(length->constvalue) <= GAUSSDP_MAX_VALUE_SIZE / 4);
		}
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return gaussdp_constant_argument(args, 1) != NULL;
		default:
			return false;
	}
}

/* varchar(10) and char(10); the typmods of other tables than the level's have been forgotten by now. */
static bool
column_is_short(const Var *column)
{
	return (column->vartype == VARCHAROID || column->vartype == BPCHAROID) &&
		   column->vartypmod >= (int32) VARHDRSZ &&
		   column->vartypmod - VARHDRSZ <= GAUSSDP_MAX_VALUE_SIZE / 4;
}

static bool
is_short(Node *node, int *nodes)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (++*nodes > MOST_NODES)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind == PARAM_EXTERN;
		case T_Var:
			return column_is_short((Var *) node);
		case T_RelabelType:
			return is_short((Node *) ((RelabelType *) node)->arg, nodes);
		case T_CollateExpr:
			return is_short((Node *) ((CollateExpr *) node)->arg, nodes);
		case T_CoerceViaIO:
			return gaussdp_output_is_total(exprType((Node *) ((CoerceViaIO *) node)->arg),
										   ((CoerceViaIO *) node)->resulttype);
		case T_CoalesceExpr:
			return all_are_short(((CoalesceExpr *) node)->args, nodes);
		case T_FuncExpr:
			return call_is_short(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, nodes);
		case T_OpExpr:
			return call_is_short(get_opcode(((OpExpr *) node)->opno), ((OpExpr *) node)->args,
								 nodes);
		default:
			return false;
	}
}

bool
gaussdp_are_short(List *args)
{
	int nodes = 0;

	return all_are_short(args, &nodes);
}
