/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/store/db.h"

/* A vector's items as an array of the arena; frees the vector. */
#define TO_ARENA(arena, v, ret, ret_n) \
	do { \
		*(ret_n) = (v).n; \
		*(ret) = arena_memdup(arena, (v).items, (v).n * sizeof(*(v).items)); \
		vec_release(&(v)); \
	} while (0)

/* A text that is never NULL. */
static const char *text_at(sqlite3_stmt *st, int at, struct arena *arena)
{
	const char *text = db_column_text(st, at, arena);

	return text ? text : "";
}

/* --- Sessions ----------------------------------------------------------------------------------
 */

#define SESSION_COLUMNS \
	"s.id, s.uid, s.experiment_id, s.host_id, e.name, s.plan, s.seed, s.state, s.started_at," \
	" s.ended_at, s.command, s.version FROM session s JOIN experiment e ON e.id = " \
	"s.experiment_id"

static void session_of(sqlite3_stmt *st, struct arena *arena, struct store_session *to)
{
	const char *uid = text_at(st, 1, arena);

	memset(to, 0, sizeof(*to));
	to->id = sqlite3_column_int64(st, 0);
	strncpy(to->uid, uid, sizeof(to->uid) - 1);
	to->experiment_id = sqlite3_column_int64(st, 2);
	to->host_id = sqlite3_column_int64(st, 3);
	to->experiment = text_at(st, 4, arena);
	to->plan = text_at(st, 5, arena);
	to->seed = (uint64_t)sqlite3_column_int64(st, 6);
	to->state = text_at(st, 7, arena);
	to->started_at = sqlite3_column_int64(st, 8);
	to->ended_at = db_column_int(st, 9, 0);
	to->command = text_at(st, 10, arena);
	to->version = text_at(st, 11, arena);
}

int store_list_sessions(struct store *store, const char *experiment, struct arena *arena,
	struct store_session **ret, size_t *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	VEC(struct store_session) found = VEC_INIT;
	int rc;

	if (db_prepare(store,
		    "SELECT " SESSION_COLUMNS " WHERE ?1 IS NULL OR e.name = ?1 ORDER BY s.id DESC",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, experiment);
	while ((rc = db_step(store, st, err)) == 1)
		session_of(st, arena, vec_push(&found));
	if (rc < 0) {
		vec_release(&found);
		return -1;
	}
	TO_ARENA(arena, found, ret, ret_n);
	return 0;
}

/* A decimal id, or -1. */
static int64_t decimal_id(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n && n <= 18 && !name[n] ? (int64_t)strtoll(name, NULL, 10) : -1;
}

int store_find_session(struct store *store, const char *name, struct arena *arena,
	struct store_session *ret, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	bool hex = strlen(name) >= 4 && !name[strspn(name, "0123456789abcdefABCDEF")];
	int64_t id = decimal_id(name);
	struct store_session found;
	int rc;

	if (!hex && id < 0) {
		err_set(err, E_USAGE, "'%s' names no session", name);
		return err_help(err, "give its number or the first four or more digits of its uid; "
				     "assay ls shows both");
	}
	if (db_prepare(store,
		    "SELECT " SESSION_COLUMNS " WHERE s.id = ?1"
		    " OR (?2 IS NOT NULL AND substr(s.uid, 1, length(?2)) = lower(?2)) LIMIT 2",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, id);
	db_text(st, 2, hex ? name : NULL);
	rc = db_step(store, st, err);
	if (rc < 0)
		return -1;
	if (!rc) {
		err_set(err, E_NOTHING, "no session '%s' in store '%s'", name, store->path);
		return err_help(err, "assay ls shows those that are there");
	}
	session_of(st, arena, &found);
	rc = db_step(store, st, err);
	if (rc < 0)
		return -1;
	if (rc) {
		err_set(err, E_USAGE, "'%s' could be session %lld (%.8s) or %lld (%.8s)", name,
			(long long)found.id, found.uid, (long long)sqlite3_column_int64(st, 0),
			(const char *)sqlite3_column_text(st, 1));
		return err_help(err, "give more digits of the uid");
	}
	*ret = found;
	return 0;
}

/* --- Rows and runs -----------------------------------------------------------------------------
 */

#define ROW_COLUMNS \
	"p.id, p.name, p.workload, p.variant, p.label, p.options, p.axes, p.baseline," \
	" p.build_id, p.run_key, b.key, b.status, b.digest, b.code_digest, b.seconds, b.log," \
	" b.reason FROM plan_row p LEFT JOIN build b ON b.id = p.build_id"

static void row_of(sqlite3_stmt *st, struct arena *arena, struct stored_row *to)
{
	to->id = sqlite3_column_int64(st, 0);
	to->row.name = text_at(st, 1, arena);
	to->row.workload = text_at(st, 2, arena);
	to->row.variant = text_at(st, 3, arena);
	to->row.label = text_at(st, 4, arena);
	to->row.options = text_at(st, 5, arena);
	to->row.axes = text_at(st, 6, arena);
	to->row.baseline = text_at(st, 7, arena);
	to->row.build_id = db_column_int(st, 8, 0);
	to->row.run_key = text_at(st, 9, arena);
	to->build.key = db_column_text(st, 10, arena);
	to->build.status = db_column_text(st, 11, arena);
	to->build.digest = db_column_text(st, 12, arena);
	to->build.code_digest = db_column_text(st, 13, arena);
	to->build.seconds = db_column_real(st, 14);
	to->build.log = db_column_text(st, 15, arena);
	to->build.reason = db_column_text(st, 16, arena);
}

int store_read_rows(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_row **ret, size_t *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	VEC(struct stored_row) found = VEC_INIT;
	int rc;

	if (db_prepare(store, "SELECT " ROW_COLUMNS " WHERE p.session_id = ? ORDER BY p.id", &st,
		    err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	while ((rc = db_step(store, st, err)) == 1)
		row_of(st, arena, vec_push(&found));
	if (rc < 0) {
		vec_release(&found);
		return -1;
	}
	TO_ARENA(arena, found, ret, ret_n);
	return 0;
}

#define RUN_COLUMNS \
	"r.id, r.row_id, r.block, r.position, r.attempt, r.role, r.pass, r.resumed, r.status," \
	" r.reason, r.exit_code, r.signal, r.started_at, r.start_ns, r.wall_ns," \
	" r.boottime_gap_ns, r.realtime_gap_ns, r.cpus, r.stdout_bytes, r.stderr_bytes," \
	" r.stderr_tail, r.session_id FROM run r"

static int run_of(struct store *store, sqlite3_stmt *st, struct arena *arena, struct stored_run *to,
	struct err *err)
{
	struct store_run *run = &to->run;

	to->id = sqlite3_column_int64(st, 0);
	run->row_id = sqlite3_column_int64(st, 1);
	run->block = sqlite3_column_int(st, 2);
	run->position = sqlite3_column_int(st, 3);
	run->attempt = sqlite3_column_int(st, 4);
	run->pass = sqlite3_column_int(st, 6);
	run->resumed = sqlite3_column_int(st, 7);
	run->reason = db_column_text(st, 9, arena);
	run->exit_code = (int)db_column_int(st, 10, -1);
	run->signal = (int)db_column_int(st, 11, 0);
	run->started_at = sqlite3_column_int64(st, 12);
	run->start_ns = db_column_int(st, 13, 0);
	run->wall_ns = db_column_int(st, 14, -1);
	run->boottime_gap_ns = db_column_int(st, 15, 0);
	run->realtime_gap_ns = db_column_int(st, 16, 0);
	run->cpus = db_column_text(st, 17, arena);
	run->stdout_bytes = (uint64_t)db_column_int(st, 18, 0);
	run->stderr_bytes = (uint64_t)db_column_int(st, 19, 0);
	run->stderr_tail = db_column_text(st, 20, arena);
	if (!run_role_parse(text_at(st, 5, arena), &run->role) ||
		!run_status_parse(text_at(st, 8, arena), &run->status))
		return err_set(err, E_STORE, "store '%s': run %lld has an unknown role or status",
			store->path, (long long)to->id);
	return 0;
}

int store_read_runs(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_run **ret, size_t *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	VEC(struct stored_run) found = VEC_INIT;
	int rc;

	if (db_prepare(store, "SELECT " RUN_COLUMNS " WHERE r.session_id = ? ORDER BY r.id", &st,
		    err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	while ((rc = db_step(store, st, err)) == 1) {
		rc = run_of(store, st, arena, vec_push(&found), err);
		if (rc < 0)
			break;
	}
	if (rc < 0) {
		vec_release(&found);
		return -1;
	}
	TO_ARENA(arena, found, ret, ret_n);
	return 0;
}

/* --- Values ------------------------------------------------------------------------------------
 */

static int read_unit(struct store *store, const char *metric, struct arena *arena,
	const char **ret_unit, const char **ret_better, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	int rc;

	if (db_prepare(store, "SELECT unit, better FROM metric WHERE name = ?", &st, err) < 0)
		return -1;
	db_text(st, 1, metric);
	rc = db_step(store, st, err);
	if (rc < 0)
		return -1;
	*ret_unit = rc ? text_at(st, 0, arena) : "";
	*ret_better = rc ? text_at(st, 1, arena) : "lower";
	return 0;
}

int store_read_metric(struct store *store, int64_t session_id, const char *metric,
	const char *scope, struct arena *arena, struct stored_value **ret, size_t *ret_n,
	const char **ret_unit, const char **ret_better, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	VEC(struct stored_value) found = VEC_INIT;
	const char *unit, *better;
	int rc;

	if (read_unit(store, metric, arena, &unit, &better, err) < 0)
		return -1;
	/* CROSS JOIN keeps the order: the session's runs, each looked up by the primary key. */
	if (db_prepare(store,
		    "SELECT x.run_id, x.value, x.reason, x.quality, x.quantum FROM run r"
		    " CROSS JOIN sample x ON x.run_id = r.id"
		    " AND x.metric_id = (SELECT id FROM metric WHERE name = ?2)"
		    " AND x.scope_id = (SELECT id FROM scope WHERE name = ?3) AND x.instance = ''"
		    " WHERE r.session_id = ?1 ORDER BY r.id",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	db_text(st, 2, metric);
	db_text(st, 3, scope);
	while ((rc = db_step(store, st, err)) == 1) {
		struct stored_value *value = vec_push(&found);

		value->run_id = sqlite3_column_int64(st, 0);
		value->value = db_column_real(st, 1);
		value->reason = db_column_text(st, 2, arena);
		value->quality = text_at(st, 3, arena);
		value->quantum = db_column_real(st, 4);
	}
	if (rc < 0) {
		vec_release(&found);
		return -1;
	}
	TO_ARENA(arena, found, ret, ret_n);
	*ret_unit = unit;
	*ret_better = better;
	return 0;
}

int store_read_metric_names(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_metric **ret, size_t *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	VEC(struct stored_metric) found = VEC_INIT;
	int rc;

	if (db_prepare(store,
		    "SELECT m.name, c.name, m.unit, m.better, count(x.value) FROM run r"
		    " CROSS JOIN sample x ON x.run_id = r.id AND x.instance = ''"
		    " JOIN metric m ON m.id = x.metric_id JOIN scope c ON c.id = x.scope_id"
		    " WHERE r.session_id = ? GROUP BY m.id, c.id ORDER BY c.name <> 'run', c.name,"
		    " m.id",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	while ((rc = db_step(store, st, err)) == 1) {
		struct stored_metric *metric = vec_push(&found);

		metric->metric = text_at(st, 0, arena);
		metric->scope = text_at(st, 1, arena);
		metric->unit = text_at(st, 2, arena);
		metric->better = text_at(st, 3, arena);
		metric->n = (size_t)sqlite3_column_int64(st, 4);
	}
	if (rc < 0) {
		vec_release(&found);
		return -1;
	}
	TO_ARENA(arena, found, ret, ret_n);
	return 0;
}

/* --- One run -----------------------------------------------------------------------------------
 */

static int read_samples(
	struct store *store, int64_t run_id, struct run_record *record, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	struct arena *arena = &record->arena;
	int rc;

	if (db_prepare(store,
		    "SELECT m.name, m.unit, m.better, c.name, x.instance, x.value, x.reason,"
		    " x.quality, x.quantum, x.collector FROM sample x"
		    " JOIN metric m ON m.id = x.metric_id JOIN scope c ON c.id = x.scope_id"
		    " WHERE x.run_id = ? ORDER BY x.metric_id, x.scope_id, x.instance",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, run_id);
	while ((rc = db_step(store, st, err)) == 1)
		*vec_push(&record->samples) = (struct sample){
			.metric = text_at(st, 0, arena),
			.unit = text_at(st, 1, arena),
			.better = text_at(st, 2, arena),
			.scope = text_at(st, 3, arena),
			.instance = text_at(st, 4, arena),
			.value = db_column_real(st, 5),
			.reason = db_column_text(st, 6, arena),
			.quality = text_at(st, 7, arena),
			.quantum = db_column_real(st, 8),
			.collector = text_at(st, 9, arena),
		};
	return rc;
}

static int read_phases(
	struct store *store, int64_t run_id, struct run_record *record, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	struct arena *arena = &record->arena;
	int64_t first = 0;
	int rc;

	/* The phases of a run were written together: their ids follow each other. */
	if (db_prepare(store,
		    "SELECT name, instance, thread, start_ns, end_ns, parent_id, source, id"
		    " FROM phase"
		    " WHERE run_id = ? ORDER BY id",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, run_id);
	while ((rc = db_step(store, st, err)) == 1) {
		if (!record->phases.n)
			first = sqlite3_column_int64(st, 7);
		*vec_push(&record->phases) = (struct phase_span){
			.name = text_at(st, 0, arena),
			.instance = text_at(st, 1, arena),
			.thread = text_at(st, 2, arena),
			.start_ns = sqlite3_column_int64(st, 3),
			.end_ns = sqlite3_column_int64(st, 4),
			.parent = (int)(db_column_int(st, 5, first - 1) - first),
			.source = text_at(st, 6, arena),
		};
	}
	return rc;
}

static int read_logs(struct store *store, int64_t run_id, struct arena *arena,
	struct store_log logs[2], size_t *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	size_t n = 0;
	int rc;

	if (db_prepare(store,
		    "SELECT stream, bytes, kept FROM log WHERE run_id = ? AND zstd = 0"
		    " ORDER BY stream DESC LIMIT 2",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, run_id);
	while ((rc = db_step(store, st, err)) == 1) {
		const void *kept = sqlite3_column_blob(st, 2);
		size_t len = (size_t)sqlite3_column_bytes(st, 2);

		logs[n++] = (struct store_log){
			.stream = text_at(st, 0, arena),
			.bytes = (uint64_t)sqlite3_column_int64(st, 1),
			.kept = arena_strndup(arena, kept ? kept : "", len),
			.kept_len = len,
		};
	}
	*ret_n = n;
	return rc;
}

static int read_one(
	struct store *store, const char *sql, int64_t id, sqlite3_stmt **ret, struct err *err)
{
	int rc;

	if (db_prepare(store, sql, ret, err) < 0)
		return -1;
	sqlite3_bind_int64(*ret, 1, id);
	rc = db_step(store, *ret, err);
	if (rc == 1)
		return 0;
	if (!rc)
		err_set(err, E_NOTHING, "no run %lld in store '%s'", (long long)id, store->path);
	return -1;
}

int store_read_run(struct store *store, int64_t run_id, struct arena *arena,
	struct stored_run *ret_run, int64_t *ret_session_id, struct stored_row *ret_row,
	struct run_record *ret_record, struct store_log *ret_logs, size_t *ret_n_logs,
	struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *run_st = NULL;
	CLEANUP(db_reset) sqlite3_stmt *row_st = NULL;
	struct run_record record;
	struct stored_run run;
	struct stored_row row;
	struct store_log logs[2];
	int64_t session_id;
	size_t n_logs;

	if (read_one(store, "SELECT " RUN_COLUMNS " WHERE r.id = ?", run_id, &run_st, err) < 0 ||
		run_of(store, run_st, arena, &run, err) < 0)
		return -1;
	session_id = sqlite3_column_int64(run_st, 21);
	if (read_one(store, "SELECT " ROW_COLUMNS " WHERE p.id = ?", run.run.row_id, &row_st, err) <
		0)
		return -1;
	row_of(row_st, arena, &row);
	run_record_init(&record);
	if (read_samples(store, run_id, &record, err) < 0 ||
		read_phases(store, run_id, &record, err) < 0 ||
		read_logs(store, run_id, arena, logs, &n_logs, err) < 0) {
		run_record_release(&record);
		return -1;
	}
	*ret_run = run;
	*ret_session_id = session_id;
	*ret_row = row;
	*ret_record = record;
	memcpy(ret_logs, logs, n_logs * sizeof(*logs));
	*ret_n_logs = n_logs;
	return 0;
}
