/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/cli/live_rows.h"

struct live {
	const struct plan *plan;
	const char *state_dir;
	struct progress *progress;
	bool quiet, on_terminal;
	size_t built, cached, build_failed;
	char *building; /* names of the builds going on */
	struct live_rows rows;
};

struct live *live_new(const struct plan *plan, const char *state_dir, bool quiet)
{
	struct live *live = xcalloc(1, sizeof(*live));

	live->plan = plan;
	live->state_dir = state_dir;
	live->quiet = quiet;
	live->on_terminal = !quiet && tty_is(STDERR_FILENO);
	live->progress = progress_new(stderr, live->on_terminal);
	live_rows_init(&live->rows, plan);
	return live;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	progress_free(live->progress);
	live_rows_release(&live->rows);
	free(live->building);
	free(live);
}

static void add_duration(struct buf *to, int64_t ns)
{
	if (ns < 0)
		buf_adds(to, "?");
	else
		num_add_duration(to, ns);
}

/* --- Builds --------------------------------------------------------------------------------------
 */

static void on_build(void *ctx, const struct plan_build *build, int64_t elapsed_ns,
	const struct build_result *result)
{
	struct live *live = ctx;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (live->quiet || !live->plan->descriptor->build.steps.n)
		return;
	if (!result) {
		if (!live->on_terminal)
			return;
		buf_addf(&text, "%s  building %zu of %zu  %s  ", live->plan->descriptor->name,
			live->built + 1, live->plan->n_builds, build->name);
		add_duration(&text, elapsed_ns);
		progress_show(live->progress, text.data);
		return;
	}
	live->built++;
	live->cached += result->cached;
	if (live->built == live->plan->n_builds)
		progress_show(live->progress, "");
	if ((result->cached || !live->plan->descriptor->build.steps.n) &&
		result->status == BUILD_OK)
		return;
	buf_addf(&text, "build %s: ", build->name);
	if (result->status == BUILD_OK) {
		num_add_duration(&text, (int64_t)(result->seconds * 1e9));
	} else {
		buf_addf(&text, "%s: %s", build_status_name(result->status),
			result->reason ? result->reason : "");
		if (result->log)
			buf_addf(&text, "\n  log: %s/%s", live->state_dir, result->log);
		live->build_failed++;
	}
	progress_line(live->progress, "%s", text.data);
}

static void on_built(void *ctx, const struct plan *plan, const struct build_result *builds)
{
	struct live *live = ctx;

	if (live->quiet || !plan->descriptor->build.steps.n)
		return;
	progress_line(live->progress, "%zu build%s: %zu made, %zu from the cache, %zu failed",
		plan->n_builds, plan->n_builds == 1 ? "" : "s",
		plan->n_builds - live->cached - live->build_failed, live->cached,
		live->build_failed);
	live_rows_builds(&live->rows, builds);
}

struct build_hooks live_build_hooks(struct live *live)
{
	return (struct build_hooks){live, on_build};
}

/* --- Runs ----------------------------------------------------------------------------------------
 */

static void on_started(void *ctx, const struct store_session *session, bool resumed,
	size_t done_before, int aborted)
{
	struct live *live = ctx;

	if (live->quiet)
		return;
	if (aborted)
		progress_line(live->progress,
			"%d unfinished session%s of an earlier plan: aborted, still readable "
			"(assay ls)",
			aborted, aborted == 1 ? "" : "s");
	if (resumed)
		progress_line(live->progress, "session %lld (%.8s) goes on: %zu runs were done",
			(long long)session->id, session->uid, done_before);
	else
		progress_line(live->progress, "session %lld (%.8s), seed %llu",
			(long long)session->id, session->uid, (unsigned long long)session->seed);
}

static void add_head(struct live *live, const struct session_progress *now, struct buf *to)
{
	buf_addf(to, "%s  session %lld   %s, block %d of %lld   run %zu of %zu   ",
		live->plan->descriptor->name, (long long)now->session->id, now->row->workload->name,
		now->block + 1, (long long)now->row->workload->measure.blocks_min, now->done + 1,
		now->total);
	add_duration(to, now->elapsed_ns);
	buf_adds(to, " gone, ");
	if (now->eta_ns >= 0) {
		buf_adds(to, "about ");
		add_duration(to, now->eta_ns);
		buf_adds(to, " to go");
	} else {
		buf_adds(to, "rest not known yet");
	}
	if (now->failed)
		buf_addf(to, "   %zu failed", now->failed);
	buf_addf(to, "\nnow  %s%s   ", now->row->variant,
		now->role == ROLE_WARMUP ? " (warm-up)" : "");
	add_duration(to, now->run_ns);
	if (now->run_expected_ns >= 0) {
		buf_adds(to, " of about ");
		add_duration(to, now->run_expected_ns);
	}
	buf_addc(to, '\n');
}

static void on_running(void *ctx, const struct session_progress *now)
{
	struct live *live = ctx;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (!live->on_terminal)
		return;
	add_head(live, now, &text);
	live_rows_show(&live->rows, now->row->cell, &text);
	buf_adds(&text, "Ctrl-C ends this run and keeps the rest; the same command goes on.");
	progress_show(live->progress, text.data);
}

static void on_ended(
	void *ctx, const struct session_progress *now, const struct run_outcome *outcome)
{
	struct live *live = ctx;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	bool ok = outcome->run.status == RUN_OK;

	live_rows_note(&live->rows, now->row, now->role, &outcome->run, &outcome->record);
	if (live->quiet || outcome->interrupted || (live->on_terminal && ok))
		return;
	buf_addf(&text, "run %lld  %s  %s %d  ", (long long)now->run_id, now->row->name,
		now->role == ROLE_WARMUP ? "warm-up" : "block", now->block + 1);
	if (ok)
		add_duration(&text, outcome->run.wall_ns);
	else
		buf_addf(&text, "%s: %s; not counted: assay show %lld",
			run_status_name(outcome->run.status), outcome->run.reason,
			(long long)now->run_id);
	progress_line(live->progress, "%s", text.data);
}

struct session_hooks live_session_hooks(struct live *live)
{
	return (struct session_hooks){
		.ctx = live,
		.started = on_started,
		.built = on_built,
		.running = on_running,
		.ended = on_ended,
	};
}
