/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing runs: one row before, everything else in one transaction after. */
#include "config.h"

#include "core/store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/vec.h"
#include "core/store/db.h"

int store_begin_run(
	struct store *store, const struct store_run *run, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *st;
	int64_t id;
	int rc;

	/* No INSERT ... SELECT and no RETURNING: SQLite does those by way of temporary tables,
	 * which cost more than all the rest of this transaction. */
	if (db_prepare(store,
		    "INSERT INTO run (session_id, row_id, block, position, attempt, role,"
		    " pass, resumed, status, started_at)"
		    " VALUES ((SELECT session_id FROM plan_row WHERE id = ?8), ?8, ?1, ?2, ?3,"
		    " ?4, ?5, ?6, 'running', ?7)",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int(st, 1, run->block);
	sqlite3_bind_int(st, 2, run->position);
	sqlite3_bind_int(st, 3, run->attempt);
	db_text(st, 4, run_role_name(run->role));
	sqlite3_bind_int(st, 5, run->pass);
	sqlite3_bind_int(st, 6, run->resumed);
	sqlite3_bind_int64(st, 7, run->started_at ? run->started_at : clock_real_ns());
	sqlite3_bind_int64(st, 8, run->row_id);
	if (db_begin(store, err) < 0)
		return -1;
	rc = db_run(store, st, err);
	id = sqlite3_last_insert_rowid(store->db);
	if (db_end(store, rc, err) < 0)
		return -1;
	*ret_id = id;
	return 0;
}

static int end_row(
	struct store *store, int64_t run_id, const struct store_run *run, struct err *err)
{
	sqlite3_stmt *st;

	if (db_prepare(store,
		    "UPDATE run SET status = ?, reason = ?, exit_code = ?, signal = ?,"
		    " started_at = coalesce(?, started_at), start_ns = ?, wall_ns = ?,"
		    " boottime_gap_ns = ?, realtime_gap_ns = ?, cpus = ?, stdout_bytes = ?,"
		    " stderr_bytes = ?, stderr_tail = ? WHERE id = ? AND status = 'running'",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, run_status_name(run->status));
	db_text(st, 2, run->reason);
	db_int_unless(st, 3, run->exit_code, -1);
	db_int_unless(st, 4, run->signal, 0);
	db_int_unless(st, 5, run->started_at, 0);
	sqlite3_bind_int64(st, 6, run->start_ns);
	db_int_unless(st, 7, run->wall_ns < 0 ? -1 : run->wall_ns, -1);
	sqlite3_bind_int64(st, 8, run->boottime_gap_ns);
	sqlite3_bind_int64(st, 9, run->realtime_gap_ns);
	db_text(st, 10, run->cpus);
	db_count(st, 11, run->stdout_bytes);
	db_count(st, 12, run->stderr_bytes);
	db_text(st, 13, run->stderr_tail);
	sqlite3_bind_int64(st, 14, run_id);
	if (db_run(store, st, err) < 0)
		return -1;
	if (sqlite3_changes(store->db) != 1)
		return err_set(err, E_BUG, "store '%s': run %lld is not going on", store->path,
			(long long)run_id);
	return 0;
}

/* --- Samples -----------------------------------------------------------------------------------
 */

static struct metric_entry *remember(struct store *store, struct map *map, const char *name,
	int64_t id, const char *unit, const char *better)
{
	struct metric_entry *entry = arena_alloc(&store->entries, sizeof(*entry));

	entry->id = id;
	entry->unit = unit ? arena_strdup(&store->entries, unit) : NULL;
	entry->better = better ? arena_strdup(&store->entries, better) : NULL;
	map_put(map, name, entry);
	return entry;
}

static int put_metric(struct store *store, const struct sample *sample, struct metric_entry **ret,
	struct err *err)
{
	CLEANUP(db_reset) sqlite3_stmt *st = NULL;
	int rc;

	/* The direction is what was declared last; the unit is what all values here have. */
	if (db_prepare(store,
		    "INSERT INTO metric (name, unit, better) VALUES (?, ?, ?)"
		    " ON CONFLICT (name) DO UPDATE SET better = excluded.better"
		    " RETURNING id, unit",
		    &st, err) < 0)
		return -1;
	db_text(st, 1, sample->metric);
	db_text(st, 2, sample->unit);
	db_text(st, 3, sample->better);
	rc = db_step(store, st, err);
	if (rc < 0)
		return -1;
	*ret = remember(store, &store->metrics, sample->metric, sqlite3_column_int64(st, 0),
		(const char *)sqlite3_column_text(st, 1), sample->better);
	return db_step(store, st, err);
}

static int metric_of(struct store *store, const struct sample *sample, struct metric_entry **ret,
	struct err *err)
{
	struct metric_entry *entry = map_get(&store->metrics, sample->metric);

	if (!entry || strcmp(entry->better, sample->better) != 0)
		return put_metric(store, sample, ret, err);
	*ret = entry;
	return 0;
}

static int scope_of(struct store *store, const char *name, int64_t *ret, struct err *err)
{
	const struct metric_entry *entry = map_get(&store->scopes, name);
	sqlite3_stmt *st;

	if (!entry) {
		int64_t id;

		if (db_prepare(store,
			    "INSERT INTO scope (name) VALUES (?)"
			    " ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
			    &st, err) < 0)
			return -1;
		db_text(st, 1, name);
		if (db_run_id(store, st, &id, err) < 0)
			return -1;
		entry = remember(store, &store->scopes, name, id, NULL, NULL);
	}
	*ret = entry->id;
	return 0;
}

struct keyed {
	int64_t metric_id, scope_id;
	const struct sample *sample;
	const char *unit; /* of the metric */
	size_t at;        /* place in the record */
};

static int by_key(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;
	int order;

	if (a->metric_id != b->metric_id)
		return a->metric_id < b->metric_id ? -1 : 1;
	if (a->scope_id != b->scope_id)
		return a->scope_id < b->scope_id ? -1 : 1;
	order = strcmp(a->sample->instance, b->sample->instance);
	if (order)
		return order;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_key(const struct keyed *a, const struct keyed *b)
{
	return a->metric_id == b->metric_id && a->scope_id == b->scope_id &&
	       !strcmp(a->sample->instance, b->sample->instance);
}

static int put_sample(
	struct store *store, sqlite3_stmt *st, const struct keyed *key, struct err *err)
{
	const struct sample *sample = key->sample;
	CLEANUP(buf_release) struct buf why = BUF_INIT;
	double value = sample->value;
	const char *reason = sample->reason;

	if (strcmp(key->unit, sample->unit) != 0) {
		/* A value under a wrong unit would be a lie in every later report. */
		buf_addf(&why, "measured in '%s', but '%s' is kept in '%s'", sample->unit,
			sample->metric, key->unit);
		reason = why.data;
		value = NAN;
	}
	if (isfinite(value))
		reason = NULL;
	else if (!reason)
		reason = isnan(value) ? "not measured" : "not finite";
	sqlite3_bind_int64(st, 2, key->metric_id);
	sqlite3_bind_int64(st, 3, key->scope_id);
	db_text(st, 4, sample->instance);
	db_real(st, 5, value);
	db_text(st, 6, reason);
	db_text(st, 7, sample->quality);
	db_real(st, 8, sample->quantum);
	db_text(st, 9, sample->collector);
	return db_run(store, st, err);
}

/* In order of the primary key: the table is WITHOUT ROWID, and appending is what a B-tree does
 * best. Of two values with one key the later one holds, as with `reduce: last`. */
static int put_samples(
	struct store *store, int64_t run_id, const struct run_record *record, struct err *err)
{
	size_t n = record->samples.n;
	AUTOFREE struct keyed *keys = xcalloc(n ? n : 1, sizeof(*keys));
	sqlite3_stmt *st;

	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = &record->samples.items[i];
		struct metric_entry *metric;

		if (metric_of(store, sample, &metric, err) < 0 ||
			scope_of(store, sample->scope, &keys[i].scope_id, err) < 0)
			return -1;
		keys[i].metric_id = metric->id;
		keys[i].unit = metric->unit;
		keys[i].sample = sample;
		keys[i].at = i;
	}
	qsort(keys, n, sizeof(*keys), by_key);
	if (db_prepare(store,
		    "INSERT INTO sample (run_id, metric_id, scope_id, instance, value, reason,"
		    " quality, quantum, collector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    &st, err) < 0)
		return -1;
	sqlite3_bind_int64(st, 1, run_id);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && same_key(&keys[i], &keys[i + 1]))
			continue;
		if (put_sample(store, st, &keys[i], err) < 0)
			return err_wrap(err, "metric '%s'", keys[i].sample->metric);
	}
	return 0;
}

/* --- Phases and logs ---------------------------------------------------------------------------
 */

static int put_phase(struct store *store, sqlite3_stmt *st, int64_t run_id, int64_t first,
	const struct run_record *record, size_t i, struct err *err)
{
	const struct phase_span *phase = &record->phases.items[i];

	sqlite3_bind_int64(st, 1, first + (int64_t)i);
	sqlite3_bind_int64(st, 2, run_id);
	db_text(st, 3, phase->name);
	db_text_or(st, 4, phase->instance, "");
	db_text_or(st, 5, phase->thread, "");
	sqlite3_bind_int64(st, 6, phase->start_ns);
	sqlite3_bind_int64(st, 7, phase->end_ns);
	db_int_unless(st, 8, phase->parent < 0 ? -1 : first + phase->parent, -1);
	db_text_or(st, 9, phase->source, "");
	if (db_run(store, st, err) < 0)
		return err_wrap(err, "phase '%s'", phase->name);
	return 0;
}

/*
 * Parents go first, though inner phases end, and are noted, before outer ones: while a row names a
 * parent that is not there yet, SQLite looks through the whole table at each insert.
 */
static int put_phases(
	struct store *store, int64_t run_id, const struct run_record *record, struct err *err)
{
	size_t n = record->phases.n;
	AUTOFREE bool *there = xcalloc(n + 1, sizeof(*there));
	VEC(size_t) line = VEC_INIT; /* a phase, its parent, and so on up */
	sqlite3_stmt *st;
	int64_t first;
	int rc = 0;

	if (!n)
		return 0;
	/* Ids are given out here, so that a phase can name a parent that comes after it. The
	 * transaction holds the write lock: nobody else takes them. */
	if (db_prepare(store, "SELECT coalesce(max(id), 0) + 1 FROM phase", &st, err) < 0 ||
		db_run_id(store, st, &first, err) < 0 ||
		db_prepare(store,
			"INSERT INTO phase (id, run_id, name, instance, thread, start_ns, end_ns,"
			" parent_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			&st, err) < 0)
		return -1;
	for (size_t i = 0; i < n && !rc; i++) {
		for (size_t at = i; !there[at]; at = (size_t)record->phases.items[at].parent) {
			there[at] = true; /* a ring of parents ends here, and is refused below */
			*vec_push(&line) = at;
			if (record->phases.items[at].parent < 0)
				break;
		}
		while (line.n && !rc)
			rc = put_phase(store, st, run_id, first, record, line.items[--line.n], err);
	}
	vec_release(&line);
	return rc;
}

static int put_logs(struct store *store, int64_t run_id, const struct store_log *logs, size_t n,
	struct err *err)
{
	sqlite3_stmt *st;

	if (n && db_prepare(store,
			 "INSERT INTO log (run_id, stream, bytes, kept, zstd)"
			 " VALUES (?, ?, ?, ?, 0)",
			 &st, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!logs[i].bytes)
			continue;
		sqlite3_bind_int64(st, 1, run_id);
		db_text(st, 2, logs[i].stream);
		db_count(st, 3, logs[i].bytes);
		/* A NULL pointer would be bound as NULL. */
		sqlite3_bind_blob64(st, 4, logs[i].kept_len ? logs[i].kept : "", logs[i].kept_len,
			SQLITE_STATIC);
		if (db_run(store, st, err) < 0)
			return err_wrap(err, "stream '%s'", logs[i].stream);
	}
	return 0;
}

int store_end_run(struct store *store, int64_t run_id, const struct store_run *run,
	const struct run_record *record, const struct store_log *logs, size_t n_logs,
	struct err *err)
{
	int rc;

	if (db_begin(store, err) < 0)
		return -1;
	rc = end_row(store, run_id, run, err);
	if (!rc)
		rc = put_samples(store, run_id, record, err);
	if (!rc)
		rc = put_phases(store, run_id, record, err);
	if (!rc)
		rc = put_logs(store, run_id, logs, n_logs, err);
	return db_end(store, rc, err);
}
