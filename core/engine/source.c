/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/source.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/engine/source_list.h"
#include "core/engine/source_repo.h"
#include "core/engine/source_submodule.h"
#include "core/engine/source_worktree.h"

/* Folders of src/ that are being made: this, the maker's pid, '-', a number. */
#define TEMP_PREFIX "new-"

void source_state_release(struct source_state *source)
{
	free(source->commit);
	free(source->bare);
	*source = (struct source_state){0};
}

char *source_snapshot_path(const struct state *state, const struct source_state *source)
{
	AUTOFREE char *name = path_join("src", source->digest.hex);

	return state_path(state, name);
}

/* --- Temporary folders ---------------------------------------------------------------------------
 */

int source_temp(const struct state *state, char **ret, struct err *err)
{
	AUTOFREE char *src = state_path(state, "src");

	if (fs_mkdirs(src, err))
		return -1;
	for (unsigned n = 0;; n++) {
		AUTOFREE char *path = xasprintf("%s/" TEMP_PREFIX "%ld-%u", src, (long)getpid(), n);

		if (!mkdir(path, 0700)) {
			*ret = STEAL(path);
			return 0;
		}
		if (errno != EEXIST)
			return err_sys(err, E_SYSTEM, errno, "cannot make folder '%s'", path);
	}
}

/* Whether a name in src/ belongs to a process that is at work. */
static bool in_use(const char *name)
{
	long pid;

	if (sscanf(name, TEMP_PREFIX "%ld-", &pid) != 1 || pid <= 0)
		return false;
	return !kill((pid_t)pid, 0) || errno == EPERM;
}

struct pruning {
	const char *keep;
};

static int prune_entry(void *ctx, const struct fs_entry *entry, struct err *err)
{
	const struct pruning *pruning = ctx;

	if (!text_starts(entry->path, pruning->keep) && !in_use(entry->path) &&
		fs_remove(entry->full, err))
		return -1;
	return 1;
}

/* Only the newest snapshot stays; others may be in use unless this process holds the lock. */
static int prune(const struct state *state, const struct source_state *source, struct err *err)
{
	struct pruning pruning = {source->digest.hex};
	AUTOFREE char *src = state_path(state, "src");

	if (state->lock.fd < 0)
		return 0;
	if (fs_walk(src, prune_entry, &pruning, err))
		return err_wrap(err, "removing old source snapshots");
	return 0;
}

/* temp becomes src/DIGEST, unless somebody was faster. */
static int keep_snapshot(const struct state *state, const struct source_state *source,
	const char *temp, struct err *err)
{
	AUTOFREE char *path = source_snapshot_path(state, source);

	if (chmod(temp, 0755))
		return err_sys(err, E_SYSTEM, errno, "cannot write folder '%s'", temp);
	if (rename(temp, path) && errno != EEXIST && errno != ENOTEMPTY)
		return err_sys(err, E_SYSTEM, errno, "cannot make '%s'", path);
	return fs_remove(temp, err);
}

/* --- A commit ------------------------------------------------------------------------------------
 */

/* Where the content of a commit is noted, so that it need not be checked out to be known. */
static char *note_path(
	const struct descriptor *descriptor, const struct source_repo *repo, const char *commit)
{
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	const struct source *source = &descriptor->source;
	struct digest digest;

	digest_field(to, "commit", commit);
	digest_field_int(to, "all", source->submodules_all);
	for (size_t i = 0; i < source->submodules.n; i++)
		digest_field(to, "submodule", source->submodules.items[i]);
	for (size_t i = 0; i < source->exclude.n; i++)
		digest_field(to, "exclude", source->exclude.items[i]);
	digest = digest_end(to);
	return xasprintf("%s/assay/%.32s", repo->bare, digest.hex);
}

static int write_note(const char *path, const struct source_state *source, struct err *err)
{
	AUTOFREE char *text = xasprintf(
		"%s %zu %ju\n", source->digest.hex, source->files, (uintmax_t)source->bytes);
	AUTOFREE char *folder = path_dirname(path);

	if (fs_mkdirs(folder, err))
		return -1;
	return fs_write(path, text, strlen(text), 0, err);
}

static bool read_note(const char *path, struct source_state *source)
{
	char text[256];
	uintmax_t bytes;
	size_t files;
	int end = 0;

	if (fs_read_small(path, text, sizeof(text)) ||
		strspn(text, "0123456789abcdef") != DIGEST_HEX - 1 ||
		sscanf(text + DIGEST_HEX - 1, " %zu %ju\n%n", &files, &bytes, &end) != 2 || !end)
		return false;
	memcpy(source->digest.hex, text, DIGEST_HEX - 1);
	source->digest.hex[DIGEST_HEX - 1] = '\0';
	source->files = files;
	source->bytes = bytes;
	return true;
}

static void fill(struct source_state *source, const struct source_list *list)
{
	source->files = list->entries.n;
	source->bytes = list->bytes;
}

/* Excluded files leave a checkout: the same tree whether it comes from a folder or a commit. */
static int digest_checkout(const struct source_filter *filter, const char *temp,
	struct source_state *source, struct err *err)
{
	CLEANUP(source_list_release) struct source_list list;

	source_list_init(&list, temp);
	if (source_list_walk(&list, filter, "", err))
		return -1;
	source_list_finish(&list);
	fill(source, &list);
	return source_list_digest(&list, &source->digest, err);
}

struct removal {
	const struct source_filter *filter;
	const char *root;
};

static int remove_filtered(void *ctx, const struct fs_entry *entry, struct err *err)
{
	const struct removal *removal = ctx;

	if (!source_filtered(removal->filter, removal->root, entry->path))
		return 0;
	return fs_remove(entry->full, err) ? -1 : 1;
}

static int check_out(const struct descriptor *descriptor, const struct state *state,
	const struct source_repo *repo, const char *commit, const char *to,
	struct source_state *source, struct err *err)
{
	/* The checkout lies in the state folder, so that one is no reason to leave out a file. */
	struct source_filter filter = {&descriptor->source.exclude, NULL};
	struct removal removal = {&filter, to};

	if (source_repo_checkout(repo, commit, to, err) ||
		source_submodules_checkout(repo, &descriptor->source, commit, to, err) ||
		fs_walk(to, remove_filtered, &removal, err) ||
		digest_checkout(&filter, to, source, err))
		return -1;
	return keep_snapshot(state, source, to, err);
}

static int snapshot_commit(const struct descriptor *descriptor, const struct state *state,
	const struct source_repo *repo, const char *commit, struct source_state *source,
	struct err *err)
{
	AUTOFREE char *note = note_path(descriptor, repo, commit);
	AUTOFREE char *temp = NULL;
	struct err ignored;

	if (source_temp(state, &temp, err))
		return -1;
	if (check_out(descriptor, state, repo, commit, temp, source, err)) {
		(void)!fs_remove(temp, &ignored);
		return -1;
	}
	return write_note(note, source, err);
}

static int read_commit(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, struct source_state *source, struct err *err)
{
	CLEANUP(source_repo_release) struct source_repo repo = SOURCE_REPO_INIT;
	AUTOFREE char *note = NULL;

	if (source_repo_open(&repo, state, launcher, descriptor->source.git, err) ||
		source_repo_resolve(&repo, descriptor->source.ref, &source->commit, err))
		return -1;
	source->bare = xstrdup(repo.bare);
	note = note_path(descriptor, &repo, source->commit);
	if (read_note(note, source))
		return 0;
	return snapshot_commit(descriptor, state, &repo, source->commit, source, err);
}

/* --- Files as they are ---------------------------------------------------------------------------
 */

/* The root of the files: source.path, or the work tree of source.git. */
static int find_root(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, char **ret, struct err *err)
{
	CLEANUP(source_repo_release) struct source_repo repo = SOURCE_REPO_INIT;
	const struct source *source = &descriptor->source;
	bool bare;

	if (!source->git) {
		if (path_absolute(source->path, ret, err))
			return err_wrap(err, "source");
		if (fs_is_dir(*ret))
			return 0;
		return err_set(err, E_MISSING, "source '%s' is no folder", source->path);
	}
	if (source_repo_open(&repo, state, launcher, source->git, err))
		return -1;
	bare = !strcmp(repo.path, repo.origin);
	if (repo.remote || bare) {
		err_set(err, E_MISSING, "'%s' has no work tree", source->git);
		return err_help(
			err, "name the commit that is meant in source.ref, as in ref: HEAD");
	}
	*ret = xstrdup(repo.path);
	return 0;
}

/* Submodules that were asked for must lie there. */
static int check_submodules(const struct source *source, const char *root, struct err *err)
{
	for (size_t i = 0; i < source->submodules.n; i++) {
		const char *name = source->submodules.items[i];
		AUTOFREE char *full = path_join(root, name);
		AUTOFREE char *git = path_join(full, ".git");

		if (fs_exists(git))
			continue;
		err_set(err, E_MISSING, "submodule '%s' is not checked out in '%s'", name, root);
		return err_help(
			err, "run there: git submodule update --init --recursive -- '%s'", name);
	}
	return 0;
}

/* The state folder without links, to be compared with paths that have none. */
static int find_state_dir(const struct state *state, char **ret, struct err *err)
{
	if (fs_exists(state->dir))
		return path_absolute(state->dir, ret, err);
	*ret = xstrdup(state->dir);
	return 0;
}

static int read_files(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, struct source_state *source, struct err *err)
{
	CLEANUP(source_list_release) struct source_list list = {0};
	AUTOFREE char *root = NULL, *state_dir = NULL;
	struct source_filter filter = {&descriptor->source.exclude, NULL};
	struct source_worktree tree;

	if (find_root(descriptor, state, launcher, &root, err) ||
		find_state_dir(state, &state_dir, err) ||
		check_submodules(&descriptor->source, root, err))
		return -1;
	filter.state_dir = state_dir;
	source_list_init(&list, root);
	if (source_worktree_state(launcher, &filter, root, &tree, err))
		return -1;
	source->commit = tree.commit;
	source->dirty = tree.dirty;
	if (source_worktree_list(launcher, &filter, &list, err) ||
		source_list_digest(&list, &source->digest, err))
		return -1;
	fill(source, &list);
	return 0;
}

/* Copies the files as they are now to temp; they must still be those of source. */
static int copy_files(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const struct source_state *source, const char *temp,
	struct err *err)
{
	CLEANUP(source_list_release) struct source_list list = {0};
	AUTOFREE char *root = NULL, *state_dir = NULL;
	struct source_filter filter = {&descriptor->source.exclude, NULL}, none = {0};
	struct source_state copy = {0};

	if (find_root(descriptor, state, launcher, &root, err) ||
		find_state_dir(state, &state_dir, err))
		return -1;
	filter.state_dir = state_dir;
	source_list_init(&list, root);
	if (source_worktree_list(launcher, &filter, &list, err) ||
		source_list_copy(&list, temp, err) || digest_checkout(&none, temp, &copy, err))
		return -1;
	if (!strcmp(copy.digest.hex, source->digest.hex))
		return keep_snapshot(state, source, temp, err);
	err_set(err, E_MISSING, "the source in '%s' changed since it was read", root);
	return err_help(err, "let editors and generators finish, then run again");
}

/* --- The interface -------------------------------------------------------------------------------
 */

bool source_matters(const struct descriptor *descriptor)
{
	const struct build *build = &descriptor->build;

	return build->steps.n || build->outputs.n || build->fetch;
}

int source_read(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, struct source_state *ret, struct err *err)
{
	struct source_state source = {0};
	int rc;

	if (descriptor->source.git && descriptor->source.ref)
		rc = read_commit(descriptor, state, launcher, &source, err);
	else
		rc = read_files(descriptor, state, launcher, &source, err);
	if (rc) {
		source_state_release(&source);
		return -1;
	}
	*ret = source;
	return 0;
}

static int make_snapshot(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const struct source_state *source, struct err *err)
{
	CLEANUP(source_repo_release) struct source_repo repo = SOURCE_REPO_INIT;
	AUTOFREE char *temp = NULL;
	struct err ignored;

	if (descriptor->source.git && descriptor->source.ref) {
		struct source_state again = {0};

		if (source_repo_open(&repo, state, launcher, descriptor->source.git, err) ||
			source_repo_fetch(&repo, source->commit, err) ||
			snapshot_commit(descriptor, state, &repo, source->commit, &again, err))
			return -1;
		if (strcmp(again.digest.hex, source->digest.hex) != 0)
			return err_set(err, E_MISSING, "commit %.12s gives other files than before",
				source->commit);
		return 0;
	}
	if (source_temp(state, &temp, err))
		return -1;
	if (copy_files(descriptor, state, launcher, source, temp, err)) {
		(void)!fs_remove(temp, &ignored);
		return -1;
	}
	return 0;
}

int source_snapshot(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const struct source_state *source, struct err *err)
{
	AUTOFREE char *path = source_snapshot_path(state, source);

	if (!fs_is_dir(path) && make_snapshot(descriptor, state, launcher, source, err))
		return -1;
	return prune(state, source, err);
}

int source_tree(const struct state *state, const struct source_state *source, const char *to,
	struct err *err)
{
	AUTOFREE char *path = source_snapshot_path(state, source);

	return fs_copy_tree(path, to, err);
}

int source_pick_diff(const struct descriptor *descriptor, const struct state *state,
	struct launcher *launcher, const char *rev, struct buf *ret, struct err *err)
{
	CLEANUP(source_repo_release) struct source_repo repo = SOURCE_REPO_INIT;
	AUTOFREE char *commit = NULL, *parent = NULL;
	struct git git;
	bool has;

	if (!descriptor->source.git)
		return err_set(err, E_CONFIG, "pick '%s' needs source.git", rev);
	if (source_repo_open(&repo, state, launcher, descriptor->source.git, err) ||
		source_repo_resolve(&repo, rev, &commit, err))
		return -1;
	git = source_repo_git(&repo);
	parent = xasprintf("%s^1", commit);
	if (git_ask(&git, GIT_ARGS("rev-parse", "-q", "--verify", parent), &has, err))
		return -1;
	if (!has) {
		err_set(err, E_MISSING, "commit '%s' has no parent here, so it makes no diff", rev);
		return err_help(err, "a root commit, or a shallow clone: git fetch --unshallow");
	}
	return git_run(&git,
		GIT_ARGS("diff", "--binary", "--full-index", "--no-color", "--no-ext-diff",
			"--no-textconv", "-M", parent, commit),
		ret, NULL, NULL, err);
}
