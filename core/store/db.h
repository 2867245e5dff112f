/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of core/store share: the open store, statements, transactions and the words for
 * SQLite's errors. Not for other folders; store.h is the contract.
 */
#ifndef ASSAY_STORE_DB_H
#define ASSAY_STORE_DB_H

#include <sqlite3.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/map.h"

struct store {
	sqlite3 *db;
	char *path;
	dev_t device; /* of the file that was opened */
	ino_t inode;
	bool in_transaction;
	/* SQL text -> sqlite3_stmt, prepared once. Keys are the literals themselves. */
	struct map statements;
	/* Name -> struct metric_entry of what is committed or part of the open transaction; emptied
	 * by a rollback. Entries live in the arena. */
	struct map metrics, scopes;
	struct arena entries;
};

struct metric_entry {
	int64_t id;
	const char *unit, *better; /* NULL for scopes */
};

/* E_STORE for the last error of db, with what is to be done about it. path NULL = ":memory:". */
int db_fail(sqlite3 *db, const char *path, struct err *err);
/* E_STORE "cannot write store 'PATH'" for a system call; full disks are said as such. */
int db_fail_sys(const char *path, int errno_value, struct err *err);

/* The cached statement of a literal, reset and without bindings. */
int db_prepare(struct store *store, const char *sql, sqlite3_stmt **ret, struct err *err)
	MUST_CHECK;
/* For CLEANUP: ends what a statement holds open. */
void db_reset(sqlite3_stmt **statement);
/* Runs a statement that gives no rows. */
int db_run(struct store *store, sqlite3_stmt *statement, struct err *err) MUST_CHECK;
/* 1 a row, 0 the end, -1 an error. */
int db_step(struct store *store, sqlite3_stmt *statement, struct err *err) MUST_CHECK;
/* Runs a statement that gives one row (RETURNING id); its first column. */
int db_run_id(struct store *store, sqlite3_stmt *statement, int64_t *ret, struct err *err)
	MUST_CHECK;

/* Transactions: BEGIN IMMEDIATE, so that a second writer waits here and nowhere else. E_STORE when
 * the store's file is not the one that was opened any more: what is written there is lost. */
int db_begin(struct store *store, struct err *err) MUST_CHECK;
/* rc 0: commits; rc < 0 or a failed commit: rolls back and keeps err. */
int db_end(struct store *store, int rc, struct err *err) MUST_CHECK;

/* Bindings by position; texts must live until the statement is reset. */
void db_text(sqlite3_stmt *statement, int at, const char *text); /* NULL -> NULL */
void db_text_or(sqlite3_stmt *statement, int at, const char *text, const char *otherwise);
void db_real(sqlite3_stmt *statement, int at, double value);    /* not finite -> NULL */
void db_count(sqlite3_stmt *statement, int at, uint64_t value); /* capped to 63 bits */
void db_int_unless(sqlite3_stmt *statement, int at, int64_t value, int64_t absent);

/* Columns. Texts are copied into the arena; NULL stays NULL. */
const char *db_column_text(sqlite3_stmt *statement, int at, struct arena *arena);
double db_column_real(sqlite3_stmt *statement, int at); /* NULL -> NaN */
int64_t db_column_int(sqlite3_stmt *statement, int at, int64_t when_null);

#endif
