/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char buf_empty[1];

void buf_release(struct buf *buf)
{
	if (buf->cap)
		free(buf->data);
	*buf = (struct buf)BUF_INIT;
}

void buf_reserve(struct buf *buf, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(buf->len, more, &need) || need == SIZE_MAX)
		need = SIZE_MAX - 1; /* xreallocarray aborts */
	if (buf->cap > need)
		return;
	need = need + 1 > buf->cap * 2 ? need + 1 : buf->cap * 2;
	if (need < 64)
		need = 64;
	buf->data = xreallocarray(buf->cap ? buf->data : NULL, need, 1);
	buf->cap = need;
	buf->data[buf->len] = '\0';
}

void buf_add(struct buf *buf, const void *data, size_t len)
{
	if (!len)
		return;
	buf_reserve(buf, len);
	memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void buf_adds(struct buf *buf, const char *s)
{
	buf_add(buf, s, strlen(s));
}

void buf_addc(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_vaddf(struct buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	buf_reserve(buf, (size_t)n);
	vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, ap);
	buf->len += (size_t)n;
}

void buf_addf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(buf, fmt, ap);
	va_end(ap);
}

void buf_clear(struct buf *buf)
{
	buf_truncate(buf, 0);
}

void buf_truncate(struct buf *buf, size_t len)
{
	if (len > buf->len || !buf->cap)
		return;
	buf->len = len;
	buf->data[len] = '\0';
}

void buf_consume(struct buf *buf, size_t n)
{
	if (!n)
		return;
	if (n > buf->len)
		n = buf->len;
	memmove(buf->data, buf->data + n, buf->len - n);
	buf_truncate(buf, buf->len - n);
}

char *buf_steal(struct buf *buf)
{
	char *data;

	buf_reserve(buf, 0);
	data = buf->data;
	*buf = (struct buf)BUF_INIT;
	return data;
}
