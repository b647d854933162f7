/*
 * serialize.c
 *		States of the scalar aggregates from their creation to their release, and between processes:
 *		combine, serialize, deserialize.
 *
 * Wire format, all integers big-endian: version (1 byte; another one of weighted calls), kind (1), number of
 * parameters (1), each parameter as the 8 bytes of its float8 or int8, then the elements of the array that one of them
 * counts (8 each), of scaled kinds their digits (1), then n (8) and
 * the sum (16), and of weighted calls the count (16).  No OIDs: a reader on another server understands it.  On some engines anyone
 * can hand bytes to deserialize, so it checks the length, the version and every field; what passes is a state
 * that rows could have made.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "aggregate/state.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_scalar_combine);
PG_FUNCTION_INFO_V1(gaussdp_scalar_deserialize);

#define WIRE_VERSION 1
#define WIRE_VERSION_WEIGHTED (0x80 | WIRE_VERSION)

#define COUNT_OF(state) (((GaussdpWeightedState *) (state))->count)

GaussdpState *
gaussdp_new_state(MemoryContext context, const GaussdpParams *params)
{
	GaussdpState *state = MemoryContextAllocZero(
		context, params->key.weighted ? sizeof(GaussdpWeightedState) : sizeof(GaussdpState));

	state->params = params;
	return state;
}

GaussdpState *
gaussdp_state_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first)
{
	MemoryContext group = gaussdp_group_context(fcinfo);

	return gaussdp_new_state(group, gaussdp_params_from_row(fcinfo, kind, first));
}

GaussdpWeightedState *
gaussdp_weighted_state_checked(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpWeightedState *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext group = gaussdp_group_context(fcinfo);

		return (GaussdpWeightedState *) gaussdp_new_state(
			group, gaussdp_params_from_weighted_row(fcinfo, kind));
	}
	state = (GaussdpWeightedState *) PG_GETARG_POINTER(0);
	gaussdp_check_weighted_row(fcinfo, state->state.params);
	return state;
}

GaussdpState *
gaussdp_state_to_release(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *state;

	(void) gaussdp_group_context(fcinfo);
	if (PG_ARGISNULL(0))
		return gaussdp_new_state(CurrentMemoryContext, gaussdp_params_from_plan(fcinfo, kind));
	state = (GaussdpState *) PG_GETARG_POINTER(0);
	if (state->params->key.kind != (int32) kind)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the state belongs to another private aggregate")));
	return state;
}

/* Adds the second state to the first; either may be NULL, and the second does not last. */
Datum
gaussdp_scalar_combine(PG_FUNCTION_ARGS)
{
	MemoryContext group = gaussdp_group_context(fcinfo);
	GaussdpState *state = PG_ARGISNULL(0) ? NULL : (GaussdpState *) PG_GETARG_POINTER(0);
	GaussdpState *other = PG_ARGISNULL(1) ? NULL : (GaussdpState *) PG_GETARG_POINTER(1);

	if (other == NULL && state == NULL)
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_POINTER(state);
	if (state == NULL)
		state = gaussdp_new_state(group, gaussdp_params_keep(fcinfo, other->params));
	else
		gaussdp_params_require_equal(state->params, other->params);
	state->sum = gaussdp_sum_add(state->sum, other->sum);
	state->n = gaussdp_count_add(state->n, other->n);
	if (state->params->key.weighted)
		COUNT_OF(state) = gaussdp_sum_add(COUNT_OF(state), COUNT_OF(other));
	PG_RETURN_POINTER(state);
}

void
gaussdp_draw(GaussdpState *state, gdp_int128 total)
{
	if (state->n == GAUSSDP_RELEASED)
		return;
	state->sum = gaussdp_add_noise(total, &state->params->noise[0]);
	state->n = GAUSSDP_RELEASED;
}

/* ---------------------------------------------------------------------------
 * Bytes
 * ---------------------------------------------------------------------------
 */

void
gaussdp_bad_state(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("invalid serialized state of a private aggregate")));
}

void
gaussdp_set_wire(GaussdpParams *params)
{
	char *at = params->wire;

	*at++ = (char) (params->key.weighted ? WIRE_VERSION_WEIGHTED : WIRE_VERSION);
	*at++ = (char) params->key.kind;
	*at++ = (char) params->key.nparams;
	for (int i = 0; i < params->key.nparams; i++)
		gaussdp_write_int64(&at, DatumGetInt64(params->key.raw[i]));
	for (int i = 0; i < gaussdp_key_nqs(&params->key); i++)
		gaussdp_write_int64(&at, DatumGetInt64(Float8GetDatum(params->key.qs[i])));
	if (gaussdp_descriptor(params->key.kind)->scaled)
		*at++ = (char) params->key.digits;
	params->wire_length = (int) (at - params->wire);
}

bytea *
gaussdp_begin_bytes(const GaussdpParams *params, Size length, char **at)
{
	bytea *bytes = palloc(VARHDRSZ + params->wire_length + length);

	SET_VARSIZE(bytes, VARHDRSZ + params->wire_length + length);
	memcpy(VARDATA(bytes), params->wire, params->wire_length);
	*at = VARDATA(bytes) + params->wire_length;
	return bytes;
}

/* The elements of an array among the parameters. */
static void
recv_qs(StringInfo buf, GaussdpKey *key)
{
	int place = gaussdp_form_place(gaussdp_form_of(key), GAUSSDP_PARAM_QS);
	int64 n = place < 0 ? 0 : DatumGetInt64(key->raw[place]);

	if (place < 0)
		return;
	if (n < 1 || n > GAUSSDP_MAX_QS || (buf->len - buf->cursor) / (int64) sizeof(int64) < n)
		gaussdp_bad_state();
	for (int i = 0; i < n; i++)
	{
		key->qs[i] = pq_getmsgfloat8(buf);
		if (!(key->qs[i] >= 0 && key->qs[i] <= 1))
			gaussdp_bad_state();
	}
}

void
gaussdp_recv_key(StringInfo buf, GaussdpKey *key)
{
	int version;
	bool scaled;

	memset(key, 0, sizeof(*key));
	if (buf->len - buf->cursor < 3)
		gaussdp_bad_state();
	version = pq_getmsgbyte(buf);
	key->kind = pq_getmsgbyte(buf);
	key->nparams = pq_getmsgbyte(buf);
	key->weighted = version == WIRE_VERSION_WEIGHTED;
	if ((version != WIRE_VERSION && version != WIRE_VERSION_WEIGHTED) ||
		gaussdp_form(key->kind, key->nparams, key->weighted ? GAUSSDP_WEIGHTED : GAUSSDP_PLAIN) ==
			NULL)
		gaussdp_bad_state();
	scaled = gaussdp_descriptor(key->kind)->scaled;
	if (buf->len - buf->cursor < key->nparams * (int) sizeof(int64) + (scaled ? 1 : 0))
		gaussdp_bad_state();
	for (int i = 0; i < key->nparams; i++)
		key->raw[i] = (Datum) pq_getmsgint64(buf);
	recv_qs(buf, key);
	if (scaled && buf->cursor == buf->len)
		gaussdp_bad_state();
	if (scaled)
		key->digits = (int16) pq_getmsgbyte(buf);
	if (key->digits > 1 + GDP_MAX_SCALE)
		gaussdp_bad_state();
}

const GaussdpParams *
gaussdp_recv_params(FunctionCallInfo fcinfo, StringInfo buf)
{
	GaussdpKey key;

	gaussdp_recv_key(buf, &key);
	return gaussdp_params_intern(fcinfo, &key);
}

gdp_int128
gaussdp_recv_int128(StringInfo buf)
{
	int64 high = pq_getmsgint64(buf);
	int64 low = pq_getmsgint64(buf);

	return gaussdp_int128_of(high, low);
}

/* What follows the parameters. */
static Size
length_of_state(const GaussdpParams *params)
{
	return (params->key.weighted ? 5 : 3) * sizeof(int64);
}

Datum
gaussdp_serialize(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, kind);
	bytea *bytes;
	char *at;

	if (state->n == GAUSSDP_RELEASED)
		elog(ERROR, "a released state cannot be serialized");
	bytes = gaussdp_begin_bytes(state->params, length_of_state(state->params), &at);
	gaussdp_write_int64(&at, state->n);
	gaussdp_write_int128(&at, state->sum);
	if (state->params->key.weighted)
		gaussdp_write_int128(&at, COUNT_OF(state));
	PG_RETURN_BYTEA_P(bytes);
}

/* Whether n rows can have this sum: each adds between low and high, both at most 2^51.  Of weighted ones n is 0. */
static bool
is_reachable(const GaussdpState *state)
{
	gdp_int128 low = (gdp_int128) state->params->low * state->n;
	gdp_int128 high = (gdp_int128) state->params->high * state->n;

	if (state->params->key.weighted)
		return state->n == 0 && ((const GaussdpWeightedState *) state)->count >= 0;
	return state->n >= 0 && low <= state->sum && state->sum <= high;
}

StringInfoData
gaussdp_bytes_to_read(const bytea *bytes)
{
	/* The bytes are read, not copied: the buffer never grows. */
	StringInfoData buf = {.data = VARDATA_ANY(bytes)};

	buf.len = buf.maxlen = VARSIZE_ANY_EXHDR(bytes);
	return buf;
}

GaussdpState *
gaussdp_recv_state(StringInfo buf, const GaussdpParams *params)
{
	GaussdpState *state = gaussdp_new_state(CurrentMemoryContext, params);

	if (buf->len - buf->cursor != (int) length_of_state(params))
		gaussdp_bad_state();
	state->n = pq_getmsgint64(buf);
	state->sum = gaussdp_recv_int128(buf);
	if (params->key.weighted)
		COUNT_OF(state) = gaussdp_recv_int128(buf);
	if (!is_reachable(state))
		gaussdp_bad_state();
	return state;
}

Datum
gaussdp_scalar_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf = gaussdp_bytes_to_read(PG_GETARG_BYTEA_PP(0));

	(void) gaussdp_group_context(fcinfo);
	PG_RETURN_POINTER(gaussdp_recv_state(&buf, gaussdp_recv_params(fcinfo, &buf)));
}
