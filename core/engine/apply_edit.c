/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/engine/apply_item.h"

/* Files that people edit. */
#define FILE_MAX ((size_t)256 << 20)
/* How much of a file, and of a line, is searched for a line to suggest. */
#define SEARCH_LINES 100000
#define SEARCH_WIDTH 200

int apply_edit_target(const char *tree, const struct edit *edit, char **ret, struct err *err)
{
	AUTOFREE char *path = path_join(tree, edit->file);
	AUTOFREE char *root = NULL, *real = NULL;
	size_t n;

	if (!path_inside(edit->file))
		return err_set(err, E_BUILD, "'%s' is outside of the tree", edit->file);
	if (path_absolute(tree, &root, err))
		return -1;
	if (path_absolute(path, &real, err))
		return err_set(err, E_BUILD, "there is no file '%s' in the tree", edit->file);
	n = strlen(root);
	if (strncmp(real, root, n) != 0 || real[n] != '/')
		return err_set(
			err, E_BUILD, "'%s' is a link that leads out of the tree", edit->file);
	*ret = xstrdup(real + n + 1);
	return 0;
}

static size_t occurrences(const struct buf *text, const char *find, size_t len)
{
	const char *at = text->data, *end = text->data + text->len;
	size_t n = 0;

	while ((at = memmem(at, (size_t)(end - at), find, len))) {
		n++;
		at += len;
	}
	return n;
}

/* --- The nearest line ----------------------------------------------------------------------------
 */

static char *trimmed(const char *at, size_t len)
{
	while (len && (*at == ' ' || *at == '\t')) {
		at++;
		len--;
	}
	while (len && strchr(" \t\r", at[len - 1]))
		len--;
	return xstrndup(at, len < SEARCH_WIDTH ? len : SEARCH_WIDTH);
}

/* Adds "the nearest line is 12: ..." for the first line of what was to be found. */
static void help_nearest(const struct buf *text, const char *find, struct err *err)
{
	AUTOFREE char *wanted = NULL, *best = NULL;
	size_t least, number = 0, line = 1;

	find += strspn(find, "\n");
	wanted = trimmed(find, strcspn(find, "\n"));
	/* More than half of it different is not near. */
	least = strlen(wanted) / 2 + 1;
	for (const char *at = text->data; *at && line <= SEARCH_LINES; line++) {
		size_t len = strcspn(at, "\n");
		AUTOFREE char *have = trimmed(at, len);
		size_t a = strlen(have), b = strlen(wanted), far = a > b ? a - b : b - a;

		if (far < least && (far = text_distance(have, wanted)) < least) {
			CLEANUP(buf_release) struct buf clean = BUF_INIT;

			least = far;
			number = line;
			text_clean(&clean, have, strlen(have));
			free(best);
			best = buf_steal(&clean);
		}
		at += len;
		at += *at == '\n';
	}
	if (number && !least)
		err_help(err, "line %zu is the same but for blanks, or what follows differs: %s",
			number, best);
	else if (number)
		err_help(err, "the nearest line is %zu: %s", number, best);
}

/* --- Replacing -----------------------------------------------------------------------------------
 */

static void replace_all(const struct buf *text, const struct edit *edit, struct buf *to)
{
	const char *at = text->data, *end = text->data + text->len, *hit;
	size_t len = strlen(edit->find);

	while ((hit = memmem(at, (size_t)(end - at), edit->find, len))) {
		buf_add(to, at, (size_t)(hit - at));
		buf_adds(to, edit->replace);
		at = hit + len;
	}
	buf_add(to, at, (size_t)(end - at));
}

int apply_edit(const char *tree, const struct edit *edit, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	CLEANUP(buf_release) struct buf changed = BUF_INIT;
	AUTOFREE char *target = NULL, *path = NULL;
	struct stat st;
	size_t n;

	if (apply_edit_target(tree, edit, &target, err))
		return -1;
	path = path_join(tree, target);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return err_set(err, E_BUILD, "'%s' is no file", edit->file);
	if (fs_read(path, FILE_MAX, &text, err))
		return -1;
	n = occurrences(&text, edit->find, strlen(edit->find));
	if (n == (size_t)edit->count) {
		replace_all(&text, edit, &changed);
		return fs_write(path, changed.data, changed.len, st.st_mode & 0777, err);
	}
	if (n)
		return err_set(err, E_BUILD, "'%s' has the text %zu time%s, not %d", edit->file, n,
			n == 1 ? "" : "s", edit->count);
	err_set(err, E_BUILD, "'%s' does not have the text to find", edit->file);
	help_nearest(&text, edit->find, err);
	return -1;
}
