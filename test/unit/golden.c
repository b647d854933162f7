/*
 * golden.c
 *		Every row of test/golden.tsv and test/reference*.tsv, through the table of golden_table.h.
 *
 * The arguments of a row are exact doubles, the value has 25 to 30 digits. One test for each function
 * and file; a failure names the worst row.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gdp/gdp.h"
#include "dgauss.h"
#include "unit.h"

#define ARGUMENTS_MAX 6
#define CALL(call) ((call) == GDP_OK ? r : NAN)
#define MECHANISM(name) mechanism_sigma(name, x)
#define CURVE(make, call) ((make) == GDP_OK && (call) == GDP_OK ? r : NAN)
#define SWITCH(which)                                                                              \
	gdp_curve_switch(&c, (which) == 0 ? &r : &ignored, (which) == 0 ? &ignored : &r)

/* sigma of (epsilon, delta, l2_sensitivity), also where the mechanism isn't private. */
static double
mechanism_sigma(const char *name, const double *x)
{
	gdp_measure measure;
	gdp_status status = gdp_mechanism_measure(gdp_mechanism_find(name), x[0], x[1], x[2], &measure);

	return status == GDP_OK ? measure.sigma : NAN;
}

/* A profile of one parameter */
static gdp_status
named(gdp_curve_kind kind, double parameter, gdp_curve *curve)
{
	*curve = (gdp_curve){.kind = kind, .parameter = {parameter}};
	return gdp_curve_check(curve);
}

/* p, then q, of (epsilon0, delta0) */
static const double *
four_outputs(const double *x)
{
	static double both[8];

	(void) gdp_four_outputs(x[0], x[1], both, both + 4);
	return both;
}

static gdp_leak
leak(const double *x)
{
	gdp_leak result = {NAN, NAN, NAN, NAN};

	(void) gdp_pdp_counterexample(x[0], x[1], x[2], x[3], &result);
	return result;
}

/*
 * Densities of test/reference_papers.py: the named ones; Laplace's as points; one that is flat, then falls ever faster;
 * the chords of x^2/2.
 */
static const double straight[][2] = {{0, 1}, {0, 1}};
static const double flat[][4] = {{0, 0.5, 1, 2}, {1, 1, 1.25, 3}};
static const double chords[][9] = {{0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6},
								   {0, 0.125, 0.5, 1.125, 2, 3.125, 4.5, 8, 18}};
static const gdp_law laws[] = {
	{.kind = GDP_LAW_GAUSSIAN},
	{.kind = GDP_LAW_LAPLACE},
	{.kind = GDP_LAW_LOGISTIC},
	{GDP_LAW_POINTS, 2, straight[0], straight[1]},
	{GDP_LAW_POINTS, 4, flat[0], flat[1]},
	{GDP_LAW_POINTS, 9, chords[0], chords[1]},
};

#define GOLDEN(name, side, value)                                                                  \
	static double golden_##name(const double *x)                                                   \
	{                                                                                              \
		double r = NAN;                                                                            \
		double ignored;                                                                            \
		gdp_curve c;                                                                               \
                                                                                                   \
		(void) r;                                                                                  \
		(void) c;                                                                                  \
		(void) ignored;                                                                            \
		return (value);                                                                            \
	}
#include "golden_table.h"
#undef GOLDEN

typedef enum side
{
	NEAREST,
	UP,
	DOWN
} side;

typedef struct entry
{
	const char *name;
	side side;
	double (*value)(const double *x);
	int rows;
	int bad;
	double worst; /* largest distance, as a share of what is allowed */
	char where[512];
} entry;

#define GOLDEN(name, side, value) {#name, side, golden_##name, 0, 0, 0, ""},
static entry table[] = {
#include "golden_table.h"
};
#undef GOLDEN

#define TABLE_LENGTH (sizeof(table) / sizeof(table[0]))

/* How far the result is from the truth, as a share of what the side allows; above 1 is bad. */
static double
distance(side side, double result, long double truth)
{
	long double error = (long double) result - truth;
	long double allowed = (side == NEAREST ? 1e-13L : 1e-12L) * fabsl(truth);

	if ((long double) result == truth)
		return 0;
	if (!(fabs(result) <= DBL_MAX))
		return HUGE_VAL;
	if (fabsl(truth) < DBL_MIN)
		allowed = 2 * (long double) 4.95e-324;
	if ((side == UP && error < 0) || (side == DOWN && error > 0))
		return HUGE_VAL;
	return (double) (fabsl(error) / allowed);
}

static void
run_row(entry *e, const double *x, long double truth, const char *line)
{
	double d = distance(e->side, e->value(x), truth);

	e->rows++;
	if (!(d <= 1))
		e->bad++;
	if (!(d <= e->worst))
	{
		e->worst = d;
		snprintf(e->where, sizeof(e->where), "%s", line);
	}
}

/* Runs a file's rows: function, up to six arguments and the value, between tabs or blanks. */
static void
run_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];
	char missing[4096] = "";

	if (!ok(file != NULL, "%s can be read", path))
		return;
	for (size_t i = 0; i < TABLE_LENGTH; i++)
		table[i].rows = table[i].bad = 0, table[i].worst = 0;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char copy[512];
		double x[ARGUMENTS_MAX + 1] = {0};
		char *name;
		char *field;
		char *value = NULL;
		size_t i;

		line[strcspn(line, "\n")] = '\0';
		strcpy(copy, line);
		name = strtok(copy, "\t ");
		if (name == NULL || strcmp(name, "function") == 0)
			continue;
		for (int n = 0; n <= ARGUMENTS_MAX && (field = strtok(NULL, "\t ")) != NULL; n++)
		{
			x[n] = strtod(field, NULL);
			value = field;
		}
		for (i = 0; i < TABLE_LENGTH && strcmp(table[i].name, name) != 0; i++)
			;
		if (i < TABLE_LENGTH)
			run_row(&table[i], x, strtold(value, NULL), line);
		else if (strstr(missing, name) == NULL &&
				 strlen(missing) + strlen(name) + 2 < sizeof(missing))
			strcat(strcat(missing, " "), name);
	}
	fclose(file);
	for (size_t i = 0; i < TABLE_LENGTH; i++)
	{
		if (table[i].rows > 0 &&
			!ok(table[i].bad == 0, "%s: %s, %d rows (worst %.3g of what is allowed)", path,
				table[i].name, table[i].rows, table[i].worst))
			printf("# %d bad, worst: %s\n", table[i].bad, table[i].where);
	}
	ok(missing[0] == '\0', "%s: every function is covered%s", path, missing);
}

int
main(void)
{
	run_file("test/golden.tsv");
	run_file("test/reference.tsv");
	run_file("test/reference_compose.tsv");
	run_file("test/reference_papers.tsv");
	return done();
}
