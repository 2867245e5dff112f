/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/log_series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct log_key {
	const char *name, *base;
	enum log_reduce reduce;
	struct log_reduced all;
	bool labelled; /* some value has a label */
};

struct log_single {
	uint32_t key;
	const char *label; /* "" = none */
	double value, quantum;
};

void log_series_init(struct log_series *series)
{
	memset(series, 0, sizeof(*series));
}

void log_series_release(struct log_series *series)
{
	map_release(&series->by_name);
	vec_release(&series->keys);
	vec_release(&series->singles);
	arena_release(&series->arena);
}

static uint32_t find_key(
	struct log_series *series, const char *name, const char *base, enum log_reduce reduce)
{
	const struct map_entry *entry = map_find(&series->by_name, name);
	struct log_key *key;

	if (entry)
		return (uint32_t)((uintptr_t)entry->value - 1);
	key = vec_push(&series->keys);
	key->name = arena_strdup(&series->arena, name);
	key->base = base;
	key->reduce = reduce;
	map_put(&series->by_name, name, (void *)(uintptr_t)series->keys.n);
	return (uint32_t)(series->keys.n - 1);
}

void log_series_add(struct log_series *series, const char *name, const char *base,
	enum log_reduce reduce, double value, double quantum, const char *label)
{
	uint32_t index = find_key(series, name, base, reduce);
	struct log_key *key = &series->keys.items[index];
	struct log_single *single;

	if (strcmp(key->base, base)) {
		series->unit_conflicts++;
		return;
	}
	log_reduced_add(&key->all, key->reduce, value, quantum);
	if (*label)
		key->labelled = true;
	if (series->singles.n == LOG_SINGLES_MAX) {
		series->singles_dropped++;
		return;
	}
	single = vec_push(&series->singles);
	single->key = index;
	single->label = *label ? arena_strdup(&series->arena, label) : "";
	single->value = value;
	single->quantum = quantum;
}

void log_sample(struct run_record *record, const char *name, const char *unit, const char *instance,
	double value, double quantum)
{
	char metric[512];

	snprintf(metric, sizeof(metric), "log:%s", name);
	run_record_sample(record, &(struct sample){.metric = metric,
					  .unit = unit,
					  .instance = instance,
					  .value = value,
					  .quantum = quantum,
					  .collector = "log"});
}

/*
 * A label that no value of this key had so far. seen: "KEY\x1fLABEL" -> how often it came; "g#2"
 * may itself have been printed, hence the loop.
 */
static const char *unique_label(
	struct map *seen, struct buf *text, uint32_t key, const char *label, uint64_t number)
{
	size_t start;
	char count[24];

	snprintf(count, sizeof(count), "%" PRIu64, number);
	if (!*label)
		label = count;
	buf_clear(text);
	buf_addf(text, "%" PRIu32 "\x1f", key);
	start = text->len;
	buf_adds(text, label);
	for (uintptr_t n = 1;;) {
		struct map_entry *entry = map_find(seen, text->data);

		if (!entry) {
			map_put(seen, text->data, (void *)(uintptr_t)1);
			return text->data + start;
		}
		if (n == 1)
			n = (uintptr_t)entry->value;
		n++;
		/* Remembered at the plain label, so that many equal ones stay linear. */
		buf_truncate(text, start + strlen(label));
		map_put(seen, text->data, (void *)n);
		buf_addf(text, "#%" PRIuPTR, n);
	}
}

void log_series_write(const struct log_series *series, struct run_record *record)
{
	struct map seen = MAP_INIT;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOFREE uint64_t *number = xcalloc(series->keys.n + 1, sizeof(*number));

	for (size_t i = 0; i < series->keys.n; i++) {
		const struct log_key *key = &series->keys.items[i];

		if (key->all.n)
			log_sample(record, key->name, key->base, "",
				log_reduced_value(&key->all, key->reduce), key->all.quantum);
	}
	for (size_t i = 0; i < series->singles.n; i++) {
		const struct log_single *single = &series->singles.items[i];
		const struct log_key *key = &series->keys.items[single->key];
		const char *label;
		char count[24];

		number[single->key]++;
		if (key->all.n == 1 && !key->labelled)
			continue;
		if (key->labelled) {
			label = unique_label(
				&seen, &text, single->key, single->label, number[single->key]);
		} else {
			snprintf(count, sizeof(count), "%" PRIu64, number[single->key]);
			label = count;
		}
		log_sample(record, key->name, key->base, label, single->value, single->quantum);
	}
	map_release(&seen);
}
