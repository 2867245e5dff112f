/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/fs_internal.h"

/* By read and write; -1 with errno, *ret_reading tells which side failed. */
static int copy_by_hand(int in, int out, bool *ret_reading)
{
	AUTOFREE char *block = xmalloc(128 * 1024);

	for (;;) {
		ssize_t n = read(in, block, 128 * 1024);

		*ret_reading = n < 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -1 : 0;
		if (fs_write_all(out, block, (size_t)n))
			return -1;
	}
}

/* Shares the blocks where the file system can, lets the kernel copy where it can. */
static int copy_bytes(int in, int out, bool *ret_reading)
{
	bool copied = false;

	*ret_reading = false;
	if (!ioctl(out, FICLONE, in))
		return 0;
	for (;;) {
		ssize_t n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
			return -1;
		/* 0 at once: empty, or a file of /proc that has a size of 0 and content. Errors of
		 * other kinds mean "not between these two"; both offsets are where it stopped. */
		if (n < 0 || (!n && !copied))
			return copy_by_hand(in, out, ret_reading);
		if (!n)
			return 0;
		copied = true;
	}
}

static int copy_link(const char *from, const char *to, const struct stat *st, struct err *err)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(err, fs_err_code(errno), errno, "cannot read link '%s'", from);
	target[n] = '\0';
	if (symlink(target, to))
		return err_sys(err, fs_err_code(errno), errno, "cannot make link '%s'", to);
	/* Not every file system keeps times of links; nothing depends on them. */
	(void)!utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

static int copy_regular(
	int in, const char *from, const char *to, const struct stat *st, struct err *err)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	AUTOCLOSE int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool reading = false;

	if (out < 0)
		return err_sys(err, fs_err_code(errno), errno, "cannot write '%s'", to);
	if (!copy_bytes(in, out, &reading) && !fchmod(out, st->st_mode & 0777) &&
		!futimens(out, times))
		return 0;
	err_sys(err, fs_err_code(errno), errno, reading ? "cannot read '%s'" : "cannot write '%s'",
		reading ? from : to);
	unlink(to);
	return -1;
}

int fs_copy_file(const char *from, const char *to, struct err *err)
{
	AUTOCLOSE int in = -1;
	struct stat st, old;

	if (lstat(from, &st))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", from);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(err, E_MISSING, "cannot copy '%s': it is no regular file", from);
	if (S_ISREG(st.st_mode)) {
		in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (in < 0 || fstat(in, &st))
			return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", from);
	}
	if (!lstat(to, &old)) {
		if (old.st_dev == st.st_dev && old.st_ino == st.st_ino)
			return err_set(err, E_SYSTEM, "cannot copy '%s' to '%s': they are one file",
				from, to);
		/* A new file, never new content of an old one: it may have other names. */
		if (unlink(to))
			return err_sys(err, fs_err_code(errno), errno, "cannot replace '%s'", to);
	}
	return S_ISLNK(st.st_mode) ? copy_link(from, to, &st, err)
				   : copy_regular(in, from, to, &st, err);
}

/* A folder whose mode and times are set when everything is in it. */
struct made {
	char *path;
	mode_t mode;
	struct timespec times[2];
};

struct copying {
	const char *to;
	dev_t dev; /* of the target: met inside the source, the copy would not end */
	ino_t ino;
	VEC(struct made) folders;
};

/* mode: also of a folder that a user has made unreadable for himself; it is 0700 meanwhile. */
static int make_folder(
	struct copying *copying, const char *path, const struct stat *from, struct err *err)
{
	struct made *made;
	struct stat st;

	if (mkdir(path, 0700)) {
		int saved = errno;

		/* One that is there is filled, but not a link to one somewhere else. */
		if (saved != EEXIST || lstat(path, &st) || !S_ISDIR(st.st_mode))
			return err_sys(
				err, fs_err_code(saved), saved, "cannot make folder '%s'", path);
	}
	made = vec_push(&copying->folders);
	made->path = xstrdup(path);
	made->mode = from->st_mode & 0777;
	made->times[0] = from->st_atim;
	made->times[1] = from->st_mtim;
	return 0;
}

static int copy_entry(void *ctx, const struct fs_entry *entry, struct err *err)
{
	struct copying *copying = ctx;
	AUTOFREE char *to = path_join(copying->to, entry->path);

	if (!S_ISDIR(entry->st.st_mode))
		return fs_copy_file(entry->full, to, err);
	if (entry->st.st_dev == copying->dev && entry->st.st_ino == copying->ino)
		return err_set(
			err, E_SYSTEM, "cannot copy a folder into itself: '%s'", entry->full);
	return make_folder(copying, to, &entry->st, err);
}

static int finish_folders(const struct copying *copying, struct err *err)
{
	/* Inner ones first: an outer one may be read-only afterwards. */
	for (size_t i = copying->folders.n; i-- > 0;) {
		const struct made *made = &copying->folders.items[i];

		if (chmod(made->path, made->mode) ||
			utimensat(AT_FDCWD, made->path, made->times, 0))
			return err_sys(err, fs_err_code(errno), errno, "cannot write folder '%s'",
				made->path);
	}
	return 0;
}

int fs_copy_tree(const char *from, const char *to, struct err *err)
{
	struct copying copying = {.to = to, .folders = VEC_INIT};
	struct stat st, target;
	int rc = -1;

	if (stat(from, &st))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", from);
	if (!S_ISDIR(st.st_mode))
		return fs_copy_file(from, to, err);
	if (!make_folder(&copying, to, &st, err)) {
		if (stat(to, &target))
			err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", to);
		else if (target.st_dev == st.st_dev && target.st_ino == st.st_ino)
			err_set(err, E_SYSTEM, "cannot copy folder '%s' to itself", from);
		else {
			copying.dev = target.st_dev;
			copying.ino = target.st_ino;
			rc = fs_walk(from, copy_entry, &copying, err);
		}
	}
	if (!rc)
		rc = finish_folders(&copying, err);
	for (size_t i = 0; i < copying.folders.n; i++)
		free(copying.folders.items[i].path);
	vec_release(&copying.folders);
	return rc;
}

/* Across file systems: a copy under a temporary name that becomes the target in one step. */
static int move_by_copy(const char *from, const char *to, struct err *err)
{
	AUTOFREE char *temp = fs_temp_name(to, 0);
	struct err ignored;
	struct stat st;
	int rc;

	if (lstat(from, &st))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", from);
	if (fs_remove(temp, err))
		return -1;
	rc = S_ISDIR(st.st_mode) ? fs_copy_tree(from, temp, err) : fs_copy_file(from, temp, err);
	if (!rc && rename(temp, to))
		rc = err_sys(err, fs_err_code(errno), errno, "cannot move '%s' to '%s'", from, to);
	if (rc) {
		(void)!fs_remove(temp, &ignored);
		return -1;
	}
	return fs_remove(from, err);
}

int fs_move(const char *from, const char *to, struct err *err)
{
	if (!rename(from, to))
		return 0;
	if (errno == EXDEV)
		return move_by_copy(from, to, err);
	return err_sys(err, fs_err_code(errno), errno, "cannot move '%s' to '%s'", from, to);
}
