/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/store/db.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static bool no_space(int errno_value)
{
	return errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EFBIG;
}

static int fail_full(const char *path, struct err *err)
{
	err_set(err, E_STORE, "no space left for store '%s'", path);
	return err_help(err, "free some space (or raise the quota or file size limit) and give the "
			     "same command again; what is stored already is complete");
}

static int fail_readonly(const char *path, struct err *err)
{
	err_set(err, E_STORE, "store '%s' cannot be written", path);
	return err_help(err, "the file and its folder must be writable (SQLite makes -wal and -shm "
			     "files beside it); --store names another place");
}

int db_fail_sys(const char *path, int errno_value, struct err *err)
{
	if (no_space(errno_value))
		return fail_full(path, err);
	if (errno_value == EACCES || errno_value == EPERM || errno_value == EROFS)
		return fail_readonly(path, err);
	return err_sys(err, E_STORE, errno_value, "cannot write store '%s'", path);
}

/* The errno of the last failed call. SQLite forgets it in rolling back; its files remember. */
static int system_errno(sqlite3 *db)
{
	static const int pointers[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
	int sys = sqlite3_system_errno(db);

	for (size_t i = 0; i < ARRAY_SIZE(pointers) && !sys; i++) {
		sqlite3_file *file = NULL;

		if (sqlite3_file_control(db, "main", pointers[i], &file) == SQLITE_OK && file &&
			file->pMethods)
			file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &sys);
	}
	return sys;
}

int db_fail(sqlite3 *db, const char *path, struct err *err)
{
	int code = sqlite3_errcode(db) & 0xff;
	int sys = code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? system_errno(db) : 0;

	if (!path)
		path = ":memory:";
	if (code == SQLITE_FULL || (code == SQLITE_IOERR && no_space(sys)))
		return fail_full(path, err);
	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		err_set(err, E_STORE, "store '%s' is being written by another program", path);
		return err_help(err, "end that program or its transaction, then try again");
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return fail_readonly(path, err);
	case SQLITE_CANTOPEN:
		if (sys == EACCES || sys == EPERM || sys == EROFS)
			return fail_readonly(path, err);
		return err_sys(err, E_STORE, sys ? sys : EIO, "cannot open store '%s'", path);
	case SQLITE_IOERR:
		return err_sys(
			err, E_STORE, sys ? sys : EIO, "cannot read or write store '%s'", path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		err_set(err, E_STORE, "store '%s' is damaged: %s", path, sqlite3_errmsg(db));
		return err_help(
			err, "keep a copy and try: sqlite3 '%s' .recover | sqlite3 new.db", path);
	default:
		return err_set(err, E_STORE, "store '%s': %s", path, sqlite3_errmsg(db));
	}
}

int db_prepare(struct store *store, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	sqlite3_stmt *statement = map_get(&store->statements, sql);

	if (!statement) {
		if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
			    NULL) != SQLITE_OK)
			return db_fail(store->db, store->path, err);
		map_put(&store->statements, sql, statement);
	}
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	*ret = statement;
	return 0;
}

void db_reset(sqlite3_stmt **statement)
{
	sqlite3_reset(*statement);
}

int db_step(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int rc = sqlite3_step(statement);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return db_fail(store->db, store->path, err);
}

int db_run(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int rc = db_step(store, statement, err);

	sqlite3_reset(statement);
	return rc < 0 ? -1 : 0;
}

int db_run_id(struct store *store, sqlite3_stmt *statement, int64_t *ret, struct err *err)
{
	int64_t id = 0;
	int rc = db_step(store, statement, err);

	if (rc == 1) {
		id = sqlite3_column_int64(statement, 0);
		/* RETURNING does its work before the first row, but only DONE ends the statement.
		 */
		rc = db_step(store, statement, err);
		if (!rc)
			*ret = id;
	} else if (!rc) {
		rc = err_set(err, E_BUG, "store '%s': a statement gave no id", store->path);
	}
	sqlite3_reset(statement);
	return rc < 0 ? -1 : 0;
}

static int check_file(const struct store *store, struct err *err)
{
	struct stat st;

	if (!store->inode || (!stat(store->path, &st) && st.st_ino == store->inode &&
				     st.st_dev == store->device))
		return 0;
	err_set(err, E_STORE, "store '%s' was deleted or replaced meanwhile", store->path);
	return err_help(err, "the same command begins again with what is there now");
}

int db_begin(struct store *store, struct err *err)
{
	if (check_file(store, err) < 0)
		return -1;
	sqlite3_stmt *statement;

	if (db_prepare(store, "BEGIN IMMEDIATE", &statement, err) < 0 ||
		db_run(store, statement, err) < 0)
		return -1;
	store->in_transaction = true;
	return 0;
}

int db_end(struct store *store, int rc, struct err *err)
{
	sqlite3_stmt *statement;

	if (!rc)
		rc = db_prepare(store, "COMMIT", &statement, err);
	if (!rc)
		rc = db_run(store, statement, err);
	store->in_transaction = false;
	if (!rc)
		return 0;
	/* A full disk may have rolled back already. What ROLLBACK says is of no use: the first
	 * error is the one to tell. */
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	map_release(&store->metrics);
	map_release(&store->scopes);
	return -1;
}

void db_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(statement, at);
}

void db_text_or(sqlite3_stmt *statement, int at, const char *text, const char *otherwise)
{
	db_text(statement, at, text ? text : otherwise);
}

void db_real(sqlite3_stmt *statement, int at, double value)
{
	if (isfinite(value))
		sqlite3_bind_double(statement, at, value);
	else
		sqlite3_bind_null(statement, at);
}

void db_count(sqlite3_stmt *statement, int at, uint64_t value)
{
	sqlite3_bind_int64(statement, at, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void db_int_unless(sqlite3_stmt *statement, int at, int64_t value, int64_t absent)
{
	if (value == absent)
		sqlite3_bind_null(statement, at);
	else
		sqlite3_bind_int64(statement, at, value);
}

const char *db_column_text(sqlite3_stmt *statement, int at, struct arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(statement, at);

	return text ? arena_strdup(arena, text) : NULL;
}

double db_column_real(sqlite3_stmt *statement, int at)
{
	return sqlite3_column_type(statement, at) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(statement, at);
}

int64_t db_column_int(sqlite3_stmt *statement, int at, int64_t when_null)
{
	return sqlite3_column_type(statement, at) == SQLITE_NULL
		       ? when_null
		       : sqlite3_column_int64(statement, at);
}
