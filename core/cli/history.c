/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/history.h"

#include <math.h>
#include <string.h>

#include "core/engine/order.h"
#include "core/stats/compare.h"
#include "core/store/store.h"
#include "reports/analysis.h"

/* Mean wall time of a row's counted runs in a session; a row that it does not have answers by the
 * mean of all. */
static double mean_wall_ns(const struct analysis *past, const char *row)
{
	double own = 0, all = 0;
	size_t n_own = 0, n_all = 0;

	for (size_t i = 0; i < past->n_runs; i++) {
		const struct store_run *run = &past->runs[i].run;

		if (run->role != ROLE_MEASURED || run->status != RUN_OK)
			continue;
		all += (double)run->wall_ns;
		n_all++;
		for (size_t r = 0; r < past->n_rows; r++) {
			if (past->rows[r].id != run->row_id ||
				strcmp(past->rows[r].row.name, row) != 0)
				continue;
			own += (double)run->wall_ns;
			n_own++;
		}
	}
	if (n_own)
		return own / (double)n_own;
	return n_all ? all / (double)n_all : NAN;
}

static double mean_build_s(const struct analysis *past)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < past->n_rows; i++) {
		if (past->rows[i].build.key) {
			sum += past->rows[i].build.seconds;
			n++;
		}
	}
	return n ? sum / (double)n : 0;
}

static void runs_eta(
	const struct experiment *experiment, const struct analysis *past, struct history *ret)
{
	const struct plan *plan = experiment->plan;
	double ns = 0;

	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct measure *measure = &plan->rows[i].workload->measure;
		int64_t warmup = measure->warmup < 0 ? 1 : measure->warmup;

		/* The baseline runs in every block, also where a round has several. */
		int64_t blocks =
			plan->rows[i].baseline == (int)i
				? (int64_t)order_blocks(plan->cells[plan->rows[i].cell].n_rows)
				: 1;

		ns += mean_wall_ns(past, plan->rows[i].name) *
		      (double)(blocks * measure->blocks_min + warmup);
	}
	for (size_t i = 0; i < plan->n_builds; i++) {
		AUTOFREE char *name = xasprintf("builds/%.32s", plan->builds[i].key);
		AUTOFREE char *path = state_path(&experiment->state, name);

		if (!fs_exists(path))
			ns += mean_build_s(past) * 1e9;
	}
	if (!isnan(ns))
		ret->eta_ns = ns < 4e18 ? (int64_t)ns : INT64_C(4000000000000000000);
}

/* The largest of the rows: what the plan can show for all of them. */
static void find_detectable(
	const struct experiment *experiment, const struct analysis *past, struct history *ret)
{
	for (size_t i = 0; i < past->n_rows; i++) {
		const struct row_result *result = &past->results[i];
		size_t blocks = (size_t)experiment->descriptor->measure.blocks_min;
		double scaled;

		if (result->is_baseline || isnan(result->detectable) || result->absolute ||
			!result->pairs)
			continue;
		scaled = expm1(half_width_at(&result->i95, result->pairs, blocks));
		if (result->judgement.difference.relative) /* less is never called a difference */
			scaled = fmax(scaled, result->judgement.difference.value);
		if (isnan(ret->detectable) || scaled > ret->detectable)
			ret->detectable = scaled;
	}
}

int history_read(const struct experiment *experiment, struct history *ret, struct err *err)
{
	CLEANUP(store_closep) struct store *store = NULL;
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(analysis_freep) struct analysis *past = NULL;
	struct store_session *sessions;
	uint64_t free_bytes;
	AUTOFREE char *builds = state_path(&experiment->state, "builds");
	size_t n;

	*ret = (struct history){.eta_ns = -1, .detectable = NAN};
	if (fs_exists(builds) && fs_usage(builds, &ret->disk_bytes, &free_bytes, err))
		return -1;
	if (!fs_exists(experiment->state.store))
		return 0;
	if (store_open(experiment->state.store, STORE_READ, &store, err) ||
		store_list_sessions(
			store, experiment->descriptor->name, &arena, &sessions, &n, err))
		return -1;
	/* The newest that has anything to tell. */
	for (size_t i = 0; i < n && !past; i++) {
		if (analyse_session(store, &sessions[i], NULL, NULL, &past, err) &&
			err->code != E_NOTHING)
			return -1;
	}
	if (!past)
		return 0;
	runs_eta(experiment, past, ret);
	find_detectable(experiment, past, ret);
	return 0;
}
