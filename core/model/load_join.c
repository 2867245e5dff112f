/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `{defines}` and `{args}` inside a text are joined by blanks: values that the reader of the text
 * could not tell apart are refused (doc/descriptor.md). Looked for here, with the value's place,
 * and not only when the build or the run of a row fails.
 */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

#include "core/model/expand.h"

/* Where a list is joined: in builds, or in a workload that an option reaches. */
struct joints {
	const struct conf_node *build_defines;
	const struct conf_node **defines, **args; /* by workload */
};

struct name_search {
	const char *name;
	bool found;
};

static void match_name(void *ctx, const char *name, size_t len)
{
	struct name_search *search = ctx;

	search->found |= strlen(search->name) == len && !strncmp(search->name, name, len);
}

/* The first text below a node that has the placeholder between other characters. */
static const struct conf_node *find_joint(const struct conf_node *node, const char *name, bool argv)
{
	struct name_search search = {.name = name};
	const struct conf_node *item, *found = NULL;
	size_t len = strlen(name);
	char why[160];

	if (!node)
		return NULL;
	conf_foreach (item, node) {
		if (!found)
			found = find_joint(item, name, node->kind == CONF_LIST);
	}
	if (node->kind != CONF_SCALAR)
		return found;
	/* An element of its own becomes several elements. */
	if (argv && strlen(node->text) == len + 2 && !strncmp(node->text + 1, name, len))
		return NULL;
	(void)expand_scan(node->text, match_name, &search, why, sizeof(why));
	return search.found ? node : NULL;
}

static const struct conf_node *find_in(
	const struct conf_node *map, const char *const *fields, size_t n, const char *name)
{
	const struct conf_node *found = NULL;

	for (size_t i = 0; i < n && !found && map && map->kind == CONF_MAP; i++)
		found = find_joint(conf_get(map, fields[i]), name, false);
	return found;
}

/* Only what can be known: what placeholders stand for is looked at when they are expanded. */
static bool joinable(const char *text)
{
	while (*text) {
		size_t len = *text == '{' && text[1] != '{' ? strcspn(text, "}") : 0;

		if (len) {
			text += len + (text[len] == '}');
			continue;
		}
		if (*text != '=' && !expand_joinable(*text))
			return false;
		text++;
	}
	return true;
}

static void check_text(struct loader *l, const struct conf_node *value,
	const struct conf_node *joint, const char *name)
{
	char place[300];

	if (value->kind != CONF_SCALAR || joinable(value->text))
		return;
	place_format(joint->place, place, sizeof(place));
	conf_error(l->diags, value,
		"'%s' cannot be joined into the text at %s: its reader could not tell where it "
		"ends",
		value->text, place);
	diag_help(l->diags,
		"make '{%s}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%%-",
		name);
}

/* The values that one place gives: a map with kinds. */
static void check_kinds(struct loader *l, const struct conf_node *kinds,
	const struct conf_node *defines, const struct conf_node *args)
{
	const struct conf_node *values, *item;

	if (!kinds || kinds->kind != CONF_MAP)
		return;
	values = conf_get(kinds, "define");
	if (defines && values && values->kind == CONF_MAP) {
		conf_foreach (item, values)
			check_text(l, item, defines, "defines");
	}
	values = conf_get(kinds, "args");
	if (args && values && values->kind == CONF_LIST) {
		conf_foreach (item, values)
			check_text(l, item, args, "args");
	}
}

static void check_option(struct loader *l, const struct joints *joints, size_t option)
{
	const struct conf_node *node = l->d->options[option].node, *item;
	const struct conf_node *defines = joints->build_defines, *args = NULL;

	for (size_t w = 0; w < l->d->n_workloads; w++) {
		if (!l->d->workloads[w].reaches[option])
			continue;
		defines = defines ? defines : joints->defines[w];
		args = args ? args : joints->args[w];
	}
	check_kinds(l, node, defines, args);
	if (node->kind != CONF_MAP)
		return;
	check_kinds(l, conf_get(node, "without"), defines, args);
	check_kinds(l, conf_get(node, "also"), defines, args);
	if (conf_get(node, "levels")) {
		conf_foreach (item, conf_get(node, "levels"))
			check_kinds(l, item, defines, args);
	}
}

/* An axis reaches all workloads; each of its values stands for {value}. */
static void check_axis(struct loader *l, const struct joints *joints, const struct axis *axis)
{
	const struct conf_node *defines = joints->build_defines, *args = NULL, *item, *values;
	const struct conf_node *own;

	if (axis->node->kind != CONF_MAP)
		return;
	for (size_t w = 0; w < l->d->n_workloads; w++) {
		defines = defines ? defines : joints->defines[w];
		args = args ? args : joints->args[w];
	}
	check_kinds(l, axis->node, defines, args);
	values = conf_get(axis->node, "values");
	for (int i = 0; i < 2 && values && values->kind == CONF_LIST; i++) {
		own = conf_get(axis->node, i ? "args" : "define");
		if (!(i ? args : defines) || !own || !find_joint(own, "value", false))
			continue;
		conf_foreach (item, values)
			check_text(l, item, i ? args : defines, i ? "args" : "defines");
	}
}

void load_joins(struct loader *l)
{
	static const char *const of_build[] = {"steps", "env", "fetch"};
	static const char *const of_run[] = {"run", "env", "cwd", "stdin"};
	size_t n = l->d->n_workloads;
	struct joints joints = {
		.build_defines = find_in(
			conf_get(l->root, "build"), of_build, ARRAY_SIZE(of_build), "defines"),
		.defines = arena_array(l->arena, n, sizeof(*joints.defines)),
		.args = arena_array(l->arena, n, sizeof(*joints.args)),
	};

	for (size_t w = 0; w < n; w++) {
		const struct conf_node *node = l->d->workloads[w].node;

		joints.defines[w] = find_in(node, of_run, ARRAY_SIZE(of_run), "defines");
		joints.args[w] = find_in(node, of_run, ARRAY_SIZE(of_run), "args");
	}
	for (size_t i = 0; i < l->d->n_options; i++)
		check_option(l, &joints, i);
	for (size_t i = 0; i < l->d->matrix.n_dims; i++) {
		for (size_t k = 0; k < l->d->matrix.dim_sizes[i]; k++)
			check_axis(l, &joints, &l->d->axes[l->d->matrix.dims[i][k]]);
	}
}
