/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sample described. Empty arrays give NaN. */
#ifndef ASSAY_STATS_DESCRIBE_H
#define ASSAY_STATS_DESCRIBE_H

#include "core/base/util.h"

struct description {
	size_t n;
	double mean, sd;    /* sd: n - 1; NaN for n < 2 */
	double median, mad; /* median absolute deviation, not scaled */
	double min, max;
	double geomean; /* NaN unless all are > 0 */
};

struct description describe(const double *x, size_t n);
/* Linear interpolation between order statistics (type 7); p in [0, 1]. */
double quantile(const double *x, size_t n, double p);

#endif
