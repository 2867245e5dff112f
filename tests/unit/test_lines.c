/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/lines.h"

/* Lines as "text|text|", their stamps in a list of their own. */
struct got {
	struct buf text;
	int64_t stamps[32];
	size_t n;
};

static void take(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct got *got = ctx;

	buf_add(&got->text, line, len);
	buf_addc(&got->text, '|');
	if (got->n < ARRAY_SIZE(got->stamps))
		got->stamps[got->n] = t_ns;
	got->n++;
}

/* In pieces of `step` bytes, each in memory of exactly its size. */
static void feed(struct lines *lines, const char *data, size_t len, size_t step)
{
	int64_t t = 0;

	for (size_t at = 0; at < len; at += step) {
		size_t n = len - at < step ? len - at : step;
		char *piece = xmalloc(n);

		memcpy(piece, data + at, n);
		lines_feed(lines, piece, n, ++t);
		free(piece);
	}
	lines_end(lines, ++t);
}

static void expect_n(const char *data, size_t len, const char *expected)
{
	for (size_t step = 1; step <= len + 1; step++) {
		struct got got = {.text = BUF_INIT};
		struct lines lines;

		lines_init(&lines, take, &got);
		feed(&lines, data, len, step);
		assert_string_equal(got.text.data, expected);
		assert_int_equal(lines.n_lines, got.n);
		lines_release(&lines);
		buf_release(&got.text);
	}
}

static void expect(const char *data, const char *expected)
{
	expect_n(data, strlen(data), expected);
}

static void lines_end_with_newline_or_return(void **state)
{
	(void)state;
	expect("", "");
	expect("a\nb\n", "a|b|");
	expect("a\nb", "a|b|");
	expect("\n\na\n", "||a|");
	expect("10%\r20%\rdone\n", "10%|20%|done|");
	expect("a\r\nb\r\n", "a|b|");
	expect("a\r\r\nb", "a||b|");
	expect("a\r\n\r\nb\n\n", "a||b||");
	expect("a\r", "a|");
}

static void escape_sequences_are_stripped(void **state)
{
	(void)state;
	expect("\033[1;32mok\033[0m done\n", "ok done|");
	expect("\033]0;title\ax\n", "x|");
	expect("\033]8;;http://x\033\\link\033]8;;\033\\\n", "link|");
	expect("\033(Ba\033Mb\n", "ab|");
	expect("\033[2K\rnext\n", "|next|");
	expect("cut\033[3\n", "cut|");
	expect("cut\033\n", "cut|");
	/* 0x9b starts a sequence in Latin-1 terminals, but is part of a character in UTF-8. */
	expect("caf\xC3\xA9 \xE2\x9B\x94\n", "caf\xC3\xA9 \xE2\x9B\x94|");
}

static void nul_bytes_are_kept(void **state)
{
	struct got got = {.text = BUF_INIT};
	struct lines lines;

	(void)state;
	lines_init(&lines, take, &got);
	lines_feed(&lines, "a\0b\n", 4, 1);
	assert_int_equal(got.text.len, 4);
	assert_memory_equal(got.text.data, "a\0b|", 4);
	lines_release(&lines);
	buf_release(&got.text);
}

static void a_line_has_the_stamp_of_its_end(void **state)
{
	struct got got = {.text = BUF_INIT};
	struct lines lines;

	(void)state;
	lines_init(&lines, take, &got);
	lines_feed(&lines, "ab", 2, 10);
	assert_int_equal(lines.first_ns, 0);
	lines_feed(&lines, "c\nde\nf", 6, 20);
	lines_feed(&lines, "g", 1, 30);
	lines_end(&lines, 40);
	assert_string_equal(got.text.data, "abc|de|fg|");
	assert_int_equal(got.stamps[0], 20);
	assert_int_equal(got.stamps[1], 20);
	assert_int_equal(got.stamps[2], 40);
	assert_int_equal(lines.first_ns, 20);
	assert_int_equal(lines.last_ns, 40);
	lines_release(&lines);
	buf_release(&got.text);
}

static void long_lines_are_cut(void **state)
{
	static const size_t steps[] = {1000, 4096, 65536, 65537, 200000};
	size_t len = 2 * LINE_MAX_BYTES + 100;
	AUTOFREE char *data = xmalloc(len);

	(void)state;
	memset(data, 'x', len);
	data[len - 3] = '\n';
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct got got = {.text = BUF_INIT};
		struct lines lines;

		lines_init(&lines, take, &got);
		feed(&lines, data, len, steps[i]);
		assert_int_equal(lines.n_lines, 2);
		assert_int_equal(lines.n_cut, 1);
		assert_int_equal(got.text.len, LINE_MAX_BYTES + 1 + 3);
		assert_string_equal(got.text.data + LINE_MAX_BYTES, "|xx|");
		lines_release(&lines);
		buf_release(&got.text);
	}
	/* Exactly the limit is not cut. */
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct got got = {.text = BUF_INIT};
		struct lines lines;

		data[LINE_MAX_BYTES] = '\n';
		lines_init(&lines, take, &got);
		feed(&lines, data, LINE_MAX_BYTES + 1, steps[i]);
		assert_int_equal(lines.n_cut, 0);
		assert_int_equal(got.text.len, LINE_MAX_BYTES + 1);
		lines_release(&lines);
		buf_release(&got.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_newline_or_return),
		cmocka_unit_test(escape_sequences_are_stripped),
		cmocka_unit_test(nul_bytes_are_kept),
		cmocka_unit_test(a_line_has_the_stamp_of_its_end),
		cmocka_unit_test(long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
