/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/model/predicate.h"

static const char *const keys[] = {
	"A1", "B1", "threads", "mode", "workload", "variant", "set", "dur"};
static const char *const options[] = {"A1", "B1"};

static const char *const *values(void *ctx, const char *key)
{
	static const char *const a1[] = {"off", "cap1", "cap2", NULL};
	static const char *const onoff[] = {"off", "on", NULL};
	static const char *const threads[] = {"1", "2", "16", NULL};
	static const char *const mode[] = {"fast", "slow", NULL};
	static const char *const sets[] = {"each", "all-each", "A1+B1", NULL};

	(void)ctx;
	if (!strcmp(key, "A1"))
		return a1;
	if (!strcmp(key, "B1"))
		return onoff;
	if (!strcmp(key, "threads"))
		return threads;
	if (!strcmp(key, "mode"))
		return mode;
	if (!strcmp(key, "set"))
		return sets;
	return NULL;
}

static const struct predicate_names names = {
	.keys = keys, .n_keys = 8, .options = options, .n_options = 2, .values = values};

/* The thing at hand: A1=cap2, B1 off, threads 2, mode has no value here; in set "each". */
static const char *get(void *ctx, const char *key)
{
	(void)ctx;
	if (!strcmp(key, "A1"))
		return "cap2";
	if (!strcmp(key, "B1"))
		return "off";
	if (!strcmp(key, "threads"))
		return "2";
	if (!strcmp(key, "workload"))
		return "prove";
	if (!strcmp(key, "variant"))
		return "A1=cap2";
	if (!strcmp(key, "dur"))
		return "90 s";
	return NULL;
}

static bool active(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "A1");
}

static bool in_set(void *ctx, const char *set)
{
	(void)ctx;
	return !strcmp(set, "each");
}

static bool known(void *ctx, const char *key)
{
	(void)ctx;
	return strcmp(key, "B1") && strcmp(key, "variant");
}

static void holds(void **state)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
		{"A1", true},
		{"B1", false},
		{"!B1", true},
		{"not B1", true},
		{"A1 & B1", false},
		{"A1 and not B1", true},
		{"A1 | B1", true},
		{"B1 or A1", true},
		{"B1 | A1 & B1", false},
		{"A1 | B1 & B1", true}, /* & binds tighter */
		{"(A1 | B1) & B1", false},
		{"!(A1 & B1)", true},
		{"A1 = cap2", true},
		{"A1=cap1", false},
		{"A1 != cap1", true},
		{"A1 in (cap1, cap2)", true},
		{"A1 in (off,cap1)", false},
		{"threads = 2", true},
		{"threads == 2.0", true},
		{"threads < 16", true},
		{"threads > 2", false},
		{"threads >= 2 & threads <= 2", true},
		{"mode = fast", false},
		{"mode != fast", true}, /* no value: != holds */
		{"workload ~ \"pr*\"", true},
		{"variant == \"A1=cap2\"", true},
		{"set == each", true},
		{"set = \"all-each\"", false},
		{"set != \"A1 + B1\"", true},
		{"set in (each, all-each)", true},
		{"dur > \"1 min\"", true},
		{"dur < 80s", false},
		{"dur < 3", false}, /* a duration is not comparable with a number */
		{"variant = \"a\\\"b\"", false},
	};
	struct predicate_world world = {.get = get, .active = active, .in_set = in_set};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct predicate *p;
		struct err err = {0};

		if (predicate_parse(cases[i].text, &names, &arena, &p, &err))
			fail_msg("%s: %s", cases[i].text, err.text);
		if (predicate_holds(p, &world) != cases[i].want)
			fail_msg("%s: wrong answer", cases[i].text);
		arena_release(&arena);
	}
}

static void decides(void **state)
{
	static const struct {
		const char *text;
		enum truth want;
	} cases[] = {
		{"B1", TRUTH_OPEN},
		{"!B1", TRUTH_OPEN},
		{"A1 & B1", TRUTH_OPEN},
		{"A1 | B1", TRUTH_TRUE},
		{"B1 | A1", TRUTH_TRUE},
		{"B1 & threads = 1", TRUTH_FALSE},
		{"!(B1 & threads = 1)", TRUTH_TRUE},
		{"variant = none", TRUTH_OPEN},
		{"A1 = cap2", TRUTH_TRUE},
	};
	struct predicate_world world = {
		.get = get, .active = active, .in_set = in_set, .known = known};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct predicate *p;
		struct err err = {0};

		assert_int_equal(predicate_parse(cases[i].text, &names, &arena, &p, &err), 0);
		assert_int_equal(predicate_decide(p, &world), cases[i].want);
		arena_release(&arena);
	}
}

static void refuses(void **state)
{
	static const char *const cases[][3] = {
		{"", "'', column 1: something is missing", ""},
		{"A1 &", "'A1 &', column 5: something is missing", ""},
		{"A2", "'A2', column 1: unknown name 'A2'", "did you mean 'A1'?"},
		{"thread = 1", "'thread = 1', column 1: unknown name 'thread'",
			"did you mean 'threads'?"},
		{"A1 = cap9", "'A1 = cap9', column 6: 'A1' has no value 'cap9'",
			"did you mean 'cap1'?"},
		{"threads", "'threads', column 1: 'threads' is no option and cannot stand alone",
			"write threads = VALUE"},
		{"status = ok",
			"'status = ok', column 1: 'status' means nothing here: it is known only "
			"after a run",
			""},
		{"threads < many",
			"'threads < many', column 11: 'many' is neither number nor duration: it "
			"cannot be compared by size",
			""},
		{"mode < 3",
			"'mode < 3', column 8: 'fast' of 'mode' cannot be compared by size with "
			"'3'",
			""},
		{"A1 A1", "'A1 A1', column 4: unexpected text", "join tests by & or |"},
		{"(A1", "'(A1', column 4: ')' is missing", ""},
		{"A1 in cap1", "'A1 in cap1', column 7: '(' is missing after 'in'", ""},
		{"A1 in (cap1", "'A1 in (cap1', column 12: ')' is missing", ""},
		{"A1 = \"x", "'A1 = \"x', column 6: a quoted text that does not end", ""},
		{"A1 = *", "'A1 = *', column 6: unexpected '*'",
			"put texts with other characters into double quotes"},
		{"A1 =", "'A1 =', column 5: a value is missing",
			"put texts with other characters into double quotes"},
		{"set ~ each", "'set ~ each', column 5: sets are compared by ==, != and in only",
			""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct predicate *p = NULL;
		struct err err = {0};

		assert_int_equal(predicate_parse(cases[i][0], &names, &arena, &p, &err), -1);
		assert_null(p);
		assert_int_equal(err.code, E_CONFIG);
		assert_string_equal(err.text, cases[i][1]);
		assert_string_equal(err.help, cases[i][2]);
		arena_release(&arena);
	}
}

static void refuses_deep_nesting(void **state)
{
	struct arena arena = ARENA_INIT;
	struct predicate *p = NULL;
	struct err err = {0};
	char text[4000] = "";

	(void)state;
	memset(text, '(', 3000);
	assert_int_equal(predicate_parse(text, &names, &arena, &p, &err), -1);
	assert_non_null(strstr(err.text, "nested too deeply"));
	memset(text, '!', 3000);
	assert_int_equal(predicate_parse(text, &names, &arena, &p, &err), -1);
	arena_release(&arena);
}

static void add_key(void *ctx, const char *key)
{
	strcat(ctx, key);
}

static void lists_keys(void **state)
{
	struct arena arena = ARENA_INIT;
	struct predicate *p;
	struct err err = {0};
	char got[64] = "";

	(void)state;
	assert_int_equal(predicate_parse("A1 & !(threads = 2 | B1)", &names, &arena, &p, &err), 0);
	predicate_keys(p, add_key, got);
	assert_string_equal(got, "A1threadsB1");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds),
		cmocka_unit_test(decides),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_deep_nesting),
		cmocka_unit_test(lists_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
