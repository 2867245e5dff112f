/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "tests/unit/scratch.h"

#include <cmocka.h>

#define OK(call) \
	do { \
		if (call) \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)

#define FAILS(call, want, part) \
	do { \
		err = (struct err){0}; \
		assert_int_equal(call, -1); \
		assert_int_equal(err.code, want); \
		if (!strstr(err.text, part)) \
			fail_msg("'%s' does not say '%s'", err.text, part); \
	} while (0)

static char *root; /* of the test at hand */
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

/* Path below the scratch folder; lives until eight later calls. */
static const char *in(const char *name)
{
	static char paths[8][4096];
	static unsigned at;
	char *path = paths[at++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void put(const char *name, const char *text)
{
	OK(fs_write(in(name), text, strlen(text), 0, &err));
}

static void has(const char *name, const char *text)
{
	struct buf buf = BUF_INIT;

	OK(fs_read(in(name), 0, &buf, &err));
	assert_string_equal(buf.data, text);
	buf_release(&buf);
}

static size_t count(const char *name)
{
	size_t n = 0;
	char *command = xasprintf("find '%s' | wc -l", in(name));
	FILE *f = popen(command, "r");

	assert_int_equal(fscanf(f, "%zu", &n), 1);
	pclose(f);
	free(command);
	return n;
}

/* Runs fn in a child that is not root, with the scratch folder its own. */
static void as_user(void (*fn)(void))
{
	int status;
	pid_t pid;

	if (!geteuid() && chown(root, 65534, 65534))
		fail_msg("chown: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		if (!geteuid() && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
					  setresuid(65534, 65534, 65534)))
			_exit(99);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define REQUIRE(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%d: %s (%s)\n", __LINE__, #x, err.text); \
			_exit(1); \
		} \
	} while (0)

static void reading(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	OK(fs_write(in("f"), "a\0b", 3, 0, &err));
	buf_adds(&buf, "old");
	OK(fs_read(in("f"), 3, &buf, &err));
	assert_int_equal(buf.len, 3);
	assert_memory_equal(buf.data, "a\0b", 4);
	FAILS(fs_read(in("f"), 2, &buf, &err), E_CONFIG, "too large");
	FAILS(fs_read(in("none"), 0, &buf, &err), E_MISSING, "No such file");
	FAILS(fs_read(root, 0, &buf, &err), E_MISSING, "Is a directory");
	assert_int_equal(buf.len, 3); /* untouched by failures */
	/* Files of /proc say that they are empty. */
	OK(fs_read("/proc/self/status", 0, &buf, &err));
	assert_non_null(strstr(buf.data, "VmRSS"));
	FAILS(fs_read("/proc/self/status", 10, &buf, &err), E_CONFIG, "too large");
	put("empty", "");
	OK(fs_read(in("empty"), 1, &buf, &err));
	assert_int_equal(buf.len, 0);
	buf_release(&buf);
}

static void reading_much(void **state)
{
	size_t len = 3 << 20;
	char *data = xmalloc(len);
	struct buf buf = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(i * 31 >> 3);
	OK(fs_write(in("f"), data, len, 0, &err));
	OK(fs_read(in("f"), 0, &buf, &err));
	assert_int_equal(buf.len, len);
	assert_memory_equal(buf.data, data, len);
	buf_release(&buf);
	free(data);
}

static void reading_small(void **state)
{
	char text[4] = "old";

	(void)state;
	put("f", "123456");
	assert_int_equal(fs_read_small(in("f"), text, sizeof(text)), 0);
	assert_string_equal(text, "123");
	assert_int_equal(fs_read_small(in("none"), text, sizeof(text)), -1);
	assert_int_equal(fs_read_small(root, text, sizeof(text)), -1);
	assert_int_equal(fs_read_small(in("f"), text, 0), -1);
	assert_string_equal(text, "123");
}

static void writing(void **state)
{
	struct stat st;

	(void)state;
	umask(022);
	put("f", "first");
	put("f", "second");
	has("f", "second");
	assert_int_equal(stat(in("f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	OK(fs_write(in("x"), "", 0, 0755, &err));
	assert_int_equal(stat(in("x"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	/* Other names of the old file keep the old content; a link is replaced, not followed. */
	assert_int_equal(link(in("f"), in("g")), 0);
	assert_int_equal(symlink("f", in("l")), 0);
	put("f", "third");
	has("g", "second");
	put("l", "own");
	has("f", "third");
	OK(fs_mkdirs(in("d/e"), &err));
	FAILS(fs_write(in("d"), "x", 1, 0, &err), E_MISSING, "cannot write");
	FAILS(fs_write(in("none/f"), "x", 1, 0, &err), E_MISSING, "No such file");
	FAILS(fs_write(in("f/f"), "x", 1, 0, &err), E_MISSING, "Not a directory");
	assert_int_equal(count("."), 7); /* no temporary file is left */
}

/* A full disk leaves the old file whole. */
static void writing_without_room(void **state)
{
	struct rlimit old, limit;

	(void)state;
	put("f", "old");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){2, old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	err = (struct err){0};
	int rc = fs_write(in("f"), "longer", 6, 0, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, E_SYSTEM);
	assert_int_equal(err.sys, EFBIG);
	has("f", "old");
	assert_int_equal(count("."), 2);
}

static void folders(void **state)
{
	(void)state;
	OK(fs_mkdirs(in("a//b/c/"), &err));
	assert_true(fs_is_dir(in("a/b/c")));
	OK(fs_mkdirs(in("a/b"), &err));
	OK(fs_mkdirs("/", &err));
	put("f", "");
	FAILS(fs_mkdirs(in("f/x"), &err), E_MISSING, "Not a directory");
	FAILS(fs_mkdirs(in("f"), &err), E_MISSING, "Not a directory");
	FAILS(fs_mkdirs("", &err), E_MISSING, "empty name");
	FAILS(fs_mkdirs("/proc/nonesuch", &err), E_MISSING, "No such file");
	assert_true(fs_exists(in("f")));
	assert_false(fs_is_dir(in("f")));
	assert_false(fs_exists(in("none")));
}

static void empty_folders(void **state)
{
	(void)state;
	OK(fs_mkdirs(in("d/e"), &err));
	assert_true(fs_is_empty_dir(in("d/e")));
	assert_false(fs_is_empty_dir(in("d")));
	assert_int_equal(symlink("e", in("d/l")), 0);
	assert_false(fs_is_empty_dir(in("d/l")));
	put("d/e/.f", "");
	assert_false(fs_is_empty_dir(in("d/e")));
	assert_false(fs_is_empty_dir(in("d/e/.f")));
	assert_false(fs_is_empty_dir(in("none")));
	OK(fs_mkdirs(in("r"), &err));
	assert_int_equal(chmod(in("r"), 0500), 0); /* nobody could write there */
	assert_false(fs_is_empty_dir(in("r")));
}

static void make_tree(void)
{
	OK(fs_mkdirs(in("t/a/b"), &err));
	OK(fs_mkdirs(in("t/a.d"), &err));
	put("t/a/b/f", "deep");
	put("t/a/Z", "z");
	put("t/x", "x");
	put("outside", "keep");
	assert_int_equal(symlink("../outside", in("t/a/link")), 0);
	assert_int_equal(symlink(root, in("t/up")), 0);
	assert_int_equal(symlink("nowhere", in("t/dangling")), 0);
}

static int collect(void *ctx, const struct fs_entry *entry, struct err *e)
{
	struct buf *to = ctx;

	(void)e;
	assert_true(entry->full[0] == '/');
	buf_addf(to, "%s%s ", entry->path, S_ISDIR(entry->st.st_mode) ? "/" : "");
	return 0;
}

static int skip_a(void *ctx, const struct fs_entry *entry, struct err *e)
{
	collect(ctx, entry, e);
	return !strcmp(entry->path, "a");
}

static int stop_at_x(void *ctx, const struct fs_entry *entry, struct err *e)
{
	collect(ctx, entry, e);
	return strcmp(entry->path, "x") ? 0 : err_set(e, E_NEGATIVE, "met x");
}

static void walking(void **state)
{
	static const char all[] = "a/ a/Z a/b/ a/b/f a/link a.d/ dangling up x ";
	struct buf buf = BUF_INIT;
	char *slash;

	(void)state;
	make_tree();
	OK(fs_walk(in("t"), collect, &buf, &err));
	assert_string_equal(buf.data, all);
	buf_clear(&buf);
	slash = xasprintf("%s/", in("t"));
	OK(fs_walk(slash, collect, &buf, &err));
	assert_string_equal(buf.data, all);
	free(slash);
	buf_clear(&buf);
	OK(fs_walk(in("t"), skip_a, &buf, &err));
	assert_string_equal(buf.data, "a/ a.d/ dangling up x ");
	buf_clear(&buf);
	put("t/y", "");
	FAILS(fs_walk(in("t"), stop_at_x, &buf, &err), E_NEGATIVE, "met x");
	assert_string_equal(buf.data, all);
	FAILS(fs_walk(in("none"), collect, &buf, &err), E_MISSING, "No such file");
	FAILS(fs_walk(in("t/x"), collect, &buf, &err), E_MISSING, "Not a directory");
	buf_release(&buf);
}

static void walk_unreadable(void)
{
	struct buf buf = BUF_INIT;

	REQUIRE(!mkdir(in("d"), 0700) && !mkdir(in("d/closed"), 0));
	REQUIRE(fs_walk(in("d"), collect, &buf, &err) == -1);
	REQUIRE(err.code == E_MISSING && strstr(err.text, "d/closed': Permission denied"));
	REQUIRE(fs_copy_tree(in("d"), in("e"), &err) == -1);
	REQUIRE(strstr(err.text, "d/closed': Permission denied"));
	REQUIRE(!fs_remove(in("d"), &err));
	buf_release(&buf);
}

static void walking_unreadable(void **state)
{
	(void)state;
	as_user(walk_unreadable);
}

/* Deeper than there are file descriptors, and than a path can be. */
static void make_deep(const char *name, int depth)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < depth; i++) {
		int next;

		assert_int_equal(mkdirat(fd, i ? "dddd" : name, 0700), 0);
		next = openat(fd, i ? "dddd" : name, O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	assert_int_equal(mkdirat(fd, "end", 0500), 0);
	close(fd);
}

static void deep(void **state)
{
	struct rlimit old, few;
	struct buf buf = BUF_INIT;

	(void)state;
	make_deep("deep", 1500);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){256, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	FAILS(fs_walk(in("deep"), collect, &buf, &err), E_SYSTEM, "nested deeper");
	OK(fs_remove(in("deep"), &err));
	setrlimit(RLIMIT_NOFILE, &old);
	assert_false(fs_exists(in("deep")));
	buf_release(&buf);
}

static void removing(void **state)
{
	(void)state;
	make_tree();
	OK(fs_remove(in("t/"), &err));
	assert_false(fs_exists(in("t")));
	has("outside", "keep");
	OK(fs_remove(in("t"), &err));         /* there is none */
	OK(fs_remove(in("outside/x"), &err)); /* nor can there be */
	OK(fs_mkdirs(in("d/e"), &err));
	assert_int_equal(symlink("d", in("l")), 0);
	OK(fs_remove(in("l/"), &err)); /* the link, not what it points to */
	assert_true(fs_is_dir(in("d/e")));
	assert_false(fs_exists(in("l")));
	OK(fs_remove(in("outside"), &err));
	assert_int_equal(count("."), 3);
}

static void remove_readonly(void)
{
	REQUIRE(!mkdir(in("m"), 0700) && !mkdir(in("m/r"), 0700) && !mkdir(in("m/r/s"), 0700));
	REQUIRE(!fs_write(in("m/r/s/f"), "x", 1, 0444, &err));
	REQUIRE(!chmod(in("m/r/s"), 0555) && !chmod(in("m/r"), 0) && !chmod(in("m"), 0555));
	REQUIRE(!fs_remove(in("m"), &err) && !fs_exists(in("m")));
	/* Not the link's target: its mode stays. */
	REQUIRE(!mkdir(in("p"), 0700) && !mkdir(in("target"), 0500));
	REQUIRE(!symlink("../target", in("p/l")) && !fs_remove(in("p"), &err));
	struct stat st;
	REQUIRE(!stat(in("target"), &st) && (st.st_mode & 0777) == 0500);
	/* What lies in a folder of someone else's stays, with a message. */
	REQUIRE(fs_remove("/proc/self/status", &err) == -1);
	REQUIRE(strstr(err.text, "cannot remove '/proc/self/status'"));
}

static void removing_readonly(void **state)
{
	(void)state;
	as_user(remove_readonly);
}

static void removing_stops_at_mounts(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	OK(fs_mkdirs(in("d/mnt"), &err));
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			mount("none", in("d/mnt"), "tmpfs", 0, NULL))
			_exit(77);
		REQUIRE(!fs_write(in("d/mnt/f"), "x", 1, 0, &err));
		REQUIRE(fs_remove(in("d"), &err) == -1);
		REQUIRE(strstr(err.text, "another file system is mounted there"));
		REQUIRE(fs_exists(in("d/mnt/f")));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("mount namespaces cannot be used here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void usage(void **state)
{
	char *data = xcalloc(1, 100000);
	uint64_t one = 0, two = 0, free_bytes = 0;

	(void)state;
	memset(data, 1, 100000);
	OK(fs_mkdirs(in("t/d"), &err));
	OK(fs_write(in("t/d/f"), data, 100000, 0, &err));
	free(data);
	OK(fs_usage(in("t"), &one, &free_bytes, &err));
	assert_true(one >= 100000 && one < 200000);
	assert_true(free_bytes > 0);
	assert_int_equal(link(in("t/d/f"), in("t/g")), 0); /* one file, two names */
	OK(fs_usage(in("t"), &two, &free_bytes, &err));
	assert_true(two == one);
	OK(fs_usage(in("t/g"), &two, &free_bytes, &err));
	assert_true(two >= 100000);
	FAILS(fs_usage(in("none"), &one, &two, &err), E_MISSING, "No such file");
}

static void copying_files(void **state)
{
	struct timespec times[2] = {{1000, 5}, {2000, 7}};
	struct stat st;
	char target[64] = "";

	(void)state;
	put("f", "text");
	assert_int_equal(chmod(in("f"), 0751), 0);
	assert_int_equal(utimensat(AT_FDCWD, in("f"), times, 0), 0);
	put("g", "longer than before");
	assert_int_equal(link(in("g"), in("h")), 0);
	OK(fs_copy_file(in("f"), in("g"), &err));
	has("g", "text");
	has("h", "longer than before"); /* the old file was replaced, not written to */
	assert_int_equal(stat(in("g"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0751);
	assert_int_equal(st.st_mtim.tv_sec, 2000);
	assert_int_equal(st.st_mtim.tv_nsec, 7);
	assert_int_equal(symlink("no where", in("l")), 0);
	OK(fs_copy_file(in("l"), in("m"), &err));
	assert_int_equal(readlink(in("m"), target, sizeof(target) - 1), 8);
	assert_string_equal(target, "no where");
	put("empty", "");
	OK(fs_copy_file(in("empty"), in("e2"), &err));
	has("e2", "");
	/* A file that has content and a size of 0. */
	OK(fs_copy_file("/proc/self/status", in("status"), &err));
	assert_int_equal(stat(in("status"), &st), 0);
	assert_true(st.st_size > 100);
	FAILS(fs_copy_file(in("none"), in("x"), &err), E_MISSING, "No such file");
	FAILS(fs_copy_file(root, in("x"), &err), E_MISSING, "no regular file");
	FAILS(fs_copy_file(in("f"), in("f"), &err), E_SYSTEM, "one file");
	FAILS(fs_copy_file(in("f"), in("no/x"), &err), E_MISSING, "No such file");
	OK(fs_mkdirs(in("d"), &err));
	FAILS(fs_copy_file(in("f"), in("d"), &err), E_MISSING, "cannot replace");
	assert_int_equal(mkfifo(in("fifo"), 0600), 0);
	FAILS(fs_copy_file(in("fifo"), in("x"), &err), E_MISSING, "no regular file");
	assert_false(fs_exists(in("x")));
}

/* From another file system no blocks can be shared; what did not fit leaves nothing behind. */
static void copying_without_room(void **state)
{
	struct rlimit old, limit;
	char *data = xcalloc(1, 100000);
	int rc;

	(void)state;
	OK(fs_write(in("f"), data, 100000, 0, &err));
	free(data);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){5000, old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	err = (struct err){0};
	rc = fs_copy_file(in("f"), in("g"), &err);
	setrlimit(RLIMIT_FSIZE, &old);
	if (!rc) {
		print_message("this file system shares blocks, whatever the limit\n");
		skip();
	}
	assert_int_equal(err.sys, EFBIG);
	assert_non_null(strstr(err.text, "cannot write"));
	assert_false(fs_exists(in("g")));
}

static void copying_trees(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct timespec times[2] = {{1000, 5}, {2000, 7}};
	struct stat st;
	char target[4096] = "";

	(void)state;
	make_tree();
	assert_int_equal(utimensat(AT_FDCWD, in("t/a"), times, 0), 0);
	assert_int_equal(chmod(in("t/a"), 0555), 0);
	assert_int_equal(chmod(in("t"), 0711), 0);
	OK(fs_copy_tree(in("t"), in("u"), &err));
	assert_int_equal(stat(in("u"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0711);
	OK(fs_walk(in("t"), collect, &a, &err));
	OK(fs_walk(in("u"), collect, &b, &err));
	assert_string_equal(a.data, b.data);
	has("u/a/b/f", "deep");
	assert_true(readlink(in("u/a/link"), target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "../outside");
	assert_int_equal(stat(in("u/a"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0555);
	assert_int_equal(st.st_mtim.tv_sec, 2000);
	/* Into a folder that is there: it is filled. */
	OK(fs_mkdirs(in("v"), &err));
	put("v/own", "own");
	OK(fs_copy_tree(in("t"), in("v"), &err));
	has("v/own", "own");
	has("v/x", "x");
	OK(fs_copy_tree(in("t/x"), in("w"), &err)); /* a tree of one file */
	has("w", "x");
	buf_release(&a);
	buf_release(&b);
}

static void copying_trees_fails(void **state)
{
	(void)state;
	make_tree();
	FAILS(fs_copy_tree(in("none"), in("u"), &err), E_MISSING, "No such file");
	FAILS(fs_copy_tree(in("t"), in("t/a.d/copy"), &err), E_SYSTEM, "into itself");
	FAILS(fs_copy_tree(in("t"), in("t"), &err), E_SYSTEM, "to itself");
	FAILS(fs_copy_tree(in("t"), in("outside"), &err), E_SYSTEM, "cannot make folder");
	OK(fs_mkdirs(in("s"), &err));
	assert_int_equal(mkfifo(in("s/fifo"), 0600), 0);
	FAILS(fs_copy_tree(in("s"), in("v"), &err), E_MISSING, "no regular file");
	/* A link where a folder should go: nothing is written where it points to. */
	OK(fs_mkdirs(in("w"), &err));
	OK(fs_mkdirs(in("elsewhere"), &err));
	assert_int_equal(symlink("../elsewhere", in("w/a")), 0);
	FAILS(fs_copy_tree(in("t"), in("w"), &err), E_SYSTEM, "cannot make folder");
	assert_int_equal(count("elsewhere"), 1);
}

static void moving(void **state)
{
	(void)state;
	make_tree();
	OK(fs_move(in("t"), in("u"), &err));
	has("u/a/b/f", "deep");
	assert_false(fs_exists(in("t")));
	FAILS(fs_move(in("none"), in("v"), &err), E_MISSING, "No such file");
	OK(fs_mkdirs(in("full/x"), &err));
	FAILS(fs_move(in("u"), in("full"), &err), E_SYSTEM, "not empty");
}

static void moving_across(void **state)
{
	char other[] = "/dev/shm/assay-test-XXXXXX";
	struct stat a, b;
	char *to, *full;

	(void)state;
	if (!mkdtemp(other) || stat(other, &a) || stat(root, &b) || a.st_dev == b.st_dev) {
		print_message("/dev/shm is no other file system that can be written to\n");
		skip();
	}
	make_tree();
	assert_int_equal(chmod(in("t/a"), 0555), 0);
	to = path_join(other, "moved");
	OK(fs_move(in("t"), to, &err));
	assert_false(fs_exists(in("t")));
	full = path_join(to, "a/b/f");
	assert_true(fs_exists(full));
	free(full);
	OK(fs_mkdirs(in("full/x"), &err));
	FAILS(fs_move(to, in("full"), &err), E_SYSTEM, "not empty");
	assert_true(fs_exists(to));
	assert_int_equal(count("."), 4); /* no half copy is left */
	OK(fs_move(to, in("back"), &err));
	has("back/a/b/f", "deep");
	/* A link goes as a link. */
	assert_int_equal(symlink("back", in("l")), 0);
	OK(fs_move(in("l"), to, &err));
	assert_int_equal(lstat(to, &a), 0);
	assert_true(S_ISLNK(a.st_mode));
	assert_true(fs_exists(in("back/x")));
	OK(fs_remove(other, &err));
	free(to);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reading),
		TEST(reading_much),
		TEST(reading_small),
		TEST(writing),
		TEST(writing_without_room),
		TEST(folders),
		TEST(empty_folders),
		TEST(walking),
		TEST(walking_unreadable),
		TEST(deep),
		TEST(removing),
		TEST(removing_readonly),
		TEST(removing_stops_at_mounts),
		TEST(usage),
		TEST(copying_files),
		TEST(copying_without_room),
		TEST(copying_trees),
		TEST(copying_trees_fails),
		TEST(moving),
		TEST(moving_across),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
