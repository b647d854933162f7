/*
 * row_chunks.h
 *		What partitions of people's rows are made of, for who fills them (row_partitions.c) and who reads them (row_reading.c).
 */
#ifndef GAUSSDP_POLICY_PEOPLE_ROW_CHUNKS_H
#define GAUSSDP_POLICY_PEOPLE_ROW_CHUNKS_H

#include "postgres.h"

#include "policy/people/row_partitions.h"

/* In a file a chunk has numbers in the place of this process's addresses. */
struct GaussdpChunk
{
	union
	{
		GaussdpChunk *next;
		uint64 before; /* where the one before stands in the file */
	};
	union
	{
		char *used;           /* up to here */
		uint64 length_before; /* of the one before in the file */
	};
	char rows[FLEXIBLE_ARRAY_MEMBER];
};

#define GAUSSDP_FILE_NAME_LENGTH 16

/* The name of a file that processes share: by who writes it. */
static inline void
gaussdp_name_file(char name[GAUSSDP_FILE_NAME_LENGTH], int writer)
{
	snprintf(name, GAUSSDP_FILE_NAME_LENGTH, "%d", writer);
}

#endif /* GAUSSDP_POLICY_PEOPLE_ROW_CHUNKS_H */
