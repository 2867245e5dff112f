/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/source_repo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/text.h"

/* Hex digits of the origin's digest that name a clone. */
#define CLONE_NAME_LEN 16
/* Refs that a message shows. */
#define REFS_SHOWN 6

bool source_is_commit_name(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return !text[n] && (n == 40 || n == 64);
}

static bool is_url(const char *git)
{
	return git[0] != '/';
}

void source_repo_release(struct source_repo *repo)
{
	free(repo->path);
	free(repo->origin);
	free(repo->bare);
	*repo = (struct source_repo)SOURCE_REPO_INIT;
}

struct git source_repo_git(const struct source_repo *repo)
{
	return (struct git){
		.launcher = repo->launcher,
		.dir = repo->bare,
		.git_dir = repo->bare,
		.isolated = true,
	};
}

/* In the repository itself. */
static struct git at_origin(const struct source_repo *repo)
{
	return (struct git){
		.launcher = repo->launcher,
		.dir = repo->path,
		.git_dir = repo->origin,
		.work_tree = repo->path,
	};
}

/* --- Opening -------------------------------------------------------------------------------------
 */

/* A git folder itself, as bare repositories and .git/modules/NAME are. */
static bool is_git_dir(const char *path)
{
	AUTOFREE char *head = path_join(path, "HEAD");
	AUTOFREE char *objects = path_join(path, "objects");
	AUTOFREE char *refs = path_join(path, "refs");

	return fs_exists(head) && fs_is_dir(objects) && fs_is_dir(refs);
}

static int find_git_dir(struct source_repo *repo, const char *path, struct err *err)
{
	AUTOFREE char *above = NULL;
	struct git git = {.launcher = repo->launcher};

	if (path_absolute(path, &repo->path, err))
		return err_wrap(err, "there is no git repository");
	if (!fs_is_dir(repo->path))
		return err_set(err, E_MISSING, "'%s' is a file, not a git repository", path);
	above = path_dirname(repo->path);
	git.dir = repo->path;
	git.ceiling = above;
	if (is_git_dir(repo->path)) {
		/* Else core.worktree of a submodule counts, and its folder need not be there. */
		git.git_dir = repo->path;
		git.work_tree = repo->path;
	}
	if (git_line(&git, GIT_ARGS("rev-parse", "--path-format=absolute", "--git-common-dir"),
		    &repo->origin, err)) {
		if (strstr(err->text, "not a git repository"))
			err_set(err, E_MISSING, "'%s' is no git repository", path);
		return -1;
	}
	return 0;
}

int source_repo_open(struct source_repo *repo, const struct state *state, struct launcher *launcher,
	const char *git, struct err *err)
{
	AUTOFREE char *name = NULL;
	struct digest digest;

	*repo = (struct source_repo){.launcher = launcher, .state = state, .remote = is_url(git)};
	if (repo->remote)
		repo->origin = xstrdup(git);
	else if (find_git_dir(repo, git, err))
		return -1;
	digest = digest_of(repo->origin, strlen(repo->origin));
	name = xasprintf("git/%.*s.git", CLONE_NAME_LEN, digest.hex);
	repo->bare = state_path(state, name);
	if (repo->remote)
		repo->path = xstrdup(repo->bare);
	return 0;
}

/* --- The clone -----------------------------------------------------------------------------------
 */

/* A process that was faster wins; what an interrupted one left is replaced. */
static int put_clone(const char *temp, const char *bare, const char *head, struct err *err)
{
	if (!rename(temp, bare))
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
		return err_sys(err, E_SYSTEM, errno, "cannot make '%s'", bare);
	if (fs_exists(head))
		return fs_remove(temp, err);
	return fs_remove(bare, err) ? -1 : fs_move(temp, bare, err);
}

/* An empty repository, whole or not at all. */
static int make_clone(const struct source_repo *repo, bool sha256, struct err *err)
{
	AUTOFREE char *temp = xasprintf("%s.%ld.tmp", repo->bare, (long)getpid());
	AUTOFREE char *above = path_dirname(repo->bare);
	AUTOFREE char *head = path_join(repo->bare, "HEAD");
	struct git git = {.launcher = repo->launcher, .dir = above, .isolated = true};

	if (fs_exists(head))
		return 0;
	if (fs_mkdirs(above, err) || fs_remove(temp, err) ||
		git_run(&git,
			GIT_ARGS("init", "-q", "--bare", "--template=",
				sha256 ? "--object-format=sha256" : "--object-format=sha1", temp),
			NULL, NULL, NULL, err) ||
		put_clone(temp, repo->bare, head, err))
		return err_wrap(err, "making the bare clone of '%s'", repo->origin);
	return 0;
}

/* The other end of a local fetch, a line for the shell. A commit that only a reflog knows may be
 * asked for, too; and core.worktree of a submodule's git folder names a folder that need not be
 * there. */
#define UPLOAD_PACK \
	"--upload-pack=GIT_WORK_TREE=. git -c uploadpack.allowAnySHA1InWant=true upload-pack"

/* Not isolated: the user's configuration may name safe folders, keys and proxies. */
static int fetch(const struct source_repo *repo, const char *const *refspecs, struct err *err)
{
	static const char *const options[] = {"fetch", "-q", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance", "--no-recurse-submodules", "--update-shallow"};
	struct git git = {.launcher = repo->launcher, .dir = repo->bare, .git_dir = repo->bare};
	VEC(const char *) args = VEC_INIT;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		*vec_push(&args) = options[i];
	if (!repo->remote)
		*vec_push(&args) = UPLOAD_PACK;
	*vec_push(&args) = "--end-of-options";
	*vec_push(&args) = repo->origin;
	for (size_t i = 0; refspecs[i]; i++)
		*vec_push(&args) = refspecs[i];
	*vec_push(&args) = NULL;
	rc = git_run(&git, args.items, NULL, NULL, NULL, err);
	vec_release(&args);
	return rc ? err_wrap(err, "reading from '%s'", repo->origin) : 0;
}

int source_repo_fetch(struct source_repo *repo, const char *commit, struct err *err)
{
	AUTOFREE char *ref = xasprintf("refs/assay/%s", commit);
	AUTOFREE char *refspec = xasprintf("+%s:%s", commit, ref);
	struct git git = source_repo_git(repo);
	bool there;

	/* The ref, not the commit: it is written last, so an interrupted copy does not count. */
	if (make_clone(repo, strlen(commit) == 64, err) ||
		git_ask(&git, GIT_ARGS("rev-parse", "-q", "--verify", ref), &there, err))
		return -1;
	if (there)
		return 0;
	return fetch(repo, (const char *const[]){refspec, NULL}, err);
}

static int fetch_all(const struct source_repo *repo, struct err *err)
{
	return fetch(repo,
		(const char *const[]){
			"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", NULL},
		err);
}

/* --- Revisions -----------------------------------------------------------------------------------
 */

static int unknown_rev(
	const struct source_repo *repo, const struct git *git, const char *rev, struct err *err)
{
	CLEANUP(buf_release) struct buf refs = BUF_INIT;
	CLEANUP(buf_release) struct buf shown = BUF_INIT;
	VEC(const char *) names = VEC_INIT;
	const char *nearest;
	char *line, *save;
	struct err ignored;

	err_set(err, E_MISSING, "there is no revision '%s' in the repository '%s'", rev,
		repo->remote ? repo->origin : repo->path);
	if (git_run(git,
		    GIT_ARGS("for-each-ref", "--format=%(refname:short)", "--count=1000",
			    "refs/heads", "refs/tags"),
		    &refs, NULL, NULL, &ignored))
		return -1;
	for (line = strtok_r(refs.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (names.n < REFS_SHOWN)
			buf_addf(&shown, "%s%s", names.n ? ", " : "", line);
		*vec_push(&names) = line;
	}
	nearest = text_nearest(rev, names.items, names.n);
	if (nearest)
		err_help(err, "did you mean '%s'?", nearest);
	else if (names.n)
		err_help(err, "branches and tags there: %s%s", shown.data,
			names.n > REFS_SHOWN ? ", ..." : "");
	vec_release(&names);
	return -1;
}

static int look_up(const struct git *git, const char *rev, char **ret, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	AUTOFREE char *commit = xasprintf("%s^{commit}", rev);
	int code = 1;

	*ret = NULL;
	/* Options, and ranges such as "^a", are no revisions. */
	if (rev[0] == '-' || rev[0] == '^' || !rev[0])
		return 0;
	if (git_run(git, GIT_ARGS("rev-parse", "-q", "--verify", "--end-of-options", commit), &out,
		    NULL, &code, err))
		return -1;
	if (code)
		return 0;
	buf_truncate(&out, strcspn(out.data, "\n"));
	*ret = buf_steal(&out);
	return 0;
}

static int resolve_remote(struct source_repo *repo, const char *rev, char **ret, struct err *err)
{
	struct git git = source_repo_git(repo);

	if (make_clone(repo, false, err))
		return -1;
	/* A full name cannot move: what is there needs no network. */
	if (source_is_commit_name(rev) && look_up(&git, rev, ret, err))
		return -1;
	if (source_is_commit_name(rev) && *ret)
		return 0;
	if (fetch_all(repo, err) || look_up(&git, rev, ret, err))
		return -1;
	return *ret ? 0 : unknown_rev(repo, &git, rev, err);
}

int source_repo_resolve(
	struct source_repo *repo, const char *rev, char **ret_commit, struct err *err)
{
	struct git git = at_origin(repo);
	AUTOFREE char *commit = NULL;

	if (repo->remote)
		return resolve_remote(repo, rev, ret_commit, err);
	/* HEAD of a linked work tree is its own, so look from the work tree where there is one. */
	if (strcmp(repo->path, repo->origin)) {
		git.git_dir = NULL;
		git.work_tree = NULL;
	}
	if (look_up(&git, rev, &commit, err))
		return -1;
	if (!commit)
		return unknown_rev(repo, &git, rev, err);
	if (source_repo_fetch(repo, commit, err))
		return -1;
	*ret_commit = STEAL(commit);
	return 0;
}

/* --- Checkout ------------------------------------------------------------------------------------
 */

int source_repo_checkout(
	const struct source_repo *repo, const char *commit, const char *to, struct err *err)
{
	AUTOFREE char *index = xasprintf("%s/checkout.%ld.index", repo->bare, (long)getpid());
	struct git git = source_repo_git(repo);
	struct err ignored;
	int rc;

	if (fs_mkdirs(to, err) || fs_remove(index, err))
		return -1;
	git.dir = to;
	git.work_tree = to;
	git.index = index;
	rc = git_run(&git, GIT_ARGS("read-tree", commit), NULL, NULL, NULL, err);
	if (!rc)
		rc = git_run(
			&git, GIT_ARGS("checkout-index", "-q", "-a", "-f"), NULL, NULL, NULL, err);
	(void)!fs_remove(index, &ignored);
	return rc ? err_wrap(err, "checking out commit %.12s", commit) : 0;
}
