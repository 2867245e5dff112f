/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc_child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct child_report *report, enum wire_stage stage, int index)
{
	report->error = errno ? errno : EINVAL;
	report->stage = stage;
	report->index = index;
	return -1;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), saved;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	saved = errno;
	close(fd);
	errno = saved;
	return n < 0 ? -1 : 0;
}

/* A mount namespace of its own; without the right to it, inside a user namespace in which we are
 * who we are. */
static int enter_namespace(const struct child_job *job)
{
	if (unshare(CLONE_NEWNS)) {
		if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return -1;
		/* kernels before 3.19 have no setgroups file and do not ask for it */
		if (write_text("/proc/self/setgroups", "deny") && errno != ENOENT)
			return -1;
		if (write_text("/proc/self/uid_map", job->uid_map) ||
			write_text("/proc/self/gid_map", job->gid_map))
			return -1;
	}
	/* else what is mounted here would show in the namespace we came from */
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL);
}

static int set_streams(const struct wire_request *request)
{
	/* 0 to 2 are /dev/null in the worker; all others close on exec */
	for (int i = 0; i < 3; i++)
		if (request->fds[i] >= 0 && dup2(request->fds[i], i) < 0)
			return -1;
	return 0;
}

/* Index of the first candidate that is an executable file, as execvp would choose; -1 with errno:
 * EACCES when there was one that may not be executed, else ENOENT. A folder of PATH that may not be
 * looked into (root's own, in the PATH of another user) says nothing about the program. */
static int find_program(const struct wire_request *request)
{
	bool searched = request->head.n_programs > 1;
	int error = ENOENT;

	for (uint32_t i = 0; i < request->head.n_programs; i++) {
		struct stat st;

		if (stat(request->programs[i], &st)) {
			if (errno != ENOENT && errno != ENOTDIR && !(searched && errno == EACCES))
				error = errno;
			continue;
		}
		if (S_ISREG(st.st_mode) && access(request->programs[i], X_OK) == 0)
			return (int)i;
		error = EACCES;
	}
	errno = error;
	return -1;
}

/* Says that it is ready and waits for the word. */
static int hold(int sock)
{
	struct wire_event ready = {.kind = WIRE_READY, .pid = getpid()};
	struct wire_order order;
	ssize_t n;

	if (send(sock, &ready, sizeof(ready), MSG_NOSIGNAL) < 0)
		return -1;
	do {
		n = recv(sock, &order, sizeof(order), 0);
	} while (n < 0 && errno == EINTR);
	errno = ECANCELED;
	return n == (ssize_t)sizeof(order) && order.kind == WIRE_GO ? 0 : -1;
}

static int prepare(const struct child_job *job, int *ret_program)
{
	const struct wire_request *request = job->request;
	const struct wire_start *head = &request->head;
	struct child_report *report = job->report;

	if (setpgid(0, 0) || set_streams(request))
		return fail(report, WIRE_STAGE_STREAMS, 0);
	if (head->n_binds && enter_namespace(job))
		return fail(report, WIRE_STAGE_NAMESPACE, 0);
	for (uint32_t i = 0; i < head->n_binds; i++)
		if (mount(request->binds[2 * i], request->binds[2 * i + 1], "none",
			    MS_BIND | MS_REC, NULL))
			return fail(report, WIRE_STAGE_BIND, (int)i);
	/* after the namespaces, since a change of credentials clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != job->worker)
		return fail(report, WIRE_STAGE_HOLD, 0);
	if (chdir(request->cwd))
		return fail(report, WIRE_STAGE_CWD, 0);
	if ((head->flags & WIRE_CPUS) && sched_setaffinity(0, sizeof(head->cpus), &head->cpus))
		return fail(report, WIRE_STAGE_CPUS, 0);
	*ret_program = find_program(request);
	if (*ret_program < 0)
		return fail(report, WIRE_STAGE_PROGRAM, 0);
	/* last, they would bind the steps above as well */
	for (uint32_t i = 0; i < head->n_limits; i++) {
		const struct proc_limit *limit = &request->limits[i];
		struct rlimit value = {limit->value, limit->value};

		if (setrlimit((__rlimit_resource_t)limit->resource, &value))
			return fail(report, WIRE_STAGE_LIMIT, (int)i);
	}
	if ((head->flags & WIRE_HOLD) && hold(job->sock))
		return fail(report, WIRE_STAGE_HOLD, 0);
	return 0;
}

int child_main(void *arg)
{
	const struct child_job *job = arg;
	const struct wire_request *request = job->request;
	struct child_report *report = job->report;
	sigset_t none;
	int program;

	if (prepare(job, &program))
		return 127;
	/* dispositions are the default ones since the launcher began */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	report->stage = WIRE_STAGE_EXEC;
	report->start = clock_now();
	execve(request->programs[program], request->argv, request->envp);
	fail(report, WIRE_STAGE_EXEC, program);
	return 127;
}
