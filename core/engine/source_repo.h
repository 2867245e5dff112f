/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A git repository that a source comes from, and its bare clone in the state folder. The clone gets
 * the commits that are asked for and what they stand on, each under refs/assay/COMMIT, so that the
 * work goes on from it whatever happens to the user's refs; in the user's repository nothing is
 * written.
 *
 * A checkout from the clone is what the repository says, the same on every machine: attributes of
 * the tree count, configured filters (Git LFS, for one) do not.
 */
#ifndef ASSAY_ENGINE_SOURCE_REPO_H
#define ASSAY_ENGINE_SOURCE_REPO_H

#include "core/engine/git.h"
#include "core/engine/state.h"

struct source_repo {
	struct launcher *launcher;
	const struct state *state;
	char *path;   /* where git finds it: a work tree, a git folder; the clone of a URL */
	char *origin; /* the git folder (absolute) or URL that the clone is fetched from */
	char *bare;   /* the clone */
	bool remote;  /* origin is a URL */
};
#define SOURCE_REPO_INIT \
	{ \
		0 \
	}

/* git: absolute path of a work tree or a git folder (its root: the repository around a folder is
 * not meant), or a URL. E_MISSING when there is none. */
int source_repo_open(struct source_repo *repo, const struct state *state, struct launcher *launcher,
	const char *git, struct err *err) MUST_CHECK;
void source_repo_release(struct source_repo *repo);

/* The commit that a revision means now; it is in the clone afterwards. E_MISSING with the refs that
 * come nearest. */
int source_repo_resolve(
	struct source_repo *repo, const char *rev, char **ret_commit, struct err *err) MUST_CHECK;
/* Brings a commit into the clone unless it is there. */
int source_repo_fetch(struct source_repo *repo, const char *commit, struct err *err) MUST_CHECK;
/* For git commands in the clone. */
struct git source_repo_git(const struct source_repo *repo);
/* The files of a commit of the clone into the folder `to` (made when needed). Submodules become
 * empty folders. */
int source_repo_checkout(const struct source_repo *repo, const char *commit, const char *to,
	struct err *err) MUST_CHECK;
/* Whether text can only be a commit's full name. */
bool source_is_commit_name(const char *text);

#endif
