/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding and ending the descendants of a process, from /proc/PID/stat (one scan, about 10 us per
 * process of the machine: for the paths where something has to be ended, not for every run).
 * A scan is no snapshot: who must be sure repeats it until wait says that nobody is left.
 */
#ifndef ASSAY_BASE_PROC_TREE_H
#define ASSAY_BASE_PROC_TREE_H

#include <sys/resource.h>
#include <sys/types.h>

#include "core/base/vec.h"

struct tree_entry {
	pid_t pid, ppid, group, session;
	char state; /* of proc(5): 'Z' is a zombie */
};

struct tree {
	VEC(struct tree_entry) entries;
};

/* All descendants of root (root itself not); empty when /proc cannot be read. */
void tree_read(pid_t root, struct tree *ret);
void tree_release(struct tree *tree);

/* Sends sig to the process group `group` (0 = none) and to every descendant of root outside it,
 * so that nobody gets it twice; a SIGTERM is followed by SIGCONT, stopped ones could not act. */
void tree_signal(pid_t root, pid_t group, int sig);

/* Reaps children of the caller that have ended: how many, their usage added to *usage (ru_maxrss:
 * the largest; may be NULL). *ret_none = no child is left, ended or not. */
int tree_reap(struct rusage *usage, bool *ret_none);

/* SIGKILLs all descendants of the calling process, a subreaper with SIGCHLD blocked, again and
 * again until it has no child left or timeout_ns is over (-1: until none is left). Returns how many
 * were reaped. */
int tree_end(int64_t timeout_ns, struct rusage *usage);

void rusage_add(struct rusage *to, const struct rusage *from);

#endif
