/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schema migrations. Each core/store/schema/NNN.sql leads from version NNN - 1 to NNN; they are
 * embedded in the program in order. PRAGMA user_version holds the version of a file.
 */
#ifndef ASSAY_STORE_MIGRATE_H
#define ASSAY_STORE_MIGRATE_H

#include <sqlite3.h>

#include "core/base/err.h"

struct migration {
	int version; /* reached by sql; consecutive from 1 */
	const char *sql;
};

extern const struct migration store_migrations[];
extern const size_t n_store_migrations;

/*
 * Brings db to the last version, in one transaction: all pending steps or none. name is shown in
 * messages. E_STORE when the file is newer than the last version (left as it is), when a step fails
 * or would leave a dangling reference. Foreign keys must not be enforced while this runs: steps
 * rebuild tables; the references are checked before the commit.
 */
int store_migrate(sqlite3 *db, const char *name, const struct migration *migrations, size_t n,
	struct err *err) MUST_CHECK;

#endif
