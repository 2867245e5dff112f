/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A made-up world (doc/interfaces.md): options with known effects, noise and failures, as a file.
 * It answers how long a run of a variant takes, so that the real engine can be tested and planned
 * with. Time of a run, on log scale:
 *
 *	ln base + sum of effects + N(0, build_noise) per build + N(0, drift) per block
 *	        + N(0, noise) + spike (with probability `spikes`: exponential, mean 5 %)
 *	        + `size` with probability `share` (bimodal)
 *
 * Phases take their share of the time, each times exp(its own effects); what they add is part of
 *the run's time. All random numbers are derived from (seed, name of the thing), so a result does
 *not depend on the order of the calls.
 */
#ifndef ASSAY_ENGINE_WORLD_H
#define ASSAY_ENGINE_WORLD_H

#include "core/base/arena.h"
#include "core/base/diag.h"
#include "core/model/plan.h"

struct world;

int world_load(const char *path, struct diags *diags, struct world **ret, struct err *err)
	MUST_CHECK;
void world_free(struct world *world);
DEFINE_CLEANUP(struct world, world_free)

/* A descriptor with the world's options (each a define, so that every subset is a build of its
 * own), for simulating without one. */
void world_descriptor(const struct world *world, struct buf *to);
/* E_CONFIG when the world names an option or level that the descriptor does not have. */
int world_check(const struct world *world, const struct descriptor *descriptor, struct err *err)
	MUST_CHECK;
int64_t world_build_ns(const struct world *world);
/* costs.run: what a run takes of the simulated clock; 0 = as long as the run itself. */
int64_t world_run_ns(const struct world *world);
uint64_t world_seed(const struct world *world);

enum world_fate {
	WORLD_OK,
	WORLD_BUILD_FAILS,
	WORLD_RUN_FAILS,
	WORLD_TIMEOUT,
	WORLD_INVALID
};

struct world_phase {
	const char *name;
	double seconds;
};
struct world_run {
	enum world_fate fate;
	double seconds;
	const struct world_phase *phases; /* in the arena */
	size_t n_phases;
};
/* Whether the build of these levels fails. */
bool world_build_fails(
	const struct world *world, const struct descriptor *descriptor, const uint8_t *levels);
/* One run. build: its key; run: a text that names the run (row, role, block, attempt). */
void world_simulate(const struct world *world, const struct descriptor *descriptor,
	const uint8_t *levels, const char *build, int block, const char *run, struct arena *arena,
	struct world_run *ret);

#endif
