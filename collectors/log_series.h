/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a run's log: many values of a key become one value of the run and single ones. */
#ifndef ASSAY_COLLECTORS_LOG_SERIES_H
#define ASSAY_COLLECTORS_LOG_SERIES_H

#include "collectors/log_rule.h"
#include "core/base/map.h"

/* Single values kept of a run, all keys together; further ones only enter the run's value. */
#define LOG_SINGLES_MAX 200000

struct log_key;
struct log_single;

struct log_series {
	struct arena arena;
	struct map by_name; /* -> index + 1 */
	VEC(struct log_key) keys;
	VEC(struct log_single) singles;
	uint64_t singles_dropped;
	uint64_t unit_conflicts; /* values of another dimension than their key had first; dropped */
};

void log_series_init(struct log_series *series);
void log_series_release(struct log_series *series);
/* value and quantum in base units; label "" = none; the first reduce of a key holds. */
void log_series_add(struct log_series *series, const char *name, const char *base,
	enum log_reduce reduce, double value, double quantum, const char *label);
/* log:NAME of the run, then the single values: instance = their label (a second "g" is "g#2"), or
 * their number. A key that came once and without label has no single value. */
void log_series_write(const struct log_series *series, struct run_record *record);

/* One sample of collector "log" in scope "run". */
void log_sample(struct run_record *record, const char *name, const char *unit, const char *instance,
	double value, double quantum);

#endif
