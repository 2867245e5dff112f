/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections source, inputs, vars, needs and build. */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"

/* --- source ---------------------------------------------------------------------------------- */

struct raw_source {
	const char *path, *git, *ref;
	const struct conf_node *submodules;
	struct conf_texts exclude;
};

/* "ssh://host/x" and "host:x" stay as they are; the rest are paths. */
static bool is_url(const char *git)
{
	size_t head = strcspn(git, ":/");

	return strstr(git, "://") || git[head] == ':';
}

static void load_submodules(struct loader *l, const struct conf_node *node)
{
	static const struct conf_field as_bool = FIELD("submodules", CT_BOOL, 0);
	static const struct conf_field as_list = FIELD("submodules", CT_TEXTS, 0);
	struct source *source = &l->d->source;

	if (node->kind == CONF_LIST)
		conf_read_value(node, &as_list, &source->submodules, l->arena, l->diags);
	else
		conf_read_value(node, &as_bool, &source->submodules_all, l->arena, l->diags);
	for (size_t i = 0; i < source->submodules.n; i++)
		load_inside(l, load_item(node, i), source->submodules.items[i]);
}

void load_source(struct loader *l, const struct conf_node *node)
{
	static const struct conf_field fields[] = {
		FIELD("path", CT_TEXT, offsetof(struct raw_source, path)),
		FIELD("git", CT_TEXT, offsetof(struct raw_source, git)),
		FIELD("ref", CT_TEXT, offsetof(struct raw_source, ref)),
		FIELD("submodules", CT_NODE, offsetof(struct raw_source, submodules)),
		FIELD("exclude", CT_TEXTS, offsetof(struct raw_source, exclude)),
		{NULL},
	};
	struct source *source = &l->d->source;
	struct raw_source raw = {0};

	source->path = l->d->dir;
	if (!node)
		return;
	conf_read(node, fields, &raw, l->arena, l->diags);
	source->exclude = raw.exclude;
	source->ref = raw.ref;
	if (raw.submodules)
		load_submodules(l, raw.submodules);
	if (raw.path && raw.git) {
		conf_key_error(l->diags, conf_get(node, "git"), "path and git exclude each other");
		diag_help(
			l->diags, "path: files as they are now; git: a repository, maybe with ref");
	}
	if (raw.git) {
		source->git =
			is_url(raw.git) ? raw.git : load_path(l, conf_get(node, "git"), raw.git);
		source->path = NULL;
	} else if (raw.path) {
		source->path = load_path(l, conf_get(node, "path"), raw.path);
	}
	if (raw.ref && !raw.git) {
		conf_key_error(l->diags, conf_get(node, "ref"), "ref needs git");
		diag_help(l->diags, "write git: instead of path:");
	}
	if (raw.submodules && !raw.git) {
		conf_key_error(l->diags, conf_get(node, "submodules"), "submodules needs git");
		diag_help(l->diags, "with path, submodules are copied as they lie there");
	}
	if (raw.ref && text_starts(raw.ref, "merge-base:")) {
		conf_error(l->diags, conf_get(node, "ref"),
			"merge-base comes with a later version of assay and is refused until then");
		diag_help(l->diags, "write the commit that `git merge-base` prints");
	}
}

/* --- inputs ---------------------------------------------------------------------------------- */

struct raw_input {
	struct conf_item item;
	const char *path, *identity;
};

static const char *input_path(struct loader *l, const struct raw_input *raw)
{
	return raw->path ? load_path(l, conf_get(raw->item.node, "path"), raw->path) : "";
}

void load_inputs(struct loader *l, const struct conf_node *node)
{
	static const char *const identities[] = {"digest", "stat", NULL};
	static const struct conf_field input[] = {
		FIELD("path", CT_TEXT, offsetof(struct raw_input, path), .flags = CONF_REQUIRED),
		FIELD("identity", CT_CHOICE, offsetof(struct raw_input, identity),
			.choices = identities),
		{NULL},
	};
	static const struct conf_field map =
		FIELD("inputs", CT_MAP_OF, 0, .sub = input, .item_size = sizeof(struct raw_input));
	struct conf_array array = {0};
	const struct raw_input *raw;
	struct input *inputs;

	if (!node)
		return;
	conf_read_value(node, &map, &array, l->arena, l->diags);
	raw = array.items;
	inputs = arena_array(l->arena, array.n, sizeof(*inputs));
	for (size_t i = 0; i < array.n; i++)
		inputs[i] = (struct input){
			.name = raw[i].item.name,
			.path = input_path(l, &raw[i]),
			.stat_only = raw[i].identity && !strcmp(raw[i].identity, "stat"),
			.node = raw[i].item.node,
		};
	l->d->inputs = inputs;
	l->d->n_inputs = array.n;
}

/* --- vars ------------------------------------------------------------------------------------ */

void load_vars(struct loader *l, const struct conf_node *node)
{
	static const char *const taken[] = {"here", "jobs", "tree", "out", "defines", "features",
		"scratch", "cpus", "seed", "args", "value", "iterations"};
	static const struct conf_field text = FIELD("value", CT_TEXT_OR_TEXTS, 0);
	const struct conf_node *item;
	struct named_value *vars;
	size_t n = 0;

	if (!node)
		return;
	if (node->kind != CONF_MAP) {
		conf_error(l->diags, node, "expected a map of names to texts");
		return;
	}
	vars = arena_array(l->arena, node->n, sizeof(*vars));
	conf_foreach (item, node) {
		struct conf_texts texts = {0};

		if (!conf_is_name(item->key) || conf_is_reserved(item->key))
			conf_key_error(l->diags, item, "\"%s\" is %s", item->key,
				conf_is_name(item->key) ? "a reserved word" : "not a name");
		for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
			if (!strcmp(taken[i], item->key) && !conf_is_reserved(item->key))
				conf_key_error(l->diags, item,
					"'{%s}' is a placeholder of assay's own: choose another "
					"name",
					item->key);
		}
		conf_read_value(item, &text, &texts, l->arena, l->diags);
		load_template(l, item, IN_VALUE, false);
		vars[n++] = (struct named_value){
			item->key, {texts.items, texts.n, item->kind == CONF_LIST}, item};
	}
	l->d->vars = vars;
	l->d->n_vars = n;
}

/* --- needs ----------------------------------------------------------------------------------- */

void load_needs(struct loader *l, const struct conf_node *node)
{
	static const struct conf_field fields[] = {
		FIELD("memory", CT_SIZE, offsetof(struct descriptor, need_memory)),
		FIELD("disk", CT_SIZE, offsetof(struct descriptor, need_disk)),
		FIELD("gpus", CT_NODE, 0, .flags = CONF_LATER),
		FIELD("gpu_memory", CT_NODE, 0, .flags = CONF_LATER),
		{NULL},
	};

	if (node)
		conf_read(node, fields, l->d, l->arena, l->diags);
}

/* --- build ----------------------------------------------------------------------------------- */

struct raw_build {
	struct build build; /* read in place */
	const struct conf_node *steps;
	const char *path, *keep;
};

static void load_steps(struct loader *l, const struct conf_node *node, struct argv_list *ret)
{
	static const struct conf_field argv = FIELD("step", CT_ARGV, 0);
	const struct conf_node *item;
	const char *const **items;
	size_t n = 0;

	if (node->kind != CONF_LIST) {
		conf_error(l->diags, node, "expected a list of commands");
		diag_help(l->diags, "write [[make], [make, install]]");
		return;
	}
	/* [make, -j] instead of [[make, -j]] */
	if (node->n && node->items[0]->kind == CONF_SCALAR && !strchr(node->items[0]->text, ' ')) {
		conf_error(l->diags, node, "expected a list of commands, each a list of words");
		diag_help(l->diags, "put the command into brackets of its own: [[%s, ...]]",
			node->items[0]->text);
		return;
	}
	items = arena_array(l->arena, node->n, sizeof(*items));
	conf_foreach (item, node) {
		if (conf_read_value(item, &argv, &items[n], l->arena, l->diags))
			n++;
	}
	load_template(l, node, IN_BUILD, false);
	*ret = (struct argv_list){items, n};
}

/* What begins with a placeholder is known when it is expanded. */
static void check_outputs(struct loader *l, const struct conf_node *outputs)
{
	const struct conf_node *item;

	if (!outputs || outputs->kind != CONF_MAP)
		return;
	conf_foreach (item, outputs) {
		if (item->kind != CONF_SCALAR || item->text[0] == '{' ||
			(item->text[0] && path_inside(item->text)))
			continue;
		conf_error(l->diags, item, "'%s' is outside of the build", item->text);
		diag_help(l->diags, "outputs are paths below {out} or {tree}");
	}
}

void load_build(struct loader *l, const struct conf_node *node)
{
	static const char *const paths[] = {"same", "own", NULL};
	static const char *const keeps[] = {"tree", "outputs", NULL};
#define B(member) offsetof(struct raw_build, build.member)
	static const struct conf_field fields[] = {
		FIELD("steps", CT_NODE, offsetof(struct raw_build, steps)),
		FIELD("outputs", CT_PAIRS, B(outputs)),
		FIELD("path", CT_CHOICE, offsetof(struct raw_build, path), .choices = paths),
		FIELD("dir", CT_TEXT, B(dir)),
		FIELD("timeout", CT_DURATION, B(timeout_ns)),
		FIELD("jobs", CT_INT, B(jobs), .min = 1, .max = 4096),
		FIELD("env", CT_PAIRS, B(env)),
		FIELD("fetch", CT_ARGV, B(fetch)),
		FIELD("tools", CT_TEXTS, B(tools)),
		FIELD("keep", CT_CHOICE, offsetof(struct raw_build, keep), .choices = keeps),
		FIELD("overlap", CT_BOOL, B(overlap)),
		{NULL},
	};
#undef B
	struct raw_build raw = {.build = {.dir = ".", .timeout_ns = 3600 * NS_PER_S}};

	if (node) {
		conf_read(node, fields, &raw, l->arena, l->diags);
		if (raw.steps)
			load_steps(l, raw.steps, &raw.build.steps);
		load_template(l, conf_get(node, "outputs"), IN_BUILD, false);
		check_outputs(l, conf_get(node, "outputs"));
		load_template(l, conf_get(node, "env"), IN_BUILD, false);
		load_template(l, conf_get(node, "fetch"), IN_BUILD, false);
		if (conf_get(node, "dir"))
			load_inside(l, conf_get(node, "dir"), raw.build.dir);
	}
	raw.build.own_path = raw.path && !strcmp(raw.path, "own");
	raw.build.keep_tree = raw.keep && !strcmp(raw.keep, "tree");
	l->d->build = raw.build;
}
