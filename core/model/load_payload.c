/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a level does: the kinds pick, patch, edit, define, set, add, ... (doc/descriptor.md). */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

/* --- patch ----------------------------------------------------------------------------------- */

static void load_patch(struct loader *l, const struct conf_node *node, struct patch *ret)
{
	static const struct conf_field fields[] = {
		FIELD("file", CT_TEXT, offsetof(struct patch, file), .flags = CONF_REQUIRED),
		FIELD("reverse", CT_BOOL, offsetof(struct patch, reverse)),
		FIELD("strip", CT_NODE, 0),
		FIELD("dir", CT_TEXT, offsetof(struct patch, dir)),
		{NULL},
	};
	static const struct conf_field strip = FIELD("strip", CT_INT, 0, .min = 0, .max = 64);
	int64_t levels = 1;

	*ret = (struct patch){.file = "", .node = node};
	if (node->kind == CONF_SCALAR) {
		ret->file = node->text;
	} else if (conf_read(node, fields, ret, l->arena, l->diags)) {
		if (conf_get(node, "strip"))
			conf_read_value(
				conf_get(node, "strip"), &strip, &levels, l->arena, l->diags);
		if (ret->dir)
			load_inside(l, conf_get(node, "dir"), ret->dir);
	}
	ret->strip = (int)levels;
	if (*ret->file)
		ret->file = load_path(
			l, node->kind == CONF_MAP ? conf_get(node, "file") : node, ret->file);
}

static void load_patches(struct loader *l, const struct conf_node *node, struct payload *to)
{
	size_t n = node->kind == CONF_LIST ? node->n : 1;
	struct patch *patches = arena_array(l->arena, n, sizeof(*patches));

	for (size_t i = 0; i < n; i++)
		load_patch(l, load_item(node, i), &patches[i]);
	to->patches = patches;
	to->n_patches = n;
}

/* --- edit ------------------------------------------------------------------------------------ */

struct raw_edit {
	struct conf_item item;
	const char *file, *find, *replace;
	int64_t count;
};

static void load_edits(struct loader *l, const struct conf_node *node, struct payload *to)
{
	static const struct conf_field fields[] = {
		FIELD("file", CT_TEXT, offsetof(struct raw_edit, file), .flags = CONF_REQUIRED),
		FIELD("find", CT_TEXT, offsetof(struct raw_edit, find), .flags = CONF_REQUIRED),
		FIELD("replace", CT_TEXT, offsetof(struct raw_edit, replace),
			.flags = CONF_REQUIRED),
		FIELD("count", CT_INT, offsetof(struct raw_edit, count), .min = 1, .max = 1000000),
		{NULL},
	};
	static const struct conf_field list = FIELD("edit", CT_LIST_OF, 0, .flags = CONF_ONE_OK,
		.sub = fields, .item_size = sizeof(struct raw_edit));
	struct conf_array array = {0};
	const struct raw_edit *raw;
	struct edit *edits;

	conf_read_value(node, &list, &array, l->arena, l->diags);
	raw = array.items;
	edits = arena_array(l->arena, array.n, sizeof(*edits));
	for (size_t i = 0; i < array.n; i++) {
		const struct conf_node *at = raw[i].item.node;

		if (raw[i].file)
			load_inside(l, conf_get(at, "file"), raw[i].file);
		if (raw[i].find && !*raw[i].find)
			conf_error(l->diags, conf_get(at, "find"), "the text to find is empty");
		if (raw[i].find && raw[i].replace && !strcmp(raw[i].find, raw[i].replace))
			conf_error(
				l->diags, conf_get(at, "replace"), "replaces the text by itself");
		edits[i] = (struct edit){
			.file = raw[i].file ? raw[i].file : "",
			.find = raw[i].find ? raw[i].find : "",
			.replace = raw[i].replace ? raw[i].replace : "",
			.count = raw[i].count ? (int)raw[i].count : 1,
			.node = at,
		};
	}
	to->edits = edits;
	to->n_edits = array.n;
}

/* --- set and add ----------------------------------------------------------------------------- */

static void load_var_changes(struct loader *l, const struct conf_node *node, bool add, bool axis,
	const struct named_value **ret, size_t *ret_n)
{
	static const struct conf_field text = FIELD("value", CT_TEXT_OR_TEXTS, 0);
	static const struct conf_field list = FIELD("value", CT_TEXTS, 0);
	const struct conf_node *item;
	struct named_value *values;
	const char **names;
	size_t n = 0;

	if (node->kind != CONF_MAP) {
		conf_error(
			l->diags, node, "expected a map of vars to %s", add ? "lists" : "values");
		return;
	}
	names = arena_array(l->arena, l->d->n_vars, sizeof(*names));
	for (size_t i = 0; i < l->d->n_vars; i++)
		names[i] = l->d->vars[i].name;
	values = arena_array(l->arena, node->n, sizeof(*values));
	conf_foreach (item, node) {
		struct conf_texts texts = {0};
		bool known = false;

		for (size_t i = 0; i < l->d->n_vars && !known; i++)
			known = !strcmp(names[i], item->key);
		if (!known) {
			load_unknown(l, item, "var", item->key, names, l->d->n_vars);
			if (!l->d->n_vars)
				diag_help(l->diags, "give it a first value in vars: {%s: ...}",
					item->key);
		}
		if (!conf_read_value(item, add ? &list : &text, &texts, l->arena, l->diags))
			continue;
		values[n++] = (struct named_value){
			item->key, {texts.items, texts.n, item->kind == CONF_LIST}, item};
	}
	load_template(l, node, IN_VALUE, axis);
	*ret = values;
	*ret_n = n;
}

/* --- All kinds ------------------------------------------------------------------------------- */

static void check_picks(struct loader *l, const struct conf_node *node)
{
	if (l->d->source.git)
		return;
	conf_key_error(l->diags, node, "pick needs a git source");
	diag_help(l->diags, "write source: {git: ...}, or use the change as a patch");
}

/* They are joined by commas into one word. */
static void check_features(struct loader *l, const struct conf_texts *features)
{
	for (size_t i = 0; i < features->n; i++) {
		const char *text = features->items[i];

		if (*text && !text[strcspn(text, " ,\t\n")])
			continue;
		conf_error(l->diags, load_item(features->node, i), "'%s' is no feature", text);
		diag_help(l->diags, "write one name an element: [a, b]");
	}
}

void load_payload(struct loader *l, const struct conf_node *node, const struct raw_payload *raw,
	bool axis, struct payload *ret)
{
	*ret = (struct payload){
		.picks = raw->pick,
		.defines = raw->define,
		.build_env = raw->build_env,
		.env = raw->env,
		.features = raw->features,
		.rustflags = raw->rustflags,
		.args = raw->args,
		.node = node,
	};
	check_features(l, &raw->features);
	if (raw->pick.n)
		check_picks(l, conf_get(node, "pick"));
	if (raw->patch)
		load_patches(l, raw->patch, ret);
	if (raw->edit)
		load_edits(l, raw->edit, ret);
	if (raw->set)
		load_var_changes(l, raw->set, false, axis, &ret->sets, &ret->n_sets);
	if (raw->add)
		load_var_changes(l, raw->add, true, axis, &ret->adds, &ret->n_adds);
	if (raw->define.n)
		load_template(l, conf_get(node, "define"), IN_VALUE, axis);
	if (raw->build_env.n)
		load_template(l, conf_get(node, "build_env"), IN_BUILD, axis);
	if (raw->env.n)
		load_template(l, conf_get(node, "env"), IN_RUN, axis);
	if (raw->args)
		load_template(l, conf_get(node, "args"), IN_RUN, axis);
}

void load_payload_map(struct loader *l, const struct conf_node *node, struct payload *ret)
{
	struct only_kinds {
		struct raw_payload kinds;
	} raw = {0};
	static const struct conf_field fields[] = {
		PAYLOAD_FIELDS(struct only_kinds, kinds),
		{NULL},
	};

	*ret = (struct payload){.node = node};
	if (node->kind == CONF_NULL)
		return;
	conf_read(node, fields, &raw, l->arena, l->diags);
	load_payload(l, node, &raw.kinds, false, ret);
}

bool payload_is_empty(const struct payload *p)
{
	return !p->picks.n && !p->n_patches && !p->n_edits && !p->defines.n && !p->n_sets &&
	       !p->n_adds && !p->build_env.n && !p->features.n && !p->rustflags.n && !p->env.n &&
	       !p->args;
}

/* --- Joining `also` and a level -------------------------------------------------------------- */

static void *join(
	struct arena *arena, const void *a, size_t na, const void *b, size_t nb, size_t size)
{
	char *to = arena_array(arena, na + nb + 1, size);

	if (na)
		memcpy(to, a, na * size);
	if (nb)
		memcpy(to + na * size, b, nb * size);
	return to;
}

static struct conf_texts join_texts(
	struct arena *arena, const struct conf_texts *a, const struct conf_texts *b)
{
	return (struct conf_texts){
		.items = join(arena, a->items, a->n, b->items, b->n, sizeof(*a->items)),
		.n = a->n + b->n,
		.node = a->node ? a->node : b->node,
	};
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct conf_pairs join_pairs(
	struct loader *l, const struct conf_pairs *a, const struct conf_pairs *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < a->n; k++) {
			if (strcmp(a->items[k].key, b->items[i].key) ||
				same_text(a->items[k].value, b->items[i].value))
				continue;
			conf_error(l->diags, b->items[i].node,
				"'%s' has another value in `also`, which holds for every level",
				b->items[i].key);
		}
	}
	return (struct conf_pairs){
		.items = join(l->arena, a->items, a->n, b->items, b->n, sizeof(*a->items)),
		.n = a->n + b->n,
	};
}

void load_payload_join(
	struct loader *l, const struct payload *a, const struct payload *b, struct payload *ret)
{
	struct arena *arena = l->arena;
	size_t na = 0, nb = 0;

	while (a->args && a->args[na])
		na++;
	while (b->args && b->args[nb])
		nb++;
	for (size_t i = 0; i < b->n_sets; i++) {
		for (size_t k = 0; k < a->n_sets; k++) {
			if (!strcmp(a->sets[k].name, b->sets[i].name))
				conf_error(l->diags, b->sets[i].node,
					"'%s' is set in `also` too, which holds for every level",
					b->sets[i].name);
		}
	}
	*ret = (struct payload){
		.picks = join_texts(arena, &a->picks, &b->picks),
		.patches = join(arena, a->patches, a->n_patches, b->patches, b->n_patches,
			sizeof(*a->patches)),
		.n_patches = a->n_patches + b->n_patches,
		.edits = join(arena, a->edits, a->n_edits, b->edits, b->n_edits, sizeof(*a->edits)),
		.n_edits = a->n_edits + b->n_edits,
		.defines = join_pairs(l, &a->defines, &b->defines),
		.sets = join(arena, a->sets, a->n_sets, b->sets, b->n_sets, sizeof(*a->sets)),
		.n_sets = a->n_sets + b->n_sets,
		.adds = join(arena, a->adds, a->n_adds, b->adds, b->n_adds, sizeof(*a->adds)),
		.n_adds = a->n_adds + b->n_adds,
		.build_env = join_pairs(l, &a->build_env, &b->build_env),
		.features = join_texts(arena, &a->features, &b->features),
		.rustflags = join_texts(arena, &a->rustflags, &b->rustflags),
		.env = join_pairs(l, &a->env, &b->env),
		.args = na + nb ? join(arena, a->args, na, b->args, nb, sizeof(*a->args)) : NULL,
		.node = b->node,
	};
}
