/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/engine/build_job.h"

struct fetching {
	const struct build_request *request;
	struct build_place place;
	struct arena arena;
	const char *const *argv, *const *envp;
	struct digest digest; /* of the command */
	char *marker; /* src/DIGEST.fetched: digest of the command that was run in the snapshot */
	char *log;
};

static void fetching_release(struct fetching *f)
{
	build_place_release(&f->place);
	arena_release(&f->arena);
	free(f->marker);
	free(f->log);
}

static int prepare(struct fetching *f, int jobs, struct err *err)
{
	const struct build_request *request = f->request;
	const struct plan_build *build = &request->plan->builds[0];
	CLEANUP(bindings_release) struct bindings bindings = {0};
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	AUTOFREE char *snapshot = source_snapshot_path(request->state, request->source);

	f->place.base = state_path(request->state, "work/build");
	f->place.seen = xstrdup(f->place.base);
	f->marker = xasprintf("%s.fetched", snapshot);
	f->log = state_path(request->state, "logs/fetch.log");
	plan_build_bindings(request->plan, build, arena_printf(&f->arena, "%s/tree", f->place.seen),
		arena_printf(&f->arena, "%s/out", f->place.seen), jobs, &bindings, &f->arena);
	if (expand_argv(
		    request->plan->descriptor->build.fetch, &bindings, &f->arena, &f->argv, err) ||
		build_environment(
			request->plan, build, &bindings, f->place.seen, &f->arena, &f->envp, err))
		return err_wrap(err, "build.fetch");
	for (const char *const *word = f->argv; *word; word++)
		digest_field(to, "word", *word);
	f->digest = digest_end(to);
	return 0;
}

static bool was_fetched(const struct fetching *f)
{
	char have[DIGEST_HEX];

	return !fs_read_small(f->marker, have, sizeof(have)) && !strcmp(have, f->digest.hex);
}

static int failed(const struct fetching *f, const struct proc_result *result, struct err *err)
{
	CLEANUP(buf_release) struct buf reason = BUF_INIT;

	if (result->end == PROC_CANCELLED) {
		err_set(err, E_SIGNAL, "interrupted");
		err->sys = f->request->stop ? *f->request->stop : 0;
		return -1;
	}
	text_quote_argv(&reason, f->argv);
	if (result->end == PROC_TIMEOUT)
		buf_adds(&reason, " took longer than build.timeout");
	else if (result->end == PROC_SIGNALED)
		buf_addf(&reason, " was killed by signal %d (%s)", result->signal,
			strsignal(result->signal));
	else
		buf_addf(&reason, " failed with status %d", result->code);
	build_log_tail(f->log, 0, &reason);
	return err_set(err, E_BUILD, "build.fetch: %s", reason.data);
}

static int run(const struct fetching *f, struct err *err)
{
	const struct build_request *request = f->request;
	const struct build *build = &request->plan->descriptor->build;
	AUTOFREE char *cwd = xasprintf("%s/tree/%s", f->place.base, build->dir);
	AUTOFREE char *folder = path_dirname(f->log);
	AUTOCLOSE int log = -1;
	struct proc_result result;
	int rc = 0;

	if (fs_mkdirs(folder, err))
		return -1;
	log = open(f->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (log < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot write '%s'", f->log);
	if (proc_run(request->launcher,
		    &(struct proc_spec){
			    .argv = f->argv,
			    .envp = f->envp,
			    .cwd = cwd,
			    .out = PROC_FD,
			    .err = PROC_FD,
			    .out_fd = log,
			    .err_fd = log,
			    .timeout_ns = build->timeout_ns,
		    },
		    request->stop, &result, err))
		return err_wrap(err, "build.fetch");
	if (result.end != PROC_EXITED || result.code)
		rc = failed(f, &result, err);
	proc_result_release(&result);
	return rc;
}

/* The tree in which the command ran becomes the snapshot. Killed in between, there is no snapshot,
 * or one without marker: both are made again. */
static int keep(const struct fetching *f, struct err *err)
{
	AUTOFREE char *snapshot = source_snapshot_path(f->request->state, f->request->source);
	AUTOFREE char *old = state_path(f->request->state, "work/fetch-old");
	AUTOFREE char *tree = path_join(f->place.base, "tree");

	if (fs_remove(old, err) || fs_move(snapshot, old, err) || fs_move(tree, snapshot, err) ||
		fs_write(f->marker, f->digest.hex, DIGEST_HEX - 1, 0, err))
		return -1;
	return fs_remove(old, err);
}

int build_fetch(const struct build_request *request, int jobs, struct err *err)
{
	CLEANUP(fetching_release) struct fetching f = {.request = request};
	AUTOFREE char *tree = NULL, *out = NULL;

	if (!request->plan->descriptor->build.fetch)
		return 0;
	if (prepare(&f, jobs, err))
		return -1;
	if (was_fetched(&f))
		return 0;
	tree = path_join(f.place.base, "tree");
	out = path_join(f.place.base, "out");
	if (fs_remove(f.place.base, err) || fs_mkdirs(out, err) ||
		source_tree(request->state, request->source, tree, err) || run(&f, err) ||
		keep(&f, err))
		return -1;
	return fs_remove(f.place.base, err);
}
