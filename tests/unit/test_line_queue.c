/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/engine/line_queue.h"

struct seen {
	size_t n, bytes;
	int64_t last_ns;
	struct buf text; /* of the first few */
};

static void see(void *ctx, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct seen *seen = ctx;

	assert_true(t_ns > seen->last_ns);
	seen->last_ns = t_ns;
	seen->n++;
	seen->bytes += len;
	if (seen->text.len < 200) {
		buf_addf(&seen->text, "%d:", (int)stream);
		buf_add(&seen->text, line, len);
		buf_addc(&seen->text, ';');
	}
}

static void in_order_when_flushed(void **state)
{
	CLEANUP(buf_release) struct buf expected = BUF_INIT;
	struct seen seen = {.text = BUF_INIT};
	struct line_queue queue;

	(void)state;
	line_queue_init(&queue, see, &seen);
	line_queue_add(&queue, STREAM_STDERR, "one", 3, 1);
	line_queue_add(&queue, STREAM_STDOUT, "", 0, 2);
	line_queue_add(&queue, STREAM_STDERR, "a\0b", 3, 3);
	assert_int_equal(seen.n, 0);
	line_queue_flush(&queue);
	assert_int_equal(seen.n, 3);
	buf_add(&expected, "1:one;0:;1:a\0b;", 15);
	assert_int_equal(seen.text.len, expected.len);
	assert_memory_equal(seen.text.data, expected.data, expected.len);
	line_queue_flush(&queue);
	assert_int_equal(seen.n, 3);
	line_queue_release(&queue);
	buf_release(&seen.text);
}

/* A flood is handed on in between: nothing is lost, and memory has a bound. */
static void bounded(void **state)
{
	static char line[64 * 1024];
	size_t n = 2 * LINE_QUEUE_MAX / sizeof(line) + 5, most = 0;
	struct seen seen = {.text = BUF_INIT};
	struct line_queue queue;

	(void)state;
	memset(line, 'x', sizeof(line));
	line_queue_init(&queue, see, &seen);
	for (size_t i = 0; i < n; i++) {
		line_queue_add(&queue, STREAM_STDOUT, line, sizeof(line), (int64_t)i + 1);
		if (queue.data.len > most)
			most = queue.data.len;
	}
	assert_true(most <= LINE_QUEUE_MAX);
	assert_true(seen.n > 0 && seen.n < n);
	line_queue_flush(&queue);
	assert_int_equal(seen.n, n);
	assert_int_equal(seen.bytes, n * sizeof(line));
	line_queue_release(&queue);
	buf_release(&seen.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_when_flushed),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
