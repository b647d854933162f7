/*
 * shorten.h
 *		Texts of any length, cut before functions make other texts of them.
 */
#ifndef GAUSSDP_POLICY_SHORTEN_H
#define GAUSSDP_POLICY_SHORTEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The call with its argument cut, or the text that it takes out of a document or an array; or the node as it is. */
extern Node *gaussdp_shorten(Node *node, const Query *query);

#endif /* GAUSSDP_POLICY_SHORTEN_H */
