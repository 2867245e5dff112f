/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/effective.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

/* A pair and who gave it; -1 = the workload or the build itself. */
struct owned_pair {
	struct conf_pair pair;
	int owner;
};
struct pair_list { /* a VEC with a name */
	struct owned_pair *items;
	size_t n, cap;
};
struct owned_value {
	struct named_value value;
	int owner;
};

struct maker {
	const struct descriptor *d;
	struct arena *arena;
	void (*on_clash)(void *ctx, const struct clash *clash);
	void *ctx;
	int owner;
	const char *axis_value; /* what {value} stands for; NULL outside axes */
	VEC(const char *) picks;
	VEC(const struct patch *) patches;
	VEC(int) patch_options;
	VEC(const struct edit *) edits;
	VEC(int) edit_options;
	struct pair_list defines, build_env, env;
	VEC(struct owned_value) vars;
	VEC(const char *) features;
	VEC(const char *) rustflags;
	VEC(const char *) args;
};

/* Puts the axis value in place of {value}; everything else stays a template, so braces inside the
 * value are doubled. */
static const char *with_value(struct maker *m, const char *text)
{
	CLEANUP(buf_release) struct buf to = BUF_INIT;
	const char *value = m->axis_value;

	if (!value || !text || !strstr(text, "{value}"))
		return text;
	while (*text) {
		if ((text[0] == '{' && text[1] == '{') || (text[0] == '}' && text[1] == '}')) {
			buf_add(&to, text, 2);
			text += 2;
		} else if (!strncmp(text, "{value}", 7)) {
			for (const char *c = value; *c; c++) {
				buf_addc(&to, *c);
				if (*c == '{' || *c == '}')
					buf_addc(&to, *c);
			}
			text += 7;
		} else {
			buf_addc(&to, *text++);
		}
	}
	return arena_strndup(m->arena, to.data, to.len);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void clash(
	struct maker *m, const char *what, const char *key, int first, const struct conf_node *node)
{
	struct clash found = {what, key, first, m->owner, node};

	if (m->on_clash && first >= 0 && first != m->owner)
		m->on_clash(m->ctx, &found);
}

/* Options against options, and axes against axes; over: an axis may go over an option. */
static bool may_override(const struct maker *m, int first, bool over)
{
	int n = (int)m->d->n_options;

	return first < 0 || (over && first < n && m->owner >= n);
}

static void add_pairs(struct maker *m, struct pair_list *list, const struct conf_pairs *pairs,
	const char *what, bool over)
{
	for (size_t i = 0; i < pairs->n; i++) {
		struct conf_pair pair = pairs->items[i];
		size_t at = 0;

		pair.value = with_value(m, pair.value);
		while (at < list->n && strcmp(list->items[at].pair.key, pair.key))
			at++;
		if (at == list->n)
			vec_push(list);
		else if (!same(list->items[at].pair.value, pair.value) &&
			 !may_override(m, list->items[at].owner, over))
			clash(m, what, pair.key, list->items[at].owner, pair.node);
		list->items[at] = (struct owned_pair){pair, m->owner};
	}
}

static struct value value_with(struct maker *m, const struct value *value)
{
	struct value to = *value;

	if (!m->axis_value)
		return to;
	to.items = arena_array(m->arena, value->n + 1, sizeof(*to.items));
	for (size_t i = 0; i < value->n; i++)
		to.items[i] = with_value(m, value->items[i]);
	return to;
}

static bool same_value(const struct value *a, const struct value *b)
{
	if (a->n != b->n || a->is_list != b->is_list)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->items[i], b->items[i]))
			return false;
	}
	return true;
}

static struct owned_value *find_var(struct maker *m, const char *name)
{
	for (size_t i = 0; i < m->vars.n; i++) {
		if (!strcmp(m->vars.items[i].value.name, name))
			return &m->vars.items[i];
	}
	return NULL;
}

static void add_sets(struct maker *m, const struct payload *payload)
{
	for (size_t i = 0; i < payload->n_sets; i++) {
		const struct named_value *set = &payload->sets[i];
		struct owned_value *var = find_var(m, set->name);
		struct value value = value_with(m, &set->value);

		if (!var)
			continue;
		if (var->owner >= 0 && !same_value(&var->value.value, &value))
			clash(m, "set", set->name, var->owner, set->node);
		var->value.value = value;
		var->owner = m->owner;
	}
}

static void add_adds(struct maker *m, const struct payload *payload)
{
	for (size_t i = 0; i < payload->n_adds; i++) {
		const struct named_value *add = &payload->adds[i];
		struct owned_value *var = find_var(m, add->name);
		struct value to = {.is_list = true};

		if (!var)
			continue;
		to.items = arena_array(
			m->arena, var->value.value.n + add->value.n + 1, sizeof(*to.items));
		for (size_t k = 0; k < var->value.value.n; k++)
			to.items[to.n++] = var->value.value.items[k];
		for (size_t k = 0; k < add->value.n; k++)
			to.items[to.n++] = add->value.items[k];
		var->value.value = to;
	}
}

static void add_payload(struct maker *m, const struct payload *payload)
{
	for (size_t i = 0; i < payload->picks.n; i++)
		*vec_push(&m->picks) = payload->picks.items[i];
	for (size_t i = 0; i < payload->n_patches; i++) {
		*vec_push(&m->patches) = &payload->patches[i];
		*vec_push(&m->patch_options) = m->owner;
	}
	for (size_t i = 0; i < payload->n_edits; i++) {
		*vec_push(&m->edits) = &payload->edits[i];
		*vec_push(&m->edit_options) = m->owner;
	}
	add_pairs(m, &m->defines, &payload->defines, "define", false);
	add_pairs(m, &m->build_env, &payload->build_env, "build_env", false);
	add_pairs(m, &m->env, &payload->env, "env", true);
	add_sets(m, payload);
	for (size_t i = 0; i < payload->features.n; i++) {
		bool known = false;

		for (size_t k = 0; k < m->features.n && !known; k++)
			known = !strcmp(m->features.items[k], payload->features.items[i]);
		if (!known)
			*vec_push(&m->features) = payload->features.items[i];
	}
	for (size_t i = 0; i < payload->rustflags.n; i++)
		*vec_push(&m->rustflags) = payload->rustflags.items[i];
	for (size_t i = 0; payload->args && payload->args[i]; i++)
		*vec_push(&m->args) = with_value(m, payload->args[i]);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(
		((const struct owned_pair *)a)->pair.key, ((const struct owned_pair *)b)->pair.key);
}

static struct conf_pairs take_pairs(struct arena *arena, const struct owned_pair *items, size_t n)
{
	struct conf_pairs pairs = {arena_array(arena, n + 1, sizeof(*pairs.items)), n};

	for (size_t i = 0; i < n; i++)
		pairs.items[i] = items[i].pair;
	return pairs;
}

#define take(m, list) arena_memdup((m)->arena, (list)->items, (list)->n * sizeof(*(list)->items))

static void finish(struct maker *m, struct effective *ret)
{
	if (m->defines.n)
		qsort(m->defines.items, m->defines.n, sizeof(*m->defines.items), by_key);
	*ret = (struct effective){
		.picks = take(m, &m->picks),
		.n_picks = m->picks.n,
		.patches = take(m, &m->patches),
		.patch_options = take(m, &m->patch_options),
		.n_patches = m->patches.n,
		.edits = take(m, &m->edits),
		.edit_options = take(m, &m->edit_options),
		.n_edits = m->edits.n,
		.defines = take_pairs(m->arena, m->defines.items, m->defines.n),
		.vars = arena_array(m->arena, m->vars.n + 1, sizeof(*ret->vars)),
		.n_vars = m->vars.n,
		.build_env = take_pairs(m->arena, m->build_env.items, m->build_env.n),
		.features = take(m, &m->features),
		.n_features = m->features.n,
		.rustflags = take(m, &m->rustflags),
		.n_rustflags = m->rustflags.n,
		.env = take_pairs(m->arena, m->env.items, m->env.n),
		.args = take(m, &m->args),
		.n_args = m->args.n,
	};
	for (size_t i = 0; i < m->vars.n; i++)
		ret->vars[i] = m->vars.items[i].value;
	vec_release(&m->picks);
	vec_release(&m->patches);
	vec_release(&m->patch_options);
	vec_release(&m->edits);
	vec_release(&m->edit_options);
	vec_release(&m->defines);
	vec_release(&m->build_env);
	vec_release(&m->env);
	vec_release(&m->vars);
	vec_release(&m->features);
	vec_release(&m->rustflags);
	vec_release(&m->args);
}

void effective_make(const struct descriptor *d, const struct workload *workload,
	const uint8_t *levels, const char *const *axis_values, struct arena *arena,
	void (*on_clash)(void *ctx, const struct clash *clash), void *ctx, struct effective *ret)
{
	struct maker m = {.d = d, .arena = arena, .on_clash = on_clash, .ctx = ctx, .owner = -1};

	add_pairs(&m, &m.build_env, &d->build.env, "build_env", false);
	add_pairs(&m, &m.env, &workload->env, "env", false);
	for (size_t i = 0; i < d->n_vars; i++)
		*vec_push(&m.vars) = (struct owned_value){d->vars[i], -1};
	for (size_t i = 0; i < d->n_options; i++) {
		m.owner = (int)i;
		add_payload(&m, &d->options[i].levels[levels[i]].payload);
	}
	for (size_t i = 0; i < d->n_axes; i++) {
		m.owner = (int)(d->n_options + i);
		m.axis_value = axis_values[i];
		if (axis_values[i])
			add_payload(&m, &d->axes[i].payload);
	}
	m.axis_value = NULL;
	/* All replacements first, then all additions, so that the order of options does not decide
	 * whether an addition survives. */
	for (size_t i = 0; i < d->n_options; i++)
		add_adds(&m, &d->options[i].levels[levels[i]].payload);
	finish(&m, ret);
}
