/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/proc_launcher.h"
#include "core/base/proc_private.h"
#include "core/base/proc_tree.h"

int launcher_start(struct launcher **ret, struct err *err)
{
	struct launcher *launcher;
	pid_t parent = getpid(), pid;
	int pair[2], was = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, E_SYSTEM, errno, "cannot make a socket pair");
	/* should the launcher be killed, what it leaves falls to us and not out of sight */
	prctl(PR_GET_CHILD_SUBREAPER, &was);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid < 0) {
		err_sys(err, E_SYSTEM, errno, "cannot fork the launcher of child processes");
		close(pair[0]);
		close(pair[1]);
		return -1;
	}
	if (pid == 0)
		launcher_main(pair[1], parent);
	close(pair[1]);
	launcher = xcalloc(1, sizeof(*launcher));
	launcher->sock = pair[0];
	launcher->pid = pid;
	launcher->parent = parent;
	launcher->was_subreaper = was;
	launcher->chunk = xmalloc(STREAM_CHUNK);
	*ret = launcher;
	return 0;
}

static void fail_all(struct launcher *launcher)
{
	for (size_t i = 0; i < launcher->procs.n; i++) {
		struct proc *proc = launcher->procs.items[i];

		if (proc->state != PROC_DONE) {
			proc->failed = true;
			err_set(&proc->err, E_SYSTEM,
				"the launcher of child processes ended, and '%s' with it",
				proc->program);
		}
		for (int s = 0; s < 2; s++)
			stream_close(&proc->streams[s]);
		if (proc->sock >= 0)
			close(proc->sock);
		proc->sock = -1;
		proc->state = PROC_DONE;
	}
	for (size_t i = 0; i < launcher->idle.n; i++)
		close(launcher->idle.items[i]);
	launcher->idle.n = 0;
}

/* Kills and reaps what is below us in another session; true when there was something. */
static bool end_strays(void)
{
	CLEANUP(tree_release) struct tree tree = {VEC_INIT};
	pid_t session = getsid(0);
	bool found = false;

	tree_read(getpid(), &tree);
	for (size_t i = 0; i < tree.entries.n; i++) {
		const struct tree_entry *e = &tree.entries.items[i];

		if (e->session == session)
			continue;
		found = true;
		if (e->state != 'Z')
			kill(e->pid, SIGKILL);
		else if (e->ppid == getpid())
			waitpid(e->pid, NULL, WNOHANG);
	}
	return found;
}

int launcher_lost(struct launcher *launcher, struct err *err)
{
	if (!launcher->dead) {
		int64_t until = clock_mono_ns() + 5 * NS_PER_S;
		struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};

		launcher->dead = true;
		fail_all(launcher);
		while (end_strays() && clock_mono_ns() < until)
			nanosleep(&pause, NULL);
	}
	return err_set(err, E_SYSTEM,
		"the launcher of child processes (pid %d) was killed, and all programs with it",
		launcher->pid);
}

void launcher_stop(struct launcher *launcher)
{
	struct pollfd ended = {.fd = -1, .events = POLLIN};

	if (!launcher)
		return;
	fail_all(launcher);
	for (size_t i = 0; i < launcher->procs.n; i++)
		launcher->procs.items[i]->launcher = NULL;
	if (launcher->parent == getpid() && !launcher->dead) {
		ended.fd = (int)syscall(SYS_pidfd_open, launcher->pid, 0);
		close(launcher->sock);
		launcher->sock = -1;
		/* it ends after all that is below it; only an uninterruptible wait takes so long */
		if (ended.fd < 0 || poll(&ended, 1, 10000) > 0)
			while (waitpid(launcher->pid, NULL, 0) < 0 && errno == EINTR)
				;
		if (ended.fd >= 0)
			close(ended.fd);
		if (!launcher->was_subreaper)
			prctl(PR_SET_CHILD_SUBREAPER, 0);
	}
	if (launcher->sock >= 0)
		close(launcher->sock);
	vec_release(&launcher->idle);
	vec_release(&launcher->procs);
	vec_release(&launcher->polls);
	free(launcher->chunk);
	free(launcher);
}

static const char *limit_name(int resource)
{
	static const struct {
		int resource;
		const char *name;
	} names[] = {
		{RLIMIT_AS, "as"},
		{RLIMIT_CORE, "core"},
		{RLIMIT_CPU, "cpu"},
		{RLIMIT_DATA, "data"},
		{RLIMIT_FSIZE, "fsize"},
		{RLIMIT_MEMLOCK, "memlock"},
		{RLIMIT_NOFILE, "nofile"},
		{RLIMIT_NPROC, "nproc"},
		{RLIMIT_STACK, "stack"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].resource == resource)
			return names[i].name;
	return "unknown";
}

static int program_error(const struct proc *proc, int error, struct err *err)
{
	bool searched = !strchr(proc->program, '/');

	if (error == EACCES)
		return err_sys(err, E_MISSING, error, "cannot run '%s'", proc->program);
	if (searched) {
		err_sys(err, E_MISSING, error, "cannot run '%s': looked into PATH=%s",
			proc->program, proc->path);
		return err_help(err, "install it, or name it with its folder");
	}
	if (proc->program[0] != '/')
		return err_sys(err, E_MISSING, error, "cannot run '%s' in folder '%s'",
			proc->program, proc->cwd);
	return err_sys(err, E_MISSING, error, "cannot run '%s'", proc->program);
}

static int exec_error(const struct proc *proc, int error, struct err *err)
{
	switch (error) {
	case ENOENT:
		/* the file was there a moment ago */
		return err_sys(err, E_MISSING, error,
			"cannot run '%s': the interpreter or loader that it names", proc->program);
	case ENOEXEC:
		err_sys(err, E_MISSING, error, "cannot run '%s'", proc->program);
		return err_help(err, "a script needs a first line like #!/bin/sh");
	case ENOMEM:
	case EAGAIN:
		return err_sys(err, E_SYSTEM, error, "cannot run '%s'", proc->program);
	default:
		return err_sys(err, E_MISSING, error, "cannot run '%s'", proc->program);
	}
}

int proc_start_error(const struct proc *proc, const struct wire_event *event, struct err *err)
{
	int error = event->error;

	switch ((enum wire_stage)event->stage) {
	case WIRE_STAGE_NAMESPACE:
		return err_sys(err, E_MISSING, error,
			"cannot run '%s' in a private mount namespace", proc->program);
	case WIRE_STAGE_BIND:
		return err_sys(err, E_MISSING, error, "cannot mount %s",
			proc->bind_names.items[event->index]);
	case WIRE_STAGE_CWD:
		return err_sys(err, E_MISSING, error, "cannot enter folder '%s'", proc->cwd);
	case WIRE_STAGE_CPUS:
		return err_sys(err, E_MISSING, error, "cannot pin '%s' to its cpus", proc->program);
	case WIRE_STAGE_PROGRAM:
		return program_error(proc, error, err);
	case WIRE_STAGE_LIMIT:
		return err_sys(err, E_MISSING, error, "cannot set the limit '%s' for '%s'",
			limit_name(proc->limit_resources.items[event->index]), proc->program);
	case WIRE_STAGE_EXEC:
		return exec_error(proc, error, err);
	case WIRE_STAGE_KILLED:
		return err_set(err, E_SYSTEM, "'%s' was killed before it began", proc->program);
	case WIRE_STAGE_FORK:
	case WIRE_STAGE_STREAMS:
	case WIRE_STAGE_HOLD:
		break;
	}
	return err_sys(err, E_SYSTEM, error, "cannot start '%s'", proc->program);
}
