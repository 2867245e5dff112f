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
#include "core/cli/live_head.h"
#include "core/cli/live_rows.h"

struct live {
	const struct plan *plan;
	const char *state_dir;
	struct progress *progress;
	bool quiet, on_terminal;
	enum live_lines lines;
	bool kept;       /* runs can be looked at later */
	int block;       /* last one that was told */
	int64_t *builds; /* per build of the plan: since when it goes on (elapsed), -1 = it does not
			  */
	size_t built, cached, build_failed;
	struct live_rows rows;
};

#define HEAD_LINES 2
#define ROOM_FOR_HINT 5

struct live *live_new(const struct plan *plan, const char *state_dir, bool quiet)
{
	struct live *live = xcalloc(1, sizeof(*live));

	live->plan = plan;
	live->kept = true;
	live->block = -1;
	live->builds = xcalloc(plan->n_builds, sizeof(*live->builds));
	for (size_t i = 0; i < plan->n_builds; i++)
		live->builds[i] = -1;
	live->state_dir = state_dir;
	live->quiet = quiet;
	live->on_terminal = !quiet && tty_is(STDERR_FILENO);
	live->progress = progress_new(stderr, live->on_terminal);
	live_rows_init(&live->rows, plan);
	return live;
}

void live_set_lines(struct live *live, enum live_lines lines, bool kept)
{
	live->lines = lines;
	live->kept = kept;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	progress_free(live->progress);
	live_rows_release(&live->rows);
	free(live->builds);
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

/* "built 2 of 8   building A1=cap1 (3 s), A4 (1 s)" */
static void show_builds(struct live *live)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	size_t going = 0;

	for (size_t i = 0; i < live->plan->n_builds; i++) {
		if (live->builds[i] < 0)
			continue;
		if (!going++)
			buf_addf(&text, "built %zu of %zu   building ", live->built,
				live->plan->n_builds);
		else
			buf_adds(&text, ", ");
		buf_addf(&text, "%s (", live->plan->builds[i].name);
		num_add_coarse(&text, live->builds[i]);
		buf_addc(&text, ')');
	}
	progress_show(live->progress, text.data);
}

static void on_build(void *ctx, const struct plan_build *build, int64_t elapsed_ns,
	const struct build_result *result)
{
	struct live *live = ctx;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (live->quiet || !live->plan->descriptor->build.steps.n)
		return;
	live->builds[build - live->plan->builds] = result ? -1 : elapsed_ns;
	if (!result) {
		show_builds(live);
		return;
	}
	live->built++;
	live->cached += result->cached;
	show_builds(live);
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
		progress_line(live->progress, "session %lld (%.8s) goes on: %zu run%s done",
			(long long)session->id, session->uid, done_before,
			done_before == 1 ? " was" : "s were");
	else
		progress_line(live->progress, "session %lld (%.8s), seed %llu",
			(long long)session->id, session->uid, (unsigned long long)session->seed);
}

static const char *hint(const struct live *live, int width)
{
	static const char full[] =
		"Ctrl-C ends this run and keeps the rest; the same command goes on.";

	if (!live->kept)
		return "Ctrl-C ends it.";
	return (int)sizeof(full) <= width ? full : "Ctrl-C ends it; the same command goes on.";
}

static void on_running(void *ctx, const struct session_progress *now)
{
	struct live *live = ctx;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	int width = tty_width(STDERR_FILENO), room = tty_height(STDERR_FILENO) - 1 - HEAD_LINES;

	if (!live->on_terminal)
		return;
	live_head(live->plan, now, width, &text);
	live_now(live->plan, now, &text);
	live_rows_show(&live->rows, now->row, width, room - 1, &text);
	/* On a low terminal the lines are the rows'. */
	if (room >= ROOM_FOR_HINT)
		buf_adds(&text, hint(live, width));
	progress_show(live->progress, text.data);
}

/* A line at the end of each block: the same for all cells, since their blocks alternate. */
static void block_line(struct live *live, const struct session_progress *now)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (now->role != ROLE_MEASURED || now->block <= live->block)
		return;
	live->block = now->block;
	buf_addf(&text, "block %d of %lld  run %zu of %zu  ", now->block + 1,
		(long long)now->row->workload->measure.blocks_min, now->done, now->total);
	num_add_coarse(&text, now->elapsed_ns);
	buf_adds(&text, " gone");
	if (now->eta_ns >= 0) {
		buf_adds(&text, ", about ");
		num_add_coarse(&text, now->eta_ns);
		buf_adds(&text, " to go");
	}
	progress_line(live->progress, "%s", text.data);
}

/* Where there is one workload, its name says nothing. */
static const char *row_name(const struct plan *plan, const struct plan_row *row)
{
	const char *variant = strchr(row->name, '/');

	return plan->descriptor->n_workloads > 1 || !variant ? row->name : variant + 1;
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
	if (!live->on_terminal && live->lines == LIVE_LINE_A_BLOCK)
		block_line(live, now);
	if (ok && live->lines != LIVE_LINE_A_RUN)
		return;
	buf_addf(&text, "run %lld  %s  %s %d  ", (long long)now->run_id,
		row_name(live->plan, now->row), now->role == ROLE_WARMUP ? "warm-up" : "block",
		now->block + 1);
	if (ok) {
		add_duration(&text, outcome->run.wall_ns);
	} else {
		buf_addf(&text, "%s: %s; not counted", run_status_name(outcome->run.status),
			outcome->run.reason);
		if (live->kept)
			buf_addf(&text, ": assay show %lld", (long long)now->run_id);
	}
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
