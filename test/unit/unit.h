/*
 * unit.h
 *		A small TAP harness for plain C tests: ok() for each property, done() at the end of main.
 *
 *	int main(void)
 *	{
 *		ok(1 + 1 == 2, "one and one");
 *		ok(f(x) <= limit, "f(%g) is at most %g", x, limit);
 *		return done();
 *	}
 *
 * Programs run from the top of the tree, so that test/golden.tsv can be opened by that name.
 */
#ifndef GAUSSDP_TEST_UNIT_H
#define GAUSSDP_TEST_UNIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int unit_tests;
static int unit_failures;

/* Reports one test; the name is a printf format.  Returns the condition. */
#define ok(condition, ...) unit_ok((condition), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static bool
unit_ok(bool condition, const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", condition ? "" : "not ", ++unit_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!condition)
	{
		unit_failures++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return condition;
}

/* Prints the plan; what main returns. */
static inline int
done(void)
{
	printf("1..%d\n", unit_tests);
	return unit_failures != 0;
}

#endif /* GAUSSDP_TEST_UNIT_H */
