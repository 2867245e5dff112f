/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where data files are found depends on where the program lies: the tests copy this program into
 * made-up trees and run it there with "find NAME" or "list KIND".
 */
#include "config.h"

#include "core/base/datafile.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/scratch.h"

#include <cmocka.h>

static char *root;
static struct err err;

static int setup(void **state)
{
	(void)state;
	root = scratch_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_free(root);
	return 0;
}

static void put(const char *name, const char *text)
{
	char *path = path_join(root, name), *folder = path_dirname(path);

	assert_int_equal(fs_mkdirs(folder, &err), 0);
	assert_int_equal(fs_write(path, text, strlen(text), 0, &err), 0);
	free(path);
	free(folder);
}

/* What the copy at root/name prints; env: value of ASSAY_DATADIR below root, or NULL. */
static char *run_copy(const char *name, const char *env, const char *verb, const char *argument)
{
	char *path = path_join(root, name), *folder = path_dirname(path);
	char *data = env ? path_join(root, env) : NULL;
	struct buf out = BUF_INIT;
	char block[512];
	int fds[2];
	ssize_t n;
	pid_t pid;
	char *self;

	assert_int_equal(path_absolute("/proc/self/exe", &self, &err), 0);
	assert_int_equal(fs_mkdirs(folder, &err), 0);
	assert_int_equal(fs_copy_file(self, path, &err), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		unsetenv("ASSAY_DATADIR");
		if (data)
			setenv("ASSAY_DATADIR", data, 1);
		execl(path, path, verb, argument, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	while ((n = read(fds[0], block, sizeof(block))) > 0)
		buf_add(&out, block, (size_t)n);
	close(fds[0]);
	waitpid(pid, NULL, 0);
	free(self);
	free(path);
	free(folder);
	free(data);
	return buf_steal(&out);
}

static void finds(const char *program, const char *env, const char *expected)
{
	char *out = run_copy(program, env, "find", "parsers/p.yaml");
	char *full = path_join(root, expected);

	assert_string_equal(out, full);
	free(out);
	free(full);
}

static void beside_the_program(void **state)
{
	(void)state;
	put("src/data/parsers/p.yaml", "");
	finds("src/assay", NULL, "src/data/parsers/p.yaml");
	finds("src/.libs/assay", NULL, "src/data/parsers/p.yaml");
}

static void built_out_of_tree(void **state)
{
	char *makefile = xasprintf(
		"# made\nPACKAGE = assay\nabs_top_srcdir = %s/src\nabs_srcdir = /x\n", root);

	(void)state;
	put("src/data/parsers/p.yaml", "");
	put("build/Makefile", makefile);
	finds("build/assay", NULL, "src/data/parsers/p.yaml");
	/* A data folder that has something else does not hide the source tree. */
	put("build/data/other", "");
	finds("build/assay", NULL, "src/data/parsers/p.yaml");
	free(makefile);
}

static void makefile_of_another_program(void **state)
{
	char *makefile = xasprintf("# made\nPACKAGE = other\nabs_top_srcdir = %s/src\n", root),
	     *out;

	(void)state;
	put("src/data/parsers/p.yaml", "");
	put("bin/Makefile", makefile);
	out = run_copy("bin/assay", NULL, "find", "parsers/p.yaml");
	assert_non_null(strstr(out, "data file 'parsers/p.yaml' was not found; looked into"));
	assert_non_null(strstr(out, "/bin/data, "));
	assert_non_null(strstr(out, ASSAY_DATADIR));
	assert_null(strstr(out, "/src/data"));
	free(out);
	free(makefile);
}

static void environment_comes_first(void **state)
{
	(void)state;
	put("src/data/parsers/p.yaml", "");
	put("mine/parsers/p.yaml", "");
	finds("src/assay", "mine", "mine/parsers/p.yaml");
	finds("src/assay", "empty", "src/data/parsers/p.yaml");
}

static void names_stay_inside(void **state)
{
	char *path = NULL;

	(void)state;
	assert_int_equal(datafile_find("../configure", &path, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(datafile_find("/etc/passwd", &path, &err), -1);
	assert_int_equal(datafile_find("", &path, &err), -1);
	assert_null(path);
}

static void lists(void **state)
{
	char *out;

	(void)state;
	put("src/data/parsers/b.yaml", "");
	put("src/data/parsers/a.yaml", "");
	put("src/data/parsers/README", "");
	put("src/data/parsers/.yaml", "");
	put("src/data/parsers/.hidden.yaml", "");
	put("mine/parsers/c.yaml", "");
	put("mine/parsers/a.yaml", "");
	out = run_copy("src/assay", "mine", "list", "parsers");
	assert_string_equal(out, "a b c ");
	free(out);
	out = run_copy("src/assay", "mine", "list", "nonesuch");
	assert_string_equal(out, "");
	free(out);
}

static int find_or_list(const char *verb, const char *argument)
{
	char *path, **names;

	if (!strcmp(verb, "list")) {
		names = datafile_list(argument, ".yaml");
		for (char **name = names; *name; name++) {
			printf("%s ", *name);
			free(*name);
		}
		free(names);
		return 0;
	}
	if (datafile_find(argument, &path, &err)) {
		puts(err.text);
		return 1;
	}
	fputs(path, stdout);
	free(path);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(beside_the_program),
		TEST(built_out_of_tree),
		TEST(makefile_of_another_program),
		TEST(environment_comes_first),
		TEST(names_stay_inside),
		TEST(lists),
	};

	if (argc == 3)
		return find_or_list(argv[1], argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
