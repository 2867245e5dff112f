/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/build_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/engine/build_cache.h"
#include "core/engine/build_outputs.h"

void build_place_release(struct build_place *place)
{
	free(place->base);
	free(place->seen);
	*place = (struct build_place){0};
}

static const struct build *build_of(const struct build_job *job)
{
	return &job->request->plan->descriptor->build;
}

static char *log_path(const struct build_job *job)
{
	return state_path(job->request->state, job->result->log);
}

/* --- Ends ----------------------------------------------------------------------------------------
 */

static void finish(struct build_job *job, enum build_status status, char *reason)
{
	job->result->status = status;
	job->result->reason = reason;
	job->result->seconds = (double)(clock_mono_ns() - job->began_ns) / NS_PER_S;
	job->done = true;
	if (reason && job->log_fd >= 0)
		dprintf(job->log_fd, "assay: %s\n", reason);
}

/* A failure of this build is its result; a failure of the disk is everybody's. */
static int fail(struct build_job *job, const struct err *why, struct err *err)
{
	if (why->code == E_SIGNAL) {
		finish(job, BUILD_CANCELLED, xstrdup("interrupted"));
		return 0;
	}
	finish(job, BUILD_FAILED,
		why->help[0] ? xasprintf("%s\n  %s", why->text, why->help) : xstrdup(why->text));
	if (why->code != E_SYSTEM)
		return 0;
	*err = *why;
	return err_wrap(err, "building '%s'", job->build->name);
}

/* "step 'make -j 2' WHAT", then the end of what it printed. */
static void fail_step(struct build_job *job, enum build_status status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void fail_step(struct build_job *job, enum build_status status, const char *fmt, ...)
{
	CLEANUP(buf_release) struct buf reason = BUF_INIT;
	AUTOFREE char *path = log_path(job);
	va_list ap;

	buf_adds(&reason, "step '");
	text_quote_argv(&reason, job->argv);
	buf_adds(&reason, "' ");
	va_start(ap, fmt);
	buf_vaddf(&reason, fmt, ap);
	va_end(ap);
	build_log_tail(path, job->log_at, &reason);
	finish(job, status, buf_steal(&reason));
}

static void fail_timeout(struct build_job *job)
{
	CLEANUP(buf_release) struct buf time = BUF_INIT;

	num_add_duration(&time, build_of(job)->timeout_ns);
	fail_step(job, BUILD_TIMEOUT,
		"ran when the time for the build was over (build.timeout: %s)", time.data);
}

/* --- Folders -------------------------------------------------------------------------------------
 */

static int open_log(struct build_job *job, struct err *err)
{
	AUTOFREE char *path = NULL, *folder = NULL;

	job->result->log = build_log_name(job->build);
	path = log_path(job);
	folder = path_dirname(path);
	if (fs_mkdirs(folder, err))
		return -1;
	/* Appending: the steps write through descriptors of their own. */
	job->log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (job->log_fd < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot write '%s'", path);
	dprintf(job->log_fd, "assay: build of '%s', %s\n", job->build->name, job->build->key);
	return 0;
}

static int make_folders(struct build_job *job, struct err *err)
{
	AUTOFREE char *tree = path_join(job->place.base, "tree");
	AUTOFREE char *out = path_join(job->place.base, "out");

	if (fs_remove(job->place.base, err) || fs_mkdirs(out, err) ||
		fs_mkdirs(job->place.seen, err))
		return -1;
	if (source_tree(job->request->state, job->request->source, tree, err))
		return err_wrap(err, "copying the source");
	return 0;
}

static int check_dir(const struct build_job *job, struct err *err)
{
	AUTOFREE char *tree = path_join(job->place.base, "tree");
	AUTOFREE char *dir = path_join(tree, build_of(job)->dir);

	if (fs_is_dir(dir))
		return 0;
	return err_set(
		err, E_BUILD, "the source has no folder '%s' (build.dir)", build_of(job)->dir);
}

/* --- Steps ---------------------------------------------------------------------------------------
 */

static void bind(struct build_job *job, struct bindings *to)
{
	const char *tree = arena_printf(&job->arena, "%s/tree", job->place.seen);
	const char *out = arena_printf(&job->arena, "%s/out", job->place.seen);

	plan_build_bindings(job->request->plan, job->build, tree, out, job->jobs, to, &job->arena);
}

static int start_process(struct build_job *job, int64_t timeout_ns, struct err *err)
{
	struct proc_bind mount = {job->place.base, job->place.seen};
	bool bound = strcmp(job->place.base, job->place.seen) != 0;
	struct proc_spec spec = {
		.argv = job->argv,
		.envp = job->envp,
		.cwd = arena_printf(&job->arena, "%s/tree/%s", job->place.seen, build_of(job)->dir),
		.out = PROC_FD,
		.err = PROC_FD,
		.out_fd = job->log_fd,
		.err_fd = job->log_fd,
		.timeout_ns = timeout_ns,
		.binds = &mount,
		.n_binds = bound,
	};

	return proc_begin(job->request->launcher, &spec, &job->proc, err);
}

static int start_step(struct build_job *job, struct err *err)
{
	CLEANUP(bindings_release) struct bindings bindings = {0};
	CLEANUP(buf_release) struct buf line = BUF_INIT;
	int64_t left = build_of(job)->timeout_ns - (clock_mono_ns() - job->steps_ns);
	struct err why;

	bind(job, &bindings);
	if (expand_argv(build_of(job)->steps.items[job->step], &bindings, &job->arena, &job->argv,
		    &why)) {
		err_wrap(&why, "build step %zu", job->step + 1);
		return fail(job, &why, err);
	}
	buf_adds(&line, "$ ");
	text_quote_argv(&line, job->argv);
	dprintf(job->log_fd, "%s\n", line.data);
	job->log_at = lseek(job->log_fd, 0, SEEK_END);
	if (left <= 0) {
		fail_timeout(job);
		return 0;
	}
	if (start_process(job, left, &why)) {
		fail_step(job, BUILD_FAILED, "did not start: %s%s%s", why.text,
			why.help[0] ? "\n  " : "", why.help);
		return 0;
	}
	return 0;
}

static int keep_outputs(struct build_job *job, struct err *err)
{
	const struct build_request *request = job->request;
	CLEANUP(bindings_release) struct bindings bindings = {0};
	AUTOFREE char *name = xasprintf("work/done-%.*s", BUILD_LOG_KEY, job->build->key);
	AUTOFREE char *to = state_path(request->state, name);
	struct build_outputs outputs = {
		.pairs = &build_of(job)->outputs,
		.bindings = &bindings,
		.place = &job->place,
		.dir = build_of(job)->dir,
		.keep_tree = build_of(job)->keep_tree,
		.arena = &job->arena,
	};
	struct err why;

	bind(job, &bindings);
	job->result->seconds = (double)(clock_mono_ns() - job->began_ns) / NS_PER_S;
	if (fs_remove(to, &why) || build_outputs_collect(&outputs, to, &why) ||
		build_cache_keep(request->state, request->plan->descriptor, job->build, to,
			job->result, &why)) {
		struct err ignored;

		(void)!fs_remove(to, &ignored);
		return fail(job, &why, err);
	}
	finish(job, BUILD_OK, NULL);
	return 0;
}

static int next_step(struct build_job *job, struct err *err)
{
	if (job->step < build_of(job)->steps.n)
		return start_step(job, err);
	return keep_outputs(job, err);
}

static void judge(struct build_job *job, const struct proc_result *result)
{
	switch (result->end) {
	case PROC_CANCELLED:
		finish(job, BUILD_CANCELLED, xstrdup("interrupted"));
		break;
	case PROC_TIMEOUT:
		fail_timeout(job);
		break;
	case PROC_SIGNALED:
		fail_step(job, BUILD_FAILED, "was killed by signal %d (%s)", result->signal,
			strsignal(result->signal));
		break;
	case PROC_EXITED:
		if (result->code)
			fail_step(job, BUILD_FAILED, "failed with status %d", result->code);
		break;
	}
}

int build_job_go_on(struct build_job *job, struct err *err)
{
	struct proc_result result;
	struct err why;

	if (proc_finish(STEAL(job->proc), &result, &why)) {
		fail_step(job, BUILD_FAILED, "did not start: %s%s%s", why.text,
			why.help[0] ? "\n  " : "", why.help);
		return 0;
	}
	judge(job, &result);
	proc_result_release(&result);
	if (job->done)
		return 0;
	if (job->cancelled) {
		finish(job, BUILD_CANCELLED, xstrdup("interrupted"));
		return 0;
	}
	job->step++;
	return next_step(job, err);
}

int build_job_begin(struct build_job *job, struct err *err)
{
	const struct build_request *request = job->request;
	AUTOFREE char *tree = path_join(job->place.base, "tree");
	CLEANUP(bindings_release) struct bindings bindings = {0};
	struct err why;

	job->began_ns = clock_mono_ns();
	job->log_fd = -1;
	if (open_log(job, &why) || make_folders(job, &why) ||
		apply_build(
			request->launcher, request->state, request->plan, job->build, tree, &why) ||
		check_dir(job, &why))
		return fail(job, &why, err);
	bind(job, &bindings);
	if (build_environment(request->plan, job->build, &bindings, job->place.seen, &job->arena,
		    &job->envp, &why))
		return fail(job, &why, err);
	job->steps_ns = clock_mono_ns();
	return next_step(job, err);
}

void build_job_cancel(struct build_job *job)
{
	job->cancelled = true;
	if (job->proc)
		proc_cancel(job->proc);
}

/* What an interrupted build leaves: nothing. */
static void remove_log(struct build_job *job)
{
	AUTOFREE char *path = log_path(job);

	unlink(path);
	free(STEAL(job->result->log));
}

void build_job_release(struct build_job *job)
{
	struct err ignored;

	cleanup_close(&job->log_fd);
	if (job->result->status == BUILD_CANCELLED && job->result->log)
		remove_log(job);
	if (job->place.base)
		(void)!fs_remove(job->place.base, &ignored);
	build_place_release(&job->place);
	arena_release(&job->arena);
}
