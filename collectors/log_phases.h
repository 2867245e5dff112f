/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The phases of a run's log. Times are CLOCK_MONOTONIC of the arrival, or of a clock of the
 * program's own; how far such a clock lies from ours is known only when the run is over, so nothing
 * is resolved before log_phases_write.
 */
#ifndef ASSAY_COLLECTORS_LOG_PHASES_H
#define ASSAY_COLLECTORS_LOG_PHASES_H

#include "core/base/map.h"
#include "core/model/record.h"

#define LOG_ARRIVAL (-1)

struct log_time {
	int64_t ns;
	int clock; /* LOG_ARRIVAL, or which clock of the parser */
};

struct log_span;

struct log_phases {
	struct arena arena;
	struct map texts; /* interned -> the copy */
	struct map open;  /* name, instance, thread -> index + 1 of the one begun last */
	VEC(struct log_span) spans;
	int64_t *offsets; /* per clock: minimum of arrival - own so far */
	size_t n_clocks;
	uint64_t unmatched_ends, unmatched_begins;
};

void log_phases_init(struct log_phases *phases, size_t n_clocks);
void log_phases_release(struct log_phases *phases);

struct log_phase_name {
	const char *name, *instance, *thread; /* "" = none */
};
/* One line's reading of a clock: lines can only be late, so the smallest difference is nearest. */
void log_phases_clock(struct log_phases *phases, int clock, int64_t own_ns, int64_t arrival_ns);
void log_phases_span(struct log_phases *phases, const struct log_phase_name *name,
	struct log_time end, int64_t before_ns /* of its end, for sequences */, int64_t length_ns);
void log_phases_begin(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at);
void log_phases_end(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at);
void log_phases_point(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at);
/* Into the record: within the run, with parents (the innermost phase of the same thread and
 * instance that contains it). */
void log_phases_write(
	struct log_phases *phases, int64_t start_ns, int64_t end_ns, struct run_record *record);

#endif
