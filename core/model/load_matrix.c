/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections axes and matrix, and the names that predicates may use. */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

#include "core/model/matrix.h"
#include "core/model/setexpr.h"

/* --- axes ------------------------------------------------------------------------------------ */

struct raw_axis {
	struct conf_item item;
	const struct conf_node *values;
	struct raw_payload kinds;
};

static void load_values(struct loader *l, const struct conf_node *node, struct axis *axis)
{
	static const struct conf_field list = FIELD("values", CT_TEXTS, 0);
	struct conf_texts texts = {0};

	if (!node)
		return;
	if (node->kind == CONF_SCALAR && strstr(node->text, "..")) {
		conf_error(l->diags, node,
			"ranges come with a later version of assay and are refused until then");
		diag_help(l->diags, "list the values: [\"1\", \"2\", \"4\"]");
		return;
	}
	conf_read_value(node, &list, &texts, l->arena, l->diags);
	if (node->kind == CONF_LIST && !node->n)
		conf_error(l->diags, node, "the axis has no value");
	for (size_t i = 0; i < texts.n; i++) {
		if (!*texts.items[i])
			conf_error(l->diags, load_item(node, i), "an empty value");
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(texts.items[i], texts.items[k]))
				conf_error(l->diags, load_item(node, i), "'%s' is there twice",
					texts.items[i]);
		}
	}
	axis->values = (const char *const *)texts.items;
	axis->n_values = texts.n;
}

void load_axes(struct loader *l, const struct conf_node *node)
{
#define A(member) offsetof(struct raw_axis, member)
#define LATER(name) FIELD(name, CT_NODE, 0, .flags = CONF_LATER, .later = instead)
	static const char instead[] = "an axis takes args, env, define and set; use an option";
	static const struct conf_field fields[] = {
		FIELD("values", CT_NODE, A(values), .flags = CONF_REQUIRED),
		FIELD("args", CT_ARGV, A(kinds.args)),
		FIELD("env", CT_PAIRS, A(kinds.env), .flags = CONF_NULL_OK),
		FIELD("define", CT_PAIRS, A(kinds.define)),
		FIELD("set", CT_NODE, A(kinds.set)),
		LATER("pick"),
		LATER("patch"),
		LATER("edit"),
		LATER("add"),
		LATER("build_env"),
		LATER("features"),
		LATER("rustflags"),
		LATER("ref"),
		FIELD("baseline", CT_NODE, 0, .flags = CONF_LATER),
		{NULL},
	};
#undef LATER
#undef A
	static const struct conf_field map =
		FIELD("axes", CT_MAP_OF, 0, .sub = fields, .item_size = sizeof(struct raw_axis));
	struct conf_array array = {0};
	const struct raw_axis *raw;
	struct axis *axes;

	if (!node)
		return;
	conf_read_value(node, &map, &array, l->arena, l->diags);
	raw = array.items;
	axes = arena_array(l->arena, array.n, sizeof(*axes));
	for (size_t i = 0; i < array.n; i++) {
		const struct conf_node *at = raw[i].item.node;

		load_name(l, at, "an axis");
		axes[i].name = raw[i].item.name;
		axes[i].node = at;
		load_values(l, raw[i].values, &axes[i]);
		if (at->kind != CONF_MAP)
			continue;
		load_payload(l, at, &raw[i].kinds, true, &axes[i].payload);
		if (payload_is_empty(&axes[i].payload) && at->n <= 1) {
			conf_key_error(l->diags, at, "the axis changes nothing");
			diag_help(l->diags, "give it args, env, define or set with {value} inside");
		}
	}
	l->d->axes = axes;
	l->d->n_axes = array.n;
}

/* --- matrix.axes ----------------------------------------------------------------------------- */

struct dims {
	const int **items;
	size_t *sizes;
	size_t n;
	bool *used; /* per axis */
};

static int axis_index(struct loader *l, const struct conf_node *node, bool *used)
{
	const char **names = arena_array(l->arena, l->d->n_axes + 1, sizeof(*names));
	int at = descriptor_axis(l->d, node->text);

	for (size_t i = 0; i < l->d->n_axes; i++)
		names[i] = l->d->axes[i].name;
	if (at < 0) {
		load_unknown(l, node, "axis", node->text, names, l->d->n_axes);
	} else if (used[at]) {
		conf_error(l->diags, node, "axis '%s' is crossed already", node->text);
		at = -1;
	} else {
		used[at] = true;
	}
	return at;
}

static void add_zip(struct loader *l, const struct conf_node *node, struct dims *dims)
{
	static const struct conf_field zip = FIELD("zip", CT_TEXTS, 0, .flags = CONF_REQUIRED);
	struct conf_texts names = {0};
	const struct conf_field fields[] = {zip, {NULL}};
	int *axes;
	size_t n = 0;

	if (!conf_read(node, fields, &names, l->arena, l->diags))
		return;
	axes = arena_array(l->arena, names.n + 1, sizeof(*axes));
	for (size_t i = 0; i < names.n; i++) {
		int at = axis_index(l, load_item(names.node, i), dims->used);

		if (at >= 0)
			axes[n++] = at;
	}
	if (names.n < 2)
		conf_error(l->diags, names.node, "zip needs two axes or more");
	for (size_t i = 1; i < n; i++) {
		if (l->d->axes[axes[i]].n_values == l->d->axes[axes[0]].n_values)
			continue;
		conf_error(l->diags, names.node,
			"zipped axes must be equally long: '%s' has %zu, '%s' %zu values",
			l->d->axes[axes[0]].name, l->d->axes[axes[0]].n_values,
			l->d->axes[axes[i]].name, l->d->axes[axes[i]].n_values);
		n = 1;
	}
	if (n) {
		dims->items[dims->n] = axes;
		dims->sizes[dims->n++] = n;
	}
}

static void load_dims(struct loader *l, const struct conf_node *node, struct matrix *matrix)
{
	const struct conf_node *item;
	struct dims dims = {0};

	if (node->kind != CONF_LIST) {
		conf_error(l->diags, node, "expected a list of axes");
		return;
	}
	dims.items = arena_array(l->arena, node->n, sizeof(*dims.items));
	dims.sizes = arena_array(l->arena, node->n, sizeof(*dims.sizes));
	dims.used = arena_array(l->arena, l->d->n_axes + 1, sizeof(*dims.used));
	conf_foreach (item, node) {
		int at, *one;

		if (item->kind != CONF_SCALAR) {
			add_zip(l, item, &dims);
			continue;
		}
		at = axis_index(l, item, dims.used);
		if (at < 0 || !l->d->axes[at].n_values)
			continue;
		one = arena_alloc(l->arena, sizeof(*one));
		*one = at;
		dims.items[dims.n] = one;
		dims.sizes[dims.n++] = 1;
	}
	matrix->dims = (const int *const *)dims.items;
	matrix->dim_sizes = dims.sizes;
	matrix->n_dims = dims.n;
}

/* --- matrix ---------------------------------------------------------------------------------- */

struct raw_matrix {
	struct conf_texts sets, exclude;
	const struct conf_node *axes;
	const char *baseline;
};

static void report(struct loader *l, const struct conf_node *node, const struct err *err)
{
	conf_error(l->diags, node, "%s", err->text);
	if (err->help[0])
		diag_help(l->diags, "%s", err->help);
}

static void check_sets(struct loader *l, const struct matrix *matrix)
{
	AUTOFREE uint8_t *levels = xcalloc(l->d->n_options + 1, 1);
	const struct conf_node *baseline = matrix->node ? conf_get(matrix->node, "baseline") : NULL;

	for (size_t i = 0; matrix->sets.node && i < matrix->sets.n; i++) {
		struct err err = {0};

		if (setexpr_check(l->d->options, l->d->n_options, matrix->sets.items[i], &err))
			report(l, load_item(matrix->sets.node, i), &err);
	}
	if (baseline) {
		struct err err = {0};

		if (setexpr_row(l->d->options, l->d->n_options, matrix->baseline, levels, &err))
			report(l, baseline, &err);
	}
}

static void check_excludes(struct loader *l, const struct conf_texts *exclude)
{
	struct arena arena = ARENA_INIT;
	struct predicate_names names;
	struct predicate *unused;

	descriptor_names(l->d, &arena, &names);
	for (size_t i = 0; i < exclude->n; i++) {
		struct err err = {0};

		if (predicate_parse(exclude->items[i], &names, &arena, &unused, &err))
			report(l, load_item(exclude->node, i), &err);
	}
	arena_release(&arena);
}

void load_matrix(struct loader *l, const struct conf_node *node)
{
#define R(member) offsetof(struct raw_matrix, member)
	static const struct conf_field fields[] = {
		FIELD("sets", CT_TEXTS, R(sets)),
		FIELD("axes", CT_NODE, R(axes)),
		FIELD("exclude", CT_TEXTS, R(exclude)),
		FIELD("baseline", CT_TEXT, R(baseline)),
		FIELD("rows", CT_NODE, 0, .flags = CONF_LATER,
			.later = "name the rows by set expressions in sets"),
		FIELD("compare", CT_NODE, 0, .flags = CONF_LATER),
		{NULL},
	};
#undef R
	static const char *default_sets[] = {"none", "each", NULL};
	struct matrix *matrix = &l->d->matrix;
	struct raw_matrix raw = {.baseline = "none"};

	if (node)
		conf_read(node, fields, &raw, l->arena, l->diags);
	*matrix = (struct matrix){
		.sets = raw.sets, .exclude = raw.exclude, .baseline = raw.baseline, .node = node};
	if (!matrix->sets.node)
		matrix->sets = (struct conf_texts){.items = default_sets, .n = 2};
	if (raw.axes)
		load_dims(l, raw.axes, matrix);
	check_sets(l, matrix);
	check_excludes(l, &matrix->exclude);
}

/* --- Names of predicates --------------------------------------------------------------------- */

const char *set_text(const char *text, struct arena *arena)
{
	char *to = arena_strdup(arena, text), *out = to;

	for (const char *s = text; *s; s++) {
		if (*s != ' ' && *s != '\t')
			*out++ = *s;
	}
	*out = '\0';
	return to;
}

struct key_values {
	const char **keys;
	const char *const **values;
	size_t n;
};

static const char *const *values_of(void *ctx, const char *key)
{
	const struct key_values *all = ctx;

	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->keys[i], key))
			return all->values[i];
	}
	return NULL;
}

static const char *const *option_values(const struct option *option, struct arena *arena)
{
	const char **names = arena_array(arena, (size_t)option->n_levels + 1, sizeof(*names));

	for (int i = 0; i < option->n_levels; i++)
		names[i] = option->levels[i].name;
	return names;
}

void descriptor_names(const struct descriptor *d, struct arena *arena, struct predicate_names *ret)
{
	size_t room = d->n_options + d->n_axes + 3;
	struct key_values *all = arena_alloc(arena, sizeof(*all));
	const char **workloads = arena_array(arena, d->n_workloads + 1, sizeof(*workloads));
	const char **sets = arena_array(arena, d->matrix.sets.n + 2, sizeof(*sets));

	all->keys = arena_array(arena, room, sizeof(*all->keys));
	all->values = arena_array(arena, room, sizeof(*all->values));
	for (size_t i = 0; i < d->n_options; i++) {
		all->keys[all->n] = d->options[i].name;
		all->values[all->n++] = option_values(&d->options[i], arena);
	}
	for (size_t i = 0; i < d->n_axes; i++) {
		const char **values = arena_array(arena, d->axes[i].n_values + 1, sizeof(*values));

		for (size_t k = 0; k < d->axes[i].n_values; k++)
			values[k] = d->axes[i].values[k];
		all->keys[all->n] = d->axes[i].name;
		all->values[all->n++] = values;
	}
	for (size_t i = 0; i < d->n_workloads; i++)
		workloads[i] = d->workloads[i].name;
	for (size_t i = 0; i < d->matrix.sets.n; i++)
		sets[i] = set_text(d->matrix.sets.items[i], arena);
	sets[d->matrix.sets.n] = set_text(d->matrix.baseline, arena);
	all->keys[all->n] = "workload";
	all->values[all->n++] = workloads;
	all->keys[all->n] = "set";
	all->values[all->n++] = sets;
	all->keys[all->n++] = "variant";
	*ret = (struct predicate_names){
		.keys = all->keys,
		.n_keys = all->n,
		.options = all->keys,
		.n_options = d->n_options,
		.values = values_of,
		.ctx = all,
	};
}
