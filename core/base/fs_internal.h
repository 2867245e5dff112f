/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fs_*.c files share. */
#ifndef ASSAY_BASE_FS_INTERNAL_H
#define ASSAY_BASE_FS_INTERNAL_H

#include "core/base/err.h"
#include "core/base/vec.h"

/* Trees nested deeper than this cannot be walked: each level holds a file descriptor. */
#define FS_DEPTH_MAX 200

/* E_MISSING when the user can give what is missing (a file, a permission), else E_SYSTEM. */
enum err_code fs_err_code(int errno_value);
/* A name for a temporary file beside path, for the n-th try. Owned. */
char *fs_temp_name(const char *path, unsigned n);
/* All of the bytes; -1 with errno. */
int fs_write_all(int fd, const void *data, size_t len) MUST_CHECK;
/* Keeps errno for the message about what went wrong before. */
void fs_unlink_quietly(const char *path);

/* The names in an open folder without "." and "..", in byte order; -1 with errno. */
struct fs_names {
	char **items;
	size_t n, cap;
};
void fs_names_release(struct fs_names *names);
int fs_names_read(int fd, struct fs_names *ret) MUST_CHECK;

#endif
