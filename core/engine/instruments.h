/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collectors at work for one workload. What one of them cannot do costs its own samples (stored
 * as not measured, with the reason), never the run and never those of the others.
 */
#ifndef ASSAY_ENGINE_INSTRUMENTS_H
#define ASSAY_ENGINE_INSTRUMENTS_H

#include "collectors/collector.h"

struct instruments {
	struct instrument *items;
	size_t n;
};

/* Those that cannot work here are left out with a warning in diags. -1: bad options (E_CONFIG). The
 * options live in the arena. */
int instruments_open(struct instruments *instruments, const struct descriptor *descriptor,
	const struct workload *workload, struct arena *arena, struct diags *diags, struct err *err)
	MUST_CHECK;
void instruments_close(struct instruments *instruments);

/* Before a run; the environment that they want, in the run's arena. */
void instruments_begin(struct instruments *instruments, const char *scratch, struct arena *arena,
	struct conf_pairs *ret_env);
/* Does any of them need the child stopped before execve? */
bool instruments_attach_wanted(const struct instruments *instruments);
void instruments_attach(struct instruments *instruments, pid_t pid);
void instruments_line(struct instruments *instruments, enum stream stream, const char *line,
	size_t len, int64_t t_ns);
/* Fills run->record; run->failed is the first reason that one of them gives. */
void instruments_collect(struct instruments *instruments, struct collector_run *run);

#endif
