/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cli/common.h"

struct ls_options {
	bool json;
};

static const struct opt ls_opts[] = {
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct ls_options, json)},
	{0},
};

static const struct opt_usage ls_usage = {
	.command = "assay ls",
	.args = "[FILE|SESSION]",
	.summary = "list sessions, or the runs of one session",
	.about = "Lists the sessions of an experiment (FILE is its descriptor), or without FILE, "
		 "or with a "
		 "folder, of all experiments in the store, newest first. With a session's number "
		 "or the "
		 "beginning of its uid, lists its runs.",
	.max_args = 1,
	.exit_status = "0\tlisted\n9\tthere is nothing to list\n",
};

static int count_runs(struct store *store, int64_t session_id, size_t *ret_runs, size_t *ret_failed,
	struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct stored_run *runs;
	size_t n;

	if (store_read_runs(store, session_id, &arena, &runs, &n, err))
		return -1;
	*ret_runs = *ret_failed = 0;
	for (size_t i = 0; i < n; i++) {
		enum run_status status = runs[i].run.status;

		if (runs[i].run.role != ROLE_MEASURED)
			continue;
		*ret_runs += status != RUN_LOST && status != RUN_RUNNING;
		*ret_failed +=
			status == RUN_FAILED || status == RUN_TIMEOUT || status == RUN_INVALID;
	}
	return 0;
}

/* experiment: only its sessions; NULL = all. */
static int list_sessions(struct store *store, const char *experiment, bool json, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(table_freep) struct table *table = table_new(NULL);
	struct store_session *sessions;
	size_t n;

	if (store_list_sessions(store, experiment, &arena, &sessions, &n, err))
		return -1;
	table_column(table, "id", "session", ALIGN_RIGHT, 0);
	table_column(table, "uid", "uid", ALIGN_LEFT, 2);
	table_column(table, "experiment", "experiment", ALIGN_LEFT, 0);
	table_column(table, "started", "started", ALIGN_LEFT, 0);
	table_column(table, "state", "state", ALIGN_LEFT, 0);
	table_column(table, "runs", "runs", ALIGN_RIGHT, 0);
	table_column(table, "failed", "failed", ALIGN_RIGHT, 0);
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_release) struct buf started = BUF_INIT;
		size_t runs, failed;

		if (count_runs(store, sessions[i].id, &runs, &failed, err))
			return -1;
		clock_add_iso(&started, sessions[i].started_at);
		table_row(table);
		table_int(table, "id", sessions[i].id);
		table_text(table, "uid", sessions[i].uid);
		table_text(table, "experiment", sessions[i].experiment);
		table_text(table, "started", started.data);
		table_text(table, "state", sessions[i].state);
		table_int(table, "runs", (int64_t)runs);
		table_int(table, "failed", (int64_t)failed);
	}
	if (json) {
		json_t *document = json_document("ls");

		json_object_set_new(document, "sessions", table_render_json(table));
		print_json(document);
	} else if (n) {
		print_table(table);
	}
	if (!n)
		return err_set(err, E_NOTHING,
			experiment ? "there is no session of '%s' yet" : "there is no session yet",
			experiment);
	return 0;
}

static void put_seconds(struct table *table, const char *key, int64_t ns)
{
	if (ns < 0)
		table_none(table, key, "n/m");
	else
		table_real(table, key, (double)ns / 1e9, "%.4f");
}

static int list_runs(
	struct store *store, const struct store_session *session, bool json, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(table_freep) struct table *table = table_new(NULL);
	struct stored_row *rows;
	struct stored_run *runs;
	size_t n_rows, n_runs;

	if (store_read_rows(store, session->id, &arena, &rows, &n_rows, err) ||
		store_read_runs(store, session->id, &arena, &runs, &n_runs, err))
		return -1;
	table_column(table, "run", "run", ALIGN_RIGHT, 0);
	table_column(table, "row", "row", ALIGN_LEFT, 0);
	table_column(table, "role", "role", ALIGN_LEFT, 1);
	table_column(table, "block", "block", ALIGN_RIGHT, 0);
	table_column(table, "position", "place", ALIGN_RIGHT, 2);
	table_column(table, "status", "status", ALIGN_LEFT, 0);
	table_column(table, "wall_s", "time (s)", ALIGN_RIGHT, 0);
	table_column(table, "reason", "reason", ALIGN_LEFT, 0);
	for (size_t i = 0; i < n_runs; i++) {
		const struct store_run *run = &runs[i].run;
		const char *name = "";

		for (size_t r = 0; r < n_rows; r++) {
			if (rows[r].id == run->row_id)
				name = rows[r].row.name;
		}
		table_row(table);
		table_int(table, "run", runs[i].id);
		table_text(table, "row", name);
		table_text(table, "role", run_role_name(run->role));
		table_int(table, "block", run->block + 1);
		table_int(table, "position", run->position + 1);
		table_text(table, "status", run_status_name(run->status));
		put_seconds(table, "wall_s", run->wall_ns);
		table_text(table, "reason", run->reason ? run->reason : "");
	}
	if (json) {
		json_t *document = json_document("ls");

		json_object_set_new(document, "session", json_string(session->uid));
		json_object_set_new(document, "runs", table_render_json(table));
		print_json(document);
	} else {
		print_table(table);
	}
	return 0;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct ls_options *options = opts;
	const char *name = args->n ? args->items[0] : NULL;
	CLEANUP(chosen_session_release) struct chosen_session chosen = {0};
	CLEANUP(store_closep) struct store *store = NULL;
	AUTOFREE char *path = NULL, *experiment = NULL;

	if (name && !names_a_file(name)) {
		if (choose_session(cli, name, &chosen, err))
			return -1;
		return list_runs(chosen.store, &chosen.session, options->json, err);
	}
	path = store_path(cli, name, err);
	if (!path || store_open(path, STORE_READ, &store, err))
		return -1;
	if (name && !fs_is_dir(name) && !(experiment = experiment_name(cli, name, err)))
		return -1;
	return list_sessions(store, experiment, options->json, err);
}

const struct command command_ls = {
	.name = "ls",
	.usage = &ls_usage,
	.options = ls_opts,
	.options_size = sizeof(struct ls_options),
	.common = COMMON_READS,
	.run = run,
};
