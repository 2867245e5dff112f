/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/num.h"
#include "core/base/sig.h"
#include "core/base/text.h"
#include "core/base/tty.h"
#include "core/cli/common.h"
#include "core/cli/live.h"
#include "core/engine/executor.h"
#include "core/engine/trial.h"
#include "reports/words.h"

struct try_options {
	const char *log, *stream;
};

static const char *const streams[] = {"stdout", "stderr", NULL};
static const struct try_options try_defaults = {.stream = "stdout"};

static const struct opt try_opts[] = {
	{.name = "log",
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "look at a saved log instead of running anything",
		.offset = offsetof(struct try_options, log)},
	{.name = "stream",
		.type = OPT_CHOICE,
		.arg = "STREAM",
		.choices = streams,
		.help = "which stream the saved log is, stdout by default",
		.offset = offsetof(struct try_options, stream)},
	{0},
};

static const struct opt_usage try_usage = {
	.command = "assay try",
	.args = "FILE [ROW]",
	.summary = "run one row once and show what every pattern made of it",
	.about = "Builds one row (default: the first), runs it once with its output on the "
		 "terminal, "
		 "and shows each parser rule, check and metric beside the first line that it "
		 "matched, "
		 "or the line that comes nearest. Nothing is stored. ROW is workload/variant, or a "
		 "variant alone.",
	.examples = "assay try exp.yaml\tthe baseline\n"
		    "assay try exp.yaml prove/A1+B1\tone row\n"
		    "assay try exp.yaml --log saved.txt\ta saved log\n",
	.min_args = 1,
	.max_args = 2,
	.exit_status =
		"0\tthe run is valid\n4\tits build failed\n5\tthe run failed or a check does "
		"not hold\n",
};

static void print_line(const char *line)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	text_clean(&clean, line, strlen(line));
	if (clean.len > 160)
		buf_truncate(&clean, 160);
	printf("      %s\n", clean.data);
}

static void print_patterns(const struct trial *trial)
{
	if (trial->n)
		printf("\npatterns, %llu line%s:\n", (unsigned long long)trial->lines,
			trial->lines == 1 ? "" : "s");
	for (size_t i = 0; i < trial->n; i++) {
		const struct trial_pattern *pattern = &trial->patterns[i];
		AUTOFREE char *found =
			!pattern->matches
				? xstrdup("no line")
				: xasprintf("%llu line%s", (unsigned long long)pattern->matches,
					  pattern->matches == 1 ? "" : "s");

		printf("  %-12s %-8s  %s\n", pattern->kind, found, pattern->text);
		if (pattern->line && !pattern->matches)
			puts("      nearest:");
		if (pattern->line)
			print_line(pattern->line);
	}
}

/* In a handy unit, as reports show it; counts to the last digit. */
static void add_value(struct buf *to, const struct sample *sample)
{
	struct scale scale = scale_for(sample->value, sample->unit);

	if (sample->unit[0])
		scale_add_unit(to, &scale, sample->value);
	else
		num_addf(to, "%.10g", sample->value);
}

static void print_samples(const struct run_record *record)
{
	puts("\nmetrics:");
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *sample = &record->samples.items[i];
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		if (sample->instance[0])
			continue;
		if (isnan(sample->value))
			buf_addf(&text, "not measured: %s", sample->reason);
		else
			add_value(&text, sample);
		printf("  %-24s %-18s %s\n", sample->metric,
			!strcmp(sample->scope, "run") ? "" : sample->scope, text.data);
	}
}

static int judge_log(struct experiment *experiment, const struct try_options *options,
	const struct plan_row *row, const struct log_parser *parser, struct err *err)
{
	CLEANUP(trial_release) struct trial trial = {0};
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	CLEANUP(run_record_release) struct run_record record;
	const char *failed = NULL;

	run_record_init(&record);
	if (fs_read(options->log, 0, &text, err) ||
		trial_init(&trial, experiment->descriptor, row->workload, row->levels, parser, err))
		return -1;
	trial_feed(&trial, !strcmp(options->stream, "stderr") ? STREAM_STDERR : STREAM_STDOUT,
		text.data, text.len);
	print_patterns(&trial);
	if (trial.run) {
		log_run_end(trial.run, 0, 0, &record, &failed);
		print_samples(&record);
	}
	if (failed)
		printf("\nfailed: %s\n", failed);
	return 0;
}

static int report_run(struct experiment *experiment, const struct plan_row *row,
	const struct log_parser *parser, struct run_outcome *outcome, struct err *err)
{
	CLEANUP(trial_release) struct trial trial = {0};
	CLEANUP(buf_release) struct buf wall = BUF_INIT;

	if (trial_init(&trial, experiment->descriptor, row->workload, row->levels, parser, err))
		return -1;
	for (size_t i = 0; i < outcome->n_logs; i++)
		trial_feed(&trial,
			!strcmp(outcome->logs[i].stream, "stderr") ? STREAM_STDERR : STREAM_STDOUT,
			outcome->logs[i].kept, outcome->logs[i].kept_len);
	print_patterns(&trial);
	print_samples(&outcome->record);
	if (outcome->run.wall_ns >= 0) { /* else it never began */
		buf_adds(&wall, ", ");
		num_add_duration(&wall, outcome->run.wall_ns);
	}
	printf("\n%s: %s%s%s%s\n", row->name, run_status_name(outcome->run.status),
		outcome->run.reason[0] ? ": " : "", outcome->run.reason, wall.data);
	if (outcome->run.status == RUN_OK)
		return 0;
	return err_set(err, E_RUN, "the run is %s: %s", run_status_name(outcome->run.status),
		outcome->run.reason);
}

static int interrupted(struct err *err)
{
	err_set(err, E_SIGNAL, "interrupted");
	err->sys = sig_received;
	return -1;
}

static int run_row(struct cli *cli, struct experiment *experiment, int index,
	const struct log_parser *parser, struct err *err)
{
	const struct plan *plan = experiment->plan;
	const struct plan_row *row = &plan->rows[index];
	CLEANUP(live_freep)
	struct live *live = live_new(plan, experiment->state.dir, cli->common.quiet);
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	const struct executor *executor = executor_find("local");
	struct executor_setup setup = {
		.plan = plan,
		.state = &experiment->state,
		.source = &experiment->source,
		.launcher = cli->launcher,
		.stop = &sig_received,
		.build_hooks = live_build_hooks(live),
		.diags = &diags,
	};
	struct run_request request = {.row = row, .attempt = 1, .echo = stdout};
	AUTOFREE bool *wanted = xcalloc(plan->n_builds, sizeof(bool));
	struct build_result *builds = NULL;
	struct run_outcome outcome;
	void *state;
	int rc = -1;

	wanted[row->build] = wanted[plan->rows[row->baseline].build] = true;
	if (executor->open(&setup, &state, err))
		return -1;
	executor->use_seed(state, 1);
	if (executor->build(state, wanted, &builds, err))
		goto out;
	live_free(STEAL(live));
	if (sig_received) {
		interrupted(err);
		goto out;
	}
	if (builds[row->build].status != BUILD_OK) {
		/* Why, the line of the build has said; unless it was not shown. */
		if (cli->common.quiet)
			err_set(err, E_BUILD, "building '%s': %s", row->variant,
				builds[row->build].reason);
		else
			err_set(err, E_BUILD, "'%s' was not built", row->variant);
		goto out;
	}
	request.builds = builds;
	if (executor->run(state, &request, &outcome, err))
		goto out;
	diags_print(&diags, stderr, tty_colour(STDERR_FILENO));
	rc = outcome.interrupted ? interrupted(err)
				 : report_run(experiment, row, parser, &outcome, err);
	run_outcome_release(&outcome);
out:
	build_results_free(builds, plan->n_builds, experiment->descriptor->build.outputs.n);
	executor->close(state);
	return rc;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct try_options *options = opts;
	CLEANUP(experiment_release) struct experiment experiment = {.state = STATE_INIT};
	CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
	const struct workload *workload;
	int row = 0;

	if (open_experiment(cli, args->items[0], NULL, true, true, &experiment, err))
		return -1;
	if (args->n > 1)
		row = plan_find_row(experiment.plan, args->items[1]);
	if (row < 0 || !experiment.plan->n_rows) {
		err_set(err, E_USAGE, "the plan has no row '%s'",
			args->n > 1 ? args->items[1] : "");
		return err_help(err, "assay plan %s lists the rows", args->items[0]);
	}
	workload = experiment.plan->rows[row].workload;
	if (workload->log && log_parser_load(experiment.descriptor, workload->log,
				     &experiment.diags, &parser, err))
		return -1;
	if (options->log)
		return judge_log(&experiment, options, &experiment.plan->rows[row], parser, err);
	return run_row(cli, &experiment, row, parser, err);
}

const struct command command_try = {
	.name = "try",
	.usage = &try_usage,
	.options = try_opts,
	.options_size = sizeof(struct try_options),
	.defaults = &try_defaults,
	.wants_launcher = true,
	.run = run,
};
