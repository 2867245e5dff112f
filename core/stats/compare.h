/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparing two variants from runs in common blocks. Pure functions on arrays.
 *
 * d_i = ln(t_variant,i) - ln(t_baseline,i) in block i. With a random order inside each block d_i is
 * symmetric about its centre whatever drifts, so signed-rank inference holds by design. Effects are
 * exp(d) - 1. For metrics that can be zero or negative, and absolute differences, d_i is the plain
 * difference (scale COMPARE_ABSOLUTE).
 */
#ifndef ASSAY_STATS_COMPARE_H
#define ASSAY_STATS_COMPARE_H

#include "core/base/util.h"

enum verdict {
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
	VERDICT_SAME,
	VERDICT_UNDECIDED,
	VERDICT_UNMEASURED,
};
const char *verdict_name(enum verdict verdict); /* "regressed" ... */

enum interval_method {
	METHOD_T,     /* moderated paired t, below n = 6 or without an exact signed-rank interval */
	METHOD_HL,    /* Hodges-Lehmann with the exact signed-rank distribution */
	METHOD_EXACT, /* both sides constant and exact: equal without a test */
};
const char *interval_method_name(enum interval_method method);

struct interval {
	double estimate, low, high; /* on the scale of d; low/high +-INFINITY when there is none */
	enum interval_method method;
	double level; /* two-sided error level it was made for */
	double df;    /* degrees of freedom behind its width; n - 1 for signed ranks */
};

/* Variance known beforehand for the moderated t: d0 degrees of freedom, variance s02 of d
 * (doc/statistics.md: d0 = 4, s02 = 2 x two-way residual variance). d0 = 0: plain t. */
struct variance_prior {
	double d0, s02;
};

/* Moderated paired t. n >= 1 with a prior, >= 2 without; else infinite. A prior with NaN is none.
 * The values of d are finite. */
struct interval interval_t(const double *d, size_t n, double level, struct variance_prior prior);
/* HL estimate with exact signed-rank interval for n <= 50 (normal approximation with continuity
 * correction above); infinite when no interval exists at that level. */
struct interval interval_hl(const double *d, size_t n, double level);
bool interval_hl_exists(size_t n, double level);
/* The rule of doc/statistics.md: t below n = 6 or where the exact interval does not exist, else HL.
 */
struct interval interval_paired(
	const double *d, size_t n, double level, struct variance_prior prior);

enum doubt {
	DOUBT_NONE,
	DOUBT_NOISE,
	DOUBT_NEAR_DELTA
};
/*
 * Verdict from the simultaneous intervals (doc/statistics.md). D > 0 on the scale of d. better:
 * +1 when lower is better (d > 0 is worse), -1 when higher is better. ret_doubt may be NULL.
 */
enum verdict verdict_decide(const struct interval *i95, const struct interval *i90, double D,
	int better, enum doubt *ret_doubt);

/* Half width that n2 pairs with the scatter of these n would show at the same level: the interval
 * gives s = h sqrt(n) / t(df), and that t(n2 - 1) s / sqrt(n2). Signed ranks, hardly wider, are
 * taken as t. Infinite when there is no interval or n2 < 2. */
double half_width_at(const struct interval *interval, size_t n, size_t n2);
/* Fewest pairs, at least n, for a half width of at most D by the formula above. (For large n that
 * is n (h/D)^2; from few pairs, where t is wide, it is up to three times less.) SIZE_MAX when no
 * number would do (no interval, D <= 0). */
size_t blocks_needed(const struct interval *interval, size_t n, double D);

/* Cumulative counts of the signed-rank statistic: P(T+ <= k) for n <= 50, NaN above. */
double signed_rank_cdf(size_t n, size_t k);

#endif
