/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/conf.h"
#include "core/base/num.h"
#include "core/base/rng.h"

#define SPIKE_MEAN 0.05
#define DEFAULT_BASE_NS NS_PER_S
#define DEFAULT_BUILD_NS (60 * NS_PER_S)

/* "A1+L=a": all of these on. */
struct term {
	const char *option, *level; /* level NULL: any but off */
};
struct terms {
	struct term *items;
	size_t n;
	const struct conf_node *node;
};
struct effect {
	struct terms when;
	double size;
};
struct failure {
	struct terms when;
	enum world_fate fate;
	double probability;
};
struct phase {
	const char *name;
	double share;
	struct effect *effects;
	size_t n_effects;
};

struct world {
	struct arena arena;
	const struct conf_node *option_nodes, *requires, *conflicts;
	int64_t base_ns, build_ns;
	double noise, build_noise, drift, spikes, bimodal_share, bimodal_size;
	struct effect *effects;
	size_t n_effects;
	struct phase *phases;
	size_t n_phases;
	struct failure *failures;
	size_t n_failures;
	uint64_t seed;
};

struct raw_costs {
	int64_t build_ns, run_ns;
};
struct raw_bimodal {
	double share, size;
};
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
	{.name = "share", .type = CT_REAL, .offset = offsetof(struct raw_phase, share),
		.flags = CONF_REQUIRED},
	{.name = "effects", .type = CT_NODE, .offset = offsetof(struct raw_phase, effects)},
	{0},
};
static const struct conf_field world_fields[] = {
	{.name = "schema", .type = CT_INT, .offset = offsetof(struct raw, schema),
		.flags = CONF_REQUIRED, .min = 1, .max = 2},
	{.name = "options", .type = CT_NODE, .offset = offsetof(struct raw, options),
		.flags = CONF_REQUIRED},
	{.name = "base", .type = CT_DURATION, .offset = offsetof(struct raw, base_ns)},
	{.name = "effects", .type = CT_NODE, .offset = offsetof(struct raw, effects)},
	{.name = "phases", .type = CT_MAP_OF, .offset = offsetof(struct raw, phases),
		.sub = phase_fields, .item_size = sizeof(struct raw_phase)},
	{.name = "requires", .type = CT_NODE, .offset = offsetof(struct raw, requires)},
	{.name = "conflicts", .type = CT_NODE, .offset = offsetof(struct raw, conflicts)},
	{.name = "noise", .type = CT_REAL, .offset = offsetof(struct raw, noise)},
	{.name = "build_noise", .type = CT_REAL, .offset = offsetof(struct raw, build_noise)},
	{.name = "drift", .type = CT_REAL, .offset = offsetof(struct raw, drift)},
	{.name = "spikes", .type = CT_REAL, .offset = offsetof(struct raw, spikes)},
	{.name = "bimodal", .type = CT_STRUCT, .offset = offsetof(struct raw, bimodal),
		.sub = bimodal_fields},
	{.name = "fail", .type = CT_NODE, .offset = offsetof(struct raw, fail)},
	{.name = "costs", .type = CT_STRUCT, .offset = offsetof(struct raw, costs),
		.sub = cost_fields},
	{.name = "seed", .type = CT_INT, .offset = offsetof(struct raw, seed)},
	{0},
};

void world_free(struct world *world)
{
	if (!world)
		return;
	arena_release(&world->arena);
	free(world);
}

/* --- Reading ------------------------------------------------------------------------------------- */

static struct terms read_terms(struct world *world, const struct conf_node *node)
{
	struct terms terms = {.node = node};
	const char *at = node->key;
	size_t n = 1;

	for (const char *c = at; *c; c++)
		n += *c == '+';
	terms.items = arena_array(&world->arena, n, sizeof(*terms.items));
	while (at) {
		const char *end = strchrnul(at, '+');
		char *word = arena_strndup(&world->arena, at, (size_t)(end - at));
		char *equals = strchr(word, '=');

		if (equals)
			*equals = '\0';
		terms.items[terms.n++] = (struct term){word, equals ? equals + 1 : NULL};
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
	conf_foreach(item, node) {
		struct effect *effect = &(*ret)[*ret_n];

		effect->when = read_terms(world, item);
		if (conf_read_value(item, &real, &effect->size, &world->arena, diags))
			++*ret_n;
	}
}

static bool read_fate(const struct conf_node *node, const char *word, struct failure *to,
	struct diags *diags)
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

static void read_failures(struct world *world, const struct conf_node *node, struct diags *diags)
{
	static const struct conf_field real = {.type = CT_REAL};
	const struct conf_node *item, *kind;

	if (!node)
		return;
	if (node->kind != CONF_MAP) {
		conf_error(diags, node, "expected a map of options to a kind of failure");
		return;
	}
	world->failures = arena_array(&world->arena, node->n * 4, sizeof(*world->failures));
	conf_foreach(item, node) {
		struct failure failure = {.when = read_terms(world, item), .probability = 1};

		if (item->kind != CONF_MAP) {
			if (read_fate(item, item->text, &failure, diags))
				world->failures[world->n_failures++] = failure;
			continue;
		}
		conf_foreach(kind, item) {
			if (kind_i < 4 && read_fate(kind, kind->key, &failure, diags) &&
				conf_read_value(kind, &real, &failure.probability, &world->arena,
					diags))
				world->failures[world->n_failures++] = failure;
		}
	}
}

int world_load(const char *path, struct diags *diags, struct world **ret, struct err *err)
{
	struct world *world = xcalloc(1, sizeof(*world));
	struct raw raw = {.base_ns = DEFAULT_BASE_NS, .noise = 0.01,
		.costs = {.build_ns = DEFAULT_BUILD_NS}};
	struct conf_node *root;

	if (conf_load(path, &world->arena, diags, &root, err)) {
		world_free(world);
		return -1;
	}
	conf_read(root, world_fields, &raw, &world->arena, diags);
	world->option_nodes = raw.options;
	if (raw.options && raw.options->kind != CONF_LIST)
		conf_error(diags, raw.options, "expected a list: [A1, {name: L, levels: [a, b]}]");
	world->requires = raw.requires;
	world->conflicts = raw.conflicts;
	world->base_ns = raw.base_ns;
	world->build_ns = raw.costs.build_ns;
	world->noise = raw.noise;
	world->build_noise = raw.build_noise;
	world->drift = raw.drift;
	world->spikes = raw.spikes;
	world->bimodal_share = raw.bimodal.share;
	world->bimodal_size = raw.bimodal.size;
	world->seed = (uint64_t)raw.seed;
	read_effects(world, raw.effects, &world->effects, &world->n_effects, diags);
	read_failures(world, raw.fail, diags);
	world->n_phases = raw.phases.n;
	world->phases = arena_array(&world->arena, raw.phases.n, sizeof(*world->phases));
	for (size_t i = 0; i < raw.phases.n; i++) {
		const struct raw_phase *phase = &((const struct raw_phase *)raw.phases.items)[i];

		world->phases[i].name = phase->name;
		world->phases[i].share = phase->share;
		read_effects(world, phase->effects, &world->phases[i].effects,
			&world->phases[i].n_effects, diags);
	}
	if (diags_to_err(diags, E_CONFIG, err)) {
		world_free(world);
		return -1;
	}
	*ret = world;
	return 0;
}

/* --- As a descriptor ----------------------------------------------------------------------------- */

static void add_atoms(struct buf *to, const char *member, const struct conf_node *list)
{
	const struct conf_node *item;

	if (!list)
		return;
	buf_addf(to, ", %s: [", member);
	if (list->kind == CONF_SCALAR)
		buf_adds(to, list->text);
	conf_foreach(item, list)
		buf_addf(to, "%s%s", item_i ? ", " : "", item->text ? item->text : "");
	buf_addc(to, ']');
}

/* conflicts: [[A1, L], ...]: what stands beside `name`. */
static void add_conflicts(struct buf *to, const char *name, const struct conf_node *lists)
{
	const struct conf_node *list, *item;
	bool any = false;

	if (!lists)
		return;
	conf_foreach(list, lists) {
		if (list->kind != CONF_LIST || !list->n || !list->items[0]->text ||
			strcmp(list->items[0]->text, name) != 0)
			continue;
		conf_foreach(item, list) {
			if (!item_i || !item->text)
				continue;
			buf_addf(to, "%s%s", any ? ", " : ", conflicts: [", item->text);
			any = true;
		}
	}
	if (any)
		buf_addc(to, ']');
}

void world_descriptor(const struct world *world, struct buf *to)
{
	const struct conf_node *item, *levels, *level;

	buf_adds(to, "schema: 1\nname: simulated\ntitle: A simulated world\n"
		     "source: {path: .}\nbuild: {steps: [[build, \"{defines}\"]]}\noptions:\n");
	conf_foreach(item, world->option_nodes) {
		const struct conf_node *named = conf_get(item, "name");
		const char *name = named ? named->text : item->text;

		buf_addf(to, "  %s: {", name ? name : "");
		levels = conf_get(item, "levels");
		if (levels) {
			buf_adds(to, "levels: {");
			conf_foreach(level, levels)
				buf_addf(to, "%s%s: {define: {%s: \"%s\"}}", level_i ? ", " : "",
					level->text, name, level->text);
			buf_addf(to, "}, default: %s", levels->n ? levels->items[0]->text : "");
		} else {
			buf_addf(to, "define: {%s: \"1\"}", name ? name : "");
		}
		if (name && world->requires)
			add_atoms(to, "requires", conf_get(world->requires, name));
		if (name)
			add_conflicts(to, name, world->conflicts);
		buf_adds(to, "}\n");
	}
	buf_adds(to, "workloads: {sim: {run: [sim]}}\nmatrix: {sets: [none, each, all]}\n");
}

/* --- What happens -------------------------------------------------------------------------------- */

static int check_terms(const struct terms *terms, const struct descriptor *descriptor,
	struct err *err)
{
	for (size_t i = 0; i < terms->n; i++) {
		const struct term *term = &terms->items[i];
		int option = descriptor_option(descriptor, term->option);

		if (option < 0)
			return err_at(err, E_CONFIG, terms->node->key_place,
				"the experiment has no option '%s'", term->option);
		if (term->level && option_level(&descriptor->options[option], term->level) < 0)
			return err_at(err, E_CONFIG, terms->node->key_place,
				"option '%s' has no level '%s'", term->option, term->level);
	}
	return 0;
}

int world_check(const struct world *world, const struct descriptor *descriptor, struct err *err)
{
	for (size_t i = 0; i < world->n_effects; i++) {
		if (check_terms(&world->effects[i].when, descriptor, err))
			return -1;
	}
	for (size_t i = 0; i < world->n_failures; i++) {
		if (check_terms(&world->failures[i].when, descriptor, err))
			return -1;
	}
	for (size_t p = 0; p < world->n_phases; p++) {
		for (size_t i = 0; i < world->phases[p].n_effects; i++) {
			if (check_terms(&world->phases[p].effects[i].when, descriptor, err))
				return -1;
		}
	}
	return 0;
}

int64_t world_build_ns(const struct world *world)
{
	return world->build_ns;
}

static bool holds(const struct terms *terms, const struct descriptor *descriptor,
	const uint8_t *levels)
{
	for (size_t i = 0; i < terms->n; i++) {
		int option = descriptor_option(descriptor, terms->items[i].option);
		const char *level = terms->items[i].level;

		if (option < 0 || !levels[option])
			return false;
		if (level && levels[option] != option_level(&descriptor->options[option], level))
			return false;
	}
	return true;
}

static double sum_effects(const struct effect *effects, size_t n,
	const struct descriptor *descriptor, const uint8_t *levels)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (holds(&effects[i].when, descriptor, levels))
			sum += effects[i].size;
	}
	return sum;
}

bool world_build_fails(const struct world *world, const struct descriptor *descriptor,
	const uint8_t *levels)
{
	for (size_t i = 0; i < world->n_failures; i++) {
		if (world->failures[i].fate == WORLD_BUILD_FAILS &&
			holds(&world->failures[i].when, descriptor, levels))
			return true;
	}
	return false;
}

void world_simulate(const struct world *world, const struct descriptor *descriptor,
	const uint8_t *levels, const char *build, int block, const char *run, struct arena *arena,
	struct world_run *ret)
{
	struct rng rng = rng_derived(world->seed, run, 0);
	struct rng of_build = rng_derived(world->seed, build, 1);
	struct rng of_block = rng_derived(world->seed, "block", (uint64_t)block);
	double log_time = log((double)world->base_ns / 1e9), noise, parts = 1;
	struct world_phase *phases = arena_array(arena, world->n_phases, sizeof(*phases));

	ret->fate = WORLD_OK;
	for (size_t i = 0; i < world->n_failures; i++) {
		const struct failure *failure = &world->failures[i];

		/* Drawn for every failure, so that one that does not apply moves no other draw. */
		double draw = rng_uniform(&rng);

		if (failure->fate != WORLD_BUILD_FAILS && draw < failure->probability &&
			holds(&failure->when, descriptor, levels) && ret->fate == WORLD_OK)
			ret->fate = failure->fate;
	}
	noise = world->noise * rng_normal(&rng);
	noise += rng_uniform(&rng) < world->spikes ? SPIKE_MEAN * rng_exponential(&rng) : 0;
	noise += rng_uniform(&rng) < world->bimodal_share ? world->bimodal_size : 0;
	noise += world->build_noise * rng_normal(&of_build);
	noise += world->drift * rng_normal(&of_block);
	log_time += sum_effects(world->effects, world->n_effects, descriptor, levels) + noise;
	for (size_t i = 0; i < world->n_phases; i++) {
		const struct phase *phase = &world->phases[i];
		double own = phase->share *
			     exp(sum_effects(phase->effects, phase->n_effects, descriptor, levels));

		phases[i] = (struct world_phase){phase->name, own};
		parts += own - phase->share;
	}
	for (size_t i = 0; i < world->n_phases; i++)
		phases[i].seconds *= exp(log_time);
	ret->seconds = exp(log_time) * parts;
	ret->phases = phases;
	ret->n_phases = world->n_phases;
}
