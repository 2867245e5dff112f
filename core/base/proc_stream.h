/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One output stream of a child: made, read as it comes, kept up to a cap. */
#ifndef ASSAY_BASE_PROC_STREAM_H
#define ASSAY_BASE_PROC_STREAM_H

#include "core/base/proc.h"

#define STREAM_CHUNK 65536 /* what a pipe holds */

struct stream {
	int fd;       /* our end; -1: nothing (more) to read */
	int child_fd; /* the child's end, ours only if owned; -1: /dev/null */
	bool owned;
	size_t keep;
	struct proc_kept kept;
};
#define STREAM_INIT \
	{ \
		.fd = -1, .child_fd = -1, .kept = {.head = BUF_INIT, .tail = BUF_INIT } \
	}

/* given_fd: for PROC_FD; inherit_fd: for PROC_INHERIT. */
int stream_open(struct stream *stream, enum proc_capture capture, int given_fd, int inherit_fd,
	size_t keep, struct err *err) MUST_CHECK;
/* Closes our copy of the child's end, which has been sent to it. */
void stream_sent(struct stream *stream);
/* One read, which does not block after a poll: length, 0 at the end (fd is closed then), -1 when
 * there was nothing after all. */
ssize_t stream_read(struct stream *stream, char *to, size_t size);
void stream_close(struct stream *stream);
/* What was kept, brought into the form of proc_kept; the stream gives it away. */
struct proc_kept stream_take(struct stream *stream);
void stream_release(struct stream *stream);

#endif
