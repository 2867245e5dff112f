/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section options: levels, atoms, constraints (doc/descriptor.md). */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

/* A row keeps one byte per option. */
#define LEVELS_MAX 255

struct raw_option {
	struct conf_item item;
	const char *title, *why;
	struct conf_texts requires, conflicts;
	const struct conf_node *without, *levels, *also, *seen;
	const char *base, *default_level;
	struct raw_payload kinds;
};

/* --- Levels ---------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"pick", "patch", "edit", "define", "set", "add",
	"build_env", "features", "rustflags", "env", "args", "ref", "steps"};

static bool names_a_kind(const struct conf_node *node)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (conf_get(node, kind_names[i]))
			return true;
	}
	return false;
}

static void kinds_beside(struct loader *l, const struct raw_option *raw, const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++) {
		const struct conf_node *node = conf_get(raw->item.node, kind_names[i]);

		if (!node)
			continue;
		conf_key_error(l->diags, node, "stands beside %s", what);
		if (raw->levels)
			diag_help(l->diags,
				"put it into one of the levels, or into also: {...} for "
				"all of them");
		else
			diag_help(l->diags, "with without: {...}, on is the tree as it is");
	}
}

static void only_with_levels(struct loader *l, const struct raw_option *raw)
{
	static const char *const keys[] = {"also", "base", "default"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct conf_node *node = conf_get(raw->item.node, keys[i]);

		if (node)
			conf_key_error(l->diags, node, "needs levels: {...}");
	}
}

static void two_levels(struct loader *l, const struct raw_option *raw, struct option *option)
{
	struct level *levels = arena_array(l->arena, 2, sizeof(*levels));

	levels[0].name = "off";
	levels[1].name = "on";
	only_with_levels(l, raw);
	if (raw->without) {
		kinds_beside(l, raw, "without");
		load_payload_map(l, raw->without, &levels[0].payload);
		option->tree_level = 1;
	} else if (raw->item.node->kind == CONF_MAP) {
		load_payload(l, raw->item.node, &raw->kinds, false, &levels[1].payload);
	}
	/* A kind that could not be read is a mistake reported already. */
	if (payload_is_empty(&levels[0].payload) && payload_is_empty(&levels[1].payload) &&
		raw->item.node->kind == CONF_MAP && !names_a_kind(raw->item.node)) {
		conf_key_error(l->diags, raw->item.node, "the option changes nothing");
		diag_help(l->diags, "give it a patch, edit, define, set, add, env, args, ... or "
				    "levels");
	}
	option->levels = levels;
	option->n_levels = 2;
	option->default_level = 1;
}

static const char *const *level_names(struct loader *l, const struct conf_node *map)
{
	const char **names = arena_array(l->arena, map->n + 1, sizeof(*names));

	for (size_t i = 0; i < map->n; i++)
		names[i] = map->items[i]->key;
	return names;
}

/* Index of the level that a text names, in the order of the file, or -1 with a message. */
static int named_level(struct loader *l, const struct conf_node *node, const struct conf_node *map)
{
	for (size_t i = 0; i < map->n; i++) {
		if (!strcmp(map->items[i]->key, node->text))
			return (int)i;
	}
	load_unknown(l, node, "level", node->text, level_names(l, map), map->n);
	return -1;
}

static void fill_level(struct loader *l, const struct conf_node *node, const struct payload *also,
	struct level *ret)
{
	struct payload own;

	ret->name = node->key;
	if (!conf_is_level(node->key)) {
		conf_key_error(l->diags, node, "\"%s\" is not a level", node->key);
		diag_help(l->diags, "a level has letters, digits, \"_\" and \".\", at most 32");
	} else if (!strcmp(node->key, "off") || !strcmp(node->key, "on")) {
		conf_key_error(l->diags, node, "\"%s\" is a reserved word", node->key);
		diag_help(l->diags, "off is there by itself, or name another level by base:");
	}
	load_payload_map(l, node, &own);
	load_payload_join(l, also, &own, &ret->payload);
}

static void named_levels(struct loader *l, const struct raw_option *raw, struct option *option)
{
	const struct conf_node *map = raw->levels, *base = conf_get(raw->item.node, "base");
	const struct conf_node *chosen = conf_get(raw->item.node, "default");
	struct payload also = {0};
	struct level *levels;
	int first = -1, n = 0;

	option->named_levels = true;
	kinds_beside(l, raw, "levels");
	if (raw->without)
		conf_key_error(l->diags, raw->without, "stands beside levels");
	if (map->kind != CONF_MAP || !map->n) {
		conf_error(l->diags, map, "expected a map of levels");
		diag_help(l->diags, "write levels: {NAME: {define: ...}, NAME: {...}}");
		levels = arena_array(l->arena, 2, sizeof(*levels));
		levels[0].name = "off";
		levels[1].name = "on";
		option->levels = levels;
		option->n_levels = 2;
		option->default_level = 1;
		return;
	}
	if (raw->also)
		load_payload_map(l, raw->also, &also);
	if (base && base->text)
		first = named_level(l, base, map);
	levels = arena_array(l->arena, map->n + 1, sizeof(*levels));
	if (first >= 0)
		fill_level(l, map->items[first], &also, &levels[n++]);
	else
		levels[n++].name = "off";
	for (size_t i = 0; i < map->n; i++) {
		if ((int)i != first)
			fill_level(l, map->items[i], &also, &levels[n++]);
	}
	if (n > LEVELS_MAX) {
		conf_error(l->diags, map, "more than %d levels", LEVELS_MAX - 1);
		n = LEVELS_MAX;
	}
	option->levels = levels;
	option->n_levels = n;
	option->default_level = n > 1 ? 1 : 0;
	if (n < 2) {
		conf_error(l->diags, map, "there is no level besides the base");
	} else if (chosen && chosen->text) {
		int at = option_level(option, chosen->text);

		if (at == 0)
			conf_error(l->diags, chosen, "'%s' counts as off: it cannot be the default",
				chosen->text);
		else if (at > 0)
			option->default_level = at;
		else
			named_level(l, chosen, map);
	} else if (n > 2 && !chosen) {
		conf_key_error(l->diags, raw->item.node,
			"%d levels, but no default: the bare name could mean any", n - 1);
		diag_help(l->diags, "add default: %s", levels[1].name);
	}
}

/* --- Atoms ----------------------------------------------------------------------------------- */

static bool parse_atom(struct loader *l, const char *text, const struct conf_node *node,
	const char *const *names, struct atom *ret)
{
	size_t len = strcspn(text, "=");
	AUTOFREE char *name = xstrndup(text, len);
	const struct option *option;

	*ret = (struct atom){.option = descriptor_option(l->d, name), .level = -1, .node = node};
	if (ret->option < 0) {
		load_unknown(l, node, "option", name, names, l->d->n_options);
		return false;
	}
	if (!text[len])
		return true;
	option = &l->d->options[ret->option];
	ret->level = option_level(option, text + len + 1);
	if (ret->level > 0)
		return true;
	if (ret->level == 0) {
		conf_error(l->diags, node, "'%s' counts as off here and cannot be asked for", text);
	} else {
		const char **levels =
			arena_array(l->arena, (size_t)option->n_levels, sizeof(*levels));

		for (int i = 1; i < option->n_levels; i++)
			levels[i - 1] = option->levels[i].name;
		load_unknown(
			l, node, "level", text + len + 1, levels, (size_t)option->n_levels - 1);
	}
	return false;
}

static const struct atom *load_atoms(
	struct loader *l, const struct conf_texts *texts, int self, const char *word, size_t *ret_n)
{
	const char **names = arena_array(l->arena, l->d->n_options, sizeof(*names));
	struct atom *atoms = arena_array(l->arena, texts->n, sizeof(*atoms));
	size_t n = 0;

	for (size_t i = 0; i < l->d->n_options; i++)
		names[i] = l->d->options[i].name;
	for (size_t i = 0; i < texts->n; i++) {
		const struct conf_node *node = load_item(texts->node, i);

		if (!parse_atom(l, texts->items[i], node, names, &atoms[n]))
			continue;
		if (atoms[n].option == self)
			conf_error(l->diags, node, "the option %s itself", word);
		else
			n++;
	}
	*ret_n = n;
	return atoms;
}

static void add_mirror(struct loader *l, struct option *to, int from, const struct conf_node *node)
{
	struct atom *more;

	for (size_t i = 0; i < to->n_conflicts; i++) {
		if (to->conflicts[i].option == from && to->conflicts[i].level < 0)
			return;
	}
	more = arena_array(l->arena, to->n_conflicts + 1, sizeof(*more));
	if (to->n_conflicts)
		memcpy(more, to->conflicts, to->n_conflicts * sizeof(*more));
	more[to->n_conflicts] = (struct atom){.option = from, .level = -1, .node = node};
	to->conflicts = more;
	to->n_conflicts++;
}

/* --- Cycles of requires ---------------------------------------------------------------------- */

struct cycle_search {
	struct loader *l;
	enum {
		NEW,
		OPEN,
		DONE
	} * state;
	int *path;
};

static void show_cycle(struct cycle_search *s, size_t depth, const struct atom *back)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const struct option *options = s->l->d->options;
	size_t start = depth;

	while (s->path[start] != back->option)
		start--;
	for (size_t i = start; i <= depth; i++)
		buf_addf(&text, "%s -> ", options[s->path[i]].name);
	conf_error(s->l->diags, back->node, "requires go in a circle: %s%s", text.data,
		options[back->option].name);
	diag_help(s->l->diags, "options that need each other are one option");
}

static void search_cycle(struct cycle_search *s, int at, size_t depth)
{
	const struct option *option = &s->l->d->options[at];

	s->state[at] = OPEN;
	s->path[depth] = at;
	for (size_t i = 0; i < option->n_requires; i++) {
		const struct atom *atom = &option->requires[i];

		if (s->state[atom->option] == OPEN)
			show_cycle(s, depth, atom);
		else if (s->state[atom->option] == NEW)
			search_cycle(s, atom->option, depth + 1);
	}
	s->state[at] = DONE;
}

static void check_constraints(struct loader *l)
{
	size_t n = l->d->n_options;
	struct cycle_search search = {
		.l = l,
		.state = arena_array(l->arena, n, sizeof(*search.state)),
		.path = arena_array(l->arena, n + 1, sizeof(*search.path)),
	};

	for (size_t i = 0; i < n; i++) {
		const struct option *option = &l->d->options[i];

		if (search.state[i] == NEW)
			search_cycle(&search, (int)i, 0);
		for (size_t k = 0; k < option->n_requires; k++) {
			for (size_t c = 0; c < option->n_conflicts; c++) {
				const struct atom *need = &option->requires[k];
				const struct atom *clash = &option->conflicts[c];

				if (need->option == clash->option &&
					(clash->level < 0 || clash->level == need->level))
					conf_error(l->diags, need->node,
						"requires and conflicts with '%s'",
						l->d->options[need->option].name);
			}
		}
	}
}

/* --- The section ----------------------------------------------------------------------------- */

void load_options(struct loader *l, const struct conf_node *node)
{
#define O(member) offsetof(struct raw_option, member)
	static const struct conf_field fields[] = {
		FIELD("title", CT_TEXT, O(title)),
		FIELD("why", CT_TEXT, O(why)),
		FIELD("requires", CT_TEXTS, O(requires)),
		FIELD("conflicts", CT_TEXTS, O(conflicts)),
		FIELD("without", CT_NODE, O(without)),
		FIELD("levels", CT_NODE, O(levels)),
		FIELD("also", CT_NODE, O(also)),
		FIELD("base", CT_TEXT, O(base)),
		FIELD("default", CT_TEXT, O(default_level)),
		FIELD("seen", CT_NODE, O(seen)),
		PAYLOAD_FIELDS(struct raw_option, kinds),
		{NULL},
	};
#undef O
	static const struct conf_field map = FIELD(
		"options", CT_MAP_OF, 0, .sub = fields, .item_size = sizeof(struct raw_option));
	struct conf_array array = {0};
	const struct raw_option *raw;
	struct option *options;

	if (!node)
		return;
	conf_read_value(node, &map, &array, l->arena, l->diags);
	raw = array.items;
	options = arena_array(l->arena, array.n, sizeof(*options));
	l->d->options = options;
	l->d->n_options = array.n;
	for (size_t i = 0; i < array.n; i++) {
		load_name(l, raw[i].item.node, "an option");
		options[i].name = raw[i].item.name;
		options[i].title = raw[i].title ? raw[i].title : raw[i].item.name;
		options[i].why = raw[i].why;
		options[i].node = raw[i].item.node;
		if (raw[i].levels)
			named_levels(l, &raw[i], &options[i]);
		else
			two_levels(l, &raw[i], &options[i]);
		load_checks(l, raw[i].seen, true, &options[i].seen);
	}
	for (size_t i = 0; i < array.n; i++) {
		options[i].requires =
			load_atoms(l, &raw[i].requires, (int)i, "requires", &options[i].n_requires);
		options[i].conflicts = load_atoms(
			l, &raw[i].conflicts, (int)i, "conflicts with", &options[i].n_conflicts);
	}
	for (size_t i = 0; i < array.n; i++) {
		for (size_t k = 0; k < options[i].n_conflicts; k++) {
			const struct atom *atom = &options[i].conflicts[k];

			if (atom->level < 0)
				add_mirror(l, &options[atom->option], (int)i, atom->node);
		}
	}
	check_constraints(l);
}
