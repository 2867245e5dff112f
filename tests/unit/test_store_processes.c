/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store between processes: readers beside a writer, SIGKILL, full disks. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/rng.h"
#include "tests/unit/scratch.h"
#include "tests/unit/store_fixture.h"

#define BLOCKS 15 /* of two rows, written by a process that gets killed */

struct state {
	char *folder, *path;
};

static int setup(void **ptr)
{
	struct state *s = xcalloc(1, sizeof(*s));

	s->folder = scratch_new();
	s->path = path_join(s->folder, "assay.db");
	*ptr = s;
	return 0;
}

static int teardown(void **ptr)
{
	struct state *s = *ptr;

	scratch_free(s->folder);
	free(s->path);
	free(s);
	return 0;
}

static void assert_alone(const char *path)
{
	static const char *const ends[] = {".making", "-wal", "-shm", "-journal"};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		AUTOFREE char *beside = xasprintf("%s%s", path, ends[i]);

		if (fs_exists(beside))
			fail_msg("%s is there", beside);
	}
}

/* --- Other processes ---------------------------------------------------------------------------
 */

static pid_t start(const char *verb, const char *path)
{
	char *argv[] = {(char *)"test_store_processes", (char *)verb, (char *)path, NULL};
	char *envp[] = {NULL};
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, envp), 0);
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In a process of its own: how many runs v_run has; the exit status. */
static int count_main(const char *path)
{
	struct store *store;
	struct err err;
	sqlite3_stmt *st;
	int n;

	if (store_open(path, STORE_READ, &store, &err) < 0)
		return 100;
	sqlite3_prepare_v2(store_db(store), "SELECT count(*) FROM v_run", -1, &st, NULL);
	n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int(st, 0) : 101;
	sqlite3_finalize(st);
	store_close(store);
	return n;
}

/* In a process of its own: one session of BLOCKS blocks, goes on where another one was killed. */
static int write_main(const char *path)
{
	struct store_session session;
	struct stored_run *runs;
	struct stored_row *rows;
	struct arena arena = ARENA_INIT;
	struct fixture fix;
	struct store *store;
	struct err err;
	size_t n, n_rows;
	int64_t host;

	if (store_open(path, STORE_WRITE, &store, &err) < 0 ||
		store_put_host(store, &(struct store_host){.uid = "host-1", .epoch = "epoch-1"},
			&host, &err) < 0 ||
		store_resume_session(store, "plan-1", host, &arena, &session, &err) < 0)
		return 1;
	if (!session.id) {
		fixture_session(store, &fix);
		session = fix.session;
	}
	if (store_read_rows(store, session.id, &arena, &rows, &n_rows, &err) < 0)
		return 2;
	if (n_rows < 2) { /* killed between the session and its rows */
		struct store_row two[2] = {
			{.name = "sort/none", .workload = "sort", .variant = "none"},
			{.name = "sort/A1", .workload = "sort", .variant = "A1"}};
		int64_t ids[2];

		if (store_put_rows(store, session.id, two, 2, ids, &err) < 0 ||
			store_read_rows(store, session.id, &arena, &rows, &n_rows, &err) < 0)
			return 3;
	}
	if (store_read_runs(store, session.id, &arena, &runs, &n, &err) < 0)
		return 4;
	for (int block = 0; block < BLOCKS; block++) {
		for (size_t row = 0; row < 2; row++) {
			int attempt = 1;
			bool done = false;

			for (size_t i = 0; i < n; i++) {
				if (runs[i].run.row_id != rows[row].id ||
					runs[i].run.block != block)
					continue;
				done |= runs[i].run.status == RUN_OK;
				attempt++;
			}
			if (!done)
				fixture_run(store, rows[row].id, block, attempt, ROLE_MEASURED,
					RUN_OK, 1);
		}
	}
	if (store_end_session(store, session.id, "complete", 0, &err) < 0)
		return 5;
	store_close(store);
	arena_release(&arena);
	return 0;
}

static void test_read_while_another_writes(void **ptr)
{
	struct state *s = *ptr;
	struct store *writer, *reader;
	struct fixture fix;
	struct err err;

	assert_ok(store_open(s->path, STORE_WRITE, &writer, &err));
	fixture_session(writer, &fix);
	fixture_run(writer, fix.rows[0], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	assert_int_equal(status_of(start("--count", s->path)), 1);
	/* In the middle of a transaction, too; it is not seen before its end. */
	sqlite3_exec(store_db(writer), "BEGIN IMMEDIATE; UPDATE run SET status = 'lost'", NULL,
		NULL, NULL);
	assert_int_equal(status_of(start("--count", s->path)), 1);
	assert_ok(store_open(s->path, STORE_READ, &reader, &err));
	assert_query(reader, "SELECT status FROM run", "ok");
	sqlite3_exec(store_db(writer), "COMMIT", NULL, NULL, NULL);
	assert_query(reader, "SELECT status FROM run", "lost");
	store_close(reader);
	fixture_run(writer, fix.rows[0], 1, 1, ROLE_MEASURED, RUN_OK, 1);
	assert_int_equal(status_of(start("--count", s->path)), 2);
	store_close(writer);
}

static void test_busy(void **ptr)
{
	struct state *s = *ptr;
	struct store_build build = {.key = "k", .status = "ok"};
	struct store *one, *two;
	struct err err;
	int64_t id;

	assert_ok(store_open(s->path, STORE_WRITE, &one, &err));
	assert_ok(store_open(s->path, STORE_WRITE, &two, &err));
	sqlite3_busy_timeout(store_db(one), 20);
	sqlite3_exec(store_db(two), "BEGIN IMMEDIATE", NULL, NULL, NULL);
	assert_int_equal(store_put_build(one, &build, &id, &err), -1);
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "is being written by another program"));
	sqlite3_exec(store_db(two), "COMMIT", NULL, NULL, NULL);
	assert_ok(store_put_build(one, &build, &id, &err));
	store_close(one);
	store_close(two);
}

static int make_main(const char *path)
{
	struct store *store;
	struct err err;

	if (store_open(path, STORE_WRITE, &store, &err) < 0)
		return fprintf(stderr, "%s\n", err.text), 1;
	if (store_verify(store, &err) < 0)
		return fprintf(stderr, "%s\n", err.text), 2;
	store_close(store);
	return 0;
}

static void test_several_make_it_at_once(void **ptr)
{
	struct state *s = *ptr;

	for (int round = 0; round < 5; round++) {
		pid_t pids[4];

		unlink(s->path);
		for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
			pids[i] = start("--make", s->path);
		for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
			assert_int_equal(status_of(pids[i]), 0);
		/* Two that close at one moment leave the WAL to the next one. */
		assert_int_equal(make_main(s->path), 0);
		assert_alone(s->path);
	}
}

/* Killed at twenty moments and started again: as many rows as an undisturbed session has. */
static void test_sigkill(void **ptr)
{
	struct state *s = *ptr;
	struct rng rng = rng_seeded(rng_random_seed());
	struct store *store;
	struct err err;
	int killed = 0;

	for (int i = 0; i < 20; i++) {
		pid_t pid = start("--write", s->path);

		usleep((useconds_t)rng_below(&rng, 8000));
		kill(pid, SIGKILL);
		killed += status_of(pid) == 128 + SIGKILL;
	}
	assert_true(killed > 0);
	assert_int_equal(status_of(start("--write", s->path)), 0);
	assert_alone(s->path);
	assert_ok(store_open(s->path, STORE_READ, &store, &err));
	assert_ok(store_verify(store, &err));
	assert_query(store, "SELECT count(DISTINCT block || variant) FROM v_run", "30");
	assert_query(store,
		"SELECT count(*) = 30 * count(DISTINCT session) AND count(*) = count(wall_s)"
		" FROM v_run WHERE session IN (SELECT uid FROM session WHERE state = 'complete')",
		"1");
	assert_query(store, "SELECT count(*) FROM run WHERE status = 'running'", "0");
	assert_query(store,
		"SELECT count(*) FROM sample GROUP BY run_id HAVING count(*) <> 4"
		" UNION ALL SELECT 0",
		"0"); /* a run is whole or lost */
	store_close(store);
}

/* --- Full disks --------------------------------------------------------------------------------
 */

/* Begins a run, then ends it with much output. */
static int end_big(struct store *store, int64_t row, int64_t *id, struct err *err)
{
	AUTOFREE char *output = xcalloc(1, 1 << 20);
	struct store_log log = {"stdout", output, 1 << 20, 1 << 20};
	struct store_run run = {.row_id = row, .attempt = 1, .status = RUN_OK};
	struct run_record record;
	int rc = 0;

	run_record_init(&record);
	fixture_sample(&record, "log:first_seen_here", "s", "run", "", 1, NULL);
	if (!*id)
		rc = store_begin_run(store, &run, id, err);
	if (!rc)
		rc = store_end_run(store, *id, &run, &record, &log, 1, err);
	run_record_release(&record);
	return rc;
}

/* In a process of its own: a file system of 1 MiB that gets full, then larger. 77: not allowed. */
static int fill_main(const char *folder)
{
	AUTOFREE char *path = path_join(folder, "assay.db");
	struct fixture fix;
	struct store *store;
	struct err err;
	int64_t id = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", folder, "tmpfs", 0, "size=1m") < 0)
		return 77;
	if (store_open(path, STORE_WRITE, &store, &err) < 0)
		return 1;
	fixture_session(store, &fix);
	fixture_run(store, fix.rows[1], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	if (end_big(store, fix.rows[0], &id, &err) == 0 || !strstr(err.text, "no space left"))
		return 2;
	if (mount("none", folder, "tmpfs", MS_REMOUNT, "size=16m") < 0)
		return 3;
	if (end_big(store, fix.rows[0], &id, &err) < 0 || store_verify(store, &err) < 0)
		return 4;
	store_close(store);
	return count_main(path) == 2 ? 0 : 5;
}

static void test_full_file_system(void **ptr)
{
	struct state *s = *ptr;
	int status = status_of(start("--fill", s->folder));

	if (status == 77) {
		print_message("no mount namespaces here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void assert_full(struct err *err)
{
	assert_int_equal(err->code, E_STORE);
	assert_non_null(strstr(err->text, "no space left for store"));
	assert_non_null(strstr(err->help, "free some space"));
}

static void test_full(void **ptr)
{
	struct state *s = *ptr;
	struct rlimit old, small;
	struct store *store;
	struct fixture fix;
	struct err err;
	int64_t id = 0;

	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	fixture_session(store, &fix);
	fixture_run(store, fix.rows[1], 0, 1, ROLE_MEASURED, RUN_OK, 1);

	/* What SQLite says of a full disk. */
	sqlite3_exec(store_db(store), "PRAGMA max_page_count = 60", NULL, NULL, NULL);
	assert_int_equal(end_big(store, fix.rows[0], &id, &err), -1);
	assert_full(&err);
	sqlite3_exec(store_db(store), "PRAGMA max_page_count = 1000000", NULL, NULL, NULL);

	/* What the kernel says of a file that must not grow. */
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 600 << 10;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(end_big(store, fix.rows[0], &id, &err), -1);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	assert_full(&err);

	/* Nothing is lost, and with space it goes on where it was. */
	assert_query(store, "SELECT status FROM run WHERE id = 2", "running");
	assert_query(store, "SELECT count(*) FROM v_run", "1");
	assert_ok(end_big(store, fix.rows[0], &id, &err));
	assert_query(store, "SELECT count(*) FROM v_run", "2");
	assert_query(
		store, "SELECT value FROM v_sample WHERE metric = 'log:first_seen_here'", "1.0");
	assert_ok(store_verify(store, &err));
	store_close(store);
}

static void test_full_while_made(void **ptr)
{
	struct state *s = *ptr;
	struct rlimit old, small;
	struct store *store;
	struct err err;
	int rc;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 8 << 10;
	setrlimit(RLIMIT_FSIZE, &small);
	rc = store_open(s->path, STORE_WRITE, &store, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(rc, -1);
	assert_full(&err);
	assert_false(fs_exists(s->path));
	assert_alone(s->path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_while_another_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_busy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_several_make_it_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sigkill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_while_made, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full_file_system, setup, teardown),
	};

	if (argc == 3 && !strcmp(argv[1], "--count"))
		return count_main(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--write"))
		return write_main(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--make"))
		return make_main(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--fill"))
		return fill_main(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
