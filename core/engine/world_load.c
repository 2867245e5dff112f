/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a world, and writing it as a descriptor. */
#include "config.h"

#include "core/engine/world_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

#define DEFAULT_BASE_NS NS_PER_S
#define DEFAULT_BUILD_NS (60 * NS_PER_S)

struct raw_costs {
	int64_t build_ns, run_ns;
};
struct raw_bimodal {
	double share, size;
};
/* Beyond, times are no numbers any more. */
#define LOG_MAX 10

struct raw_phase {
	const char *name;
	const struct conf_node *node;
	double share;
	const struct conf_node *effects;
};
struct raw {
	int64_t schema;
	const struct conf_node *options, *effects, *requires, *conflicts, *fail;
	struct conf_array phases;
	int64_t base_ns, seed;
	double noise, build_noise, drift, spikes;
	struct raw_bimodal bimodal;
	struct raw_costs costs;
};

static const struct conf_field bimodal_fields[] = {
	{.name = "share", .type = CT_REAL, .offset = offsetof(struct raw_bimodal, share)},
	{.name = "size", .type = CT_REAL, .offset = offsetof(struct raw_bimodal, size)},
	{0},
};
static const struct conf_field cost_fields[] = {
	{.name = "build", .type = CT_DURATION, .offset = offsetof(struct raw_costs, build_ns)},
	{.name = "run", .type = CT_DURATION, .offset = offsetof(struct raw_costs, run_ns)},
	{0},
};
static const struct conf_field phase_fields[] = {
	{.name = "share",
		.type = CT_REAL,
		.offset = offsetof(struct raw_phase, share),
		.flags = CONF_REQUIRED},
	{.name = "effects", .type = CT_NODE, .offset = offsetof(struct raw_phase, effects)},
	{0},
};
static const struct conf_field world_fields[] = {
	{.name = "schema",
		.type = CT_INT,
		.offset = offsetof(struct raw, schema),
		.flags = CONF_REQUIRED},
	{.name = "options",
		.type = CT_NODE,
		.offset = offsetof(struct raw, options),
		.flags = CONF_REQUIRED},
	{.name = "base", .type = CT_DURATION, .offset = offsetof(struct raw, base_ns)},
	{.name = "effects", .type = CT_NODE, .offset = offsetof(struct raw, effects)},
	{.name = "phases",
		.type = CT_MAP_OF,
		.offset = offsetof(struct raw, phases),
		.sub = phase_fields,
		.item_size = sizeof(struct raw_phase)},
	{.name = "requires", .type = CT_NODE, .offset = offsetof(struct raw, requires)},
	{.name = "conflicts", .type = CT_NODE, .offset = offsetof(struct raw, conflicts)},
	{.name = "noise", .type = CT_REAL, .offset = offsetof(struct raw, noise)},
	{.name = "build_noise", .type = CT_REAL, .offset = offsetof(struct raw, build_noise)},
	{.name = "drift", .type = CT_REAL, .offset = offsetof(struct raw, drift)},
	{.name = "spikes", .type = CT_REAL, .offset = offsetof(struct raw, spikes)},
	{.name = "bimodal",
		.type = CT_STRUCT,
		.offset = offsetof(struct raw, bimodal),
		.sub = bimodal_fields},
	{.name = "fail", .type = CT_NODE, .offset = offsetof(struct raw, fail)},
	{.name = "costs",
		.type = CT_STRUCT,
		.offset = offsetof(struct raw, costs),
		.sub = cost_fields},
	{.name = "seed",
		.type = CT_INT,
		.offset = offsetof(struct raw, seed),
		.min = 0,
		.max = INT64_MAX},
	{0},
};

void world_free(struct world *world)
{
	if (!world)
		return;
	arena_release(&world->arena);
	free(world);
}

/* --- Reading -------------------------------------------------------------------------------------
 */

static const struct world_option *find_option(const struct world *world, const char *name)
{
	for (size_t i = 0; i < world->n_options; i++) {
		if (!strcmp(world->options[i].name, name))
			return &world->options[i];
	}
	return NULL;
}

static bool has_level(const struct world_option *option, const char *level)
{
	for (size_t i = 0; i < option->n_levels; i++) {
		if (!strcmp(option->levels[i], level))
			return true;
	}
	return !option->levels && !strcmp(level, "on");
}

static void read_levels(struct world *world, const struct conf_node *node,
	struct world_option *option, struct diags *diags)
{
	static const struct conf_field texts = {.type = CT_TEXTS};
	struct conf_texts levels = {0};

	if (!conf_read_value(node, &texts, &levels, &world->arena, diags))
		return;
	if (!levels.n)
		conf_error(diags, node, "expected at least one level");
	for (size_t i = 0; i < levels.n; i++) {
		if (!conf_is_level(levels.items[i]) || !strcmp(levels.items[i], "off"))
			conf_error(
				diags, node->items[i], "\"%s\" cannot be a level", levels.items[i]);
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(levels.items[i], levels.items[k]))
				conf_error(diags, node->items[i],
					"the level '%s' stands here twice", levels.items[i]);
		}
	}
	option->levels = levels.items;
	option->n_levels = levels.n;
}

static void read_options(struct world *world, const struct conf_node *list, struct diags *diags)
{
	static const struct conf_field as_name = {.type = CT_NAME};
	const struct conf_node *item, *member;

	if (!list)
		return;
	if (list->kind != CONF_LIST) {
		conf_error(diags, list, "expected a list: [A1, {name: L, levels: [a, b]}]");
		return;
	}
	world->options = arena_array(&world->arena, list->n, sizeof(*world->options));
	conf_foreach (item, list) {
		struct world_option option = {0};
		const struct conf_node *name =
			item->kind == CONF_MAP ? conf_get(item, "name") : item;

		if (!name) {
			conf_error(
				diags, item, "an option needs a name: {name: L, levels: [a, b]}");
			continue;
		}
		if (item->kind == CONF_MAP) {
			conf_foreach (member, item) {
				if (!strcmp(member->key, "levels"))
					read_levels(world, member, &option, diags);
				else if (strcmp(member->key, "name") != 0)
					conf_key_error(diags, member,
						"unknown field; an option has name and levels");
			}
		}
		if (!conf_read_value(name, &as_name, &option.name, &world->arena, diags))
			continue;
		if (find_option(world, option.name))
			conf_error(diags, name, "the option '%s' stands here twice", option.name);
		else
			world->options[world->n_options++] = option;
	}
}

/* A term that names nothing of this world would change nothing, silently. */
static void check_term(const struct world *world, const struct conf_node *node, bool at_key,
	const char *name, const char *level, struct diags *diags)
{
	void (*complain)(struct diags *, const struct conf_node *, const char *, ...) =
		at_key ? conf_key_error : conf_error;
	const struct world_option *option = find_option(world, name);
	AUTOFREE const char **names = xcalloc(world->n_options + 1, sizeof(*names));
	const char *near;

	if (option) {
		if (level && !has_level(option, level))
			complain(diags, node, "option '%s' of this world has no level '%s'", name,
				level);
		return;
	}
	for (size_t i = 0; i < world->n_options; i++)
		names[i] = world->options[i].name;
	near = text_nearest(name, names, world->n_options);
	complain(diags, node, "this world has no option '%s'", name);
	if (near)
		diag_help(diags, "did you mean '%s'?", near);
}

static struct term split_term(struct world *world, const char *text, size_t len)
{
	char *word = arena_strndup(&world->arena, text, len);
	char *equals = strchr(word, '=');

	if (equals)
		*equals = '\0';
	return (struct term){word, equals ? equals + 1 : NULL};
}

static struct terms read_terms(
	struct world *world, const struct conf_node *node, struct diags *diags)
{
	struct terms terms = {.node = node};
	const char *at = node->key;
	size_t n = 1;

	for (const char *c = at; *c; c++)
		n += *c == '+';
	terms.items = arena_array(&world->arena, n, sizeof(*terms.items));
	while (at) {
		const char *end = strchrnul(at, '+');
		struct term term = split_term(world, at, (size_t)(end - at));

		check_term(world, node, true, term.option, term.level, diags);
		terms.items[terms.n++] = term;
		at = *end ? end + 1 : NULL;
	}
	return terms;
}

static void read_effects(struct world *world, const struct conf_node *node, struct effect **ret,
	size_t *ret_n, struct diags *diags)
{
	static const struct conf_field real = {.type = CT_REAL};
	const struct conf_node *item;

	*ret_n = 0;
	if (!node)
		return;
	if (node->kind != CONF_MAP) {
		conf_error(diags, node, "expected a map of options to effects on log time");
		return;
	}
	*ret = arena_array(&world->arena, node->n, sizeof(**ret));
	conf_foreach (item, node) {
		struct effect *effect = &(*ret)[*ret_n];

		effect->when = read_terms(world, item, diags);
		if (!conf_read_value(item, &real, &effect->size, &world->arena, diags))
			continue;
		if (effect->size < -LOG_MAX || effect->size > LOG_MAX) {
			conf_error(diags, item, "an effect on log time is from -%d to %d", LOG_MAX,
				LOG_MAX);
			diag_help(diags, "0.09 is about 9 %% more time, -0.09 about 9 %% less");
			continue;
		}
		++*ret_n;
	}
}

static bool read_fate(
	const struct conf_node *node, const char *word, struct failure *to, struct diags *diags)
{
	static const struct {
		const char *name;
		enum world_fate fate;
	} fates[] = {
		{"build", WORLD_BUILD_FAILS},
		{"run", WORLD_RUN_FAILS},
		{"timeout", WORLD_TIMEOUT},
		{"invalid", WORLD_INVALID},
	};

	for (size_t i = 0; word && i < ARRAY_SIZE(fates); i++) {
		if (!strcmp(fates[i].name, word)) {
			to->fate = fates[i].fate;
			return true;
		}
	}
	conf_error(diags, node, "expected build, run, timeout or invalid");
	return false;
}

static void check_share(const struct conf_node *node, double value, struct diags *diags)
{
	if (!(value >= 0 && value <= 1))
		conf_error(diags, node, "expected a number from 0 to 1");
}

/* What makes a build fail is its code: it fails always or never. */
static bool read_probability(
	struct world *world, const struct conf_node *node, struct failure *to, struct diags *diags)
{
	static const struct conf_field real = {.type = CT_REAL};

	if (!conf_read_value(node, &real, &to->probability, &world->arena, diags))
		return false;
	check_share(node, to->probability, diags);
	if (to->fate == WORLD_BUILD_FAILS && to->probability != 0 && to->probability != 1)
		conf_error(diags, node, "a build fails always (1) or never (0)");
	return true;
}

static void read_failures(struct world *world, const struct conf_node *node, struct diags *diags)
{
	const struct conf_node *item, *kind;
	size_t n = 0;

	if (!node)
		return;
	if (node->kind != CONF_MAP) {
		conf_error(diags, node, "expected a map of options to a kind of failure");
		return;
	}
	conf_foreach (item, node)
		n += item->kind == CONF_MAP ? item->n : 1;
	world->failures = arena_array(&world->arena, n, sizeof(*world->failures));
	conf_foreach (item, node) {
		struct failure failure = {.when = read_terms(world, item, diags), .probability = 1};

		if (item->kind != CONF_MAP) {
			if (read_fate(item, item->text, &failure, diags))
				world->failures[world->n_failures++] = failure;
			continue;
		}
		conf_foreach (kind, item) {
			if (read_fate(kind, kind->key, &failure, diags) &&
				read_probability(world, kind, &failure, diags))
				world->failures[world->n_failures++] = failure;
		}
	}
}

static void check_atoms(struct world *world, const struct conf_node *list, struct diags *diags)
{
	const struct conf_node *item;

	conf_foreach (item, list) {
		struct term term;

		if (item->kind != CONF_SCALAR) {
			conf_error(diags, item, "expected NAME or NAME=LEVEL");
			continue;
		}
		term = split_term(world, item->text, strlen(item->text));
		check_term(world, item, false, term.option, term.level, diags);
	}
}

/* requires: {D4: [A4]}; conflicts: [[A1, L]]. */
static void check_constraints(struct world *world, struct diags *diags)
{
	const struct conf_node *item;

	if (world->requires && world->requires->kind != CONF_MAP) {
		conf_error(diags, world->requires, "expected a map: {D4: [A4]}");
	} else if (world->requires) {
		conf_foreach (item, world->requires) {
			check_term(world, item, true, item->key, NULL, diags);
			if (item->kind == CONF_LIST)
				check_atoms(world, item, diags);
			else
				conf_error(diags, item, "expected a list of options");
		}
	}
	if (world->conflicts && world->conflicts->kind != CONF_LIST) {
		conf_error(diags, world->conflicts, "expected a list of lists: [[A1, L]]");
	} else if (world->conflicts) {
		conf_foreach (item, world->conflicts) {
			if (item->kind == CONF_LIST && item->n > 1)
				check_atoms(world, item, diags);
			else
				conf_error(diags, item,
					"expected a list of two options or more: [A1, L]");
		}
	}
}

static void read_phases(struct world *world, const struct conf_array *phases, struct diags *diags)
{
	double sum = 0;

	world->n_phases = phases->n;
	world->phases = arena_array(&world->arena, phases->n, sizeof(*world->phases));
	for (size_t i = 0; i < phases->n; i++) {
		const struct raw_phase *raw = &((const struct raw_phase *)phases->items)[i];
		struct phase *phase = &world->phases[i];

		phase->name = raw->name;
		phase->share = raw->share;
		check_share(raw->node, raw->share, diags);
		sum += raw->share;
		read_effects(world, raw->effects, &phase->effects, &phase->n_effects, diags);
	}
	if (sum > 1 + 1e-9)
		conf_error(diags, ((const struct raw_phase *)phases->items)[0].node,
			"the shares of all phases add up to more than 1");
}

static void check_numbers(const struct conf_node *root, const struct raw *raw, struct diags *diags)
{
	const struct conf_node *bimodal = conf_get(root, "bimodal");
	const struct {
		const char *name;
		double value;
	} deviations[] = {
		{"noise", raw->noise},
		{"build_noise", raw->build_noise},
		{"drift", raw->drift},
	};

	if (raw->schema != 1 && conf_get(root, "schema"))
		conf_error(diags, conf_get(root, "schema"), "this assay reads schema 1, not %lld",
			(long long)raw->schema);
	for (size_t i = 0; i < ARRAY_SIZE(deviations); i++) {
		if (!(deviations[i].value >= 0))
			conf_error(diags, conf_get(root, deviations[i].name),
				"a standard deviation is not negative");
		else if (deviations[i].value > LOG_MAX)
			conf_error(diags, conf_get(root, deviations[i].name),
				"a standard deviation of log time is at most %d", LOG_MAX);
	}
	if (raw->spikes != 0)
		check_share(conf_get(root, "spikes"), raw->spikes, diags);
	if (raw->bimodal.share != 0)
		check_share(conf_get(bimodal, "share"), raw->bimodal.share, diags);
}

int world_load(const char *path, struct diags *diags, struct world **ret, struct err *err)
{
	CLEANUP(world_freep) struct world *world = xcalloc(1, sizeof(*world));
	struct raw raw = {.schema = 1,
		.base_ns = DEFAULT_BASE_NS,
		.noise = 0.01,
		.costs = {.build_ns = DEFAULT_BUILD_NS}};
	struct conf_node *root;

	if (conf_load(path, &world->arena, diags, &root, err))
		return -1;
	conf_read(root, world_fields, &raw, &world->arena, diags);
	world->requires = raw.requires;
	world->conflicts = raw.conflicts;
	world->base_ns = raw.base_ns;
	world->build_ns = raw.costs.build_ns;
	world->run_ns = raw.costs.run_ns;
	world->noise = raw.noise;
	world->build_noise = raw.build_noise;
	world->drift = raw.drift;
	world->spikes = raw.spikes;
	world->bimodal_share = raw.bimodal.share;
	world->bimodal_size = raw.bimodal.size;
	world->seed = (uint64_t)raw.seed;
	if (root->kind == CONF_MAP) {
		check_numbers(root, &raw, diags);
		read_options(world, raw.options, diags);
		check_constraints(world, diags);
		read_effects(world, raw.effects, &world->effects, &world->n_effects, diags);
		read_failures(world, raw.fail, diags);
		read_phases(world, &raw.phases, diags);
	}
	if (diags_to_err(diags, E_CONFIG, err))
		return -1;
	*ret = STEAL(world);
	return 0;
}

/* --- As a descriptor -----------------------------------------------------------------------------
 */

static void add_atom(struct buf *to, const char *member, const char *text, bool *any)
{
	if (*any)
		buf_addf(to, ", %s", text);
	else
		buf_addf(to, ", %s: [%s", member, text);
	*any = true;
}

static void add_requires(struct buf *to, const struct world *world, const char *name)
{
	const struct conf_node *list = world->requires ? conf_get(world->requires, name) : NULL;
	const struct conf_node *item;
	bool any = false;

	if (!list)
		return;
	conf_foreach (item, list)
		add_atom(to, "requires", item->text, &any);
	if (any)
		buf_addc(to, ']');
}

/* Is this atom (NAME or NAME=LEVEL) of that option? */
static bool names(const char *atom, const char *option)
{
	size_t len = strlen(option);

	return !strncmp(atom, option, len) && (!atom[len] || atom[len] == '=');
}

/* conflicts: [[A1, L], ...]: no two of a list. One side is enough, unless it is one level's. */
static void add_conflicts(struct buf *to, const struct world *world, const char *name)
{
	const struct conf_node *list, *item;
	bool any = false;

	if (!world->conflicts)
		return;
	conf_foreach (list, world->conflicts) {
		size_t own = 0;

		while (own < list->n && !names(list->items[own]->text, name))
			own++;
		if (own == list->n)
			continue;
		conf_foreach (item, list) {
			if (item_i != own)
				add_atom(to, "conflicts", item->text, &any);
		}
	}
	if (any)
		buf_addc(to, ']');
}

void world_descriptor(const struct world *world, struct buf *to)
{
	buf_adds(to, "schema: 1\nname: simulated\ntitle: A simulated world\n"
		     "source: {path: .}\nbuild: {steps: [[build, \"{defines}\"]]}\n");
	if (world->n_options)
		buf_adds(to, "options:\n");
	for (size_t i = 0; i < world->n_options; i++) {
		const struct world_option *option = &world->options[i];

		buf_addf(to, "  %s: {", option->name);
		if (option->levels) {
			buf_adds(to, "levels: {");
			for (size_t k = 0; k < option->n_levels; k++)
				buf_addf(to, "%s%s: {define: {%s: \"%s\"}}", k ? ", " : "",
					option->levels[k], option->name, option->levels[k]);
			buf_addf(to, "}, default: %s", option->levels[0]);
		} else {
			buf_addf(to, "define: {%s: \"1\"}", option->name);
		}
		add_requires(to, world, option->name);
		add_conflicts(to, world, option->name);
		buf_adds(to, "}\n");
	}
	buf_addf(to, "workloads: {sim: {run: [sim]}}\nmatrix: {sets: [none%s]}\n",
		world->n_options ? ", each, all" : "");
}
