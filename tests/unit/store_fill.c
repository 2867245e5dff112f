/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "tests/unit/store_fill.h"

#define OK(call) \
	do { \
		struct err err = {0}; \
		if ((call) < 0) \
			fail_msg("%s", err.text); \
	} while (0)

void fill_begin(struct fill *fill, const char *experiment_json)
{
	const struct store_host host = {
		.uid = "h1",
		.name = "box",
		.kernel = "6.1",
		.cpu = "cpu",
		.epoch = "e",
		.facts = "{}",
	};
	int64_t host_id, experiment_id;
	AUTOFREE char *path = NULL;

	memset(fill, 0, sizeof(*fill));
	strcpy(fill->dir, "/tmp/assay-fill-XXXXXX");
	assert_non_null(mkdtemp(fill->dir));
	path = path_join(fill->dir, "assay.db");
	OK(store_open(path, STORE_WRITE, &fill->store, &err));
	OK(store_put_host(fill->store, &host, &host_id, &err));
	OK(store_put_experiment(fill->store, "demo", "d1", experiment_json, &experiment_id, &err));
	fill->session = (struct store_session){
		.experiment_id = experiment_id,
		.host_id = host_id,
		.experiment = "demo",
		.plan = "plan1",
		.seed = 7,
		.started_at = INT64_C(1767225600000000000),
		.command = "assay run demo.yaml",
		.version = "0",
	};
	OK(store_begin_session(fill->store, &fill->session, &err));
	fill->started_at = fill->session.started_at;
}

void fill_rows(struct fill *fill, struct fill_row *rows, size_t n)
{
	struct store_row *stored = xcalloc(n, sizeof(*stored));
	int64_t *ids = xcalloc(n, sizeof(*ids));

	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *key = xasprintf("key-%s", rows[i].variant);
		AUTOFREE char *digest = xasprintf("digest-%s", rows[i].variant);
		const char *status = rows[i].build_status ? rows[i].build_status : "ok";
		struct store_build build = {
			.key = key,
			.status = status,
			.digest = strcmp(status, "ok") != 0 ? NULL
				  : rows[i].digest          ? rows[i].digest
							    : digest,
			.seconds = 1.5,
			.log = "log",
			.reason = rows[i].build_reason,
		};

		build.code_digest = build.digest;
		stored[i] = (struct store_row){
			.name = xasprintf("%s/%s%s", rows[i].workload, rows[i].variant,
				rows[i].axes && strcmp(rows[i].axes, "{}") != 0 ? ",axis" : ""),
			.workload = rows[i].workload,
			.variant = rows[i].variant,
			.label = rows[i].label ? rows[i].label : rows[i].variant,
			.options = rows[i].options ? rows[i].options : "{}",
			.axes = rows[i].axes ? rows[i].axes : "{}",
			.baseline = rows[i].baseline,
			.run_key = stored[i].name,
		};
		stored[i].run_key = stored[i].name;
		OK(store_put_build(fill->store, &build, &stored[i].build_id, &err));
	}
	OK(store_put_rows(fill->store, fill->session.id, stored, n, ids, &err));
	for (size_t i = 0; i < n; i++) {
		rows[i].id = ids[i];
		free((char *)stored[i].name);
	}
	free(stored);
	free(ids);
}

int64_t fill_run(struct fill *fill, const struct fill_row *row, int block, enum run_status status,
	const char *reason, double wall_s, const struct fill_sample *more)
{
	struct run_record record;
	struct store_run run = {
		.row_id = row->id,
		.block = block,
		.attempt = fill->attempt ? fill->attempt : 1,
		.role = fill->role,
		.status = status,
		.reason = reason,
		.exit_code = status == RUN_OK ? 0 : -1,
		.started_at = fill->started_at += NS_PER_S,
		.wall_ns = (int64_t)(wall_s * NS_PER_S),
		.cpus = "",
		.stderr_tail = "",
	};
	int64_t id;

	run_record_init(&record);
	run_record_sample(&record, &(struct sample){.metric = "wall",
					   .unit = "s",
					   .better = "lower",
					   .scope = "run",
					   .value = wall_s,
					   .quantum = NAN,
					   .collector = "rusage"});
	for (; more && more->metric; more++)
		run_record_sample(
			&record, &(struct sample){.metric = more->metric,
					 .unit = more->unit,
					 .better = more->better,
					 .scope = more->scope,
					 .value = more->value,
					 .quantum = more->quantum > 0 ? more->quantum : NAN,
					 .collector = "log"});
	OK(store_begin_run(fill->store, &run, &id, &err));
	OK(store_end_run(fill->store, id, &run, &record, NULL, 0, &err));
	run_record_release(&record);
	return id;
}

void fill_complete(struct fill *fill)
{
	OK(store_end_session(fill->store, fill->session.id, "complete", 0, &err));
	fill->session.state = "complete";
}

void fill_end(struct fill *fill)
{
	store_close(fill->store);
	OK(fs_remove(fill->dir, &err));
}
