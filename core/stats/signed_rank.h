/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The signed-rank statistic T+ (sum of the ranks of the positive ones of n values that are
 * symmetric about 0) and the Walsh averages (d_i + d_j) / 2, i <= j, that its test inverts to
 * (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, chapter 3).
 */
#ifndef ASSAY_STATS_SIGNED_RANK_H
#define ASSAY_STATS_SIGNED_RANK_H

#include "core/base/util.h"

/* Up to here the distribution is exact, above by the normal approximation. */
#define SIGNED_RANK_EXACT_MAX 50

/* Largest k with P(T+ <= k - 1) <= tail; 0 = there is none. The interval [W_(k), W_(M + 1 - k)] of
 * the M = n (n + 1) / 2 ordered Walsh averages then has error level at most 2 tail. */
size_t signed_rank_critical(size_t n, double tail);

/* The k-th smallest (1 .. n (n + 1) / 2) Walsh average of d, which is in ascending order. Takes no
 * memory and O(n) steps for each of 64 halvings. */
double walsh_order(const double *sorted, size_t n, size_t k);

#endif
