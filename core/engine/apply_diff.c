/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/apply_diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/engine/apply.h"
#include "core/engine/git.h"

void diff_names_release(struct diff_names *names)
{
	for (size_t i = 0; i < names->items.n; i++)
		free(names->items.items[i]);
	vec_release(&names->items);
}

/* --- Starting git --------------------------------------------------------------------------------
 */

/* A file beside the tree with the diff, gone at the end of the scope. */
struct diff_file {
	char *path;
};

static void diff_file_release(struct diff_file *file)
{
	if (file->path)
		unlink(file->path);
	free(file->path);
}

static int write_diff(const struct diff_use *use, struct diff_file *ret, struct err *err)
{
	AUTOFREE char *folder = path_dirname(use->tree);
	AUTOFREE char *path = xasprintf("%s/diff-XXXXXX", folder);
	AUTOCLOSE int fd = mkostemp(path, O_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot write a file in '%s'", folder);
	ret->path = STEAL(path);
	while (done < use->len) {
		ssize_t n = write(fd, use->text + done, use->len - done);

		if (n < 0 && errno != EINTR)
			return err_sys(err, E_SYSTEM, errno, "cannot write '%s'", ret->path);
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

static int git_apply(const struct diff_use *use, bool reverse, const char *action, struct buf *out,
	struct buf *said, int *code, struct err *err)
{
	CLEANUP(diff_file_release) struct diff_file file = {NULL};
	AUTOFREE char *above = path_dirname(use->tree);
	AUTOFREE char *strip = xasprintf("-p%d", use->strip);
	AUTOFREE char *dir = use->dir ? xasprintf("--directory=%s", use->dir) : NULL;
	struct git git = {
		.launcher = use->launcher,
		.dir = use->tree,
		.ceiling = above,
		.isolated = true,
	};
	VEC(const char *) args = VEC_INIT;
	int rc;

	if (write_diff(use, &file, err))
		return -1;
	*vec_push(&args) = "apply";
	*vec_push(&args) = "--whitespace=nowarn";
	*vec_push(&args) = strip;
	if (reverse)
		*vec_push(&args) = "--reverse";
	if (dir)
		*vec_push(&args) = dir;
	if (action) {
		*vec_push(&args) = action;
		*vec_push(&args) = "-z";
	}
	*vec_push(&args) = file.path;
	*vec_push(&args) = NULL;
	rc = git_run(&git, args.items, out, said, code, err);
	vec_release(&args);
	return rc;
}

/* --- Names ---------------------------------------------------------------------------------------
 */

/* The most frequent reason: the tree has the change already. */
static void help_applied(const struct diff_use *use, struct err *err)
{
	CLEANUP(buf_release) struct buf said = BUF_INIT;
	struct err ignored;
	int code;

	if (!git_apply(use, !use->reverse, "--check", NULL, &said, &code, &ignored) && !code)
		err_help(err, "it applies the other way round: the tree has this change already");
}

static int refused(const struct diff_use *use, const char *said, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	diff_explain(use, said, &text);
	err_set(err, E_BUILD, "%s does not apply: %s", use->name, text.data);
	if (strstr(said, "patch failed:") || strstr(said, "already exists"))
		help_applied(use, err);
	return -1;
}

int diff_read_names(
	const struct diff_use *use, bool before, struct diff_names *names, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	CLEANUP(buf_release) struct buf said = BUF_INIT;
	int code;

	if (git_apply(use, use->reverse != before, "--numstat", &out, &said, &code, err))
		return -1;
	if (code)
		return refused(use, said.data, err);
	/* "ADDED\tDELETED\tPATH", after each a NUL */
	for (size_t at = 0; at < out.len; at += strlen(out.data + at) + 1) {
		const char *path = strchr(out.data + at, '\t');

		path = path ? strchr(path + 1, '\t') : NULL;
		if (path && path[1])
			*vec_push(&names->items) = xstrdup(path + 1);
	}
	return 0;
}

/* --- Whether a file changed ----------------------------------------------------------------------
 */

/* What stands at a path: nothing, a file with its executable bit and content, a link and its
 * target. */
static int fingerprint(const char *tree, const char *name, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	AUTOFREE char *path = path_join(tree, name);
	struct digest content;
	char target[4096];
	struct stat st;

	if (lstat(path, &st)) {
		if (errno != ENOENT && errno != ENOTDIR)
			return err_sys(err, E_SYSTEM, errno, "cannot read '%s'", path);
		digest_field(to, "kind", "none");
	} else if (S_ISREG(st.st_mode)) {
		if (digest_file(path, &content, err))
			return -1;
		digest_field(to, "kind", st.st_mode & 0100 ? "program" : "file");
		digest_field(to, "content", content.hex);
	} else if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlink(path, target, sizeof(target));

		if (n < 0)
			return err_sys(err, E_SYSTEM, errno, "cannot read '%s'", path);
		digest_field(to, "kind", "link");
		digest_field_n(to, "target", target, (size_t)n);
	} else {
		digest_field(to, "kind", "other");
	}
	*ret = digest_end(to);
	return 0;
}

static int fingerprints(
	const char *tree, const struct diff_names *names, struct digest *ret, struct err *err)
{
	for (size_t i = 0; i < names->items.n; i++) {
		if (fingerprint(tree, names->items.items[i], &ret[i], err))
			return -1;
	}
	return 0;
}

static int verify(const struct diff_use *use, const struct diff_names *names,
	const struct digest *before, struct err *err)
{
	AUTOFREE struct digest *after = xcalloc(names->items.n, sizeof(*after));

	if (fingerprints(use->tree, names, after, err))
		return -1;
	for (size_t i = 0; i < names->items.n; i++) {
		if (strcmp(before[i].hex, after[i].hex) != 0)
			continue;
		err_set(err, E_BUILD, "%s was taken by git, but '%s' is as before", use->name,
			names->items.items[i]);
		return err_help(err, "a change of a submodule or of nothing cannot be applied");
	}
	return 0;
}

int apply_diff(struct launcher *launcher, const char *tree, const char *name, const char *diff,
	size_t len, int strip, bool reverse, const char *dir, struct err *err)
{
	struct diff_use use = {launcher, tree, name, diff, len, strip, reverse, dir};
	CLEANUP(diff_names_release) struct diff_names names = {VEC_INIT};
	CLEANUP(buf_release) struct buf said = BUF_INIT;
	AUTOFREE struct digest *before = NULL;
	int code;

	if (diff_read_names(&use, false, &names, err))
		return -1;
	if (!names.items.n) {
		err_set(err, E_BUILD, "%s names no file", name);
		/* git reads its ceiling as a list, so it looked into the tree around. */
		if (strchr(tree, ':'))
			err_help(err, "git cannot be kept out of the tree around a folder with a "
				      "':' in its name: choose another one by --state");
		return -1;
	}
	before = xcalloc(names.items.n, sizeof(*before));
	if (fingerprints(tree, &names, before, err) ||
		git_apply(&use, reverse, NULL, NULL, &said, &code, err))
		return -1;
	if (code)
		return refused(&use, said.data, err);
	return verify(&use, &names, before, err);
}
