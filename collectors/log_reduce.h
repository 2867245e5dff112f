/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value from many: `reduce` of log rules, `combine` of a workload's own metrics. */
#ifndef ASSAY_COLLECTORS_LOG_REDUCE_H
#define ASSAY_COLLECTORS_LOG_REDUCE_H

#include "core/base/util.h"

enum log_reduce {
	LOG_LAST,
	LOG_FIRST,
	LOG_MEAN,
	LOG_SUM,
	LOG_MIN,
	LOG_MAX,
};

/* The names, NULL-terminated, in the order of the enum; -1 if unknown. */
extern const char *const log_reduce_names[];
int log_reduce_find(const char *name);

struct log_reduced { /* starts zeroed */
	uint64_t n;
	long double sum; /* of millions of values */
	double chosen;   /* last, first, smallest or largest */
	double quantum;  /* resolution of the chosen one; of sum and mean the largest */
};

void log_reduced_add(struct log_reduced *r, enum log_reduce how, double value, double quantum);
/* n > 0 */
double log_reduced_value(const struct log_reduced *r, enum log_reduce how);

#endif
