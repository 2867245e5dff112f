/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One build that goes on: its folders, its log, its steps. Used by build.c only. */
#ifndef ASSAY_ENGINE_BUILD_JOB_H
#define ASSAY_ENGINE_BUILD_JOB_H

#include "core/engine/build.h"

/* Where a build lies, and where its steps see it. */
struct build_place {
	char *base; /* holds tree/ and out/ */
	char *seen; /* the path at which base is seen by the steps: base itself, or a folder over
		     * which it is mounted */
};
void build_place_release(struct build_place *place);

struct build_job {
	const struct build_request *request;
	const struct plan_build *build;
	struct build_result *result;
	struct build_place place;
	int jobs; /* {jobs} */
	int slot;
	struct arena arena;
	const char *const *envp;
	const char *const *argv; /* of the step going on */
	int log_fd;
	int64_t log_at; /* where the step going on begins in the log */
	size_t step;
	int64_t began_ns, steps_ns; /* CLOCK_MONOTONIC: of the build, of its first step */
	struct proc *proc;
	bool done; /* result is final */
	bool cancelled;
};

/*
 * Makes the tree, applies what the build applies, starts the first step. A build that fails is done
 * with its reason in the result. -1 when something is wrong that has nothing to do with this build
 * (the disk); it is then done, too.
 */
int build_job_begin(struct build_job *job, struct err *err) MUST_CHECK;
/* To be called when the step's process is done: starts the next one, or keeps the outputs. */
int build_job_go_on(struct build_job *job, struct err *err) MUST_CHECK;
void build_job_cancel(struct build_job *job);
/* Ends the step, removes the folders. */
void build_job_release(struct build_job *job);

/* build.fetch, once per source state, in a tree that becomes the snapshot then. E_BUILD with the
 * end of its log. */
int build_fetch(const struct build_request *request, int jobs, struct err *err) MUST_CHECK;

/* The environment of build steps (list in the arena). seen: folder that holds the tree. */
int build_environment(const struct plan *plan, const struct plan_build *build,
	const struct bindings *bindings, const char *seen, struct arena *arena,
	const char *const **ret, struct err *err) MUST_CHECK;
/* Adds "\n" and the last lines of a log from an offset on. */
void build_log_tail(const char *path, int64_t from, struct buf *to);

#endif
