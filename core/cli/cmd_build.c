/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/sig.h"
#include "core/cli/common.h"
#include "core/cli/live.h"
#include "core/engine/build.h"

struct build_options {
	const char *where;
	uint64_t parallel;
	bool again, force, json;
};

static const struct opt build_opts[] = {
	{.name = "where",
		.type = OPT_TEXT,
		.arg = "PREDICATE",
		.help = "only the builds of these rows (baselines stay)",
		.offset = offsetof(struct build_options, where)},
	{.name = "parallel",
		.type = OPT_UINT,
		.arg = "N",
		.help = "builds at once; default by the cores",
		.offset = offsetof(struct build_options, parallel)},
	{.name = "again",
		.type = OPT_FLAG,
		.help = "build what is cached, too",
		.offset = offsetof(struct build_options, again)},
	{.name = "force",
		.type = OPT_FLAG,
		.help = "plan more than 10,000 rows",
		.offset = offsetof(struct build_options, force)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct build_options, json)},
	{0},
};

static const struct opt_usage build_usage = {
	.command = "assay build",
	.args = "FILE",
	.summary = "build the variants into the cache",
	.about =
		"Builds every variant from a fresh tree of its own. What is cached under the same "
		"source, patches, defines, steps and tools is not built again. A failed build does "
		"not stop the others.",
	.min_args = 1,
	.max_args = 1,
	.exit_status = "0\tall are built\n4\tsome failed; the rest is built\n",
};

/* Builds whose outputs have the same code under different keys. */
static const struct plan_build *same_code(
	const struct plan *plan, const struct build_result *results, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (results[k].status == BUILD_OK && results[i].status == BUILD_OK &&
			results[k].code_digest.hex[0] &&
			!strcmp(results[k].code_digest.hex, results[i].code_digest.hex))
			return &plan->builds[k];
	}
	return NULL;
}

static struct table *build_table(const struct plan *plan, const struct build_result *results)
{
	struct table *table = table_new(NULL);

	table_column(table, "variant", "variant", ALIGN_LEFT, 0);
	table_column(table, "status", "status", ALIGN_LEFT, 0);
	table_column(table, "seconds", "time", ALIGN_RIGHT, 0);
	table_column(table, "key", "key", ALIGN_LEFT, 1);
	table_column(table, "note", "note", ALIGN_LEFT, 0);
	for (size_t i = 0; i < plan->n_builds; i++) {
		const struct build_result *result = &results[i];
		const struct plan_build *twin = same_code(plan, results, i);
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		num_add_duration(&text, (int64_t)(result->seconds * 1e9));
		table_row(table);
		table_text(table, "variant", plan->builds[i].name);
		table_text(table, "status",
			result->cached && result->status == BUILD_OK
				? "cached"
				: build_status_name(result->status));
		table_real_text(table, "seconds", result->seconds, text.data);
		table_textf(table, "key", "%.16s", plan->builds[i].key);
		if (result->status != BUILD_OK)
			table_textf(table, "note", "%.*s",
				(int)strcspn(result->reason ? result->reason : "", "\n"),
				result->reason ? result->reason : "");
		else if (twin)
			table_textf(table, "note", "the same program as %s", twin->name);
		else
			table_text(table, "note", "");
	}
	return table;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct build_options *options = opts;
	CLEANUP(experiment_release) struct experiment experiment = {.state = STATE_INIT};
	CLEANUP(live_freep) struct live *live = NULL;
	CLEANUP(table_freep) struct table *table = NULL;
	struct build_request request;
	struct build_result *results;
	size_t failed = 0, n;

	if (open_experiment(
		    cli, args->items[0], options->where, options->force, true, &experiment, err))
		return -1;
	live = live_new(experiment.plan, experiment.state.dir, cli->common.quiet);
	request = (struct build_request){
		.plan = experiment.plan,
		.state = &experiment.state,
		.source = &experiment.source,
		.launcher = cli->launcher,
		.parallel = (int)options->parallel,
		.again = options->again,
		.stop = &sig_received,
		.hooks = live_build_hooks(live),
	};
	if (build_all(&request, &results, err))
		return -1;
	live_free(STEAL(live));
	n = experiment.plan->n_builds;
	table = build_table(experiment.plan, results);
	if (options->json) {
		json_t *document = json_document("build");

		json_object_set_new(document, "builds", table_render_json(table));
		print_json(document);
	} else {
		print_table(table);
	}
	for (size_t i = 0; i < n; i++)
		failed += results[i].status != BUILD_OK;
	build_results_free(results, n, experiment.descriptor->build.outputs.n);
	if (sig_received) {
		err_set(err, E_SIGNAL, "interrupted; finished builds are kept");
		err->sys = sig_received;
		return -1;
	}
	if (failed)
		return err_set(err, E_BUILD, "%zu of %zu builds failed", failed, n);
	return 0;
}

const struct command command_build = {
	.name = "build",
	.usage = &build_usage,
	.options = build_opts,
	.options_size = sizeof(struct build_options),
	.wants_launcher = true,
	.run = run,
};
