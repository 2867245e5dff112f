/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the folders of a build to the folder that the cache keeps. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/engine/build_outputs.h"

/* Links that lead to links. */
#define LINKS_MAX 16
/* Of the names in {out}, in a message. */
#define NAMES_BYTES 300

/* --- Where an output lies ------------------------------------------------------------------------
 */

/* What follows a folder in a path that stays inside of it; NULL when it does not. */
static const char *inside(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (strncmp(path, folder, n) != 0)
		return NULL;
	if (!path[n])
		return path + n;
	return path[n] == '/' && path_inside(path + n + 1) ? path + n + 1 : NULL;
}

/* A path as the steps see it -> where it really is; NULL when it is not below tree or out. The tree
 * itself is no output, all of out may be. */
static char *real_path(const struct build_place *place, const char *path)
{
	AUTOFREE char *tree = path_join(place->seen, "tree");
	AUTOFREE char *out = path_join(place->seen, "out");
	const char *rest = inside(path, tree);

	if (rest && *rest)
		return xasprintf("%s/tree/%s", place->base, rest);
	rest = inside(path, out);
	if (rest && *rest)
		return xasprintf("%s/out/%s", place->base, rest);
	return rest ? path_join(place->base, "out") : NULL;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && path[n] == '/';
}

/* Follows a link at the end of a path, as the steps would: what is kept is a program, not a name.
 */
static int follow(const struct build_place *place, char **path, struct err *err)
{
	for (int i = 0; i < LINKS_MAX; i++) {
		AUTOFREE char *base = NULL, *real = NULL;
		char target[PATH_MAX];
		struct stat st;
		ssize_t n;

		if (lstat(*path, &st) || !S_ISLNK(st.st_mode))
			return 0;
		n = readlink(*path, target, sizeof(target) - 1);
		if (n < 0)
			return err_sys(err, E_SYSTEM, errno, "cannot read link '%s'", *path);
		target[n] = '\0';
		if (target[0] == '/') {
			real = real_path(place, target);
		} else {
			real = realpath(*path, NULL);
			base = realpath(place->base, NULL);
			if (!real)
				return err_set(err, E_BUILD,
					"is a link to '%s', which leads nowhere", target);
			if (!(base && is_below(real, base)))
				free(STEAL(real));
		}
		if (!real)
			return err_set(
				err, E_BUILD, "is a link to '%s', outside of the build", target);
		free(*path);
		*path = STEAL(real);
	}
	return err_set(err, E_BUILD, "is a loop of links");
}

static int add_name(void *ctx, const struct fs_entry *entry, struct err *err)
{
	struct buf *names = ctx;

	(void)err;
	buf_addf(names, "%s%s%s", names->len ? ", " : "", entry->path,
		S_ISDIR(entry->st.st_mode) ? "/" : "");
	return 1;
}

/* The cure of a missing output: what else is there. */
static void help_outputs(const struct build_place *place, struct err *err)
{
	CLEANUP(buf_release) struct buf names = BUF_INIT;
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	AUTOFREE char *out = path_join(place->base, "out");
	struct err ignored;

	if (fs_walk(out, add_name, &names, &ignored) || !names.len) {
		err_help(err,
			"{out} is empty: have the steps write there, or name a path in {tree}");
		return;
	}
	text_clean(&clean, names.data, names.len < NAMES_BYTES ? names.len : NAMES_BYTES);
	err_help(err, "{out} holds %s%s", clean.data, names.len > NAMES_BYTES ? " ..." : "");
}

static int find_output(const struct build_outputs *outputs, const struct conf_pair *pair,
	char **ret, struct err *err)
{
	const char *text;
	AUTOFREE char *in_tree = NULL, *seen = NULL, *path = NULL;
	struct stat st;

	if (expand_text(
		    pair->value ? pair->value : "", outputs->bindings, outputs->arena, &text, err))
		return -1;
	in_tree = xasprintf("%s/tree/%s", outputs->place->seen, outputs->dir);
	seen = path_join(in_tree, text);
	path = text[0] ? real_path(outputs->place, seen) : NULL;
	if (!path) {
		err_set(err, E_BUILD, "is '%s', outside of the build", text);
		return err_help(err, "outputs are paths below {out} or {tree}");
	}
	if (follow(outputs->place, &path, err))
		return -1;
	if (lstat(path, &st)) {
		err_set(err, E_BUILD, "'%s' is not there after the build", text);
		help_outputs(outputs->place, err);
		return -1;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, E_BUILD, "'%s' is neither a file nor a folder", text);
	*ret = STEAL(path);
	return 0;
}

/* --- Collecting them -----------------------------------------------------------------------------
 */

/* Whether an output is, or lies in, another one: then moving one takes it from the other. */
static bool overlap(char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			if (i != k && (!strcmp(paths[i], paths[k]) || is_below(paths[i], paths[k])))
				return true;
		}
	}
	return false;
}

static int collect(
	const struct build_outputs *outputs, char *const *paths, const char *to, struct err *err)
{
	const struct conf_pairs *pairs = outputs->pairs;
	bool copy = outputs->keep_tree || overlap(paths, pairs->n);

	for (size_t i = 0; i < pairs->n; i++) {
		AUTOFREE char *target = path_join(to, pairs->items[i].key);

		if (copy ? fs_copy_tree(paths[i], target, err) : fs_move(paths[i], target, err))
			return err_wrap(err, "output '%s'", pairs->items[i].key);
	}
	if (outputs->keep_tree) {
		AUTOFREE char *tree = path_join(outputs->place->base, "tree");
		AUTOFREE char *target = path_join(to, BUILD_TREE_NAME);

		return fs_move(tree, target, err);
	}
	return 0;
}

int build_outputs_collect(const struct build_outputs *outputs, const char *to, struct err *err)
{
	size_t n = outputs->pairs->n;
	char **paths = xcalloc(n, sizeof(*paths));
	int rc = 0;

	/* All are looked for before the first one is moved. */
	for (size_t i = 0; i < n && !rc; i++) {
		rc = find_output(outputs, &outputs->pairs->items[i], &paths[i], err);
		if (rc)
			err_wrap(err, "output '%s'", outputs->pairs->items[i].key);
	}
	if (!rc)
		rc = fs_mkdirs(to, err) || collect(outputs, paths, to, err) ? -1 : 0;
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	return rc;
}
