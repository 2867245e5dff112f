/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/fs_internal.h"
#include "core/base/map.h"

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void fs_names_release(struct fs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	vec_release(names);
}

int fs_names_read(int fd, struct fs_names *ret)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), saved;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir) {
		cleanup_close(&copy);
		return -1;
	}
	while (errno = 0, (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			*vec_push(ret) = xstrdup(entry->d_name);
	}
	saved = errno;
	closedir(dir);
	if (saved) {
		fs_names_release(ret);
		errno = saved;
		return -1;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_bytes);
	return 0;
}

bool fs_is_empty_dir(const char *path)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_Alignas(struct dirent64) char chunk[1024];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & S_IRWXU) != S_IRWXU)
		return false;
	while ((n = getdents64(fd, chunk, sizeof(chunk))) > 0) {
		const struct dirent64 *entry;

		for (ssize_t at = 0; at < n; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(chunk + at);
			if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
				return false;
		}
	}
	return !n;
}

struct walk {
	fs_walk_fn *fn;
	void *ctx;
	struct buf full; /* path of the entry at hand */
	size_t root_len; /* where the relative part starts in it */
};

static int walk_folder(struct walk *walk, int fd, unsigned depth, struct err *err);

static int walk_entry(struct walk *walk, int fd, const char *name, unsigned depth, struct err *err)
{
	struct fs_entry entry = {0};
	AUTOCLOSE int sub = -1;
	int rc;

	if (fstatat(fd, name, &entry.st, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return 0; /* gone since the folder was read */
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", walk->full.data);
	}
	entry.full = walk->full.data;
	entry.path = walk->full.data + walk->root_len;
	rc = walk->fn(walk->ctx, &entry, err);
	if (rc || !S_ISDIR(entry.st.st_mode))
		return rc < 0 ? -1 : 0;
	if (depth >= FS_DEPTH_MAX)
		return err_set(err, E_SYSTEM, "'%s': folders are nested deeper than %d levels",
			walk->full.data, FS_DEPTH_MAX);
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0) {
		if (errno == ENOENT)
			return 0;
		return err_sys(
			err, fs_err_code(errno), errno, "cannot read folder '%s'", walk->full.data);
	}
	return walk_folder(walk, sub, depth + 1, err);
}

static int walk_folder(struct walk *walk, int fd, unsigned depth, struct err *err)
{
	CLEANUP(fs_names_release) struct fs_names names = VEC_INIT;
	size_t len = walk->full.len;

	if (fs_names_read(fd, &names))
		return err_sys(
			err, fs_err_code(errno), errno, "cannot read folder '%s'", walk->full.data);
	for (size_t i = 0; i < names.n; i++) {
		if (walk->full.data[walk->full.len - 1] != '/')
			buf_addc(&walk->full, '/');
		buf_adds(&walk->full, names.items[i]);
		if (walk_entry(walk, fd, names.items[i], depth, err))
			return -1;
		buf_truncate(&walk->full, len);
	}
	return 0;
}

int fs_walk(const char *root, fs_walk_fn *fn, void *ctx, struct err *err)
{
	AUTOCLOSE int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct walk walk = {.fn = fn, .ctx = ctx, .full = BUF_INIT};
	int rc;

	if (fd < 0)
		return err_sys(err, fs_err_code(errno), errno, "cannot read folder '%s'", root);
	buf_adds(&walk.full, root);
	walk.root_len = walk.full.len + (walk.full.data[walk.full.len - 1] != '/');
	rc = walk_folder(&walk, fd, 0, err);
	buf_release(&walk.full);
	return rc;
}

struct usage {
	uint64_t bytes;
	struct map linked; /* files with several names that were counted already */
};

static int add_usage(void *ctx, const struct fs_entry *entry, struct err *err)
{
	struct usage *usage = ctx;
	char key[64];

	(void)err;
	if (entry->st.st_nlink > 1 && !S_ISDIR(entry->st.st_mode)) {
		snprintf(key, sizeof(key), "%ju:%ju", (uintmax_t)entry->st.st_dev,
			(uintmax_t)entry->st.st_ino);
		if (map_find(&usage->linked, key))
			return 0;
		map_put(&usage->linked, key, NULL);
	}
	usage->bytes += (uint64_t)entry->st.st_blocks * 512;
	return 0;
}

int fs_usage(const char *path, uint64_t *ret_used, uint64_t *ret_free, struct err *err)
{
	struct usage usage = {.linked = MAP_INIT};
	struct statvfs fs;
	struct stat st;
	int rc = 0;

	if (stat(path, &st) || statvfs(path, &fs))
		return err_sys(err, fs_err_code(errno), errno, "cannot read '%s'", path);
	usage.bytes = (uint64_t)st.st_blocks * 512;
	if (S_ISDIR(st.st_mode))
		rc = fs_walk(path, add_usage, &usage, err);
	map_release(&usage.linked);
	if (rc)
		return -1;
	*ret_used = usage.bytes;
	*ret_free = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}
