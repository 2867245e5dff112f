/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/line_queue.h"

#include <string.h>

struct head {
	int64_t t_ns;
	size_t len;
	enum stream stream;
};

void line_queue_init(struct line_queue *queue, line_queue_fn *fn, void *ctx)
{
	*queue = (struct line_queue){.data = BUF_INIT, .fn = fn, .ctx = ctx};
}

void line_queue_release(struct line_queue *queue)
{
	buf_release(&queue->data);
}

void line_queue_add(
	struct line_queue *queue, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct head head = {.t_ns = t_ns, .len = len, .stream = stream};

	if (queue->data.len + sizeof(head) + len > LINE_QUEUE_MAX)
		line_queue_flush(queue);
	buf_add(&queue->data, &head, sizeof(head));
	buf_add(&queue->data, line, len);
}

void line_queue_flush(struct line_queue *queue)
{
	struct head head;

	for (size_t at = 0; at < queue->data.len; at += sizeof(head) + head.len) {
		memcpy(&head, queue->data.data + at, sizeof(head));
		queue->fn(queue->ctx, head.stream, queue->data.data + at + sizeof(head), head.len,
			head.t_ns);
	}
	buf_clear(&queue->data);
}
