/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One execution of a plan on this host: begins or resumes a session in the store, makes the builds,
 * deals the blocks, carries out the runs and stores each as it ends. Any moment may be the last one
 * (SIGKILL): what the store holds is always whole, and the same command goes on from there.
 *
 * A session runs exactly blocks.min rounds; it never stops on what it has seen.
 */
#ifndef ASSAY_ENGINE_SESSION_H
#define ASSAY_ENGINE_SESSION_H

#include "core/engine/executor.h"
#include "core/store/store.h"

struct session_progress {
	const struct store_session *session;
	const struct plan_row *row;
	int block, position;
	enum run_role role;
	size_t done, total; /* runs of the session, warm-up included */
	size_t failed;
	int64_t elapsed_ns;      /* of this process's part of the session */
	int64_t eta_ns;          /* -1 = not known yet */
	int64_t run_ns;          /* of the run going on */
	int64_t run_expected_ns; /* -1 = not known */
	int64_t run_id;          /* in the store */
};

struct session_hooks {
	void *ctx;
	/* After the builds, before the first run. aborted: open sessions of this experiment that
	 * cannot go on any more, since the plan has changed or a new one was asked for. */
	void (*started)(void *ctx, const struct store_session *session, bool resumed,
		size_t done_before, int aborted);
	void (*built)(void *ctx, const struct plan *plan, const struct build_result *builds);
	/* Before a run, some ten times a second while it goes on, after it (outcome then). */
	void (*running)(void *ctx, const struct session_progress *progress);
	void (*ended)(void *ctx, const struct session_progress *progress,
		const struct run_outcome *outcome);
};

struct session_request {
	const struct plan *plan;
	const struct executor *executor;
	void *executor_state;
	struct store *store;
	const char *experiment_text; /* JSON of experiment_to_json */
	const char *host_facts;      /* JSON, more than host_read knows (tools), NULL */
	const char *compiler;        /* version text, NULL */
	const char *command;         /* as typed */
	const char *uid;             /* NULL = random (simulations are reproducible) */
	bool no_resume;
	const volatile int *stop;
	struct session_hooks hooks;
};

enum session_end {
	SESSION_COMPLETE,
	SESSION_INTERRUPTED, /* by *stop: open, resumable */
	SESSION_BUDGET,      /* measure.budget is spent: open, resumable */
};

struct session_result {
	struct store_session session; /* texts live as long as the result's arena */
	struct arena arena;
	enum session_end end;
	struct build_result *builds;
	size_t n_builds, n_outputs;
	bool build_failed;
	size_t ran; /* runs carried out by this process */
};

void session_result_release(struct session_result *result);
int session_run(const struct session_request *request, struct session_result *ret, struct err *err)
	MUST_CHECK;
#endif
