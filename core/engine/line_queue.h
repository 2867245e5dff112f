/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of a run with their stamps, kept until the run is over: matching them against patterns
 * while the program runs would take processor time from it. Beyond LINE_QUEUE_MAX bytes the oldest
 * are handed on at once, so memory stays bounded.
 */
#ifndef ASSAY_ENGINE_LINE_QUEUE_H
#define ASSAY_ENGINE_LINE_QUEUE_H

#include "core/base/buf.h"
#include "core/model/descriptor.h"

#define LINE_QUEUE_MAX ((size_t)128 << 20)

typedef void line_queue_fn(
	void *ctx, enum stream stream, const char *line, size_t len, int64_t t_ns);

struct line_queue {
	struct buf data;
	line_queue_fn *fn; /* gets the lines, in order of arrival */
	void *ctx;
};

void line_queue_init(struct line_queue *queue, line_queue_fn *fn, void *ctx);
void line_queue_release(struct line_queue *queue);
void line_queue_add(
	struct line_queue *queue, enum stream stream, const char *line, size_t len, int64_t t_ns);
/* Hands all lines on. */
void line_queue_flush(struct line_queue *queue);

#endif
