/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/treedigest.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"

struct walk {
	struct digest_ctx *to;
	enum tree_digest_kind kind;
};

static int add_file(struct walk *walk, const struct fs_entry *entry, struct err *err)
{
	struct digest digest = {0};

	if (walk->kind == TREE_STAT) {
		digest_field_int(walk->to, "size", entry->st.st_size);
		digest_field_int(walk->to, "mtime_s", entry->st.st_mtim.tv_sec);
		digest_field_int(walk->to, "mtime_ns", entry->st.st_mtim.tv_nsec);
		return 0;
	}
	if (walk->kind == TREE_CODE && digest_elf_code(entry->full, &digest, err))
		return -1;
	if (!digest.hex[0] && digest_file(entry->full, &digest, err))
		return -1;
	digest_field_int(walk->to, "executable", (entry->st.st_mode & 0111) != 0);
	digest_field(walk->to, "content", digest.hex);
	return 0;
}

static int add_entry(void *ctx, const struct fs_entry *entry, struct err *err)
{
	struct walk *walk = ctx;
	char target[PATH_MAX];
	ssize_t n;

	digest_field(walk->to, "path", entry->path);
	if (S_ISREG(entry->st.st_mode))
		return add_file(walk, entry, err);
	if (S_ISLNK(entry->st.st_mode)) {
		n = readlink(entry->full, target, sizeof(target));
		if (n < 0)
			return err_sys(
				err, E_SYSTEM, errno, "cannot read the link '%s'", entry->full);
		digest_field_n(walk->to, "link", target, (size_t)n);
	} else {
		digest_field_int(walk->to, "kind", entry->st.st_mode & S_IFMT);
	}
	return 0;
}

int tree_digest(const char *path, enum tree_digest_kind kind, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	struct walk walk = {to, kind};
	struct fs_entry entry = {.path = "", .full = path};

	/* The thing itself may be named by a link; what it holds may not. */
	if (stat(path, &entry.st))
		return err_sys(err, E_MISSING, errno, "cannot read '%s'", path);
	if (S_ISDIR(entry.st.st_mode)) {
		if (fs_walk(path, add_entry, &walk, err))
			return -1;
	} else if (add_file(&walk, &entry, err)) {
		return -1;
	}
	*ret = digest_end(to);
	return 0;
}
