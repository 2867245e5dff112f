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

struct removal {
	struct buf path; /* of the entry at hand, for messages */
	int root_fd;     /* folder that too deep ones are moved up to */
	uint64_t mount;  /* of the root: what is mounted inside is not ours to remove */
	unsigned moved;
	struct err *err;
};

static int failed(struct removal *removal, int errno_value)
{
	return err_sys(removal->err, fs_err_code(errno_value), errno_value, "cannot remove '%s'",
		removal->path.data);
}

/* Number of the mount that an open file lies on; 0 where the kernel does not tell. */
static uint64_t mount_of(int fd)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &stx) ||
		!(stx.stx_mask & STATX_MNT_ID))
		return 0;
	return stx.stx_mnt_id;
}

/*
 * Opens a folder for reading, without following a link, and makes it usable when its owner took
 * read, write or search permission away (cargo and git do). chmod goes through the descriptor: by
 * name it could hit the target of a link put there in between. -1 with errno.
 */
static int open_folder(int parent, const char *name)
{
	AUTOCLOSE int handle = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	char self[64];

	if (handle < 0 || fstat(handle, &st))
		return -1;
	if ((st.st_mode & 0700) != 0700) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
		/* Not the owner: the removal itself will say so, if it matters. */
		(void)!chmod(self, (st.st_mode & 07777) | 0700);
	}
	return openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int remove_folder(struct removal *removal, int parent, const char *name, unsigned depth);

static int remove_entry(struct removal *removal, int parent, const char *name, unsigned depth)
{
	if (!unlinkat(parent, name, 0) || errno == ENOENT || errno == ENOTDIR)
		return 0;
	/* Linux says EISDIR for a folder, POSIX and some file systems EPERM. */
	if (errno != EISDIR && errno != EPERM)
		return failed(removal, errno);
	if (errno == EPERM) {
		struct stat st;

		if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
			return failed(removal, EPERM);
	}
	return remove_folder(removal, parent, name, depth);
}

static int remove_content(struct removal *removal, int fd, unsigned depth, size_t *ret_n)
{
	CLEANUP(fs_names_release) struct fs_names names = VEC_INIT;
	size_t len = removal->path.len;

	if (fs_names_read(fd, &names))
		return failed(removal, errno);
	for (size_t i = 0; i < names.n; i++) {
		buf_addf(&removal->path, "/%s", names.items[i]);
		if (remove_entry(removal, fd, names.items[i], depth))
			return -1;
		buf_truncate(&removal->path, len);
	}
	*ret_n = names.n;
	return 0;
}

/* Moves a folder up to the root of the removal, which takes it in its next round: so any depth is
 * removed with a bounded number of descriptors. */
static int move_up(struct removal *removal, int parent, const char *name)
{
	char to[64];

	do {
		snprintf(to, sizeof(to), ".assay-removed-%ld-%u", (long)getpid(), removal->moved++);
	} while (!faccessat(removal->root_fd, to, F_OK, AT_SYMLINK_NOFOLLOW));
	return renameat(parent, name, removal->root_fd, to) ? failed(removal, errno) : 0;
}

static int remove_folder(struct removal *removal, int parent, const char *name, unsigned depth)
{
	AUTOCLOSE int fd = open_folder(parent, name);

	if (fd < 0)
		return errno == ENOENT ? 0 : failed(removal, errno);
	if (!depth) {
		removal->root_fd = fd;
		removal->mount = mount_of(fd);
	} else if (mount_of(fd) != removal->mount) {
		return err_set(removal->err, E_SYSTEM,
			"cannot remove '%s': another file system is mounted there",
			removal->path.data);
	}
	if (depth >= FS_DEPTH_MAX)
		return move_up(removal, parent, name);
	for (;;) {
		size_t n = 0;

		if (remove_content(removal, fd, depth + 1, &n))
			return -1;
		if (!unlinkat(parent, name, AT_REMOVEDIR) || errno == ENOENT)
			return 0;
		/* Not empty: something came in meanwhile, or was moved up here. */
		if (!n || (errno != ENOTEMPTY && errno != EEXIST))
			return failed(removal, errno);
	}
}

int fs_remove(const char *path, struct err *err)
{
	struct removal removal = {.path = BUF_INIT, .root_fd = -1, .err = err};
	AUTOFREE char *name = NULL;
	int rc;

	buf_adds(&removal.path, path);
	/* "link/" would be the folder that the link points to. */
	while (removal.path.len > 1 && removal.path.data[removal.path.len - 1] == '/')
		buf_truncate(&removal.path, removal.path.len - 1);
	name = xstrdup(removal.path.data);
	rc = remove_entry(&removal, AT_FDCWD, name, 0);
	buf_release(&removal.path);
	return rc;
}
