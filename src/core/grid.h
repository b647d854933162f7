/*
 * grid.h
 *		From values to integers on a release's grid: what runs once per row, inline.
 *
 * Reads from core.h; used by the aggregates' transition functions.  Every function is a fixed map of
 * one row's value into [low, high], whatever the value: that, and exact addition, is all that the
 * sensitivity rests on.  How close the point is to the value is a matter of accuracy only.
 */
#ifndef GAUSSDP_CORE_GRID_H
#define GAUSSDP_CORE_GRID_H

#include "core.h"

/*
 * The grid point nearest to (x - center), ties to even, clamped to [low, high], all three in grid
 * steps; scale = 2^-exponent.  |low|, |high| <= GDP_GRID_POINT_MAX, as gdp_grid_bound makes them, are
 * whole numbers.  Infinities are clamped; NaN, which callers skip, would become low.  No branches:
 * data out of bounds in random order costs nothing.
 */
static inline int64_t
gdp_grid_point(double x, double center, double scale, double low, double high)
{
	double v = (x - center) * scale;

	v = v > low ? v : low;
	v = v < high ? v : high;
	return __builtin_llrint(v);
}

/*
 * A total in units of 1 as one in steps of 2^exponent <= 1.  Exact if the rows were clamped to bounds
 * within GDP_GRID_POINT_MAX steps; a grid too fine for a unit of 1 has no room but for 0 then.
 */
static inline gdp_int128
gdp_grid_total(gdp_int128 total, int exponent)
{
	if (exponent >= 0 || total == 0)
		return total;
	return exponent > -64 ? total * ((gdp_int128) 1 << -exponent) : 0;
}

/*
 * What a row, or a person in a group, adds that adds `steps` where it counts in full: steps * weight / 2^31, rounded toward zero.
 * A shift would round down, and a million small negative contributions would add up to a million
 * steps that no sensitivity allows for.  |steps| <= 2^95, 0 <= weight <= 2^31.
 */
static inline gdp_int128
gdp_weigh(gdp_int128 steps, int64_t weight)
{
	return steps * weight / GDP_WEIGHT_ROW;
}

/* The same of gdp_grid_total(1, exponent), by shifts: neither is negative. */
static inline gdp_int128
gdp_weigh_one(int exponent, int64_t weight)
{
	int shift = 31 + (exponent < 0 ? exponent : 0);

	if (shift >= 0)
		return weight >> shift;
	return exponent > -64 ? (gdp_int128) weight << -shift : 0;
}

#endif /* GAUSSDP_CORE_GRID_H */
