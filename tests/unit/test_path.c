/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "tests/unit/scratch.h"

#include <cmocka.h>

static void is_text(char *got, const char *expected)
{
	assert_string_equal(got, expected);
	free(got);
}

static void joining(void **state)
{
	(void)state;
	is_text(path_join("a", "b"), "a/b");
	is_text(path_join("a//", "b"), "a/b");
	is_text(path_join("/", "b"), "/b");
	is_text(path_join("a", "/b"), "/b");
	is_text(path_join("", "b"), "b");
	is_text(path_join("a", ""), "a");
}

static void parts(void **state)
{
	static const char *const cases[][3] = {{"a", ".", "a"}, {"a/b", "a", "b"}, {"/a", "/", "a"},
		{"/", "/", ""}, {"a//b", "a", "b"}, {"//a", "/", "a"}, {"a/b/", "a", ""},
		{"", ".", ""}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_text(path_dirname(cases[i][0]), cases[i][1]);
		assert_string_equal(path_basename(cases[i][0]), cases[i][2]);
	}
}

static void inside(void **state)
{
	static const char *const good[] = {"a", "a/b", ".", "./a", "a/..", "a/../b", "a//b", "..a",
		"a/", "...", "a/b/../../c"};
	static const char *const bad[] = {
		"", "/", "/a", "..", "../a", "a/../..", "a/../../a", "./..", "a//../.."};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(path_inside(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(path_inside(bad[i]));
}

static void absolute(void **state)
{
	struct err err = {0};
	char *path = NULL;

	(void)state;
	assert_int_equal(path_absolute("/usr/..", &path, &err), 0);
	is_text(path, "/");
	path = NULL;
	assert_int_equal(path_absolute("/no/such", &path, &err), -1);
	assert_null(path);
	assert_int_equal(err.code, E_MISSING);
	assert_non_null(strstr(err.text, "'/no/such'"));
}

static void which(void **state)
{
	char *folder = scratch_new(), *tool = path_join(folder, "tool");
	char *text = path_join(folder, "text"), *list = xasprintf("/no/such:%s:/bin", folder);
	char *sub = path_join(folder, "sub"), *before = getcwd(NULL, 0);
	struct err err;

	(void)state;
	assert_int_equal(fs_write(tool, "#!/bin/sh\n", 10, 0755, &err), 0);
	assert_int_equal(fs_write(text, "x", 1, 0644, &err), 0);
	assert_int_equal(fs_mkdirs(sub, &err), 0);
	is_text(path_which("tool", list), tool);
	is_text(path_which(tool, ""), tool);
	assert_null(path_which("text", list)); /* not executable */
	assert_null(path_which("sub", list));  /* a folder */
	assert_null(path_which("nonesuch-tool", list));
	assert_null(path_which("", list));
	assert_int_equal(chdir(folder), 0);
	is_text(path_which("tool", "/no:"), "./tool"); /* an empty element is here */
	assert_int_equal(chdir(before), 0);
	free(path_which("sh", NULL));
	free(before);
	free(tool);
	free(text);
	free(list);
	free(sub);
	scratch_free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining),
		cmocka_unit_test(parts),
		cmocka_unit_test(inside),
		cmocka_unit_test(absolute),
		cmocka_unit_test(which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
