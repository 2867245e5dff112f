/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/stats/two_way.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/describe.h"

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

/* Variances of this ratio and more are no chance of few values (threshold of the guard). */
#define UNEQUAL_RATIO 9

static size_t finite_row(const double *y, size_t n, double *to)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (isfinite(y[i]))
			to[m++] = y[i];
	}
	return m;
}

bool two_way_unequal(const double *y, size_t n_rows, size_t n_blocks)
{
	double *z = xcalloc(n_rows * n_blocks, sizeof(*z));
	double *values = xcalloc(n_rows + n_blocks, sizeof(*values));
	double *variances = xcalloc(n_rows, sizeof(*variances));
	size_t rows = 0;
	struct description all;

	for (size_t r = 0; r < n_rows; r++) {
		size_t n = finite_row(&y[r * n_blocks], n_blocks, values);
		double median = describe(values, n).median;

		for (size_t b = 0; b < n_blocks; b++)
			z[r * n_blocks + b] = y[r * n_blocks + b] - median;
	}
	for (size_t b = 0; b < n_blocks; b++) {
		size_t n = 0;
		double median;

		for (size_t r = 0; r < n_rows; r++) {
			if (isfinite(z[r * n_blocks + b]))
				values[n++] = z[r * n_blocks + b];
		}
		median = describe(values, n).median;
		for (size_t r = 0; r < n_rows; r++)
			z[r * n_blocks + b] -= median;
	}
	for (size_t r = 0; r < n_rows; r++) {
		size_t n = finite_row(&z[r * n_blocks], n_blocks, values);

		if (n >= 2)
			variances[rows++] = pow(describe(values, n).sd, 2);
	}
	all = describe(variances, rows);
	free(z);
	free(values);
	free(variances);
	return rows >= 3 && all.max > UNEQUAL_RATIO * all.median;
}
