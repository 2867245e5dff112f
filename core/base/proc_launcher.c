/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc_launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/proc_tree.h"
#include "core/base/proc_wire.h"

enum {
	SOCK_FD = 3,
	SIGNAL_FD = 4
};

struct zygote {
	pid_t parent;
	VEC(pid_t) workers;
};

/* Default dispositions for all that follow (an ignored SIGCHLD would even take our wait4 away), and
 * everything blocked: who sends SIGTERM to all processes named assay means the one that can store
 * its results first. */
static void reset_signals(void)
{
	struct sigaction act = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &act, NULL); /* fails for SIGKILL and the like, no harm */
}

/* Descriptors: 0 to 2 /dev/null, the socket, the signals, nothing else that we were given. */
static int set_descriptors(int sock)
{
	sigset_t set;
	int null_fd, fd;

	/* out of the way of 0 to 2, should assay have been started without them */
	sock = fcntl(sock, F_DUPFD_CLOEXEC, SOCK_FD);
	if (sock < 0 || (sock != SOCK_FD && dup3(sock, SOCK_FD, O_CLOEXEC) < 0))
		return -1;
	closefrom(SOCK_FD + 1);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (i != null_fd && dup2(null_fd, i) < 0)
			return -1;
	if (null_fd <= 2)
		fcntl(null_fd, F_SETFD, 0);
	else
		close(null_fd);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fd == SIGNAL_FD)
		return 0;
	if (dup3(fd, SIGNAL_FD, O_CLOEXEC) < 0)
		return -1;
	close(fd);
	return 0;
}

int launcher_parent_died(int signal_fd, pid_t parent)
{
	struct signalfd_siginfo info;
	int died = 0;

	/* SIGUSR1 can come from anybody, or from the end of a mere thread of the parent */
	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		died |= info.ssi_signo == SIGUSR1 && getppid() != parent;
	return died;
}

static bool is_worker(const struct zygote *zygote, pid_t pid)
{
	for (size_t i = 0; i < zygote->workers.n; i++)
		if (zygote->workers.items[i] == pid)
			return true;
	return false;
}

static void forget_worker(struct zygote *zygote, pid_t pid)
{
	for (size_t i = 0; i < zygote->workers.n; i++)
		if (zygote->workers.items[i] == pid)
			zygote->workers.items[i] = zygote->workers.items[--zygote->workers.n];
}

/* A worker ended: what fell to us from it is killed; the death of each of those brings us back
 * here for what falls to us then. A worker that was stopped (by its child, say) goes on: nobody
 * else could end that child. */
static void reap_and_kill(struct zygote *zygote)
{
	CLEANUP(tree_release) struct tree tree = {VEC_INIT};
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			forget_worker(zygote, pid);
		else if (is_worker(zygote, pid))
			kill(pid, SIGCONT);
	}
	if (pid < 0 && errno == ECHILD)
		return;
	tree_read(getpid(), &tree);
	for (size_t i = 0; i < tree.entries.n; i++) {
		const struct tree_entry *e = &tree.entries.items[i];

		if (e->ppid == getpid() && e->state != 'Z' && !is_worker(zygote, e->pid))
			kill(e->pid, SIGKILL);
	}
}

/* A failed fork shows to assay as a socket that is closed at once. */
static void start_worker(struct zygote *zygote, int sock)
{
	pid_t self = getpid(), pid = fork();

	if (pid == 0) {
		/* the launcher's own socket goes, and with it the number: each has one of its own
		 */
		if (dup3(sock, SOCK_FD, O_CLOEXEC) < 0)
			_exit(1);
		close(sock);
		worker_main(SOCK_FD, SIGNAL_FD, self);
	}
	if (pid > 0)
		*vec_push(&zygote->workers) = pid;
	close(sock);
}

void launcher_main(int sock, pid_t parent)
{
	struct zygote zygote = {.parent = parent};
	struct pollfd polls[2];

	reset_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGUSR1) || getppid() != parent || setsid() < 0 ||
		prctl(PR_SET_CHILD_SUBREAPER, 1) || set_descriptors(sock))
		_exit(1);
	prctl(PR_SET_NAME, "assay-launcher");
	polls[0] = (struct pollfd){.fd = SOCK_FD, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = SIGNAL_FD, .events = POLLIN};
	for (;;) {
		struct wire_order order;
		size_t n_fds = 1;
		int fd = -1;

		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			break;
		if (polls[1].revents) {
			if (launcher_parent_died(SIGNAL_FD, parent))
				break;
			reap_and_kill(&zygote);
		}
		if (!polls[0].revents)
			continue;
		if (wire_recv(SOCK_FD, &order, sizeof(order), &fd, &n_fds) <= 0)
			break;
		if (order.kind == WIRE_WORKER && n_fds == 1)
			start_worker(&zygote, fd);
	}
	tree_end(-1, NULL); /* workers included: what they lose falls to us */
	vec_release(&zygote.workers);
	_exit(0);
}
