/*
 * functions.c
 *		Which functions may see a row of a protected table: the reviewed list.
 *
 * Three ways lead in: PostgreSQL's own functions that it marks LEAKPROOF, those of the list below,
 * and functions that a superuser has marked LEAKPROOF and owns (only superusers can, and the mark
 * means just what is needed: no side effect, nothing told but by the result) and whose names no caller
 * can bend.  None may be volatile and none may return a set.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "policy/proof/arguments.h"
#include "policy/proof/documents.h"
#include "policy/proof/functions.h"
#include "policy/proof/width.h"

/* What must hold of a call beyond the name of its function. */
typedef enum Condition
{
	ALWAYS,                    /* total on every value */
	NEVER,                     /* PostgreSQL marks it leakproof, and yet it can fail */
	CONSTANT_PATTERN_OF_CASES, /* that, and CASES_OF_SHORT */
	CONSTANT_PATTERN,          /* second argument: a constant LIKE pattern that is well formed */
	SHORT_RESULT,              /* the result is short: width.h */
	PLAIN_FIELD,      /* first argument: guarded against fields that are documents themselves */
	FLAT_DOCUMENT,    /* second argument: a constant without arrays of arrays or objects */
	NUMBER_OF_PART,   /* third argument: a constant other than 0; SETTLED_SEARCH, SHORT_RESULT */
	SUBSTRING_LENGTH, /* third argument: a constant length that is not negative; SHORT_RESULT */
	SHORT_TEXT,       /* first argument: short */
	CASES_OF_SHORT,   /* that, and its letters have other cases by the collation */
	SETTLED_SEARCH    /* text is searched by a deterministic collation */
} Condition;

typedef struct Reviewed
{
	Oid function;
	Condition condition;
} Reviewed;

/* Sorted into paragraphs by the reason why they are total; order has no meaning. */
static const Reviewed reviewed[] = {
	/* numeric: comparison has an order for NaN and the infinities, and allocates nothing */
	{F_NUMERIC_EQ, ALWAYS},
	{F_NUMERIC_NE, ALWAYS},
	{F_NUMERIC_LT, ALWAYS},
	{F_NUMERIC_LE, ALWAYS},
	{F_NUMERIC_GT, ALWAYS},
	{F_NUMERIC_GE, ALWAYS},
	{F_NUMERIC_CMP, ALWAYS},
	/* an integer has few digits; a double at most 15, an exponent, or is one of the values that numeric has, too */
	{F_NUMERIC_INT2, ALWAYS},
	{F_NUMERIC_INT4, ALWAYS},
	{F_NUMERIC_INT8, ALWAYS},
	{F_NUMERIC_FLOAT4, ALWAYS},
	{F_NUMERIC_FLOAT8, ALWAYS},
	/* sign and size alone: no digit is added, so nothing overflows */
	{F_NUMERIC_ABS, ALWAYS},
	{F_ABS_NUMERIC, ALWAYS},
	{F_NUMERIC_UMINUS, ALWAYS},
	{F_SIGN_NUMERIC, ALWAYS},
	{F_TRIM_SCALE, ALWAYS},
	{F_FLOAT4ABS, ALWAYS},
	{F_FLOAT8ABS, ALWAYS},
	{F_ABS_FLOAT4, ALWAYS},
	{F_ABS_FLOAT8, ALWAYS},
	{F_FLOAT4UM, ALWAYS},
	{F_FLOAT8UM, ALWAYS},
	{F_SIGN_FLOAT8, ALWAYS},
	/* rounding of a double: the result is a double of at most the next magnitude, never an error */
	{F_CEIL_FLOAT8, ALWAYS},
	{F_CEILING_FLOAT8, ALWAYS},
	{F_FLOOR_FLOAT8, ALWAYS},
	{F_ROUND_FLOAT8, ALWAYS},
	{F_TRUNC_FLOAT8, ALWAYS},
	/* bitwise: every pattern of bits is a result */
	{F_INT2AND, ALWAYS},
	{F_INT2OR, ALWAYS},
	{F_INT2XOR, ALWAYS},
	{F_INT2NOT, ALWAYS},
	{F_INT4AND, ALWAYS},
	{F_INT4OR, ALWAYS},
	{F_INT4XOR, ALWAYS},
	{F_INT4NOT, ALWAYS},
	{F_INT8AND, ALWAYS},
	{F_INT8OR, ALWAYS},
	{F_INT8XOR, ALWAYS},
	{F_INT8NOT, ALWAYS},
	/* text: memory for letters is a multiple of the text; strings are valid in their encoding */
	{F_LOWER_TEXT, CASES_OF_SHORT},
	{F_UPPER_TEXT, CASES_OF_SHORT},
	{F_INITCAP, CASES_OF_SHORT},
	{F_BTRIM_TEXT, SHORT_TEXT},
	{F_LTRIM_TEXT, SHORT_TEXT},
	{F_RTRIM_TEXT, SHORT_TEXT},
	{F_TEXTCAT, SHORT_RESULT},
	{F_LEFT, SHORT_RESULT},
	{F_RIGHT, SHORT_RESULT},
	/* a look at a text, or a copy of it */
	{F_LENGTH_TEXT, ALWAYS},
	{F_CHAR_LENGTH_TEXT, ALWAYS},
	{F_CHARACTER_LENGTH_TEXT, ALWAYS},
	{F_OCTET_LENGTH_TEXT, ALWAYS},
	{F_LENGTH_BPCHAR, ALWAYS},
	{F_TEXT_BPCHAR, ALWAYS},
	{F_TEXT_BOOL, ALWAYS},
	/* what a document does not have is NULL; as text, a field that is a document may be longer than 1 GB */
	{F_JSONB_OBJECT_FIELD, ALWAYS},
	{F_JSONB_ARRAY_ELEMENT, ALWAYS},
	{F_JSONB_OBJECT_FIELD_TEXT, PLAIN_FIELD},
	{F_JSONB_ARRAY_ELEMENT_TEXT, PLAIN_FIELD},
	{F_JSONB_TYPEOF, ALWAYS},
	{F_JSONB_EXISTS, ALWAYS},
	/* an array knows its size */
	{F_ARRAY_LENGTH, ALWAYS},
	{F_CARDINALITY, ALWAYS},
	/* looking for documents inside of an array takes memory for all its elements at once */
	{F_JSONB_CONTAINS, FLAT_DOCUMENT},
	/* LIKE fails for a pattern that ends in its escape and for nondeterministic collations only */
	{F_TEXTLIKE, CONSTANT_PATTERN},
	{F_TEXTNLIKE, CONSTANT_PATTERN},
	{F_TEXTICLIKE, CONSTANT_PATTERN_OF_CASES},
	{F_TEXTICNLIKE, CONSTANT_PATTERN_OF_CASES},
	{F_BPCHARLIKE, CONSTANT_PATTERN},
	{F_BPCHARNLIKE, CONSTANT_PATTERN},
	/* a substring is not longer than its string; a negative length is the only error */
	{F_SUBSTR_TEXT_INT4, SHORT_RESULT},
	{F_SUBSTRING_TEXT_INT4, SHORT_RESULT},
	{F_SUBSTR_TEXT_INT4_INT4, SUBSTRING_LENGTH},
	{F_SUBSTRING_TEXT_INT4_INT4, SUBSTRING_LENGTH},
	/* searching text fails for nondeterministic collations only */
	{F_POSITION_TEXT_TEXT, SETTLED_SEARCH},
	{F_STRPOS, SETTLED_SEARCH},
	{F_STARTS_WITH, SETTLED_SEARCH},
	{F_SPLIT_PART, NUMBER_OF_PART},
	/* areas and lengths leave the range of a double; MD5 is missing where FIPS rules */
	{F_CIRCLE_EQ, NEVER},
	{F_CIRCLE_NE, NEVER},
	{F_CIRCLE_LT, NEVER},
	{F_CIRCLE_LE, NEVER},
	{F_CIRCLE_GT, NEVER},
	{F_CIRCLE_GE, NEVER},
	{F_LSEG_LT, NEVER},
	{F_LSEG_LE, NEVER},
	{F_LSEG_GT, NEVER},
	{F_LSEG_GE, NEVER},
	/* an oidvector that was made as an array need not be one */
	{F_OIDVECTOREQ, NEVER},
	{F_OIDVECTORNE, NEVER},
	{F_OIDVECTORLT, NEVER},
	{F_OIDVECTORLE, NEVER},
	{F_OIDVECTORGT, NEVER},
	{F_OIDVECTORGE, NEVER},
	{F_BTOIDVECTORCMP, NEVER},
	{F_HASHOIDVECTOR, NEVER},
	{F_HASHOIDVECTOREXTENDED, NEVER},
	{F_MD5_TEXT, NEVER},
	{F_MD5_BYTEA, NEVER},
	/* across date types: values beyond the other type's range compare as infinities */
	{F_DATE_EQ_TIMESTAMP, ALWAYS},
	{F_DATE_NE_TIMESTAMP, ALWAYS},
	{F_DATE_LT_TIMESTAMP, ALWAYS},
	{F_DATE_LE_TIMESTAMP, ALWAYS},
	{F_DATE_GT_TIMESTAMP, ALWAYS},
	{F_DATE_GE_TIMESTAMP, ALWAYS},
	{F_DATE_EQ_TIMESTAMPTZ, ALWAYS},
	{F_DATE_NE_TIMESTAMPTZ, ALWAYS},
	{F_DATE_LT_TIMESTAMPTZ, ALWAYS},
	{F_DATE_LE_TIMESTAMPTZ, ALWAYS},
	{F_DATE_GT_TIMESTAMPTZ, ALWAYS},
	{F_DATE_GE_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_EQ_DATE, ALWAYS},
	{F_TIMESTAMP_NE_DATE, ALWAYS},
	{F_TIMESTAMP_LT_DATE, ALWAYS},
	{F_TIMESTAMP_LE_DATE, ALWAYS},
	{F_TIMESTAMP_GT_DATE, ALWAYS},
	{F_TIMESTAMP_GE_DATE, ALWAYS},
	{F_TIMESTAMPTZ_EQ_DATE, ALWAYS},
	{F_TIMESTAMPTZ_NE_DATE, ALWAYS},
	{F_TIMESTAMPTZ_LT_DATE, ALWAYS},
	{F_TIMESTAMPTZ_LE_DATE, ALWAYS},
	{F_TIMESTAMPTZ_GT_DATE, ALWAYS},
	{F_TIMESTAMPTZ_GE_DATE, ALWAYS},
	{F_TIMESTAMP_EQ_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_NE_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_LT_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_LE_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_GT_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMP_GE_TIMESTAMPTZ, ALWAYS},
	{F_TIMESTAMPTZ_EQ_TIMESTAMP, ALWAYS},
	{F_TIMESTAMPTZ_NE_TIMESTAMP, ALWAYS},
	{F_TIMESTAMPTZ_LT_TIMESTAMP, ALWAYS},
	{F_TIMESTAMPTZ_LE_TIMESTAMP, ALWAYS},
	{F_TIMESTAMPTZ_GT_TIMESTAMP, ALWAYS},
	{F_TIMESTAMPTZ_GE_TIMESTAMP, ALWAYS},
	/* a timestamp has a day, the infinities have their own */
	{F_DATE_TIMESTAMP, ALWAYS},
	/* a look at the bits */
	{F_ISFINITE_DATE, ALWAYS},
	{F_ISFINITE_TIMESTAMP, ALWAYS},
	{F_ISFINITE_TIMESTAMPTZ, ALWAYS},
	/* equality of enum values compares their OIDs; their order is in the catalog, where exec keeps the type */
	{F_ENUM_EQ, ALWAYS},
	{F_ENUM_NE, ALWAYS},
	{F_ENUM_LT, ALWAYS},
	{F_ENUM_LE, ALWAYS},
	{F_ENUM_GT, ALWAYS},
	{F_ENUM_GE, ALWAYS},
	{F_ENUM_CMP, ALWAYS}};

/* Types whose output function knows no invalid value. */
static const Oid total_outputs[] = {BOOLOID,   INT2OID,   INT4OID, INT8OID, OIDOID,
									FLOAT4OID, FLOAT8OID, DATEOID, UUIDOID, NUMERICOID};

/* The argument that a condition asks to be a constant; -1 where it asks for none. */
static int
asked_argument(Condition condition)
{
	switch (condition)
	{
		case CONSTANT_PATTERN_OF_CASES:
		case CONSTANT_PATTERN:
		case FLAT_DOCUMENT:
			return 1;
			return 0;
		case SUBSTRING_LENGTH:
		case NUMBER_OF_PART:
			return 2;
		default:
			return -1;
	}
}

/* Is the first argument short enough for functions that take a multiple of it? */
static bool
is_short(List *args)
{
	return args != NIL && gaussdp_width_of(linitial(args)) <= GAUSSDP_SHORT_WIDTH;
}

static bool
gives_short(Oid function, List *args)
{
	return args != NIL && gaussdp_width_of_call(function, args, TEXTOID) <= GAUSSDP_SHORT_WIDTH;
}

static bool
condition_holds(Oid function, Condition condition, List *args, Oid collation)
{
	int asked = asked_argument(condition);
	const Const *constant = asked >= 0 ? gaussdp_constant_argument(args, asked) : NULL;
	bool is_unknown = asked >= 0 && gaussdp_is_parameter(args, asked);

	switch (condition)
	{
		case ALWAYS:
			return true;
		case NEVER:
			return false;
		case CONSTANT_PATTERN_OF_CASES:
			return (is_unknown || gaussdp_is_like_pattern(constant, collation)) && is_short(args) &&
				   gaussdp_has_case_for_all(collation);
		case CONSTANT_PATTERN:
			return is_unknown || gaussdp_is_like_pattern(constant, collation);
		case SHORT_RESULT:
			return gives_short(function, args);
		case PLAIN_FIELD:
			return gaussdp_has_plain_field(args, collation);
		case FLAT_DOCUMENT:
			return is_unknown || gaussdp_is_flat_document(constant);
		case NUMBER_OF_PART:
			return (is_unknown || gaussdp_is_number_of_part(constant)) &&
				   gaussdp_is_deterministic(collation) && gives_short(function, args);
		case SUBSTRING_LENGTH:
			return (is_unknown || gaussdp_is_length(constant)) && gives_short(function, args);
		case SHORT_TEXT:
			return is_short(args);
		case CASES_OF_SHORT:
			return is_short(args) && gaussdp_has_case_for_all(collation);
		case SETTLED_SEARCH:
			return gaussdp_is_deterministic(collation);
	}
	return false;
}

/* Other languages are loaded, and their functions compiled, for the first row that calls one: the session keeps that. */
static bool
is_compiled_already(Oid language)
{
	return language == INTERNALlanguageId || language == ClanguageId;
}

/* Marked LEAKPROOF by PostgreSQL itself or by a superuser who owns it, and nothing that draws anew. */
static bool
is_leakproof(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc proc;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	result = proc->proleakproof && !proc->proretset && proc->prokind == PROKIND_FUNCTION &&
			 proc->provolatile != PROVOLATILE_VOLATILE &&
			 (function < FirstGenbkiObjectId ||
			  (!proc->prosecdef && heap_attisnull(tuple, Anum_pg_proc_proconfig, NULL) &&
			   is_compiled_already(proc->prolang) && superuser_arg(proc->proowner)));
	ReleaseSysCache(tuple);
	return result;
}

/* ICU compares texts of other encodings than UTF8 by copies of two bytes a letter, which have an end at 512 MB. */
static bool
is_of_icu(Oid collation, Form_pg_collation form)
{
	HeapTuple tuple;
	bool result;

	if (collation != DEFAULT_COLLATION_OID)
		return form->collprovider == COLLPROVIDER_ICU;
	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	result = HeapTupleIsValid(tuple) &&
			 ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider == COLLPROVIDER_ICU;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/*
 * A collation is opened when the first row asks for it, and warns or fails then if its version has changed or
 * if it has been dropped.  So it must be one that no analyst can make or drop, in the version recorded.
 */
static bool
collation_is_steady(Oid collation)
{
	HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Datum recorded;
	bool has_version;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	gaussdp_load_collation(collation); /* the session keeps it from its first use on */
	if (is_of_icu(collation, (Form_pg_collation) GETSTRUCT(tuple)) &&
		GetDatabaseEncoding() != PG_UTF8)
	{
		ReleaseSysCache(tuple);
		return false;
	}
	result = collation < FirstNormalObjectId ||
			 superuser_arg(((Form_pg_collation) GETSTRUCT(tuple))->collowner);
	recorded = SysCacheGetAttr(COLLOID, tuple, Anum_pg_collation_collversion, &has_version);
	has_version = !has_version;
	if (result && has_version)
	{
		LOCAL_FCINFO(fcinfo, 1);
		Datum actual;

		InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
		fcinfo->args[0] = (NullableDatum){ObjectIdGetDatum(collation), false};
		actual = pg_collation_actual_version(fcinfo);
		result = !fcinfo->isnull &&
				 strcmp(TextDatumGetCString(actual), TextDatumGetCString(recorded)) == 0;
	}
	ReleaseSysCache(tuple);
	return result;
}

/* Text compares by a collation: one that could not be determined fails at the first row. */
bool
gaussdp_collation_is_settled(List *args, Oid collation)
{
	ListCell *lc;

	if (OidIsValid(collation))
		return collation_is_steady(collation);
	foreach (lc, args)
		if (type_is_collatable(exprType((Node *) lfirst(lc))))
			return false;
	return true;
}

bool
gaussdp_function_is_total(Oid function, List *args, Oid collation)
{
	if (!gaussdp_collation_is_settled(args, collation))
		return false;
	for (size_t i = 0; i < lengthof(reviewed); i++)
		if (reviewed[i].function == function)
			return condition_holds(function, reviewed[i].condition, args, collation);
	return is_leakproof(function);
}

bool
gaussdp_function_is_always_total(Oid function)
{
	for (size_t i = 0; i < lengthof(reviewed); i++)
		if (reviewed[i].function == function)
			return reviewed[i].condition == ALWAYS;
	return is_leakproof(function);
}

bool
gaussdp_operator_is_total(Oid operator, Oid collation)
{
	Oid left;
	Oid right;

	if (!OidIsValid(operator))
		return false;
	op_input_types(operator, & left, &right);
	if ((type_is_collatable(left) || type_is_collatable(right)) && !OidIsValid(collation))
		return false;
	return gaussdp_function_is_total(get_opcode(operator), NIL, collation);
}

bool
gaussdp_output_is_total(Oid source, Oid target)
{
	if (target != TEXTOID)
		return false;
	source = getBaseType(source);
	for (size_t i = 0; i < lengthof(total_outputs); i++)
		if (total_outputs[i] == source)
			return true;
	return false;
}

bool
gaussdp_is_long(Datum value, int16 typlen)
{
	if (typlen == -1)
		return toast_raw_datum_size(value) > GAUSSDP_MAX_VALUE_SIZE;
	return typlen == -2 && strlen(DatumGetCString(value)) > GAUSSDP_MAX_VALUE_SIZE;
}
