/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/map.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void empty(void **state)
{
	struct map map = MAP_INIT;

	(void)state;
	assert_null(map_get(&map, "x"));
	assert_null(map_find(&map, ""));
	map_release(&map);
	map_release(&map);
}

static void put_and_get(void **state)
{
	struct map map = MAP_INIT;
	char key[] = "key";
	int a, b;

	(void)state;
	map_put(&map, key, &a);
	key[0] = 'x'; /* keys are copied */
	assert_ptr_equal(map_get(&map, "key"), &a);
	assert_null(map_get(&map, "xey"));
	map_put(&map, "key", &b);
	assert_ptr_equal(map_get(&map, "key"), &b);
	assert_int_equal(map.n, 1);
	map_put(&map, "", NULL);
	assert_null(map_get(&map, ""));
	assert_non_null(map_find(&map, "")); /* there, with no value */
	map_release(&map);
}

static void many_in_order(void **state)
{
	struct map map = MAP_INIT;
	char key[32];

	(void)state;
	for (uintptr_t i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "k%ju", (uintmax_t)(i * 7919 % 20000));
		assert_ptr_equal(map_put(&map, key, (void *)(i + 1))->value, (void *)(i + 1));
	}
	assert_int_equal(map.n, 20000);
	for (uintptr_t i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "k%ju", (uintmax_t)(i * 7919 % 20000));
		assert_string_equal(map.entries[i].key, key);
		assert_ptr_equal(map_get(&map, key), (void *)(i + 1));
	}
	assert_null(map_get(&map, "k20000"));
	map_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(put_and_get),
		cmocka_unit_test(many_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
