/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is freed all at once. A descriptor or a plan lives in one arena and never changes
 * after it was made. Pointers stay valid until arena_release.
 */
#ifndef ASSAY_BASE_ARENA_H
#define ASSAY_BASE_ARENA_H

#include "core/base/util.h"

struct arena {
	struct arena_chunk *chunks;
	size_t bytes; /* handed out so far */
};

#define ARENA_INIT \
	{ \
		0 \
	}

void arena_release(struct arena *arena);
/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_array(struct arena *arena, size_t n, size_t size);
char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_printf(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);
void *arena_memdup(struct arena *arena, const void *data, size_t size);

/* What is handed out after a mark can be given back: for candidates that are thrown away. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t used, bytes;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#endif
