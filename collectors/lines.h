/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of an output stream -> lines. '\n' ends a line, and so does '\r' (progress bars); an empty
 * line between "\r\n" is not made. ANSI escape sequences are stripped. A line longer than
 * LINE_MAX_BYTES is delivered in its first LINE_MAX_BYTES; the rest up to its end is dropped and
 * counted. The stamp of a line is the arrival of the read that brought its end.
 */
#ifndef ASSAY_COLLECTORS_LINES_H
#define ASSAY_COLLECTORS_LINES_H

#include "core/base/buf.h"

#define LINE_MAX_BYTES ((size_t)64 * 1024)

typedef void line_fn(void *ctx, const char *line, size_t len, int64_t t_ns);

struct lines {
	struct buf partial;
	bool after_cr, overlong;
	uint64_t n_lines, n_cut;
	int64_t first_ns, last_ns; /* stamps of the first and the last line; 0 = none yet */
	line_fn *fn;
	void *ctx;
};

void lines_init(struct lines *lines, line_fn *fn, void *ctx);
void lines_feed(struct lines *lines, const char *data, size_t len, int64_t t_ns);
/* Delivers an unfinished last line. */
void lines_end(struct lines *lines, int64_t t_ns);
void lines_release(struct lines *lines);

#endif
