/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/stats/compare.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/signed_rank.h"

/* From here on signed ranks: below, no two-sided 5 % interval of them exists. */
#define HL_FROM 6

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_REGRESSED] = "regressed",
		[VERDICT_IMPROVED] = "improved",
		[VERDICT_SAME] = "same",
		[VERDICT_UNDECIDED] = "undecided",
		[VERDICT_UNMEASURED] = "unmeasured",
	};

	return names[verdict];
}

const char *interval_method_name(enum interval_method method)
{
	static const char *const names[] = {
		[METHOD_T] = "t", [METHOD_HL] = "signed-rank", [METHOD_EXACT] = "exact"};

	return names[method];
}

/* --- Intervals ---------------------------------------------------------------------------------
 */

static struct interval unbounded(double estimate, enum interval_method method, double level)
{
	return (struct interval){estimate, -INFINITY, INFINITY, method, level, 0};
}

struct interval interval_t(const double *d, size_t n, double level, struct variance_prior prior)
{
	double N = (double)n, mean = 0, squares = 0, df, half;
	/* A prior that could not be had (NaN) is none. */
	bool known = prior.d0 > 0 && isfinite(prior.d0) && prior.s02 >= 0 && isfinite(prior.s02);

	if (!n)
		return unbounded(NAN, METHOD_T, level);
	for (size_t i = 0; i < n; i++)
		mean += d[i] / N;
	for (size_t i = 0; i < n; i++)
		squares += (d[i] - mean) * (d[i] - mean);
	df = N - 1;
	if (known) {
		df += prior.d0;
		squares += prior.d0 * prior.s02;
	}
	if (!(df > 0) || !(level > 0 && level < 1))
		return unbounded(mean, METHOD_T, level);
	half = gsl_cdf_tdist_Qinv(level / 2, df) * sqrt(squares / df / N);
	return (struct interval){mean, mean - half, mean + half, METHOD_T, level, df};
}

bool interval_hl_exists(size_t n, double level)
{
	return signed_rank_critical(n, level / 2) > 0;
}

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

struct interval interval_hl(const double *d, size_t n, double level)
{
	size_t M = n * (n + 1) / 2, k = signed_rank_critical(n, level / 2);
	AUTOFREE double *sorted = NULL;
	struct interval to;

	if (!n)
		return unbounded(NAN, METHOD_HL, level);
	sorted = xreallocarray(NULL, n, sizeof(*sorted));
	memcpy(sorted, d, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	to = unbounded(walsh_order(sorted, n, (M + 1) / 2), METHOD_HL, level);
	if (M % 2 == 0)
		to.estimate = (to.estimate + walsh_order(sorted, n, M / 2 + 1)) / 2;
	if (k) {
		to.low = walsh_order(sorted, n, k);
		to.high = walsh_order(sorted, n, M + 1 - k);
		to.df = (double)(n - 1);
	}
	return to;
}

struct interval interval_paired(
	const double *d, size_t n, double level, struct variance_prior prior)
{
	if (n < HL_FROM || !interval_hl_exists(n, level))
		return interval_t(d, n, level, prior);
	return interval_hl(d, n, level);
}

/* --- Verdicts ----------------------------------------------------------------------------------
 */

enum verdict verdict_decide(const struct interval *i95, const struct interval *i90, double D,
	int better, enum doubt *ret_doubt)
{
	enum doubt doubt = DOUBT_NONE;
	enum verdict verdict;

	/* Every comparison with NaN is false: what is not known stays undecided. */
	if (i90->low > -D && i90->high < D) {
		verdict = VERDICT_SAME;
	} else if (i95->low > 0 && i95->estimate >= D) {
		verdict = better >= 0 ? VERDICT_REGRESSED : VERDICT_IMPROVED;
	} else if (i95->high < 0 && i95->estimate <= -D) {
		verdict = better >= 0 ? VERDICT_IMPROVED : VERDICT_REGRESSED;
	} else {
		verdict = VERDICT_UNDECIDED;
		doubt = i95->low > 0 || i95->high < 0 ? DOUBT_NEAR_DELTA : DOUBT_NOISE;
	}
	if (ret_doubt)
		*ret_doubt = doubt;
	return verdict;
}

double half_width_at(const struct interval *interval, size_t n, size_t n2)
{
	double half = (interval->high - interval->low) / 2, t;

	if (n2 == n || half == 0)
		return half;
	if (n2 < 2 || !isfinite(half) || !(interval->df > 0))
		return INFINITY;
	t = gsl_cdf_tdist_Qinv(interval->level / 2, interval->df);
	return half / t * gsl_cdf_tdist_Qinv(interval->level / 2, (double)(n2 - 1)) *
	       sqrt((double)n / (double)n2);
}

/* From here on t and the normal quantile differ by less than an estimate is worth. */
#define NEARLY_NORMAL 10000

size_t blocks_needed(const struct interval *interval, size_t n, double D)
{
	double half = (interval->high - interval->low) / 2, need;
	size_t blocks;

	if (half <= D && D > 0)
		return n;
	if (!(D > 0) || !isfinite(half) || !(interval->df > 0))
		return SIZE_MAX;
	/* By the normal quantile it is a little less: from there one after the other. */
	need = half * sqrt((double)n) / gsl_cdf_tdist_Qinv(interval->level / 2, interval->df) *
	       gsl_cdf_ugaussian_Qinv(interval->level / 2) / D;
	need = ceil(need * need);
	if (!(need < 1e15))
		return SIZE_MAX;
	blocks = need > (double)n ? (size_t)need : n + 1;
	while (blocks < NEARLY_NORMAL && half_width_at(interval, n, blocks) > D)
		blocks++;
	return blocks;
}
