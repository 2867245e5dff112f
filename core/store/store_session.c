/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing what runs hang on: hosts, experiments, sessions, builds, rows. */
#include "config.h"

#include "core/store/store.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "core/store/db.h"

/* Runs a statement that is a transaction of its own and gives an id. */
static int put_id(struct store *store, sqlite3_stmt *statement, int64_t *ret_id, struct err *err)
{
	int64_t id = 0;

	if (db_begin(store, err) < 0)
		return -1;
	if (db_end(store, db_run_id(store, statement, &id, err), err) < 0)
		return -1;
	*ret_id = id;
	return 0;
}

int store_put_host(
	struct store *store, const struct store_host *host, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *st;

	/* The machine as it was seen last; a session keeps epoch and facts of its own time. */
	if (db_prepare(store,
		    "INSERT INTO host (uid, name, kernel, cpu, epoch, facts)"
		    " VALUES (?, ?, ?, ?, ?, ?)"
		    " ON CONFLICT (uid) DO UPDATE SET name = excluded.name,"
		    " kernel = excluded.kernel, cpu = excluded.cpu, epoch = excluded.epoch,"
		    " facts = excluded.facts RETURNING id",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, host->uid);
	db_text_or(st, 2, host->name, "");
	db_text_or(st, 3, host->kernel, "");
	db_text_or(st, 4, host->cpu, "");
	db_text_or(st, 5, host->epoch, "");
	db_text_or(st, 6, host->facts, "{}");
	return put_id(store, st, ret_id, err);
}

int store_put_experiment(struct store *store, const char *name, const char *digest,
	const char *text, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *st;

	/* DO UPDATE without a change: DO NOTHING would give no id. */
	if (db_prepare(store,
		    "INSERT INTO experiment (name, digest, text) VALUES (?, ?, ?)"
		    " ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING id",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, name);
	db_text(st, 2, digest);
	db_text_or(st, 3, text, "");
	return put_id(store, st, ret_id, err);
}

/* --- Sessions ----------------------------------------------------------------------------------
 */

int store_begin_session(struct store *store, struct store_session *session, struct err *err)
{
	int64_t started_at = session->started_at ? session->started_at : clock_real_ns();
	char uid[sizeof(session->uid)];
	sqlite3_stmt *st;
	int64_t id;

	if (session->uid[0])
		memcpy(uid, session->uid, sizeof(uid));
	else
		rng_random_uid(uid);
	if (db_prepare(store,
		    "INSERT INTO session (uid, experiment_id, host_id, plan, seed, state,"
		    " started_at,"
		    " command, version, epoch, facts)"
		    " SELECT ?, ?, id, ?, ?, 'open', ?, ?, ?, epoch, facts FROM host WHERE id = ?"
		    " RETURNING id",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, uid);
	sqlite3_bind_int64(st, 2, session->experiment_id);
	db_text(st, 3, session->plan);
	sqlite3_bind_int64(st, 4, (int64_t)session->seed);
	sqlite3_bind_int64(st, 5, started_at);
	db_text_or(st, 6, session->command, "");
	db_text_or(st, 7, session->version, "");
	sqlite3_bind_int64(st, 8, session->host_id);
	if (put_id(store, st, &id, err) < 0)
		return -1;
	session->id = id;
	session->started_at = started_at;
	session->ended_at = 0;
	session->state = "open";
	memcpy(session->uid, uid, sizeof(uid));
	return 0;
}

/* Runs of a session that were going on when assay died. */
static int lose_running(struct store *store, int64_t session_id, struct err *err)
{
	sqlite3_stmt *st;

	if (db_prepare(store,
		    "UPDATE run SET status = 'lost', reason = 'assay ended before this run did'"
		    " WHERE session_id = ? AND status = 'running'",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	return db_run(store, st, err);
}

/* The newest session of the plan, when it is not complete. One that was aborted since another plan
 * of the experiment ran in between (--where, a change taken back) goes on too: nothing of it is
 * stale. */
static int find_unfinished(
	struct store *store, const char *plan, int64_t host_id, int64_t *ret_id, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	int rc;

	/* Runs of two epochs must not meet in one block: another kernel starts another session. */
	if (db_prepare(store,
		    "SELECT s.id, s.state FROM session s"
		    " JOIN host h ON h.id = s.host_id AND h.epoch = s.epoch"
		    " WHERE s.plan = ? AND s.host_id = ?"
		    " ORDER BY s.id DESC LIMIT 1",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, plan);
	sqlite3_bind_int64(st, 2, host_id);
	rc = db_step(store, st, err);
	if (rc < 0)
		return -1;
	*ret_id = 0;
	if (rc && strcmp((const char *)sqlite3_column_text(st, 1), "complete") != 0)
		*ret_id = sqlite3_column_int64(st, 0);
	return 0;
}

static int reopen(struct store *store, int64_t id, struct err *err)
{
	sqlite3_stmt *st;

	if (lose_running(store, id, err) < 0 ||
		db_prepare(store, "UPDATE session SET state = 'open', ended_at = NULL WHERE id = ?",
			&st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, id);
	return db_run(store, st, err);
}

int store_resume_session(struct store *store, const char *plan, int64_t host_id,
	struct arena *arena, struct store_session *ret, struct err *err)
{
	char name[24];
	int64_t id = 0;
	int rc;

	if (db_begin(store, err) < 0)
		return -1;
	rc = find_unfinished(store, plan, host_id, &id, err);
	if (!rc && id)
		rc = reopen(store, id, err);
	if (db_end(store, rc, err) < 0)
		return -1;
	if (!id) {
		memset(ret, 0, sizeof(*ret));
		return 0;
	}
	sqlite3_snprintf(sizeof(name), name, "%lld", (long long)id);
	return store_find_session(store, name, arena, ret, err);
}

static int set_state(struct store *store, int64_t session_id, const char *state, int64_t ended_at,
	struct err *err)
{
	sqlite3_stmt *st;

	if (lose_running(store, session_id, err) < 0 ||
		db_prepare(store, "UPDATE session SET state = ?, ended_at = ? WHERE id = ?", &st,
			err) < 0)
		return -1;
	db_text(st, 1, state);
	sqlite3_bind_int64(st, 2, ended_at ? ended_at : clock_real_ns());
	sqlite3_bind_int64(st, 3, session_id);
	return db_run(store, st, err);
}

static int abort_open(struct store *store, const char *experiment, int64_t host_id,
	int64_t except_id, int *ret_n, struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	int rc, n = 0;

	/* The loop ends although it changes what it reads: an aborted one is not open, and the ids
	 * are visited in order. */
	if (db_prepare(store,
		    "SELECT s.id FROM session s JOIN experiment e ON e.id = s.experiment_id"
		    " WHERE e.name = ? AND s.host_id = ? AND s.state = 'open' AND s.id <> ?"
		    " ORDER BY s.id",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, experiment);
	sqlite3_bind_int64(st, 2, host_id);
	sqlite3_bind_int64(st, 3, except_id);
	while ((rc = db_step(store, st, err)) == 1) {
		if (set_state(store, sqlite3_column_int64(st, 0), "aborted", 0, err) < 0)
			return -1;
		n++;
	}
	*ret_n = n;
	return rc;
}

int store_abort_sessions(struct store *store, const char *experiment, int64_t host_id,
	int64_t except_id, int *ret_n, struct err *err)
{
	int n = 0;

	if (db_begin(store, err) < 0 ||
		db_end(store, abort_open(store, experiment, host_id, except_id, &n, err), err) < 0)
		return -1;
	*ret_n = n;
	return 0;
}

int store_end_session(struct store *store, int64_t session_id, const char *state, int64_t ended_at,
	struct err *err)
{
	if (db_begin(store, err) < 0 ||
		db_end(store, set_state(store, session_id, state, ended_at, err), err) < 0)
		return -1;
	/* The WAL has grown to the size of what was written. A reader may keep it: no error. */
	sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	return 0;
}

/* --- Builds and rows ---------------------------------------------------------------------------
 */

int store_put_build(
	struct store *store, const struct store_build *build, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *st;

	if (db_prepare(store,
		    "INSERT INTO build (key, status, digest, code_digest, seconds, log, reason)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?)"
		    " ON CONFLICT (key) DO UPDATE SET status = excluded.status,"
		    " digest = excluded.digest, code_digest = excluded.code_digest,"
		    " seconds = excluded.seconds, log = excluded.log, reason = excluded.reason"
		    " RETURNING id",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, build->key);
	db_text(st, 2, build->status);
	db_text(st, 3, build->digest);
	db_text(st, 4, build->code_digest);
	db_real(st, 5, build->seconds);
	db_text(st, 6, build->log);
	db_text(st, 7, build->reason);
	return put_id(store, st, ret_id, err);
}

static int put_row(struct store *store, int64_t session_id, const struct store_row *row,
	int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *st;

	if (db_prepare(store,
		    "INSERT INTO plan_row (session_id, name, workload, variant, label, options,"
		    " axes,"
		    " baseline, build_id, run_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		    " ON CONFLICT (session_id, name)"
		    " DO UPDATE SET build_id = coalesce(excluded.build_id, build_id) RETURNING id",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, session_id);
	db_text(st, 2, row->name);
	db_text(st, 3, row->workload);
	db_text(st, 4, row->variant);
	db_text_or(st, 5, row->label, row->variant);
	db_text_or(st, 6, row->options, "{}");
	db_text_or(st, 7, row->axes, "{}");
	db_text_or(st, 8, row->baseline, row->name);
	db_int_unless(st, 9, row->build_id, 0);
	db_text_or(st, 10, row->run_key, "");
	return db_run_id(store, st, ret_id, err);
}

int store_put_rows(struct store *store, int64_t session_id, const struct store_row *rows, size_t n,
	int64_t *ret_ids, struct err *err)
{
	AUTOFREE int64_t *ids = xcalloc(n ? n : 1, sizeof(*ids));
	int rc = 0;

	if (db_begin(store, err) < 0)
		return -1;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = put_row(store, session_id, &rows[i], &ids[i], err);
		if (rc < 0)
			err_wrap(err, "row '%s'", rows[i].name);
	}
	if (db_end(store, rc, err) < 0)
		return -1;
	if (n)
		memcpy(ret_ids, ids, n * sizeof(*ids));
	return 0;
}
