/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "entries.h"

#include <stdlib.h>

#ifdef LC_INLINE_CAP

static size_t next_power_of_two(size_t n)
{
	size_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/* Leaves the inside for the heap with room for capacity entries; keeps len of them. */
static void move_out(struct entries *e, const struct entry *from, size_t len, size_t capacity)
{
	struct entry *at = mem_resize(NULL, capacity, sizeof(*at));

	memcpy(at, from, len * sizeof(*at));
	e->capacity = capacity;
	e->tag = 1;
	e->data.heap.at = at;
	e->data.heap.len = len;
}

void entries_grow(struct entries *e)
{
	size_t capacity = next_power_of_two(entries_len(e) + 1);

	if (entries_on_heap(e)) {
		e->data.heap.at = mem_resize(e->data.heap.at, capacity, sizeof(struct entry));
		e->capacity = capacity;
		return;
	}
	struct entry inside[LC_INLINE_CAP];
	memcpy(inside, e->data.inside, sizeof(inside));
	move_out(e, inside, LC_INLINE_CAP, capacity);
}

struct entries entries_clone(const struct entries *e)
{
	struct entries copy = entries_empty();
	size_t len = entries_len(e);

	if (len > LC_INLINE_CAP) {
		move_out(&copy, entries_view(e), len, next_power_of_two(len));
	} else {
		memcpy(copy.data.inside, entries_view(e), len * sizeof(struct entry));
		copy.capacity = len;
	}
	return copy;
}

struct entries entries_from_one(size_t key, const struct fr *coeff)
{
	struct entries e = entries_empty();

	e.data.inside[0].key = key;
	e.data.inside[0].coeff = *coeff;
	e.capacity = 1;
	return e;
}

void entries_free(struct entries *e)
{
	if (entries_on_heap(e))
		free(e->data.heap.at);
}

#else

void entries_grow(struct entries *e)
{
	size_t capacity = e->capacity * 2 < 4 ? 4 : e->capacity * 2;

	e->at = mem_resize(e->at, capacity, sizeof(struct entry));
	e->capacity = capacity;
}

struct entries entries_clone(const struct entries *e)
{
	struct entries copy = entries_empty();

	if (e->len) {
		copy.at = mem_resize(NULL, e->len, sizeof(struct entry));
		memcpy(copy.at, e->at, e->len * sizeof(struct entry));
		copy.capacity = copy.len = e->len;
	}
	return copy;
}

struct entries entries_from_one(size_t key, const struct fr *coeff)
{
	struct entries e = {mem_resize(NULL, 1, sizeof(struct entry)), 1, 1};

	e.at[0].key = key;
	e.at[0].coeff = *coeff;
	return e;
}

void entries_free(struct entries *e)
{
	if (e->capacity)
		free(e->at);
}

#endif
