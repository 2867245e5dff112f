/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/db.h"
#include "core/store/migrate.h"

#define BUSY_TIMEOUT_MS 5000
#define HEADER_SIZE 100          /* SQLite file format, section 1.3 */
#define HEADER_WRITE_VERSION 18  /* and 19, the read version: 2 = WAL */
#define HEADER_APPLICATION_ID 68 /* big-endian, four bytes */

/* --- Making ------------------------------------------------------------------------------------
 */

/* A complete store without contents, as bytes; for sqlite3_free. */
static int empty_image(const char *path, unsigned char **ret, size_t *ret_len, struct err *err)
{
	sqlite3_int64 len = 0;
	unsigned char *image = NULL;
	char sql[64];
	sqlite3 *db;
	int rc = 0;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		rc = db_fail(db, path, err);
	sqlite3_snprintf(sizeof(sql), sql, "PRAGMA application_id = %d", STORE_APPLICATION_ID);
	if (!rc && sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		rc = db_fail(db, path, err);
	if (!rc)
		rc = store_migrate(db, path, store_migrations, n_store_migrations, err);
	if (!rc) {
		image = sqlite3_serialize(db, "main", &len, 0);
		if (!image)
			rc = err_set(err, E_STORE, "store '%s': SQLite cannot serialise", path);
	}
	sqlite3_close(db);
	if (rc < 0)
		return -1;
	/* A database in memory cannot be in WAL mode. Switching later would need the file alone,
	 * and processes that open it at one moment would get in each other's way. */
	image[HEADER_WRITE_VERSION] = image[HEADER_WRITE_VERSION + 1] = 2;
	*ret = image;
	*ret_len = (size_t)len;
	return 0;
}

static int write_all(int fd, const unsigned char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return fsync(fd);
}

/* Whether the file behind fd still goes by that name: another process may have finished the same
 * file and renamed it while we waited for its lock. */
static bool still_named(int fd, const char *name)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(name, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool lock_whole(int fd, bool wait)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) < 0) {
		if (errno != EINTR)
			return false;
	}
	return true;
}

/* The locked file `name`, or -1 with errno. */
static int lock_new(const char *name)
{
	for (;;) {
		int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

		if (fd < 0)
			return -1;
		if (!lock_whole(fd, true)) {
			close(fd);
			return -1;
		}
		if (still_named(fd, name))
			return fd;
		close(fd);
	}
}

/* What a process that was killed while it made the store has left beside it. */
static void remove_left_over(const char *path)
{
	AUTOFREE char *name = xasprintf("%s.making", path);
	AUTOCLOSE int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && lock_whole(fd, false) && still_named(fd, name))
		unlink(name);
}

/* A log left by a store of this name that was removed without it: SQLite would play it back into
 * the new one. */
static void remove_old_logs(const char *path)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		AUTOFREE char *name = xasprintf("%s%s", path, ends[i]);

		unlink(name);
	}
}

/*
 * Makes the store whole or not at all: a complete image under another name, then rename. An empty
 * or half-written file is thus never something that we left behind. All makers hold the lock, so
 * rename replaces nothing.
 */
static int make_file(const char *path, const unsigned char *image, size_t len, struct err *err)
{
	AUTOFREE char *name = xasprintf("%s.making", path);
	int fd = lock_new(name);
	bool made = false;
	int saved = 0;

	if (fd < 0)
		return db_fail_sys(path, errno, err);
	/* Checked under the lock: whoever held it before us may have made the store. */
	if (access(path, F_OK) < 0) {
		remove_old_logs(path);
		made = ftruncate(fd, 0) == 0 && write_all(fd, image, len) == 0 &&
		       rename(name, path) == 0;
		saved = made ? 0 : errno;
	}
	if (!made)
		unlink(name);
	close(fd);
	return saved ? db_fail_sys(path, saved, err) : 0;
}

static int make_store(const char *path, struct err *err)
{
	unsigned char *image;
	size_t len;
	int rc;

	if (empty_image(path, &image, &len, err) < 0)
		return -1;
	rc = make_file(path, image, len, err);
	sqlite3_free(image);
	return rc;
}

/* --- Opening -----------------------------------------------------------------------------------
 */

static int refuse(const char *path, struct err *err, const char *what)
{
	err_set(err, E_STORE, "'%s' is no store of assay: %s", path, what);
	return err_help(err, "name another file with --store, or remove this one if it is not "
			     "needed; nothing was changed");
}

/*
 * Looks at the first bytes through SQLite's own file object: no lock is taken, no journal is played
 * back, nothing is written, and no second descriptor is closed (which would drop the POSIX locks
 * that another connection of this process holds on the file).
 */
static int check_header(sqlite3 *db, const char *path, struct err *err)
{
	unsigned char header[HEADER_SIZE];
	const unsigned char *id = header + HEADER_APPLICATION_ID;
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
		!file || !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
		return err_set(err, E_STORE, "cannot read store '%s'", path);
	if (!size)
		return refuse(path, err, "the file is empty");
	if (size < HEADER_SIZE ||
		file->pMethods->xRead(file, header, HEADER_SIZE, 0) != SQLITE_OK ||
		memcmp(header, "SQLite format 3", 16))
		return refuse(path, err, "not a SQLite database");
	if (((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) !=
		STORE_APPLICATION_ID)
		return refuse(path, err, "a SQLite database of another program");
	return 0;
}

static int configure(sqlite3 *db, const char *path, enum store_mode mode, struct err *err)
{
	static const char *const settings[] = {
		[STORE_READ] = "PRAGMA query_only = ON",
		[STORE_WRITE] = "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;"
				"PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864",
		[STORE_BRIEF] = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;"
				"PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF",
	};

	if (sqlite3_exec(db, settings[mode], NULL, NULL, NULL) != SQLITE_OK)
		return db_fail(db, path, err);
	return 0;
}

static bool has_wal(const char *path)
{
	AUTOFREE char *wal = xasprintf("%s-wal", path);
	struct stat st;

	return !stat(wal, &st) && st.st_size > 0;
}

/* name: what SQLite opens (a path or a URI); path: what messages show. */
static int open_file(const char *name, const char *path, int flags, sqlite3 **ret, struct err *err)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(name, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		db_fail(db, path, err);
		sqlite3_close(db);
		return -1;
	}
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
	*ret = db;
	return 0;
}

/*
 * A store on a read-only medium: SQLite cannot make the -shm file that WAL wants. Without a -wal
 * file nothing is missing in the main file, and nobody can write it.
 */
static int reopen_immutable(const char *path, sqlite3 **db, struct err *err)
{
	AUTOFREE char *uri = xasprintf("file:%s?immutable=1", path);
	sqlite3 *other;

	if (strpbrk(path, "?#%") || has_wal(path))
		return -1;
	if (open_file(uri, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &other, err) < 0)
		return -1;
	sqlite3_close(*db);
	*db = other;
	return 0;
}

static int open_checked(const char *path, enum store_mode mode, sqlite3 **db, struct err *err)
{
	int rc;

	if (check_header(*db, path, err) < 0)
		return -1;
	/* The first statement that touches the file: damage, locks and permissions show here. */
	rc = sqlite3_exec(*db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	if (rc != SQLITE_OK) {
		db_fail(*db, path, err);
		rc &= 0xff;
		if (mode != STORE_READ || (rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY) ||
			reopen_immutable(path, db, err) < 0)
			return -1;
	}
	if (mode != STORE_READ && sqlite3_db_readonly(*db, "main"))
		return db_fail_sys(path, EACCES, err);
	/* Also when reading: an old store is brought up to date once, by whoever opens it. */
	if (store_migrate(*db, path, store_migrations, n_store_migrations, err) < 0)
		return -1;
	return configure(*db, path, mode, err);
}

int store_open(const char *path, enum store_mode mode, struct store **ret, struct err *err)
{
	struct store *store;
	struct stat st;
	sqlite3 *db;

	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			return err_sys(err, E_STORE, errno, "cannot open store '%s'", path);
		if (mode == STORE_READ) {
			err_set(err, E_NOTHING, "nothing measured yet: there is no store '%s'",
				path);
			return err_help(err, "assay run makes it");
		}
		if (make_store(path, err) < 0)
			return -1;
	} else if (!S_ISREG(st.st_mode)) {
		return refuse(path, err,
			S_ISDIR(st.st_mode) ? "it is a folder" : "it is not a regular file");
	}
	if (open_file(path, path, SQLITE_OPEN_READWRITE, &db, err) < 0)
		return -1;
	if (open_checked(path, mode, &db, err) < 0) {
		sqlite3_close(db);
		return -1;
	}
	if (mode != STORE_READ)
		remove_left_over(path);
	store = xcalloc(1, sizeof(*store));
	store->db = db;
	store->path = xstrdup(path);
	if (stat(path, &st) == 0) {
		store->device = st.st_dev;
		store->inode = st.st_ino;
	}
	*ret = store;
	return 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->statements.n; i++)
		sqlite3_finalize(store->statements.entries[i].value);
	map_release(&store->statements);
	map_release(&store->metrics);
	map_release(&store->scopes);
	arena_release(&store->entries);
	/* The last one to close writes the WAL back and removes it. */
	sqlite3_close_v2(store->db);
	free(store->path);
	free(store);
}

sqlite3 *store_db(struct store *store)
{
	return store->db;
}

/* --- Verifying ---------------------------------------------------------------------------------
 */

int store_verify(struct store *store, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *check = NULL;
	CLEANUP(db_reset) sqlite3_stmt *references = NULL;
	const char *word;
	int rc;

	if (db_prepare(store, "PRAGMA integrity_check(5)", &check, err) < 0)
		return -1;
	rc = db_step(store, check, err);
	if (rc < 0)
		return -1;
	word = rc ? (const char *)sqlite3_column_text(check, 0) : "no answer";
	if (strcmp(word, "ok")) {
		err_set(err, E_STORE, "store '%s' is damaged: %s", store->path, word);
		return err_help(err, "keep a copy and try: sqlite3 '%s' .recover | sqlite3 new.db",
			store->path);
	}
	if (db_prepare(store, "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check",
		    &references, err) < 0)
		return -1;
	rc = db_step(store, references, err);
	if (rc < 0)
		return -1;
	if (rc && sqlite3_column_int64(references, 2) > 0)
		return err_set(err, E_STORE,
			"store '%s': %lld rows refer to nothing, first in %s (to %s)", store->path,
			(long long)sqlite3_column_int64(references, 2),
			sqlite3_column_text(references, 0), sqlite3_column_text(references, 1));
	return 0;
}
