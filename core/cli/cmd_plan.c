/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/cli/common.h"
#include "core/cli/history.h"
#include "core/engine/order.h"
#include "reports/words.h"

struct plan_options {
	const char *where;
	bool force, json;
};

static const struct opt plan_opts[] = {
	{.name = "where",
		.type = OPT_TEXT,
		.arg = "PREDICATE",
		.help = "only these rows (baselines stay), for instance 'A1 & workload = prove'",
		.offset = offsetof(struct plan_options, where)},
	{.name = "force",
		.type = OPT_FLAG,
		.help = "plan more than 10,000 rows",
		.offset = offsetof(struct plan_options, force)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct plan_options, json)},
	{0},
};

static const struct opt_usage plan_usage = {
	.command = "assay plan",
	.args = "FILE",
	.summary = "print rows, builds, runs and expected time before anything runs",
	.about = "Reads the descriptor FILE and everything that enters the ids of builds and runs, "
		 "and "
		 "prints what 'assay run' would do. Times come from earlier sessions of the "
		 "experiment "
		 "in the store; without any they are unknown.",
	.examples = "assay plan exp.yaml\tthe plan\n"
		    "assay plan exp.yaml --set measure.blocks=8\twith other blocks\n",
	.min_args = 1,
	.max_args = 1,
	.exit_status = "0\tvalid\n3\tbad descriptor\n6\tsource or tool missing\n",
};

/* Measured runs. No session stops on what it has seen, so that least and most are the same. */
static size_t total_runs(const struct plan *plan)
{
	size_t runs = 0;

	for (size_t i = 0; i < plan->n_cells; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		runs += (size_t)cell->workload->measure.blocks_min *
			(cell->n_rows - 1 + order_blocks(cell->n_rows));
	}
	return runs;
}

static size_t cached_builds(const struct experiment *experiment)
{
	size_t n = 0;

	for (size_t i = 0; i < experiment->plan->n_builds; i++) {
		AUTOFREE char *name = xasprintf("builds/%.32s", experiment->plan->builds[i].key);
		AUTOFREE char *path = state_path(&experiment->state, name);

		n += fs_exists(path);
	}
	return n;
}

static struct table *row_table(const struct plan *plan)
{
	struct table *table = table_new(NULL);

	table_column(table, "name", "row", ALIGN_LEFT, 0);
	table_column(table, "label", "from set", ALIGN_LEFT, 1);
	table_column(table, "build", "build", ALIGN_LEFT, 0);
	table_column(table, "baseline", "compared with", ALIGN_LEFT, 2);
	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];

		table_row(table);
		table_text(table, "name", row->name);
		table_text(table, "label", row->label);
		table_textf(table, "build", "%.12s", plan->builds[row->build].key);
		if (row->baseline == (int)i)
			table_text(table, "baseline", "baseline");
		else
			table_text(table, "baseline", plan->rows[row->baseline].variant);
	}
	return table;
}

static void print_duration(const char *before, int64_t ns, const char *after)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	num_add_duration(&text, ns);
	printf("%s%s%s", before, text.data, after);
}

static void print_text(const struct experiment *experiment, const struct history *history)
{
	const struct plan *plan = experiment->plan;
	CLEANUP(table_freep) struct table *table = row_table(plan);
	size_t cached = cached_builds(experiment);

	printf("%s: %zu row%s in %zu cell%s, %zu build%s (%zu cached), %zu runs and the warm-up\n",
		plan->descriptor->name, plan->n_rows, plural(plan->n_rows), plan->n_cells,
		plural(plan->n_cells), plan->n_builds, plural(plan->n_builds), cached,
		total_runs(plan));
	if (plan->excluded)
		printf("left out by exclude and --where: %zu row%s\n", plan->excluded,
			plural(plan->excluded));
	if (plan->merged)
		printf("merged: %zu row%s whose options do not reach their workload\n",
			plan->merged, plural(plan->merged));
	if (history->eta_ns >= 0)
		print_duration("expected time: ", history->eta_ns, " by the last session\n");
	else
		puts("expected time: not known before the first session");
	if (!isnan(history->detectable)) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		add_rough_percent(&text, history->detectable);
		printf("can show differences from %s%s on (noise of the last session)\n",
			history->detectable > BEYOND ? "" : "about ", text.data);
	}
	if (experiment->descriptor->overlay)
		printf("with the local values of %s\n", experiment->descriptor->overlay);
	if (experiment->source.dirty)
		puts("source: with uncommitted changes");
	if (plan->descriptor->measure.order_fixed)
		puts("order: fixed: this session will be unfit for verdicts");
	puts("");
	print_table(table);
}

static json_t *rows_json(const struct plan *plan)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];

		json_array_append_new(rows,
			json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s}", "name",
				row->name, "workload", row->workload->name, "variant", row->variant,
				"label", row->label, "options", plan_row_options(plan, row), "axes",
				plan_row_axes(plan, row), "build", plan->builds[row->build].key,
				"baseline", plan->rows[row->baseline].name, "run", row->run_key));
	}
	return rows;
}

static json_t *optional(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static void print_plan_json(const struct experiment *experiment, const struct history *history)
{
	const struct plan *plan = experiment->plan;
	json_t *document = json_document("plan"), *cells = json_array(), *warnings = json_array();
	json_t *builds = json_array();

	for (size_t i = 0; i < plan->n_cells; i++)
		json_array_append_new(
			cells, json_pack("{s:s, s:s, s:s, s:i}", "name", plan->cells[i].name,
				       "workload", plan->cells[i].workload->name, "baseline",
				       plan->rows[plan->cells[i].baseline].name, "rows",
				       (int)plan->cells[i].n_rows));
	for (size_t i = 0; i < plan->n_builds; i++)
		json_array_append_new(
			builds, json_pack("{s:s, s:s, s:i}", "key", plan->builds[i].key, "variant",
					plan->builds[i].name, "rows", (int)plan->builds[i].n_rows));
	for (size_t i = 0; i < experiment->diags.n; i++) {
		if (experiment->diags.items[i].level == DIAG_WARNING)
			json_array_append_new(
				warnings, json_string(experiment->diags.items[i].message));
	}
	json_object_set_new(document, "id", json_string(plan->id));
	json_object_set_new(document, "rows", rows_json(plan));
	json_object_set_new(document, "cells", cells);
	json_object_set_new(document, "builds", builds);
	json_object_set_new(document, "runs",
		json_pack(
			"{s:i, s:i}", "min", (int)total_runs(plan), "max", (int)total_runs(plan)));
	json_object_set_new(document, "passes", json_array());
	json_object_set_new(document, "excluded", json_integer((json_int_t)plan->excluded));
	json_object_set_new(document, "merged", json_integer((json_int_t)plan->merged));
	json_object_set_new(document, "eta_s",
		history->eta_ns < 0 ? json_null() : json_real((double)history->eta_ns / 1e9));
	json_object_set_new(document, "disk_bytes", json_integer((json_int_t)history->disk_bytes));
	json_object_set_new(document, "detectable", optional(history->detectable));
	json_object_set_new(document, "warnings", warnings);
	print_json(document);
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct plan_options *options = opts;
	CLEANUP(experiment_release) struct experiment experiment;
	struct history history;

	if (open_experiment(
		    cli, args->items[0], options->where, options->force, false, &experiment, err) ||
		history_read(&experiment, &history, err))
		return -1;
	if (options->json) {
		print_plan_json(&experiment, &history);
		return 0;
	}
	print_text(&experiment, &history);
	return 0;
}

const struct command command_plan = {
	.name = "plan",
	.usage = &plan_usage,
	.options = plan_opts,
	.options_size = sizeof(struct plan_options),
	.wants_launcher = true,
	.run = run,
};
