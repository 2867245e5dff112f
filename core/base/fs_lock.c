/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs_internal.h"
#include "core/base/sig.h"
#include "core/base/text.h"

#define HOLDER_MAX 256
#define POLL_NS (20 * NS_PER_MS)

/* Open file description locks: a plain fcntl lock would go with the first close of the file
 * anywhere in the process. */
static int try_lock(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &lock);
}

/* "pid 123 (assay run x.yaml)" */
static void describe_self(struct buf *to)
{
	char line[HOLDER_MAX];
	AUTOCLOSE int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	const char *start = line;

	buf_addf(to, "pid %ld", (long)getpid());
	if (n <= 0)
		return;
	/* Words end with a NUL; the last one ends the text. */
	for (ssize_t i = 0; i < n; i++)
		line[i] = line[i] ? line[i] : ' ';
	while (n && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
	for (const char *p = line; *p && *p != ' '; p++) {
		if (*p == '/')
			start = p + 1;
	}
	buf_adds(to, " (");
	text_clean(to, start, strlen(start));
	buf_addc(to, ')');
}

static void read_holder(int fd, char *to, size_t size)
{
	ssize_t n = pread(fd, to, size - 1, 0);

	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
	/* It has locked, but not written yet. */
	if (!to[0])
		snprintf(to, size, "another process");
}

static void write_holder(int fd)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	describe_self(&text);
	buf_addc(&text, '\n');
	/* It only serves a message; the lock holds without it (on a full disk, for instance). */
	(void)!ftruncate(fd, 0);
	(void)!pwrite(fd, text.data, text.len, 0);
}

static int locked_by_other(int fd, const char *path, struct err *err)
{
	char holder[HOLDER_MAX * 3];

	read_holder(fd, holder, sizeof(holder));
	return err_set(err, E_STORE, "'%s' is locked by %s", path, holder);
}

/* Until it is ours; -1 with err. */
static int wait_for(int fd, const char *path, int64_t wait_ns, struct err *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	int64_t end_ns = wait_ns < 0 ? INT64_MAX : 0;

	if (wait_ns >= 0 && __builtin_add_overflow(clock_mono_ns(), wait_ns, &end_ns))
		end_ns = INT64_MAX;
	while (clock_mono_ns() < end_ns) {
		if (sig_received) {
			err_set(err, E_SIGNAL, "interrupted while waiting for '%s'", path);
			err->sys = sig_received;
			return -1;
		}
		nanosleep(&pause, NULL);
		if (!try_lock(fd))
			return 0;
		if (errno != EAGAIN && errno != EACCES)
			return err_sys(err, E_STORE, errno, "cannot lock '%s'", path);
	}
	return locked_by_other(fd, path, err);
}

int fs_lock_take(struct fs_lock *lock, const char *path, int64_t wait_ns,
	void (*on_wait)(void *ctx, const char *holder), void *ctx, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);

	if (fd < 0)
		return err_sys(err, fs_err_code(errno), errno, "cannot open lock file '%s'", path);
	if (try_lock(fd)) {
		if (errno != EAGAIN && errno != EACCES)
			return err_sys(err, E_STORE, errno, "cannot lock '%s'", path);
		if (!wait_ns)
			return locked_by_other(fd, path, err);
		if (on_wait) {
			char holder[HOLDER_MAX * 3];

			read_holder(fd, holder, sizeof(holder));
			on_wait(ctx, holder);
		}
		if (wait_for(fd, path, wait_ns, err))
			return -1;
	}
	write_holder(fd);
	lock->fd = fd;
	fd = -1;
	return 0;
}

void fs_lock_release(struct fs_lock *lock)
{
	if (lock->fd < 0)
		return;
	(void)!ftruncate(lock->fd, 0); /* nobody holds it now */
	close(lock->fd);
	lock->fd = -1;
}
