/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, templates, paths and patterns of a descriptor. */
#include "config.h"

#include "core/model/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/expand.h"

struct name_use {
	const char *kind;
	const struct conf_node *node;
};

void load_name(struct loader *l, const struct conf_node *node, const char *kind)
{
	struct name_use *use = map_get(&l->names, node->key);
	char place[256];

	if (!use) {
		use = arena_alloc(l->arena, sizeof(*use));
		*use = (struct name_use){kind, node};
		map_put(&l->names, node->key, use);
		return;
	}
	place_format(use->node->key_place, place, sizeof(place));
	conf_key_error(
		l->diags, node, "'%s' is already the name of %s (%s)", node->key, use->kind, place);
	diag_help(
		l->diags, "options, axes, workloads and parsers share one name space: rename one");
}

static void define_names_below(struct loader *l, const struct conf_node *node, int depth)
{
	const struct conf_node *item, *define;

	if (depth > 4)
		return;
	conf_foreach (item, node) {
		if (item->kind != CONF_MAP)
			continue;
		if (strcmp(item->key ? item->key : "", "define")) {
			define_names_below(l, item, depth + 1);
			continue;
		}
		conf_foreach (define, item)
			map_put(&l->defines, define->key, l);
	}
}

void load_define_names(struct loader *l)
{
	const struct conf_node *options = conf_get(l->root, "options");
	const struct conf_node *axes = conf_get(l->root, "axes");

	if (options)
		define_names_below(l, options, 0);
	if (axes)
		define_names_below(l, axes, 0);
}

/* --- Placeholders ---------------------------------------------------------------------------- */

struct template_check {
	struct loader *l;
	const struct conf_node *node;
	enum template_place where;
	bool axis;
};

/* Fixed names and where they mean something, as a set of places. */
#define AT(place) (1u << (place))
#define AT_RUN (AT(IN_RUN) | AT(IN_RUN_ARGV))
static const struct {
	const char *name;
	unsigned places;
	const char *only; /* for the message where it means nothing */
} fixed_names[] = {
	{"here", ~0u, NULL},
	{"jobs", ~0u, NULL},
	{"tree", AT(IN_BUILD), "in build"},
	{"out", AT(IN_BUILD), "in build"},
	{"defines", AT(IN_BUILD) | AT_RUN, "in build and runs"},
	{"features", AT(IN_BUILD) | AT_RUN, "in build and runs"},
	{"scratch", AT_RUN, "in runs"},
	{"cpus", AT_RUN, "in runs"},
	{"seed", AT_RUN, "in runs"},
	{"args", AT(IN_RUN_ARGV), "in a workload's run"},
};

/* Names made of a prefix and a key of the descriptor. */
static bool prefixed_name(struct loader *l, const char *prefix, size_t i, const char **ret_key)
{
	const struct conf_node *map = NULL;

	if (!strcmp(prefix, "define:")) {
		*ret_key = i < l->defines.n ? l->defines.entries[i].key : NULL;
		return *ret_key;
	}
	if (!strcmp(prefix, "input."))
		map = conf_get(l->root, "inputs");
	else if (!strcmp(prefix, ""))
		map = conf_get(l->root, "vars");
	else if (conf_get(l->root, "build"))
		map = conf_get(conf_get(l->root, "build"), "outputs");
	*ret_key = map && map->kind == CONF_MAP && i < map->n ? map->items[i]->key : NULL;
	return *ret_key;
}

static const struct {
	const char *prefix;
	unsigned places;
	const char *only;
} prefixes[] = {
	{"input.", ~0u, NULL},
	{"", AT(IN_BUILD) | AT_RUN, "in build and runs"},
	{"define:", AT(IN_BUILD) | AT_RUN, "in build and runs"},
	{"bin.", AT_RUN, "in runs"},
	{"base.bin.", AT_RUN, "in runs"},
};

/* All names that mean something at a place, in the arena. */
static const char *const *names_at(
	struct loader *l, enum template_place where, bool axis, size_t *n)
{
	VEC(const char *) names = VEC_INIT;
	const char *const *list;
	const char *key;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		for (size_t k = 0; (prefixes[i].places & AT(where)) &&
				   prefixed_name(l, prefixes[i].prefix, k, &key);
			k++)
			*vec_push(&names) = arena_printf(l->arena, "%s%s", prefixes[i].prefix, key);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fixed_names); i++) {
		if (fixed_names[i].places & AT(where))
			*vec_push(&names) = fixed_names[i].name;
	}
	if (axis)
		*vec_push(&names) = "value";
	*n = names.n;
	list = arena_memdup(l->arena, names.items, names.n * sizeof(*names.items));
	vec_release(&names);
	return list;
}

/* 0 = unknown, else the set of places it is known at; only: where, in words. */
static unsigned places_of(struct loader *l, const char *name, const char **only)
{
	const char *key;

	*only = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fixed_names); i++) {
		if (!strcmp(fixed_names[i].name, name)) {
			*only = fixed_names[i].only;
			return fixed_names[i].places;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!text_starts(name, prefixes[i].prefix))
			continue;
		for (size_t k = 0; prefixed_name(l, prefixes[i].prefix, k, &key); k++) {
			if (!strcmp(key, name + strlen(prefixes[i].prefix))) {
				*only = prefixes[i].only;
				return prefixes[i].places;
			}
		}
	}
	return text_starts(name, "env:") && conf_is_name(name + 4) ? ~0u : 0;
}

static void check_placeholder(void *ctx, const char *name, size_t len)
{
	struct template_check *check = ctx;
	struct loader *l = check->l;
	AUTOFREE char *word = xstrndup(name, len);
	CLEANUP(buf_release) struct buf known = BUF_INIT;
	const char *only, *near;
	const char *const *names;
	unsigned places;
	size_t n;

	if (!strcmp(word, "value")) {
		if (!check->axis)
			conf_error(l->diags, check->node, "'{value}' is known inside axes only");
		return;
	}
	places = places_of(l, word, &only);
	if (places & AT(check->where))
		return;
	if (places) {
		conf_error(l->diags, check->node, "'{%s}' is known %s only", word, only);
		return;
	}
	names = names_at(l, check->where, check->axis, &n);
	near = text_nearest(word, names, n);
	conf_error(l->diags, check->node, "unknown placeholder '{%s}'", word);
	if (near) {
		diag_help(l->diags, "did you mean '{%s}'?", near);
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&known, "{%s} ", names[i]);
	diag_help(l->diags, "known here: %s{env:NAME}; '{{' and '}}' are braces", known.data);
}

void load_template(
	struct loader *l, const struct conf_node *node, enum template_place where, bool axis)
{
	struct template_check check = {l, node, where, axis};
	const struct conf_node *item;
	char why[160];

	if (!node)
		return;
	conf_foreach (item, node)
		load_template(l, item, where, axis);
	if (node->kind == CONF_SCALAR &&
		!expand_scan(node->text, check_placeholder, &check, why, sizeof(why)))
		conf_error(l->diags, node, "%s", why);
}

/* --- Paths and patterns ---------------------------------------------------------------------- */

const char *load_path(struct loader *l, const struct conf_node *node, const char *path)
{
	CLEANUP(bindings_release) struct bindings with = {0};
	AUTOFREE char *joined = NULL;
	const char *expanded = path;
	struct err err;

	bindings_text(&with, "here", l->d->dir);
	if (expand_text(path, &with, l->arena, &expanded, &err)) {
		conf_error(l->diags, node, "%s", err.text);
		if (err.help[0])
			diag_help(l->diags, "%s", err.help);
	}
	joined = path_join(l->d->dir, expanded);
	return arena_strdup(l->arena, joined);
}

const char *load_path_template(struct loader *l, const char *path)
{
	CLEANUP(buf_release) struct buf dir = BUF_INIT;
	AUTOFREE char *joined = NULL;

	if (path[0] == '{' && path[1] != '{')
		return path;
	/* Braces in the name of the descriptor's folder are no placeholders. */
	for (const char *c = l->d->dir; *c; c++) {
		buf_addc(&dir, *c);
		if (*c == '{' || *c == '}')
			buf_addc(&dir, *c);
	}
	joined = path_join(dir.data, path);
	return arena_strdup(l->arena, joined);
}

bool load_inside(struct loader *l, const struct conf_node *node, const char *path)
{
	if (*path && path_inside(path))
		return true;
	conf_error(l->diags, node, "'%s' does not stay inside the source tree", path);
	diag_help(l->diags, "write a path relative to the top of the tree, without '..'");
	return false;
}

bool load_pattern(
	struct loader *l, const struct conf_node *node, const char *pattern, const char *group)
{
	int code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR message[160];
	pcre2_code *re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &offset, NULL);
	bool good = re;

	if (!re) {
		pcre2_get_error_message(code, message, sizeof(message));
		conf_error(l->diags, node, "regular expression: %s, after '%.*s'", (char *)message,
			(int)offset, pattern);
		return false;
	}
	if (group && pcre2_substring_number_from_name(re, (PCRE2_SPTR)group) < 0) {
		conf_error(l->diags, node, "the regular expression has no group named '%s'", group);
		diag_help(l->diags, "put the number into (?<%s>...)", group);
		good = false;
	}
	pcre2_code_free(re);
	return good;
}

void load_unknown(struct loader *l, const struct conf_node *node, const char *what,
	const char *word, const char *const *names, size_t n)
{
	const char *near = text_nearest(word, names, n);
	CLEANUP(buf_release) struct buf known = BUF_INIT;

	conf_error(l->diags, node, "unknown %s '%s'", what, word);
	if (near) {
		diag_help(l->diags, "did you mean '%s'?", near);
		return;
	}
	for (size_t i = 0; i < n && i < 20; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	if (n)
		diag_help(l->diags, "known: %s%s", known.data, n > 20 ? ", ..." : "");
	else
		diag_help(l->diags, "the descriptor declares no %s", what);
}

const struct conf_node *load_item(const struct conf_node *list, size_t i)
{
	return list->kind == CONF_LIST && i < list->n ? list->items[i] : list;
}
