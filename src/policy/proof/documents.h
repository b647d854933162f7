/*
 * documents.h
 *		Fields of documents, as text: those that are documents themselves are NULL.
 */
#ifndef GAUSSDP_POLICY_PROOF_DOCUMENTS_H
#define GAUSSDP_POLICY_PROOF_DOCUMENTS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* The document, but NULL where that field of it is an object or an array. */
extern Node *gaussdp_guard_document(Node *document, Node *key, Oid collation);

/* Arguments of ->> with that input collation: is the document guarded, so that its field is none? */
extern bool gaussdp_has_plain_field(List *args, Oid collation);

#endif /* GAUSSDP_POLICY_PROOF_DOCUMENTS_H */
