/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/cli/common.h"

struct show_options {
	const char *file, *stream;
	bool json;
};

static const char *const streams[] = {"stdout", "stderr", NULL};

static const struct opt show_opts[] = {
	{.name = "file",
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "the descriptor (or its folder) whose store is meant; default: this folder",
		.offset = offsetof(struct show_options, file)},
	{.name = "output",
		.short_name = 'o',
		.type = OPT_CHOICE,
		.arg = "STREAM",
		.choices = streams,
		.help = "print what was kept of an output stream, as it was",
		.offset = offsetof(struct show_options, stream)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct show_options, json)},
	{0},
};

static const struct opt_usage show_usage = {
	.command = "assay show",
	.args = "RUN",
	.summary = "show one run with everything known of it",
	.examples = "assay show 33\tstatus, samples, phases, last lines of stderr\n"
		    "assay show 33 --output stdout\twhat the program printed\n",
	.min_args = 1,
	.max_args = 1,
	.exit_status = "0\tshown\n9\tthere is no such run\n",
};

struct shown {
	struct arena arena;
	struct stored_run run;
	int64_t session_id;
	struct stored_row row;
	struct run_record record;
	struct store_log logs[2];
	size_t n_logs;
};

static void shown_release(struct shown *shown)
{
	run_record_release(&shown->record);
	arena_release(&shown->arena);
}

static struct table *sample_table(const struct run_record *record)
{
	struct table *table = table_new(NULL);

	table_column(table, "metric", "metric", ALIGN_LEFT, 0);
	table_column(table, "scope", "scope", ALIGN_LEFT, 0);
	table_column(table, "instance", "instance", ALIGN_LEFT, 1);
	table_column(table, "value", "value", ALIGN_RIGHT, 0);
	table_column(table, "unit", "unit", ALIGN_LEFT, 0);
	table_column(table, "quality", "quality", ALIGN_LEFT, 1);
	table_column(table, "collector", "collector", ALIGN_LEFT, 2);
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *sample = &record->samples.items[i];

		table_row(table);
		table_text(table, "metric", sample->metric);
		table_text(table, "scope", sample->scope);
		table_text(table, "instance", sample->instance);
		if (isnan(sample->value))
			table_none(table, "value", sample->reason);
		else
			table_real(table, "value", sample->value, "%.10g");
		table_text(table, "unit", sample->unit);
		table_text(table, "quality", sample->quality);
		table_text(table, "collector", sample->collector);
	}
	return table;
}

static struct table *phase_table(const struct run_record *record)
{
	struct table *table = table_new(NULL);

	table_column(table, "name", "phase", ALIGN_LEFT, 0);
	table_column(table, "instance", "instance", ALIGN_LEFT, 0);
	table_column(table, "thread", "thread", ALIGN_LEFT, 1);
	table_column(table, "start_s", "start (s)", ALIGN_RIGHT, 0);
	table_column(table, "end_s", "end (s)", ALIGN_RIGHT, 0);
	table_column(table, "source", "source", ALIGN_LEFT, 2);
	for (size_t i = 0; i < record->phases.n; i++) {
		const struct phase_span *phase = &record->phases.items[i];

		table_row(table);
		table_text(table, "name", phase->name);
		table_text(table, "instance", phase->instance);
		table_text(table, "thread", phase->thread);
		table_real(table, "start_s", (double)phase->start_ns / 1e9, "%.4f");
		table_real(table, "end_s", (double)phase->end_ns / 1e9, "%.4f");
		table_text(table, "source", phase->source);
	}
	return table;
}

static void print_text(const struct shown *shown)
{
	const struct store_run *run = &shown->run.run;
	CLEANUP(table_freep) struct table *samples = sample_table(&shown->record);
	CLEANUP(table_freep) struct table *phases = phase_table(&shown->record);
	CLEANUP(buf_release) struct buf started = BUF_INIT;

	clock_add_iso(&started, run->started_at);
	printf("run %" PRId64 ": %s\n", shown->run.id, shown->row.row.name);
	printf("%s, block %d, place %d, attempt %d, session %" PRId64 ", started %s%s\n",
		run_role_name(run->role), run->block + 1, run->position + 1, run->attempt,
		shown->session_id, started.data, run->resumed ? ", block resumed" : "");
	printf("status: %s%s%s\n", run_status_name(run->status),
		run->reason && run->reason[0] ? ": " : "", run->reason ? run->reason : "");
	if (run->exit_code >= 0)
		printf("exit status: %d\n", run->exit_code);
	if (run->signal)
		printf("signal: %d\n", run->signal);
	for (size_t i = 0; i < shown->n_logs; i++)
		printf("%s: %" PRIu64 " bytes%s\n", shown->logs[i].stream, shown->logs[i].bytes,
			shown->logs[i].bytes > shown->logs[i].kept_len ? ", kept in part" : "");
	if (run->stderr_tail && run->stderr_tail[0])
		printf("last lines of stderr:\n%s\n", run->stderr_tail);
	if (shown->record.samples.n) {
		puts("");
		print_table(samples);
	}
	if (shown->record.phases.n) {
		puts("");
		print_table(phases);
	}
}

static json_t *clean_text(const char *data, size_t len)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	text_clean_lines(&clean, data, len);
	return json_string(clean.data);
}

static json_t *parsed(const char *text)
{
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	return json ? json : json_object();
}

/* The columns of v_run_all, and what that view leaves out. */
static json_t *run_json(const struct shown *shown, const struct store_session *session)
{
	const struct store_run *run = &shown->run.run;
	bool timed = run->status == RUN_OK && run->wall_ns >= 0;
	CLEANUP(buf_release) struct buf started = BUF_INIT;
	json_t *json = json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:s}", "run_id",
		(json_int_t)shown->run.id, "experiment", session->experiment, "session",
		session->uid, "session_id", (json_int_t)shown->session_id, "row",
		shown->row.row.name, "workload", shown->row.row.workload, "variant",
		shown->row.row.variant);

	clock_add_iso(&started, run->started_at);
	json_object_set_new(json, "axes", parsed(shown->row.row.axes));
	json_object_set_new(json, "block", json_integer(run->block));
	json_object_set_new(json, "position", json_integer(run->position));
	json_object_set_new(json, "status", json_string(run_status_name(run->status)));
	json_object_set_new(json, "started", json_string(started.data));
	json_object_set_new(
		json, "wall_s", timed ? json_real((double)run->wall_ns / 1e9) : json_null());
	json_object_set_new(json, "role", json_string(run_role_name(run->role)));
	json_object_set_new(json, "attempt", json_integer(run->attempt));
	json_object_set_new(json, "reason",
		run->reason && run->reason[0] ? json_text(run->reason) : json_null());
	json_object_set_new(json, "exit_code",
		run->exit_code >= 0 ? json_integer(run->exit_code) : json_null());
	json_object_set_new(
		json, "signal", run->signal > 0 ? json_integer(run->signal) : json_null());
	return json;
}

static void print_shown_json(const struct shown *shown, const struct store_session *session)
{
	CLEANUP(table_freep) struct table *samples = sample_table(&shown->record);
	CLEANUP(table_freep) struct table *phases = phase_table(&shown->record);
	json_t *document = json_document("show"), *logs = json_object();

	for (size_t i = 0; i < shown->n_logs; i++)
		json_object_set_new(logs, shown->logs[i].stream,
			json_pack("{s:I, s:o}", "bytes", (json_int_t)shown->logs[i].bytes, "kept",
				clean_text(shown->logs[i].kept, shown->logs[i].kept_len)));
	json_object_set_new(document, "run", run_json(shown, session));
	json_object_set_new(document, "samples", table_render_json(samples));
	json_object_set_new(document, "phases", table_render_json(phases));
	json_object_set_new(document, "log", logs);
	print_json(document);
}

static int show_json(struct store *store, struct shown *shown, struct err *err)
{
	struct store_session session;
	char id[32];

	snprintf(id, sizeof(id), "%" PRId64, shown->session_id);
	if (store_find_session(store, id, &shown->arena, &session, err))
		return -1;
	print_shown_json(shown, &session);
	return 0;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct show_options *options = opts;
	CLEANUP(store_closep) struct store *store = NULL;
	CLEANUP(shown_release) struct shown shown = {0};
	AUTOFREE char *path = NULL;
	struct why why;
	uint64_t id;

	if (num_uint(args->items[0], &id, &why)) {
		err_set(err, E_USAGE, "'%s' is not the number of a run", args->items[0]);
		return err_help(err, "'assay ls SESSION' lists the runs");
	}
	path = store_path(cli, options->file, err);
	if (!path)
		return -1;
	if (store_open(path, STORE_READ, &store, err)) {
		if (err->code == E_NOTHING && !options->file && !cli->common.store)
			err_help(err, "assay run makes it; of an experiment elsewhere: --file "
				      "EXPERIMENT.yaml");
		return -1;
	}
	run_record_init(&shown.record);
	if (store_read_run(store, (int64_t)id, &shown.arena, &shown.run, &shown.session_id,
		    &shown.row, &shown.record, shown.logs, &shown.n_logs, err))
		return -1;
	if (options->stream) {
		for (size_t i = 0; i < shown.n_logs; i++) {
			if (!strcmp(shown.logs[i].stream, options->stream))
				fwrite(shown.logs[i].kept, 1, shown.logs[i].kept_len, stdout);
		}
	} else if (options->json) {
		return show_json(store, &shown, err);
	} else {
		print_text(&shown);
	}
	return 0;
}

const struct command command_show = {
	.name = "show",
	.usage = &show_usage,
	.options = show_opts,
	.options_size = sizeof(struct show_options),
	.common = COMMON_READS,
	.run = run,
};
