/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows (variants) by blocks, with one value a cell and holes. */
#ifndef ASSAY_STATS_TWO_WAY_H
#define ASSAY_STATS_TWO_WAY_H

#include "core/base/util.h"

/*
 * Residual variance of y[row * n_blocks + block] (logs; not finite = missing) after a term for each
 * row and each block, by least squares over the values that are there: incomplete blocks and failed
 * runs lose no block. Residual sum of squares over N - V - B + C degrees of freedom (N values, V
 * rows and B blocks that have any, in C connected parts). Where nothing is missing that is
 * Sum (y_vb - y_v. - y_.b + y_..)^2 / ((V - 1)(B - 1)). NaN without a degree of freedom.
 * O(N) steps a sweep; few sweeps, none to repeat where nothing is missing.
 */
double two_way_residual_variance(const double *y, size_t n_rows, size_t n_blocks);

/*
 * Is one row so much noisier than the others that pooling would spoil all of them? Variance of each
 * row after row medians and block medians were taken out; true when the largest is more than 9
 * times the median of all. Needs three rows with two values.
 */
bool two_way_unequal(const double *y, size_t n_rows, size_t n_blocks);

#endif
