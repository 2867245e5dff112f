/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/model/expand.h"

struct fixture {
	struct arena arena;
	struct bindings bindings;
	struct err err;
};

static int setup(void **state)
{
	static const char *const defines[] = {"-DA=1", "-DB=2"};
	static const char *const odd[] = {"-DS=a b"};
	static const char *const warm[] = {"-O2", "-g"};
	struct fixture *f = calloc(1, sizeof(*f));

	bindings_text(&f->bindings, "tree", "/t");
	bindings_text(&f->bindings, "bin.prover", "/b/prover");
	bindings_text(&f->bindings, "features", "x,y");
	bindings_list(&f->bindings, "defines", defines, 2, true, ' ');
	bindings_list(&f->bindings, "odd", odd, 1, true, ' ');
	bindings_list(&f->bindings, "OPT", warm, 2, false, ' ');
	bindings_list(&f->bindings, "none", NULL, 0, true, ' ');
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bindings_release(&f->bindings);
	arena_release(&f->arena);
	free(f);
	return 0;
}

static void expands_text(void **state)
{
	static const char *const cases[][2] = {
		{"plain", "plain"},
		{"", ""},
		{"{tree}/src", "/t/src"},
		{"{{{tree}}}", "{/t}"},
		{"a{{b}}c", "a{b}c"},
		{"x={defines}.", "x=-DA=1 -DB=2."},
		{"CFLAGS={OPT} -Wall", "CFLAGS=-O2 -g -Wall"},
		{"[{none}]", "[]"},
		{"{bin.prover}{tree}", "/b/prover/t"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got;

		assert_int_equal(
			expand_text(cases[i][0], &f->bindings, &f->arena, &got, &f->err), 0);
		assert_string_equal(got, cases[i][1]);
	}
}

static void splices_lists(void **state)
{
	static const char *const argv[] = {"make", "{defines}", "{none}", "D={defines}",
		"{features}", "{{defines}}", "{OPT}", NULL};
	static const char *const want[] = {
		"make", "-DA=1", "-DB=2", "D=-DA=1 -DB=2", "x,y", "{defines}", "-O2", "-g", NULL};
	struct fixture *f = *state;
	const char *const *got;
	size_t n = 0;

	assert_int_equal(expand_argv(argv, &f->bindings, &f->arena, &got, &f->err), 0);
	for (; want[n] && got[n]; n++)
		assert_string_equal(got[n], want[n]);
	assert_null(want[n]);
	assert_null(got[n]);
}

static void refuses(void **state)
{
	static const char *const cases[][3] = {
		{"{tre}", "unknown placeholder '{tre}'", "did you mean '{tree}'?"},
		{"a}b", "a '}' without '{' before it; write '}}' for a brace", ""},
		{"a{b", "a '{' without '}' behind it; write '{{' for a brace", ""},
		{"a{{b}", "a '}' without '{' before it; write '}}' for a brace", ""},
		{"{}", "'{}' is no placeholder; write '{{' and '}}' for braces", ""},
		{"{a b}", "'{a b}' is no placeholder; write '{{' and '}}' for braces", ""},
		{"D={odd}",
			"'-DS=a b' cannot be joined into a text, since the reader could not tell "
			"where it ends",
			"make '{odd}' an argument of its own"},
		{"{env:ASSAY_TEST_UNSET}",
			"'{env:ASSAY_TEST_UNSET}': the environment variable ASSAY_TEST_UNSET is "
			"not "
			"set",
			"export ASSAY_TEST_UNSET before calling assay"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = NULL;

		f->err = (struct err){0};
		assert_int_equal(
			expand_text(cases[i][0], &f->bindings, &f->arena, &got, &f->err), -1);
		assert_null(got);
		assert_int_equal(f->err.code, E_CONFIG);
		assert_string_equal(f->err.text, cases[i][1]);
		assert_string_equal(f->err.help, cases[i][2]);
	}
}

static void answers_environment(void **state)
{
	struct fixture *f = *state;
	const char *got;

	setenv("ASSAY_TEST_SET", "{v}", 1);
	assert_int_equal(
		expand_text("<{env:ASSAY_TEST_SET}>", &f->bindings, &f->arena, &got, &f->err), 0);
	assert_string_equal(got, "<{v}>");
}

static void rebinding_replaces(void **state)
{
	struct fixture *f = *state;
	const char *got;
	size_t n = f->bindings.n;

	bindings_text(&f->bindings, "tree", "/u");
	assert_int_equal(f->bindings.n, n);
	assert_int_equal(expand_text("{tree}", &f->bindings, &f->arena, &got, &f->err), 0);
	assert_string_equal(got, "/u");
}

static void count(void *ctx, const char *name, size_t len)
{
	char *to = ctx;

	strncat(to, name, len);
	strcat(to, ";");
}

static void scans(void **state)
{
	char names[64] = "", why[160] = "";

	(void)state;
	assert_true(expand_scan("a{x}{{y}}{env:Z}", count, names, why, sizeof(why)));
	assert_string_equal(names, "x;env:Z;");
	assert_false(expand_scan("{", count, names, why, sizeof(why)));
	assert_string_not_equal(why, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(expands_text, setup, teardown),
		cmocka_unit_test_setup_teardown(splices_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(answers_environment, setup, teardown),
		cmocka_unit_test_setup_teardown(rebinding_replaces, setup, teardown),
		cmocka_unit_test(scans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
