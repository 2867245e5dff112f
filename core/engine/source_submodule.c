/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Submodules of a commit: each from where the user's repository keeps it (.git/modules), from its
 * checkout, or from a local URL. Nothing is fetched over a network.
 */
#include "config.h"

#include "core/engine/source_submodule.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

struct submodule {
	char *path; /* in its superproject */
	char *commit;
	char *name, *url; /* of .gitmodules, NULL = not there */
};

struct submodules {
	VEC(struct submodule) items;
};

static void submodules_release(struct submodules *list)
{
	for (size_t i = 0; i < list->items.n; i++) {
		struct submodule *item = &list->items.items[i];

		free(item->path);
		free(item->commit);
		free(item->name);
		free(item->url);
	}
	vec_release(&list->items);
}

/* --- Finding them --------------------------------------------------------------------------------
 */

/* "160000 commit HASH\tPATH" of ls-tree. */
static void read_tree_entry(struct submodules *list, const char *record)
{
	static const char head[] = "160000 commit ";
	const char *tab = strchr(record, '\t');
	struct submodule *item;

	if (!text_starts(record, head) || !tab)
		return;
	record += sizeof(head) - 1;
	item = vec_push(&list->items);
	item->commit = xstrndup(record, (size_t)(tab - record));
	item->path = xstrdup(tab + 1);
}

static struct submodule *by_path(struct submodules *list, const char *path)
{
	for (size_t i = 0; i < list->items.n; i++) {
		if (!strcmp(list->items.items[i].path, path))
			return &list->items.items[i];
	}
	return NULL;
}

/* "submodule.NAME.KEY\nVALUE": NAME, owned, when KEY is the one asked for. */
static char *setting(const char *record, const char *key, const char **ret_value)
{
	static const char head[] = "submodule.";
	const char *end = strchr(record, '\n');
	size_t tail = strlen(key);

	if (!end || !text_starts(record, head) ||
		(size_t)(end - record) < sizeof(head) + tail + 1 ||
		end[-(ptrdiff_t)tail - 1] != '.' || strncmp(end - tail, key, tail) != 0)
		return NULL;
	*ret_value = end + 1;
	record += sizeof(head) - 1;
	return xstrndup(record, (size_t)(end - record) - tail - 1);
}

static const char *next_record(const struct buf *records, const char *at)
{
	at += strlen(at) + 1;
	return at < records->data + records->len ? at : NULL;
}

static void read_settings(struct submodules *list, const struct buf *records)
{
	const char *at, *value;

	for (at = records->len ? records->data : NULL; at; at = next_record(records, at)) {
		AUTOFREE char *name = setting(at, "path", &value);
		struct submodule *item = name ? by_path(list, value) : NULL;

		/* A name that climbs out of .git/modules is none (git refuses it, too). */
		if (item && !item->name && path_inside(name))
			item->name = STEAL(name);
	}
	for (at = records->len ? records->data : NULL; at; at = next_record(records, at)) {
		AUTOFREE char *name = setting(at, "url", &value);

		for (size_t i = 0; name && i < list->items.n; i++) {
			struct submodule *item = &list->items.items[i];

			if (item->name && !item->url && !strcmp(item->name, name))
				item->url = xstrdup(value);
		}
	}
}

static int find_submodules(const struct source_repo *repo, const char *commit,
	struct submodules *list, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	AUTOFREE char *blob = xasprintf("%s:.gitmodules", commit);
	struct git git = source_repo_git(repo);
	int code;

	if (git_run(&git, GIT_ARGS("ls-tree", "-r", "-z", "--full-tree", commit), &out, NULL, NULL,
		    err))
		return -1;
	for (const char *at = out.len ? out.data : NULL; at; at = next_record(&out, at))
		read_tree_entry(list, at);
	if (!list->items.n)
		return 0;
	/* Without the file they have no names, and still lie where they lie. */
	if (git_run(&git,
		    GIT_ARGS("config", "-z", "--blob", blob, "--get-regexp",
			    "^submodule\\..*\\.(path|url)$"),
		    &out, NULL, &code, err))
		return -1;
	if (!code)
		read_settings(list, &out);
	return 0;
}

/* --- Where one comes from ------------------------------------------------------------------------
 */

/* A local URL as a path, NULL when it is none. base: what "./" and "../" start from. */
static char *local_url(const char *url, const char *base)
{
	AUTOFREE char *at = xstrdup(base);

	if (text_starts(url, "file://"))
		return xstrdup(url + strlen("file://"));
	if (url[0] == '/')
		return xstrdup(url);
	if (base[0] != '/' || (!text_starts(url, "./") && !text_starts(url, "../")))
		return NULL;
	while (text_starts(url, "./") || text_starts(url, "../")) {
		if (url[1] == '/') {
			url += 2;
			continue;
		}
		url += 3;

		char *above = path_dirname(at);

		free(at);
		at = above;
	}
	return path_join(at, url);
}

/* What relative URLs of a repository start from: its own origin, else itself. */
static char *url_base(const struct source_repo *repo)
{
	struct git git = {.launcher = repo->launcher,
		.dir = repo->path,
		.git_dir = repo->origin,
		.work_tree = repo->path};
	char *url = NULL;
	struct err ignored;

	if (repo->remote)
		return xstrdup(repo->origin);
	if (!git_line(&git, GIT_ARGS("config", "remote.origin.url"), &url, &ignored)) {
		char *path = text_starts(url, "file://") ? xstrdup(url + strlen("file://")) : NULL;

		if (!path)
			return url;
		free(url);
		return path;
	}
	return xstrdup(repo->path);
}

/* The clone of a submodule with its commit, from the first place that has it. there: some place was
 * found, without the commit. */
static int take_from(struct source_repo *sub, const struct source_repo *repo, const char *place,
	const char *commit, bool *ret_taken, bool *there, struct err *err)
{
	struct git git = {.launcher = repo->launcher};
	bool has;

	*ret_taken = false;
	if (!place || !fs_is_dir(place))
		return 0;
	if (source_repo_open(sub, repo->state, repo->launcher, place, err)) {
		/* An empty folder where the submodule would be. */
		source_repo_release(sub);
		return err->code == E_MISSING ? 0 : -1;
	}
	*there = true;
	git.dir = sub->path;
	git.git_dir = sub->origin;
	git.work_tree = sub->path;

	AUTOFREE char *object = xasprintf("%s^{commit}", commit);

	if (git_ask(&git, GIT_ARGS("cat-file", "-e", object), &has, err) ||
		(has && source_repo_fetch(sub, commit, err))) {
		source_repo_release(sub);
		return -1;
	}
	if (!has)
		source_repo_release(sub);
	*ret_taken = has;
	return 0;
}

static int open_submodule(struct source_repo *sub, const struct source_repo *repo,
	const struct submodule *item, const char *full, struct err *err)
{
	AUTOFREE char *modules =
		item->name ? xasprintf("%s/modules/%s", repo->origin, item->name) : NULL;
	AUTOFREE char *checkout = path_join(repo->path, item->path);
	AUTOFREE char *base = url_base(repo);
	AUTOFREE char *url = item->url ? local_url(item->url, base) : NULL;
	const char *places[] = {repo->remote ? NULL : modules, repo->remote ? NULL : checkout, url};
	bool taken, there = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (take_from(sub, repo, places[i], item->commit, &taken, &there, err))
			return err_wrap(err, "submodule '%s'", full);
		if (taken)
			return 0;
	}
	if (there)
		err_set(err, E_MISSING,
			"submodule '%s': its commit %.12s is not in this machine's copy", full,
			item->commit);
	else
		err_set(err, E_MISSING, "submodule '%s' is not on this machine%s%s%s", full,
			item->url ? " (its URL is " : "", item->url ? item->url : "",
			item->url ? ")" : "");
	return err_help(err, "run in %s: git submodule update --init --recursive", repo->path);
}

/* --- Checkout ------------------------------------------------------------------------------------
 */

/* Listed itself, or inside a listed one, or on the way to a listed one. */
static bool wanted(const struct source *source, const char *full)
{
	size_t len = strlen(full);

	if (source->submodules_all)
		return true;
	for (size_t i = 0; i < source->submodules.n; i++) {
		const char *item = source->submodules.items[i];
		size_t n = strlen(item);

		while (n && item[n - 1] == '/')
			n--;
		if ((!strncmp(full, item, n) && (!full[n] || full[n] == '/')) ||
			(n > len && !strncmp(full, item, len) && item[len] == '/'))
			return true;
	}
	return false;
}

static int check_listed(const struct source *source, const struct submodules *list, struct err *err)
{
	for (size_t i = 0; i < source->submodules.n; i++) {
		const char *asked = source->submodules.items[i];
		CLEANUP(buf_release) struct buf names = BUF_INIT;
		bool found = false;

		for (size_t s = 0; s < list->items.n; s++) {
			const char *path = list->items.items[s].path;
			size_t n = strlen(path);

			found |= !strncmp(asked, path, n) && (!asked[n] || asked[n] == '/');
			buf_addf(&names, "%s%s", s ? ", " : "", path);
		}
		if (found)
			continue;
		err_set(err, E_MISSING, "there is no submodule '%s'", asked);
		return err_help(err, "submodules there: %s", names.len ? names.data : "none");
	}
	return 0;
}

static int check_out_below(const struct source_repo *repo, const struct source *source,
	const char *commit, const char *below, const char *to, struct err *err)
{
	CLEANUP(submodules_release) struct submodules list = {VEC_INIT};

	if (find_submodules(repo, commit, &list, err))
		return -1;
	if (!below[0] && check_listed(source, &list, err))
		return -1;
	for (size_t i = 0; i < list.items.n; i++) {
		const struct submodule *item = &list.items.items[i];
		CLEANUP(source_repo_release) struct source_repo sub = SOURCE_REPO_INIT;
		AUTOFREE char *full = path_join(below, item->path);
		AUTOFREE char *target = path_join(to, full);

		if (!wanted(source, full))
			continue;
		if (open_submodule(&sub, repo, item, full, err))
			return -1;
		if (source_repo_checkout(&sub, item->commit, target, err))
			return err_wrap(err, "submodule '%s'", full);
		if (check_out_below(&sub, source, item->commit, full, to, err))
			return -1;
	}
	return 0;
}

int source_submodules_checkout(const struct source_repo *repo, const struct source *source,
	const char *commit, const char *to, struct err *err)
{
	if (!source->submodules_all && !source->submodules.n)
		return 0;
	return check_out_below(repo, source, commit, "", to, err);
}
