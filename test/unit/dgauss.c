/*
 * dgauss.c
 *		The discrete Gaussian sampler: its law, and what happens when the random source fails.
 */
#include "dgauss.h"

#define DRAWS 400000

static gdp_entropy entropy;
static recorded source;

/* The golden rows that concern the discrete law, against the summation the other tests rely on. */
static void
test_golden(void)
{
	static const struct
	{
		double epsilon, sigma;
		long shift;
		long double delta;
	} row[] = {{1, 10, 3, 5.48227211106027060469158441742e-5L},
			   {0, 5, 1, 0.0797884560802865355879892119869L},
			   {0.5, 2, 1, 0.0540072236941544209178213828696L},
			   {2, 1, 1, 0.0248110518225276685193528738221L},
			   {0.1, 100, 10, 0.00875155642993009264528156420045L},
			   {5, 3, 6, 0.0334170010903035431211324740814L}};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
	{
		long double delta = dgauss_delta(row[i].epsilon, row[i].sigma, row[i].shift);

		ok(fabsl(delta / row[i].delta - 1) < 1e-14L, "delta(%g) of sigma %g, shift %ld",
		   row[i].epsilon, row[i].sigma, row[i].shift);
	}
	ok(fabsl(dgauss_tail(5, 2) / 0.0114921231683805269464262885676L - 1) < 1e-14L,
	   "tail of sigma 2 from 5");
}

/* P(B >= k) and P(B <= k) for B binomial(n, p), n p moderate. */
static double
binomial_tail(long n, double p, long k, bool upper)
{
	double sum = 0;
	long from = upper ? k : 0, to = upper ? k + 2000 : k;

	for (long i = from; i <= to && i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
				   (n - i) * log1p(-p));
	return sum;
}

/* A sigma as the library uses it: moments, tails, shape, low bits, independence. */
static void
test_large(int64_t sigma)
{
	static const double limit[] = {3, 4, 4.5};
	long beyond[3] = {0}, bin[100] = {0}, low[8] = {0}, repeats = 0;
	double sum = 0, squares = 0, lagged = 0, before = 0, chi_bin = 0, chi_low = 0, tail, z;
	int64_t y = 0, y_before = 0;
	int failures = 0;

	z = gdp_norm_upper_quantile(ALPHA / 2);
	for (int i = 0; i < DRAWS; i++)
	{
		double x;

		failures += gdp_dgauss_sample(&entropy, sigma, &y) != GDP_OK;
		x = (double) y / (double) sigma;
		sum += x;
		squares += x * x;
		lagged += x * before;
		repeats += y == y_before;
		for (int j = 0; j < 3; j++)
			beyond[j] += fabs(x) > limit[j];
		bin[(int) (100 * gdp_norm_cdf(x))]++;
		low[y & 7]++;
		before = x;
		y_before = y;
	}
	for (int i = 0; i < 100; i++)
		chi_bin += (bin[i] - DRAWS / 100.0) * (bin[i] - DRAWS / 100.0) / (DRAWS / 100.0);
	for (int i = 0; i < 8; i++)
		chi_low += (low[i] - DRAWS / 8.0) * (low[i] - DRAWS / 8.0) / (DRAWS / 8.0);

	ok(failures == 0, "sigma %lld: every draw succeeds", (long long) sigma);
	ok(fabs(sum) < z * sqrt(DRAWS), "mean is 0: z = %.2f", sum / sqrt(DRAWS));
	ok(fabs(squares - DRAWS) < z * sqrt(2.0 * DRAWS), "variance is sigma^2: z = %.2f",
	   (squares - DRAWS) / sqrt(2.0 * DRAWS));
	ok(fabs(lagged) < z * sqrt(DRAWS), "neighbours are uncorrelated: z = %.2f",
	   lagged / sqrt(DRAWS));
	ok(chi_bin < chi_square_limit(99), "chi-square over 100 equal bins: %.1f", chi_bin);
	ok(chi_low < chi_square_limit(7), "chi-square of the last three bits: %.1f", chi_low);
	ok(repeats == 0, "no value follows itself");
	for (int j = 0; j < 3; j++)
	{
		tail = 2 * gdp_norm_sf(limit[j]);
		ok(binomial_tail(DRAWS, tail, beyond[j], true) > ALPHA / 2 &&
			   binomial_tail(DRAWS, tail, beyond[j], false) > ALPHA / 2,
		   "%ld values beyond %g sigma, %.1f expected", beyond[j], limit[j], DRAWS * tail);
	}
}

static bool
stuck_fill(void *context, void *out, size_t len)
{
	memset(out, *(unsigned char *) context, len);
	return true;
}

/* A source that repeats one byte ends in a status, not in a loop. */
static void
test_stuck(void)
{
	gdp_entropy stuck;
	unsigned char byte = 0;
	int ended = 0, refused = 0;

	stuck.fill = stuck_fill;
	stuck.context = &byte;
	for (int value = 0; value < 256; value++)
		for (int shift = 0; shift < 41; shift += 8)
		{
			int64_t y = 7;
			gdp_status status;

			byte = (unsigned char) value;
			gdp_entropy_wipe(&stuck);
			status = gdp_dgauss_sample(&stuck, (INT64_C(1) << shift) + shift, &y);
			ended += status == GDP_OK || (status == GDP_NO_ENTROPY && y == 7);
			refused += status == GDP_NO_ENTROPY;
		}
	ok(ended == 256 * 6, "a source stuck at one byte ends every draw");
	ok(refused > 0, "%d of them with a refusal", refused);
}

static void
test_failure(void)
{
	int64_t y = 7, again;
	uint32_t nothing = 0;
	int draws = 0;
	gdp_status status;

	recorded_init(&source, &entropy, 1);
	source.fail_at = 1;
	ok(gdp_dgauss_sample(&entropy, 1 << 20, &y) == GDP_NO_ENTROPY && y == 7,
	   "no entropy from the start: refused, nothing written");
	ok(gdp_dgauss_sample(&entropy, 1 << 20, &y) == GDP_OK,
	   "the source has recovered: drawn from fresh bits");

	recorded_init(&source, &entropy, 1);
	source.fail_at = 3;
	do
	{
		y = INT64_MIN;
		status = gdp_dgauss_sample(&entropy, 1 << 20, &y);
	} while (status == GDP_OK && ++draws < 1000);
	ok(status == GDP_NO_ENTROPY && y == INT64_MIN && draws > 20,
	   "no entropy in the middle of a draw: refused, nothing written");
	for (int i = 0; i < GDP_ENTROPY_WORDS; i++)
		nothing |= entropy.words[i];
	ok(nothing == 0 && entropy.left == 0, "a failure wipes the buffer");

	recorded_init(&source, &entropy, 2);
	gdp_dgauss_sample(&entropy, INT64_C(1) << 30, &y);
	nothing = 0;
	for (uint32_t i = entropy.left; i < GDP_ENTROPY_WORDS; i++)
		nothing |= entropy.words[i];
	ok(entropy.left < GDP_ENTROPY_WORDS && nothing == 0, "used words are zeroed");
	gdp_entropy_wipe(&entropy);
	for (int i = 0; i < GDP_ENTROPY_WORDS; i++)
		nothing |= entropy.words[i];
	ok(entropy.left == 0 && nothing == 0, "a wiped buffer is empty and zero");

	recorded_init(&source, &entropy, 2);
	gdp_dgauss_sample(&entropy, INT64_C(1) << 30, &again);
	ok(again == y, "the same bits give the same noise");
}

static void
test_domain(void)
{
	static const int64_t bad[] = {0, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 41};
	int64_t y = 7;
	int refused = 0;

	for (int i = 0; i < 5; i++)
		refused += gdp_status_code(gdp_dgauss_sample(&entropy, bad[i], &y)) == GDP_BAD_SIGMA;
	ok(refused == 5 && y == 7, "sigma outside 1 .. 2^41 - 1 is refused");
	ok(gdp_dgauss_sample(&entropy, (INT64_C(1) << 41) - 1, &y) == GDP_OK, "2^41 - 1 is legal");
	ok(gdp_dgauss_sample(&entropy, 1, &y) == GDP_OK, "1 is legal");
}

int
main(void)
{
	test_golden();
	test_failure();
	test_stuck();
	recorded_init(&source, &entropy, 3);
	test_domain();
	test_law(&entropy, 1, DRAWS);
	test_law(&entropy, 2, DRAWS);
	test_law(&entropy, 5, DRAWS);
	test_law(&entropy, 37, DRAWS);
	test_large(INT64_C(1) << 30);
	test_large((INT64_C(1) << 31) - 1);
	test_large((INT64_C(1) << 40) + 12345);
	return done();
}
