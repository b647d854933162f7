/*
 * version.h
 *		The library and the extension's SQL objects belong together.
 */
#ifndef GAUSSDP_VERSION_H
#define GAUSSDP_VERSION_H

/* NULL, or how the SQL objects in this database differ from the library, and what mends it. */
extern const char *gaussdp_version_problem(const char **hint);

/* Refuses (55000) where they differ; detail says what was not done. */
extern void gaussdp_check_version(const char *detail);

#endif /* GAUSSDP_VERSION_H */
