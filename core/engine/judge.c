/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/judge.h"

#include <string.h>

#include "core/base/num.h"

/* A suspend shows as BOOTTIME running ahead of MONOTONIC; both are read within microseconds. */
#define SUSPEND_NS (50 * NS_PER_MS)
/* NTP slews by at most 500 ppm; anything beyond that and this much is a step. */
#define STEP_NS (100 * NS_PER_MS)

static const char *duration(struct arena *arena, int64_t ns)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	num_add_duration(&text, ns < 0 ? -ns : ns);
	return arena_strdup(arena, text.data);
}

static const char *signal_text(struct arena *arena, int signal)
{
	const char *name = sigabbrev_np(signal);

	return name ? arena_printf(arena, "killed by SIG%s", name)
		    : arena_printf(arena, "killed by signal %d", signal);
}

static const struct check_result *first_broken(const struct judgement_input *input, bool exit_check)
{
	for (size_t i = 0; i < input->n_checks; i++) {
		const struct check_result *check = &input->checks[i];

		if (!check->holds && (check->check->kind == CHECK_EXIT) == exit_check)
			return check;
	}
	return NULL;
}

enum run_status judge_run(
	const struct judgement_input *input, struct arena *arena, const char **ret_reason)
{
	const struct proc_result *result = input->result;
	int64_t suspended = clock_boot_gap(result->start, result->stop);
	int64_t stepped = clock_real_gap(result->start, result->stop);
	const struct check_result *broken;

	*ret_reason = "";
	if (result->end == PROC_TIMEOUT) {
		*ret_reason = arena_printf(
			arena, "timed out after %s", duration(arena, input->timeout_ns));
		return RUN_TIMEOUT;
	}
	if (result->end == PROC_SIGNALED) {
		*ret_reason = signal_text(arena, result->signal);
		return RUN_FAILED;
	}
	if (first_broken(input, true)) {
		*ret_reason = arena_printf(arena, "exit status %d", result->code);
		return RUN_FAILED;
	}
	if (input->failed) {
		*ret_reason = input->failed;
		return RUN_FAILED;
	}
	broken = first_broken(input, false);
	if (broken) {
		*ret_reason = broken->list
				      ? arena_printf(arena, "option %s was not seen: %s",
						input->seen_options[broken->list - 1], broken->why)
				      : broken->why;
		return RUN_INVALID;
	}
	if (suspended > SUSPEND_NS) {
		*ret_reason = arena_printf(arena, "the machine was suspended for %s during the run",
			duration(arena, suspended));
		return RUN_DISCARDED;
	}
	if (stepped > STEP_NS + result->wall_ns / 1000 ||
		stepped < -(STEP_NS + result->wall_ns / 1000)) {
		*ret_reason = arena_printf(arena, "the clock was set %s by %s during the run",
			stepped < 0 ? "back" : "forward", duration(arena, stepped));
		return RUN_DISCARDED;
	}
	return RUN_OK;
}
