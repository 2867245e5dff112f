/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read again, by the calls and through the views. */
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
	char *folder, *path;
	struct store *store;
	struct fixture fix;
	struct arena arena;
};

static int setup(void **ptr)
{
	struct state *s = xcalloc(1, sizeof(*s));
	struct err err;

	s->folder = scratch_new();
	s->path = path_join(s->folder, "assay.db");
	if (store_open(s->path, STORE_WRITE, &s->store, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	fixture_session(s->store, &s->fix);
	*ptr = s;
	return 0;
}

static int teardown(void **ptr)
{
	struct state *s = *ptr;

	store_close(s->store);
	scratch_free(s->folder);
	free(s->path);
	arena_release(&s->arena);
	free(s);
	return 0;
}

static void test_sessions(void **ptr)
{
	struct state *s = *ptr;
	struct store_session *list, one, second = s->fix.session;
	struct err err;
	char prefix[9] = {0};
	size_t n;

	assert_int_equal(strlen(s->fix.session.uid), 32);
	assert_true(s->fix.session.started_at > 0);
	second.plan = "plan-2";
	second.uid[0] = '\0';
	assert_ok(store_begin_session(s->store, &second, &err));
	assert_string_not_equal(second.uid, s->fix.session.uid);
	assert_ok(store_list_sessions(s->store, "demo", &s->arena, &list, &n, &err));
	assert_int_equal(n, 2);
	assert_int_equal(list[0].id, second.id); /* newest first */
	assert_int_equal(list[1].seed, UINT64_MAX - 5);
	assert_string_equal(list[1].experiment, "demo");
	assert_string_equal(list[1].state, "open");
	assert_string_equal(list[1].command, "assay run demo.yaml");
	assert_int_equal(list[1].ended_at, 0);
	assert_ok(store_list_sessions(s->store, "other", &s->arena, &list, &n, &err));
	assert_int_equal(n, 0);

	memcpy(prefix, second.uid, 8);
	assert_ok(store_find_session(s->store, prefix, &s->arena, &one, &err));
	assert_int_equal(one.id, second.id);
	assert_ok(store_find_session(s->store, "1", &s->arena, &one, &err));
	assert_int_equal(one.id, s->fix.session.id);
	assert_int_equal(store_find_session(s->store, "99", &s->arena, &one, &err), -1);
	assert_int_equal(err.code, E_NOTHING);
	assert_int_equal(store_find_session(s->store, "abc", &s->arena, &one, &err), -1);
	assert_int_equal(err.code, E_USAGE);
	assert_int_equal(store_find_session(s->store, "demo.yaml", &s->arena, &one, &err), -1);
	assert_int_equal(err.code, E_USAGE);
	assert_int_equal(sqlite3_exec(store_db(s->store), "UPDATE session SET uid = 'ABCD' || id",
				 NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_exec(store_db(s->store), "UPDATE session SET uid = lower(uid)", NULL, NULL, NULL);
	assert_int_equal(store_find_session(s->store, "aBcd", &s->arena, &one, &err), -1);
	assert_int_equal(err.code, E_USAGE);
	assert_non_null(strstr(err.text, "could be session"));
}

static void test_resume_and_abort(void **ptr)
{
	struct state *s = *ptr;
	struct store_session found;
	struct store_host host = {.uid = "host-1", .epoch = "epoch-2"};
	struct err err;
	int64_t id, run;
	int n;

	run = fixture_run(s->store, s->fix.rows[0], 0, 1, ROLE_MEASURED, RUN_RUNNING, 0);
	assert_ok(store_resume_session(s->store, "plan-1", s->fix.host, &s->arena, &found, &err));
	assert_int_equal(found.id, s->fix.session.id);
	assert_string_equal(found.uid, s->fix.session.uid);
	assert_query(s->store, "SELECT status || ': ' || reason FROM run",
		"lost: assay ended before this run did");
	assert_true(run > 0);
	assert_ok(store_resume_session(s->store, "plan-9", s->fix.host, &s->arena, &found, &err));
	assert_int_equal(found.id, 0);
	assert_ok(
		store_resume_session(s->store, "plan-1", s->fix.host + 1, &s->arena, &found, &err));
	assert_int_equal(found.id, 0);

	/* Another kernel: the machine is the same one, its runs are not comparable. */
	assert_ok(store_put_host(s->store, &host, &id, &err));
	assert_int_equal(id, s->fix.host);
	assert_ok(store_resume_session(s->store, "plan-1", s->fix.host, &s->arena, &found, &err));
	assert_int_equal(found.id, 0);
	assert_query(
		s->store, "SELECT s.epoch || h.epoch FROM session s JOIN host h", "epoch-1epoch-2");

	fixture_run(s->store, s->fix.rows[0], 1, 1, ROLE_MEASURED, RUN_RUNNING, 0);
	assert_ok(store_abort_sessions(s->store, "demo", s->fix.host, s->fix.session.id, &n, &err));
	assert_int_equal(n, 0);
	assert_ok(store_abort_sessions(s->store, "demo", s->fix.host, 0, &n, &err));
	assert_int_equal(n, 1);
	assert_query(s->store, "SELECT state || (ended_at > started_at) FROM session", "aborted1");
	assert_query(s->store, "SELECT count(*) FROM run WHERE status = 'running'", "0");

	/* Aborted since something else ran in between: the same plan goes on with it. */
	host.epoch = "epoch-1";
	assert_ok(store_put_host(s->store, &host, &id, &err));
	assert_ok(store_resume_session(s->store, "plan-1", s->fix.host, &s->arena, &found, &err));
	assert_int_equal(found.id, s->fix.session.id);
	assert_query(s->store, "SELECT state || (ended_at IS NULL) FROM session", "open1");
	assert_ok(store_end_session(s->store, s->fix.session.id, "complete", 0, &err));
	assert_ok(store_resume_session(s->store, "plan-1", s->fix.host, &s->arena, &found, &err));
	assert_int_equal(found.id, 0);
	assert_query(s->store, "SELECT state FROM session", "complete");
	assert_int_equal(store_end_session(s->store, s->fix.session.id, "odd", 0, &err), -1);
	assert_int_equal(err.code, E_STORE);
	assert_query(s->store, "SELECT state FROM session", "complete");
}

static void test_rows_and_builds(void **ptr)
{
	struct state *s = *ptr;
	struct store_build build = {
		.key = "key-failed", .status = "ok", .digest = "cc", .seconds = 2};
	struct store_row again = {.name = "sort/A1/threads=2", .workload = "sort", .variant = "A1"};
	struct stored_row *rows;
	struct err err;
	int64_t id;
	size_t n;

	assert_ok(store_put_build(s->store, &build, &id, &err));
	assert_int_equal(id, s->fix.builds[1]);
	again.build_id = id;
	assert_ok(store_put_rows(s->store, s->fix.session.id, &again, 1, &id, &err));
	assert_int_equal(id, s->fix.rows[3]);
	assert_ok(store_put_rows(s->store, s->fix.session.id, NULL, 0, NULL, &err));
	assert_ok(store_read_rows(s->store, s->fix.session.id, &s->arena, &rows, &n, &err));
	assert_int_equal(n, 4);
	assert_string_equal(rows[1].row.name, "sort/A1");
	assert_string_equal(rows[1].row.baseline, "sort/none");
	assert_string_equal(rows[1].build.key, "key-ok");
	assert_string_equal(rows[1].build.code_digest, "bb");
	assert_string_equal(rows[2].build.status, "ok");
	assert_null(rows[2].build.reason);
	assert_string_equal(rows[3].row.axes, "{\"threads\":\"2\"}");
	assert_string_equal(rows[3].build.digest, "cc");
	assert_query(s->store, "SELECT variants FROM v_build WHERE key = 'key-ok'", "A1 none");

	/* All rows or none. */
	struct store_row bad[2] = {{.name = "x/y", .workload = "x", .variant = "y"},
		{.name = "x/z", .workload = "x", .variant = "z", .options = "{broken"}};
	int64_t ids[2] = {-7, -7};
	assert_int_equal(store_put_rows(s->store, s->fix.session.id, bad, 2, ids, &err), -1);
	assert_int_equal(err.code, E_STORE);
	assert_non_null(strstr(err.text, "row 'x/z'"));
	assert_int_equal(ids[0], -7);
	assert_query(s->store, "SELECT count(*) FROM plan_row", "4");
	bad[1].options = NULL;
	assert_int_equal(store_put_rows(s->store, 99, bad, 2, ids, &err), -1); /* foreign key */
}

static void test_run_round_trip(void **ptr)
{
	struct state *s = *ptr;
	struct run_record record;
	struct stored_run run, *runs;
	struct stored_row row;
	struct store_log logs[2];
	const struct sample *sample;
	struct err err;
	int64_t id, session;
	size_t n;

	id = fixture_run(s->store, s->fix.rows[1], 3, 1, ROLE_MEASURED, RUN_OK, 1.25);
	assert_ok(store_read_run(
		s->store, id, &s->arena, &run, &session, &row, &record, logs, &n, &err));
	assert_int_equal(session, s->fix.session.id);
	assert_string_equal(row.row.name, "sort/A1");
	assert_int_equal(run.run.block, 3);
	assert_int_equal(run.run.status, RUN_OK);
	assert_int_equal(run.run.exit_code, 0);
	assert_int_equal(run.run.wall_ns, 1250000000);
	assert_int_equal(run.run.started_at, INT64_C(1700000000123000003));
	assert_int_equal(run.run.stdout_bytes, 5000000000);
	assert_null(run.run.reason);
	assert_string_equal(run.run.cpus, "0-1");

	assert_int_equal(record.samples.n, 4);
	sample = run_record_find(&record, "wall", "run");
	assert_true(sample->value == 1.25); /* the later of two with one key */
	assert_true(isnan(sample->quantum));
	sample = run_record_find(&record, "counter:cycles", "run");
	assert_true(isnan(sample->value));
	assert_string_equal(sample->reason, "no PMU: ENOENT");
	assert_int_equal(record.phases.n, 3);
	assert_string_equal(record.phases.items[0].name, "solve");
	assert_int_equal(record.phases.items[0].parent, 2);
	assert_int_equal(record.phases.items[2].parent, -1);
	assert_int_equal(n, 2);
	assert_string_equal(logs[0].stream, "stdout");
	assert_int_equal(logs[0].kept_len, 7);
	assert_memory_equal(logs[0].kept, "out\0put", 7);
	assert_int_equal(logs[0].bytes, 5000000000);
	run_record_release(&record);

	assert_int_equal(store_read_run(s->store, 99, &s->arena, &run, &session, &row, &record,
				 logs, &n, &err),
		-1);
	assert_int_equal(err.code, E_NOTHING);
	assert_ok(store_read_runs(s->store, s->fix.session.id, &s->arena, &runs, &n, &err));
	assert_int_equal(n, 1);
	assert_int_equal(runs[0].id, id);
	assert_query(s->store,
		"SELECT printf('%s %g %g %s', name, start_s * 1e6, end_s * 1e6, parent)"
		" FROM v_phase WHERE name = 'solve'",
		"solve 1 900 all");
}

/* A run ends once, and one that was never begun not at all. */
static void test_run_ends_once(void **ptr)
{
	struct state *s = *ptr;
	struct run_record record;
	struct store_run run = {.row_id = s->fix.rows[0], .attempt = 1, .status = RUN_OK};
	struct err err;
	int64_t id;

	run_record_init(&record);
	fixture_sample(&record, "wall", "s", "run", "", 1, NULL);
	id = fixture_run(s->store, s->fix.rows[0], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	assert_int_equal(store_end_run(s->store, id, &run, &record, NULL, 0, &err), -1);
	assert_int_equal(err.code, E_BUG);
	assert_int_equal(store_end_run(s->store, 99, &run, &record, NULL, 0, &err), -1);
	assert_int_equal(store_begin_run(s->store, &run, &id, &err), -1); /* same attempt */
	assert_int_equal(err.code, E_STORE);
	run.row_id = 99;
	assert_int_equal(store_begin_run(s->store, &run, &id, &err), -1);
	assert_query(s->store, "SELECT count(*) FROM run", "1");
	run_record_release(&record);
}

/* A failure inside store_end_run leaves nothing of it, and the dictionaries know that. */
static void test_end_run_is_one_transaction(void **ptr)
{
	struct state *s = *ptr;
	struct store_run run = {.row_id = s->fix.rows[0], .attempt = 1, .status = RUN_OK};
	struct store_log twice[2] = {{"stdout", "a", 1, 1}, {"stdout", "b", 1, 1}};
	struct store_log silent[2] = {{"stdout", "a", 1, 1}, {"stderr", "", 0, 0}};
	struct run_record record;
	struct err err;
	int64_t id;

	run_record_init(&record);
	fixture_sample(&record, "log:new", "s", "phase:new", "", 1, NULL);
	assert_ok(store_begin_run(s->store, &run, &id, &err));
	assert_int_equal(store_end_run(s->store, id, &run, &record, twice, 2, &err), -1);
	assert_non_null(strstr(err.text, "stream 'stdout'"));
	assert_query(s->store, "SELECT count(*) FROM sample", "0");
	assert_query(s->store, "SELECT count(*) FROM metric", "0");
	assert_query(s->store, "SELECT status FROM run", "running");
	assert_ok(store_end_run(s->store, id, &run, &record, silent, 2, &err));
	assert_query(s->store, "SELECT group_concat(stream || bytes) FROM log", "stdout1");
	assert_query(s->store, "SELECT status || metric || scope || value FROM v_sample_all",
		"oklog:newphase:new1.0");
	assert_ok(store_verify(s->store, &err));
	run_record_release(&record);
}

/* Nothing that is not a number becomes one: units, infinities, reasons. */
static void test_values_without_value(void **ptr)
{
	struct state *s = *ptr;
	struct store_run run = {.row_id = s->fix.rows[0], .attempt = 1, .status = RUN_OK};
	struct run_record record;
	struct stored_value *values;
	struct stored_metric *metrics;
	const char *unit, *better;
	struct err err;
	int64_t id;
	size_t n;

	fixture_run(s->store, s->fix.rows[1], 0, 1, ROLE_MEASURED, RUN_OK, 2);
	run_record_init(&record);
	fixture_sample(&record, "wall", "ms", "run", "", 2000, NULL);
	fixture_sample(&record, "rss_peak", "B", "run", "", INFINITY, NULL);
	fixture_sample(&record, "counter:cycles", "", "run", "", NAN, NULL);
	assert_ok(store_begin_run(s->store, &run, &id, &err));
	assert_ok(store_end_run(s->store, id, &run, &record, NULL, 0, &err));
	run_record_release(&record);

	assert_ok(store_read_metric(s->store, s->fix.session.id, "wall", "run", &s->arena, &values,
		&n, &unit, &better, &err));
	assert_int_equal(n, 2);
	assert_string_equal(unit, "s");
	assert_string_equal(better, "lower");
	assert_true(values[0].value == 2);
	assert_null(values[0].reason);
	assert_int_equal(values[1].run_id, id);
	assert_true(isnan(values[1].value));
	assert_string_equal(values[1].reason, "measured in 'ms', but 'wall' is kept in 's'");
	assert_query(s->store,
		"SELECT reason FROM v_sample WHERE run_id = 2 AND metric = 'rss_peak'",
		"not finite");
	assert_query(s->store,
		"SELECT reason FROM v_sample WHERE run_id = 2 AND metric LIKE 'counter%'",
		"not measured");
	assert_ok(store_read_metric(s->store, s->fix.session.id, "log:none", "run", &s->arena,
		&values, &n, &unit, &better, &err));
	assert_int_equal(n, 0);
	assert_string_equal(unit, "");

	assert_ok(store_read_metric_names(
		s->store, s->fix.session.id, &s->arena, &metrics, &n, &err));
	assert_int_equal(n, 3); /* log:step is no run value: it has an instance */
	assert_string_equal(metrics[0].metric, "rss_peak");
	assert_int_equal(metrics[0].n, 1);
	assert_string_equal(metrics[2].metric, "counter:cycles");
	assert_int_equal(metrics[2].n, 0);
}

/* Direction as declared last. */
static void test_better_is_the_latest(void **ptr)
{
	struct state *s = *ptr;
	struct store_run run = {.row_id = s->fix.rows[0], .status = RUN_OK};
	struct err err;
	int64_t id;

	for (run.attempt = 1; run.attempt <= 2; run.attempt++) {
		struct run_record record;

		run_record_init(&record);
		run_record_sample(&record, &(struct sample){.metric = "log:rate",
						   .unit = "1/s",
						   .value = 1,
						   .better = run.attempt == 1 ? "lower" : "higher",
						   .quantum = 0.1});
		assert_ok(store_begin_run(s->store, &run, &id, &err));
		assert_ok(store_end_run(s->store, id, &run, &record, NULL, 0, &err));
		run_record_release(&record);
	}
	assert_query(s->store, "SELECT better || count(*) FROM metric", "higher1");
	assert_query(s->store, "SELECT min(quantum) FROM sample", "0.1");
}

/* The counts of a session that was killed and went on equal those of an undisturbed one; nothing
 * that failed has a time in v_run. */
static void test_views(void **ptr)
{
	struct state *s = *ptr;
	struct store *store = s->store;

	fixture_run(store, s->fix.rows[0], 0, 1, ROLE_WARMUP, RUN_OK, 9);
	fixture_run(store, s->fix.rows[0], 0, 1, ROLE_MEASURED, RUN_OK, 1);
	fixture_run(store, s->fix.rows[1], 0, 1, ROLE_MEASURED, RUN_LOST, 0);
	fixture_run(store, s->fix.rows[1], 0, 2, ROLE_MEASURED, RUN_OK, 2);
	fixture_run(store, s->fix.rows[0], 1, 1, ROLE_MEASURED, RUN_TIMEOUT, 1500);
	fixture_run(store, s->fix.rows[1], 1, 1, ROLE_MEASURED, RUN_OK, 3);
	fixture_run(store, s->fix.rows[1], 1, 1, ROLE_PROFILE, RUN_OK, 30);
	fixture_run(store, s->fix.rows[1], 1, 1, ROLE_CONFIRM, RUN_OK, 4);
	fixture_run(store, s->fix.rows[0], 2, 1, ROLE_MEASURED, RUN_LOST, 0);
	fixture_run(store, s->fix.rows[0], 2, 2, ROLE_MEASURED, RUN_RUNNING, 0);
	fixture_run(store, s->fix.rows[1], 2, 1, ROLE_MEASURED, RUN_RUNNING, 0);

	assert_query(store, "SELECT count(*) FROM v_run_all", "11");
	assert_query(store, "SELECT count(*) FROM v_run", "4");
	assert_query(store,
		"SELECT count(wall_s) || ' ' || avg(wall_s) FROM v_run WHERE variant = 'A1'",
		"2 2.5");
	assert_query(store,
		"SELECT count(*) || ' ' || sum(wall_s) FROM v_run WHERE variant = 'none'", "2 1.0");
	assert_query(store, "SELECT max(wall_s) FROM v_run_all", "30.0");
	assert_query(
		store, "SELECT started FROM v_run WHERE run_id = 2", "2023-11-14T22:13:20.123Z");
	assert_query(store, "SELECT reason FROM v_run_all WHERE status = 'timeout'", "exit 1");
	assert_query(store, "SELECT count(*) FROM v_sample WHERE metric = 'wall'", "4");
	assert_query(store, "SELECT max(value) FROM v_sample WHERE metric = 'wall'", "3.0");
	assert_query(store, "SELECT reason FROM v_sample WHERE metric = 'wall' AND value IS NULL",
		"run timeout");
	assert_query(store, "SELECT max(value) FROM v_sample_all WHERE metric = 'wall'", "1500.0");
	assert_query(store, "SELECT count(*) FROM v_gpu", "0");
	assert_query(store, "SELECT host || epoch || name FROM v_host", "host-1epoch-1zen");
	/* The columns that doc/store.md promises. */
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_run')",
		"run_id experiment session workload variant axes block position status started "
		"wall_s");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_run_all')",
		"run_id experiment session workload variant axes block position status started "
		"wall_s"
		" role attempt reason");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_sample')",
		"run_id experiment session workload variant axes block scope metric instance unit "
		"value"
		" reason quality collector");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_phase')",
		"run_id name instance thread start_s end_s parent source");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_gpu')",
		"run_id kind name device stream start_s end_s bytes");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_build')",
		"build_id key status digest code_digest seconds variants");
	assert_query(store, "SELECT group_concat(name, ' ') FROM pragma_table_info('v_host')",
		"host epoch name kernel cpu facts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sessions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resume_and_abort, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_and_builds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_run_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_run_ends_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_run_is_one_transaction, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values_without_value, setup, teardown),
		cmocka_unit_test_setup_teardown(test_better_is_the_latest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_views, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
