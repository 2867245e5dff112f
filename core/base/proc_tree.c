/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

static bool read_entry(int proc_fd, const char *name, struct tree_entry *ret)
{
	char path[32], text[512];
	const char *after;
	AUTOCLOSE int fd = -1;
	ssize_t n;

	if (snprintf(path, sizeof(path), "%s/stat", name) >= (int)sizeof(path))
		return false;
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	after = strrchr(text, ')'); /* the name before it may hold blanks and parentheses */
	if (!after)
		return false;
	ret->pid = (pid_t)strtol(name, NULL, 10);
	return sscanf(after + 1, " %c %d %d %d", &ret->state, &ret->ppid, &ret->group,
		       &ret->session) == 4;
}

static int by_pid(const void *a, const void *b)
{
	const struct tree_entry *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

enum mark {
	UNKNOWN,
	INSIDE,
	OUTSIDE
};

/* Follows the parents of entry i up to root; marks the way, so that each entry is done once. */
static enum mark find_mark(const struct tree *all, enum mark *marks, size_t i, pid_t root)
{
	const struct tree_entry *e = &all->entries.items[i];
	const struct tree_entry *parent;

	if (marks[i] != UNKNOWN)
		return marks[i];
	marks[i] = OUTSIDE; /* ends a cycle, which a scan that is no snapshot could show */
	if (e->ppid == root) {
		marks[i] = INSIDE;
	} else if (e->ppid > 1) {
		struct tree_entry key = {.pid = e->ppid};

		parent = bsearch(&key, all->entries.items, all->entries.n, sizeof(*parent), by_pid);
		if (parent)
			marks[i] =
				find_mark(all, marks, (size_t)(parent - all->entries.items), root);
	}
	return marks[i];
}

void tree_read(pid_t root, struct tree *ret)
{
	struct tree all = {VEC_INIT};
	struct dirent *d;
	enum mark *marks;
	DIR *dir;

	memset(ret, 0, sizeof(*ret));
	dir = opendir("/proc");
	if (!dir)
		return;
	while ((d = readdir(dir))) {
		struct tree_entry e;

		if (isdigit((unsigned char)d->d_name[0]) && read_entry(dirfd(dir), d->d_name, &e))
			*vec_push(&all.entries) = e;
	}
	closedir(dir);
	if (all.entries.n) {
		qsort(all.entries.items, all.entries.n, sizeof(struct tree_entry), by_pid);
		marks = xcalloc(all.entries.n, sizeof(*marks));
		for (size_t i = 0; i < all.entries.n; i++)
			if (find_mark(&all, marks, i, root) == INSIDE)
				*vec_push(&ret->entries) = all.entries.items[i];
		free(marks);
	}
	tree_release(&all);
}

void tree_release(struct tree *tree)
{
	vec_release(&tree->entries);
}

void tree_signal(pid_t root, pid_t group, int sig)
{
	CLEANUP(tree_release) struct tree tree;

	if (group > 0)
		kill(-group, sig);
	tree_read(root, &tree);
	for (size_t i = 0; i < tree.entries.n; i++) {
		const struct tree_entry *e = &tree.entries.items[i];

		if (e->state != 'Z' && (group <= 0 || e->group != group))
			kill(e->pid, sig);
	}
	if (sig != SIGTERM)
		return;
	if (group > 0)
		kill(-group, SIGCONT);
	for (size_t i = 0; i < tree.entries.n; i++)
		if (tree.entries.items[i].state == 'T')
			kill(tree.entries.items[i].pid, SIGCONT);
}

static void timeval_add(struct timeval *to, const struct timeval *from)
{
	to->tv_sec += from->tv_sec;
	to->tv_usec += from->tv_usec;
	if (to->tv_usec >= 1000000) {
		to->tv_usec -= 1000000;
		to->tv_sec++;
	}
}

void rusage_add(struct rusage *to, const struct rusage *from)
{
	timeval_add(&to->ru_utime, &from->ru_utime);
	timeval_add(&to->ru_stime, &from->ru_stime);
	if (from->ru_maxrss > to->ru_maxrss)
		to->ru_maxrss = from->ru_maxrss;
	to->ru_minflt += from->ru_minflt;
	to->ru_majflt += from->ru_majflt;
	to->ru_inblock += from->ru_inblock;
	to->ru_oublock += from->ru_oublock;
	to->ru_nvcsw += from->ru_nvcsw;
	to->ru_nivcsw += from->ru_nivcsw;
}

int tree_reap(struct rusage *usage, bool *ret_none)
{
	struct rusage one;
	int n = 0, status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &one)) > 0) {
		if (usage)
			rusage_add(usage, &one);
		n++;
	}
	*ret_none = pid < 0 && errno == ECHILD;
	return n;
}

int tree_end(int64_t timeout_ns, struct rusage *usage)
{
	int64_t end_ns = clock_mono_ns() + timeout_ns;
	int n = 0;
	bool none;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		struct timespec pause = {.tv_nsec = 20 * NS_PER_MS};

		n += tree_reap(usage, &none);
		if (none)
			return n;
		if (timeout_ns >= 0 && clock_mono_ns() >= end_ns)
			return n;
		tree_signal(getpid(), 0, SIGKILL);
		/* the next death, or somebody was forked behind the scan: look again soon */
		sigtimedwait(&set, NULL, &pause);
	}
}
