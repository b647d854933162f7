/*
 * closing.h
 *		Budgets end with the tables and roles that they are for.  Private to ledger/.
 */
#ifndef GAUSSDP_LEDGER_CLOSING_H
#define GAUSSDP_LEDGER_CLOSING_H

#include "postgres.h"

/*
 * Closes the budgets of a role that is being dropped, and of all that are gone already (they may have
 * been dropped in another database) unless somebody holds a lock on them; within the ledger's rights.
 * False if there were none.
 */
extern bool gaussdp_close_roles(Oid dropped);

#endif /* GAUSSDP_LEDGER_CLOSING_H */
