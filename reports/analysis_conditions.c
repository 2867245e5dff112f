/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session's machine and collectors did meanwhile: grounds for doubt, never for a verdict. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "reports/analysis_impl.h"

static int by_id(const void *pa, const void *pb)
{
	const struct stored_run *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* The run of a value if it counts: runs are in order of their ids. */
static const struct stored_run *valid_run(
	const struct analysis *analysis, const struct stored_value *value)
{
	struct stored_run key = {.id = value->run_id};
	const struct stored_run *run =
		bsearch(&key, analysis->runs, analysis->n_runs, sizeof(key), by_id);

	return run && run->run.status == RUN_OK && run->run.role == ROLE_MEASURED &&
			       isfinite(value->value)
		       ? run
		       : NULL;
}

static int read_values(struct store *store, struct analysis *analysis, const char *metric,
	const char *scope, struct stored_value **ret, size_t *ret_n, struct err *err)
{
	const char *unit, *better;

	return store_read_metric(store, analysis->session.id, metric, scope, &analysis->arena, ret,
		ret_n, &unit, &better, err);
}

/* Median over the runs of a value per second of the run. */
static int per_second(struct store *store, struct analysis *analysis, const char *metric,
	double *ret, struct err *err)
{
	struct stored_value *values;
	VEC(double) ratios = VEC_INIT;
	size_t n;

	if (read_values(store, analysis, metric, "system", &values, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct stored_run *run = valid_run(analysis, &values[i]);

		if (run && run->run.wall_ns > 0)
			*vec_push(&ratios) =
				values[i].value / ((double)run->run.wall_ns / (double)NS_PER_S);
	}
	*ret = describe(ratios.items, ratios.n).median;
	vec_release(&ratios);
	return 0;
}

static int count_lines(struct store *store, struct analysis *analysis, const char *metric,
	size_t *ret_runs, size_t *ret_lines, struct err *err)
{
	struct stored_value *values;
	size_t n;

	if (read_values(store, analysis, metric, "run", &values, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (valid_run(analysis, &values[i]) && values[i].value > 0) {
			*ret_runs += 1;
			*ret_lines += (size_t)values[i].value;
		}
	}
	return 0;
}

/* One instance per rule; one reason is enough to say. */
static int find_rule_off(struct store *store, struct analysis *analysis, struct err *err)
{
	const char *sql =
		"SELECT x.reason FROM run r JOIN sample x ON x.run_id = r.id JOIN metric m "
		"ON m.id = x.metric_id WHERE r.session_id = ?1 AND m.name = "
		"'log:rule_off' AND x.reason IS NOT NULL ORDER BY r.id LIMIT 1";
	sqlite3 *db = store_db(store);
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, analysis->session.id);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW)
		analysis->conditions.rule_off =
			arena_strdup(&analysis->arena, (const char *)sqlite3_column_text(st, 0));
	else if (rc != SQLITE_DONE)
		err_set(err, E_STORE, "cannot read the store: %s", sqlite3_errmsg(db));
	sqlite3_finalize(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : -1;
}

int find_conditions(struct store *store, struct analysis *analysis, struct err *err)
{
	struct conditions *seen = &analysis->conditions;
	size_t torn_runs = 0, late_lines = 0;

	for (size_t i = 0; i < analysis->n_runs; i++)
		seen->runs += analysis->runs[i].run.status == RUN_OK &&
			      analysis->runs[i].run.role == ROLE_MEASURED;
	if (per_second(store, analysis, "host:others_s", &seen->others, err) < 0 ||
		per_second(store, analysis, "host:steal_s", &seen->steal, err) < 0 ||
		per_second(store, analysis, "host:cpu_pressure_s", &seen->pressure, err) < 0 ||
		count_lines(store, analysis, "log:late_lines", &seen->late_runs, &late_lines, err) <
			0 ||
		count_lines(store, analysis, "log:torn", &torn_runs, &seen->torn_lines, err) < 0)
		return -1;
	return find_rule_off(store, analysis, err);
}
