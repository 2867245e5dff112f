/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* One pty per stream keeps stdout and stderr apart. Raw: bytes arrive as they were written. The
 * slave comes from the master itself, so /dev/pts need not be the one we see (containers). */
static int open_pty(struct stream *stream, struct err *err)
{
	struct winsize size = {.ws_row = 50, .ws_col = 500};
	struct termios mode;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;

	if (master < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot open a pty");
	if (unlockpt(master) ||
		(slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0 ||
		tcgetattr(slave, &mode))
		goto fail;
	cfmakeraw(&mode);
	if (tcsetattr(slave, TCSANOW, &mode) || ioctl(slave, TIOCSWINSZ, &size))
		goto fail;
	stream->fd = master;
	stream->child_fd = slave;
	stream->owned = true;
	return 0;
fail:
	err_sys(err, E_SYSTEM, errno, "cannot set up a pty");
	if (slave >= 0)
		close(slave);
	close(master);
	return -1;
}

int stream_open(struct stream *stream, enum proc_capture capture, int given_fd, int inherit_fd,
	size_t keep, struct err *err)
{
	int ends[2];

	stream->keep = keep;
	switch (capture) {
	case PROC_PIPE:
		if (pipe2(ends, O_CLOEXEC))
			return err_sys(err, E_SYSTEM, errno, "cannot make a pipe");
		stream->fd = ends[0];
		stream->child_fd = ends[1];
		stream->owned = true;
		break;
	case PROC_PTY:
		return open_pty(stream, err);
	case PROC_INHERIT:
		stream->child_fd = inherit_fd;
		break;
	case PROC_FD:
		stream->child_fd = given_fd;
		break;
	case PROC_NULL:
		break;
	}
	return 0;
}

void stream_sent(struct stream *stream)
{
	if (stream->owned)
		close(stream->child_fd);
	stream->owned = false;
	stream->child_fd = -1;
}

static void keep(struct stream *stream, const char *data, size_t len)
{
	struct proc_kept *kept = &stream->kept;
	size_t first = stream->keep / 2, last = stream->keep - first;
	size_t room = first - kept->head.len;

	kept->bytes += len;
	if (room) {
		size_t n = len < room ? len : room;

		buf_add(&kept->head, data, n);
		data += n;
		len -= n;
	}
	if (len > last) {
		data += len - last;
		len = last;
	}
	if (!len)
		return;
	buf_add(&kept->tail, data, len);
	/* moving only once the buffer is twice the size makes it a copy per byte, not per read */
	if (kept->tail.len >= 2 * last)
		buf_consume(&kept->tail, kept->tail.len - last);
}

ssize_t stream_read(struct stream *stream, char *to, size_t size)
{
	ssize_t n = read(stream->fd, to, size);

	if (n > 0) {
		keep(stream, to, (size_t)n);
		return n;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -1;
	stream_close(stream); /* a pty whose slave is closed everywhere gives EIO */
	return 0;
}

void stream_close(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

struct proc_kept stream_take(struct stream *stream)
{
	struct proc_kept kept = stream->kept;
	size_t last = stream->keep - stream->keep / 2;

	if (kept.bytes <= stream->keep) {
		buf_add(&kept.head, kept.tail.data, kept.tail.len);
		buf_release(&kept.tail);
	} else if (kept.tail.len > last) {
		buf_consume(&kept.tail, kept.tail.len - last);
	}
	stream->kept = (struct proc_kept){.head = BUF_INIT, .tail = BUF_INIT};
	return kept;
}

void stream_release(struct stream *stream)
{
	stream_close(stream);
	stream_sent(stream);
	buf_release(&stream->kept.head);
	buf_release(&stream->kept.tail);
}
