/*
 * row_bytes.h
 *		How many bytes the rows of a level have, at most, where a node of its plan keeps them.
 */
#ifndef GAUSSDP_POLICY_EXEC_ROW_BYTES_H
#define GAUSSDP_POLICY_EXEC_ROW_BYTES_H

#include "postgres.h"

#include "policy/exec/room.h"

/* Bytes of all rows of the level together, by the sizes of its tables and public rows, and by what is computed of each row. */
extern double gaussdp_bytes_of_rows(const GaussdpRoom *room);

#endif /* GAUSSDP_POLICY_EXEC_ROW_BYTES_H */
