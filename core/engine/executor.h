/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executors do what a plan says: make its builds and carry out single runs. One const struct each,
 * one row in executor.c.
 *
 *	open      take what is needed; may fail
 *	new_seed  the seed of a new session when the descriptor gives none
 *	use_seed  the seed of the session at hand ({seed} in runs): before build and run
 *	build     all wanted builds of the plan (once, before the runs)
 *	run       one run from its preparation to its record; a program that fails is a result
 *	now       the executor's clock (the fake one's is simulated: nothing sleeps)
 *	close     in any state after open; cannot fail
 */
#ifndef ASSAY_ENGINE_EXECUTOR_H
#define ASSAY_ENGINE_EXECUTOR_H

#include <stdio.h>

#include "core/engine/build.h"
#include "core/model/record.h"
#include "core/store/store.h"

struct executor_setup { /* borrowed until close */
	const struct plan *plan;
	const struct state *state;
	const struct source_state *source; /* NULL for the fake one */
	struct launcher *launcher;
	const char *world; /* WORLD.yaml of the fake one */
	int parallel;
	const volatile int *stop;
	struct build_hooks build_hooks;
	struct diags *diags; /* warnings of collectors that cannot work */
};

struct run_request {
	const struct plan_row *row;
	const struct build_result *builds; /* parallel to plan->builds */
	int block, position, attempt;
	enum run_role role;
	void (*tick)(void *ctx, int64_t elapsed_ns);
	void *tick_ctx;
	FILE *echo; /* the program's output goes here as it arrives, too; NULL = nowhere */
};

/* What came of it: goes into the store as it is. */
struct run_outcome {
	struct store_run run; /* status ... stderr_tail; the identifying members are the caller's */
	struct run_record record;
	struct store_log logs[2];
	size_t n_logs;
	bool interrupted; /* ended because of *stop: the run is lost, not failed */
};
void run_outcome_release(struct run_outcome *outcome);

struct executor {
	const char *name, *summary;
	int (*open)(const struct executor_setup *setup, void **ret_state, struct err *err);
	uint64_t (*new_seed)(void *state);
	void (*use_seed)(void *state, uint64_t seed);
	int (*build)(void *state, const bool *wanted, struct build_result **ret, struct err *err);
	int (*run)(void *state, const struct run_request *request, struct run_outcome *ret,
		struct err *err);
	struct clock_stamp (*now)(void *state);
	void (*close)(void *state);
};
extern const struct executor *const executors[]; /* local, fake; NULL-terminated */
const struct executor *executor_find(const char *name);

#endif
