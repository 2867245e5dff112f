/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes, started, watched and ended without leaving anything behind.
 *
 * A small launcher process is forked from main() before assay grows and starts all children, since
 * a child's peak RSS begins at its parent's (fork and vfork alike). It has a worker process for
 * each child that runs at the same time (proc_launcher.h); a worker is the subreaper of its child:
 * daemonised grandchildren fall to it and are found, ended and reported. When assay dies, however
 * it dies, they see the socket close, kill every descendant and exit.
 *
 *	main:    launcher_start()                   first thing, before threads
 *	child:   own process group, streams, mounts, cwd, cpus, limits set up; with an on_ready hook
 *	         it then waits                      -> on_ready(pid): collectors attach
 *	child:   stamps the clocks, calls execve
 *	worker:  wait4, stamps the clocks, sends status and rusage
 *	assay:   drains what is left of both streams while the worker ends what the child left: a
 *	         moment (50 ms) to end by itself, SIGTERM, 200 ms later SIGKILL; somebody outside
 *	         the tree who holds a stream open keeps us for 200 ms more
 *
 * The environment and the working folder are ours at proc_begin; umask, affinity and limits those
 * at launcher_start. Signal mask and dispositions of a child are the default ones, and it has
 * descriptors 0 to 2 only.
 *
 * Several children may run at once (parallel builds): proc_begin + proc_step + proc_finish; one
 * child from begin to end: proc_run. Not thread-safe: one thread owns the launcher.
 */
#ifndef ASSAY_BASE_PROC_H
#define ASSAY_BASE_PROC_H

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"

struct launcher; /* one per process */

int launcher_start(struct launcher **ret, struct err *err) MUST_CHECK;
/* Ends all children still running, then the launcher. */
void launcher_stop(struct launcher *launcher);
DEFINE_CLEANUP(struct launcher, launcher_stop)

enum proc_capture {
	PROC_PIPE,
	PROC_PTY,     /* raw, no echo, 500 columns; TERM is the caller's business */
	PROC_INHERIT, /* the stream of assay itself (for `try`) */
	PROC_NULL,    /* /dev/null */
	PROC_FD,      /* out_fd / err_fd of the spec (a build log); both may be the same */
};

enum proc_stream {
	PROC_STDOUT,
	PROC_STDERR
};

struct proc_limit {
	int resource; /* RLIMIT_AS ... */
	rlim_t value; /* soft and hard */
};

/* A bind mount made in a private mount namespace of the child: `from` appears at `at`. */
struct proc_bind {
	const char *from, *at;
};

struct proc_hooks {
	void *ctx;
	/* The child exists and is stopped before execve: attach counters, write pids. -1 = do not
	 * run it (err set); it is then killed and proc_run fails with that error. */
	int (*on_ready)(void *ctx, pid_t pid, struct err *err);
	/* Bytes as they arrive, with the CLOCK_MONOTONIC of the read. */
	void (*on_output)(
		void *ctx, enum proc_stream stream, const char *data, size_t len, int64_t t_ns);
	/* Called about ten times a second while it runs, for progress. */
	void (*on_tick)(void *ctx, int64_t elapsed_ns);
};

struct proc_spec { /* everything borrowed until proc_begin returns, hooks until the end */
	const char *const *argv; /* argv[0] is looked up in PATH of envp when it has no '/' */
	const char *const *envp; /* the whole environment of the child; NULL = ours */
	const char *cwd;         /* NULL = ours */
	const char *stdin_path;  /* NULL = /dev/null; relative to cwd */
	enum proc_capture out, err;
	int out_fd, err_fd;    /* PROC_FD */
	size_t keep;           /* bytes kept per stream: first half and last half; 0 = none */
	int64_t timeout_ns;    /* 0 = none: SIGTERM to the tree, after grace SIGKILL */
	int64_t grace_ns;      /* 0 = 2 s */
	const cpu_set_t *cpus; /* NULL = ours */
	const struct proc_limit *limits;
	size_t n_limits;
	const struct proc_bind *binds;
	size_t n_binds;
	struct proc_hooks hooks;
};

enum proc_end {
	PROC_EXITED,    /* code */
	PROC_SIGNALED,  /* signal */
	PROC_TIMEOUT,   /* ended by us after timeout_ns; code or signal is how it went */
	PROC_CANCELLED, /* ended by us since proc_cancel was called; pid 0 = before it began */
};

struct proc_kept {
	struct buf head, tail; /* tail: the last bytes when more than `keep` came */
	uint64_t bytes;        /* true size */
};

struct proc_result {
	enum proc_end end;
	int code, signal; /* code -1 / signal 0 when it does not apply */
	pid_t pid;
	struct clock_stamp start;   /* stamped by the child directly before execve */
	struct clock_stamp stop;    /* at the child's exit, stamped by its worker after wait4 */
	int64_t wall_ns;            /* stop.mono_ns - start.mono_ns */
	struct rusage usage;        /* of the child and the descendants it waited for: wait4 */
	int orphans;                /* descendants that outlived it and were ended by us */
	struct rusage orphan_usage; /* summed (ru_maxrss: largest); in none of the figures above */
	struct proc_kept streams[2];
};

void proc_result_release(struct proc_result *result);

/* Failure to start (no such program: E_MISSING with the name and the PATH looked into; no
 * permission, bad cwd, refused limit) is an error, not a result. */
struct proc;
int proc_begin(struct launcher *launcher, const struct proc_spec *spec, struct proc **ret,
	struct err *err) MUST_CHECK;
/* Lets all running children make progress until something happened or timeout_ns passed (-1 = no
 * limit). -1 only when the launcher itself died (E_SYSTEM). */
int proc_step(struct launcher *launcher, int64_t timeout_ns, struct err *err) MUST_CHECK;
bool proc_done(const struct proc *proc);
/* Asks for the end of a child and its tree (SIGTERM, grace, SIGKILL); go on stepping until done. */
void proc_cancel(struct proc *proc);
/* Result of a child that is done; frees proc. -1 when it could not be started after all (err). */
int proc_finish(struct proc *proc, struct proc_result *ret, struct err *err) MUST_CHECK;

/* begin, step until done, finish. stop: polled between steps, may be NULL: when *stop is non-zero
 * the child is cancelled (the signal flag of sig.h). */
int proc_run(struct launcher *launcher, const struct proc_spec *spec, const volatile int *stop,
	struct proc_result *ret, struct err *err) MUST_CHECK;

/* Convenience for tools (git, cc --version): stdout and stderr into bufs (each may be NULL), no
 * limit on size but max (more on stdout: E_BUILD); E_BUILD with the last lines of stderr when it
 * exits non-zero, unless ret_code is given, and when it is killed or takes too long; E_SIGNAL when
 * sig_received ended it. */
int proc_capture(struct launcher *launcher, const char *const *argv, const char *const *envp,
	const char *cwd, int64_t timeout_ns, size_t max, struct buf *ret_out, struct buf *ret_err,
	int *ret_code, struct err *err) MUST_CHECK;

/* "0-3,6" or, with hwloc, "core:0-1", "numa:0", "pu:3" (proc_cpus.c has the grammar) -> cpu set
 * within the allowed ones. */
int proc_cpus_parse(const char *text, cpu_set_t *ret, struct err *err) MUST_CHECK;

/* Whether private mount namespaces with bind mounts can be used here (probed once per launcher by a
 * child that tries it); why (may be NULL) gets the reason when not. */
bool proc_can_bind(struct launcher *launcher, char *why, size_t why_size);

#endif
