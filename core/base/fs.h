/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files and folders. All descriptors are O_CLOEXEC; nothing follows a symbolic link out of a tree
 * that it removes or copies. Paths are plain NUL-terminated bytes.
 */
#ifndef ASSAY_BASE_FS_H
#define ASSAY_BASE_FS_H

#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/vec.h"

/* Joined with one '/', b alone when it is absolute. Owned by the caller. */
char *path_join(const char *a, const char *b);
char *path_dirname(const char *path);
const char *path_basename(const char *path); /* borrowed from path */
/* realpath, with a message. */
int path_absolute(const char *path, char **ret, struct err *err) MUST_CHECK;
/* Lexically normal ("a/./b/../c" -> "a/c"); false when it climbs above its start or is absolute:
 * the check for every path from a file that must stay inside a tree. */
bool path_inside(const char *path);
/* The program as execvp would find it in the PATH given, or NULL. */
char *path_which(const char *program, const char *path_env);

bool fs_exists(const char *path);
bool fs_is_dir(const char *path);
/* A folder (no link to one) with nothing in it and all rights for its owner, who we are. */
bool fs_is_empty_dir(const char *path);

/* limit: error when the file is larger (0 = no limit). NUL bytes are kept; len is in the buf. */
int fs_read(const char *path, size_t limit, struct buf *ret, struct err *err) MUST_CHECK;
/* First `limit` bytes of small kernel files; no error text, -1 when unreadable. */
int fs_read_small(const char *path, char *to, size_t size) MUST_CHECK;
/* Whole or not at all: a temporary file beside it, fsync, rename. mode 0 = 0644. */
int fs_write(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
	MUST_CHECK;

int fs_mkdirs(const char *path, struct err *err) MUST_CHECK; /* like mkdir -p */
/* Removes a file or a tree; fine when there is none; opens folders without write permission. */
int fs_remove(const char *path, struct err *err) MUST_CHECK;
/* Bytes used by a tree (allocated blocks) and bytes free on its file system. */
int fs_usage(const char *path, uint64_t *ret_used, uint64_t *ret_free, struct err *err) MUST_CHECK;

struct fs_entry {
	const char *path; /* relative to the root of the walk, '/'-separated */
	const char *full;
	struct stat st; /* lstat */
};
/* Calls fn for every entry below root in byte order of the relative paths (a folder before what it
 * holds). fn returns 0 to go on, 1 to skip what a folder holds, -1 to stop with err set. */
typedef int fs_walk_fn(void *ctx, const struct fs_entry *entry, struct err *err);
int fs_walk(const char *root, fs_walk_fn *fn, void *ctx, struct err *err) MUST_CHECK;

/* Copies one regular file or symbolic link with mode and mtime (reflink when possible). */
int fs_copy_file(const char *from, const char *to, struct err *err) MUST_CHECK;
/* Copies a tree: files, folders, links (verbatim); sockets, FIFOs and devices are an error. */
int fs_copy_tree(const char *from, const char *to, struct err *err) MUST_CHECK;
/* rename, or copy and remove across file systems. */
int fs_move(const char *from, const char *to, struct err *err) MUST_CHECK;

/*
 * An advisory lock that ends with the process however it dies (OFD lock). The file holds the
 * holder's pid and command for the message of the one who waits; it is never removed.
 */
struct fs_lock {
	int fd;
};
#define FS_LOCK_INIT \
	{ \
		.fd = -1 \
	}
/* wait_ns: how long to wait (0 = not at all, -1 = for ever). on_wait, may be NULL, is called once
 * with the holder's description before waiting. E_STORE naming the holder when it stays locked;
 * E_SIGNAL when the signal flag (sig.h) ends the wait. */
int fs_lock_take(struct fs_lock *lock, const char *path, int64_t wait_ns,
	void (*on_wait)(void *ctx, const char *holder), void *ctx, struct err *err) MUST_CHECK;
void fs_lock_release(struct fs_lock *lock);

#endif
