/*
 * exec.h
 *		The run of a level, from its inputs to its released rows.  What must be right.
 *
 * Nothing of the analyst's runs between the verdict on a level and its last row; all that is not protected is computed, copied,
 * checked and locked before the first protected row.  room.h has the order of the steps.
 *
 *		node.c				the plan node around all that: who opened the query, its other levels, its released rows
 *		room.c				one run
 *		inputs.c			what has no column in it is computed and becomes constants
 *		public_rows.c		public relations are read to their ends
 *		public_keys.c		how many of their rows agree in a key
 *		window_order.c		rows that windows would show in an order of their own are numbered
 *		image.c				by the bytes of values whose type has no order for them
 *		sets.c				grouping sets as plain groups, of each row once for each set
 *		weights.c			each row weighed by its person, by the node of people/ or window functions
 *		weight_windows.c	these window functions
 *		nested.c			queries of a level, each in FROM of the next: what the last four are made of
 *		row_width.c			rows are compared by short values
 *		exact_level.c		the level as a query of exact numbers, and a program for its rows
 *		release_rows.c		noise is drawn for each row; HAVING and SELECT of released values
 *		expected.c			numbers that end with their type
 *		measures.c			dates, times, intervals and money as numbers, and back
 *		estimates.c			the level is planned alone, without statistics of its rows
 *		plan_alone.c		no other library's hook sees the level
 *		locks.c				tables, indexes and TOAST tables are locked
 *		conditions.c		settings and isolation levels under which nothing runs
 *		plan_proof.c		the finished plan is proven
 *		page_reads.c		which pages are read depends on no row
 *		processes.c			a parallel plan starts its processes once, whatever the rows are, and they look up nothing late
 *		row_memory.c		and evaluates alone what looks at long values
 *		extent.c			and refused where its tables are larger than a grant or the server allows
 *		resources.c			or where buffers, locks, memory or disk that it can need are not there
 *		row_bytes.c			how large its rows can be
 *		temp_files.c		where its temporary files go
 *		temp_space.c		and how much of these disks is another level's
 *		reading.c			protected rows are read, and once more, where something was lacking
 *		find_rows.c			as how many rows a person counts, where that is found in the rows
 *		price.c				what it draws, and what that costs
 *		side_channels.c		each side channel that is closed while it runs, and how errors leave
 *		last_answer.c		what the session's last statement has released, and what it has cut off
 *		publish.c			what a query releases, in a table
 *		progress.c			how far it is, for those who may see that
 *		kept_level.c		rows that were released for an equal level are shown again
 *		kept_rows.c			these rows as bytes
 *		drawn_before.c		whether that will be so, for prices
 *		released.c			the released rows, in the order of their keys
 *		shown_plan.c		EXPLAIN, for who may read the rows anyhow
 *		caches.c			the session's caches of the catalogs are as they were
 *
 * Other folders include this header, and no other one of this folder.
 */
#ifndef GAUSSDP_POLICY_EXEC_EXEC_H
#define GAUSSDP_POLICY_EXEC_EXEC_H

#include "postgres.h"

#include "policy/exec/caches.h"
#include "policy/exec/estimates.h"
#include "policy/exec/find_rows.h"
#include "policy/exec/inputs.h"
#include "policy/exec/kept_level.h"
#include "policy/exec/nested.h"
#include "policy/exec/plan_alone.h"
#include "policy/exec/price.h"
#include "policy/exec/processes.h"
#include "policy/exec/progress.h"
#include "policy/exec/publish.h"
#include "policy/exec/room.h"
#include "policy/exec/sets.h"
#include "policy/exec/side_channels.h"
#include "policy/exec/temp_space.h"
#include "policy/exec/weights.h"
#include "policy/exec/window_order.h"

#endif /* GAUSSDP_POLICY_EXEC_EXEC_H */
