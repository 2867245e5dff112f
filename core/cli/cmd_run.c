/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/tty.h"
#include "core/cli/common.h"
#include "core/cli/execute.h"
#include "core/cli/print_report.h"
#include "core/cli/simulate.h"

struct run_options {
	const char *where, *simulate, *progress;
	uint64_t parallel;
	bool force, no_resume, json;
};

static const char *const progress_kinds[] = {
	[LIVE_LINE_A_RUN] = "run", [LIVE_LINE_A_BLOCK] = "block", [LIVE_NO_LINES] = "none", NULL};

static const struct opt run_opts[] = {
	{.name = "where",
		.type = OPT_TEXT,
		.arg = "PREDICATE",
		.help = "only these rows (baselines stay)",
		.offset = offsetof(struct run_options, where)},
	{.name = "no-resume",
		.type = OPT_FLAG,
		.help = "begin a new session even when one was interrupted",
		.offset = offsetof(struct run_options, no_resume)},
	{.name = "parallel",
		.type = OPT_UINT,
		.arg = "N",
		.help = "builds at once; default by the cores",
		.offset = offsetof(struct run_options, parallel)},
	{.name = "simulate",
		.type = OPT_TEXT,
		.arg = "WORLD.yaml",
		.help = "run in a made-up world: nothing is built, started or kept (unless "
			"--store)",
		.offset = offsetof(struct run_options, simulate)},
	{.name = "progress",
		.type = OPT_CHOICE,
		.arg = "LINE",
		.choices = progress_kinds,
		.help = "a line for each where there is no terminal, by default for each run; runs "
			"that fail are told in any case",
		.offset = offsetof(struct run_options, progress)},
	{.name = "force",
		.type = OPT_FLAG,
		.help = "run more than 10,000 rows",
		.offset = offsetof(struct run_options, force)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print the report as JSON",
		.offset = offsetof(struct run_options, json)},
	{0},
};

static const struct opt_usage run_usage = {
	.command = "assay run",
	.args = "FILE",
	.summary = "build, run and compare; goes on with an interrupted session",
	.about = "Builds every variant once, runs them in randomised blocks with the baseline in "
		 "every "
		 "block, stores raw values and prints the comparison. An interrupted session is "
		 "resumed by the same command. With --simulate FILE may be left out: the world "
		 "brings "
		 "its options.",
	.examples = "assay run exp.yaml\trun it\n"
		    "assay run exp.yaml --where 'A1 | A4'\tsome rows\n"
		    "assay run --simulate world.yaml\tplan with a made-up world\n",
	.min_args = 0,
	.max_args = 1,
	.exit_status = "0\tevery planned row was measured, whatever the verdicts\n"
		       "4\ta build failed\n5\truns of a row failed\n8\tthe budget was spent\n"
		       "9\tno valid run at all\n130\tSIGINT; the session can be resumed\n",
};

/* source: for the commands that the report proposes; NULL = there are none (a simulation is gone).
 */
static int finish(const struct run_options *options, const char *source, struct store *store,
	struct session_result *result, struct err *err)
{
	int status = execute_status(store, result, err);
	struct print_report_options print = {
		.format = options->json ? "json" : "text",
		.source = source,
		.where = NULL,
	};

	/* The comparison of what there is, also when something failed; not after Ctrl-C. */
	if (status == 0 || (err->code != E_SIGNAL && err->code != E_NOTHING)) {
		struct err report_err = {0};

		if (print_report(store, &result->session, &print, &report_err)) {
			if (status == 0) {
				*err = report_err;
				status = -1;
			}
		}
	}
	return status;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct run_options *options = opts;
	struct execute_options execute_options = {.world = options->simulate,
		.no_resume = options->no_resume,
		.parallel = (int)options->parallel};
	CLEANUP(experiment_release) struct experiment experiment = {.state = STATE_INIT};
	CLEANUP(simulation_release) struct simulation simulation = {0};
	const char *file = args->n ? args->items[0] : NULL;
	struct session_result result;
	struct store *store;
	int status;

	while (options->progress && options->progress != progress_kinds[execute_options.lines])
		execute_options.lines++;
	if (!file && !options->simulate) {
		err_set(err, E_USAGE, "which experiment?");
		return err_help(err, "assay run FILE, or assay run --simulate WORLD.yaml");
	}
	if (options->simulate) {
		if (simulation_open(cli, options->simulate, file, options->where, options->force,
			    &simulation, &experiment, err))
			return -1;
	} else if (open_experiment(
			   cli, file, options->where, options->force, true, &experiment, err)) {
		return -1;
	}
	if (execute(cli, &experiment, &execute_options, &store, &result, err))
		return -1;
	status = finish(options, options->simulate ? NULL : file, store, &result, err);
	session_result_release(&result);
	store_close(store);
	return status;
}

const struct command command_run = {
	.name = "run",
	.usage = &run_usage,
	.options = run_opts,
	.options_size = sizeof(struct run_options),
	.wants_launcher = true,
	.run = run,
};
