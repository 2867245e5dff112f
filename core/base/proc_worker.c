/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/proc_child.h"
#include "core/base/proc_launcher.h"
#include "core/base/proc_tree.h"
#include "core/base/proc_wire.h"

#define STACK_SIZE (256 * 1024)
/* What outlives the child: may end by itself, then is asked to, then is ended. */
#define ORPHANS_LEAVE_NS (50 * NS_PER_MS)
#define ORPHANS_TERM_NS (200 * NS_PER_MS)
#define ORPHANS_KILL_NS (5 * NS_PER_S) /* longer only in an uninterruptible wait */

struct worker {
	int sock, signal_fd;
	pid_t parent;
	bool kill_hard; /* SIGKILL was ordered: no more patience with orphans */
	char *stack;
	struct child_report *report;
	char packet[sizeof(struct wire_start) + WIRE_INLINE_MAX];
};

enum worker_news {
	NEWS_ORDER = 1,
	NEWS_CHILD = 2
};

_Noreturn static void end_all(void)
{
	tree_end(-1, NULL);
	_exit(0);
}

/* Waits; returns what there is to look at. Does not return once assay or the launcher is dead. */
static int wait_news(struct worker *worker, int timeout_ms)
{
	struct pollfd polls[2] = {{.fd = worker->sock, .events = POLLIN},
		{.fd = worker->signal_fd, .events = POLLIN}};
	int news = 0;

	if (poll(polls, 2, timeout_ms) < 0) {
		if (errno != EINTR)
			end_all();
		return 0;
	}
	if (polls[0].revents)
		news |= NEWS_ORDER;
	if (polls[1].revents)
		news |= NEWS_CHILD;
	return news;
}

static void check_signals(struct worker *worker)
{
	if (launcher_parent_died(worker->signal_fd, worker->parent))
		end_all();
}

/* An order while child (0 = none any more) runs. */
static void take_order(struct worker *worker, pid_t child)
{
	struct wire_order order;

	if (wire_recv(worker->sock, &order, sizeof(order), NULL, NULL) <= 0)
		end_all();
	if (order.kind != WIRE_SIGNAL)
		return;
	worker->kill_hard |= order.sig == SIGKILL;
	if (child)
		tree_signal(getpid(), child, order.sig);
}

static void send_event(struct worker *worker, const struct wire_event *event)
{
	struct iovec part = {(void *)event, sizeof(*event)};

	if (wire_send(worker->sock, &part, 1, NULL, 0))
		end_all();
}

static void send_failed(struct worker *worker, int stage, int index, int error)
{
	struct wire_event event = {
		.kind = WIRE_FAILED, .stage = stage, .index = index, .error = error};

	send_event(worker, &event);
}

/* Ends what is left below us. Returns how many we ended; those that ended by themselves in the
 * first moment (a tee that writes its last lines) are not counted, their usage is. */
static int end_orphans(struct worker *worker, struct rusage *usage)
{
	int64_t leave_ns = clock_mono_ns() + ORPHANS_LEAVE_NS;
	int64_t term_ns = leave_ns + ORPHANS_TERM_NS;
	int ended = 0;
	bool asked = false, none;

	for (;;) {
		int64_t now = clock_mono_ns(), until = asked ? term_ns : leave_ns;
		int n = tree_reap(usage, &none), news;

		if (asked)
			ended += n;
		if (none)
			return ended;
		if (worker->kill_hard || now >= term_ns)
			return ended + tree_end(ORPHANS_KILL_NS, usage);
		if (!asked && now >= leave_ns) {
			tree_signal(getpid(), 0, SIGTERM);
			asked = true;
			continue;
		}
		news = wait_news(worker, (int)((until - now + NS_PER_MS - 1) / NS_PER_MS));
		if (news & NEWS_ORDER)
			take_order(worker, 0);
		if (news & NEWS_CHILD)
			check_signals(worker);
	}
}

/* Reaps who has ended; true when the child was among them. The stamp is taken at once. */
static bool reap(struct wire_event *event, bool *ret_none)
{
	struct rusage usage;
	bool found = false;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		if (pid != event->pid) {
			rusage_add(&event->orphan_usage, &usage);
			continue;
		}
		event->stop = clock_now();
		event->status = status;
		event->usage = usage;
		found = true;
	}
	*ret_none = pid < 0 && errno == ECHILD;
	return found;
}

/* From the child's birth to the end of its tree. */
static void watch(struct worker *worker, pid_t child)
{
	struct wire_event event = {.kind = WIRE_EXITED, .pid = child};
	bool ended = false, none = false;

	event.start = worker->report->start;
	while (!ended) {
		int news = wait_news(worker, -1);

		if (news & NEWS_CHILD) {
			ended = reap(&event, &none);
			check_signals(worker);
		}
		if (news & NEWS_ORDER)
			take_order(worker, ended ? 0 : child);
	}
	event.tree_done = none;
	send_event(worker, &event);
	if (none)
		return;
	event.orphans = end_orphans(worker, &event.orphan_usage);
	event.kind = WIRE_ENDED;
	send_event(worker, &event);
}

static void serve(struct worker *worker, struct wire_request *request)
{
	struct child_report *report = worker->report;
	struct child_job job = {
		.request = request, .report = report, .sock = worker->sock, .worker = getpid()};
	/* suspended until the child's execve or end, in any case; its memory is ours unless it
	 * needs namespaces, which change what belongs to the memory (dumpable) as well */
	int flags = CLONE_VFORK | SIGCHLD | (request->head.n_binds ? 0 : CLONE_VM);
	pid_t child;

	snprintf(job.uid_map, sizeof(job.uid_map), "%u %u 1\n", geteuid(), geteuid());
	snprintf(job.gid_map, sizeof(job.gid_map), "%u %u 1\n", getegid(), getegid());
	memset(report, 0, sizeof(*report));
	worker->kill_hard = false;
	child = clone(child_main, worker->stack + STACK_SIZE, flags, &job);
	if (child < 0)
		report->error = errno;
	wire_request_release(request);
	if (child < 0) {
		send_failed(worker, WIRE_STAGE_FORK, 0, report->error);
	} else if (report->error || report->stage != WIRE_STAGE_EXEC) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		send_failed(worker, report->error ? report->stage : WIRE_STAGE_KILLED,
			report->index, report->error);
	} else {
		watch(worker, child);
	}
}

static char *read_text(const struct wire_start *head, const char *behind, size_t n_behind, int fd)
{
	char *text = xmalloc(head->text_size + 1);

	if (!(head->flags & WIRE_FD_TEXT)) {
		if (n_behind == head->text_size) {
			memcpy(text, behind, n_behind);
			return text;
		}
	} else {
		size_t done = 0;

		while (done < head->text_size) {
			ssize_t n = pread(fd, text + done, head->text_size - done, (off_t)done);

			if (n <= 0)
				break;
			done += (size_t)n;
		}
		if (done == head->text_size)
			return text;
	}
	free(text);
	return NULL;
}

static void take_request(struct worker *worker)
{
	struct wire_request request;
	struct wire_start head;
	int fds[WIRE_FDS_MAX];
	size_t n_fds = ARRAY_SIZE(fds), skip;
	ssize_t n = wire_recv(worker->sock, worker->packet, sizeof(worker->packet), fds, &n_fds);
	char *text;

	if (n <= 0)
		end_all();
	if ((size_t)n < sizeof(head))
		return; /* an order to a child that has ended meanwhile */
	memcpy(&head, worker->packet, sizeof(head));
	skip = head.flags & WIRE_FD_TEXT && n_fds ? 1 : 0;
	text = read_text(
		&head, worker->packet + sizeof(head), (size_t)n - sizeof(head), skip ? fds[0] : -1);
	if (skip)
		close(fds[0]);
	if (!text) {
		for (size_t i = skip; i < n_fds; i++)
			close(fds[i]);
		send_failed(worker, WIRE_STAGE_FORK, 0, EBADMSG);
	} else if (wire_unpack(&head, text, fds + skip, n_fds - skip, &request)) {
		send_failed(worker, WIRE_STAGE_FORK, 0, EBADMSG);
	} else {
		serve(worker, &request);
	}
}

void worker_main(int sock, int signal_fd, pid_t parent)
{
	struct worker *worker = xcalloc(1, sizeof(*worker));

	*worker = (struct worker){.sock = sock, .signal_fd = signal_fd, .parent = parent};
	if (prctl(PR_SET_PDEATHSIG, SIGUSR1) || getppid() != parent ||
		prctl(PR_SET_CHILD_SUBREAPER, 1))
		_exit(1);
	prctl(PR_SET_NAME, "assay-worker");
	worker->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	worker->report = mmap(NULL, sizeof(*worker->report), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worker->stack == MAP_FAILED || worker->report == MAP_FAILED)
		_exit(1);
	for (;;) {
		int news = wait_news(worker, -1);

		if (news & NEWS_CHILD)
			check_signals(worker);
		if (news & NEWS_ORDER)
			take_request(worker);
	}
}
