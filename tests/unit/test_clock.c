/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/clock.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void clocks_go_on(void **state)
{
	struct clock_stamp a = clock_now(), b;

	(void)state;
	while (clock_mono_ns() == a.mono_ns)
		;
	b = clock_now();
	assert_true(b.mono_ns > a.mono_ns);
	assert_true(b.boot_ns >= b.mono_ns); /* the same clock plus the time spent suspended */
	assert_true(b.real_ns > INT64_C(1700000000) * NS_PER_S);
	assert_true(clock_boot_gap(a, b) > -NS_PER_S && clock_boot_gap(a, b) < NS_PER_S);
}

static void gaps(void **state)
{
	const struct clock_stamp a = {.mono_ns = 100, .boot_ns = 1000, .real_ns = 50000};
	const struct clock_stamp b = {.mono_ns = 200, .boot_ns = 1400, .real_ns = 49000};

	(void)state;
	assert_int_equal(clock_boot_gap(a, b), 300);
	assert_int_equal(clock_real_gap(a, b), -1100);
	assert_int_equal(clock_boot_gap(a, a), 0);
}

static void iso(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "1970-01-01T00:00:00Z"}, {-1, "1969-12-31T23:59:59Z"},
		{INT64_C(1769862896999999999), "2026-01-31T12:34:56Z"},
		{INT64_C(1709164800) * NS_PER_S, "2024-02-29T00:00:00Z"},
		{INT64_MAX, "2262-04-11T23:47:16Z"}, {INT64_MIN, "1677-09-21T00:12:43Z"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf buf = BUF_INIT;

		clock_add_iso(&buf, cases[i].ns);
		assert_string_equal(buf.data, cases[i].text);
		buf_release(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_go_on),
		cmocka_unit_test(gaps),
		cmocka_unit_test(iso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
