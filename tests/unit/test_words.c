/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands typed in one argument -> argv. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/cli/words.h"

/* "[a][b c]" */
static char *split(const char *text)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(buf_release) struct buf shown = BUF_INIT;
	const char *const *argv;
	struct err err = {0};
	size_t n;

	if (words_split(text, &arena, &argv, &n, &err)) {
		assert_int_equal(err.code, E_USAGE);
		return xasprintf("error: %s", err.text);
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&shown, "[%s]", argv[i]);
	assert_null(argv[n]);
	return buf_steal(&shown);
}

#define assert_words(text, expected) \
	do { \
		AUTOFREE char *got_ = split(text); \
		assert_string_equal(got_, expected); \
	} while (0)

static void test_plain(void **state)
{
	(void)state;
	assert_words("sort a.txt", "[sort][a.txt]");
	assert_words("  sort\t-n \n a ", "[sort][-n][a]");
	assert_words("one", "[one]");
	assert_words(
		"A=1 --x=y,z %d @f ^ a{b}c a~x #no", "[A=1][--x=y,z][%d][@f][^][a{b}c][a~x][#no]");
}

static void test_quotes(void **state)
{
	(void)state;
	assert_words("p 'a b' \"c d\"", "[p][a b][c d]");
	assert_words("p a'b c'd\"e f\"", "[p][ab cde f]");
	assert_words("p '' \"\" x", "[p][][][x]");
	assert_words("''", "[]");
	assert_words("p 'a\\b$c`d|e'", "[p][a\\b$c`d|e]");
	assert_words("p \"a\\\"b\\\\c\\$d\\`e\"", "[p][a\"b\\c$d`e]");
	assert_words("p \"a\\nb|c\"", "[p][a\\nb|c]");
	assert_words("p a\\ b \\'x \\$HOME \\\\", "[p][a b]['x][$HOME][\\]");
	assert_words("p \"it's\" 'say \"x\"'", "[p][it's][say \"x\"]");
	assert_words("p 'V\xc3\xad"
		     "d\xc3\xa9o title.webm'",
		"[p][V\xc3\xad"
		"d\xc3\xa9o title.webm]");
}

static void test_shell(void **state)
{
	static const char shell[] = "|&;<>()$`*?[";

	(void)state;
	for (const char *c = shell; *c; c++) {
		AUTOFREE char *text = xasprintf("p a%cb", *c);
		AUTOFREE char *expected =
			xasprintf("error: '%c' in '%s' needs a shell, and none is used", *c, text);

		assert_words(text, expected);
	}
	assert_words("p ~/x", "error: '~' in 'p ~/x' needs a shell, and none is used");
	assert_words("p '~/x'", "[p][~/x]");
	assert_words("p \"$HOME\"", "error: '$' in 'p \"$HOME\"' needs a shell, and none is used");
	assert_words("p \"`x`\"", "error: '`' in 'p \"`x`\"' needs a shell, and none is used");
}

static void test_help_names_the_cure(void **state)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	const char *const *argv;
	struct err err = {0};
	size_t n;

	(void)state;
	assert_int_equal(words_split("a | b", &arena, &argv, &n, &err), -1);
	assert_non_null(strstr(err.help, "sh -c 'a | b'"));
}

static void test_unfinished(void **state)
{
	(void)state;
	assert_words("p 'a", "error: the ' in 'p 'a' is not closed");
	assert_words("p \"a", "error: the \" in 'p \"a' is not closed");
	assert_words("p \"a\\\"", "error: the \" in 'p \"a\\\"' is not closed");
	assert_words("", "error: an empty command");
	assert_words(" \t ", "error: an empty command");
	assert_words("p \\", "error: the \\ at the end of 'p \\' stands before nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_shell),
		cmocka_unit_test(test_help_names_the_cure),
		cmocka_unit_test(test_unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
