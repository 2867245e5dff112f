/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void starts_and_ends(void **state)
{
	(void)state;
	assert_true(text_starts("phase:x", "phase:"));
	assert_false(text_starts("pha", "phase:"));
	assert_true(text_ends("a.yaml", ".yaml"));
	assert_true(text_ends("a", ""));
	assert_false(text_ends("yaml", ".yaml"));
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(text_distance("", ""), 0);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	assert_int_equal(text_distance("abcd", "acbd"), 1);
	/* What tells optimal string alignment from the unrestricted form (2 there). */
	assert_int_equal(text_distance("ca", "abc"), 3);
	assert_int_equal(text_distance("A", "a"), 1);
}

static void nearest_is_a_typing_mistake(void **state)
{
	const char *const names[] = {"metric", "difference", "confidence", "blocks", "A1", "x"};
	size_t n = ARRAY_SIZE(names);

	(void)state;
	assert_string_equal(text_nearest("metrik", names, n), "metric");
	assert_string_equal(text_nearest("diffrence", names, n), "difference");
	assert_string_equal(text_nearest("bolcks", names, n), "blocks");
	assert_string_equal(text_nearest("a1", names, n), "A1");
	assert_string_equal(text_nearest("METRIC", names, n), "metric");
	assert_null(text_nearest("y", names, n));
	assert_null(text_nearest("timeout", names, n));
	assert_null(text_nearest("", names, n));
	assert_null(text_nearest("x", names, 0));
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true},
		{"a*c", "abbc", true}, {"a*c", "abcd", false}, {"*.c", "x/y.c", true},
		{"?", "a", true}, {"?", "", false}, {"?", "\xC3\xBC", true}, {"a?c", "abbc", false},
		{"[a-c]x", "bx", true}, {"[a-c]x", "dx", false}, {"[!a-c]x", "dx", true},
		{"[^a-c]x", "ax", false}, {"[]x]", "]", true}, {"[a-]", "-", true},
		{"[ab", "[ab", true}, {"[ab", "a", false}, {"**a**", "bab", true},
		{"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXcYb", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (text_glob(cases[i].pattern, cases[i].text) != cases[i].matches)
			fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
	}
}

/* Exponential matchers need minutes for this one. */
static void glob_time_is_bounded(void **state)
{
	char text[5001];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(text_glob("a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

static void quoting(void **state)
{
	const char *const argv[] = {"A=b", "--x=1", "", "it's", NULL};
	struct buf buf = BUF_INIT;

	(void)state;
	text_quote_argv(&buf, argv);
	assert_string_equal(buf.data, "'A=b' --x=1 '' 'it'\\''s'");
	buf_clear(&buf);
	text_quote(&buf, "Video title.webm");
	assert_string_equal(buf.data, "'Video title.webm'");
	buf_clear(&buf);
	text_quote(&buf, "~root");
	assert_string_equal(buf.data, "'~root'");
	buf_release(&buf);
}

/* A real shell reads back every byte of what was quoted. */
static void shell_agrees(void **state)
{
	struct buf buf = BUF_INIT;
	char all[256], back[512] = "";
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	buf_adds(&buf, "printf %s ");
	text_quote(&buf, all);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], 1);
		execl("/bin/sh", "sh", "-c", buf.data, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	n = read(fds[0], back, sizeof(back) - 1);
	close(fds[0]);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(n, 255);
	assert_string_equal(back, all);
	buf_release(&buf);
}

static void utf8(void **state)
{
	static const struct {
		const char *text;
		size_t len, valid;
	} cases[] = {{"", 0, 0}, {"abc", 3, 3}, {"a\0b", 3, 3}, {"\xC3\xBC", 2, 2},
		{"\xE2\x82\xAC", 3, 3}, {"\xF0\x9F\x98\x80", 4, 4}, {"\xC0\xAF", 2, 0},
		{"\xC1\xBF", 2, 0}, {"\xE0\x9F\xBF", 3, 0}, {"\xF0\x8F\xBF\xBF", 4, 0},
		{"\xED\xA0\x80", 3, 0}, {"\xF4\x90\x80\x80", 4, 0}, {"\xF4\x8F\xBF\xBF", 4, 4},
		{"\xFF", 1, 0}, {"\x80", 1, 0}, {"ab\xC3", 3, 2}, {"\xE2\x82", 2, 0},
		{"\xC3\x28", 2, 0}, {"\xED\x9F\xBF\xEE\x80\x80", 6, 6}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(text_utf8_check(cases[i].text, cases[i].len), cases[i].valid);
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xCE\xB4 = 1\xC2\xB5s"), 7);
	assert_int_equal(text_width("\xE6\xBC\xA2\xE5\xAD\x97"), 4); /* two Han characters */
	assert_int_equal(text_width("e\xCC\x81"), 1);                /* e with a combining acute */
	assert_int_equal(text_width("\xF0\x9F\x98\x80"), 2);         /* an emoji */
	assert_int_equal(text_width("\xE2\x80\x94"), 1);             /* em dash */
	assert_int_equal(text_width("\xFF\xC3"), 2);                 /* invalid bytes */
}

static void clean(const char *from, size_t len, const char *expected)
{
	struct buf buf = BUF_INIT;

	text_clean(&buf, from, len);
	assert_string_equal(buf.data, expected);
	assert_int_equal(text_utf8_check(buf.data, buf.len), buf.len);
	buf_release(&buf);
}

static void cleaning(void **state)
{
	(void)state;
	clean("a\tb\nc", 5, "a b c");
	clean("\033[31mred\x7F", 9, "?[31mred?");
	clean("a\0b", 3, "a?b");
	clean("\xC2\x9B"
	      "1m",
		4, "?1m");                 /* CSI as one character of C1 */
	clean("x\xE2\x80\xAEy", 5, "x?y"); /* right-to-left override */
	clean("\xFFok\xC3", 4, "\xEF\xBF\xBDok\xEF\xBF\xBD");
	clean("\xC3\xBC", 2, "\xC3\xBC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_and_ends),
		cmocka_unit_test(distances),
		cmocka_unit_test(nearest_is_a_typing_mistake),
		cmocka_unit_test(globs),
		cmocka_unit_test(glob_time_is_bounded),
		cmocka_unit_test(quoting),
		cmocka_unit_test(shell_agrees),
		cmocka_unit_test(utf8),
		cmocka_unit_test(widths),
		cmocka_unit_test(cleaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
