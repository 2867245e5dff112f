/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The growing list of (key, coefficient) pairs inside an indexer: this is what option A1 changes.
 *
 * LC_INLINE_CAP undefined: a plain vector. An empty one owns no memory; pushes grow it
 * 0 -> 4 -> 8 -> 16 ...; one made from a single entry has room for exactly that entry, then 4.
 *
 * LC_INLINE_CAP = 1, 2 or 4: a small vector that keeps up to that many entries inside itself and
 * moves all of them to the heap, to the next power of two, when one more comes. As in the library
 * that it stands for, one word holds the length while the entries are inside and the capacity
 * afterwards, so each look at the length or the entries first branches on "capacity > N".
 *
 * The sizes are part of the experiment: combinations travel by value, so they are what a chained
 * operation copies.
 */
#ifndef PROVER_ENTRIES_H
#define PROVER_ENTRIES_H

#include <string.h>

#include "fr.h"
#include "mem.h"

struct entry {
	size_t key;
	struct fr coeff;
};

_Static_assert(sizeof(struct entry) == 40, "a pair is 40 bytes");

#ifdef LC_INLINE_CAP
#if LC_INLINE_CAP != 1 && LC_INLINE_CAP != 2 && LC_INLINE_CAP != 4
#error "LC_INLINE_CAP is 1, 2 or 4; leave it undefined for a plain vector"
#endif

struct entries {
	size_t capacity; /* <= LC_INLINE_CAP: the length, entries are inside; above: on the heap */
	size_t tag;      /* the discriminant of inside/heap: takes room, is never asked */
	union {
		struct entry inside[LC_INLINE_CAP];
		struct {
			struct entry *at;
			size_t len;
		} heap;
	} data;
};

_Static_assert(sizeof(struct entries) == 16 + 40 * LC_INLINE_CAP, "56, 96 or 176 bytes");

static inline bool entries_on_heap(const struct entries *e)
{
	return e->capacity > LC_INLINE_CAP;
}

static inline size_t entries_len(const struct entries *e)
{
	return entries_on_heap(e) ? e->data.heap.len : e->capacity;
}

static inline size_t entries_capacity(const struct entries *e)
{
	return entries_on_heap(e) ? e->capacity : LC_INLINE_CAP;
}

static inline struct entry *entries_at(struct entries *e)
{
	return entries_on_heap(e) ? e->data.heap.at : e->data.inside;
}

static inline const struct entry *entries_view(const struct entries *e)
{
	return entries_on_heap(e) ? e->data.heap.at : e->data.inside;
}

static inline void entries_set_len(struct entries *e, size_t len)
{
	if (entries_on_heap(e))
		e->data.heap.len = len;
	else
		e->capacity = len;
}

static inline struct entries entries_empty(void)
{
	/* The entries inside stay unwritten: making an empty list costs two words. */
	struct entries e;

	e.capacity = 0;
	e.tag = 0;
	return e;
}

#else

struct entries {
	struct entry *at;
	size_t capacity;
	size_t len;
};

_Static_assert(sizeof(struct entries) == 24, "a vector is 24 bytes");

static inline size_t entries_len(const struct entries *e)
{
	return e->len;
}

static inline size_t entries_capacity(const struct entries *e)
{
	return e->capacity;
}

static inline struct entry *entries_at(struct entries *e)
{
	return e->at;
}

static inline const struct entry *entries_view(const struct entries *e)
{
	return e->at;
}

static inline void entries_set_len(struct entries *e, size_t len)
{
	e->len = len;
}

static inline struct entries entries_empty(void)
{
	return (struct entries){NULL, 0, 0};
}

#endif

/* One more place than the list has: only when it is full. */
void entries_grow(struct entries *e);
struct entries entries_clone(const struct entries *e);
struct entries entries_from_one(size_t key, const struct fr *coeff);
void entries_free(struct entries *e);

/* Puts an entry before position i (i == length: at the end), moving up those behind it. */
static inline void entries_insert(struct entries *e, size_t i, size_t key, const struct fr *coeff)
{
	size_t len = entries_len(e);

	if (len == entries_capacity(e))
		entries_grow(e);
	struct entry *at = entries_at(e);
	if (i < len)
		memmove(at + i + 1, at + i, (len - i) * sizeof(*at));
	at[i].key = key;
	at[i].coeff = *coeff;
	entries_set_len(e, len + 1);
}

#endif
