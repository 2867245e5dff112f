/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/stats/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/* n > 0; sorted in ascending order. */
static double sorted_quantile(const double *sorted, size_t n, double p)
{
	double at = (double)(n - 1) * p;
	size_t below = (size_t)at;

	if (below >= n - 1)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile(const double *x, size_t n, double p)
{
	AUTOFREE double *sorted = NULL;

	if (!n || !(p >= 0 && p <= 1))
		return NAN;
	sorted = xreallocarray(NULL, n, sizeof(*sorted));
	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return sorted_quantile(sorted, n, p);
}

struct description describe(const double *x, size_t n)
{
	struct description to = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	AUTOFREE double *work = NULL;
	double sum = 0, squares = 0, logs = 0;

	if (!n)
		return to;
	work = xreallocarray(NULL, n, sizeof(*work));
	memcpy(work, x, n * sizeof(*work));
	qsort(work, n, sizeof(*work), by_value);
	to.min = work[0];
	to.max = work[n - 1];
	to.median = sorted_quantile(work, n, 0.5);
	for (size_t i = 0; i < n; i++)
		sum += work[i];
	to.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		squares += (work[i] - to.mean) * (work[i] - to.mean);
		logs += work[i] > 0 ? log(work[i]) : NAN;
	}
	if (n > 1)
		to.sd = sqrt(squares / (double)(n - 1));
	to.geomean = exp(logs / (double)n);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(work[i] - to.median);
	qsort(work, n, sizeof(*work), by_value);
	to.mad = sorted_quantile(work, n, 0.5);
	return to;
}
