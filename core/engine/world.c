/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/world_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"

#define SPIKE_MEAN 0.05

static int check_terms(
	const struct terms *terms, const struct descriptor *descriptor, struct err *err)
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

int64_t world_run_ns(const struct world *world)
{
	return world->run_ns;
}

uint64_t world_seed(const struct world *world)
{
	return world->seed;
}

static bool holds(
	const struct terms *terms, const struct descriptor *descriptor, const uint8_t *levels)
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

bool world_build_fails(
	const struct world *world, const struct descriptor *descriptor, const uint8_t *levels)
{
	for (size_t i = 0; i < world->n_failures; i++) {
		if (world->failures[i].fate == WORLD_BUILD_FAILS &&
			world->failures[i].probability > 0 &&
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
