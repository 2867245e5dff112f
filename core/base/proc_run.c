/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/base/proc_private.h"
#include "core/base/sig.h"

int proc_run(struct launcher *launcher, const struct proc_spec *spec, const volatile int *stop,
	struct proc_result *ret, struct err *err)
{
	struct proc *proc;
	sigset_t asked, before;

	if (proc_begin(launcher, spec, &proc, err))
		return -1;
	/* blocked but while waiting: else one that comes between the look at *stop and the wait
	 * would be noticed only at the end of the child */
	sigemptyset(&asked);
	sigaddset(&asked, SIGINT);
	sigaddset(&asked, SIGTERM);
	sigaddset(&asked, SIGHUP);
	if (stop)
		sigprocmask(SIG_BLOCK, &asked, &before);
	while (!proc_done(proc)) {
		if (stop && *stop)
			proc_cancel(proc);
		if (proc_step_masked(launcher, -1, stop ? &before : NULL, err) &&
			!proc_done(proc)) {
			/* ppoll refused to wait: nothing else can go on */
			proc_cancel(proc);
			launcher_lost(launcher, err);
		}
	}
	if (stop)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return proc_finish(proc, ret, err);
}

struct capture {
	struct buf *bufs[2];
	size_t max;
	bool cut[2];
};

static void capture_output(
	void *ctx, enum proc_stream stream, const char *data, size_t len, int64_t t_ns)
{
	struct capture *capture = ctx;
	struct buf *to = capture->bufs[stream];

	(void)t_ns;
	if (!to)
		return;
	if (len > capture->max - to->len) {
		len = capture->max - to->len;
		capture->cut[stream] = true;
	}
	buf_add(to, data, len);
}

/* The last lines of a text, at most `size` bytes. */
static const char *last_lines(struct buf *text, size_t size)
{
	const char *from = text->data, *line;

	while (text->len && text->data[text->len - 1] == '\n')
		buf_truncate(text, text->len - 1);
	if (text->len > size) {
		from = text->data + text->len - size;
		line = strchr(from, '\n');
		if (line)
			from = line + 1;
	}
	return from;
}

static int capture_failed(const char *program, const struct proc_result *result,
	const struct proc_kept *said, int64_t timeout_ns, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const char *lines;

	buf_add(&text, said->head.data, said->head.len);
	buf_add(&text, said->tail.data, said->tail.len);
	lines = last_lines(&text, 1024);
	switch (result->end) {
	case PROC_CANCELLED:
		err_set(err, E_SIGNAL, "'%s' was interrupted", program);
		err->sys = sig_received;
		return -1;
	case PROC_TIMEOUT:
		return err_set(err, E_BUILD, "'%s' took longer than %g s%s%s", program,
			(double)timeout_ns / NS_PER_S, *lines ? "\n" : "", lines);
	case PROC_SIGNALED:
		return err_set(err, E_BUILD, "'%s' was killed by signal %d (%s)%s%s", program,
			result->signal, strsignal(result->signal), *lines ? "\n" : "", lines);
	case PROC_EXITED:
		break;
	}
	return err_set(err, E_BUILD, "'%s' failed with status %d%s%s", program, result->code,
		*lines ? "\n" : "", lines);
}

int proc_capture(struct launcher *launcher, const char *const *argv, const char *const *envp,
	const char *cwd, int64_t timeout_ns, size_t max, struct buf *ret_out, struct buf *ret_err,
	int *ret_code, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	CLEANUP(buf_release) struct buf errors = BUF_INIT;
	struct capture capture = {
		{ret_out ? &out : NULL, ret_err ? &errors : NULL}, max, {false, false}};
	struct proc_spec spec = {.argv = argv,
		.envp = envp,
		.cwd = cwd,
		.timeout_ns = timeout_ns,
		.out = ret_out ? PROC_PIPE : PROC_NULL,
		.err = PROC_PIPE,
		.keep = 4096,
		.hooks = {.ctx = &capture, .on_output = capture_output}};
	CLEANUP(proc_result_release)
	struct proc_result result = {.streams = {{BUF_INIT, BUF_INIT, 0}, {BUF_INIT, BUF_INIT, 0}}};
	bool fine;

	if (proc_run(launcher, &spec, &sig_received, &result, err))
		return -1;
	fine = result.end == PROC_EXITED && result.code == 0;
	if (!fine && (!ret_code || result.end != PROC_EXITED))
		return capture_failed(
			argv[0], &result, &result.streams[PROC_STDERR], timeout_ns, err);
	if (capture.cut[PROC_STDOUT])
		return err_set(err, E_BUILD, "'%s' printed more than %zu bytes", argv[0], max);
	if (ret_code)
		*ret_code = result.code;
	if (ret_out) {
		buf_release(ret_out);
		*ret_out = out;
		out = (struct buf)BUF_INIT;
	}
	if (ret_err) {
		buf_release(ret_err);
		*ret_err = errors;
		errors = (struct buf)BUF_INIT;
	}
	return 0;
}

/* Refuses every child, which has entered its namespace and done its mount by then. */
static int refuse(void *ctx, pid_t pid, struct err *err)
{
	(void)pid;
	*(bool *)ctx = true;
	return err_set(err, E_NEGATIVE, "not to be run");
}

bool proc_can_bind(struct launcher *launcher, char *why, size_t why_size)
{
	if (launcher->bind == BIND_UNKNOWN) {
		static const struct proc_bind bind = {"/dev", "/dev"};
		static const char *const argv[] = {"/proc/self/exe", NULL};
		struct proc_result result;
		struct err err = {0};
		bool reached = false;
		struct proc_spec spec = {.argv = argv,
			.cwd = "/",
			.out = PROC_NULL,
			.err = PROC_NULL,
			.binds = &bind,
			.n_binds = 1,
			.hooks = {.ctx = &reached, .on_ready = refuse}};

		if (proc_run(launcher, &spec, NULL, &result, &err) == 0)
			proc_result_release(&result);
		launcher->bind = reached ? BIND_YES : BIND_NO;
		if (!reached)
			snprintf(launcher->bind_why, sizeof(launcher->bind_why), "%.255s",
				err.sys ? strerror(err.sys) : err.text);
	}
	if (why && launcher->bind == BIND_NO)
		snprintf(why, why_size, "%s", launcher->bind_why);
	return launcher->bind == BIND_YES;
}
