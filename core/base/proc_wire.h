/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What assay and the launcher say to each other, over SOCK_SEQPACKET socket pairs: one message, one
 * packet, descriptors by SCM_RIGHTS. Both ends are the same program, so structs travel as they are.
 *
 *	assay -> launcher	wire_order WORKER + the worker's socket
 *	assay -> worker		wire_start + descriptors + text (behind it, or in a memfd when long)
 *	child -> assay		wire_event READY (on the worker's socket), when asked to wait
 *	assay -> child		wire_order GO or ABORT
 *	assay -> worker		wire_order SIGNAL, any number
 *	worker -> assay		wire_event FAILED, or EXITED and, unless tree_done, ENDED
 */
#ifndef ASSAY_BASE_PROC_WIRE_H
#define ASSAY_BASE_PROC_WIRE_H

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "core/base/clock.h"
#include "core/base/proc.h"

enum wire_kind {
	WIRE_WORKER = 1,
	WIRE_START,
	WIRE_GO,
	WIRE_ABORT,
	WIRE_SIGNAL,
	WIRE_READY,
	WIRE_FAILED,
	WIRE_EXITED,
	WIRE_ENDED,
};

enum wire_flag {
	WIRE_HOLD = 1 << 0,    /* stop before execve: READY, then wait for GO */
	WIRE_CPUS = 1 << 1,    /* cpus is set */
	WIRE_FD_TEXT = 1 << 2, /* the text is in a memfd; descriptors come in this order */
	WIRE_FD_IN = 1 << 3,   /* without one of these the stream is /dev/null */
	WIRE_FD_OUT = 1 << 4,
	WIRE_FD_ERR = 1 << 5,
};

#define WIRE_FDS_MAX 4
#define WIRE_INLINE_MAX 16384 /* well below any socket buffer */

/*
 * The text: limits[n_limits] as they are in memory, then strings that each end with a NUL:
 * n_programs files to try (one, or one per folder of PATH), n_argv, n_envp, cwd, 2 * n_binds.
 */
struct wire_start {
	uint32_t kind, flags;
	uint32_t n_programs, n_argv, n_envp, n_binds, n_limits;
	uint64_t text_size;
	cpu_set_t cpus;
};

struct wire_order {
	uint32_t kind;
	int32_t sig;
};

/* The step at which a child failed to start. */
enum wire_stage {
	WIRE_STAGE_FORK = 1,
	WIRE_STAGE_STREAMS,
	WIRE_STAGE_NAMESPACE,
	WIRE_STAGE_BIND, /* index: of the bind */
	WIRE_STAGE_CWD,
	WIRE_STAGE_CPUS,
	WIRE_STAGE_PROGRAM,
	WIRE_STAGE_LIMIT, /* index: of the limit */
	WIRE_STAGE_HOLD,  /* told to give up, or nobody there any more */
	WIRE_STAGE_EXEC,  /* index: of the program that was tried */
	WIRE_STAGE_KILLED,
};

struct wire_event {
	uint32_t kind;
	int32_t pid;
	int32_t stage, index, error; /* FAILED; error: errno */
	int32_t status;              /* EXITED: of wait4 */
	int32_t tree_done;           /* EXITED: no descendant was left, no ENDED follows */
	int32_t orphans;             /* EXITED with tree_done, ENDED */
	struct clock_stamp start, stop;
	struct rusage usage, orphan_usage;
};

/* A wire_start taken apart. */
struct wire_request {
	struct wire_start head;
	char *text;     /* owned; all pointers below go into it */
	char **strings; /* owned */
	const struct proc_limit *limits;
	char **programs, **argv, **envp, *cwd, **binds; /* argv and envp end with NULL */
	int fds[3];                                     /* owned; -1 = /dev/null */
};

/* One packet with n_fds descriptors. 0, or -1 with errno. */
int wire_send(int sock, const struct iovec *parts, size_t n_parts, const int *fds, size_t n_fds)
	MUST_CHECK;
int wire_send_order(int sock, enum wire_kind kind, int sig) MUST_CHECK;
/* Length (0: the other end is gone), or -1 with errno. *n_fds: room, then how many came. */
ssize_t wire_recv(int sock, void *to, size_t size, int *fds, size_t *n_fds) MUST_CHECK;

/* Fills head (all but fd flags and cpus) and text from spec; cwd and envp are those of the spec or
 * ours, path is where argv[0] is looked for. */
void wire_pack(const struct proc_spec *spec, const char *cwd, const char *path,
	struct wire_start *head, struct buf *text);
/* Takes over text and fds (in wire order). -1 with errno: not a request. */
int wire_unpack(const struct wire_start *head, char *text, const int *fds, size_t n_fds,
	struct wire_request *ret) MUST_CHECK;
void wire_request_release(struct wire_request *request);

#endif
