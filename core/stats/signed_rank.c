/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/stats/signed_rank.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "core/stats/compare.h"

#define SUM_MAX (SIGNED_RANK_EXACT_MAX * (SIGNED_RANK_EXACT_MAX + 1) / 2)

/* counts[s]: in how many of the 2^n choices of signs the positive ranks sum to s. At most 2^50:
 * exact in a double. */
static void count_sums(size_t n, double counts[SUM_MAX + 1])
{
	size_t top = 0;

	memset(counts, 0, (SUM_MAX + 1) * sizeof(*counts));
	counts[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		top += rank;
		for (size_t s = top; s >= rank; s--)
			counts[s] += counts[s - rank];
	}
}

double signed_rank_cdf(size_t n, size_t k)
{
	double counts[SUM_MAX + 1], sum = 0;

	if (n > SIGNED_RANK_EXACT_MAX)
		return NAN;
	if (k >= n * (n + 1) / 2)
		return 1;
	count_sums(n, counts);
	for (size_t s = 0; s <= k; s++)
		sum += counts[s];
	return ldexp(sum, -(int)n);
}

size_t signed_rank_critical(size_t n, double tail)
{
	double counts[SUM_MAX + 1], sum = 0, N = (double)n;
	double k;

	if (!n || !(tail > 0))
		return 0;
	if (n <= SIGNED_RANK_EXACT_MAX) {
		size_t at = 0;

		count_sums(n, counts);
		while (at <= n * (n + 1) / 4 && ldexp(sum + counts[at], -(int)n) <= tail)
			sum += counts[at++];
		return at;
	}
	/* P(T+ <= k - 1) ~ Phi((k - 1 + 1/2 - mean) / sd) */
	k = floor(N * (N + 1) / 4 + 0.5 +
		  gsl_cdf_ugaussian_Pinv(tail < 0.5 ? tail : 0.5) *
			  sqrt(N * (N + 1) * (2 * N + 1) / 24));
	return k > 0 ? (size_t)k : 0;
}

/* Doubles in ascending order as integers, and back. */
static double from_order(uint64_t order)
{
	uint64_t bits = order & (UINT64_C(1) << 63) ? order ^ (UINT64_C(1) << 63) : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t to_order(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits & (UINT64_C(1) << 63) ? ~bits : bits | (UINT64_C(1) << 63);
}

/* How many Walsh averages are <= limit. Rounding is monotone, so the pairs form a staircase. */
static size_t count_up_to(const double *sorted, size_t n, double limit)
{
	size_t count = 0, j = n;

	for (size_t i = 0; i < n; i++) {
		while (j > 0 && sorted[i] / 2 + sorted[j - 1] / 2 > limit)
			j--;
		if (j <= i)
			break;
		count += j - i; /* the partners i .. j - 1 */
	}
	return count;
}

double walsh_order(const double *sorted, size_t n, size_t k)
{
	uint64_t low = to_order(sorted[0]), high = to_order(sorted[n - 1]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (count_up_to(sorted, n, from_order(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return from_order(low) + 0.0; /* no -0 */
}
