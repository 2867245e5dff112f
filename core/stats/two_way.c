/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/stats/two_way.h"

#include <math.h>
#include <stdlib.h>

#define SWEEPS_MAX 10000
/* A sweep that lowers the sum of squares by less than this share of it was the last. */
#define SETTLED 1e-14

/* Rows and blocks are nodes 0 .. n_rows - 1 and n_rows ..; parent[i] == i: the top of its part. */
static size_t top_of(size_t *parent, size_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* N - V - B + C: joining two nodes by their first value costs one of V + B - C. */
static size_t degrees_of_freedom(const double *y, size_t n_rows, size_t n_blocks)
{
	AUTOFREE size_t *parent = xcalloc(n_rows + n_blocks + 1, sizeof(*parent));
	size_t df = 0;

	for (size_t i = 0; i < n_rows + n_blocks; i++)
		parent[i] = i;
	for (size_t row = 0; row < n_rows; row++) {
		for (size_t block = 0; block < n_blocks; block++) {
			size_t a, b;

			if (!isfinite(y[row * n_blocks + block]))
				continue;
			a = top_of(parent, row);
			b = top_of(parent, n_rows + block);
			if (a == b)
				df++;
			else
				parent[a] = b;
		}
	}
	return df;
}

/* The row terms given the block terms (or the mirror of it): means of what is left. at(i, k) is
 * y[i * step + k * stride]. */
static void fit(const double *y, size_t n, size_t step, size_t n_other, size_t stride,
	const double *other, double *term)
{
	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		size_t count = 0;

		for (size_t k = 0; k < n_other; k++) {
			double value = y[i * step + k * stride];

			if (isfinite(value)) {
				sum += value - other[k];
				count++;
			}
		}
		term[i] = count ? sum / (double)count : 0;
	}
}

static double sum_of_squares(
	const double *y, size_t n_rows, size_t n_blocks, const double *rows, const double *blocks)
{
	double sum = 0;

	for (size_t row = 0; row < n_rows; row++) {
		for (size_t block = 0; block < n_blocks; block++) {
			double rest = y[row * n_blocks + block] - rows[row] - blocks[block];

			sum += isfinite(rest) ? rest * rest : 0;
		}
	}
	return sum;
}

double two_way_residual_variance(const double *y, size_t n_rows, size_t n_blocks)
{
	AUTOFREE double *rows = xcalloc(n_rows + 1, sizeof(*rows));
	AUTOFREE double *blocks = xcalloc(n_blocks + 1, sizeof(*blocks));
	size_t df = degrees_of_freedom(y, n_rows, n_blocks);
	double before = INFINITY, sum = INFINITY;

	if (!df)
		return NAN;
	for (size_t sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		fit(y, n_rows, n_blocks, n_blocks, 1, blocks, rows);
		fit(y, n_blocks, 1, n_rows, n_blocks, rows, blocks);
		before = sum;
		sum = sum_of_squares(y, n_rows, n_blocks, rows, blocks);
		if (!(before - sum > SETTLED * sum))
			break;
	}
	return sum / (double)df;
}
