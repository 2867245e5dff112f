/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a run ended, in the words of doc/statistics.md: from the process result, the parser's
 * verdict, the checks and the clocks.
 */
#ifndef ASSAY_ENGINE_JUDGE_H
#define ASSAY_ENGINE_JUDGE_H

#include "collectors/check.h"
#include "core/model/plan.h"

struct judgement_input {
	const struct proc_result *result;
	const char *failed; /* reason by a parser's `fail` rule, NULL */
	const struct check_result *checks;
	size_t n_checks;
	/* Names of the options whose `seen` lists are lists 1, 2, ... of the checks (list 0 is the
	 * workload's own). */
	const char *const *seen_options;
	int64_t timeout_ns;
};

/* The reason ("" when ok) lives in the arena. */
enum run_status judge_run(
	const struct judgement_input *input, struct arena *arena, const char **ret_reason);

#endif
