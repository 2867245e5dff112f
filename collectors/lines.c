/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/lines.h"

#include <string.h>

#define ESC '\033'

void lines_init(struct lines *lines, line_fn *fn, void *ctx)
{
	*lines = (struct lines){.partial = BUF_INIT, .fn = fn, .ctx = ctx};
}

void lines_release(struct lines *lines)
{
	buf_release(&lines->partial);
}

/*
 * Length of the escape sequence at s[0] == ESC (ECMA-48): control sequences (ESC [ ... final byte),
 * strings (ESC ] and ESC P X ^ _, up to BEL or ESC \), and the short forms with intermediate bytes
 * (ESC ( B). A sequence that the end of the line cuts off is all of the rest.
 */
static size_t escape_length(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 2)
		return len;
	switch (s[1]) {
	case '[':
		while (i < len && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] <= 0x3f)
			i++;
		/* A byte that cannot end the sequence belongs to the text. */
		return i < len && (unsigned char)s[i] >= 0x40 && (unsigned char)s[i] <= 0x7e ? i + 1
											     : i;
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		for (; i < len; i++) {
			if (s[i] == '\a')
				return i + 1;
			if (s[i] == ESC)
				return i + 1 < len && s[i + 1] == '\\' ? i + 2 : i;
		}
		return len;
	default:
		i = 1;
		while (i < len && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] <= 0x2f)
			i++;
		return i < len && (unsigned char)s[i] >= 0x30 && (unsigned char)s[i] <= 0x7e ? i + 1
											     : i;
	}
}

static void strip_escapes(struct buf *line)
{
	size_t from = 0, to = 0;

	while (from < line->len) {
		if (line->data[from] == ESC)
			from += escape_length(line->data + from, line->len - from);
		else
			line->data[to++] = line->data[from++];
	}
	buf_truncate(line, to);
}

static void deliver(struct lines *lines, const char *line, size_t len, int64_t t_ns)
{
	if (!lines->n_lines)
		lines->first_ns = t_ns;
	lines->last_ns = t_ns;
	lines->n_lines++;
	lines->fn(lines->ctx, line, len, t_ns);
}

static void keep(struct lines *lines, const char *data, size_t len)
{
	size_t room = LINE_MAX_BYTES - lines->partial.len;

	if (len > room) {
		len = room;
		lines->overlong = true;
	}
	buf_add(&lines->partial, data, len);
}

static void finish(struct lines *lines, const char *data, size_t len, int64_t t_ns)
{
	/* The common case needs no copy. */
	if (!lines->partial.len && len <= LINE_MAX_BYTES && !memchr(data, ESC, len)) {
		deliver(lines, data, len, t_ns);
		return;
	}
	keep(lines, data, len);
	if (lines->overlong)
		lines->n_cut++;
	strip_escapes(&lines->partial);
	deliver(lines, lines->partial.data, lines->partial.len, t_ns);
	buf_clear(&lines->partial);
	lines->overlong = false;
}

/* Everything up to the end of a '\n' line (or of what there is); '\r' inside ends lines, too. */
static void feed_until(struct lines *lines, const char *data, size_t len, bool ended, int64_t t_ns)
{
	const char *cr;

	while ((cr = memchr(data, '\r', len))) {
		size_t n = (size_t)(cr - data);

		finish(lines, data, n, t_ns);
		lines->after_cr = true;
		data += n + 1;
		len -= n + 1;
		if (len)
			lines->after_cr = false;
	}
	if (len)
		lines->after_cr = false;
	if (!ended)
		keep(lines, data, len);
	else if (!lines->after_cr)
		finish(lines, data, len, t_ns);
	if (ended)
		lines->after_cr = false;
}

void lines_feed(struct lines *lines, const char *data, size_t len, int64_t t_ns)
{
	while (len) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) : len;

		feed_until(lines, data, n, nl != NULL, t_ns);
		if (!nl)
			return;
		data += n + 1;
		len -= n + 1;
	}
}

void lines_end(struct lines *lines, int64_t t_ns)
{
	if (lines->partial.len)
		finish(lines, "", 0, t_ns);
	lines->after_cr = false;
}
