/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/store/migrate.h"

#include "core/store/db.h"

/* First column of the first row of a query that needs no bindings. */
static int query_int(sqlite3 *db, const char *name, const char *sql, int *ret, struct err *err)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return db_fail(db, name, err);
	if (sqlite3_step(statement) != SQLITE_ROW) {
		db_fail(db, name, err);
		sqlite3_finalize(statement);
		return -1;
	}
	*ret = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return 0;
}

static int exec(sqlite3 *db, const char *name, const char *sql, struct err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(db, name, err);
}

static int apply(sqlite3 *db, const char *name, const struct migration *migration, struct err *err)
{
	char version[48];

	sqlite3_snprintf(sizeof(version), version, "PRAGMA user_version = %d", migration->version);
	if (exec(db, name, migration->sql, err) < 0 || exec(db, name, version, err) < 0)
		return err_wrap(err, "migration to schema %d", migration->version);
	return 0;
}

/* Inside the transaction. */
static int apply_pending(sqlite3 *db, const char *name, const struct migration *migrations,
	size_t n, struct err *err)
{
	int version, dangling;

	/* Another process may have been faster while we waited for the lock. */
	if (query_int(db, name, "PRAGMA user_version", &version, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (migrations[i].version > version && apply(db, name, &migrations[i], err) < 0)
			return -1;
	}
	if (query_int(db, name, "SELECT count(*) FROM pragma_foreign_key_check", &dangling, err) <
		0)
		return -1;
	if (dangling)
		return err_set(err, E_STORE,
			"store '%s': migrating would leave %d references to nothing", name,
			dangling);
	return exec(db, name, "COMMIT", err);
}

int store_migrate(sqlite3 *db, const char *name, const struct migration *migrations, size_t n,
	struct err *err)
{
	int version, last = n ? migrations[n - 1].version : 0;

	if (query_int(db, name, "PRAGMA user_version", &version, err) < 0)
		return -1;
	if (version > last) {
		err_set(err, E_STORE,
			"store '%s' was made by a newer assay: it has schema %d, this one knows %d",
			name, version, last);
		return err_help(err, "use the assay that made it, or name another store with "
				     "--store; nothing was changed");
	}
	if (version == last)
		return 0;
	if (exec(db, name, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (apply_pending(db, name, migrations, n, err) < 0) {
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
		return -1;
	}
	return 0;
}
