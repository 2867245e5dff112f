/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/build.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/build_cache.h"
#include "core/engine/build_job.h"
#include "core/engine/build_outputs.h"

/* How often progress is told and the stop flag looked at. */
#define TICK_NS (100 * NS_PER_MS)

const char *build_status_name(enum build_status status)
{
	static const char *const names[] = {
		[BUILD_OK] = "ok",
		[BUILD_FAILED] = "failed",
		[BUILD_TIMEOUT] = "timeout",
		[BUILD_CANCELLED] = "cancelled",
	};

	return names[status];
}

void build_results_free(struct build_result *results, size_t n, size_t n_outputs)
{
	for (size_t i = 0; results && i < n; i++) {
		free(results[i].reason);
		free(results[i].log);
		for (size_t o = 0; results[i].bins && o < n_outputs; o++)
			free(results[i].bins[o]);
		free(results[i].bins);
	}
	free(results);
}

/* All builds of a request. */
struct building {
	const struct build_request *request;
	struct build_result *results;
	VEC(size_t) pending; /* indices into plan->builds */
	size_t next;         /* of pending */
	int parallel, jobs;
	struct build_job *slots; /* parallel items; request NULL = free */
};

static bool stopped(const struct building *b)
{
	return b->request->stop && *b->request->stop;
}

static void tell(const struct building *b, size_t i, int64_t elapsed_ns, bool ended)
{
	const struct build_hooks *hooks = &b->request->hooks;

	if (hooks->progress)
		hooks->progress(hooks->ctx, &b->request->plan->builds[i], elapsed_ns,
			ended ? &b->results[i] : NULL);
}

/* --- What is to be done --------------------------------------------------------------------------
 */

static int cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static void find_pending(struct building *b)
{
	const struct build_request *request = b->request;
	const struct descriptor *descriptor = request->plan->descriptor;

	for (size_t i = 0; i < request->plan->n_builds; i++) {
		if (request->wanted && !request->wanted[i])
			continue;
		if (!source_matters(descriptor))
			continue;
		if (!request->again && build_cache_load(request->state, descriptor,
					       &request->plan->builds[i], &b->results[i])) {
			tell(b, i, 0, true);
			continue;
		}
		*vec_push(&b->pending) = i;
		b->results[i].status = BUILD_CANCELLED; /* until it has begun */
	}
}

static void decide_parallel(struct building *b)
{
	const struct build_request *request = b->request;
	const struct build *build = &request->plan->descriptor->build;
	size_t most = request->parallel > 0 ? (size_t)request->parallel : (size_t)cores();

	b->parallel = (int)(most < b->pending.n ? most : b->pending.n);
	/* One path for all of them needs mounts, or time. */
	if (b->parallel > 1 && !build->own_path && !proc_can_bind(request->launcher, NULL, 0))
		b->parallel = 1;
	b->jobs = (int)build->jobs;
	if (!b->jobs)
		b->jobs = cores() / b->parallel > 1 ? cores() / b->parallel : 1;
}

static int check_names(const struct descriptor *descriptor, struct err *err)
{
	static const char *const taken[] = {"meta.json", BUILD_TREE_NAME};

	for (size_t i = 0; i < descriptor->build.outputs.n; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(taken); k++) {
			if (!strcmp(descriptor->build.outputs.items[i].key, taken[k]))
				return err_set(err, E_CONFIG,
					"an output of the build cannot be called '%s'", taken[k]);
		}
	}
	return 0;
}

/* --- Jobs ----------------------------------------------------------------------------------------
 */

static void place_job(const struct building *b, struct build_job *job)
{
	const struct state *state = b->request->state;
	AUTOFREE char *name = NULL;

	if (b->request->plan->descriptor->build.own_path) {
		name = xasprintf("work/%.*s", BUILD_LOG_KEY, job->build->key);
		job->place.base = state_path(state, name);
		job->place.seen = xstrdup(job->place.base);
		return;
	}
	job->place.seen = state_path(state, "work/build");
	if (b->parallel == 1) {
		job->place.base = xstrdup(job->place.seen);
		return;
	}
	name = xasprintf("work/slots/%d", job->slot);
	job->place.base = state_path(state, name);
}

static void end_job(struct building *b, struct build_job *job)
{
	tell(b, (size_t)(job->result - b->results), clock_mono_ns() - job->began_ns, true);
	build_job_release(job);
	*job = (struct build_job){.log_fd = -1};
}

static int start_job(struct building *b, int slot, struct err *err)
{
	struct build_job *job = &b->slots[slot];
	size_t i = b->pending.items[b->next++];
	int rc;

	*job = (struct build_job){
		.request = b->request,
		.build = &b->request->plan->builds[i],
		.result = &b->results[i],
		.jobs = b->jobs,
		.slot = slot,
		.log_fd = -1,
	};
	place_job(b, job);
	tell(b, i, 0, false);
	rc = build_job_begin(job, err);
	if (job->done)
		end_job(b, job);
	return rc;
}

/* Starts what may start; true when something runs. */
static int fill_slots(struct building *b, bool *ret_running, struct err *err)
{
	*ret_running = false;
	for (int slot = 0; slot < b->parallel; slot++) {
		struct build_job *job = &b->slots[slot];

		while (!job->request && b->next < b->pending.n && !stopped(b)) {
			if (start_job(b, slot, err))
				return -1;
		}
		*ret_running |= job->request != NULL;
	}
	return 0;
}

static int look_after(struct building *b, struct build_job *job, struct err *err)
{
	int rc = 0;

	if (stopped(b))
		build_job_cancel(job);
	if (proc_done(job->proc))
		rc = build_job_go_on(job, err);
	if (job->done)
		end_job(b, job);
	else
		tell(b, (size_t)(job->result - b->results), clock_mono_ns() - job->began_ns, false);
	return rc;
}

static int work(struct building *b, struct err *err)
{
	bool running;

	for (;;) {
		if (fill_slots(b, &running, err))
			return -1;
		if (!running)
			return 0;
		if (proc_step(b->request->launcher, TICK_NS, err))
			return -1;
		for (int slot = 0; slot < b->parallel; slot++) {
			if (b->slots[slot].request && look_after(b, &b->slots[slot], err))
				return -1;
		}
	}
}

/* After an error: the others end, too. */
static void give_up(struct building *b)
{
	struct err ignored;

	for (int slot = 0; slot < b->parallel; slot++) {
		struct build_job *job = &b->slots[slot];
		struct proc_result result;

		if (!job->request)
			continue;
		build_job_cancel(job);
		while (job->proc && !proc_done(job->proc) &&
			!proc_step(b->request->launcher, TICK_NS, &ignored))
			;
		if (job->proc && !proc_finish(STEAL(job->proc), &result, &ignored))
			proc_result_release(&result);
		build_job_release(job);
	}
}

static int build_pending(struct building *b, struct err *err)
{
	const struct build_request *request = b->request;
	int rc;

	if (source_snapshot(request->plan->descriptor, request->state, request->launcher,
		    request->source, err))
		return -1;
	decide_parallel(b);
	if (build_fetch(request, b->jobs, err))
		return -1;
	b->slots = xcalloc((size_t)b->parallel, sizeof(*b->slots));
	rc = work(b, err);
	if (rc)
		give_up(b);
	free(b->slots);
	return rc;
}

int build_all(const struct build_request *request, struct build_result **ret, struct err *err)
{
	size_t n = request->plan->n_builds, n_outputs = request->plan->descriptor->build.outputs.n;
	struct building b = {.request = request, .results = xcalloc(n, sizeof(*b.results))};
	int rc;

	rc = check_names(request->plan->descriptor, err);
	if (!rc) {
		find_pending(&b);
		if (b.pending.n && !stopped(&b))
			rc = build_pending(&b, err);
		for (size_t i = 0; !rc && i < b.pending.n; i++) {
			struct build_result *result = &b.results[b.pending.items[i]];

			if (result->status == BUILD_CANCELLED && !result->reason)
				result->reason = xstrdup("interrupted");
		}
	}
	vec_release(&b.pending);
	if (rc) {
		build_results_free(b.results, n, n_outputs);
		return -1;
	}
	*ret = b.results;
	return 0;
}
