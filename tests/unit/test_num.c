/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/num.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/scratch.h"

static struct why why;

#define REFUSED(call, part) \
	do { \
		why.text[0] = '\0'; \
		assert_int_equal(call, -1); \
		if (!strstr(why.text, part)) \
			fail_msg("'%s' does not say '%s'", why.text, part); \
	} while (0)

static void integers(void **state)
{
	int64_t v = 7;
	uint64_t u = 7;

	(void)state;
	assert_int_equal(num_int("-12", &v, &why), 0);
	assert_int_equal(v, -12);
	assert_int_equal(num_int("+08", &v, &why), 0);
	assert_int_equal(v, 8);
	assert_int_equal(num_int("9223372036854775807", &v, &why), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(num_int("-9223372036854775808", &v, &why), 0);
	assert_true(v == INT64_MIN);
	REFUSED(num_int("9223372036854775808", &v, &why), "out of range");
	REFUSED(num_int("99999999999999999999", &v, &why), "out of range");
	REFUSED(num_int("1e3", &v, &why), "no whole number");
	REFUSED(num_int("0x10", &v, &why), "no whole number");
	REFUSED(num_int(" 1", &v, &why), "no whole number");
	REFUSED(num_int("1 ", &v, &why), "no whole number");
	REFUSED(num_int("", &v, &why), "no whole number");
	REFUSED(num_int("-", &v, &why), "no whole number");
	assert_true(v == INT64_MIN); /* untouched by failures */
	assert_int_equal(num_uint("18446744073709551615", &u, &why), 0);
	assert_true(u == UINT64_MAX);
	REFUSED(num_uint("18446744073709551616", &u, &why), "out of range");
	REFUSED(num_uint("-1", &u, &why), "negative");
	REFUSED(num_uint("1.0", &u, &why), "no whole number");
}

static void doubles(void **state)
{
	double v = 0;

	(void)state;
	assert_int_equal(num_double("1e3", &v, &why), 0);
	assert_true(v == 1000);
	assert_int_equal(num_double("-.5", &v, &why), 0);
	assert_true(v == -.5);
	assert_int_equal(num_double("0.1", &v, &why), 0);
	assert_true(v == 0.1);
	REFUSED(num_double("0x10", &v, &why), "no decimal number");
	REFUSED(num_double("inf", &v, &why), "no decimal number");
	REFUSED(num_double("nan", &v, &why), "no decimal number");
	REFUSED(num_double("1,5", &v, &why), "no decimal number");
	REFUSED(num_double("1e", &v, &why), "no decimal number");
	REFUSED(num_double(".", &v, &why), "no decimal number");
	REFUSED(num_double("1.2.3", &v, &why), "no decimal number");
	REFUSED(num_double("1e999", &v, &why), "out of range");
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {{"10 min", 600 * NS_PER_S}, {"1.5 s", 1500000000}, {"0.3s", 300000000},
		{"7ns", 7}, {"2us", 2000}, {"3 ms", 3000000}, {"1h", 3600 * NS_PER_S},
		{"2 d", 172800 * NS_PER_S}, {"0 s", 0}, {"1e3 ns", 1000},
		{"9007199254740993 ns", INT64_C(9007199254740993)}};
	int64_t v = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(num_duration(cases[i].text, &v, &why), 0);
		assert_true(v == cases[i].ns);
	}
	REFUSED(num_duration("10", &v, &why), "write 10 s");
	REFUSED(num_duration("10 ", &v, &why), "has no unit");
	REFUSED(num_duration("10 m", &v, &why), "no unit of a duration");
	REFUSED(num_duration("10 S", &v, &why), "ns us ms s min h d");
	REFUSED(num_duration("10 s x", &v, &why), "no unit");
	REFUSED(num_duration("ten s", &v, &why), "no duration");
	REFUSED(num_duration("-1 s", &v, &why), "negative");
	REFUSED(num_duration("200000 d", &v, &why), "out of range");
	REFUSED(num_duration("1e300 d", &v, &why), "out of range");
	REFUSED(num_duration("99999999999999999999 ns", &v, &why), "out of range");
}

static void byte_sizes(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(num_size("1.5 GiB", &v, &why), 0);
	assert_true(v == UINT64_C(1610612736));
	assert_int_equal(num_size("1kB", &v, &why), 0);
	assert_true(v == 1000);
	assert_int_equal(num_size("2 TiB", &v, &why), 0);
	assert_true(v == UINT64_C(2) << 40);
	assert_int_equal(num_size("18446744073709551615 B", &v, &why), 0);
	assert_true(v == UINT64_MAX);
	REFUSED(num_size("10", &v, &why), "write 10 MiB");
	REFUSED(num_size("10 KB", &v, &why), "kB MB GB TB KiB");
	REFUSED(num_size("20000000 TiB", &v, &why), "out of range");
	REFUSED(num_size("1e30 B", &v, &why), "out of range");
}

static void percents(void **state)
{
	double v = 0;

	(void)state;
	assert_int_equal(num_percent("1%", &v, &why), 0);
	assert_true(v == 0.01);
	assert_int_equal(num_percent("0.5 %", &v, &why), 0);
	assert_true(v == 0.005);
	REFUSED(num_percent("1", &v, &why), "write 1%");
	REFUSED(num_percent("%", &v, &why), "no percentage");
	REFUSED(num_percent("1%%", &v, &why), "no percentage");
	REFUSED(num_percent("-1%", &v, &why), "negative");
	REFUSED(num_percent("1e999%", &v, &why), "out of range");
}

static void long_text_is_cut_in_messages(void **state)
{
	char text[5000];
	int64_t v;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	REFUSED(num_int(text, &v, &why), "such as 12");
	text[0] = '1';
	REFUSED(num_duration(text, &v, &why), "ns us ms s min h d");
}

static void units(void **state)
{
	const char *base = NULL;
	double f = 0;

	(void)state;
	assert_true(num_unit("ms", &f, &base));
	assert_true(f == 1e-3);
	assert_string_equal(base, "s");
	assert_true(num_unit("MiB", &f, &base));
	assert_true(f == 1048576);
	assert_string_equal(base, "B");
	assert_false(num_unit("parsec", &f, &base));
	assert_false(num_unit("", &f, &base));
}

static char *exact(double v)
{
	struct buf buf = BUF_INIT;

	num_add_exact(&buf, v);
	return buf_steal(&buf);
}

static void exact_reads_back(void **state)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {{0.1, "0.1"}, {1e30, "1e+30"}, {0, "0"}, {-0.0, "-0"}, {100000, "100000"},
		{1.0 / 3, "0.3333333333333333"}, {0.1 + 0.2, "0.30000000000000004"},
		{INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {-NAN, "nan"}};
	uint64_t x = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = exact(cases[i].v);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
	for (int i = 0; i < 20000; i++) {
		double v, back;
		char *text;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (!isfinite(v))
			continue;
		text = exact(v);
		assert_int_equal(num_double(text, &back, &why), 0);
		assert_memory_equal(&v, &back, sizeof(v));
		free(text);
	}
}

static void exact_appends(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf_adds(&buf, "x=");
	num_add_exact(&buf, 1.0 / 3);
	assert_string_equal(buf.data, "x=0.3333333333333333");
	buf_release(&buf);
}

static void durations_for_people(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0 s"}, {1, "1 ns"}, {999, "999 ns"}, {1000, "1.000 us"},
		{850000, "850 us"}, {999499, "999 us"}, {999500, "1.000 ms"}, {12300000, "12.3 ms"},
		{999500000, "1.000 s"}, {1234000000, "1.234 s"}, {9999600000, "10.0 s"},
		{88900000000, "88.9 s"}, {60 * NS_PER_S, "60.0 s"}, {99960000000, "100.0 s"},
		{105900000000, "105.9 s"}, {119949999999, "119.9 s"}, {119950000000, "2 min 00 s"},
		{125 * NS_PER_S, "2 min 05 s"}, {3599 * NS_PER_S, "59 min 59 s"},
		{3599500000000, "1 h 00 min"}, {6240 * NS_PER_S, "1 h 44 min"},
		{86370 * NS_PER_S, "1 d 00 h"}, {100 * 3600 * NS_PER_S, "4 d 04 h"},
		{-1500000000, "-1.500 s"}, {INT64_MIN, "-106751 d 23 h"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf buf = BUF_INIT;

		num_add_duration(&buf, cases[i].ns);
		if (cases[i].ns == INT64_MIN) /* hours are rounded: only no overflow matters */
			assert_true(!strncmp(buf.data, "-10675", 6));
		else
			assert_string_equal(buf.data, cases[i].text);
		buf_release(&buf);
	}
}

static void durations_at_a_glance(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0 s"}, {-5, "0 s"}, {499999999, "0 s"}, {500000000, "1 s"},
		{8 * NS_PER_S, "8 s"}, {59499999999, "59 s"}, {59500000000, "1 min 00 s"},
		{65 * NS_PER_S, "1 min 05 s"}, {3599500000000, "1 h 00 min"},
		{6240 * NS_PER_S, "1 h 44 min"}, {100 * 3600 * NS_PER_S, "4 d 04 h"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(buf_release) struct buf buf = BUF_INIT;

		num_add_coarse(&buf, cases[i].ns);
		assert_string_equal(buf.data, cases[i].text);
	}
}

static void sizes_for_people(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {{0, "0 B"}, {1000, "1000 B"}, {1024, "1.0 KiB"}, {1610612736, "1.5 GiB"},
		{1023.6 * 1024, "1.0 MiB"}, {1000.0 * 1024, "1000 KiB"}, {-1536, "-1.5 KiB"},
		{1e30, "867361737988 EiB"}, {NAN, "nan"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf buf = BUF_INIT;

		num_add_size(&buf, cases[i].bytes);
		assert_string_equal(buf.data, cases[i].text);
		buf_release(&buf);
	}
}

/* A locale with a decimal comma: an installed one, or one made in folder. */
static bool comma_locale(const char *folder)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "xx_XX"};
	static const char source[] = "comment_char %\nescape_char /\nLC_NUMERIC\n"
				     "decimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\n"
				     "END LC_NUMERIC\n";
	char *input = path_join(folder, "comma"), *output = path_join(folder, "xx_XX");
	struct err err;
	pid_t pid;

	assert_int_equal(fs_write(input, source, strlen(source), 0, &err), 0);
	pid = fork();
	if (!pid) {
		(void)!freopen("/dev/null", "w", stderr);
		(void)!freopen("/dev/null", "w", stdout);
		execlp("localedef", "localedef", "-c", "-i", input, output, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	free(input);
	free(output);
	/* LOCPATH hides the installed ones: those first. */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (i == ARRAY_SIZE(names) - 1)
			setenv("LOCPATH", folder, 1);
		if (setlocale(LC_NUMERIC, names[i]) && !strcmp(localeconv()->decimal_point, ","))
			return true;
	}
	return false;
}

static void locale_does_not_matter(void **state)
{
	char *folder = scratch_new();
	bool there = comma_locale(folder);
	struct buf buf = BUF_INIT;
	char here[32];
	double v = 0;
	int64_t ns = 0;

	(void)state;
	scratch_free(folder);
	if (!there) {
		print_message("no locale with a decimal comma, and localedef made none\n");
		skip();
	}
	snprintf(here, sizeof(here), "%.1f", 1.5);
	assert_string_equal(here, "1,5"); /* the locale is really in force */
	assert_int_equal(num_double("1.5", &v, &why), 0);
	assert_true(v == 1.5);
	REFUSED(num_double("1,5", &v, &why), "no decimal number");
	assert_int_equal(num_duration("2.5 s", &ns, &why), 0);
	assert_true(ns == 2500000000);
	num_addf(&buf, "%.2f ", 3.25);
	num_add_exact(&buf, 0.1);
	buf_addc(&buf, ' ');
	num_add_duration(&buf, 1234000000);
	buf_addc(&buf, ' ');
	num_add_size(&buf, 1536);
	assert_string_equal(buf.data, "3.25 0.1 1.234 s 1.5 KiB");
	buf_release(&buf);
	snprintf(here, sizeof(here), "%.1f", 1.5);
	assert_string_equal(here, "1,5"); /* and was put back */
	setlocale(LC_NUMERIC, "C");
	unsetenv("LOCPATH");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(doubles),
		cmocka_unit_test(durations),
		cmocka_unit_test(byte_sizes),
		cmocka_unit_test(percents),
		cmocka_unit_test(long_text_is_cut_in_messages),
		cmocka_unit_test(units),
		cmocka_unit_test(exact_reads_back),
		cmocka_unit_test(exact_appends),
		cmocka_unit_test(durations_for_people),
		cmocka_unit_test(durations_at_a_glance),
		cmocka_unit_test(sizes_for_people),
		cmocka_unit_test(locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
