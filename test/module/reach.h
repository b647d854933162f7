/*
 * reach.h
 *		For tests: functions of the loaded library that it shows nobody.
 */
#ifndef GAUSSDP_TEST_REACH_H
#define GAUSSDP_TEST_REACH_H

/*
 * The function of this name in the library that serves the session, whose state it has; an error where there
 * is none, as in a library that was stripped.  All else the tests call in their own copy.
 */
extern void *test_reach(const char *name);

#endif /* GAUSSDP_TEST_REACH_H */
