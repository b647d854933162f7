/*
 * random.c
 *		The server's source of random bits for the sampler.
 *
 * pg_strong_random costs 0.6 us a call whatever it is asked for, so 4 kB are fetched at a time.  Bits
 * that wait in memory must serve once and in one process: a child that inherited the buffer by fork
 * finds the parent's process id there and starts afresh.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "aggregate/random.h"
#include "report.h"

static gdp_entropy entropy;
static int entropy_pid; /* the process whose bits are in the buffer; 0 before the first use */

static bool
fill_strong(void *context, void *out, size_t len)
{
	return pg_strong_random(out, len);
}

static void
wipe_at_exit(int code, Datum arg)
{
	gdp_entropy_wipe(&entropy);
}

static void
wipe_at_abort(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		gdp_entropy_wipe(&entropy);
}

gdp_entropy *
gaussdp_entropy(void)
{
	if (unlikely(entropy_pid != MyProcPid))
	{
		gdp_entropy_wipe(&entropy);
		if (entropy_pid == 0)
		{
			entropy.fill = fill_strong;
			RegisterXactCallback(wipe_at_abort, NULL);
		}
		/* The list of exit callbacks is not inherited by a child. */
		on_proc_exit(wipe_at_exit, (Datum) 0);
		entropy_pid = MyProcPid;
	}
	return &entropy;
}

gdp_int128
gaussdp_add_noise(gdp_int128 total, const gdp_noise *noise)
{
	const gdp_int128 max = (gdp_int128) (~(unsigned __int128) 0 >> 1);
	int64_t drawn = 0;
	gdp_int128 noisy;

	CHECK_FOR_INTERRUPTS(); /* a histogram has thousands of numbers */
	gaussdp_report(gdp_dgauss_sample(gaussdp_entropy(), noise->sigma_int, &drawn), "sigma",
				   noise->sigma);
	if (__builtin_add_overflow(total, (gdp_int128) drawn, &noisy))
		return total > 0 ? max : -max;
	return noisy;
}

int64
gaussdp_random_seed(void)
{
	int64 seed;

	if (!pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random bits")));
	return seed;
}
