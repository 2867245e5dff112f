/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/source_worktree.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/engine/git.h"

/* Repositories inside repositories; more is a loop of mounts or links. */
#define NESTING_MAX 32

struct listing {
	struct launcher *launcher;
	const struct source_filter *filter;
	struct source_list *list;
};

/* Whether some folder from here upwards has a .git. */
static bool git_above(const char *path)
{
	AUTOFREE char *at = xstrdup(path);

	for (;;) {
		AUTOFREE char *git = path_join(at, ".git");
		struct stat st;
		char *above;

		if (!lstat(git, &st))
			return true;
		if (!strcmp(at, "/"))
			return false;
		above = path_dirname(at);
		free(at);
		at = above;
	}
}

/* Whether git takes the folder for a part of a work tree. A reason against it that the user must
 * know of (a foreign owner, a damaged repository) is an error. */
static int in_work_tree(const struct git *git, bool *ret, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	CLEANUP(buf_release) struct buf said = BUF_INIT;
	int code;

	*ret = false;
	if (!git_above(git->dir))
		return 0;
	if (git_run(git, GIT_ARGS("rev-parse", "--is-inside-work-tree"), &out, &said, &code, err))
		return -1;
	/* .git is of something else, or beyond the border of a file system. */
	if (code && strstr(said.data, "not a git repository"))
		return 0;
	if (code) {
		while (said.len && said.data[said.len - 1] == '\n')
			buf_truncate(&said, said.len - 1);
		return err_set(err, E_MISSING, "git cannot read the tree around '%s': %s", git->dir,
			said.data);
	}
	*ret = text_starts(out.data, "true");
	return 0;
}

/* --- Files ---------------------------------------------------------------------------------------
 */

static int list_folder(
	const struct listing *listing, const char *below, int depth, struct err *err);

/* A path of git's list that is a folder: a submodule, a nested repository, or (empty for us) a
 * submodule that is not checked out. */
static int list_nested(const struct listing *listing, const char *path, int depth, struct err *err)
{
	AUTOFREE char *full = path_join(listing->list->root, path);
	AUTOFREE char *git = path_join(full, ".git");

	if (source_filtered(listing->filter, listing->list->root, path))
		return 0;
	if (fs_exists(git) && list_folder(listing, path, depth + 1, err))
		return -1;
	return source_list_add(listing->list, listing->filter, path, err);
}

static int list_path(const struct listing *listing, const char *below, const char *path, int depth,
	struct err *err)
{
	AUTOFREE char *relative = path_join(below, path);
	AUTOFREE char *full = NULL;
	size_t n = strlen(relative);
	struct stat st;

	while (n && relative[n - 1] == '/')
		relative[--n] = '\0';
	full = path_join(listing->list->root, relative);
	if (!lstat(full, &st) && S_ISDIR(st.st_mode))
		return list_nested(listing, relative, depth, err);
	return source_list_add(listing->list, listing->filter, relative, err);
}

static int list_git(const struct listing *listing, const struct git *git, const char *below,
	int depth, bool *ret_any, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	if (git_run(git, GIT_ARGS("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
		    &out, NULL, NULL, err))
		return -1;
	*ret_any = out.len > 0;
	for (size_t at = 0; at < out.len; at += strlen(out.data + at) + 1) {
		if (list_path(listing, below, out.data + at, depth, err))
			return -1;
	}
	return 0;
}

static int list_folder(const struct listing *listing, const char *below, int depth, struct err *err)
{
	AUTOFREE char *full = path_join(listing->list->root, below);
	struct git git = {.launcher = listing->launcher, .dir = full};
	bool tracked, any, ignored;

	if (depth > NESTING_MAX)
		return err_set(err, E_MISSING, "'%s': repositories are nested deeper than %d", full,
			NESTING_MAX);
	if (in_work_tree(&git, &tracked, err))
		return -1;
	if (tracked) {
		if (list_git(listing, &git, below, depth, &any, err))
			return -1;
		if (any)
			return 0;
		/* Nothing, since the whole folder is ignored: it was named, so it is meant. */
		if (git_ask(&git, GIT_ARGS("check-ignore", "-q", "."), &ignored, err))
			return -1;
		if (!ignored)
			return 0;
	}
	return source_list_walk(listing->list, listing->filter, below, err);
}

int source_worktree_list(struct launcher *launcher, const struct source_filter *filter,
	struct source_list *list, struct err *err)
{
	struct listing listing = {launcher, filter, list};

	if (list_folder(&listing, "", 0, err))
		return -1;
	source_list_finish(list);
	return 0;
}

/* --- State ---------------------------------------------------------------------------------------
 */

/* Records of `status -z`: "XY PATH", after a rename or copy the old path as a record of its own. */
static bool is_dirty(const struct buf *out, const char *root, const char *prefix,
	const struct source_filter *filter)
{
	size_t skip = strlen(prefix);
	bool dirty = false;

	for (size_t at = 0; at < out->len && !dirty; at += strlen(out->data + at) + 1) {
		const char *record = out->data + at, *path = record + 3;

		if (strlen(record) < 4)
			continue;
		if (text_starts(path, prefix)) {
			AUTOFREE char *inside = xstrdup(path + skip);
			size_t n = strlen(inside);

			if (n && inside[n - 1] == '/')
				inside[n - 1] = '\0';
			dirty = !source_filtered(filter, root, inside);
		}
		if (record[0] == 'R' || record[0] == 'C')
			at += strlen(record) + 1;
	}
	return dirty;
}

int source_worktree_state(struct launcher *launcher, const struct source_filter *filter,
	const char *root, struct source_worktree *ret, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	AUTOFREE char *prefix = NULL;
	struct git git = {.launcher = launcher, .dir = root};
	bool tracked;
	int code;

	*ret = (struct source_worktree){0};
	if (in_work_tree(&git, &tracked, err))
		return -1;
	if (!tracked)
		return 0;
	if (git_run(&git,
		    GIT_ARGS("status", "--porcelain", "-z", "--untracked-files=normal",
			    "--ignore-submodules=none", "--", "."),
		    &out, NULL, NULL, err) ||
		git_line(&git, GIT_ARGS("rev-parse", "--show-prefix"), &prefix, err))
		return -1;
	ret->dirty = is_dirty(&out, root, prefix, filter);
	if (git_run(&git, GIT_ARGS("rev-parse", "-q", "--verify", "HEAD^{commit}"), &out, NULL,
		    &code, err))
		return -1;
	if (code) {
		ret->dirty = true;
		return 0;
	}
	buf_truncate(&out, strcspn(out.data, "\n"));
	ret->commit = buf_steal(&out);
	return 0;
}
