/*
 * bytes.c
 *		Parameters as bytes, and back.
 *
 * They stand as a constant in the queries that Citus sends to its servers, where a float8 would be printed with as many
 * digits as the session's extra_float_digits allows.  Every server calibrates anew, once for each call, and compares: noise
 * that is made for another grid than the one that rows were put on would not be enough.
 *
 * Format, all integers big-endian: version, kind, number of parameters and parameters as in aggregate/serialize.c, then
 * sigma_int (8 bytes) and exponent (4) of each coordinate's noise.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "citus/split.h"

bytea *
gaussdp_params_to_bytes(const GaussdpParams *params)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendbytes(&buf, params->wire, params->wire_length);
	for (int i = 0; i < params->ncoords; i++)
	{
		pq_sendint64(&buf, (uint64) params->noise[i].sigma_int);
		pq_sendint32(&buf, (uint32) params->noise[i].exponent);
	}
	return pq_endtypsend(&buf);
}

/* Reads them into *params. */
static void
read_bytes(bytea *bytes, GaussdpParams *params)
{
	StringInfoData buf;
	GaussdpKey key;

	/* The bytes are read, not copied: the buffer never grows. */
	buf.data = VARDATA_ANY(bytes);
	buf.len = buf.maxlen = (int) VARSIZE_ANY_EXHDR(bytes);
	buf.cursor = 0;
	gaussdp_recv_key(&buf, &key);
	gaussdp_params_fill(params, &key);
	if (buf.len - buf.cursor != 12 * params->ncoords)
		gaussdp_bad_state();
	for (int i = 0; i < params->ncoords; i++)
	{
		int64 sigma_int = pq_getmsgint64(&buf);
		int32 exponent = (int32) pq_getmsgint(&buf, 4);

		if (sigma_int != params->noise[i].sigma_int || exponent != params->noise[i].exponent)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("servers have different versions of gaussdp"),
							errdetail("They do not calibrate the noise of a call to the same "
									  "number."),
							errhint("Install the same version on the coordinator and on all "
									"workers.")));
	}
}

static bool
same_bytes(bytea *a, bytea *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

const GaussdpParams *
gaussdp_params_of_argument(FunctionCallInfo fcinfo, int argument)
{
	GaussdpSplitSite *site = fcinfo->flinfo->fn_extra;
	MemoryContext memory = fcinfo->flinfo->fn_mcxt;
	bytea *bytes;

	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("parameters of a private aggregate must not be null")));
	bytes = PG_GETARG_BYTEA_PP(argument);
	if (site != NULL && same_bytes(site->bytes, bytes))
		return &site->params;
	site = MemoryContextAllocZero(memory, sizeof(GaussdpSplitSite));
	read_bytes(bytes, &site->params);
	site->bytes = MemoryContextAlloc(memory, VARSIZE_ANY(bytes));
	memcpy(site->bytes, bytes, VARSIZE_ANY(bytes));
	site->constant = get_fn_expr_arg_stable(fcinfo->flinfo, argument) ||
					 (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE &&
					  gaussdp_arguments_are_constant(fcinfo, argument, argument + 1));
	if (fcinfo->flinfo->fn_extra != NULL)
	{
		pfree(((GaussdpSplitSite *) fcinfo->flinfo->fn_extra)->bytes);
		pfree(fcinfo->flinfo->fn_extra);
	}
	fcinfo->flinfo->fn_extra = site;
	return &site->params;
}

void
gaussdp_report_other_kind(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the parameters belong to another private aggregate")));
}
