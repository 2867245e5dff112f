/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/arena.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void pieces(void **state)
{
	struct arena arena = ARENA_INIT;
	char *text, *part, *printed;
	int *numbers;
	const int from[] = {1, 2, 3};

	(void)state;
	text = arena_strdup(&arena, "text");
	part = arena_strndup(&arena, "partial", 4);
	printed = arena_printf(&arena, "%d-%s", 7, "x");
	numbers = arena_memdup(&arena, from, sizeof(from));
	assert_string_equal(text, "text");
	assert_string_equal(part, "part");
	assert_string_equal(printed, "7-x");
	assert_memory_equal(numbers, from, sizeof(from));
	assert_non_null(arena_alloc(&arena, 0));
	assert_non_null(arena_memdup(&arena, NULL, 0));
	arena_release(&arena);
	assert_int_equal(arena.bytes, 0);
	arena_release(&arena);
}

static void aligned_and_zeroed(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 1; i < 3000; i++) {
		unsigned char *p = arena_alloc(&arena, i);

		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xFF, i);
	}
	arena_release(&arena);
}

static void large(void **state)
{
	struct arena arena = ARENA_INIT;
	char *small = arena_strdup(&arena, "small");
	char *p = arena_array(&arena, 1000, 1000);

	(void)state;
	memset(p, 1, 1000000);
	assert_string_equal(small, "small");
	assert_true(arena.bytes >= 1000000);
	arena_release(&arena);
}

static void rewinding(void **state)
{
	struct arena arena = ARENA_INIT;
	struct arena_mark start = arena_mark(&arena), middle;
	char *keep;

	(void)state;
	keep = arena_strdup(&arena, "keep");
	middle = arena_mark(&arena);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++)
			memset(arena_alloc(&arena, 500), 0xFF, 500);
		arena_rewind(&arena, middle);
		assert_int_equal(arena.bytes, middle.bytes);
	}
	assert_string_equal(keep, "keep");
	assert_int_equal(*(char *)arena_alloc(&arena, 8), 0); /* zeroed again */
	arena_rewind(&arena, start);
	assert_null(arena.chunks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces),
		cmocka_unit_test(aligned_and_zeroed),
		cmocka_unit_test(large),
		cmocka_unit_test(rewinding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
