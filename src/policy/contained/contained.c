/*
 * contained.c
 *		The function contained(): evaluates an expression, and is NULL where that fails.
 *
 * An error is caught without a subtransaction.  In general nothing may go on after that, since an error may leave anything
 * behind.  Here it may, because only functions of the list (pure.c) are evaluated, and of what the end of a subtransaction cleans these can
 * leave behind what is cleaned here:
 *
 *	- LWLocks, and references to entries of caches, snapshots and locks: a lookup of a type may be broken off.  They are in a
 *	  resource owner of their own, which is released.
 *	- memory: it is in a context of its own, which is reset.
 *	- what a function keeps in its fn_extra: the state of the expression is made anew after an error.
 *
 * They run no query, open no file, take no buffer and change no setting.  Arguments are detoasted before, since a page that cannot be read is no
 * value's error.  An error that says something of the server, and not of a value, leaves as it is: out of memory, a lost
 * connection, a query that was cancelled, data that is corrupted, or the end of the stack.
 *
 * Interrupts are held while the expression is evaluated.  Otherwise an error that a parallel worker reports would be raised in here,
 * and taken for the expression's own.  Messages are silent, and exit_on_error is off: neither must tell of a row.
 */
#include "postgres.h"

#include <signal.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "libpq/pqsignal.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/elog.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "compat.h"
#include "policy/contained/contained.h"
#include "valid_text.h"

PG_FUNCTION_INFO_V1(gaussdp_contained);
PG_FUNCTION_INFO_V1(gaussdp_small);
PG_FUNCTION_INFO_V1(gaussdp_without_zone);

/* The first argument is a NULL of the result's type, the second one the expression. */
#define FIRST_ARGUMENT 2

/* A call in a query. */
typedef struct Contained
{
	Expr *expression;
	ExprState *state;      /* NULL after an error */
	FunctionCallInfo call; /* of its function, where that is all it has; NULL where it has more */
	int places[FUNC_MAX_ARGS];   /* which argument each of that function's is; 0 for a constant */
	MemoryContext state_context; /* what that is in */
	MemoryContext row_context;   /* reset where a row has taken more than its first block */
	ExprContext *econtext;
	ParamListInfo params; /* the arguments */
	int16 *lengths;       /* of their types */
	Oid type;             /* of the result */
	int16 length;
	bool by_value;
	bool has_text;
	bool is_text; /* nothing else */
	GaussdpQuick quick;
} Contained;

/* What an error changes, and what is changed around an evaluation. */
typedef struct Surroundings
{
	MemoryContext context;
	ResourceOwner owner;
	uint32 holdoff;
	uint32 cancel_holdoff;
	int client_messages;
	int log_messages;
	bool exits_on_error;
} Surroundings;

/*
 * The owner of what is looked up during an evaluation: nothing ever stays in it.  Its parent owns nothing; only a root's locks are
 * left to the end of the transaction.
 */
static ResourceOwner own_resources = NULL;

static void
make_resources(void)
{
	static ResourceOwner root = NULL;

	if (root == NULL)
		root = ResourceOwnerCreate(NULL, "gaussdp contained root");
	own_resources = ResourceOwnerCreate(root, "gaussdp contained");
}

/*
 * A call of the one function that the expression consists of, over arguments and constants, which the executor would make in the same way, and
 * more slowly; NULL where it is another expression.  All functions of the list are strict.
 */
static FunctionCallInfo
make_call(Expr *expression, int *places)
{
	bool is_function = IsA(expression, FuncExpr);
	List *args;
	FmgrInfo *function;
	FunctionCallInfo call;

	if (!is_function && !IsA(expression, OpExpr))
		return NULL;
	args = is_function ? ((FuncExpr *) expression)->args : ((OpExpr *) expression)->args;
	function = palloc0(sizeof(FmgrInfo));
	fmgr_info(is_function ? ((FuncExpr *) expression)->funcid : ((OpExpr *) expression)->opfuncid,
			  function);
	fmgr_info_set_expr((Node *) expression, function);
	if (!function->fn_strict)
		return NULL;
	call = palloc0(SizeForFunctionCallInfo(list_length(args)));
	InitFunctionCallInfoData(*call, function, list_length(args),
							 exprInputCollation((Node *) expression), NULL, NULL);
	for (int i = 0; i < list_length(args); i++)
	{
		Node *arg = list_nth(args, i);

		places[i] = IsA(arg, Param) ? ((Param *) arg)->paramid : 0;
		if (IsA(arg, Const) && !((Const *) arg)->constisnull)
			call->args[i].value = ((Const *) arg)->constvalue;
		else if (!IsA(arg, Param))
			return NULL;
	}
	return call;
}

/* In the memory of the state; a new one, after an error: what a function keeps from call to call may be half made. */
static void
make_state(Contained *c)
{
	MemoryContext before;

	MemoryContextReset(c->state_context);
	before = MemoryContextSwitchTo(c->state_context);
	c->state = ExecInitExprWithParams(c->expression, c->params);
	c->call = make_call(c->expression, c->places);
	MemoryContextSwitchTo(before);
}

static ParamListInfo
make_params(const FmgrInfo *flinfo, int n, int16 **lengths)
{
	ParamListInfo params = makeParamList(n);

	*lengths = palloc(Max(n, 1) * sizeof(int16));
	for (int i = 0; i < n; i++)
	{
		params->params[i] = (ParamExternData){
			.ptype = get_fn_expr_argtype(unconstify(FmgrInfo *, flinfo), FIRST_ARGUMENT + i)};
		(*lengths)[i] = get_typlen(params->params[i].ptype);
	}
	return params;
}

/* The proof has verified the call; whoever calls the function otherwise gets no more than the rule allows. */
static Contained *
begin(FunctionCallInfo fcinfo)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	MemoryContext before = MemoryContextSwitchTo(flinfo->fn_mcxt);
	Contained *c = palloc0(sizeof(Contained));
	const FuncExpr *call = gaussdp_call_in_query(flinfo);
	Expr *expression = call != NULL ? gaussdp_contained_expression(call) : NULL;

	c->type = get_fn_expr_rettype(flinfo);
	if (expression == NULL || exprType((Node *) expression) != c->type ||
		!gaussdp_may_be_contained((Node *) expression) ||
		!gaussdp_parameters_match((Node *) expression, gaussdp_contained_arguments(call)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the expression is none that may be contained")));
	get_typlenbyval(c->type, &c->length, &c->by_value);
	c->has_text = gaussdp_has_text(c->type);
	c->is_text = c->type == TEXTOID || c->type == VARCHAROID || c->type == BPCHAROID;
	c->params = make_params(flinfo, PG_NARGS() - FIRST_ARGUMENT, &c->lengths);
	c->expression = gaussdp_limited(expression);
	c->state_context =
		AllocSetContextCreate(flinfo->fn_mcxt, "gaussdp contained state", ALLOCSET_SMALL_SIZES);
	c->row_context =
		AllocSetContextCreate(flinfo->fn_mcxt, "gaussdp contained row", ALLOCSET_DEFAULT_SIZES);
	c->econtext = makeNode(ExprContext);
	c->econtext->ecxt_per_query_memory = flinfo->fn_mcxt;
	c->econtext->ecxt_per_tuple_memory = c->row_context;
	c->econtext->ecxt_param_list_info = c->params;
	make_state(c);
	(void) gaussdp_find_quick((Node *) expression, &c->quick);
	MemoryContextSwitchTo(before);
	flinfo->fn_extra = c;
	return c;
}

/* As toast_raw_datum_size() has it, which is called for what is compressed or stored elsewhere alone. */
static inline Size
raw_size(Datum value)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer))
		return toast_raw_datum_size(value);
	return VARSIZE_ANY_EXHDR(pointer) + VARHDRSZ;
}

/* Takes the arguments, of which none is NULL; false where one is or they are too large, so that the result is NULL. */
static bool
take_arguments(Contained *c, FunctionCallInfo fcinfo)
{
	Size total = 0;

	for (int i = 0; i < c->params->numParams; i++)
	{
		ParamExternData *param = &c->params->params[i];

		if (PG_ARGISNULL(FIRST_ARGUMENT + i))
			return false;
		param->value = PG_GETARG_DATUM(FIRST_ARGUMENT + i);
		if (c->lengths[i] == -1)
			total += raw_size(param->value);
	}
	if (total > GAUSSDP_CONTAINED_ARGUMENTS)
		return false;
	for (int i = 0; i < c->params->numParams; i++)
	{
		ParamExternData *param = &c->params->params[i];

		if (c->lengths[i] != -1)
			continue;
		param->value = gaussdp_plain_value(param->value);
		if (gaussdp_is_wide(param->value, param->ptype, GAUSSDP_CONTAINED_ARGUMENTS))
			return false;
	}
	return true;
}

static Surroundings
enter(const Contained *c)
{
	Surroundings before = {.context = CurrentMemoryContext,
						   .owner = CurrentResourceOwner,
						   .holdoff = InterruptHoldoffCount,
						   .cancel_holdoff = QueryCancelHoldoffCount,
						   .client_messages = client_min_messages,
						   .log_messages = log_min_messages,
						   .exits_on_error = ExitOnAnyError};

	CurrentResourceOwner = own_resources;
	MemoryContextSwitchTo(c->row_context);
	client_min_messages = ERROR;
	log_min_messages = FATAL;
	ExitOnAnyError = false;
	HOLD_INTERRUPTS();
	return before;
}

/* An error has set the counters to zero. */
static void
leave(const Surroundings *before)
{
	InterruptHoldoffCount = before->holdoff;
	QueryCancelHoldoffCount = before->cancel_holdoff;
	ExitOnAnyError = before->exits_on_error;
	client_min_messages = before->client_messages;
	log_min_messages = before->log_messages;
	CurrentResourceOwner = before->owner;
	MemoryContextSwitchTo(before->context);
}

/* What a subtransaction would release of what functions of the list can leave behind. */
static void
release_all(const Surroundings *before)
{
	/* Who holds such a lock holds interrupts: none was held before. */
	if (before->holdoff == 0)
		LWLockReleaseAll();
	ResourceOwnerRelease(own_resources, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(own_resources, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(own_resources, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	CurrentResourceOwner = before->owner;
	ResourceOwnerDelete(own_resources);
	own_resources = NULL;
}

/*
 * Does the error say something of a value?  Whether there is memory depends on other people's rows, and how much of the stack
 * is left on who scans a row: a NULL for these would let one person change what another one counts.
 */
static bool
is_of_value(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'): /* transaction rollback, deadlocks */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'): /* insufficient resources */
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'): /* operator intervention, cancel */
		case MAKE_SQLSTATE('5', '8', '0', '0', '0'): /* system error */
			return false;
		default:
			return sqlerrcode != ERRCODE_DATA_CORRUPTED && sqlerrcode != ERRCODE_INDEX_CORRUPTED &&
				   sqlerrcode != ERRCODE_STATEMENT_TOO_COMPLEX;
	}
}

static Datum
compute(Contained *c, bool *isnull)
{
	FunctionCallInfo call = c->call;
	Datum value;

	if (call == NULL)
		return ExecEvalExpr(c->state, c->econtext, isnull);
	for (int i = 0; i < call->nargs; i++)
		if (c->places[i] > 0)
			call->args[i].value = c->params->params[c->places[i] - 1].value;
	call->isnull = false;
	value = FunctionCallInvoke(call);
	*isnull = call->isnull;
	return value;
}

/* The value, in the row's memory; false where it is NULL or its computation fails. */
static bool
evaluate(Contained *c, Datum *result)
{
	Surroundings before = enter(c);
	volatile Datum value = (Datum) 0;
	volatile bool isnull = true;

	PG_TRY();
	{
		bool is_null;

		error_context_stack =
			NULL; /* callbacks would put the query's text into the error; PG_END_TRY puts it back */
		value = compute(c, &is_null);
		isnull = is_null;
		if (!isnull && c->length == -1)
		{
			value = gaussdp_plain_value(value);
			isnull = gaussdp_is_wide(value, c->type, GAUSSDP_CONTAINED_RESULT) ||
					 (c->has_text && !(c->is_text ? gaussdp_is_valid_varlena(value)
												  : gaussdp_is_valid_text(value, c->type)));
		}
	}
	PG_CATCH();
	{
		release_all(&before);
		leave(&before);
		c->state = NULL;
		isnull = true;
		if (!is_of_value(geterrcode()))
		{
			CHECK_FOR_INTERRUPTS();
			PG_RE_THROW();
		}
		/* Where the processor has trapped the error, its signal is blocked. */
		sigprocmask(SIG_SETMASK, &UnBlockSig, NULL);
		MemoryContextSwitchTo(c->row_context);
		FlushErrorState();
	}
	PG_END_TRY();
	leave(&before);
	*result = value;
	return !isnull;
}

/* What is neither compressed nor stored elsewhere, in the caller's memory: datumCopy() would ask for that. */
static inline Datum
copy_value(Datum value, int16 length)
{
	Size size =
		length == -1 ? VARSIZE_ANY(DatumGetPointer(value)) : datumGetSize(value, false, length);

	return PointerGetDatum(memcpy(palloc(size), DatumGetPointer(value), size));
}

/* By hand, where that can be done. */
static bool
compute_quickly(const Contained *c, Datum *result)
{
	const GaussdpQuick *quick = &c->quick;
	Datum operands[2];

	if (quick->function == NULL)
		return false;
	for (int i = 0; i < 2; i++)
		operands[i] = quick->params[i] > 0 ? c->params->params[quick->params[i] - 1].value
										   : quick->constants[i];
	return quick->function(operands[0], operands[1], result);
}

Datum
gaussdp_contained(PG_FUNCTION_ARGS)
{
	Contained *c = fcinfo->flinfo->fn_extra;
	MemoryContext before = CurrentMemoryContext;
	Datum result = (Datum) 0;
	bool is_known;

	if (c == NULL)
		c = begin(fcinfo);
	else if (c->state == NULL)
		make_state(c);
	if (own_resources == NULL)
		make_resources();
	MemoryContextSwitchTo(c->row_context);
	is_known = take_arguments(c, fcinfo);
	MemoryContextSwitchTo(before);
	if (is_known && !compute_quickly(c, &result))
	{
		is_known = evaluate(c, &result);
		if (is_known && !c->by_value)
			result = copy_value(result, c->length);
	}
	/* Small values of many rows share its first block, which is cheaper than to empty it for each. */
	if (c->row_context->mem_allocated > ALLOCSET_DEFAULT_INITSIZE)
		MemoryContextReset(c->row_context);
	if (!is_known)
		PG_RETURN_NULL();
	return result;
}

/*
 * Its argument, or an error where that is wide: stands in expressions around what takes or makes values of varying length.  A query that is
 * cancelled ends here, between two functions; it is PostgreSQL that says why, once interrupts are not held any more.
 */
Datum
gaussdp_small(PG_FUNCTION_ARGS)
{
	Oid *type = fcinfo->flinfo->fn_extra;
	Datum value = PG_GETARG_DATUM(0);

	if (type == NULL)
	{
		type = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
		*type = get_fn_expr_rettype(fcinfo->flinfo);
		if (get_typlen(*type) != -1)
			*type = InvalidOid;
		fcinfo->flinfo->fn_extra = type;
	}
	if (QueryCancelPending || ProcDiePending)
		ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("the query is being cancelled")));
	if (!OidIsValid(*type))
		return value;
	value = gaussdp_plain_value(value);
	if (gaussdp_is_wide(value, *type, GAUSSDP_CONTAINED_ARGUMENTS))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the value is too long")));
	return value;
}

/*
 * Its argument, or an error where that has a letter that the text of a time in digits has not.  Other letters may be a zone's
 * name, whose file is opened and kept by the session, or mean the present time.
 */
Datum
gaussdp_without_zone(PG_FUNCTION_ARGS)
{
	const text *value = PG_GETARG_TEXT_PP(0);
	const char *start = VARDATA_ANY(value);
	const char *end = start + VARSIZE_ANY_EXHDR(value);
	bool is_plain = true;

	while (end > start && end[-1] == ' ')
		end--;
	/* ... BC, or ...Z */
	if (end - start > 3 && pg_strncasecmp(end - 3, " BC", 3) == 0)
		end -= 3;
	else if (end - start > 1 && pg_toupper((unsigned char) end[-1]) == 'Z' &&
			 isdigit((unsigned char) end[-2]))
		end--;
	for (const char *c = start; c < end && is_plain; c++)
	{
		/* a T between date and time */
		if (pg_toupper((unsigned char) *c) == 'T' && c > start && c + 1 < end &&
			isdigit((unsigned char) c[-1]) && isdigit((unsigned char) c[1]))
			continue;
		is_plain = isdigit((unsigned char) *c) || strchr(" .,:+-/", *c) != NULL;
	}
	if (!is_plain)
		ereport(ERROR, (errcode(ERRCODE_INVALID_DATETIME_FORMAT),
						errmsg("the text of a time may have digits, T, Z and BC alone")));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
