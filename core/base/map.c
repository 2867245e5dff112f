/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/map.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bit (Fowler, Noll, Vo; offset basis and prime of the published definition). */
static uint64_t hash_text(const char *key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return h;
}

void map_release(struct map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->entries[i].key);
	free(map->entries);
	free(map->slots);
	*map = (struct map)MAP_INIT;
}

static uint32_t *slot_of(const struct map *map, const char *key, uint64_t hash)
{
	size_t mask = map->n_slots - 1;

	for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
		uint32_t at = map->slots[i];

		if (!at)
			return &map->slots[i];
		if (map->entries[at - 1].hash == hash && !strcmp(map->entries[at - 1].key, key))
			return &map->slots[i];
	}
}

static void grow(struct map *map)
{
	free(map->slots);
	map->n_slots = map->n_slots ? map->n_slots * 2 : 16;
	map->slots = xcalloc(map->n_slots, sizeof(*map->slots));
	map->cap = map->n_slots / 2;
	map->entries = xreallocarray(map->entries, map->cap, sizeof(*map->entries));
	for (size_t i = 0; i < map->n; i++)
		*slot_of(map, map->entries[i].key, map->entries[i].hash) = (uint32_t)i + 1;
}

struct map_entry *map_find(const struct map *map, const char *key)
{
	uint32_t at = map->n ? *slot_of(map, key, hash_text(key)) : 0;

	return at ? &map->entries[at - 1] : NULL;
}

void *map_get(const struct map *map, const char *key)
{
	struct map_entry *entry = map_find(map, key);

	return entry ? entry->value : NULL;
}

struct map_entry *map_put(struct map *map, const char *key, void *value)
{
	struct map_entry *entry = map_find(map, key);

	if (!entry) {
		if (map->n == map->cap)
			grow(map);
		entry = &map->entries[map->n++];
		entry->key = xstrdup(key);
		entry->hash = hash_text(key);
		*slot_of(map, key, entry->hash) = (uint32_t)map->n;
	}
	entry->value = value;
	return entry;
}
