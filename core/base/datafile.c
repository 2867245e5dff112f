/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/datafile.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/map.h"
#include "core/base/text.h"

struct folders {
	char *items[5];
	size_t n;
};

static void folders_release(struct folders *folders)
{
	for (size_t i = 0; i < folders->n; i++)
		free(folders->items[i]);
}

/* Folder of the running program, or NULL. */
static char *program_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *folder, *above;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	folder = path_dirname(path);
	/* libtool keeps programs that are not installed yet one folder below. */
	if (strcmp(path_basename(folder), ".libs"))
		return folder;
	above = path_dirname(folder);
	free(folder);
	return above;
}

/* The value of "NAME = value" in a Makefile that automake made; NULL if it has none. Owned. */
static char *make_variable(const char *text, const char *name)
{
	AUTOFREE char *start = xasprintf("\n%s = ", name);
	const char *at = strstr(text, start);

	if (!at)
		return NULL;
	at += strlen(start);
	return xstrndup(at, strcspn(at, "\n"));
}

/* The source tree that a Makefile in folder builds, when it is ours. */
static char *source_folder(const char *folder)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOFREE char *makefile = path_join(folder, "Makefile");
	AUTOFREE char *package = NULL;
	struct err ignored;

	if (fs_read(makefile, 16 << 20, &text, &ignored))
		return NULL;
	package = make_variable(text.data, "PACKAGE");
	if (!package || strcmp(package, "assay"))
		return NULL;
	return make_variable(text.data, "abs_top_srcdir");
}

static void list_folders(struct folders *to)
{
	const char *env = getenv("ASSAY_DATADIR");
	AUTOFREE char *program = program_folder();
	AUTOFREE char *source = program ? source_folder(program) : NULL;

	if (env && *env)
		to->items[to->n++] = xstrdup(env);
	if (program)
		to->items[to->n++] = path_join(program, "data");
	if (source)
		to->items[to->n++] = path_join(source, "data");
	to->items[to->n++] = xstrdup(ASSAY_DATADIR);
}

int datafile_find(const char *name, char **ret_path, struct err *err)
{
	CLEANUP(folders_release) struct folders folders = {.n = 0};
	CLEANUP(buf_release) struct buf looked = BUF_INIT;

	/* Names come from descriptors: none may lead out of the folder. */
	if (!path_inside(name))
		return err_set(err, E_MISSING, "'%s' is no name of a data file", name);
	list_folders(&folders);
	for (size_t i = 0; i < folders.n; i++) {
		AUTOFREE char *path = path_join(folders.items[i], name);

		if (fs_exists(path)) {
			*ret_path = STEAL(path);
			return 0;
		}
		buf_addf(&looked, "%s%s", i ? ", " : "", folders.items[i]);
	}
	return err_set(
		err, E_MISSING, "data file '%s' was not found; looked into %s", name, looked.data);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_names(struct map *names, const char *folder, const char *suffix)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		size_t n = strlen(name), cut = strlen(suffix);
		AUTOFREE char *stem = NULL;

		if (name[0] == '.' || n <= cut || !text_ends(name, suffix))
			continue;
		stem = xstrndup(name, n - cut);
		map_put(names, stem, NULL);
	}
	closedir(dir);
}

char **datafile_list(const char *kind, const char *suffix)
{
	return datafile_list_with(NULL, kind, suffix);
}

char **datafile_list_with(const char *dir, const char *kind, const char *suffix)
{
	CLEANUP(folders_release) struct folders folders = {.n = 0};
	CLEANUP(map_release) struct map names = MAP_INIT;
	char **list;

	list_folders(&folders);
	if (dir)
		folders.items[folders.n++] = xstrdup(dir);
	for (size_t i = 0; i < folders.n; i++) {
		AUTOFREE char *folder = path_join(folders.items[i], kind);

		add_names(&names, folder, suffix);
	}
	list = xcalloc(names.n + 1, sizeof(*list));
	for (size_t i = 0; i < names.n; i++)
		list[i] = xstrdup(names.entries[i].key);
	qsort(list, names.n, sizeof(*list), by_name);
	return list;
}
