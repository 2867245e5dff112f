/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source of an experiment: what it is now, and trees made from it. The user's own checkout is
 * only read: no worktree entry, ref, index write or lock in it (git runs with GIT_* scrubbed and
 * GIT_OPTIONAL_LOCKS=0).
 *
 * source.path: the files as they are now; inside a git tree the tracked and the untracked ones that
 * are not ignored, else everything but .git and .assay; minus source.exclude. source.git without
 * ref: the same of that repository's work tree. source.git with ref: that commit, read through a
 * bare clone in the state folder.
 */
#ifndef ASSAY_ENGINE_SOURCE_H
#define ASSAY_ENGINE_SOURCE_H

#include "core/base/digest.h"
#include "core/base/proc.h"
#include "core/engine/state.h"
#include "core/model/descriptor.h"

struct source_state {
	struct digest digest; /* content: paths, kinds, executable bits, bytes, link targets */
	char *commit;         /* hex, NULL when not from git */
	bool dirty;           /* uncommitted changes are part of it */
	char *bare;           /* path of the bare clone, NULL = none made */
	size_t files;
	uint64_t bytes;
};

void source_state_release(struct source_state *source);

/* Does anything of the source reach a run? Without steps and outputs nothing does: then it is not
 * read, and a change of it is no change of the experiment. */
bool source_matters(const struct descriptor *descriptor);

/* Reads the state of the source now. E_MISSING when it is not there (folder, repository, ref,
 * submodule commit), with what there is instead. */
int source_read(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, struct source_state *ret, struct err *err) MUST_CHECK;
/* Makes src/DIGEST from it unless it is there (checked copy: when a file changes while it is being
 * copied this fails with a message that says so). */
int source_snapshot(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const struct source_state *source, struct err *err) MUST_CHECK;
/* src/DIGEST, owned. */
char *source_snapshot_path(const struct state *state, const struct source_state *source);
/* A fresh tree at `to` (must not exist), copied from the snapshot. */
int source_tree(const struct state *state, const struct source_state *source, const char *to,
	struct err *err) MUST_CHECK;
/* `git diff REV^1 REV` of the repository (bare clone made when needed). E_MISSING for an unknown
 * revision or a root commit. */
int source_pick_diff(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const char *rev, struct buf *ret, struct err *err) MUST_CHECK;

/* An empty folder of this process's own in src/, owned path; what a killed process left there goes
 * with the next snapshot. */
int source_temp(const struct state *state, char **ret, struct err *err) MUST_CHECK;

#endif
