/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void setting(void **state)
{
	const struct place place = {"x.yaml", 3, 7};
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, E_USAGE, "bad %d", 1), -1);
	assert_int_equal(err.code, E_USAGE);
	assert_string_equal(err.text, "bad 1");
	assert_string_equal(err.place, "");
	assert_int_equal(err_help(&err, "try %s", "that"), -1);
	assert_string_equal(err.help, "try that");
	assert_int_equal(err_sys(&err, E_MISSING, ENOENT, "open '%s'", "f"), -1);
	assert_string_equal(err.text, "open 'f': No such file or directory");
	assert_int_equal(err.sys, ENOENT);
	assert_string_equal(err.help, ""); /* of the error before */
	assert_int_equal(err_at(&err, E_CONFIG, place, "unknown"), -1);
	assert_string_equal(err.place, "x.yaml:3:7");
	assert_int_equal(err_wrap(&err, "reading '%s'", "x"), -1);
	assert_string_equal(err.text, "reading 'x': unknown");
	assert_string_equal(err.place, "x.yaml:3:7");
}

static void too_long(void **state)
{
	static char text[3 * ERR_TEXT_MAX];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	err_set(&err, E_BUG, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_sys(&err, E_BUG, EIO, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_wrap(&err, "context");
	assert_memory_equal(err.text, "context: xxx", 12);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_wrap(&err, "%s", text);
	assert_true(strlen(err.text) < ERR_TEXT_MAX);
	assert_non_null(strstr(err.text, "xx: context: "));
	err_help(&err, "%s", text);
	assert_int_equal(strlen(err.help), sizeof(err.help) - 1);
}

static void places(void **state)
{
	char text[32];

	(void)state;
	place_format((struct place){NULL, 1, 2}, text, sizeof(text));
	assert_string_equal(text, "");
	place_format((struct place){"f", 0, 2}, text, sizeof(text));
	assert_string_equal(text, "f");
	place_format((struct place){"f", 4, 0}, text, sizeof(text));
	assert_string_equal(text, "f:4");
	place_format((struct place){"a-name-that-is-too-long-for-it", 4, 5}, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
}

/* The contract of doc/interfaces.md. */
static void exit_statuses(void **state)
{
	static const int expected[][2] = {{E_NONE, 0}, {E_NEGATIVE, 1}, {E_USAGE, 2}, {E_CONFIG, 3},
		{E_BUILD, 4}, {E_RUN, 5}, {E_MISSING, 6}, {E_STORE, 7}, {E_SYSTEM, 7},
		{E_UNDECIDED, 8}, {E_NOTHING, 9}, {E_BUG, 70}, {E_SIGNAL, 130}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct err err = {.code = (enum err_code)expected[i][0], .sys = 2};

		assert_int_equal(err_exit_status(&err), expected[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting),
		cmocka_unit_test(too_long),
		cmocka_unit_test(places),
		cmocka_unit_test(exit_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
