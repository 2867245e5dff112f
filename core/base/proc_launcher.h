/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes between assay and its children.
 *
 *	assay ---- launcher ---- worker ---- child ...
 *	                    \--- worker ---- child ...
 *
 * The launcher forks a worker for each child that runs at the same time; a worker serves one child
 * after the other. Each is a subreaper, so what a child leaves behind falls to the worker that
 * started it and is known to be of that run; what a worker leaves (somebody killed it) falls to the
 * launcher, what the launcher leaves to assay. All of them are in a session of their own: no
 * signal of the terminal reaches them, assay decides. They end when their socket closes or their
 * parent dies, after everything below them.
 */
#ifndef ASSAY_BASE_PROC_LAUNCHER_H
#define ASSAY_BASE_PROC_LAUNCHER_H

#include <sys/types.h>

/* Body of the launcher process, just forked by parent; sock is its end of the pair. */
_Noreturn void launcher_main(int sock, pid_t parent);

/* Body of a worker, just forked: signal_fd delivers SIGCHLD and the parent's death. */
_Noreturn void worker_main(int sock, int signal_fd, pid_t parent);

/* Whether signals waiting in signal_fd say that parent is no longer ours; empties it. */
int launcher_parent_died(int signal_fd, pid_t parent);

#endif
