/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of this machine: never a failure, stable ids, and an epoch that follows the compiler. */
#include "config.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/host.h"
#include "core/base/text.h"

static void test_read(void **state)
{
	struct utsname uts;
	struct host host;
	char name[256] = "";

	(void)state;
	host_read(&host, "gcc 12");
	assert_int_equal(uname(&uts), 0);
	assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
	assert_string_equal(host.name, name);
	assert_true(text_starts(host.kernel, "Linux "));
	assert_non_null(strstr(host.kernel, uts.release));
	assert_int_equal(strlen(host.uid.hex), DIGEST_HEX - 1);
	assert_int_equal(strlen(host.epoch.hex), DIGEST_HEX - 1);
	assert_in_range(host.memory_bytes, 16 << 20, INT64_MAX);
	assert_in_range(host_memory_available(), 1, host.memory_bytes);
	assert_null(strchr(host.cpu, '\n'));
}

static void test_stable(void **state)
{
	struct host a, b;

	(void)state;
	host_read(&a, "gcc 12");
	host_read(&b, "gcc 12");
	assert_memory_equal(&a, &b, sizeof(a));
}

/* Another compiler is another epoch of the same host; none is one, too. */
static void test_epoch(void **state)
{
	struct host a, b, none;

	(void)state;
	host_read(&a, "gcc 12");
	host_read(&b, "gcc 13");
	host_read(&none, NULL);
	assert_string_equal(a.uid.hex, b.uid.hex);
	assert_string_not_equal(a.epoch.hex, b.epoch.hex);
	assert_string_not_equal(a.epoch.hex, none.epoch.hex);
	assert_string_equal(a.uid.hex, none.uid.hex);
}

/* Cores are those that this process may use. */
static void test_cores(void **state)
{
	cpu_set_t before, one;
	struct host host;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	host_read(&host, NULL);
	assert_int_equal(host.cores, CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &before)) {
			CPU_SET(i, &one);
			break;
		}
	}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	host_read(&host, NULL);
	assert_int_equal(host.cores, 1);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void test_facts(void **state)
{
	static const char *const texts[] = {"cpu", "governor", "firmware", "hypervisor"};
	struct host host;
	json_t *facts;

	(void)state;
	host_read(&host, "gcc 12");
	facts = host_facts(&host);
	assert_non_null(facts);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_true(json_is_string(json_object_get(facts, texts[i])));
	assert_string_equal(json_string_value(json_object_get(facts, "cpu")), host.cpu);
	assert_int_equal(json_integer_value(json_object_get(facts, "cores")), host.cores);
	assert_int_equal(
		json_integer_value(json_object_get(facts, "memory_bytes")), host.memory_bytes);
	json_decref(facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_cores),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
