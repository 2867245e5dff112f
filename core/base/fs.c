/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs_internal.h"

enum err_code fs_err_code(int errno_value)
{
	switch (errno_value) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case EPERM:
	case EROFS:
	case ELOOP:
	case ENAMETOOLONG:
		return E_MISSING;
	default:
		return E_SYSTEM;
	}
}

char *fs_temp_name(const char *path, unsigned n)
{
	return xasprintf("%s.%ld-%u.tmp", path, (long)getpid(), n);
}

int fs_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

void fs_unlink_quietly(const char *path)
{
	int saved = errno;

	unlink(path);
	errno = saved;
}

bool fs_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Reads on until the end; false when there is more than limit. -1 with errno. */
static int read_all(int fd, size_t limit, struct buf *to, bool *ret_fits)
{
	for (;;) {
		ssize_t n;

		if (to->cap - to->len < 4096)
			buf_reserve(to, 64 * 1024);
		n = read(fd, to->data + to->len, to->cap - to->len - 1);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		to->len += (size_t)n;
		to->data[to->len] = '\0';
		*ret_fits = !limit || to->len <= limit;
		if (!n || !*ret_fits)
			return 0;
	}
}

int fs_read(const char *path, size_t limit, struct buf *ret, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool fits;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", path);
	if (limit && S_ISREG(st.st_mode) && (uintmax_t)st.st_size > limit)
		return err_set(err, E_CONFIG, "'%s' is too large: %jd bytes, at most %zu are read",
			path, (intmax_t)st.st_size, limit);
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		buf_reserve(&text, (size_t)st.st_size + 4096);
	if (read_all(fd, limit, &text, &fits))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", path);
	if (!fits)
		return err_set(err, E_CONFIG, "'%s' is too large: at most %zu bytes are read", path,
			limit);
	buf_release(ret);
	*ret = text;
	text = (struct buf)BUF_INIT;
	return 0;
}

int fs_read_small(const char *path, char *to, size_t size)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	if (fd < 0 || !size)
		return -1;
	while (len < size - 1) {
		ssize_t n = read(fd, to + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	to[len] = '\0';
	return 0;
}

/*
 * Opens a file without a name in the folder of path, so that a process that is killed leaves
 * nothing behind; -1 where the file system or /proc cannot do that.
 */
static int open_nameless(const char *path, mode_t mode)
{
	AUTOFREE char *folder = path_dirname(path);

	if (access("/proc/self/fd", X_OK))
		return -1;
	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

/* Gives the nameless file its name; an existing file is replaced by way of a temporary name. */
static int link_nameless(int fd, const char *path)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	for (unsigned n = 0; errno == EEXIST && n < 1000; n++) {
		AUTOFREE char *temp = fs_temp_name(path, n);

		if (linkat(AT_FDCWD, self, AT_FDCWD, temp, AT_SYMLINK_FOLLOW))
			continue;
		if (!rename(temp, path))
			return 0;
		fs_unlink_quietly(temp);
		return -1;
	}
	return -1;
}

static int write_named(const char *path, const void *data, size_t len, mode_t mode)
{
	AUTOFREE char *temp = NULL;
	AUTOCLOSE int fd = -1;

	for (unsigned n = 0; fd < 0 && n < 1000; n++) {
		free(temp);
		temp = fs_temp_name(path, n);
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd < 0)
		return -1;
	if (!fs_write_all(fd, data, len) && !fsync(fd) && !rename(temp, path))
		return 0;
	fs_unlink_quietly(temp);
	return -1;
}

int fs_write(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	AUTOCLOSE int fd = open_nameless(path, mode ? mode : 0644);
	int rc;

	if (fd >= 0)
		rc = fs_write_all(fd, data, len) || fsync(fd) || link_nameless(fd, path) ? -1 : 0;
	else
		rc = write_named(path, data, len, mode ? mode : 0644);
	if (rc)
		return err_sys(err, fs_err_code(errno), errno, "cannot write '%s'", path);
	return 0;
}

int fs_mkdirs(const char *path, struct err *err)
{
	AUTOFREE char *part = xstrdup(path);
	size_t at = 0;

	if (!path[0])
		return err_set(err, E_MISSING, "cannot make a folder with an empty name");
	for (;;) {
		at += strspn(path + at, "/");
		if (!path[at])
			return 0;
		at += strcspn(path + at, "/");
		part[at] = '\0';
		if (mkdir(part, 0777)) {
			int saved = errno;

			if (saved == EEXIST && !fs_is_dir(part))
				return err_sys(err, E_MISSING, ENOTDIR,
					"cannot make folder '%s': '%s'", path, part);
			/* A read-only or foreign folder on the way is fine when it exists. */
			if (saved != EEXIST && !fs_is_dir(part))
				return err_sys(err, fs_err_code(saved), saved,
					"cannot make folder '%s'", part);
		}
		part[at] = path[at];
	}
}
