/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests of files and folders: what changes them and what does not. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/engine/treedigest.h"
#include "tests/unit/scratch.h"

static void put(const char *root, const char *name, const char *text)
{
	AUTOFREE char *path = path_join(root, name), *dir = path_dirname(path);
	struct err err;

	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(path, text, strlen(text), 0, &err), 0);
}

static struct digest of(const char *root, const char *name, enum tree_digest_kind kind)
{
	AUTOFREE char *path = path_join(root, name);
	struct digest digest;
	struct err err;

	if (tree_digest(path, kind, &digest, &err))
		fail_msg("%s", err.text);
	return digest;
}

#define assert_same(a, b) assert_string_equal((a).hex, (b).hex)
#define assert_differ(a, b) assert_string_not_equal((a).hex, (b).hex)

static void test_file(void **state)
{
	AUTOFREE char *link = NULL, *target = NULL;
	char *root = scratch_new();
	struct digest before;

	(void)state;
	put(root, "a", "text");
	put(root, "b", "text");
	before = of(root, "a", TREE_CONTENT);
	assert_same(before, of(root, "b", TREE_CONTENT)); /* the name is not part of it */
	link = path_join(root, "link");
	target = path_join(root, "a");
	assert_int_equal(symlink(target, link), 0);
	assert_same(before, of(root, "link", TREE_CONTENT)); /* it may be named by a link */
	assert_int_equal(chmod(target, 0755), 0);
	assert_differ(before, of(root, "a", TREE_CONTENT));
	assert_int_equal(chmod(target, 0600), 0);
	assert_same(before, of(root, "a", TREE_CONTENT)); /* of the mode only: executable */
	put(root, "a", "texT");
	assert_differ(before, of(root, "a", TREE_CONTENT));
	scratch_free(root);
}

static void make_tree(const char *root)
{
	AUTOFREE char *link = path_join(root, "t/link");

	put(root, "t/one", "1");
	put(root, "t/sub/two", "2");
	assert_int_equal(symlink("one", link), 0);
}

static void test_tree(void **state)
{
	char *root = scratch_new(), *other = scratch_new();
	AUTOFREE char *moved = path_join(root, "t/sub"), *to = path_join(root, "t/sux");
	AUTOFREE char *link = path_join(root, "t/link"), *empty = path_join(root, "t/empty");
	struct digest before;

	(void)state;
	make_tree(root);
	make_tree(other);
	before = of(root, "t", TREE_CONTENT);
	assert_same(before, of(other, "t", TREE_CONTENT));
	assert_int_equal(rename(moved, to), 0);
	assert_differ(before, of(root, "t", TREE_CONTENT));
	assert_int_equal(rename(to, moved), 0);
	assert_same(before, of(root, "t", TREE_CONTENT));
	assert_int_equal(mkdir(empty, 0755), 0);
	assert_differ(before, of(root, "t", TREE_CONTENT));
	assert_int_equal(rmdir(empty), 0);
	/* A link to the same content under another name is another link. */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("./one", link), 0);
	assert_differ(before, of(root, "t", TREE_CONTENT));
	/* Content that moves from one file to its neighbour. */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("one", link), 0);
	put(root, "t/one", "12");
	put(root, "t/sub/two", "");
	assert_differ(before, of(root, "t", TREE_CONTENT));
	/* A dangling link inside is no error. */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("nowhere", link), 0);
	assert_differ(before, of(root, "t", TREE_CONTENT));
	scratch_free(root);
	scratch_free(other);
}

static void test_stat(void **state)
{
	char *root = scratch_new();
	AUTOFREE char *path = path_join(root, "t/one");
	struct timespec times[2] = {{1000, 5}, {1000, 5}};
	struct digest before;

	(void)state;
	put(root, "t/one", "1234");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	before = of(root, "t", TREE_STAT);
	put(root, "t/one", "4321");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_same(before, of(root, "t", TREE_STAT)); /* content is not read */
	times[1].tv_nsec = 6;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_differ(before, of(root, "t", TREE_STAT));
	times[1].tv_nsec = 5;
	put(root, "t/one", "12345");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_differ(before, of(root, "t", TREE_STAT));
	scratch_free(root);
}

static void compile(const char *root, const char *name, const char *flags)
{
	AUTOFREE char *command = xasprintf(
		"cd %s && printf 'int main(void) { return 0; }\\n' > p.c && cc %s -o %s p.c", root,
		flags, name);

	if (system(command)) /* NOLINT: a compiler is what this test is about */
		skip();
}

/* Debug information and a build id do not make another program; code does. */
static void test_code(void **state)
{
	char *root = scratch_new();
	struct digest plain;

	(void)state;
	compile(root, "plain", "-O1 -Wl,--build-id=0x1234");
	compile(root, "debug", "-O1 -Wl,--build-id=0x5678 -g");
	compile(root, "other", "-O1 -Wl,--build-id=0x1234 -fstack-protector-all");
	plain = of(root, "plain", TREE_CODE);
	assert_differ(of(root, "plain", TREE_CONTENT), of(root, "debug", TREE_CONTENT));
	assert_same(plain, of(root, "debug", TREE_CODE));
	assert_differ(plain, of(root, "other", TREE_CODE));
	/* What is no ELF file counts by its bytes. */
	put(root, "a.txt", "text");
	put(root, "b.txt", "texT");
	assert_differ(of(root, "a.txt", TREE_CODE), of(root, "b.txt", TREE_CODE));
	scratch_free(root);
}

static void test_missing(void **state)
{
	struct digest digest;
	struct err err;

	(void)state;
	assert_int_equal(tree_digest("/nowhere/at/all", TREE_CONTENT, &digest, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
}

static void test_unreadable(void **state)
{
	struct digest digest;
	struct err err;

	(void)state;
	if (!geteuid())
		skip(); /* root reads everything */

	char *root = scratch_new();
	AUTOFREE char *path = path_join(root, "t/one");

	put(root, "t/one", "1");
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(tree_digest(path, TREE_CONTENT, &digest, &err), -1);
	assert_non_null(strstr(err.text, "one"));
	scratch_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
