/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/store.md: its queries run and give rows, its lists are complete. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/fs.h"
#include "tests/unit/scratch.h"
#include "tests/unit/store_fixture.h"

struct state {
	char *folder;
	struct store *store;
	struct buf doc;
};

static int setup(void **ptr)
{
	struct state *s = xcalloc(1, sizeof(*s));
	const char *top = getenv("top_srcdir");
	AUTOFREE char *doc = path_join(top ? top : ".", "doc/store.md");
	AUTOFREE char *path = NULL;
	struct fixture fix;
	struct err err;

	s->folder = scratch_new();
	path = path_join(s->folder, "assay.db");
	s->doc = (struct buf)BUF_INIT;
	if (fs_read(doc, 0, &s->doc, &err) < 0 ||
		store_open(path, STORE_WRITE, &s->store, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	fixture_session(s->store, &fix);
	for (int block = 0; block < 3; block++) {
		fixture_run(s->store, fix.rows[0], block, 1, ROLE_MEASURED, RUN_OK, 1);
		fixture_run(s->store, fix.rows[1], block, 1, ROLE_MEASURED,
			block == 1 ? RUN_TIMEOUT : RUN_OK, 1.1);
		fixture_run(s->store, fix.rows[3], block, 1, ROLE_MEASURED, RUN_OK, 2);
	}
	*ptr = s;
	return 0;
}

static int teardown(void **ptr)
{
	struct state *s = *ptr;

	store_close(s->store);
	scratch_free(s->folder);
	buf_release(&s->doc);
	free(s);
	return 0;
}

static int rows_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	int n = 0, rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		fail_msg("%s\n%s", sql, sqlite3_errmsg(db));
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		n++;
	if (rc != SQLITE_DONE)
		fail_msg("%s\n%s", sql, sqlite3_errmsg(db));
	sqlite3_finalize(st);
	return n;
}

static void test_queries(void **ptr)
{
	struct state *s = *ptr;
	const char *at = s->doc.data, *end;
	int n = 0;

	while ((at = strstr(at, "\n```sql\n"))) {
		AUTOFREE char *sql = NULL;

		at += strlen("\n```sql\n");
		end = strstr(at, "\n```");
		assert_non_null(end);
		sql = xstrndup(at, (size_t)(end - at));
		if (!rows_of(store_db(s->store), sql))
			fail_msg("no row from:\n%s", sql);
		n++;
		at = end;
	}
	assert_true(n >= 10);
	/* The one in the head, and what the paired one says. */
	assert_query(s->store,
		"SELECT count(*) || ' ' || avg(wall_s) FROM v_run WHERE variant = 'none'", "3 1.0");
}

static void test_lists_are_complete(void **ptr)
{
	struct state *s = *ptr;
	sqlite3_stmt *st;
	int n = 0;

	sqlite3_prepare_v2(store_db(s->store),
		"SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')"
		" AND name NOT LIKE 'sqlite%'",
		-1, &st, NULL);
	for (; sqlite3_step(st) == SQLITE_ROW; n++) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		AUTOFREE char *quoted = xasprintf("`%s`", name);

		if (!strstr(s->doc.data, quoted))
			fail_msg("%s %s is not in doc/store.md", sqlite3_column_text(st, 1), name);
	}
	sqlite3_finalize(st);
	assert_int_equal(n, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_lists_are_complete),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
