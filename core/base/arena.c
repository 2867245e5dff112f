/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGN _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *next; /* the older one */
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void arena_release(struct arena *arena)
{
	arena_rewind(arena, (struct arena_mark){0});
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *p;

	if (size > SIZE_MAX / 2)
		size = SIZE_MAX / 2; /* xmalloc aborts */
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		chunk = xmalloc(sizeof(*chunk) + room);
		chunk->next = arena->chunks;
		chunk->used = 0;
		chunk->size = room;
		arena->chunks = chunk;
	}
	p = chunk->data + chunk->used;
	chunk->used += size;
	arena->bytes += size;
	memset(p, 0, size);
	return p;
}

void *arena_array(struct arena *arena, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = SIZE_MAX;
	return arena_alloc(arena, bytes);
}

void *arena_memdup(struct arena *arena, const void *data, size_t size)
{
	void *p = arena_alloc(arena, size);

	if (size)
		memcpy(p, data, size);
	return p;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	char *p = arena_alloc(arena, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *text, *p;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	p = arena_strdup(arena, text);
	free(text);
	return p;
}

struct arena_mark arena_mark(const struct arena *arena)
{
	return (struct arena_mark){
		arena->chunks, arena->chunks ? arena->chunks->used : 0, arena->bytes};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
	while (arena->chunks != mark.chunk) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
	if (arena->chunks)
		arena->chunks->used = mark.used;
	arena->bytes = mark.bytes;
}
