/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/diag.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(const struct diags *diags, bool colour)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	diags_print(diags, to, colour);
	fclose(to);
	return text;
}

static void in_order_of_places(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct err err;
	char *text;

	(void)state;
	diag_add(&diags, DIAG_ERROR, (struct place){"b.yaml", 9, 3}, "\tk: v", "late %d", 1);
	diag_help(&diags, "write %s", "it so");
	diag_help(&diags, "or so");
	diag_add(&diags, DIAG_WARNING, (struct place){"b.yaml", 2, 1}, NULL, "early");
	diag_add(&diags, DIAG_ERROR, (struct place){0}, NULL, "no place");
	diag_add(&diags, DIAG_ERROR, (struct place){"a.yaml", 50, 1}, NULL, "first file");
	err_at(&err, E_CONFIG, (struct place){"c.yaml", 1, 2}, "taken over");
	err_help(&err, "help too");
	diag_add_err(&diags, &err);
	text = printed(&diags, false);
	assert_string_equal(text, "error: no place\n"
				  "a.yaml:50:1: error: first file\n"
				  "b.yaml:2:1: warning: early\n"
				  "b.yaml:9:3: error: late 1\n"
				  "    \tk: v\n"
				  "    \t ^\n"
				  "    help: or so\n"
				  "c.yaml:1:2: error: taken over\n"
				  "    help: help too\n");
	free(text);
	assert_int_equal(diags.errors, 4);
	assert_int_equal(diags.warnings, 1);
	diags_release(&diags);
	assert_int_equal(diags.n, 0);
}

static void carets(void **state)
{
	static const struct {
		const char *source, *expected;
		int column;
	} cases[] = {{"abc", "f:1:1: error: m\n    abc\n    ^\n", 1},
		{"abc", "f:1:4: error: m\n    abc\n       ^\n", 4},
		{"abc", "f:1:5: error: m\n    abc\n", 5}, /* past the line */
		{"\xC3\xBC"
		 "b",
			"f:1:3: error: m\n    \xC3\xBC"
			"b\n     ^\n",
			3},
		{"", "f:1:1: error: m\n    \n    ^\n", 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diags diags = DIAGS_INIT;
		char *text;

		diag_add(&diags, DIAG_ERROR, (struct place){"f", 1, cases[i].column},
			cases[i].source, "m");
		text = printed(&diags, false);
		assert_string_equal(text, cases[i].expected);
		free(text);
		diags_release(&diags);
	}
}

static void colours(void **state)
{
	struct diags diags = DIAGS_INIT;
	char *text;

	(void)state;
	diag_add(&diags, DIAG_ERROR, (struct place){"f", 0, 0}, NULL, "m");
	text = printed(&diags, true);
	assert_string_equal(text, "f: \033[1;31merror:\033[0m m\n");
	free(text);
	diags_release(&diags);
}

static void summaries(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct err err = {0};
	char *text;

	(void)state;
	text = printed(&diags, false);
	assert_string_equal(text, "");
	free(text);
	diag_add(&diags, DIAG_WARNING, (struct place){"w", 1, 1}, NULL, "only a warning");
	assert_int_equal(diags_to_err(&diags, E_CONFIG, &err), 0);
	assert_int_equal(err.code, E_NONE);
	diag_add(&diags, DIAG_ERROR, (struct place){"w", 1, 1}, NULL, "one");
	assert_int_equal(diags_to_err(&diags, E_CONFIG, &err), -1);
	assert_string_equal(err.text, "1 error in w");
	for (int i = 0; i < 100; i++)
		diag_add(&diags, DIAG_ERROR, (struct place){0}, NULL, "%d", i);
	assert_int_equal(diags_to_err(&diags, E_CONFIG, &err), -1);
	assert_string_equal(err.text, "101 errors in w");
	assert_int_equal(err.code, E_CONFIG);
	diags_release(&diags);
}

/* What is printed and put into JSON is text, whatever was quoted. */
static void quoted_bytes(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct err err;
	char *text;

	(void)state;
	diag_add(&diags, DIAG_ERROR, (struct place){"x\xff", 1, 3}, "\t\xff\033",
		"a\033[2Jb\xff"
		"c\nd");
	diag_help(&diags, "%.3s", "aa\xc3\xa9");
	err_at(&err, E_CONFIG, (struct place){"c:1.yaml", 0, 0}, "no number");
	diag_add_err(&diags, &err);
	err_at(&err, E_CONFIG, (struct place){"c.yaml", 7, 0}, "line");
	diag_add_err(&diags, &err);
	text = printed(&diags, false);
	assert_string_equal(text, "c.yaml:7: error: line\n"
				  "c:1.yaml: error: no number\n"
				  "x\uFFFD:1:3: error: a?[2Jb\uFFFDc\nd\n"
				  "    \t??\n"
				  "    \t ^\n"
				  "    help: aa\uFFFD\n");
	free(text);
	assert_int_equal(diags.items[2].line, 7);
	assert_int_equal(diags.items[2].column, 0);
	assert_string_equal(diags.items[2].file, "c.yaml");
	diags_release(&diags);
}

static void summary_names_the_one_file(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct err err;

	(void)state;
	diag_add(&diags, DIAG_WARNING, (struct place){"w.yaml", 1, 1}, NULL, "no error");
	diag_add(&diags, DIAG_ERROR, (struct place){"a.yaml", 1, 1}, NULL, "one");
	assert_int_equal(diags_to_err(&diags, E_CONFIG, &err), -1);
	assert_string_equal(err.text, "1 error in a.yaml");
	diag_add(&diags, DIAG_ERROR, (struct place){"--set", 0, 1}, NULL, "two");
	assert_int_equal(diags_to_err(&diags, E_CONFIG, &err), -1);
	assert_string_equal(err.text, "2 errors");
	diags_release(&diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_of_places),
		cmocka_unit_test(carets),
		cmocka_unit_test(colours),
		cmocka_unit_test(summaries),
		cmocka_unit_test(quoted_bytes),
		cmocka_unit_test(summary_names_the_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
