/*
 * pure.c
 *		Which expressions may be evaluated by contained().
 *
 * The functions are those of a list, which a rule has made for each major of PostgreSQL, and is committed: a rule that is
 * asked at execution would admit what the next major brings.  Some demand constants, where a row's value would be
 * looked up in files or kept by the session.  Beside functions there are casts by way of text between types of that kind, and what changes
 * no value.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/contained/contained.h"
#include "policy/proof/proof.h"

PG_FUNCTION_INFO_V1(gaussdp_is_pure_function);

#define UNKNOWN_NODE "has a part that is no function of PostgreSQL's"
#define UNKNOWN_FUNCTION "calls a function that is not known to be pure"
#define UNKNOWN_CAST "has a cast by way of text of a type that is not known to be pure"
#define UNKNOWN_COLLATION "compares by a collation that may change"
#define NOT_CONSTANT "has a value of a row where a constant is needed"
#define WRONG_CONSTANT "has a constant that is not known to be pure"
#define LONG_CONSTANT "has a constant that is too long"
#define TOO_LARGE "is too large"

/* Of a value that is as long as an argument says. */
#define LONGEST 8192

typedef struct Pure
{
	Oid function;
	int first; /* major, and the last one */
	int last;
	int constants; /* arguments that must be constants, as bits, from the first one on */
} Pure;

/* clang-format off */
static const Pure functions[] = {
#define GAUSSDP_PURE(function, first, last, constants) {function, first, last, constants},
#include "policy/contained/pure_functions.inc"
#undef GAUSSDP_PURE
};

/* Types whose values become text, and most of which text becomes. */
static const Oid from_text[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID, CASHOID, UUIDOID, BYTEAOID,
	DATEOID, TIMEOID, TIMETZOID, TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID, INETOID, CIDROID, MACADDROID, MACADDR8OID,
};
static const Oid to_text_alone[] = {JSONBOID, BITOID, VARBITOID};
static const Oid texts[] = {TEXTOID, VARCHAROID, BPCHAROID};
/* clang-format on */

static bool
is_one_of(Oid type, const Oid *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (types[i] == type)
			return true;
	return false;
}

static int
compare_functions(const void *a, const void *b)
{
	Oid x = ((const Pure *) a)->function;
	Oid y = ((const Pure *) b)->function;

	return x < y ? -1 : x > y;
}

/* The list is in the order of numbers. */
static const Pure *
find_pure(Oid function)
{
	Pure key = {.function = function};
	const Pure *found =
		bsearch(&key, functions, lengthof(functions), sizeof(Pure), compare_functions);

	return found != NULL && found->first <= GAUSSDP_MAJOR && found->last >= GAUSSDP_MAJOR ? found
																						  : NULL;
}

Datum
gaussdp_is_pure_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(find_pure(PG_GETARG_OID(0)) != NULL);
}

/* What is asked for: the first problem. */
typedef struct Search
{
	List *args;
	bool is_running;
	int nodes;
	const char *problem;
} Search;

static bool
found(Search *search, const char *problem)
{
	search->problem = problem;
	return true;
}

/* The constant that an argument is; NULL for an input of the level that has no value yet.  False where it is neither. */
static bool
constant_of(const Search *search, Node *arg, const Const **constant)
{
	while (IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	*constant = IsA(arg, Const) ? (const Const *) arg : NULL;
	if (IsA(arg, Param) && ((Param *) arg)->paramid <= list_length(search->args))
	{
		arg = list_nth(search->args, ((Param *) arg)->paramid - 1);
		return IsA(arg, Param);
	}
	return *constant != NULL;
}

/*
 * Formats of dates are those that stand anywhere (proof/arguments.h); formats of numbers and zones are tried here: what is wrong with
 * them is an error before any row, and what the session keeps of them it keeps from here on.
 */
static bool
constant_is_right(Oid function, const Const *constant)
{
	if (constant->constisnull)
		return true;
	switch (function)
	{
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
		case F_TO_CHAR_INTERVAL_TEXT:
		case F_TO_DATE:
		case F_TO_TIMESTAMP_TEXT_TEXT:
			return gaussdp_is_date_format(constant);
		case F_TO_CHAR_INT4_TEXT:
		case F_TO_CHAR_INT8_TEXT:
		case F_TO_CHAR_FLOAT4_TEXT:
		case F_TO_CHAR_FLOAT8_TEXT:
		case F_TO_CHAR_NUMERIC_TEXT:
		case F_TO_NUMBER:
			(void) DirectFunctionCall2Coll(int4_to_char, DEFAULT_COLLATION_OID, Int32GetDatum(0),
										   constant->constvalue);
			return true;
		case F_BPCHAR_BPCHAR_INT4_BOOL:
		case F_BIT_BIT_INT4_BOOL:
		case F_BIT_INT4_INT4:
		case F_BIT_INT8_INT4:
			return DatumGetInt32(constant->constvalue) <= LONGEST;
		case F_LTRIM_TEXT_TEXT:
		case F_RTRIM_TEXT_TEXT:
		case F_LTRIM_BYTEA_BYTEA:
		case F_RTRIM_BYTEA_BYTEA:
			return true; /* short, like every constant */
		default:
			return gaussdp_is_zone(constant);
	}
}

static const char *
problem_of_constants(const Search *search, const Pure *pure, List *args)
{
	ListCell *lc;

	foreach (lc, args)
	{
		const Const *constant;

		if ((pure->constants & (1 << foreach_current_index(lc))) == 0)
			continue;
		if (!constant_of(search, lfirst(lc), &constant))
			return NOT_CONSTANT;
		if (constant != NULL && !constant_is_right(pure->function, constant))
			return WRONG_CONSTANT;
	}
	return NULL;
}

/*
 * The function of an operator's call.  The proof asks that it is the operator's; the executor calls it without the operator, which an analyst may
 * have made, and may drop before the first row.
 */
static Oid
function_of_operator(const Search *search, const OpExpr *op)
{
	return search->is_running || op->opfuncid == get_opcode(op->opno) ? op->opfuncid : InvalidOid;
}

/* Types of others have functions of others: of ranges and their elements it is what is compared by. */
static bool
has_other_type(List *args)
{
	ListCell *lc;

	foreach (lc, args)
		if (exprType(lfirst(lc)) >= FirstGenbkiObjectId)
			return true;
	return false;
}

/* A function of an extension: declared, with all its arguments. */
static const char *
problem_of_allowed(const Search *search, Oid function, List *args, Oid collation)
{
	if (list_length(args) != get_func_nargs(function) ||
		!(search->is_running ? gaussdp_may_be_pure(function) : gaussdp_is_allowed(function)))
		return UNKNOWN_FUNCTION;
	return gaussdp_collation_is_settled(args, collation) ? NULL : UNKNOWN_COLLATION;
}

/*
 * Where the C library does not know a text, these fail, and 18 may end the server later: in encodings of several bytes other than UTF8
 * (attack/errors_locale.pl).
 */
static bool
is_unsafe_case(Oid function, Oid collation)
{
	return GAUSSDP_MAJOR >= 18 && pg_database_encoding_max_length() > 1 &&
		   (function == F_LOWER_TEXT || function == F_UPPER_TEXT || function == F_INITCAP) &&
		   !gaussdp_has_case_for_all(collation);
}

static const char *
problem_of_call(const Search *search, Oid function, List *args, Oid collation)
{
	const Pure *pure = find_pure(function);

	if (pure == NULL && function >= FirstNormalObjectId)
		return problem_of_allowed(search, function, args, collation);
	/* Arguments that have defaults are filled in by the planner, which does not see the expression. */
	if (pure == NULL || has_other_type(args) || list_length(args) != get_func_nargs(function))
		return UNKNOWN_FUNCTION;
	if (!gaussdp_collation_is_settled(args, collation) || is_unsafe_case(function, collation))
		return UNKNOWN_COLLATION;
	return problem_of_constants(search, pure, args);
}

static bool
cast_is_pure(const CoerceViaIO *io)
{
	Oid source = exprType((Node *) io->arg);

	if (is_one_of(source, texts, lengthof(texts)))
		return is_one_of(io->resulttype, from_text, lengthof(from_text));
	return is_one_of(io->resulttype, texts, lengthof(texts)) &&
		   (is_one_of(source, from_text, lengthof(from_text)) ||
			is_one_of(source, to_text_alone, lengthof(to_text_alone)));
}

static const char *
problem_of_const(const Const *constant)
{
	if (!gaussdp_is_plain_type(constant->consttype))
		return UNKNOWN_NODE;
	if (constant->constisnull)
		return NULL;
	if (constant->constlen == -2 ||
		(constant->constlen == -1 &&
		 (VARATT_IS_EXTENDED(DatumGetPointer(constant->constvalue)) ||
		  gaussdp_is_wide(constant->constvalue, constant->consttype, GAUSSDP_CONTAINED_CONSTANT))))
		return LONG_CONSTANT;
	return NULL;
}

static const char *
problem_of_node(const Search *search, Node *node)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_RelabelType:
		case T_CollateExpr:
			return NULL;
		case T_Param:
			return ((Param *) node)->paramkind == PARAM_EXTERN &&
						   gaussdp_is_plain_type(((Param *) node)->paramtype)
					   ? NULL
					   : UNKNOWN_NODE;
		case T_Const:
			return problem_of_const((Const *) node);
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcretset || ((FuncExpr *) node)->funcvariadic)
				return UNKNOWN_NODE;
			return problem_of_call(search, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
								   ((FuncExpr *) node)->inputcollid);
		case T_OpExpr:
			if (((OpExpr *) node)->opretset)
				return UNKNOWN_NODE;
			return problem_of_call(search, function_of_operator(search, (OpExpr *) node),
								   ((OpExpr *) node)->args, ((OpExpr *) node)->inputcollid);
		case T_CoerceViaIO:
			return cast_is_pure((CoerceViaIO *) node) ? NULL : UNKNOWN_CAST;
		default:
			return UNKNOWN_NODE;
	}
}

/* Stops, with true, at the first problem. */
static bool
find_problem(Node *node, void *context)
{
	Search *search = context;
	const char *problem;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (++search->nodes > GAUSSDP_CONTAINED_NODES)
		return found(search, TOO_LARGE);
	problem = problem_of_node(search, node);
	return problem != NULL ? found(search, problem)
						   : expression_tree_walker(node, find_problem, context);
}

const char *
gaussdp_contained_problem(Node *expression, List *args)
{
	Search search = {.args = args};

	(void) find_problem(expression, &search);
	return search.problem;
}

bool
gaussdp_may_be_contained(Node *expression)
{
	Search search = {.is_running = true};

	(void) find_problem(expression, &search);
	return search.problem == NULL;
}
