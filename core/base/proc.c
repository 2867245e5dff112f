/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/proc_private.h"

#define GRACE_NS (2 * NS_PER_S)
#define TICK_NS (100 * NS_PER_MS)
#define DRAIN_NS (200 * NS_PER_MS) /* when somebody outside the tree holds a stream open */

/* ---- begin ---- */

static int open_stdin(const struct proc_spec *spec, const char *cwd, int *ret, struct err *err)
{
	AUTOCLOSE int dir = -1;
	int fd;

	*ret = -1;
	if (!spec->stdin_path)
		return 0;
	dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, E_MISSING, errno, "cannot enter folder '%s'", cwd);
	/* O_NONBLOCK for the opening alone: a FIFO without a writer must not hold us */
	fd = openat(dir, spec->stdin_path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0) {
		err_sys(err, E_MISSING, errno, "cannot open standard input '%s'", spec->stdin_path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*ret = fd;
	return 0;
}

/* The text in a file without a name, when it does not fit into a packet. */
static int text_to_memfd(const struct buf *text, struct err *err)
{
	int fd = memfd_create("assay-request", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot make a memory file");
	while (done < text->len) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			err_sys(err, E_SYSTEM, errno, "cannot write a memory file");
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

/* A new worker: its socket is usable at once, what we send waits for it. */
static int new_worker(struct launcher *launcher, struct err *err)
{
	struct wire_order order = {.kind = WIRE_WORKER};
	struct iovec part = {&order, sizeof(order)};
	int pair[2], result;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, E_SYSTEM, errno, "cannot make a socket pair");
	result = wire_send(launcher->sock, &part, 1, &pair[1], 1);
	/* a program may have stopped it: what asks its parent's parent to wait asks the launcher */
	kill(launcher->pid, SIGCONT);
	if (result)
		err_sys(err, E_SYSTEM, errno, "cannot reach the launcher of child processes");
	close(pair[1]);
	if (result) {
		close(pair[0]);
		return -1;
	}
	return pair[0];
}

/* Sends the request to an idle worker (one that was killed meanwhile is left out) or a new one. */
static int send_request(struct proc *proc, const struct iovec *parts, size_t n_parts,
	const int *fds, size_t n_fds, struct err *err)
{
	struct launcher *launcher = proc->launcher;

	for (;;) {
		bool fresh = !launcher->idle.n;
		int sock = fresh ? new_worker(launcher, err)
				 : launcher->idle.items[--launcher->idle.n];

		if (sock < 0)
			return -1;
		if (wire_send(sock, parts, n_parts, fds, n_fds) == 0) {
			proc->sock = sock;
			return 0;
		}
		err_sys(err, E_SYSTEM, errno, "cannot reach the launcher of child processes");
		close(sock);
		if (fresh)
			return -1;
	}
}

static int send_start(struct proc *proc, const struct proc_spec *spec, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct wire_start head = {0};
	struct iovec parts[2] = {{&head, sizeof(head)}};
	AUTOCLOSE int stdin_fd = -1, text_fd = -1;
	int fds[WIRE_FDS_MAX];
	size_t n_fds = 0;

	if (open_stdin(spec, proc->cwd, &stdin_fd, err))
		return -1;
	wire_pack(spec, proc->cwd, proc->path, &head, &text);
	parts[1] = (struct iovec){text.data, text.len};
	if (text.len > WIRE_INLINE_MAX) {
		text_fd = text_to_memfd(&text, err);
		if (text_fd < 0)
			return -1;
		head.flags |= WIRE_FD_TEXT;
		fds[n_fds++] = text_fd;
	}
	if (spec->hooks.on_ready)
		head.flags |= WIRE_HOLD;
	if (spec->cpus) {
		head.flags |= WIRE_CPUS;
		head.cpus = *spec->cpus;
	}
	for (int i = 0; i < 3; i++) {
		int fd = i == 0 ? stdin_fd : proc->streams[i - 1].child_fd;

		if (fd < 0)
			continue;
		head.flags |= (uint32_t)WIRE_FD_IN << i;
		fds[n_fds++] = fd;
	}
	return send_request(proc, parts, text_fd >= 0 ? 1 : 2, fds, n_fds, err);
}

static void proc_free(struct proc *proc)
{
	if (proc->sock >= 0)
		close(proc->sock);
	for (int i = 0; i < 2; i++)
		stream_release(&proc->streams[i]);
	for (size_t i = 0; i < proc->bind_names.n; i++)
		free(proc->bind_names.items[i]);
	vec_release(&proc->bind_names);
	vec_release(&proc->limit_resources);
	free(proc->program);
	free(proc->path);
	free(proc->cwd);
	free(proc);
}

/* PATH of the child's environment; without one, what execvp takes. */
static const char *path_of(const char *const *envp)
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	return "/bin:/usr/bin";
}

static struct proc *proc_new(struct launcher *launcher, const struct proc_spec *spec)
{
	const char *const *envp = spec->envp ? spec->envp : (const char *const *)environ;
	struct proc *proc = xcalloc(1, sizeof(*proc));

	proc->launcher = launcher;
	proc->sock = -1;
	proc->streams[0] = proc->streams[1] = (struct stream)STREAM_INIT;
	proc->hooks = spec->hooks;
	proc->timeout_ns = spec->timeout_ns;
	proc->grace_ns = spec->grace_ns ? spec->grace_ns : GRACE_NS;
	proc->program = xstrdup(spec->argv[0]);
	proc->path = xstrdup(path_of(envp));
	for (size_t i = 0; i < spec->n_binds; i++)
		*vec_push(&proc->bind_names) =
			xasprintf("'%s' at '%s'", spec->binds[i].from, spec->binds[i].at);
	for (size_t i = 0; i < spec->n_limits; i++)
		*vec_push(&proc->limit_resources) = spec->limits[i].resource;
	proc->result.code = -1;
	return proc;
}

int proc_begin(
	struct launcher *launcher, const struct proc_spec *spec, struct proc **ret, struct err *err)
{
	struct proc *proc;
	char cwd[PATH_MAX];

	assert(spec->argv && spec->argv[0]);
	if (launcher->dead)
		return launcher_lost(launcher, err);
	if (!spec->cwd && !getcwd(cwd, sizeof(cwd)))
		return err_sys(err, E_SYSTEM, errno, "the working folder is gone");
	proc = proc_new(launcher, spec);
	proc->cwd = xstrdup(spec->cwd ? spec->cwd : cwd);
	if (stream_open(
		    &proc->streams[0], spec->out, spec->out_fd, STDOUT_FILENO, spec->keep, err) ||
		stream_open(&proc->streams[1], spec->err, spec->err_fd, STDERR_FILENO, spec->keep,
			err) ||
		send_start(proc, spec, err)) {
		proc_free(proc);
		return -1;
	}
	for (int i = 0; i < 2; i++)
		stream_sent(&proc->streams[i]);
	proc->begin_ns = clock_mono_ns();
	proc->tick_ns = proc->begin_ns + TICK_NS;
	proc->state = spec->hooks.on_ready ? PROC_STARTING : PROC_RUNNING;
	*vec_push(&launcher->procs) = proc;
	*ret = proc;
	return 0;
}

/* ---- step ---- */

static void send_signal(struct proc *proc, int sig)
{
	/* stamped before: the child may be gone before the call returns */
	if (sig == SIGTERM)
		proc->term_ns = clock_mono_ns();
	else
		proc->killed = true;
	/* when the worker is gone its socket says so in the next step */
	if (wire_send_order(proc->sock, WIRE_SIGNAL, sig))
		return;
}

static void worker_free(struct proc *proc)
{
	*vec_push(&proc->launcher->idle) = proc->sock;
	proc->sock = -1;
}

static void set_done(struct proc *proc)
{
	for (int i = 0; i < 2; i++)
		stream_close(&proc->streams[i]);
	proc->state = PROC_DONE;
}

static void on_ready(struct proc *proc, const struct wire_event *event)
{
	bool go = !proc->cancel;

	proc->result.pid = event->pid;
	if (go && proc->hooks.on_ready(proc->hooks.ctx, event->pid, &proc->err)) {
		proc->failed = true;
		go = false;
	}
	if (go) {
		proc->begin_ns = clock_mono_ns();
		proc->tick_ns = proc->begin_ns + TICK_NS;
		proc->state = PROC_RUNNING;
	}
	if (wire_send_order(proc->sock, go ? WIRE_GO : WIRE_ABORT, 0))
		return; /* the socket says more in the next step */
}

static void on_failed(struct proc *proc, const struct wire_event *event)
{
	if (proc->cancel && event->stage == WIRE_STAGE_HOLD) {
		proc->result.end = PROC_CANCELLED;
	} else if (!proc->failed) {
		proc_start_error(proc, event, &proc->err);
		proc->failed = true;
	}
	worker_free(proc);
	set_done(proc);
}

static void start_draining(struct proc *proc, const struct wire_event *event)
{
	proc->result.orphans = event->orphans;
	proc->result.orphan_usage = event->orphan_usage;
	worker_free(proc);
	proc->state = PROC_DRAINING;
	proc->drain_ns = clock_mono_ns() + DRAIN_NS;
}

static void on_exited(struct proc *proc, const struct wire_event *event)
{
	struct proc_result *result = &proc->result;

	result->pid = event->pid;
	result->start = event->start;
	result->stop = event->stop;
	result->wall_ns = event->stop.mono_ns - event->start.mono_ns;
	result->usage = event->usage;
	if (WIFSIGNALED(event->status)) {
		result->end = PROC_SIGNALED;
		result->signal = WTERMSIG(event->status);
	} else {
		result->end = PROC_EXITED;
		result->code = WEXITSTATUS(event->status);
	}
	/* an end before our SIGTERM was its own */
	if (proc->term_ns && event->stop.mono_ns >= proc->term_ns)
		result->end = proc->timed_out ? PROC_TIMEOUT : PROC_CANCELLED;
	proc->state = PROC_ENDING;
	if (event->tree_done)
		start_draining(proc, event);
}

static void take_event(struct proc *proc)
{
	struct wire_event event;
	ssize_t n = wire_recv(proc->sock, &event, sizeof(event), NULL, NULL);

	if (n != (ssize_t)sizeof(event)) {
		close(proc->sock);
		proc->sock = -1;
		proc->failed = true;
		err_set(&proc->err, E_RUN,
			"the launcher process of '%s' was killed, and the program with it",
			proc->program);
		set_done(proc);
		return;
	}
	switch (event.kind) {
	case WIRE_READY:
		on_ready(proc, &event);
		break;
	case WIRE_FAILED:
		on_failed(proc, &event);
		break;
	case WIRE_EXITED:
		on_exited(proc, &event);
		break;
	case WIRE_ENDED:
		start_draining(proc, &event);
		break;
	default:
		assert(!"an event that no worker sends");
	}
}

static void take_output(struct proc *proc, enum proc_stream which)
{
	char *chunk = proc->launcher->chunk;
	ssize_t n = stream_read(&proc->streams[which], chunk, STREAM_CHUNK);

	if (n > 0 && proc->hooks.on_output)
		proc->hooks.on_output(proc->hooks.ctx, which, chunk, (size_t)n, clock_mono_ns());
}

static void earlier(int64_t *to, int64_t t_ns)
{
	if (t_ns < *to)
		*to = t_ns;
}

static int64_t next_deadline(const struct proc *proc)
{
	int64_t at = INT64_MAX;

	if (proc->state == PROC_RUNNING) {
		if (proc->timeout_ns && !proc->term_ns)
			earlier(&at, proc->begin_ns + proc->timeout_ns);
		if (proc->term_ns && !proc->killed)
			earlier(&at, proc->term_ns + proc->grace_ns);
		if (proc->hooks.on_tick)
			earlier(&at, proc->tick_ns);
	} else if (proc->state == PROC_DRAINING) {
		at = proc->drain_ns;
	}
	return at;
}

static void check_deadlines(struct proc *proc, int64_t now)
{
	if (proc->state == PROC_RUNNING) {
		if (proc->timeout_ns && !proc->term_ns &&
			now >= proc->begin_ns + proc->timeout_ns) {
			proc->timed_out = true;
			send_signal(proc, SIGTERM);
		} else if (proc->cancel && !proc->term_ns) {
			send_signal(proc, SIGTERM);
		}
		if (proc->term_ns && !proc->killed && now >= proc->term_ns + proc->grace_ns)
			send_signal(proc, SIGKILL);
		if (proc->hooks.on_tick && now >= proc->tick_ns) {
			proc->tick_ns = now + TICK_NS;
			proc->hooks.on_tick(proc->hooks.ctx, now - proc->begin_ns);
		}
	}
	if (proc->state == PROC_DRAINING &&
		(now >= proc->drain_ns || (proc->streams[0].fd < 0 && proc->streams[1].fd < 0)))
		set_done(proc);
}

/* Three places per proc, used or not, so that events are found by position. */
static int64_t fill_polls(struct launcher *launcher)
{
	int64_t at = INT64_MAX;

	launcher->polls.n = 0;
	*vec_push(&launcher->polls) = (struct pollfd){.fd = launcher->sock, .events = POLLIN};
	for (size_t i = 0; i < launcher->procs.n; i++) {
		const struct proc *proc = launcher->procs.items[i];

		for (int s = 0; s < 2; s++)
			*vec_push(&launcher->polls) =
				(struct pollfd){.fd = proc->streams[s].fd, .events = POLLIN};
		*vec_push(&launcher->polls) = (struct pollfd){.fd = proc->sock, .events = POLLIN};
		earlier(&at, next_deadline(proc));
	}
	return at;
}

static bool any_running(const struct launcher *launcher)
{
	for (size_t i = 0; i < launcher->procs.n; i++)
		if (launcher->procs.items[i]->state != PROC_DONE)
			return true;
	return false;
}

int proc_step_masked(
	struct launcher *launcher, int64_t timeout_ns, const sigset_t *mask, struct err *err)
{
	size_t n_procs = launcher->procs.n;
	struct timespec wait;
	int64_t at, now;
	int n;

	if (launcher->dead)
		return launcher_lost(launcher, err);
	if (!any_running(launcher))
		return 0;
	at = fill_polls(launcher);
	if (timeout_ns >= 0 || at != INT64_MAX) {
		now = clock_mono_ns();
		if (timeout_ns >= 0 && timeout_ns < INT64_MAX - now)
			earlier(&at, now + timeout_ns);
		if (at < now)
			at = now;
		wait.tv_sec = (at - now) / NS_PER_S;
		wait.tv_nsec = (at - now) % NS_PER_S;
	}
	n = ppoll(launcher->polls.items, launcher->polls.n, at == INT64_MAX ? NULL : &wait, mask);
	if (n < 0 && errno != EINTR)
		return err_sys(err, E_SYSTEM, errno, "cannot wait for child processes");
	if (n > 0 && launcher->polls.items[0].revents)
		return launcher_lost(launcher, err);
	now = clock_mono_ns();
	for (size_t i = 0; i < n_procs; i++) {
		struct proc *proc = launcher->procs.items[i];

		for (int s = 0; n > 0 && s < 3; s++) {
			if (!launcher->polls.items[1 + 3 * i + (size_t)s].revents)
				continue;
			if (s < 2)
				take_output(proc, (enum proc_stream)s);
			else
				take_event(proc);
		}
		check_deadlines(proc, now);
	}
	return 0;
}

int proc_step(struct launcher *launcher, int64_t timeout_ns, struct err *err)
{
	return proc_step_masked(launcher, timeout_ns, NULL, err);
}

bool proc_done(const struct proc *proc)
{
	return proc->state == PROC_DONE;
}

void proc_cancel(struct proc *proc)
{
	proc->cancel = true;
	if (proc->state == PROC_RUNNING && !proc->term_ns)
		send_signal(proc, SIGTERM);
}

/* ---- finish ---- */

int proc_finish(struct proc *proc, struct proc_result *ret, struct err *err)
{
	struct launcher *launcher = proc->launcher;
	int result = 0;

	assert(proc->state == PROC_DONE);
	for (size_t i = 0; launcher && i < launcher->procs.n; i++) {
		if (launcher->procs.items[i] != proc)
			continue;
		memmove(&launcher->procs.items[i], &launcher->procs.items[i + 1],
			(--launcher->procs.n - i) * sizeof(proc));
		break;
	}
	if (proc->failed) {
		*err = proc->err;
		result = -1;
	} else {
		*ret = proc->result;
		for (int i = 0; i < 2; i++)
			ret->streams[i] = stream_take(&proc->streams[i]);
	}
	proc_free(proc);
	return result;
}

void proc_result_release(struct proc_result *result)
{
	for (int i = 0; i < 2; i++) {
		buf_release(&result->streams[i].head);
		buf_release(&result->streams[i].tail);
	}
}
