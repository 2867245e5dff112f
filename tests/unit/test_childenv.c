/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment of children: what is inherited, what the descriptor adds, equal sizes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine/childenv.h"

extern char **environ;

static const char *value_of(const char *const *list, const char *name)
{
	size_t len = strlen(name);

	for (; *list; list++) {
		if (!strncmp(*list, name, len) && (*list)[len] == '=')
			return *list + len + 1;
	}
	return NULL;
}

static void test_inherited(void **state)
{
	static char *outside[] = {(char *)"PATH=/bin", (char *)"HOME=/h", (char *)"USER=u",
		(char *)"LOGNAME=l", (char *)"TMPDIR=/t", (char *)"LD_LIBRARY_PATH=/lib",
		(char *)"CARGO_HOME=/c", (char *)"RUSTUP_HOME=/r", (char *)"CUDA_VISIBLE_DEVICES=0",
		(char *)"NVIDIA_X=1", (char *)"LC_ALL=de_DE.UTF-8", (char *)"LANG=de_DE",
		(char *)"LC_NUMERIC=de_DE", (char *)"PATHX=no", (char *)"XCUDA_Y=no",
		(char *)"SECRET=no", (char *)"GIT_DIR=no", (char *)"LD_PRELOAD=no",
		(char *)"ASSAY_STATE=no", (char *)"WANTED=yes", (char *)"no equals sign",
		(char *)"EMPTY=", NULL};
	const char *names[] = {"WANTED", "ABSENT", "EMPTY", NULL};
	struct conf_texts pass = {names, 3, NULL};
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(childenv_release) struct childenv env;
	char **before = environ;
	const char *const *list;
	size_t n = 0;

	(void)state;
	environ = outside;
	childenv_init(&env, &pass);
	environ = before;
	list = childenv_list(&env, &arena);
	for (; list[n]; n++)
		assert_true(!n || strcmp(list[n - 1], list[n]) < 0);
	assert_int_equal(n, 13);
	for (size_t i = 0; i < 10; i++) {
		AUTOFREE char *name = xstrndup(outside[i], strcspn(outside[i], "="));

		assert_string_equal(value_of(list, name), strchr(outside[i], '=') + 1);
	}
	assert_string_equal(value_of(list, "LC_ALL"), "C");
	assert_string_equal(value_of(list, "WANTED"), "yes");
	assert_string_equal(value_of(list, "EMPTY"), "");
}

static void test_descriptor_wins(void **state)
{
	struct conf_pair workload[] = {
		{"A", "1", NULL}, {"PATH", "/mine", NULL}, {"LC_ALL", "x", NULL}};
	struct conf_pair option[] = {{"A", "2", NULL}, {"HOME", NULL, NULL}, {"B", NULL, NULL}};
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(childenv_release) struct childenv env;
	const char *const *list;

	(void)state;
	setenv("HOME", "/h", 1);
	childenv_init(&env, NULL);
	childenv_pairs(&env, &(struct conf_pairs){workload, 3});
	childenv_pairs(&env, &(struct conf_pairs){option, 3});
	list = childenv_list(&env, &arena);
	assert_string_equal(value_of(list, "A"), "2");
	assert_string_equal(value_of(list, "PATH"), "/mine");
	assert_string_equal(value_of(list, "LC_ALL"), "x");
	assert_null(value_of(list, "HOME"));
	assert_null(value_of(list, "B"));
	childenv_set(&env, "B", "b=c");
	childenv_set(&env, "HOME", "");
	list = childenv_list(&env, &arena);
	assert_string_equal(value_of(list, "B"), "b=c");
	assert_string_equal(value_of(list, "HOME"), "");
}

static void test_bytes(void **state)
{
	const char *argv[] = {"ab", "c", NULL}, *envp[] = {"X=1", NULL}, *none[] = {NULL};

	(void)state;
	assert_int_equal(childenv_bytes(none, none), 0);
	assert_int_equal(childenv_bytes(argv, envp), 3 + 2 + 4 + 3 * sizeof(char *));
}

/* Rows with different arguments and environments take the same room on the stack. */
static void test_pad(void **state)
{
	static const char *const argvs[][4] = {
		{"prog", NULL},
		{"prog", "--fast", NULL},
		{"prog", "", "a rather long argument", NULL},
	};
	static const char *const envps[][3] = {
		{NULL},
		{"A=1", NULL},
		{"A=1", "LONGER_NAME=and a value", NULL},
	};
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t a = 0; a < 3; a++) {
		for (size_t e = 0; e < 3; e++) {
			const char *const *padded = childenv_pad(argvs[a], envps[e], 1024, &arena);
			size_t n = 0;

			assert_int_equal(childenv_bytes(argvs[a], padded), 1024);
			for (; envps[e][n]; n++)
				assert_string_equal(padded[n], envps[e][n]);
			assert_non_null(value_of(padded, "ASSAY_PAD"));
			assert_null(padded[n + 1]);
		}
	}
}

/* Exactly no room, room for an empty pad, and less. */
static void test_pad_limits(void **state)
{
	const char *argv[] = {"p", NULL}, *envp[] = {"A=1", NULL};
	size_t bare = childenv_bytes(argv, envp);
	size_t empty = sizeof("ASSAY_PAD=") + sizeof(char *);
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	const char *const *padded;

	(void)state;
	assert_ptr_equal(childenv_pad(argv, envp, 0, &arena), envp);
	assert_ptr_equal(childenv_pad(argv, envp, bare, &arena), envp);
	assert_ptr_equal(childenv_pad(argv, envp, bare + empty - 1, &arena), envp);
	padded = childenv_pad(argv, envp, bare + empty, &arena);
	assert_string_equal(value_of(padded, "ASSAY_PAD"), "");
	padded = childenv_pad(argv, envp, bare + empty + 1, &arena);
	assert_string_equal(value_of(padded, "ASSAY_PAD"), "x");
}

/* Linux takes no string of 128 KiB. */
static void test_pad_large(void **state)
{
	const char *argv[] = {"p", NULL}, *envp[] = {"A=1", NULL};
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t target = 65000; target < 700000; target += 1003) {
		const char *const *padded = childenv_pad(argv, envp, target, &arena);

		assert_int_equal(childenv_bytes(argv, padded), target);
		for (size_t i = 0; padded[i]; i++)
			assert_true(strlen(padded[i]) < 128 * 1024);
		assert_non_null(value_of(padded, "ASSAY_PAD"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inherited),
		cmocka_unit_test(test_descriptor_wins),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_pad),
		cmocka_unit_test(test_pad_limits),
		cmocka_unit_test(test_pad_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
