/*
 * named_objects.h
 *		What a level's expressions name, and may be dropped: types, operators, functions, collations.
 */
#ifndef GAUSSDP_POLICY_EXEC_NAMED_OBJECTS_H
#define GAUSSDP_POLICY_EXEC_NAMED_OBJECTS_H

#include "postgres.h"

#include "catalog/objectaddress.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"

/* Of ObjectAddress *: those of expressions and queries that are not PostgreSQL's own.  Error: 42704, where one is gone. */
extern List *gaussdp_named_objects(Node *computed);

/* Nobody drops one from here until the transaction ends; an error where somebody just has.  Before the verdict. */
extern void gaussdp_lock_named_objects(Node *computed);

#endif /* GAUSSDP_POLICY_EXEC_NAMED_OBJECTS_H */
