/*
 * random.h
 *		The server's source of random bits for the sampler.
 *
 * Reads from PostgreSQL's strong random source, hands to core/dgauss.c.
 */
#ifndef GAUSSDP_AGGREGATE_RANDOM_H
#define GAUSSDP_AGGREGATE_RANDOM_H

#include "postgres.h"

#include "core/core.h"

/*
 * This process's source.  The buffer is never shared with another process, a used word is zeroed at
 * once, and what is left over is wiped when a transaction aborts and when the process ends.
 */
extern gdp_entropy *gaussdp_entropy(void);

/*
 * total plus fresh discrete Gaussian noise, as an integer; saturates.  The one step in which an exact
 * total becomes a number that may be released.  XX000, nothing released, if the random source fails.
 */
extern gdp_int128 gaussdp_add_noise(gdp_int128 total, const gdp_noise *noise);

/* 64 random bits for a choice that privacy does not rest on.  XX000 if the random source fails. */
extern int64 gaussdp_random_seed(void);

#endif /* GAUSSDP_AGGREGATE_RANDOM_H */
