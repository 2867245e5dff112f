/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world as it was read: between world_load.c and world.c. */
#ifndef ASSAY_ENGINE_WORLD_PRIVATE_H
#define ASSAY_ENGINE_WORLD_PRIVATE_H

#include "core/base/conf.h"
#include "core/engine/world.h"

/* "A1+L=a": all of these on. */
struct term {
	const char *option, *level; /* level NULL: any but off */
};
struct terms {
	struct term *items;
	size_t n;
	const struct conf_node *node; /* for messages */
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

struct world_option {
	const char *name;
	const char *const *levels; /* NULL: off and on */
	size_t n_levels;
};

struct world {
	struct arena arena;
	struct world_option *options;
	size_t n_options;
	const struct conf_node *requires, *conflicts;
	int64_t base_ns, build_ns, run_ns;
	double noise, build_noise, drift, spikes, bimodal_share, bimodal_size;
	struct effect *effects;
	size_t n_effects;
	struct phase *phases;
	size_t n_phases;
	struct failure *failures;
	size_t n_failures;
	uint64_t seed;
};

#endif
