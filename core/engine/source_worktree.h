/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a folder as they are now: in a git work tree those that git does not ignore. */
#ifndef ASSAY_ENGINE_SOURCE_WORKTREE_H
#define ASSAY_ENGINE_SOURCE_WORKTREE_H

#include "core/base/proc.h"
#include "core/engine/source_list.h"

struct source_worktree {
	char *commit; /* that HEAD stands at, NULL = no git tree, or no commit yet */
	bool dirty;   /* something differs from that commit, or is new */
};

/*
 * Adds the files below list->root, and finishes the list. In a git tree: tracked and untracked ones
 * that are not ignored; submodules and repositories inside as they lie there, by their own rules. A
 * folder that is ignored as a whole, or that is in no git tree: all it holds.
 */
int source_worktree_list(struct launcher *launcher, const struct source_filter *filter,
	struct source_list *list, struct err *err) MUST_CHECK;
/* Commit and dirtiness of the git tree around root, of what is below root and not filtered. */
int source_worktree_state(struct launcher *launcher, const struct source_filter *filter,
	const char *root, struct source_worktree *ret, struct err *err) MUST_CHECK;

#endif
