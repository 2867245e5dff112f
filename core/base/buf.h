/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing byte buffer. Invariant: data is never NULL and data[len] is always '\0' (the bytes
 * before may hold NULs). The one way to take the memory out is buf_steal.
 */
#ifndef ASSAY_BASE_BUF_H
#define ASSAY_BASE_BUF_H

#include "core/base/util.h"

struct buf {
	char *data;
	size_t len, cap; /* cap 0: data is not owned (the shared empty string) */
};

extern char buf_empty[];
#define BUF_INIT \
	{ \
		.data = buf_empty \
	}

void buf_release(struct buf *buf);
void buf_reserve(struct buf *buf, size_t more);
void buf_add(struct buf *buf, const void *data, size_t len);
void buf_adds(struct buf *buf, const char *s);
void buf_addc(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *buf, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Keeps the memory. */
void buf_clear(struct buf *buf);
/* Shortens to len (<= buf->len). */
void buf_truncate(struct buf *buf, size_t len);
/* Removes the first n bytes. */
void buf_consume(struct buf *buf, size_t n);
/* The text, owned by the caller; the buffer is empty afterwards. */
char *buf_steal(struct buf *buf);

#endif
