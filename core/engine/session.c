/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/session.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/host.h"
#include "core/engine/ledger.h"
#include "core/engine/order.h"

struct running {
	const struct session_request *request;
	struct session_result *result;
	const struct plan *plan;
	int64_t *row_ids;
	bool *live; /* rows whose builds, and whose baseline's, are there */
	struct ledger ledger;
	order_slots todo; /* measured runs, those done before included, in order */
	size_t *left;     /* per row: measured runs that have not begun */
	size_t done, total;
	bool resumed;
	int aborted; /* open sessions of other plans */
	struct clock_stamp began;
	struct session_progress progress;
};

void session_result_release(struct session_result *result)
{
	build_results_free(result->builds, result->n_builds, result->n_outputs);
	arena_release(&result->arena);
}

static uint64_t new_seed(const struct session_request *request)
{
	const struct measure *measure = &request->plan->descriptor->measure;
	uint64_t seed = measure->seed_given ? measure->seed
					    : request->executor->new_seed(request->executor_state);

	/* SQLite integers are signed: 63 bits keep the seed readable everywhere. */
	return seed & INT64_MAX;
}

/* --- Beginning -----------------------------------------------------------------------------------
 */

static int put_host(const struct session_request *request, int64_t *ret_id, struct err *err)
{
	struct host host;
	json_t *facts;
	char *text;
	int rc;

	host_read(&host, request->compiler);
	facts = host_facts(&host);
	if (request->host_facts) {
		json_t *more = json_loads(request->host_facts, 0, NULL);

		if (more)
			json_object_update(facts, more);
		json_decref(more);
	}
	text = json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(facts);
	rc = store_put_host(request->store,
		&(struct store_host){
			host.uid.hex, host.name, host.kernel, host.cpu, host.epoch.hex, text},
		ret_id, err);
	free(text);
	return rc;
}

static int begin(struct running *run, struct err *err)
{
	const struct session_request *request = run->request;
	struct store_session *session = &run->result->session;
	struct digest digest =
		digest_of(request->experiment_text, strlen(request->experiment_text));
	const char *name = run->plan->descriptor->name;
	int64_t host_id, experiment_id;

	if (put_host(request, &host_id, err) ||
		store_put_experiment(request->store, name, digest.hex, request->experiment_text,
			&experiment_id, err))
		return -1;
	if (!request->no_resume && store_resume_session(request->store, run->plan->id, host_id,
					   &run->result->arena, session, err))
		return -1;
	run->resumed = session->id != 0;
	if (store_abort_sessions(request->store, name, host_id, session->id, &run->aborted, err))
		return -1;
	if (run->resumed)
		return 0;
	*session = (struct store_session){
		.experiment_id = experiment_id,
		.host_id = host_id,
		.experiment = name,
		.plan = run->plan->id,
		.seed = new_seed(request),
		.state = "open",
		.started_at = request->executor->now(request->executor_state).real_ns,
		.command = request->command,
		.version = PACKAGE_VERSION,
	};
	if (request->uid)
		memcpy(session->uid, request->uid, sizeof(session->uid));
	return store_begin_session(request->store, session, err);
}

static int put_builds(struct running *run, int64_t *build_ids, struct err *err)
{
	for (size_t i = 0; i < run->plan->n_builds; i++) {
		const struct build_result *build = &run->result->builds[i];
		bool ok = build->status == BUILD_OK;

		if (store_put_build(run->request->store,
			    &(struct store_build){
				    .key = run->plan->builds[i].key,
				    .status = build_status_name(build->status),
				    .digest = ok ? build->digest.hex : NULL,
				    .code_digest = ok ? build->code_digest.hex : NULL,
				    .seconds = build->seconds,
				    .log = build->log,
				    .reason = build->reason,
			    },
			    &build_ids[i], err))
			return -1;
		if (!ok)
			run->result->build_failed = true;
	}
	return 0;
}

static int put_rows(struct running *run, const int64_t *build_ids, struct err *err)
{
	const struct plan *plan = run->plan;
	struct store_row *rows = xcalloc(plan->n_rows, sizeof(*rows));
	int rc;

	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];
		json_t *options = plan_row_options(plan, row), *axes = plan_row_axes(plan, row);

		rows[i] = (struct store_row){
			.name = row->name,
			.workload = row->workload->name,
			.variant = row->variant,
			.label = row->label,
			.options = json_dumps(options, JSON_COMPACT),
			.axes = json_dumps(axes, JSON_COMPACT),
			.baseline = plan->rows[row->baseline].name,
			.build_id = build_ids[row->build],
			.run_key = row->run_key,
		};
		json_decref(options);
		json_decref(axes);
	}
	rc = store_put_rows(run->request->store, run->result->session.id, rows, plan->n_rows,
		run->row_ids, err);
	for (size_t i = 0; i < plan->n_rows; i++) {
		free((char *)rows[i].options);
		free((char *)rows[i].axes);
	}
	free(rows);
	return rc;
}

static int row_of_id(const struct running *run, int64_t id)
{
	for (size_t i = 0; i < run->plan->n_rows; i++) {
		if (run->row_ids[i] == id)
			return (int)i;
	}
	return -1;
}

/* What an earlier process did of this session. */
static int recall(struct running *run, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct stored_run *runs;
	size_t n;

	if (store_read_runs(run->request->store, run->result->session.id, &arena, &runs, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct store_run *past = &runs[i].run;
		int row = row_of_id(run, past->row_id);

		if (row < 0)
			continue;
		ledger_note(
			&run->ledger, row, past->role, past->block, past->status, past->wall_ns);
		if (past->role == ROLE_MEASURED)
			ledger_mark_begun(&run->ledger, run->plan->rows[row].cell, past->block);
	}
	return 0;
}

static int build(struct running *run, struct err *err)
{
	const struct session_request *request = run->request;
	const struct plan *plan = run->plan;
	int64_t *build_ids;
	int rc;

	run->result->n_builds = plan->n_builds;
	run->result->n_outputs = plan->descriptor->build.outputs.n;
	if (request->executor->build(request->executor_state, NULL, &run->result->builds, err))
		return -1;
	if (request->stop && *request->stop)
		return 0;
	build_ids = xcalloc(plan->n_builds, sizeof(*build_ids));
	rc = put_builds(run, build_ids, err) ? -1 : put_rows(run, build_ids, err);
	free(build_ids);
	if (rc)
		return -1;
	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];

		run->live[i] =
			run->result->builds[row->build].status == BUILD_OK &&
			run->result->builds[plan->rows[row->baseline].build].status == BUILD_OK;
	}
	if (request->hooks.built)
		request->hooks.built(request->hooks.ctx, plan, run->result->builds);
	return 0;
}

/* --- Running -------------------------------------------------------------------------------------
 */

static bool stopped(const struct running *run)
{
	return run->request->stop && *run->request->stop;
}

static int64_t elapsed(const struct running *run)
{
	const struct session_request *request = run->request;

	return request->executor->now(request->executor_state).mono_ns - run->began.mono_ns;
}

/* Expected cost of the measured runs that are left; a warm-up run costs about the same. */
static int64_t rest_ns(const struct running *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->plan->n_rows; i++) {
		double expected = run->left[i] ? ledger_expected_ns(&run->ledger, (int)i) : 0;

		if (expected < 0)
			return -1;
		sum += expected * (double)run->left[i];
	}
	return sum < 4e18 ? (int64_t)sum : INT64_C(4000000000000000000);
}

static void tick(void *ctx, int64_t run_ns)
{
	struct running *run = ctx;

	run->progress.run_ns = run_ns;
	run->progress.elapsed_ns = elapsed(run);
	if (run->request->hooks.running)
		run->request->hooks.running(run->request->hooks.ctx, &run->progress);
}

static void set_progress(struct running *run, const struct order_slot *slot, enum run_role role)
{
	double expected = ledger_expected_ns(&run->ledger, slot->row);

	run->progress = (struct session_progress){
		.session = &run->result->session,
		.row = &run->plan->rows[slot->row],
		.block = slot->block,
		.position = slot->position,
		.role = role,
		.done = run->done,
		.total = run->total,
		.failed = run->ledger.failed,
		.eta_ns = rest_ns(run),
		.run_expected_ns = expected < 0 ? -1 : (int64_t)expected,
	};
}

/* One run, stored; again at once when the machine was suspended or the clock stepped in it. */
static int run_slot(
	struct running *run, const struct order_slot *slot, enum run_role role, struct err *err)
{
	const struct session_request *request = run->request;

	while (!stopped(run) && !ledger_done(&run->ledger, slot->row, role, slot->block)) {
		struct run_request of = {
			.row = &run->plan->rows[slot->row],
			.builds = run->result->builds,
			.block = slot->block,
			.position = slot->position,
			.attempt = 1 + ledger_attempts(&run->ledger, slot->row, role, slot->block),
			.role = role,
			.tick = tick,
			.tick_ctx = run,
		};
		struct store_run ids = {
			.row_id = run->row_ids[slot->row],
			.block = slot->block,
			.position = slot->position,
			.attempt = of.attempt,
			.role = role,
			.resumed = role == ROLE_MEASURED &&
				   ledger_begun(&run->ledger, slot->cell, slot->block),
			.started_at = request->executor->now(request->executor_state).real_ns,
		};
		struct run_outcome outcome;
		int64_t run_id;
		int rc;

		set_progress(run, slot, role);
		if (store_begin_run(request->store, &ids, &run_id, err))
			return -1;
		run->progress.run_id = run_id;
		tick(run, 0);
		if (request->executor->run(request->executor_state, &of, &outcome, err))
			return err_wrap(err, "%s", of.row->name);
		outcome.run.row_id = ids.row_id;
		outcome.run.block = ids.block;
		outcome.run.position = ids.position;
		outcome.run.attempt = ids.attempt;
		outcome.run.role = role;
		outcome.run.resumed = ids.resumed;
		rc = store_end_run(request->store, run_id, &outcome.run, &outcome.record,
			outcome.logs, outcome.n_logs, err);
		ledger_note(&run->ledger, slot->row, role, slot->block, outcome.run.status,
			outcome.run.wall_ns);
		if (!rc) {
			run->result->ran++;
			run->done += !outcome.interrupted;
			run->progress.done = run->done;
			run->progress.failed = run->ledger.failed;
			run->progress.elapsed_ns = elapsed(run);
			if (request->hooks.ended)
				request->hooks.ended(request->hooks.ctx, &run->progress, &outcome);
		}
		run_outcome_release(&outcome);
		if (rc)
			return -1;
	}
	return 0;
}

static int64_t warmup_runs(const struct running *run, const struct workload *workload)
{
	if (workload->measure.warmup >= 0)
		return workload->measure.warmup;
	return run->ledger.slow[workload - run->plan->descriptor->workloads] ? 0 : 1;
}

static int warm_up(struct running *run, int cell, struct err *err)
{
	const struct workload *workload = run->plan->cells[cell].workload;
	order_slots slots = VEC_INIT;
	int rc = 0;

	order_warmup(run->plan, run->live, run->result->session.seed, cell,
		(int)warmup_runs(run, workload), &slots);
	for (size_t i = 0; i < slots.n && !rc && !stopped(run); i++) {
		/* The first slow run shows that the others need none. */
		if (slots.items[i].block >= warmup_runs(run, workload))
			break;
		rc = run_slot(run, &slots.items[i], ROLE_WARMUP, err);
	}
	vec_release(&slots);
	return rc;
}

static int rounds_of(const struct plan_cell *cell)
{
	return (int)cell->workload->measure.blocks_min;
}

static bool is_done(const struct running *run, const struct order_slot *slot)
{
	return ledger_done(&run->ledger, slot->row, ROLE_MEASURED, slot->block);
}

/* All measured runs in order, those done before included. */
static void deal(struct running *run)
{
	const struct plan *plan = run->plan;
	bool *live = xcalloc(plan->n_rows, sizeof(*live));
	int rounds = 0;

	for (size_t c = 0; c < plan->n_cells; c++) {
		if (rounds_of(&plan->cells[c]) > rounds)
			rounds = rounds_of(&plan->cells[c]);
	}
	for (int r = 0; r < rounds; r++) {
		/* Cells may want different numbers of blocks: the shorter ones end earlier. */
		for (size_t i = 0; i < plan->n_rows; i++)
			live[i] = run->live[i] && r < rounds_of(&plan->cells[plan->rows[i].cell]);
		order_round(plan, live, run->result->session.seed, r,
			plan->descriptor->measure.order_fixed, &run->todo);
	}
	free(live);
	for (size_t i = 0; i < run->todo.n; i++)
		run->left[run->todo.items[i].row] += !is_done(run, &run->todo.items[i]);
}

static void count(struct running *run)
{
	const struct plan *plan = run->plan;

	run->total = run->todo.n;
	run->done = 0;
	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct workload *workload = plan->rows[i].workload;

		for (int k = 0; run->live[i]; k++) {
			bool done = ledger_done(&run->ledger, (int)i, ROLE_WARMUP, k);

			if (!done && k >= warmup_runs(run, workload))
				break;
			run->total++;
			run->done += done;
		}
	}
	for (size_t i = 0; i < run->todo.n; i++)
		run->done += is_done(run, &run->todo.items[i]);
}

/* Slow runs need no warm-up: the total falls when the first one is met. */
static int warm_up_counted(struct running *run, int cell, struct err *err)
{
	const struct workload *workload = run->plan->cells[cell].workload;
	int64_t expected = warmup_runs(run, workload);
	int rc = warm_up(run, cell, err);

	if (warmup_runs(run, workload) != expected)
		count(run);
	return rc;
}

static int carry_out(struct running *run, struct err *err)
{
	int64_t budget = run->plan->descriptor->measure.budget_ns;
	bool *warm = xcalloc(run->plan->n_cells, sizeof(*warm));
	int rc = 0;

	for (size_t i = 0; i < run->todo.n && !rc && !stopped(run); i++) {
		const struct order_slot *slot = &run->todo.items[i];

		if (is_done(run, slot))
			continue;
		if (budget && elapsed(run) > budget) {
			run->result->end = SESSION_BUDGET;
			break;
		}
		if (!warm[slot->cell]) {
			warm[slot->cell] = true;
			rc = warm_up_counted(run, slot->cell, err);
		}
		run->left[slot->row]--;
		if (!rc)
			rc = run_slot(run, slot, ROLE_MEASURED, err);
	}
	free(warm);
	return rc;
}

static int complete(struct running *run, struct err *err)
{
	const struct session_request *request = run->request;
	struct store_session *session = &run->result->session;
	int64_t now = request->executor->now(request->executor_state).real_ns;

	if (store_end_session(request->store, session->id, "complete", now, err))
		return -1;
	session->state = "complete";
	session->ended_at = now;
	return 0;
}

int session_run(const struct session_request *request, struct session_result *ret, struct err *err)
{
	struct running run = {
		.request = request,
		.result = ret,
		.plan = request->plan,
		.row_ids = xcalloc(request->plan->n_rows, sizeof(int64_t)),
		.live = xcalloc(request->plan->n_rows, sizeof(bool)),
		.left = xcalloc(request->plan->n_rows, sizeof(size_t)),
		.began = request->executor->now(request->executor_state),
	};
	int rc = -1;

	memset(ret, 0, sizeof(*ret));
	ledger_init(&run.ledger, request->plan);
	if (begin(&run, err))
		goto out;
	request->executor->use_seed(request->executor_state, ret->session.seed);
	if (build(&run, err))
		goto out;
	if (!stopped(&run)) {
		if (recall(&run, err))
			goto out;
		deal(&run);
		count(&run);
		if (request->hooks.started)
			request->hooks.started(request->hooks.ctx, &ret->session, run.resumed,
				run.done, run.aborted);
		if (carry_out(&run, err))
			goto out;
	}
	if (stopped(&run))
		ret->end = SESSION_INTERRUPTED;
	else if (ret->end == SESSION_COMPLETE && complete(&run, err))
		goto out;
	rc = 0;
out:
	ledger_release(&run.ledger);
	vec_release(&run.todo);
	free(run.row_ids);
	free(run.live);
	free(run.left);
	if (rc)
		session_result_release(ret);
	return rc;
}
