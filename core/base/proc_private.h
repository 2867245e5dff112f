/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of assay's side of proc.h share; for nobody else. */
#ifndef ASSAY_BASE_PROC_PRIVATE_H
#define ASSAY_BASE_PROC_PRIVATE_H

#include <poll.h>
#include <signal.h>

#include "core/base/proc.h"
#include "core/base/proc_stream.h"
#include "core/base/proc_wire.h"
#include "core/base/vec.h"

struct launcher {
	int sock;
	pid_t pid, parent; /* parent: us; a fork of us has nothing to stop */
	bool dead;
	int was_subreaper;
	VEC(int) idle;            /* sockets of workers that serve nobody */
	VEC(struct proc *) procs; /* begun and not finished */
	VEC(struct pollfd) polls;
	char *chunk; /* STREAM_CHUNK bytes */
	enum {
		BIND_UNKNOWN,
		BIND_YES,
		BIND_NO
	} bind;
	char bind_why[256];
};

enum proc_state {
	PROC_STARTING, /* its READY is awaited */
	PROC_RUNNING,
	PROC_ENDING,   /* it has ended, what it left is being ended */
	PROC_DRAINING, /* its tree has ended, streams have not */
	PROC_DONE,
};

struct proc {
	struct launcher *launcher;
	int sock; /* of its worker, -1 when that is free again */
	enum proc_state state;
	struct stream streams[2];
	struct proc_hooks hooks;
	int64_t timeout_ns, grace_ns;
	int64_t begin_ns; /* our stamp of the release */
	int64_t term_ns;  /* when SIGTERM was sent, 0 = not */
	int64_t tick_ns, drain_ns;
	bool killed, cancel, timed_out;
	bool failed; /* err holds why there is no result */
	struct err err;
	char *program, *path, *cwd; /* for messages */
	VEC(char *) bind_names;     /* "FROM at AT" */
	VEC(int) limit_resources;
	struct proc_result result;
};

/* proc_step with the signal mask of ppoll. */
int proc_step_masked(struct launcher *launcher, int64_t timeout_ns, const sigset_t *mask,
	struct err *err) MUST_CHECK;

/* Fills err from a FAILED event. */
int proc_start_error(const struct proc *proc, const struct wire_event *event, struct err *err);

/* The launcher is dead: says so, ends what it may have left (processes below us in another session,
 * as all of it is), and makes all procs done and failed. */
int launcher_lost(struct launcher *launcher, struct err *err);

#endif
