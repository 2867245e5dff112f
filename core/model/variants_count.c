/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many variants there are, without listing them. */
#include "config.h"

#include "core/model/variants.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

#define COUNT_BUDGET ((size_t)1 << 22)

/* Options tied together by constraints are counted by walking; untied groups multiply. */
struct group_count {
	const struct variant_sets *sets;
	double even, odd;
};

static bool count_emit(void *ctx, const uint8_t *levels)
{
	struct group_count *count = ctx;
	bool odd = false;

	for (size_t i = 0; i < count->sets->n_options; i++)
		odd ^= levels[i] != 0;
	if (odd)
		count->odd++;
	else
		count->even++;
	return true;
}

static size_t find_root(size_t *parent, size_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void join_groups(const struct variant_sets *sets, const bool *reaches, size_t *parent)
{
	for (size_t i = 0; i < sets->n_options; i++)
		parent[i] = i;
	for (size_t i = 0; i < sets->n_options; i++) {
		const struct option *o = &sets->options[i];

		for (size_t a = 0; a < o->n_requires + o->n_conflicts; a++) {
			const struct atom *atom = a < o->n_requires
							  ? &o->requires[a]
							  : &o->conflicts[a - o->n_requires];

			if (!reaches || (reaches[i] && reaches[atom->option]))
				parent[find_root(parent, i)] =
					find_root(parent, (size_t)atom->option);
		}
	}
}

/* All variants of full, masked. */
static double count_full(const struct variant_sets *sets, const bool *reaches)
{
	AUTOFREE size_t *parent = xcalloc(sets->n_options + 1, sizeof(*parent));
	AUTOFREE bool *group = xcalloc(sets->n_options + 1, sizeof(*group));
	double product = 1;

	join_groups(sets, reaches, parent);
	for (size_t root = 0; root < sets->n_options; root++) {
		struct group_count count = {.sets = sets};
		struct variant_walk w = {.options = sets->options,
			.n_options = sets->n_options,
			.reaches = group,
			.emit = count_emit,
			.ctx = &count,
			.budget = COUNT_BUDGET};

		if (parent[root] != root)
			continue;
		for (size_t i = 0; i < sets->n_options; i++)
			group[i] = find_root(parent, i) == root && (!reaches || reaches[i]);
		variants_walk(&w);
		product *= count.even + count.odd;
	}
	return product;
}

static double count_half(const struct variant_sets *sets, const bool *reaches)
{
	struct group_count count = {.sets = sets};
	struct variant_walk w = {.options = sets->options,
		.n_options = sets->n_options,
		.reaches = reaches,
		.half = true,
		.emit = count_emit,
		.ctx = &count,
		.budget = COUNT_BUDGET};

	variants_walk(&w);
	return count.even + count.odd;
}

/* Different listed variants (masked) that no product set has. */
static double count_listed(
	const struct variant_sets *sets, const uint8_t *baseline, const bool *reaches, bool half)
{
	VEC(uint8_t *) seen = VEC_INIT;
	const struct variant_set the_half = {.kind = SET_HALF};
	double count = 0;

	for (size_t s = 0; s <= sets->n; s++) {
		const uint8_t *rows = s < sets->n ? sets->items[s].rows : baseline;
		size_t n = s < sets->n ? sets->items[s].n : 1;

		for (size_t r = 0; r < n; r++) {
			uint8_t *row = xcalloc(sets->n_options + 1, 1);
			bool known = false;

			variant_mask(rows + r * sets->n_options, reaches, sets->n_options, row);
			for (size_t k = 0; k < seen.n && !known; k++)
				known = !memcmp(seen.items[k], row, sets->n_options);
			if (known) {
				free(row);
				continue;
			}
			*vec_push(&seen) = row;
			count += !half || !variant_set_has(sets, &the_half, reaches, row);
		}
	}
	for (size_t k = 0; k < seen.n; k++)
		free(seen.items[k]);
	vec_release(&seen);
	return count;
}

double variants_count(const struct variant_sets *sets, bool half, const bool *reaches)
{
	return half ? count_half(sets, reaches) : count_full(sets, reaches);
}

double variant_sets_count(
	const struct variant_sets *sets, const uint8_t *baseline, const bool *reaches)
{
	bool full = false, half = false;

	for (size_t i = 0; i < sets->n; i++) {
		full |= sets->items[i].kind == SET_FULL;
		half |= sets->items[i].kind == SET_HALF;
	}
	if (full) /* holds every variant that holds */
		return count_full(sets, reaches);
	return count_listed(sets, baseline, reaches, half) + (half ? count_half(sets, reaches) : 0);
}
