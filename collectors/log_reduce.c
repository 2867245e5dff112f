/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/log_reduce.h"

#include <math.h>
#include <string.h>

const char *const log_reduce_names[] = {
	[LOG_LAST] = "last",
	[LOG_FIRST] = "first",
	[LOG_MEAN] = "mean",
	[LOG_SUM] = "sum",
	[LOG_MIN] = "min",
	[LOG_MAX] = "max",
	NULL,
};

int log_reduce_find(const char *name)
{
	for (int i = 0; log_reduce_names[i]; i++) {
		if (!strcmp(log_reduce_names[i], name))
			return i;
	}
	return -1;
}

void log_reduced_add(struct log_reduced *r, enum log_reduce how, double value, double quantum)
{
	bool first = !r->n, take = first;

	r->n++;
	r->sum += (long double)value;
	switch (how) {
	case LOG_LAST:
		take = true;
		break;
	case LOG_FIRST:
		break;
	case LOG_MIN:
		take = first || value < r->chosen;
		break;
	case LOG_MAX:
		take = first || value > r->chosen;
		break;
	case LOG_MEAN:
	case LOG_SUM:
		r->quantum = first ? quantum : fmax(r->quantum, quantum);
		return;
	}
	if (take) {
		r->chosen = value;
		r->quantum = quantum;
	}
}

double log_reduced_value(const struct log_reduced *r, enum log_reduce how)
{
	if (how == LOG_SUM)
		return (double)r->sum;
	if (how == LOG_MEAN)
		return (double)(r->sum / (long double)r->n);
	return r->chosen;
}
