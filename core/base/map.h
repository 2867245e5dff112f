/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text -> pointer, in order of insertion. Keys are copied; values are borrowed.
 */
#ifndef ASSAY_BASE_MAP_H
#define ASSAY_BASE_MAP_H

#include "core/base/util.h"

struct map_entry {
	char *key;
	void *value;
	uint64_t hash;
};

struct map {
	struct map_entry *entries; /* in order of insertion: entries[0 .. n-1] */
	size_t n, cap;
	uint32_t *slots; /* index + 1 into entries; 0 = free */
	size_t n_slots;  /* power of two */
};

#define MAP_INIT \
	{ \
		0 \
	}

void map_release(struct map *map);
/* NULL if there is none. */
void *map_get(const struct map *map, const char *key);
struct map_entry *map_find(const struct map *map, const char *key);
/* Sets or replaces; returns the entry, valid until the next put of a new key. */
struct map_entry *map_put(struct map *map, const char *key, void *value);

#endif
