/*
 * cells.c
 *		States that are a row of integer cells, from their creation to their release, and between
 *		processes: combine, serialize, deserialize.
 *
 * Wire format, all integers big-endian: the parameters as in serialize.c, n (8 bytes), of weighted calls the count (16),
 * then each cell in 8 or 16 bytes.  deserialize gets bytes from anyone and checks every field.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/float.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_cells_combine);
PG_FUNCTION_INFO_V1(gaussdp_cells_deserialize);

/* 0 cells for the kinds whose states are not made here. */
static GaussdpLayout
layout_of(const GaussdpParams *params)
{
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(params->key.kind);
	GaussdpLayout layout = {0};

	if (descriptor->layout != NULL)
		descriptor->layout(params, &layout);
	return layout;
}

/* Half a cell is as wide as 1 / scale: of halves no difference overflows. */
void
gaussdp_set_cells(GaussdpParams *params, double ncells)
{
	double half_width = params->upper / 2 - params->lower / 2;
	double largest = fmax(fabs(params->lower), fabs(params->upper));

	params->centre = params->lower / 2;
	params->scale = ncells / half_width;
	params->low = 0;
	params->high = ncells - 1;

	/*
	 * The roundings of (x/2 - centre) scale, of an edge, of a bound's double, and of x/2 if subnormal, more than
	 * twice over.
	 */
	params->edge_margin = ncells * 0x1p-49 + (largest * 0x1p-51 + 0x1p-1072) * params->scale;
	gdp_bins_between(params->lower, params->upper, ncells, &params->bins);
	if (!(params->scale > 0 && isfinite(params->scale)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds are out of range: lower %s, upper %s",
						float8out_internal(params->lower), float8out_internal(params->upper)),
				 errdetail("They are too close to be divided into %.0f parts.", ncells)));
}

/* The last of the cells first .. last whose edge is not above x; the first one's is not asked for. */
static int
cell_by_edges(const GaussdpParams *params, double x, int first, int last)
{
	while (first < last)
	{
		int middle = (first + last + 1) / 2;

		if (x >= gdp_bin_edge(&params->bins, middle))
			first = middle;
		else
			last = middle - 1;
	}
	return first;
}

/* The edge between two cells is the double nearest to its decimal place, and belongs to the upper one. */
int
gaussdp_cell_of_value(const GaussdpParams *params, double x)
{
	double about = (x / 2 - params->centre) * params->scale;
	double at = about, part;
	int cell;

	at = at > 0 ? at : 0;
	at = at < params->high + 1 ? at : params->high + 1;
	cell = (int) at;
	part = at - cell;
	if (params->edge_margin >= 0.5) /* doubles are too coarse for such cells */
		cell = cell_by_edges(params, x, 0, (int) params->high);
	else if (at == about && part <= params->edge_margin)
		cell = cell_by_edges(params, x, Max(cell - 1, 0), Min(cell, (int) params->high));
	else if (at == about && part >= 1 - params->edge_margin)
		cell = cell_by_edges(params, x, cell, Min(cell + 1, (int) params->high));
	return Min(cell, (int) params->high);
}

void
gaussdp_cells_count(GaussdpCells *cells, double x)
{
	int cell;

	if (isnan(x))
		return;
	cell = gaussdp_cell_of_value(cells->params, x);
	gaussdp_counts(cells)[cell] = gaussdp_count_add(gaussdp_counts(cells)[cell], 1);
	cells->n = gaussdp_count_add(cells->n, 1);
}

GaussdpCells *
gaussdp_new_cells(MemoryContext context, const GaussdpParams *params)
{
	GaussdpLayout layout = layout_of(params);
	Size size = offsetof(GaussdpCells, sums) +
				layout.ncells * (layout.wide ? sizeof(gdp_int128) : sizeof(int64));
	GaussdpCells *cells = MemoryContextAllocZero(context, size);

	cells->params = params;
	cells->ncells = layout.ncells;
	cells->wide = layout.wide;
	return cells;
}

GaussdpCells *
gaussdp_cells_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first)
{
	MemoryContext group = gaussdp_group_context(fcinfo);

	return gaussdp_new_cells(group, gaussdp_params_from_row(fcinfo, kind, first));
}

GaussdpCells *
gaussdp_weighted_cells_for_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells;

	if (PG_ARGISNULL(0))
	{
		MemoryContext group = gaussdp_group_context(fcinfo);

		return gaussdp_new_cells(group, gaussdp_params_from_weighted_row(fcinfo, kind));
	}
	cells = (GaussdpCells *) PG_GETARG_POINTER(0);
	gaussdp_check_weighted_row(fcinfo, cells->params);
	return cells;
}

Datum
gaussdp_weigh_cells(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, kind);
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);
	GaussdpPart parts[GAUSSDP_MAX_PARTS];
	int n = isnan(x) ? 0 : gaussdp_descriptor(kind)->parts(cells->params, x, weight, parts);

	for (int i = 0; i < n; i++)
		gaussdp_add_part(cells, parts[i].cell, parts[i].steps);
	PG_RETURN_POINTER(cells);
}

GaussdpCells *
gaussdp_cells_to_release(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells;

	(void) gaussdp_group_context(fcinfo);
	if (PG_ARGISNULL(0))
		return gaussdp_new_cells(CurrentMemoryContext, gaussdp_params_from_plan(fcinfo, kind));
	cells = (GaussdpCells *) PG_GETARG_POINTER(0);
	if (cells->params->key.kind != (int32) kind)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the state belongs to another private aggregate")));
	return cells;
}

static void
add_cells(GaussdpCells *to, GaussdpCells *from)
{
	to->n = gaussdp_count_add(to->n, from->n);
	to->count = gaussdp_sum_add(to->count, from->count);
	for (int i = 0; i < to->ncells; i++)
	{
		if (to->wide)
			to->sums[i] = gaussdp_sum_add(to->sums[i], from->sums[i]);
		else
			gaussdp_counts(to)[i] =
				gaussdp_count_add(gaussdp_counts(to)[i], gaussdp_counts(from)[i]);
	}
}

/* Adds the second state to the first; either may be NULL, and the second does not last. */
Datum
gaussdp_cells_combine(PG_FUNCTION_ARGS)
{
	MemoryContext group = gaussdp_group_context(fcinfo);
	GaussdpCells *cells = PG_ARGISNULL(0) ? NULL : (GaussdpCells *) PG_GETARG_POINTER(0);
	GaussdpCells *other = PG_ARGISNULL(1) ? NULL : (GaussdpCells *) PG_GETARG_POINTER(1);

	if (other == NULL && cells == NULL)
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_POINTER(cells);
	if (cells == NULL)
		cells = gaussdp_new_cells(group, gaussdp_params_keep(fcinfo, other->params));
	else
		gaussdp_params_require_equal(cells->params, other->params);
	add_cells(cells, other);
	PG_RETURN_POINTER(cells);
}

/* What follows the parameters. */
static Size
length_of_cells(const GaussdpParams *params, int ncells, bool wide)
{
	return (params->key.weighted ? 24 : 8) + (Size) ncells * (wide ? 16 : 8);
}

Datum
gaussdp_cells_serialize(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_cells_to_release(fcinfo, kind);
	const GaussdpParams *params = cells->params;
	bytea *bytes;
	char *at;

	if (cells->released)
		elog(ERROR, "a released state cannot be serialized");
	bytes = gaussdp_begin_bytes(params, length_of_cells(params, cells->ncells, cells->wide), &at);
	gaussdp_write_int64(&at, cells->n);
	if (params->key.weighted)
		gaussdp_write_int128(&at, cells->count);
	for (int i = 0; i < cells->ncells; i++)
	{
		if (cells->wide)
			gaussdp_write_int128(&at, cells->sums[i]);
		else
			gaussdp_write_int64(&at, gaussdp_counts(cells)[i]);
	}
	PG_RETURN_BYTEA_P(bytes);
}

/* Whether rows could have made cell i: no row moves a sum by more than 2^51 steps.  How many weighted ones are is not known. */
static bool
is_reachable(GaussdpCells *cells, const GaussdpLayout *layout, int i)
{
	gdp_int128 most = (gdp_int128) cells->n << 51;

	if (cells->params->key.weighted)
		return i >= layout->ncounts || cells->sums[i] >= 0;
	if (i < layout->ncounts)
		return cells->sums[i] >= 0 && cells->sums[i] <= cells->n;
	if (cells->wide)
		return -most <= cells->sums[i] && cells->sums[i] <= most;
	return gaussdp_counts(cells)[i] >= 0 && gaussdp_counts(cells)[i] <= cells->n;
}

GaussdpCells *
gaussdp_recv_cells(StringInfo buf, const GaussdpParams *params)
{
	GaussdpLayout layout = layout_of(params);
	GaussdpCells *cells;
	const char *at;

	if (layout.ncells == 0 ||
		buf->len - buf->cursor != (int) length_of_cells(params, layout.ncells, layout.wide))
		gaussdp_bad_state();
	cells = gaussdp_new_cells(CurrentMemoryContext, params);
	cells->n = pq_getmsgint64(buf);
	if (params->key.weighted)
		cells->count = gaussdp_recv_int128(buf);
	if (params->key.weighted ? cells->n != 0 || cells->count < 0 : cells->n < 0)
		gaussdp_bad_state();
	at = buf->data + buf->cursor;
	for (int i = 0; i < layout.ncells; i++)
	{
		if (layout.wide)
			cells->sums[i] = gaussdp_read_int128(&at);
		else
			gaussdp_counts(cells)[i] = gaussdp_read_int64(&at);
		if (!is_reachable(cells, &layout, i))
			gaussdp_bad_state();
	}
	return cells;
}

Datum
gaussdp_cells_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf = gaussdp_bytes_to_read(PG_GETARG_BYTEA_PP(0));

	(void) gaussdp_group_context(fcinfo);
	PG_RETURN_POINTER(gaussdp_recv_cells(&buf, gaussdp_recv_params(fcinfo, &buf)));
}
