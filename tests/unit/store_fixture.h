/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store with contents for the tests of core/store. Include after cmocka.h. */
#ifndef ASSAY_TESTS_STORE_FIXTURE_H
#define ASSAY_TESTS_STORE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/store/store.h"

/* Like assert_return_code, and shows the message. */
#define assert_ok(call) \
	do { \
		if ((call) < 0) \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)

struct fixture {
	int64_t host, experiment, builds[2], rows[4];
	struct store_session session;
};

/* An open session of plan "plan-1" with rows none, A1, B1 (a build that failed) and A1 with an
 * axis. */
static inline void fixture_session(struct store *store, struct fixture *fix)
{
	struct err err;
	struct store_host host = {.uid = "host-1",
		.name = "zen",
		.kernel = "6.1",
		.cpu = "EPYC",
		.epoch = "epoch-1",
		.facts = "{\"cores\": 2}"};
	struct store_build ok = {.key = "key-ok",
		.status = "ok",
		.digest = "aa",
		.code_digest = "bb",
		.seconds = 1.5,
		.log = "builds/key-ok/log"};
	struct store_build failed = {.key = "key-failed",
		.status = "failed",
		.seconds = 0.25,
		.log = "builds/key-failed/log",
		.reason = "cc: error"};

	memset(fix, 0, sizeof(*fix));
	assert_ok(store_put_host(store, &host, &fix->host, &err));
	assert_ok(store_put_experiment(
		store, "demo", "digest-1", "name: demo\n", &fix->experiment, &err));
	fix->session = (struct store_session){.experiment_id = fix->experiment,
		.host_id = fix->host,
		.plan = "plan-1",
		.seed = UINT64_MAX - 5,
		.command = "assay run demo.yaml",
		.version = "0.1.0"};
	assert_ok(store_begin_session(store, &fix->session, &err));
	assert_ok(store_put_build(store, &ok, &fix->builds[0], &err));
	assert_ok(store_put_build(store, &failed, &fix->builds[1], &err));

	struct store_row rows[4] = {
		{.name = "sort/none",
			.workload = "sort",
			.variant = "none",
			.label = "none",
			.options = "{\"A1\":\"off\"}",
			.axes = "{}",
			.baseline = "sort/none",
			.build_id = fix->builds[0],
			.run_key = "r0"},
		{.name = "sort/A1",
			.workload = "sort",
			.variant = "A1",
			.label = "each",
			.options = "{\"A1\":\"on\"}",
			.axes = "{}",
			.baseline = "sort/none",
			.build_id = fix->builds[0],
			.run_key = "r1"},
		{.name = "sort/B1",
			.workload = "sort",
			.variant = "B1",
			.label = "each",
			.options = "{\"B1\":\"on\"}",
			.axes = "{}",
			.baseline = "sort/none",
			.build_id = fix->builds[1],
			.run_key = "r2"},
		{.name = "sort/A1/threads=2",
			.workload = "sort",
			.variant = "A1",
			.label = "each",
			.options = "{\"A1\":\"on\"}",
			.axes = "{\"threads\":\"2\"}",
			.baseline = "sort/none/threads=2",
			.run_key = "r3"},
	};
	assert_ok(store_put_rows(store, fix->session.id, rows, 4, fix->rows, &err));
}

static inline void fixture_sample(struct run_record *record, const char *metric, const char *unit,
	const char *scope, const char *instance, double value, const char *reason)
{
	run_record_sample(record, &(struct sample){.metric = metric,
					  .unit = unit,
					  .better = "lower",
					  .scope = scope,
					  .instance = instance,
					  .value = value,
					  .reason = reason,
					  .quality = "",
					  .quantum = NAN,
					  .collector = "fake"});
}

/* Begins a run and, unless status is RUN_RUNNING, ends it with four samples, three phases and both
 * logs. Its id. */
static inline int64_t fixture_run(struct store *store, int64_t row, int block, int attempt,
	enum run_role role, enum run_status status, double wall_s)
{
	struct store_run run = {.row_id = row,
		.block = block,
		.position = (int)(row % 3),
		.attempt = attempt,
		.role = role,
		.status = status,
		.reason = status == RUN_OK ? NULL : "exit 1",
		.exit_code = status == RUN_OK ? 0 : 1,
		.started_at = INT64_C(1700000000123000000) + block,
		.start_ns = 1000,
		.wall_ns = status == RUN_LOST ? -1 : (int64_t)(wall_s * 1e9),
		.cpus = "0-1",
		.stdout_bytes = 5000000000,
		.stderr_bytes = 4,
		.stderr_tail = "warn"};
	struct store_log logs[2] = {
		{"stdout", "out\0put", 7, 5000000000}, {"stderr", "warn", 4, 4}};
	struct run_record record;
	struct err err;
	int64_t id;

	assert_ok(store_begin_run(store, &run, &id, &err));
	if (status == RUN_RUNNING)
		return id;
	run_record_init(&record);
	/* Not in order of the key; the second wall replaces the first. */
	fixture_sample(&record, "rss_peak", "B", "run", "", 4096, NULL);
	fixture_sample(&record, "wall", "s", "run", "", -1, NULL);
	fixture_sample(&record, "counter:cycles", "", "run", "", NAN, "no PMU: ENOENT");
	fixture_sample(&record, "log:step", "s", "phase:solve", "7", 0.5, NULL);
	fixture_sample(&record, "wall", "s", "run", "", wall_s, NULL);
	run_record_phase(&record, &(struct phase_span){.name = "solve",
					  .instance = "a",
					  .thread = "t1",
					  .start_ns = 1000,
					  .end_ns = 900000,
					  .parent = 2,
					  .source = "log"});
	run_record_phase(&record, &(struct phase_span){.name = "load",
					  .start_ns = 0,
					  .end_ns = 1000,
					  .parent = 2,
					  .source = "log"});
	run_record_phase(&record, &(struct phase_span){.name = "all",
					  .start_ns = 0,
					  .end_ns = 1000000,
					  .parent = -1,
					  .source = "log"});
	assert_ok(store_end_run(store, id, &run, &record, logs, 2, &err));
	run_record_release(&record);
	return id;
}

/* First column of the first row of any query, as text; owned by the caller. NULL -> "NULL". */
static inline char *query_text(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	char *text;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(st) != SQLITE_ROW)
		fail_msg("%s: no row", sql);
	text = xstrdup(sqlite3_column_type(st, 0) == SQLITE_NULL
			       ? "NULL"
			       : (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

#define assert_db(db, sql, expected) \
	do { \
		AUTOFREE char *text_ = query_text(db, sql); \
		if (strcmp(text_, expected) != 0) \
			fail_msg("%s\n  gives '%s', not '%s'", sql, text_, expected); \
	} while (0)
#define assert_query(store, sql, expected) assert_db(store_db(store), sql, expected)

#endif
