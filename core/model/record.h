/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run leaves behind: status, samples, phases, log lines. Collectors and the engine fill it,
 * the store writes it; neither needs to know the other.
 */
#ifndef ASSAY_MODEL_RECORD_H
#define ASSAY_MODEL_RECORD_H

#include "core/base/arena.h"
#include "core/base/vec.h"

/* Words of doc/statistics.md. RUNNING is only in the store while a run goes on; when it is still
 * there at the next start, assay died and the run is LOST. */
enum run_status {
	RUN_RUNNING,
	RUN_OK,
	RUN_FAILED,
	RUN_TIMEOUT,
	RUN_INVALID,
	RUN_LOST,
	RUN_DISCARDED,
};
enum run_role {
	ROLE_MEASURED,
	ROLE_WARMUP,
	ROLE_PROFILE,
	ROLE_CONFIRM
};

const char *run_status_name(enum run_status status);
bool run_status_parse(const char *name, enum run_status *ret);
const char *run_role_name(enum run_role role);
bool run_role_parse(const char *name, enum run_role *ret);

struct sample {
	const char *metric;   /* "wall", "rss_peak", "log:synth_ms" ... */
	const char *unit;     /* "s", "B", "" = a count */
	const char *better;   /* "lower", "higher", "none" */
	const char *scope;    /* "run", "phase:NAME", "system" */
	const char *instance; /* "" for the run's value; else which of many */
	double value;         /* NaN = not measured, then reason says why */
	const char *reason;   /* NULL when there is a value */
	const char *quality;  /* blank-separated flags, "" = clean */
	double quantum;       /* resolution of a printed decimal; NaN = unknown */
	const char *collector;
};

struct phase_span {
	const char *name, *instance, *thread; /* "" = none */
	int64_t start_ns, end_ns;             /* CLOCK_MONOTONIC ns since the release of the run */
	int parent;                           /* index into the run's phases, -1 */
	const char *source;                   /* "log", "nvtx" */
};

/* Texts are borrowed from the arena. */
struct run_record {
	struct arena arena;
	VEC(struct sample) samples;
	VEC(struct phase_span) phases;
};

void run_record_init(struct run_record *record);
void run_record_release(struct run_record *record);
/* Copies all texts into the arena; NULLs become "" (reason stays NULL). */
void run_record_sample(struct run_record *record, const struct sample *sample);
int run_record_phase(struct run_record *record, const struct phase_span *phase); /* its index */
/* The run's own value (instance "") of a metric in a scope, NULL if there is none. */
const struct sample *run_record_find(
	const struct run_record *record, const char *metric, const char *scope);

/* Length of the union of all intervals of a phase, in ns; -1 when it did not occur. */
int64_t run_record_phase_union(const struct run_record *record, const char *name);

/* Splits a metric reference (doc/descriptor.md): "phase:X" -> metric "wall" scope "phase:X";
 * "log:N@P" -> "log:N", "phase:P"; else scope "run". Texts into the arena. */
void metric_ref_split(
	const char *ref, struct arena *arena, const char **ret_metric, const char **ret_scope);

#endif
