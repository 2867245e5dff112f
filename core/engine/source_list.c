/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/source_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/sig.h"
#include "core/base/text.h"

void source_list_init(struct source_list *list, const char *root)
{
	*list = (struct source_list){.root = xstrdup(root)};
}

static void drop(struct source_entry *entry)
{
	free(entry->path);
	entry->path = NULL;
}

void source_list_release(struct source_list *list)
{
	for (size_t i = 0; i < list->entries.n; i++)
		drop(&list->entries.items[i]);
	vec_release(&list->entries);
	free(list->root);
	*list = (struct source_list){0};
}

/* --- What belongs to it --------------------------------------------------------------------------
 */

static bool is_ours(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if ((n == 4 && !memcmp(path, ".git", 4)) || (n == 6 && !memcmp(path, ".assay", 6)))
			return true;
		path += n;
		path += *path == '/';
	}
	return false;
}

static bool below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* Whether a glob matches the path or a folder on the way to it. */
static bool matches(const char *pattern, const char *path)
{
	AUTOFREE char *part = xstrdup(path);

	for (char *slash = part; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (text_glob(pattern, part))
			return true;
		*slash = '/';
	}
	return text_glob(pattern, path);
}

bool source_filtered(const struct source_filter *filter, const char *root, const char *path)
{
	if (is_ours(path))
		return true;
	if (filter->state_dir) {
		AUTOFREE char *full = path_join(root, path);

		if (below(full, filter->state_dir))
			return true;
	}
	for (size_t i = 0; filter->exclude && i < filter->exclude->n; i++) {
		const char *pattern = filter->exclude->items[i];
		size_t n = strlen(pattern);
		/* "target/" means the folder. */
		AUTOFREE char *bare = xstrndup(pattern, n > 1 && pattern[n - 1] == '/' ? n - 1 : n);

		if (matches(bare, path))
			return true;
	}
	return false;
}

static char kind_of(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return 'l';
	if (S_ISDIR(st->st_mode))
		return 'd';
	if (S_ISREG(st->st_mode))
		return st->st_mode & 0100 ? 'x' : 'f';
	return 0;
}

static void keep(struct source_list *list, const char *path, const struct stat *st)
{
	struct source_entry *entry;

	if (!kind_of(st))
		return;
	entry = vec_push(&list->entries);
	*entry = (struct source_entry){xstrdup(path), kind_of(st), *st};
}

int source_list_add(struct source_list *list, const struct source_filter *filter, const char *path,
	struct err *err)
{
	AUTOFREE char *full = path_join(list->root, path);
	struct stat st;

	if (source_filtered(filter, list->root, path))
		return 0;
	if (lstat(full, &st)) {
		/* Tracked but deleted, or a folder on the way is none any more. */
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return err_sys(err, E_MISSING, errno, "cannot read '%s'", full);
	}
	keep(list, path, &st);
	return 0;
}

struct walk {
	struct source_list *list;
	const struct source_filter *filter;
	const char *below;
};

static int walk_entry(void *ctx, const struct fs_entry *entry, struct err *err)
{
	struct walk *walk = ctx;
	AUTOFREE char *path = path_join(walk->below, entry->path);

	(void)err;
	if (source_filtered(walk->filter, walk->list->root, path))
		return 1;
	keep(walk->list, path, &entry->st);
	return 0;
}

int source_list_walk(struct source_list *list, const struct source_filter *filter,
	const char *below, struct err *err)
{
	AUTOFREE char *full = path_join(list->root, below);
	struct walk walk = {list, filter, below};

	return fs_walk(full, walk_entry, &walk, err);
}

/* --- Order ---------------------------------------------------------------------------------------
 */

/* '/' before every other byte: what a folder holds comes directly after it. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *x = (const void *)((const struct source_entry *)a)->path;
	const unsigned char *y = (const void *)((const struct source_entry *)b)->path;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	if (*x == *y)
		return 0;
	if (!*x || !*y)
		return *x ? 1 : -1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return *x < *y ? -1 : 1;
}

void source_list_finish(struct source_list *list)
{
	struct source_entry *items = list->entries.items;
	size_t n = 0;

	if (list->entries.n)
		qsort(items, list->entries.n, sizeof(*items), by_path);
	list->bytes = 0;
	for (size_t i = 0; i < list->entries.n; i++) {
		struct source_entry entry = items[i];

		if (n && below(entry.path, items[n - 1].path)) {
			bool nested = entry.path[strlen(items[n - 1].path)] == '/';

			if (!nested || items[n - 1].kind != 'd') {
				/* The same path again, or one that leads through a link. */
				free(entry.path);
				continue;
			}
			free(items[n - 1].path);
			n--;
		}
		items[n++] = entry;
	}
	list->entries.n = n;
	for (size_t i = 0; i < n; i++) {
		if (items[i].kind == 'f' || items[i].kind == 'x')
			list->bytes += (uint64_t)items[i].st.st_size;
	}
}

/* A large tree takes a while: the user may stop it between two files. */
static int check_stop(struct err *err)
{
	int signal = sig_received;

	if (!signal)
		return 0;
	err_set(err, E_SIGNAL, "interrupted while reading the source");
	err->sys = signal;
	return -1;
}

/* --- Digest --------------------------------------------------------------------------------------
 */

static int digest_entry(
	struct digest_ctx *to, const char *full, const struct source_entry *entry, struct err *err)
{
	char kind[2] = {entry->kind, '\0'}, target[PATH_MAX];
	struct digest content;
	ssize_t n;

	digest_field(to, "path", entry->path);
	digest_field(to, "kind", kind);
	switch (entry->kind) {
	case 'l':
		n = readlink(full, target, sizeof(target));
		if (n < 0)
			return err_sys(err, E_MISSING, errno, "cannot read link '%s'", full);
		digest_field_n(to, "target", target, (size_t)n);
		return 0;
	case 'd':
		return 0;
	default:
		if (digest_file(full, &content, err))
			return -1;
		digest_field(to, "content", content.hex);
		return 0;
	}
}

int source_list_digest(const struct source_list *list, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();

	for (size_t i = 0; i < list->entries.n; i++) {
		AUTOFREE char *full = path_join(list->root, list->entries.items[i].path);

		if (check_stop(err) || digest_entry(to, full, &list->entries.items[i], err))
			return -1;
	}
	*ret = digest_end(to);
	return 0;
}

/* --- Copy ----------------------------------------------------------------------------------------
 */

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int changed(const char *path, struct err *err)
{
	err_set(err, E_MISSING, "the source changed while it was being copied: '%s'", path);
	return err_help(err, "let editors and generators finish, then run again");
}

static int copy_entry(
	const struct source_entry *entry, const char *from, const char *to, struct err *err)
{
	struct stat st;

	if (entry->kind == 'd')
		return fs_mkdirs(to, err);
	if (lstat(from, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return changed(entry->path, err);
		return err_sys(err, E_MISSING, errno, "cannot read '%s'", from);
	}
	if (!same_file(&st, &entry->st))
		return changed(entry->path, err);
	if (fs_copy_file(from, to, err))
		return -1;
	if (lstat(from, &st) || !same_file(&st, &entry->st))
		return changed(entry->path, err);
	if (entry->kind != 'l' && chmod(to, entry->kind == 'x' ? 0755 : 0644))
		return err_sys(err, E_SYSTEM, errno, "cannot write '%s'", to);
	return 0;
}

int source_list_copy(const struct source_list *list, const char *to, struct err *err)
{
	AUTOFREE char *made = NULL;

	if (fs_mkdirs(to, err))
		return -1;
	for (size_t i = 0; i < list->entries.n; i++) {
		const struct source_entry *entry = &list->entries.items[i];
		AUTOFREE char *from = path_join(list->root, entry->path);
		AUTOFREE char *target = path_join(to, entry->path);
		AUTOFREE char *folder = path_dirname(target);

		if (!made || strcmp(made, folder)) {
			if (fs_mkdirs(folder, err))
				return -1;
			free(made);
			made = STEAL(folder);
		}
		if (check_stop(err) || copy_entry(entry, from, target, err))
			return -1;
	}
	return 0;
}
