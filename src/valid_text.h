/*
 * valid_text.h
 *		Whether a text is one of the server's encoding.
 */
#ifndef GAUSSDP_VALID_TEXT_H
#define GAUSSDP_VALID_TEXT_H

#include "postgres.h"

/* May values of the type hold text? */
extern bool gaussdp_has_text(Oid type);

/* Is all text in a value, not null, of that type valid in the server's encoding, without a zero byte? */
extern bool gaussdp_is_valid_text(Datum value, Oid type);

/* The same of a text, which is not looked up. */
extern bool gaussdp_is_valid_varlena(Datum value);

#endif /* GAUSSDP_VALID_TEXT_H */
