/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small reproducible random numbers for run orders and simulations: xoshiro256** 1.0 (Blackman and
 * Vigna) seeded by SplitMix64. The stream of a seed is part of the interface: the same seed and
 * version give the same order.
 */
#ifndef ASSAY_BASE_RNG_H
#define ASSAY_BASE_RNG_H

#include "core/base/util.h"

struct rng {
	uint64_t s[4];
};

struct rng rng_seeded(uint64_t seed);
/* A stream of its own for each (seed, label, index), independent of the order of calls. */
struct rng rng_derived(uint64_t seed, const char *label, uint64_t index);
uint64_t rng_next(struct rng *rng);
/* 0 <= x < n without modulo bias; n > 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
double rng_uniform(struct rng *rng);     /* [0, 1) with 53 bits */
double rng_normal(struct rng *rng);      /* mean 0, sd 1 (polar method) */
double rng_exponential(struct rng *rng); /* mean 1 */
/* Fisher-Yates on an array of indices. */
void rng_shuffle(struct rng *rng, size_t *items, size_t n);
/* From the kernel. */
uint64_t rng_random_seed(void);
/* 32 hex digits and NUL. */
void rng_random_uid(char to[33]);

#endif
