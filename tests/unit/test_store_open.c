/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening, migrating, refusing; permissions. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/fs.h"
#include "core/base/rng.h"
#include "core/store/migrate.h"
#include "tests/unit/scratch.h"
#include "tests/unit/store_fixture.h"

#define NOBODY 65534

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

static void write_file(const char *path, const void *data, size_t len)
{
	struct err err;

	assert_ok(fs_write(path, data, len, 0, &err));
}

/* What a refused file looks like before and after. */
static void fingerprint(const char *path, struct digest *ret)
{
	struct err err;

	assert_ok(digest_file(path, ret, &err));
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

static void assert_refused(const char *path, const char *words)
{
	struct digest before, after;
	struct store *store;
	struct err err;

	fingerprint(path, &before);
	for (int mode = STORE_READ; mode <= STORE_BRIEF; mode++) {
		assert_int_equal(store_open(path, (enum store_mode)mode, &store, &err), -1);
		assert_int_equal(err.code, E_STORE);
		if (!strstr(err.text, words))
			fail_msg("'%s' lacks '%s'", err.text, words);
		assert_true(err.help[0]);
	}
	fingerprint(path, &after);
	assert_string_equal(before.hex, after.hex);
	assert_alone(path);
}

/* --- Making and opening ------------------------------------------------------------------------
 */

static void test_make_and_reopen(void **ptr)
{
	struct state *s = *ptr;
	AUTOFREE char *left = xasprintf("%s.making", s->path);
	struct store *store;
	struct fixture fix;
	struct err err;

	assert_int_equal(store_open(s->path, STORE_READ, &store, &err), -1);
	assert_int_equal(err.code, E_NOTHING);
	assert_false(fs_exists(s->path));
	write_file(left, "half", 4); /* of a process that was killed while it made the store */
	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	assert_false(fs_exists(left));
	assert_query(store, "PRAGMA application_id", "1095979865"); /* 0x41535359 */
	assert_query(store, "PRAGMA user_version", "1");
	assert_query(store, "PRAGMA journal_mode", "wal");
	assert_query(store, "PRAGMA foreign_keys", "1");
	assert_query(store, "PRAGMA synchronous", "1");
	assert_ok(store_verify(store, &err));
	fixture_session(store, &fix);
	store_close(store);
	assert_alone(s->path);
	write_file(left, "", 0); /* of one that was killed when another had made it */
	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	store_close(store);
	assert_alone(s->path);
	assert_ok(store_open(s->path, STORE_BRIEF, &store, &err));
	assert_query(store, "PRAGMA journal_mode", "memory");
	assert_query(store, "PRAGMA foreign_keys", "1");
	assert_query(store, "PRAGMA synchronous", "0");
	fixture_run(store, fix.rows[0], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	store_close(store);
	assert_alone(s->path);

	assert_ok(store_open(s->path, STORE_READ, &store, &err));
	assert_query(store, "SELECT count(*) FROM plan_row", "4");
	assert_int_not_equal(
		sqlite3_exec(store_db(store), "DELETE FROM plan_row", NULL, NULL, NULL), SQLITE_OK);
	store_close(store);
	store_close(NULL);
}

/* A store that was removed without its WAL does not come back into the next one. */
static void test_old_wal(void **ptr)
{
	struct state *s = *ptr;
	AUTOFREE char *wal = xasprintf("%s-wal", s->path);
	CLEANUP(buf_release) struct buf old = BUF_INIT;
	struct store *store;
	struct fixture fix;
	struct err err;

	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	fixture_session(store, &fix);
	assert_ok(fs_read(wal, 0, &old, &err));
	assert_true(old.len > 0);
	store_close(store);
	unlink(s->path);
	write_file(wal, old.data, old.len);
	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	assert_query(store, "SELECT count(*) FROM session", "0");
	assert_ok(store_verify(store, &err));
	store_close(store);
	assert_alone(s->path);
}

static void test_refused_files(void **ptr)
{
	struct state *s = *ptr;
	unsigned char noise[8192];
	AUTOFREE char *folder = path_join(s->folder, "folder");
	struct rng rng = rng_seeded(3);
	struct store *store;
	struct err err;
	sqlite3 *db;

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)rng_below(&rng, 256);
	write_file(s->path, noise, sizeof(noise));
	assert_refused(s->path, "not a SQLite database");
	write_file(s->path, "short", 5);
	assert_refused(s->path, "not a SQLite database");
	write_file(s->path, "", 0);
	assert_refused(s->path, "the file is empty");

	unlink(s->path);
	sqlite3_open(s->path, &db);
	sqlite3_exec(db,
		"PRAGMA journal_mode = WAL; PRAGMA user_version = 1; CREATE TABLE run (id)", NULL,
		NULL, NULL);
	sqlite3_close(db);
	assert_refused(s->path, "a SQLite database of another program");

	assert_ok(fs_mkdirs(folder, &err));
	assert_int_equal(store_open(folder, STORE_WRITE, &store, &err), -1);
	assert_non_null(strstr(err.text, "it is a folder"));
	free(folder);
	folder = path_join(s->folder, "no/such/folder.db");
	assert_int_equal(store_open(folder, STORE_WRITE, &store, &err), -1);
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "No such file or directory"));
}

static void test_newer_is_refused(void **ptr)
{
	struct state *s = *ptr;
	struct store *store;
	struct err err;

	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	sqlite3_exec(store_db(store), "PRAGMA user_version = 7", NULL, NULL, NULL);
	store_close(store);
	assert_refused(s->path, "made by a newer assay: it has schema 7, this one knows 1");
}

static void test_damage_is_said(void **ptr)
{
	struct state *s = *ptr;
	unsigned char junk[4096];
	struct fixture fix;
	struct store *store;
	struct err err;
	int fd;

	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	fixture_session(store, &fix);
	store_close(store);
	memset(junk, 0x5a, sizeof(junk));
	fd = open(s->path, O_WRONLY);
	for (int page = 1; page < 40; page++) /* all but the first: the header still says assay */
		(void)!pwrite(fd, junk, sizeof(junk), page * 4096);
	close(fd);
	if (store_open(s->path, STORE_READ, &store, &err) == 0) {
		assert_int_equal(store_verify(store, &err), -1);
		store_close(store);
	}
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "is damaged"));
	assert_non_null(strstr(err.help, ".recover"));
}

static void test_dangling_reference_is_found(void **ptr)
{
	struct state *s = *ptr;
	struct store *store;
	struct err err;

	assert_ok(store_open(s->path, STORE_WRITE, &store, &err));
	sqlite3_exec(store_db(store),
		"PRAGMA foreign_keys = OFF; INSERT INTO log VALUES (5, 'stdout', 0, x'', 0)", NULL,
		NULL, NULL);
	assert_int_equal(store_verify(store, &err), -1);
	assert_non_null(strstr(err.text, "1 rows refer to nothing, first in log (to run)"));
	store_close(store);
}

/* --- Migrations --------------------------------------------------------------------------------
 */

static void test_migrations(void **ptr)
{
	static const struct migration good[] = {
		{1, "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)"},
		{2, "CREATE TABLE b (a_id REFERENCES a); INSERT INTO b SELECT id FROM a"},
		{3, "ALTER TABLE b ADD COLUMN note TEXT"},
	};
	static const struct migration broken[] = {
		{1, "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)"},
		{2, "CREATE TABLE b (a_id REFERENCES a)"},
		{3, "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1)"},
	};
	static const struct migration dangling[] = {
		{1, "CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)"},
		{2, "CREATE TABLE b (a_id REFERENCES a); INSERT INTO b VALUES (9)"},
	};
	sqlite3 *db;
	struct err err;

	(void)ptr;
	sqlite3_open(":memory:", &db);
	assert_ok(store_migrate(db, "x.db", good, 1, &err));
	assert_db(db, "PRAGMA user_version", "1");

	/* A step that fails takes the steps before it along. */
	assert_int_equal(store_migrate(db, "x.db", broken, 3, &err), -1);
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "migration to schema 3"));
	assert_db(db, "PRAGMA user_version", "1");
	assert_db(db, "SELECT count(*) FROM sqlite_schema", "1");
	assert_int_equal(store_migrate(db, "x.db", dangling, 2, &err), -1);
	assert_non_null(strstr(err.text, "1 references to nothing"));
	assert_db(db, "SELECT count(*) FROM sqlite_schema", "1");

	assert_ok(store_migrate(db, "x.db", good, 3, &err));
	assert_db(db, "PRAGMA user_version", "3");
	assert_db(db, "SELECT a_id FROM b WHERE note IS NULL", "1");
	assert_ok(store_migrate(db, "x.db", good, 3, &err));
	assert_int_equal(store_migrate(db, "x.db", good, 2, &err), -1);
	assert_non_null(strstr(err.text, "newer assay"));
	sqlite3_close(db);

	/* The shipped ones are numbered without a gap. */
	for (size_t i = 0; i < n_store_migrations; i++)
		assert_int_equal(store_migrations[i].version, i + 1);
}

/* --- Permissions -------------------------------------------------------------------------------
 */

/* Root sees no permissions: act as nobody. */
static void become_nobody(void)
{
	if (getuid() == 0 && seteuid(NOBODY) < 0)
		fail_msg("seteuid: %s", strerror(errno));
}

static void become_self(void)
{
	if (getuid() == 0 && seteuid(0) < 0)
		fail_msg("seteuid: %s", strerror(errno));
}

static void test_read_only_folder(void **ptr)
{
	struct state *s = *ptr;
	AUTOFREE char *other = path_join(s->folder, "other.db");
	struct store *writer, *store;
	struct fixture fix;
	struct err err;
	int rc;

	assert_ok(store_open(s->path, STORE_WRITE, &writer, &err));
	fixture_session(writer, &fix);
	fixture_run(writer, fix.rows[0], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	chmod(s->folder, 0555);
	become_nobody();
	if (access(s->path, F_OK) < 0 && errno == EACCES) {
		become_self();
		store_close(writer);
		print_message("nobody cannot look into %s\n", s->folder);
		skip();
	}
	/* Another user reads while we write ... */
	if (getuid() == 0) {
		rc = store_open(s->path, STORE_READ, &store, &err);
		if (!rc) {
			assert_query(store, "SELECT count(*) FROM v_run", "1");
			store_close(store);
		}
		become_self();
		assert_int_equal(rc, 0);
	}
	become_self();
	chmod(s->folder, 0755);
	store_close(writer);
	assert_alone(s->path);
	chmod(s->folder, 0555);
	chmod(s->path, 0444);

	/* ... and afterwards, where SQLite can make none of its files. */
	become_nobody();
	rc = store_open(s->path, STORE_READ, &store, &err);
	if (!rc) {
		assert_query(store, "SELECT count(*) FROM v_run", "1");
		store_close(store);
	}
	become_self();
	if (rc < 0)
		fail_msg("%s", err.text);

	become_nobody();
	rc = store_open(s->path, STORE_WRITE, &store, &err);
	become_self();
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "cannot be written"));
	assert_non_null(strstr(err.help, "--store"));

	become_nobody();
	rc = store_open(other, STORE_WRITE, &store, &err);
	become_self();
	assert_int_equal(rc, -1);
	assert_non_null(strstr(err.text, "cannot be written"));
	assert_false(fs_exists(other));
	chmod(s->folder, 0755);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_make_and_reopen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_wal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_newer_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dangling_reference_is_found, setup, teardown),
		cmocka_unit_test(test_migrations),
		cmocka_unit_test_setup_teardown(test_read_only_folder, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
