/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/base/vec.h"
#include "reports/analysis_impl.h"

/* The first of all looks (measure.blocks): fewer pairs than this support no verdict. */
#define FIRST_LOOK 4

/* --- What the store has --------------------------------------------------------------------------
 */

static int read_session(struct store *store, struct analysis *analysis, struct err *err)
{
	const char *sql = "SELECT e.text, h.name, s.state, s.ended_at FROM session s JOIN "
			  "experiment e ON e.id = "
			  "s.experiment_id JOIN host h ON h.id = s.host_id WHERE s.id = ?1";
	sqlite3 *db = store_db(store);
	sqlite3_stmt *st;
	const char *text;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, analysis->session.id);
		rc = sqlite3_step(st);
	}
	if (rc != SQLITE_ROW) {
		err_set(err, E_STORE, "session %lld: %s", (long long)analysis->session.id,
			rc == SQLITE_DONE ? "it is not in this store" : sqlite3_errmsg(db));
		sqlite3_finalize(st);
		return -1;
	}
	text = (const char *)sqlite3_column_text(st, 0);
	analysis->experiment = text ? json_loads(text, 0, NULL) : NULL;
	text = (const char *)sqlite3_column_text(st, 1);
	analysis->host = arena_strdup(&analysis->arena, text ? text : "");
	/* The caller may hold a session from before it ended. */
	text = (const char *)sqlite3_column_text(st, 2);
	analysis->session.state = arena_strdup(&analysis->arena, text ? text : "");
	analysis->session.ended_at = sqlite3_column_int64(st, 3);
	sqlite3_finalize(st);
	if (!json_is_object(analysis->experiment))
		return err_set(err, E_STORE, "session %lld: its experiment is not readable",
			(long long)analysis->session.id);
	text = json_string_value(json_object_get(analysis->experiment, "title"));
	analysis->title = text ? text : "";
	return 0;
}

/* --- Cells ---------------------------------------------------------------------------------------
 */

static const char *cell_name(struct analysis *analysis, const struct stored_row *row)
{
	CLEANUP(buf_release) struct buf name = BUF_INIT;
	json_t *axes = json_loads(row->row.axes, 0, NULL), *value;
	const char *key;
	char sep = '/';

	buf_adds(&name, row->row.workload);
	json_object_foreach(axes, key, value)
	{
		buf_addf(&name, "%c%s=%s", sep, key,
			json_is_string(value) ? json_string_value(value) : "?");
		sep = ',';
	}
	json_decref(axes);
	return arena_strdup(&analysis->arena, name.data);
}

static int make_cells(struct analysis *analysis, struct err *err)
{
	CLEANUP(map_release) struct map by_name = MAP_INIT;
	VEC(struct cell_result) cells = VEC_INIT;

	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct stored_row *row = &analysis->rows[i];
		struct row_result *result = &analysis->results[i];

		map_put(&by_name, row->row.name, result);
		result->row = row;
		result->is_baseline = !strcmp(row->row.name, row->row.baseline);
		if (!result->is_baseline)
			continue;
		result->cell = cells.n;
		result->baseline = result;
		*vec_push(&cells) = (struct cell_result){
			.name = cell_name(analysis, row),
			.workload = row->row.workload,
			.axes = row->row.axes,
		};
	}
	analysis->n_cells = cells.n;
	analysis->cells =
		arena_memdup(&analysis->arena, cells.items, cells.n * sizeof(*cells.items));
	vec_release(&cells);
	for (size_t i = 0; i < analysis->n_rows; i++) {
		struct row_result *result = &analysis->results[i];

		result->baseline = map_get(&by_name, result->row->row.baseline);
		if (!result->baseline || !result->baseline->is_baseline)
			return err_set(err, E_STORE, "row '%s' has no baseline in its session",
				result->row->row.name);
		result->cell = result->baseline->cell;
		analysis->cells[result->cell].n_rows++;
		analysis->comparisons += !result->is_baseline;
	}
	for (size_t c = 0; c < analysis->n_cells; c++) {
		struct cell_result *cell = &analysis->cells[c];
		size_t n = 1;

		cell->rows = arena_array(&analysis->arena, cell->n_rows, sizeof(*cell->rows));
		for (size_t i = 0; i < analysis->n_rows; i++) {
			if (analysis->results[i].cell != c)
				continue;
			analysis->results[i].place = analysis->results[i].is_baseline ? 0 : n++;
			cell->rows[analysis->results[i].place] = i;
		}
	}
	return 0;
}

/* --- Blocks --------------------------------------------------------------------------------------
 */

static bool counts(const struct stored_run *run)
{
	return (run->run.role == ROLE_MEASURED || run->run.role == ROLE_CONFIRM) &&
	       run->run.status != RUN_RUNNING;
}

struct block_key {
	enum run_role role;
	int block;
};

static int by_block(const void *pa, const void *pb)
{
	const struct block_key *a = pa, *b = pb;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

struct row_id {
	int64_t id;
	struct row_result *result;
};

static int by_id(const void *pa, const void *pb)
{
	const struct row_id *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* The matrix of a cell: the last attempt of every row in every block that it has. rows[i]: the row
 * of run i, NULL when the run counts for nothing. */
static void fill_cell(
	struct analysis *analysis, struct cell_result *cell, struct row_result *const *rows)
{
	VEC(struct block_key) keys = VEC_INIT;
	size_t n = 0, c = (size_t)(cell - analysis->cells);

	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;

		if (rows[i] && rows[i]->cell == c)
			*vec_push(&keys) = (struct block_key){run->role, run->block};
	}
	if (keys.n)
		qsort(keys.items, keys.n, sizeof(*keys.items), by_block);
	for (size_t i = 0; i < keys.n; i++) {
		if (!n || by_block(&keys.items[n - 1], &keys.items[i]))
			keys.items[n++] = keys.items[i];
	}
	cell->n_blocks = n;
	cell->runs = arena_array(&analysis->arena, cell->n_rows * n + 1, sizeof(*cell->runs));
	for (size_t i = 0; i < cell->n_rows * n; i++)
		cell->runs[i] = -1;
	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;
		struct block_key key = {run->role, run->block}, *found;
		int *at;

		if (!rows[i] || rows[i]->cell != c)
			continue;
		found = bsearch(&key, keys.items, n, sizeof(key), by_block);
		at = &cell->runs[rows[i]->place * n + (size_t)(found - keys.items)];
		if (*at < 0 || analysis->runs[*at].run.attempt < run->attempt)
			*at = (int)i;
	}
	vec_release(&keys);
}

static void fill_cells(struct analysis *analysis)
{
	struct row_result **rows =
		arena_array(&analysis->arena, analysis->n_runs + 1, sizeof(struct row_result *));
	struct row_id *ids = arena_array(&analysis->arena, analysis->n_rows + 1, sizeof(*ids));

	for (size_t i = 0; i < analysis->n_rows; i++)
		ids[i] = (struct row_id){analysis->rows[i].id, &analysis->results[i]};
	qsort(ids, analysis->n_rows, sizeof(*ids), by_id);
	for (size_t i = 0; i < analysis->n_runs; i++) {
		struct row_id key = {.id = analysis->runs[i].run.row_id};
		struct row_id *found = bsearch(&key, ids, analysis->n_rows, sizeof(*ids), by_id);

		if (found && counts(&analysis->runs[i]))
			rows[i] = found->result;
	}
	for (size_t c = 0; c < analysis->n_cells; c++)
		fill_cell(analysis, &analysis->cells[c], rows);
}

static void count_runs(const struct analysis *analysis, const struct cell_result *cell,
	size_t row_in_cell, struct row_result *result)
{
	for (size_t b = 0; b < cell->n_blocks; b++) {
		int at = cell->runs[row_in_cell * cell->n_blocks + b];
		const struct stored_run *run = at < 0 ? NULL : &analysis->runs[at];

		if (!run)
			continue;
		result->runs++;
		if (run->run.status == RUN_LOST || run->run.status == RUN_DISCARDED)
			result->lost++;
		else if (run->run.status != RUN_OK) {
			result->failed++;
			if (!result->first_failure)
				result->first_failure = run;
		}
	}
}

/* --- Verdicts ------------------------------------------------------------------------------------
 */

static const char *failure_text(
	struct analysis *analysis, const struct cell_result *cell, const struct row_result *result)
{
	const struct store_run *first = &result->first_failure->run;
	const char *reason =
		first->reason && first->reason[0] ? first->reason : run_status_name(first->status);
	const char *what = first->status == RUN_TIMEOUT   ? "timed out"
			   : first->status == RUN_INVALID ? "are invalid"
							  : "failed";

	for (size_t b = 0; b < cell->n_blocks; b++) {
		int at = cell->runs[result->place * cell->n_blocks + b];
		enum run_status status = at < 0 ? RUN_OK : analysis->runs[at].run.status;

		if (status != first->status &&
			(status == RUN_FAILED || status == RUN_TIMEOUT || status == RUN_INVALID))
			what = "failed in several ways, first";
	}
	return arena_printf(&analysis->arena, "%zu of %zu runs %s: %s", result->failed,
		result->runs, what, reason);
}

static bool build_failed(const struct row_result *result)
{
	const struct store_build *build = &result->row->build;

	return build->key && build->status && strcmp(build->status, "ok") != 0;
}

/* "option A4 was not seen ...": its code never ran in this row. */
static const char *not_seen(
	struct analysis *analysis, const struct cell_result *cell, size_t row_in_cell)
{
	for (size_t b = 0; b < cell->n_blocks; b++) {
		int at = cell->runs[row_in_cell * cell->n_blocks + b];
		const struct store_run *run = at < 0 ? NULL : &analysis->runs[at].run;
		const char *end;

		if (!run || run->status != RUN_INVALID || !run->reason ||
			strncmp(run->reason, "option ", 7) != 0)
			continue;
		end = strstr(run->reason, " was not seen");
		if (end)
			return arena_printf(&analysis->arena, "%.*s did not run",
				(int)(end - run->reason - 7), run->reason + 7);
	}
	return NULL;
}

static bool fails_often(const struct row_result *result)
{
	return result->failed * 10 > result->runs;
}

int64_t analysis_pairs_needed(const struct analysis *analysis, const struct row_result *result)
{
	int64_t planned = result->judgement.blocks_first_look;
	bool complete = !strcmp(analysis->session.state, "complete");

	return complete && planned > FIRST_LOOK ? FIRST_LOOK : planned;
}

/* Why a row cannot be judged, or NULL (doc/statistics.md). */
static const char *why_unmeasured(struct analysis *analysis, const struct cell_result *cell,
	size_t row_in_cell, const struct row_result *result)
{
	const struct row_result *base = result->baseline;
	int64_t need = analysis_pairs_needed(analysis, result);
	const char *reason;

	if (build_failed(result))
		return result->row->build.reason && result->row->build.reason[0]
			       ? arena_printf(&analysis->arena, "build failed: %s",
					 result->row->build.reason)
			       : "build failed";
	if ((reason = not_seen(analysis, cell, row_in_cell)))
		return reason;
	if (fails_often(result))
		return failure_text(analysis, cell, result);
	if (build_failed(base))
		return "the baseline's build failed";
	if (fails_often(base))
		return arena_printf(&analysis->arena, "the baseline fails: %s",
			failure_text(analysis, cell, base));
	if (result->judgement.order_fixed)
		return "fixed order is unfit for verdicts";
	if (!result->runs)
		return "not run yet";
	if (!result->values.n || !base->values.n)
		return arena_printf(&analysis->arena, "no value of %s%s", result->judgement.ref,
			result->values.n ? " in the baseline" : "");
	if ((int64_t)result->pairs < need)
		return arena_printf(&analysis->arena, "%zu of at least %lld pairs", result->pairs,
			(long long)need);
	return NULL;
}

static void describe_row(const struct cell_result *cell, const struct cell_values *values,
	size_t row_in_cell, struct arena *arena, struct row_result *result)
{
	const double *y = &values->y[row_in_cell * cell->n_blocks];
	double *valid = arena_array(arena, cell->n_blocks + 1, sizeof(*valid));
	size_t n = 0;

	for (size_t b = 0; b < cell->n_blocks; b++) {
		if (isfinite(y[b]))
			valid[n++] = y[b];
	}
	result->values = describe(valid, n);
}

static void set_effects(struct row_result *result, const struct cell_values *values)
{
	const struct interval *i95 = &result->i95;
	double half = (i95->high - i95->low) / 2;

	result->effect = effect_of(values, i95->estimate);
	result->low = effect_of(values, i95->low);
	result->high = effect_of(values, i95->high);
	result->delta = values->absolute ? i95->estimate : result->effect * values->centre;
	result->delta_low = values->absolute ? i95->low : result->low * values->centre;
	result->delta_high = values->absolute ? i95->high : result->high * values->centre;
	if (isfinite(half) && half > 0)
		result->detectable = fmax(effect_of(values, half), effect_of(values, values->D));
}

static void decide(struct row_result *result, const struct cell_values *values)
{
	double half = (result->i95.high - result->i95.low) / 2;
	enum doubt doubt;

	if (!(values->D > 0)) {
		bool equal = result->i90.low == 0 && result->i90.high == 0;

		result->verdict = equal ? VERDICT_SAME : VERDICT_UNMEASURED;
		result->reason = equal ? ""
				       : "a share of 0 has no size: write measure.difference as an "
					 "absolute value";
		return;
	}
	result->verdict = verdict_decide(&result->i95, &result->i90, values->D,
		better_sign(result->judgement.better), &doubt);
	if (result->verdict != VERDICT_UNDECIDED)
		return;
	result->reason = doubt == DOUBT_NEAR_DELTA ? "near-\xce\xb4" : "noise";
	if (isfinite(half) && half > values->D)
		result->blocks_needed = blocks_needed(&result->i95, result->pairs, values->D);
}

static void judge_row(struct analysis *analysis, const struct cell_result *cell,
	const struct cell_values *values, size_t row_in_cell)
{
	struct row_result *result = &analysis->results[cell->rows[row_in_cell]];
	double m = (double)(analysis->comparisons ? analysis->comparisons : 1);
	double level = (1 - result->judgement.confidence) / m;
	bool exact = result->judgement.exact;
	struct pairing pairing;
	const char *reason;

	describe_row(cell, values, row_in_cell, &analysis->arena, result);
	result->absolute = values->absolute;
	result->reason = "";
	result->effect = result->low = result->high = result->detectable = NAN;
	result->delta = result->delta_low = result->delta_high = NAN;
	if (result->is_baseline) {
		result->verdict = VERDICT_SAME;
		return;
	}
	pair_up(cell, values, row_in_cell, &analysis->arena, &pairing);
	result->pairs = pairing.n;
	result->pairs_left_out = pairing.left_out;
	result->varies = exact && !pairing.constant && pairing.n;
	reason = why_unmeasured(analysis, cell, row_in_cell, result);
	if (reason) {
		result->verdict = VERDICT_UNMEASURED;
		result->reason = reason;
		return;
	}
	result->i95 = pairing_interval(&pairing, values, level, exact);
	result->i90 = pairing_interval(&pairing, values, 2 * level, exact);
	result->coarse = values->quantum > 0 && !exact && result->values.sd < values->quantum / 2;
	set_effects(result, values);
	decide(result, values);
}

struct metric_values {
	const char *metric, *scope, *unit, *better, *quality;
	struct stored_value *stored;
	size_t n;
};

/* The flags that any value has, each once. */
static const char *quality_of(const struct metric_values *values, struct arena *arena)
{
	CLEANUP(buf_release) struct buf all = BUF_INIT;

	for (size_t i = 0; i < values->n; i++) {
		const char *flag = values->stored[i].quality;

		while (flag && *flag) {
			size_t len = strcspn(flag, " ");
			AUTOFREE char *word = xstrndup(flag, len);

			if (len && !strstr(all.data, word)) {
				buf_adds(&all, all.len ? " " : "");
				buf_adds(&all, word);
			}
			flag += len + strspn(flag + len, " ");
		}
	}
	return arena_strdup(arena, all.data);
}

/* A metric of the session; cells mostly ask for the same one. */
static int read_metric(struct store *store, struct analysis *analysis,
	const struct judgement *judgement, struct metric_values *last, struct err *err)
{
	if (last->metric && !strcmp(last->metric, judgement->metric) &&
		!strcmp(last->scope, judgement->scope))
		return 0;
	if (store_read_metric(store, analysis->session.id, judgement->metric, judgement->scope,
		    &analysis->arena, &last->stored, &last->n, &last->unit, &last->better, err) < 0)
		return -1;
	last->quality = quality_of(last, &analysis->arena);
	last->metric = judgement->metric;
	last->scope = judgement->scope;
	return 0;
}

static int judge_cell(struct store *store, struct analysis *analysis, struct cell_result *cell,
	const char *metric, struct metric_values *last, struct err *err)
{
	struct judgement judgement;
	struct cell_values values;

	if (experiment_judgement(analysis->experiment, cell->workload, metric, &analysis->arena,
		    &judgement, err) < 0 ||
		read_metric(store, analysis, &judgement, last, err) < 0)
		return -1;
	judgement.unit = last->unit ? last->unit : "";
	judgement.better = last->better ? last->better : "lower";
	cell->quality = last->quality;
	cell_values_fill(analysis, cell, last->stored, last->n, &judgement.difference,
		judgement.unit, &analysis->arena, &values);
	/* The baseline's counts are needed to judge the others. */
	for (size_t r = 0; r < cell->n_rows; r++) {
		struct row_result *result = &analysis->results[cell->rows[r]];

		result->judgement = judgement;
		count_runs(analysis, cell, r, result);
	}
	for (size_t r = 0; r < cell->n_rows; r++)
		judge_row(analysis, cell, &values, r);
	return 0;
}

/* --- All of it -----------------------------------------------------------------------------------
 */

static int check_anything(const struct analysis *analysis, const char *where, struct err *err)
{
	size_t valid = 0, shown = 0;

	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *result = &analysis->results[i];

		valid += result->runs - result->failed - result->lost;
		shown += result->shown;
	}
	if (!valid) {
		err_set(err, E_NOTHING, "session %lld has no valid run",
			(long long)analysis->session.id);
		for (size_t i = 0; i < analysis->n_rows; i++) {
			const struct row_result *result = &analysis->results[i];

			if (result->verdict == VERDICT_UNMEASURED || build_failed(result))
				return err_help(err, "%s: %s", result->row->row.name,
					result->reason[0] ? result->reason : "build failed");
			/* The baseline has no verdict. */
			if (result->first_failure)
				return err_help(err, "%s: %s: assay show %lld",
					result->row->row.name, result->first_failure->run.reason,
					(long long)result->first_failure->id);
		}
		return -1;
	}
	if (!shown)
		return err_set(err, E_NOTHING, "no row of session %lld passes --where '%s'",
			(long long)analysis->session.id, where);
	return 0;
}

static int analyse(struct store *store, const char *where, const char *metric,
	struct analysis *analysis, struct err *err)
{
	struct arena *arena = &analysis->arena;
	struct metric_values last = {0};

	if (read_session(store, analysis, err) < 0 ||
		store_read_rows(store, analysis->session.id, arena, &analysis->rows,
			&analysis->n_rows, err) < 0 ||
		store_read_runs(store, analysis->session.id, arena, &analysis->runs,
			&analysis->n_runs, err) < 0)
		return -1;
	analysis->results = arena_array(arena, analysis->n_rows + 1, sizeof(*analysis->results));
	if (make_cells(analysis, err) < 0)
		return -1;
	fill_cells(analysis);
	for (size_t c = 0; c < analysis->n_cells; c++) {
		if (judge_cell(store, analysis, &analysis->cells[c], metric, &last, err) < 0)
			return -1;
	}
	if (filter_rows(analysis, where, err) < 0 || check_anything(analysis, where, err) < 0)
		return -1;
	find_aa_pairs(analysis);
	if (find_changes(store, analysis, err) < 0)
		return -1;
	return find_conditions(store, analysis, err);
}

int analyse_session(struct store *store, const struct store_session *session, const char *where,
	const char *metric, struct analysis **ret, struct err *err)
{
	struct analysis *analysis = xcalloc(1, sizeof(*analysis));

	analysis->session = *session;
	if (analyse(store, where, metric, analysis, err) < 0) {
		analysis_free(analysis);
		return -1;
	}
	*ret = analysis;
	return 0;
}

void analysis_free(struct analysis *analysis)
{
	if (!analysis)
		return;
	json_decref(analysis->experiment);
	arena_release(&analysis->arena);
	free(analysis);
}
