/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/table.h"
#include "core/base/text.h"

static struct table *sample(void)
{
	struct table *table = table_new("prove, s a run");

	table_column(table, "variant", "variant", ALIGN_LEFT, 0);
	table_column(table, "wall_s", "time (s)", ALIGN_RIGHT, 0);
	table_column(table, "delta", "difference", ALIGN_RIGHT, 2);
	table_column(table, "runs", "runs", ALIGN_RIGHT, 1);
	table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
	table_row(table);
	table_text(table, "variant", "none");
	table_real(table, "wall_s", 0.1, "%.3f");
	table_none(table, "delta", NULL);
	table_int(table, "runs", 4);
	table_text(table, "verdict", "baseline");
	table_row(table);
	table_text(table, "variant", "A1=cap2");
	table_none(table, "wall_s", "build failed");
	table_real_text(table, "delta", -0.25, "-25 %");
	table_int(table, "runs", 0);
	table_textf(table, "verdict", "undecided (noise, about %d more blocks)", 12);
	table_style(table, "verdict", "doubt");
	return table;
}

static size_t widest(const char *text)
{
	size_t max = 0;

	while (*text) {
		const char *end = strchrnul(text, '\n');
		AUTOFREE char *line = xstrndup(text, (size_t)(end - text));
		size_t w = text_width(line);

		max = w > max ? w : max;
		text = *end ? end + 1 : end;
	}
	return max;
}

static void test_text(void **state)
{
	CLEANUP(table_freep) struct table *table = sample();
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	(void)state;
	table_render_text(table, &out, 100, false);
	assert_string_equal(out.data,
		"prove, s a run\n"
		" variant  time (s)  difference  runs  verdict\n"
		" none        0.100           -     4  baseline\n"
		" A1=cap2       n/m       -25 %     0  undecided (noise, about "
		"12 more blocks)\n");
	buf_clear(&out);
	/* narrower: the verdict goes onto lines of its own and nothing is lost */
	table_render_text(table, &out, 65, false);
	assert_non_null(strstr(out.data, "undecided (noise, about 12\n"));
	assert_non_null(strstr(out.data, " more blocks)\n"));
	assert_non_null(strstr(out.data, "difference"));
	assert_true(widest(out.data) <= 65);
	buf_clear(&out);
	/* narrower still: the column of the highest priority number leaves first */
	table_render_text(table, &out, 50, false);
	assert_null(strstr(out.data, "difference"));
	assert_non_null(strstr(out.data, "runs"));
	assert_true(widest(out.data) <= 50);
	buf_clear(&out);
	table_render_text(table, &out, 40, false);
	assert_null(strstr(out.data, "runs"));
	assert_true(widest(out.data) <= 40);
}

/* On any terminal lines fit and words stay whole; columns go before that is given up. */
static void test_text_words_stay_whole(void **state)
{
	static const char *const words[] = {
		"verdict", "baseline", "undecided", "about", "more", "blocks"};
	CLEANUP(table_freep) struct table *table = table_new(NULL);

	(void)state;
	table_column(table, "variant", "variant", ALIGN_LEFT, 0);
	table_column(table, "value", "rate (Mops/s)", ALIGN_RIGHT, 0);
	table_column(table, "against", "against none", ALIGN_RIGHT, 0);
	table_column(table, "sure", "95 % sure", ALIGN_RIGHT, 0);
	table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
	table_row(table);
	table_text(table, "variant", "none");
	table_text(table, "value", "257.2");
	table_text(table, "verdict", "baseline");
	table_row(table);
	table_text(table, "variant", "extra");
	table_text(table, "value", "259.0");
	table_text(table, "against", "+0.7 %");
	table_text(table, "sure", "[-5.0, +6.7]");
	table_text(table, "verdict", "undecided (noise, about 3 more blocks)");
	for (int width = 34; width < 120; width++) {
		CLEANUP(buf_release) struct buf out = BUF_INIT;

		table_render_text(table, &out, width, false);
		assert_true(widest(out.data) <= (size_t)width);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			assert_non_null(strstr(out.data, words[i]));
		assert_int_equal(!strstr(out.data, "[-5.0, +6.7]"), width < 62);
		assert_non_null(strstr(out.data, "259.0"));
	}
}

static void test_text_cut_and_colour(void **state)
{
	CLEANUP(table_freep) struct table *table = table_new(NULL);
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	(void)state;
	table_column(table, "a", "a", ALIGN_LEFT, 0);
	table_column(table, "b", "b", ALIGN_RIGHT, 0);
	table_row(table);
	table_text(table, "a",
		"gr\xc3\xb6\xc3\x9f"
		"er\x1b[31m than anything that has room here");
	table_style(table, "a", "bad");
	table_text(table, "b", "1");
	table_render_text(table, &out, 24, true);
	assert_non_null(strstr(out.data, "\033[31mgr\xc3\xb6\xc3\x9f"
					 "er"));
	assert_non_null(strstr(out.data, "\xe2\x80\xa6\033[0m"));
	buf_clear(&out);
	table_render_text(table, &out, 24, false);
	assert_int_equal(widest(out.data), 24);
	assert_null(strchr(out.data, '\033'));
}

static void test_csv(void **state)
{
	CLEANUP(table_freep) struct table *table = sample();
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	(void)state;
	table_row(table);
	table_text(table, "variant", "=1+1, \"quoted\"\nline");
	setlocale(LC_ALL, "de_DE.UTF-8");
	table_render_csv(table, &out);
	setlocale(LC_ALL, "C");
	assert_string_equal(out.data,
		"variant,wall_s,delta,runs,verdict\r\n"
		"none,0.1,,4,baseline\r\n"
		"A1=cap2,,-0.25,0,\"undecided (noise, about 12 more blocks)\"\r\n"
		"\"'=1+1, \"\"quoted\"\"\nline\",,,,\r\n");
}

static void test_markdown(void **state)
{
	CLEANUP(table_freep) struct table *table = sample();
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	(void)state;
	table_row(table);
	table_text(table, "variant", "a|b <img> @me `x`");
	table_text(table, "verdict", "slower");
	table_style(table, "verdict", "bad");
	table_render_markdown(table, &out);
	assert_non_null(strstr(out.data, "| variant | time (s) | difference | runs | verdict |\n"
					 "| --- | ---: | ---: | ---: | --- |\n"
					 "| none | 0.100 | - | 4 | baseline |\n"));
	assert_non_null(strstr(out.data, "| a\\|b &lt;img&gt; &#64;me \\`x\\` |"));
	assert_non_null(strstr(out.data, "| **slower** |\n"));
}

static void test_json(void **state)
{
	CLEANUP(table_freep) struct table *table = sample();
	json_t *rows;

	(void)state;
	table_row(table);
	table_text(table, "variant", "bad \xff byte");
	table_real_text(table, "delta", INFINITY, "no bound");
	rows = table_render_json(table);
	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(rows, 0), "variant")), "none");
	assert_true(json_real_value(json_object_get(json_array_get(rows, 0), "wall_s")) == 0.1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(rows, 0), "runs")), 4);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "wall_s")));
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(rows, 1), "wall_s_reason")),
		"build failed");
	assert_null(json_object_get(json_array_get(rows, 0), "delta_reason"));
	assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "delta")));
	assert_true(json_is_string(json_object_get(json_array_get(rows, 2), "variant")));
	json_decref(rows);
}

static void test_no_rows(void **state)
{
	CLEANUP(table_freep) struct table *table = table_new(NULL);
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	json_t *rows = table_render_json(table);

	(void)state;
	table_render_text(table, &out, 80, false);
	assert_string_equal(out.data, "");
	assert_int_equal(json_array_size(rows), 0);
	json_decref(rows);
	table_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_words_stay_whole),
		cmocka_unit_test(test_text_cut_and_colour),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
