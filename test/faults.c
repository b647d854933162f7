/*
 * faults.c
 *	  Fewer page faults in the servers of the tests, by LD_PRELOAD (test/run).
 *
 * Most backends of the tests live for one question, and take 740 page faults for SELECT 1. Where these are dear, as in a virtual
 * machine within another, they are nine tenths of its time. 250 remain, as
 *
 * - what a backend allocates comes in large pages of its own, and not from what is left of the postmaster's; it keeps what it has
 *   freed (which GLIBC_TUNABLES would not do: of two settings in there, glibc 2.36 hands only the first to the next program),
 * - the program itself is in large pages, which fork hands on,
 * - a backend that has ended by proc_exit ends at once, without the destructors of forty libraries.
 *
 * Nothing of it changes what a server does. The long form (GAUSSDP_FULL) runs without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE ((uintptr_t) 2 << 20)

/* Of the program postgres alone. */
extern bool proc_exit_inprogress __attribute__((weak));

static pid_t postmaster;

/* Where malloc's memory starts in this process; read by nobody, so that the compiler leaves the call. */
void *faults_left;

/* What is left at the end of the postmaster's memory is passed over, up to the next large page. */
static void
in_child(void)
{
	size_t left = mallinfo2().keepcost;

	if (left > 256)
		faults_left = malloc(left - 128);
	sbrk(-(uintptr_t) sbrk(0) & (LARGE - 1));
}

/* Moves the part of a mapping that fills large pages into such. */
static void
enlarge(uintptr_t from, uintptr_t to, int protection)
{
	size_t size;
	char *room;
	uintptr_t copy;

	from = (from + LARGE - 1) & ~(LARGE - 1);
	to &= ~(LARGE - 1);
	if (from >= to)
		return;
	size = to - from;
	room = mmap(NULL, size + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return;
	copy = ((uintptr_t) room + LARGE - 1) & ~(LARGE - 1);
	if (madvise((void *) copy, size, MADV_HUGEPAGE) == 0)
	{
		memcpy((void *) copy, (void *) from, size);
		if (mprotect((void *) copy, size, protection) == 0)
			mremap((void *) copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *) from);
	}
	/* its ends, and all of it where it has not moved */
	munmap(room, size + LARGE);
}

__attribute__((constructor)) static void
at_start(void)
{
	FILE *maps = &proc_exit_inprogress ? fopen("/proc/self/maps", "r") : NULL;
	char line[1024];

	if (!maps)
		return;
	postmaster = getpid();
	while (fgets(line, sizeof(line), maps))
	{
		uintptr_t from, to;
		char may[5];

		/* the code of libraries, and all of the program that is never written */
		if (sscanf(line, "%lx-%lx %4s", &from, &to, may) == 3 && may[0] == 'r' && may[1] == '-' &&
			strchr(line, '/') && (may[2] == 'x' || strstr(line, "/postgres\n")))
			enlarge(from, to, may[2] == 'x' ? PROT_READ | PROT_EXEC : PROT_READ);
	}
	fclose(maps);
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	pthread_atfork(NULL, NULL, in_child);
}

void
exit(int status)
{
	void (*next)(int) = (void (*)(int)) dlsym(RTLD_NEXT, "exit");

	if (postmaster && postmaster != getpid() && proc_exit_inprogress)
	{
		fflush(NULL);
		_exit(status);
	}
	next(status);
	abort();
}
