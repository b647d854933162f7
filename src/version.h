/*
 * version.h
 *		The library and the extension's SQL objects belong together.
 */
#ifndef GAUSSDP_VERSION_H
#define GAUSSDP_VERSION_H

/* Refuses (55000) where this database has the SQL objects of another version than the library's. */
extern void gaussdp_check_version(void);

#endif /* GAUSSDP_VERSION_H */
