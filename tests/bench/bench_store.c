/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/bench/bench_store.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "tests/bench/bench.h"
#include "tests/unit/scratch.h"

static int fill(struct bench_store *bench, struct err *err)
{
	struct store_host host = {.uid = "bench",
		.name = "bench",
		.kernel = "",
		.cpu = "",
		.epoch = "",
		.facts = "{}"};
	struct store_row row = {.name = "empty/none",
		.workload = "empty",
		.variant = "none",
		.label = "none",
		.options = "{}",
		.axes = "{}",
		.baseline = "empty/none",
		.run_key = "bench"};
	struct store_session session = {
		.plan = "bench", .command = "bench", .version = PACKAGE_VERSION};

	if (store_open(bench->path, STORE_WRITE, &bench->store, err) ||
		store_put_host(bench->store, &host, &session.host_id, err) ||
		store_put_experiment(
			bench->store, "bench", "bench", "", &session.experiment_id, err) ||
		store_begin_session(bench->store, &session, err) ||
		store_put_rows(bench->store, session.id, &row, 1, &bench->row_id, err))
		return -1;
	return 0;
}

void bench_store_open(struct bench_store *bench)
{
	struct err err;

	*bench = (struct bench_store){.dir = scratch_new()};
	bench->path = path_join(bench->dir, "bench.db");
	if (fill(bench, &err))
		bench_die(&err);
}

void bench_store_close(struct bench_store *bench)
{
	store_close(bench->store);
	bench->store = NULL;
}

void bench_store_remove(struct bench_store *bench)
{
	bench_store_close(bench);
	scratch_free(bench->dir);
	free(bench->path);
	*bench = (struct bench_store){0};
}

int64_t bench_store_begin(struct bench_store *bench, struct store_run *ret_run)
{
	struct err err;
	int64_t id;

	*ret_run = (struct store_run){.row_id = bench->row_id,
		.block = bench->next_block++,
		.attempt = 1,
		.role = ROLE_MEASURED,
		.status = RUN_OK,
		.reason = "",
		.exit_code = 0,
		.started_at = clock_real_ns(),
		.wall_ns = -1,
		.cpus = "",
		.stderr_tail = ""};
	if (store_begin_run(bench->store, ret_run, &id, &err))
		bench_die(&err);
	return id;
}

void bench_store_end(struct bench_store *bench, int64_t run_id, const struct store_run *run,
	const struct run_record *record)
{
	struct store_log logs[2] = {{"stdout", "", 0, 0}, {"stderr", "", 0, 0}};
	struct err err;

	if (store_end_run(bench->store, run_id, run, record, logs, 2, &err))
		bench_die(&err);
}
