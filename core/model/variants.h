/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variants that sets give. Short sets are listed; the products full and half are walked depth
 * first, so that constraints and excludes cut whole branches and nothing is kept of what they cut.
 *
 * Options that do not reach a workload count as off there ("masked"); reaches is closed under
 * requires (descriptor.h), so a masked variant holds whenever the whole one does.
 */
#ifndef ASSAY_MODEL_VARIANTS_H
#define ASSAY_MODEL_VARIANTS_H

#include "core/model/setexpr.h"

struct variant_set {
	const char *text;  /* as written */
	const char *plain; /* without blanks */
	enum set_kind kind;
	const uint8_t *rows; /* what is listed: n variants of n_options bytes */
	size_t n;
};

struct variant_sets {
	const struct option *options;
	size_t n_options;
	struct variant_set *items;
	size_t n;
};

/* Expands the sets of a descriptor. Each warning is a sentence; node is its place or NULL. */
void variant_sets_make(const struct descriptor *descriptor, struct arena *arena,
	void (*warn)(void *ctx, const struct conf_node *node, const char *text), void *ctx,
	struct variant_sets *ret);

/* Is a masked variant one that the set gives? */
bool variant_set_has(const struct variant_sets *sets, const struct variant_set *set,
	const bool *reaches, const uint8_t *levels);

/* What is left of a variant where only some options reach. */
void variant_mask(const uint8_t *from, const bool *reaches, size_t n_options, uint8_t *to);

/* How many variants full or half has, masked. */
double variants_count(const struct variant_sets *sets, bool half, const bool *reaches);
/* How many different variants a set union has: all sets and the baseline, masked by reaches (NULL =
 * not masked). Exact up to some millions of dependent combinations, else a lower bound. */
double variant_sets_count(
	const struct variant_sets *sets, const uint8_t *baseline, const bool *reaches);

struct variant_walk {
	const struct option *options;
	size_t n_options;
	const bool *reaches; /* NULL = all */
	bool half;
	/* Is there nothing to find below? Called whenever one more option got its level; settled
	 * says which have. Options that do not reach are at 0. */
	bool (*cut)(void *ctx, const uint8_t *levels, const bool *settled);
	/* One masked variant; false ends the walk. */
	bool (*emit)(void *ctx, const uint8_t *levels);
	void *ctx;
	size_t budget; /* most combinations to look at, 0 = no limit */
};
/* The first option varies fastest. false when emit or the budget ended the walk. */
bool variants_walk(const struct variant_walk *walk);

#endif
