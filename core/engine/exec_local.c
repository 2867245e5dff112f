/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/exec_local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "collectors/check.h"
#include "collectors/lines.h"
#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/engine/childenv.h"
#include "core/engine/instruments.h"
#include "core/engine/judge.h"
#include "core/engine/line_queue.h"
#include "core/engine/outcome.h"

/* argv and environment are padded to the next multiple of this. */
#define PAD_STEP 1024
/* Plans of more rows make their commands anew for each run: each takes some KiB. */
#define COMMANDS_KEPT 1000

struct workload_state {
	bool opened;
	struct instruments instruments;
};

struct row_state {
	struct checker *checker;
	const char **seen_options; /* names of the options behind lists 1.. of the checker */
	/* What is executed when no collector adds to it; argv NULL = not made yet. */
	const char *const *argv, *const *envp;
	const char *cwd, *stdin_path;
};

struct cell_state {
	struct digest same[2]; /* of the baseline's streams, hex "" = not known */
	bool reference_tried;
};

struct local {
	struct executor_setup setup;
	struct arena arena; /* of the session */
	struct workload_state *workloads;
	struct row_state *rows;
	struct cell_state *cells;
	size_t pad_target;
	uint64_t seed;
	char *scratch;
};

/* One run while it goes on. */
struct running {
	struct local *local;
	const struct run_request *request;
	struct workload_state *workload;
	struct row_state *row;
	struct lines lines[2];
	struct line_queue queue;
	struct arena arena; /* argv, env, reasons */
	struct run_paths paths;
	struct run_outcome *outcome;
	/* The row's program, folder or limits do not let it start, or it killed who watches it. */
	bool no_result;
};

static void local_close(void *state)
{
	struct local *local = state;

	if (!local)
		return;

	size_t n_workloads = local->setup.plan->descriptor->n_workloads;

	for (size_t w = 0; local->workloads && w < n_workloads; w++)
		instruments_close(&local->workloads[w].instruments);
	for (size_t i = 0; local->rows && i < local->setup.plan->n_rows; i++)
		checker_free(local->rows[i].checker);
	free(local->workloads);
	free(local->rows);
	free(local->cells);
	free(local->scratch);
	arena_release(&local->arena);
	free(local);
}

static struct run_paths run_paths(
	const struct local *local, const struct plan_row *row, const struct build_result *builds)
{
	const struct plan_row *base = &local->setup.plan->rows[row->baseline];

	return (struct run_paths){
		.scratch = local->scratch,
		.cpus = row->workload->cpus ? row->workload->cpus : "",
		.seed = local->seed,
		.bins = builds ? (const char *const *)builds[row->build].bins : NULL,
		.base_bins = builds ? (const char *const *)builds[base->build].bins : NULL,
	};
}

static bool wants_pty(const struct workload *workload)
{
	return workload->capture == CAPTURE_PTY ||
	       (workload->capture == CAPTURE_AUTO && workload->log);
}

/* argv and environment of a row, without what collectors add and without the pad. */
static int row_command(const struct local *local, const struct plan_row *row,
	const struct run_paths *paths, const struct conf_pairs *extra, struct arena *arena,
	const char *const **ret_argv, const char *const **ret_envp, const char **ret_cwd,
	struct err *err)
{
	CLEANUP(childenv_release) struct childenv env;
	struct conf_pairs pairs;

	childenv_init(&env, &local->setup.plan->descriptor->pass);
	if (plan_row_command(local->setup.plan, row, paths, arena, ret_argv, &pairs, ret_cwd, err))
		return -1;
	if (wants_pty(row->workload)) {
		childenv_set(&env, "TERM", "dumb");
		childenv_set(&env, "NO_COLOR", "1");
	}
	childenv_pairs(&env, &pairs);
	if (extra)
		childenv_pairs(&env, extra);
	*ret_envp = childenv_list(&env, arena);
	return 0;
}

static int local_open(const struct executor_setup *setup, void **ret_state, struct err *err)
{
	const struct plan *plan = setup->plan;
	struct local *local = xcalloc(1, sizeof(*local));

	local->setup = *setup;
	local->workloads = xcalloc(plan->descriptor->n_workloads, sizeof(*local->workloads));
	local->rows = xcalloc(plan->n_rows, sizeof(*local->rows));
	local->cells = xcalloc(plan->n_cells, sizeof(*local->cells));
	local->scratch = state_path(setup->state, "run/scratch");

	AUTOFREE char *run = state_path(setup->state, "run");

	if (fs_mkdirs(run, err)) {
		local_close(local);
		return -1;
	}
	*ret_state = local;
	return 0;
}

/* The largest argv and environment of all rows decides the pad, so that every row has the same.
 * wanted: the builds that were made, NULL = all. */
static int find_pad_target(
	struct local *local, const bool *wanted, const struct build_result *builds, struct err *err)
{
	const struct plan *plan = local->setup.plan;
	size_t largest = 0;

	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];
		struct run_paths paths = run_paths(local, row, builds);
		CLEANUP(arena_release) struct arena arena = ARENA_INIT;
		const char *const *argv, *const *envp;
		const char *cwd;
		size_t bytes;

		if (wanted && (!wanted[row->build] || !wanted[plan->rows[row->baseline].build]))
			continue;
		if (builds[row->build].status != BUILD_OK ||
			builds[plan->rows[row->baseline].build].status != BUILD_OK)
			continue;
		if (row_command(local, row, &paths, NULL, &arena, &argv, &envp, &cwd, err))
			return err_wrap(err, "row '%s'", row->name);
		bytes = childenv_bytes(argv, envp);
		if (bytes > largest)
			largest = bytes;
	}
	local->pad_target = (largest + 64 + PAD_STEP - 1) / PAD_STEP * PAD_STEP;
	return 0;
}

static uint64_t local_new_seed(void *state)
{
	(void)state;
	return rng_random_seed();
}

static void local_use_seed(void *state, uint64_t seed)
{
	((struct local *)state)->seed = seed;
}

static int local_build(void *state, const bool *wanted, struct build_result **ret, struct err *err)
{
	struct local *local = state;
	struct build_request request = {
		.plan = local->setup.plan,
		.state = local->setup.state,
		.source = local->setup.source,
		.launcher = local->setup.launcher,
		.parallel = local->setup.parallel,
		.wanted = wanted,
		.stop = local->setup.stop,
		.hooks = local->setup.build_hooks,
	};

	if (build_all(&request, ret, err))
		return -1;
	if (local->setup.stop && *local->setup.stop)
		return 0;
	return find_pad_target(local, wanted, *ret, err);
}

/* List 0: the workload's checks; one more list for each option that is on and has `seen`. */
static int open_row(
	struct local *local, const struct plan_row *row, struct row_state *to, struct err *err)
{
	const struct descriptor *descriptor = local->setup.plan->descriptor;
	struct checks *lists =
		arena_array(&local->arena, descriptor->n_options + 1, sizeof(*lists));
	size_t n = 1;

	to->seen_options = arena_array(&local->arena, descriptor->n_options, sizeof(char *));
	lists[0] = row->workload->checks;
	for (size_t i = 0; i < descriptor->n_options; i++) {
		const struct option *option = &descriptor->options[i];

		if (row->levels[i] && option->seen.n && row->workload->reaches[i]) {
			to->seen_options[n - 1] = option->name;
			lists[n++] = option->seen;
		}
	}
	return checker_new(lists, n, &to->checker, err);
}

/* --- Hooks of the process ------------------------------------------------------------------------
 */

static int on_ready(void *ctx, pid_t pid, struct err *err)
{
	struct running *run = ctx;

	(void)err;
	instruments_attach(&run->workload->instruments, pid);
	return 0;
}

static void match_line(void *ctx, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct running *run = ctx;

	checker_line(run->row->checker, stream, line, len);
	instruments_line(&run->workload->instruments, stream, line, len, t_ns);
}

static void on_stdout_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct running *run = ctx;

	line_queue_add(&run->queue, STREAM_STDOUT, line, len, t_ns);
}

static void on_stderr_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct running *run = ctx;

	line_queue_add(&run->queue, STREAM_STDERR, line, len, t_ns);
}

static void on_output(
	void *ctx, enum proc_stream stream, const char *data, size_t len, int64_t t_ns)
{
	struct running *run = ctx;

	checker_bytes(run->row->checker, stream == PROC_STDOUT ? STREAM_STDOUT : STREAM_STDERR,
		data, len);
	lines_feed(&run->lines[stream], data, len, t_ns);
	if (run->request->echo) {
		fwrite(data, 1, len, run->request->echo);
		fflush(run->request->echo);
	}
}

static void on_tick(void *ctx, int64_t elapsed_ns)
{
	struct running *run = ctx;

	if (run->request->tick)
		run->request->tick(run->request->tick_ctx, elapsed_ns);
}

static int expand(
	void *ctx, const char *text, struct arena *arena, const char **ret, struct err *err)
{
	struct running *run = ctx;

	return plan_row_text(
		run->local->setup.plan, run->request->row, &run->paths, text, arena, ret, err);
}

/* --- After the process ---------------------------------------------------------------------------
 */

static const char *collect(struct running *run, const struct proc_result *result)
{
	struct collector_run of = {.result = result,
		.record = &run->outcome->record,
		.expand = expand,
		.expand_ctx = run};

	instruments_collect(&run->workload->instruments, &of);
	return of.failed;
}

/* A warm-up run counts nowhere. */
static bool judged(const struct run_request *request)
{
	return request->role != ROLE_WARMUP;
}

static int judge(
	struct running *run, const struct proc_result *result, const char *failed, struct err *err)
{
	struct run_outcome *outcome = run->outcome;
	const struct plan_row *row = run->request->row;
	bool is_baseline = &run->local->setup.plan->rows[row->baseline] == row;
	struct digest *same = run->local->cells[row->cell].same;
	struct check_context context = {
		.result = result,
		.record = &outcome->record,
		.same = {&same[0], &same[1]},
		.same_required = judged(run->request) && !is_baseline,
		.expand = expand,
		.expand_ctx = run,
	};
	struct judgement_input input = {
		.result = result,
		.failed = failed,
		.seen_options = run->row->seen_options,
		.timeout_ns = row->workload->timeout_ns,
	};
	struct check_result *checks;
	struct digest digests[2];

	if (checker_end(run->row->checker, &context, &outcome->record.arena, &checks,
		    &input.n_checks, digests, err))
		return -1;
	input.checks = checks;
	outcome->run.status = judge_run(&input, &outcome->record.arena, &outcome->run.reason);
	if (is_baseline && outcome->run.status == RUN_OK && !same[0].hex[0])
		memcpy(same, digests, sizeof(digests));
	return 0;
}

/* --- One run -------------------------------------------------------------------------------------
 */

/* Most runs leave it as they found it: looking costs a twentieth of making it again. */
static int clear_scratch(const struct local *local, struct err *err)
{
	if (fs_is_empty_dir(local->scratch))
		return 0;
	if (fs_remove(local->scratch, err) || fs_mkdirs(local->scratch, err))
		return err_wrap(err, "scratch folder");
	return 0;
}

static int set_command(struct running *run, const struct conf_pairs *extra, struct proc_spec *spec,
	struct err *err)
{
	struct local *local = run->local;
	struct row_state *row = run->row;
	bool keep = !extra->n && local->setup.plan->n_rows <= COMMANDS_KEPT;
	struct arena *arena = keep ? &local->arena : &run->arena;
	const char *input = run->request->row->workload->stdin_path;

	if (!keep || !row->argv) {
		if (row_command(local, run->request->row, &run->paths, extra, arena, &spec->argv,
			    &spec->envp, &spec->cwd, err) ||
			(input && expand(run, input, arena, &spec->stdin_path, err)))
			return -1;
		spec->envp = childenv_pad(spec->argv, spec->envp, local->pad_target, arena);
		if (!keep)
			return 0;
		row->argv = spec->argv;
		row->envp = spec->envp;
		row->cwd = spec->cwd;
		row->stdin_path = spec->stdin_path;
	}
	spec->argv = row->argv;
	spec->envp = row->envp;
	spec->cwd = row->cwd;
	spec->stdin_path = row->stdin_path;
	return 0;
}

static int execute(struct running *run, struct proc_result *ret, struct err *err)
{
	struct local *local = run->local;
	const struct workload *workload = run->request->row->workload;
	struct proc_limit limits[2];
	struct proc_spec spec = {
		.out = wants_pty(workload) ? PROC_PTY : PROC_PIPE,
		.err = wants_pty(workload) ? PROC_PTY : PROC_PIPE,
		.keep = workload->keep_output,
		.timeout_ns = workload->timeout_ns,
		.limits = limits,
		/* without a hook the child need not be stopped: one round trip less */
		.hooks = {run,
			instruments_attach_wanted(&run->workload->instruments) ? on_ready : NULL,
			on_output, on_tick},
	};
	struct conf_pairs extra;
	cpu_set_t cpus;

	if (clear_scratch(local, err))
		return -1;
	instruments_begin(&run->workload->instruments, local->scratch, &run->arena, &extra);
	if (set_command(run, &extra, &spec, err))
		return -1;
	if (workload->cpus) {
		if (proc_cpus_parse(workload->cpus, &cpus, err))
			return -1;
		spec.cpus = &cpus;
	}
	if (workload->limit_as)
		limits[spec.n_limits++] = (struct proc_limit){RLIMIT_AS, workload->limit_as};
	if (workload->limit_nofile)
		limits[spec.n_limits++] =
			(struct proc_limit){RLIMIT_NOFILE, (rlim_t)workload->limit_nofile};
	checker_begin(run->row->checker);
	if (!proc_run(local->setup.launcher, &spec, local->setup.stop, ret, err))
		return 0;
	/* What one row cannot start, a product without its interpreter, another may. */
	run->no_result = err->code == E_MISSING || err->code == E_RUN;
	return -1;
}

/* A program that could not be started or watched is a failed run with that reason, without a time.
 */
static void fill_no_result(struct running *run, const struct err *err)
{
	struct store_run *to = &run->outcome->run;

	to->status = RUN_FAILED;
	to->reason = arena_strdup(&run->outcome->record.arena, err->text);
	to->exit_code = -1;
	to->started_at = clock_now().real_ns;
	to->wall_ns = -1;
	to->cpus = run->paths.cpus;
	to->stderr_tail = "";
}

static int run_once(struct local *local, const struct run_request *request, struct run_outcome *ret,
	struct err *err)
{
	const struct plan *plan = local->setup.plan;
	const struct plan_row *row = request->row;
	struct running run = {
		.local = local,
		.request = request,
		.workload = &local->workloads[row->workload - plan->descriptor->workloads],
		.row = &local->rows[row - plan->rows],
		.paths = run_paths(local, row, request->builds),
		.outcome = ret,
	};
	CLEANUP(proc_result_release) struct proc_result result = {0};
	int rc = -1;

	memset(ret, 0, sizeof(*ret));
	run_record_init(&ret->record);
	lines_init(&run.lines[PROC_STDOUT], on_stdout_line, &run);
	lines_init(&run.lines[PROC_STDERR], on_stderr_line, &run);
	line_queue_init(&run.queue, match_line, &run);
	if (!run.workload->opened && instruments_open(&run.workload->instruments, plan->descriptor,
					     row->workload, &local->arena, local->setup.diags, err))
		goto out;
	run.workload->opened = true;
	if (!run.row->checker && open_row(local, row, run.row, err))
		goto out;
	if (execute(&run, &result, err)) {
		if (run.no_result) {
			fill_no_result(&run, err);
			rc = 0;
		}
		goto out;
	}
	lines_end(&run.lines[PROC_STDOUT], result.stop.mono_ns);
	lines_end(&run.lines[PROC_STDERR], result.stop.mono_ns);
	line_queue_flush(&run.queue);
	run_outcome_fill(ret, &result, run.paths.cpus);
	if (result.end == PROC_CANCELLED) {
		ret->interrupted = true;
		ret->run.status = RUN_LOST;
		ret->run.reason = "interrupted";
		rc = 0;
		goto out;
	}
	rc = judge(&run, &result, collect(&run, &result), err);
out:
	lines_release(&run.lines[PROC_STDOUT]);
	lines_release(&run.lines[PROC_STDERR]);
	line_queue_release(&run.queue);
	arena_release(&run.arena);
	if (rc)
		run_outcome_release(ret);
	return rc;
}

/* --- The baseline's output, for {sha256: same} ---------------------------------------------------
 */

static bool compares_output(const struct workload *workload)
{
	for (size_t i = 0; i < workload->checks.n; i++) {
		if (workload->checks.items[i].kind == CHECK_SHA256)
			return true;
	}
	return false;
}

/* Without a warm-up, or when a session goes on, a row may come before its baseline: then the
 * baseline is run once more, outside of the session, lest an output pass that nothing was compared
 * with. */
static int ensure_reference(struct local *local, const struct run_request *request,
	bool *ret_interrupted, struct err *err)
{
	const struct plan *plan = local->setup.plan;
	const struct plan_row *row = request->row;
	struct run_request reference = *request;
	struct run_outcome outcome;

	*ret_interrupted = false;
	if (!judged(request) || &plan->rows[row->baseline] == row ||
		local->cells[row->cell].reference_tried ||
		local->cells[row->cell].same[STREAM_STDOUT].hex[0] ||
		local->cells[row->cell].same[STREAM_STDERR].hex[0] ||
		!compares_output(row->workload))
		return 0;
	local->cells[row->cell].reference_tried = true;
	reference.row = &plan->rows[row->baseline];
	reference.echo = NULL;
	if (run_once(local, &reference, &outcome, err))
		return -1;
	*ret_interrupted = outcome.interrupted;
	run_outcome_release(&outcome);
	return 0;
}

static int local_run(
	void *state, const struct run_request *request, struct run_outcome *ret, struct err *err)
{
	bool interrupted;

	if (ensure_reference(state, request, &interrupted, err))
		return -1;
	if (!interrupted)
		return run_once(state, request, ret, err);
	memset(ret, 0, sizeof(*ret));
	run_record_init(&ret->record);
	ret->interrupted = true;
	ret->run = (struct store_run){.status = RUN_LOST,
		.reason = "interrupted",
		.exit_code = -1,
		.wall_ns = -1,
		.cpus = "",
		.stderr_tail = ""};
	return 0;
}

static struct clock_stamp local_now(void *state)
{
	(void)state;
	return clock_now();
}

const struct executor executor_local = {
	.name = "local",
	.summary = "builds and runs on this machine",
	.open = local_open,
	.new_seed = local_new_seed,
	.use_seed = local_use_seed,
	.build = local_build,
	.run = local_run,
	.now = local_now,
	.close = local_close,
};
