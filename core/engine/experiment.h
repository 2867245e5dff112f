/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a descriptor's file to its plan: the part of the road that all commands share. Reads the
 * descriptor, opens the state folder, asks the world (source, tools, inputs, parsers) and plans.
 */
#ifndef ASSAY_ENGINE_EXPERIMENT_H
#define ASSAY_ENGINE_EXPERIMENT_H

#include <jansson.h>

#include "core/base/diag.h"
#include "core/engine/source.h"
#include "core/engine/state.h"
#include "core/model/plan.h"

struct experiment_options {
	const char *file;
	const char *state, *store; /* NULL = default */
	const char *const *set_args;
	size_t n_set_args;
	const char *where; /* NULL = all rows */
	bool force;        /* more than PLAN_ROWS_ASK rows */
	bool lock, wait;
	bool simulated; /* nothing of the world is asked: no source, no tools */
};

struct experiment {
	struct diags diags; /* also after a failure: print them first */
	struct descriptor *descriptor;
	struct state state;
	struct source_state source;
	struct digest tools;
	json_t *tools_json; /* versions by program */
	char *compiler;     /* version line of cc, NULL */
	struct plan *plan;
};

/* experiment is filled as far as it got, also on failure: release it in any case. */
int experiment_open(struct experiment *experiment, const struct experiment_options *options,
	struct launcher *launcher, struct err *err) MUST_CHECK;
void experiment_release(struct experiment *experiment);

/* needs: memory and disk, and what the workloads of the plan need (preflight.h). */
int experiment_check_needs(const struct experiment *experiment, struct err *err) MUST_CHECK;

#endif
