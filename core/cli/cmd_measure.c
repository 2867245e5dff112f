/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/tty.h"
#include "core/cli/adhoc.h"
#include "core/cli/common.h"
#include "core/cli/execute.h"
#include "core/cli/print_report.h"
#include "core/cli/words.h"
#include "reports/analysis.h"
#include "reports/words.h"

struct measure_options {
	uint64_t runs, warmup;
	const char *difference, *metric, *save;
	bool ignore_failure, gate, json;
};

static const struct measure_options measure_defaults = {
	.runs = 10,
	.warmup = 1,
	.difference = "1%",
	.metric = "wall",
};

static const struct opt measure_opts[] = {
	{.name = "runs",
		.short_name = 'n',
		.type = OPT_UINT,
		.arg = "N",
		.help = "runs of each command; default 10",
		.offset = offsetof(struct measure_options, runs)},
	{.name = "warmup",
		.type = OPT_UINT,
		.arg = "N",
		.help = "discarded runs before; default 1",
		.offset = offsetof(struct measure_options, warmup)},
	{.name = "difference",
		.type = OPT_TEXT,
		.arg = "D",
		.help = "the smallest difference that matters; default 1%",
		.offset = offsetof(struct measure_options, difference)},
	{.name = "metric",
		.type = OPT_TEXT,
		.arg = "METRIC",
		.help = "what the verdict is about; default wall",
		.offset = offsetof(struct measure_options, metric)},
	{.name = "ignore-failure",
		.short_name = 'i',
		.type = OPT_FLAG,
		.help = "count runs with any exit status",
		.offset = offsetof(struct measure_options, ignore_failure)},
	{.name = "gate",
		.type = OPT_FLAG,
		.help = "exit by the verdict: 1 slower or worse, 8 undecided",
		.offset = offsetof(struct measure_options, gate)},
	{.name = "save",
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "keep the descriptor, and the runs beside it",
		.offset = offsetof(struct measure_options, save)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print the report as JSON",
		.offset = offsetof(struct measure_options, json)},
	{0},
};

static const struct opt_usage measure_usage = {
	.command = "assay measure",
	.args = "'CMD A' ['CMD B' ...]",
	.summary = "compare commands without a descriptor",
	.about = "Runs the commands in randomised blocks, one run of each in every block, and "
		 "compares "
		 "all with the first. A command is one argument, split into words by the quoting "
		 "rules "
		 "of a shell, but no shell runs: write sh -c '...' where one is needed.",
	.examples =
		"assay measure 'sort a.txt' 'sort --parallel=1 a.txt'\ttwo commands\n"
		"assay measure -n 20 --save exp.yaml './old' './new'\tkeep it as an experiment\n",
	.min_args = 1,
	.max_args = -1,
	.exit_status = "0\tmeasured\n1\twith --gate: a command is slower than the first\n"
		       "5\truns failed\n8\twith --gate: undecided\n9\tno valid run at all\n",
};

/* Where an unsaved measurement lives while it goes on. */
struct place_of_work {
	char *dir;  /* temporary, NULL with --save */
	char *file; /* the descriptor */
};

static void place_release(struct place_of_work *place)
{
	struct err ignored;

	if (place->dir && fs_remove(place->dir, &ignored))
		fprintf(stderr, "assay: '%s' could not be removed: %s\n", place->dir, ignored.text);
	free(place->dir);
	free(place->file);
}

static int place_make(
	const struct measure_options *options, struct place_of_work *place, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (options->save) {
		if (fs_exists(options->save)) {
			err_set(err, E_USAGE, "'%s' is there already", options->save);
			return err_help(err, "assay run %s measures it again", options->save);
		}
		place->file = xstrdup(options->save);
		return 0;
	}
	place->dir = xasprintf("%s/assay-measure-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
	if (!mkdtemp(place->dir)) {
		err_sys(err, E_SYSTEM, errno, "cannot make the folder '%s'", place->dir);
		free(STEAL(place->dir));
		return -1;
	}
	place->file = path_join(place->dir, "measure.yaml");
	return 0;
}

/* "exp" of "dir/exp.yaml" */
static char *saved_name(const char *file)
{
	const char *base = path_basename(file), *dot = strrchr(base, '.');
	AUTOFREE char *stem =
		xstrndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));

	return name_like(stem);
}

static int write_descriptor(const struct measure_options *options, const struct opt_list *args,
	const struct place_of_work *place, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOFREE char *cwd = getcwd(NULL, 0);
	/* Sessions of one folder are told apart by the name. */
	AUTOFREE char *name = options->save ? saved_name(options->save) : xstrdup("measure");
	bool here = options->save && !strchr(options->save, '/');
	struct adhoc adhoc = {
		.commands = args->items,
		.n = args->n,
		.name = name,
		.cwd = here  ? NULL
		       : cwd ? cwd
			     : "/",
		.blocks = options->runs,
		.warmup = options->warmup,
		.difference = options->difference,
		.metric = options->metric,
		.ignore_failure = options->ignore_failure,
	};

	if (adhoc_descriptor(&adhoc, &text, err))
		return -1;
	return fs_write(place->file, text.data, text.len, 0, err);
}

/* --- The screen ----------------------------------------------------------------------------------
 */

/* Which command a row is. */
static size_t command_of(const struct stored_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[16];

		adhoc_name(i, name);
		if (!strcmp(row->row.variant, name))
			return i;
	}
	return 0;
}

/* " [3.2, 5.0]", a plus sign before what is positive when signs matter. */
static void add_bounds(
	struct buf *to, double low, double high, double factor, int digits, bool signs)
{
	const double bounds[] = {low * factor, high * factor};

	for (size_t i = 0; i < 2; i++) {
		buf_adds(to, i ? ", " : " [");
		if (!isfinite(bounds[i]))
			buf_adds(to, "open");
		else if (i && factor == 100 && beyond(low, high))
			num_addf(to, signs ? "> %+.0f" : "> %.0f", BEYOND * 100);
		else if (signs)
			num_addf(to, "%+.*f", fabs(bounds[i]) < 1000 ? digits : 0, bounds[i]);
		else
			num_addf(to, "%.*f", fabs(bounds[i]) < 1000 ? digits : 0, bounds[i]);
	}
	buf_addc(to, ']');
}

/*
 * "4.1 % " and the interval, or "12.50 ms " where the difference is no ratio. Without signs it is
 * how much more, or, when flip, how much less.
 */
static void add_size(struct buf *size, struct buf *bounds, const struct row_result *result,
	bool signs, bool flip)
{
	double sign = flip ? -1 : 1;
	double low = sign * (flip ? result->high : result->low);
	double high = sign * (flip ? result->low : result->high), x = sign * result->effect;
	struct scale scale = {100, "%", percent_digits((high - low) / 2, x)};

	if (result->absolute)
		scale = scale_for(fmax(fabs(x), fabs(result->judgement.difference.value)),
			result->judgement.unit);
	num_addf(size, signs ? "%+.*f%s%s" : "%.*f%s%s", scale.digits, x * scale.factor,
		scale.unit[0] ? " " : "", scale.unit);
	add_bounds(bounds, low, high, scale.factor, scale.digits, signs);
}

static void print_verdict(const struct row_result *result, int64_t elapsed_ns)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	CLEANUP(buf_release) struct buf size = BUF_INIT;
	CLEANUP(buf_release) struct buf bounds = BUF_INIT;
	bool less = result->effect < 0;
	bool is_time = !strcmp(result->judgement.metric, "wall");
	bool differs = result->verdict == VERDICT_REGRESSED || result->verdict == VERDICT_IMPROVED;
	const char *name = result->row->row.variant;

	add_size(&size, &bounds, result, !differs, differs && less);
	switch (result->verdict) {
	case VERDICT_REGRESSED:
	case VERDICT_IMPROVED:
		buf_addf(&text, "%s is %s %s than a%s", name, size.data,
			is_time ? less ? "faster" : "slower"
			: less  ? "lower"
				: "higher",
			bounds.data);
		break;
	case VERDICT_SAME:
		buf_addf(&text, "%s is the same as a within ", name);
		add_difference(&text, &result->judgement.difference);
		buf_addf(&text, ": %s%s", size.data, bounds.data);
		break;
	case VERDICT_UNDECIDED:
		buf_addf(&text, "%s against a is undecided: %s%s", name, size.data, bounds.data);
		if (too_noisy(result))
			buf_adds(&text, "; too noisy for more runs to help, but longer ones or a "
					"quieter machine would");
		else if (result->blocks_needed)
			num_addf(&text, "; about %zu runs would do", result->blocks_needed);
		break;
	case VERDICT_UNMEASURED:
		num_addf(&text, "%s was not measured: %s", name, result->reason);
		break;
	}
	num_addf(&text, ", %zu pair%s, ", result->pairs, plural(result->pairs));
	num_add_duration(&text, elapsed_ns);
	puts(text.data);
}

static double mean_of(struct store *store, int64_t session_id, const struct analysis *analysis,
	const struct row_result *result, const char *metric)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct stored_value *values;
	const char *unit, *better;
	double sum = 0;
	size_t n = 0, n_values;
	struct err ignored;

	if (store_read_metric(store, session_id, metric, "run", &arena, &values, &n_values, &unit,
		    &better, &ignored))
		return NAN;
	for (size_t i = 0; i < n_values; i++) {
		for (size_t r = 0; r < analysis->n_runs; r++) {
			const struct stored_run *run = &analysis->runs[r];

			if (run->id == values[i].run_id && run->run.row_id == result->row->id &&
				run->run.role == ROLE_MEASURED && run->run.status == RUN_OK &&
				!isnan(values[i].value)) {
				sum += values[i].value;
				n++;
			}
		}
	}
	return n ? sum / (double)n : NAN;
}

static void put_time(struct table *table, const char *key, double seconds)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (isnan(seconds)) {
		table_none(table, key, "n/m");
		return;
	}
	num_add_duration(&text, (int64_t)(seconds * 1e9));
	table_real_text(table, key, seconds, text.data);
}

static void print_rows(
	struct store *store, const struct analysis *analysis, const struct opt_list *args)
{
	CLEANUP(table_freep) struct table *table = table_new(NULL);

	table_column(table, "name", "", ALIGN_LEFT, 0);
	table_column(table, "wall_s", "time", ALIGN_RIGHT, 0);
	table_column(table, "sd", "sd", ALIGN_RIGHT, 2);
	table_column(table, "cpu_s", "cpu", ALIGN_RIGHT, 1);
	table_column(table, "rss_bytes", "peak memory", ALIGN_RIGHT, 1);
	table_column(table, "runs", "runs", ALIGN_RIGHT, 0);
	table_column(table, "command", "command", ALIGN_LEFT, 0);
	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *result = &analysis->results[i];
		CLEANUP(buf_release) struct buf size = BUF_INIT;
		size_t command = command_of(result->row, args->n);
		int64_t id = analysis->session.id;
		double rss = mean_of(store, id, analysis, result, "rss_peak");

		table_row(table);
		table_text(table, "name", result->row->row.variant);
		put_time(table, "wall_s", mean_of(store, id, analysis, result, "wall"));
		/* Beside the time: of the time, or of nothing. */
		put_time(table, "sd",
			!strcmp(result->judgement.ref, "wall") ? result->values.sd : NAN);
		put_time(table, "cpu_s",
			mean_of(store, id, analysis, result, "user") +
				mean_of(store, id, analysis, result, "sys"));
		num_add_size(&size, rss);
		if (isnan(rss))
			table_none(table, "rss_bytes", "n/m");
		else
			table_real_text(table, "rss_bytes", rss, size.data);
		table_textf(table, "runs", "%zu/%zu", result->runs - result->failed - result->lost,
			result->runs);
		table_text(table, "command", args->items[command]);
	}
	print_table(table);
}

static void print_failures(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;
		const char *name = "";

		if (run->status == RUN_OK || run->role != ROLE_MEASURED)
			continue;
		for (size_t r = 0; r < analysis->n_rows; r++) {
			if (analysis->rows[r].id == run->row_id)
				name = analysis->rows[r].row.variant;
		}
		printf("%s failed: %s\n", name, run->reason ? run->reason : "");
		if (run->stderr_tail && run->stderr_tail[0])
			printf("  its last words: %.*s\n", (int)strcspn(run->stderr_tail, "\n"),
				run->stderr_tail);
		break;
	}
}

/* doc/interfaces.md, gate: regressed beats failed runs beats nothing measured beats undecided. */
static int gate_status(const struct analysis *analysis, int status, const struct err *err)
{
	bool undecided = false;

	for (size_t i = 0; i < analysis->n_rows; i++) {
		if (analysis->results[i].is_baseline)
			continue;
		if (analysis->results[i].verdict == VERDICT_REGRESSED)
			return 1;
		undecided |= analysis->results[i].verdict == VERDICT_UNDECIDED;
	}
	if (status)
		return err_exit_status(err);
	return undecided ? 8 : 0;
}

/* Commands are spoken of by their names, and of a store that is gone not at all. */
static int nothing_valid(const struct measure_options *options, struct err *err)
{
	AUTOFREE char *help = xstrdup(err->help);
	char *show = strstr(help, ": assay show "), *name = strchr(help, '/');

	err_set(err, E_NOTHING, "no command had a run that counts");
	if (show && !options->save)
		*show = '\0';
	return err_help(err, "%s", name ? name + 1 : help);
}

static int unmeasured(const struct analysis *analysis, struct err *err)
{
	CLEANUP(buf_release) struct buf names = BUF_INIT;

	for (size_t i = 0; i < analysis->n_rows; i++) {
		if (analysis->results[i].verdict == VERDICT_UNMEASURED)
			buf_addf(&names, "%s%s", names.len ? ", " : "",
				analysis->rows[i].row.variant);
	}
	return err_set(err, E_RUN, "not measured, since runs failed: %s", names.data);
}

static int show(struct cli *cli, const struct measure_options *options, const struct opt_list *args,
	struct store *store, const struct session_result *result, int64_t elapsed_ns,
	struct err *err)
{
	CLEANUP(analysis_freep) struct analysis *analysis = NULL;
	struct err status_err = {0};
	int status = execute_status(store, result, &status_err);

	if (result->end == SESSION_INTERRUPTED) {
		*err = status_err;
		if (options->save)
			return err_help(err, "assay run %s goes on with it", options->save);
		err_set(err, E_SIGNAL, "interrupted; nothing is kept without --save");
		err->sys = status_err.sys;
		return -1;
	}
	if (analyse_session(store, &result->session, NULL, NULL, &analysis, err))
		return err->code == E_NOTHING ? nothing_valid(options, err) : -1;
	if (options->json) {
		struct print_report_options print = {.format = "json", .source = "measure"};

		if (print_report(store, &result->session, &print, err))
			return -1;
	} else {
		for (size_t i = 0; i < analysis->n_rows; i++) {
			if (!analysis->results[i].is_baseline)
				print_verdict(&analysis->results[i], elapsed_ns);
		}
		print_rows(store, analysis, args);
		print_failures(analysis);
		if (!options->save && !cli->common.quiet)
			puts("keep it: --save exp.yaml");
	}
	if (options->gate)
		return gate_status(analysis, status, &status_err);
	if (status && status_err.code == E_RUN)
		return unmeasured(analysis, err);
	if (status)
		*err = status_err;
	return status;
}

/* --- Mistakes ------------------------------------------------------------------------------------
 */

/* The descriptor is ours: what is wrong in it came from an option. */
static const struct {
	const char *field, *option;
} fields[] = {
	{"measure.difference: ", "--difference: "},
	{"measure.metric: ", "--metric: "},
	{"measure.blocks: ", "--runs: "},
	{"measure.warmup: ", "--warmup: "},
};

/* The message of a mistake with the option's name in place of the field's. */
static int take_mistake(const struct diag *diag, struct err *err)
{
	const char *message = diag->message, *option = "";

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (text_starts(diag->message, fields[i].field)) {
			option = fields[i].option;
			message += strlen(fields[i].field);
		}
	}
	err_set(err, E_USAGE, "%s%s", option, message);
	return diag->help ? err_help(err, "%s", diag->help) : -1;
}

/* Of several commands the others are measured, and this one's runs fail with the reason. */
static int check_program(const struct opt_list *args, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	AUTOFREE char *found = NULL;
	const char *path = getenv("PATH");
	const char *const *argv;
	size_t n;

	if (args->n > 1)
		return 0;
	if (words_split(args->items[0], &arena, &argv, &n, err))
		return -1;
	found = path_which(argv[0], path ? path : "");
	if (found)
		return 0;
	err_set(err, E_MISSING, "there is no program '%s'", argv[0]);
	return err_help(err, "install it, or write its path; what only a shell knows needs one: "
			     "sh -c '...'");
}

/* A mistake in the descriptor that was made of the command line is one of the command line. */
static int open_measurement(struct cli *cli, const struct place_of_work *place,
	struct experiment *experiment, struct err *err)
{
	const struct diags *diags = &experiment->diags;
	struct err ignored;

	if (!open_experiment_silently(cli, place->file, NULL, false, true, experiment, err))
		return 0;
	for (size_t i = 0; err->code == E_CONFIG && i < diags->n; i++) {
		if (diags->items[i].level != DIAG_ERROR || !diags->items[i].file ||
			strcmp(diags->items[i].file, place->file) != 0)
			continue;
		/* With --save: nothing is kept of what cannot be measured. */
		if (fs_remove(place->file, &ignored))
			log_note("%s", ignored.text);
		return take_mistake(&diags->items[i], err);
	}
	diags_print(diags, stderr, tty_colour(STDERR_FILENO));
	return -1;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct measure_options *options = opts;
	CLEANUP(experiment_release) struct experiment experiment = {.state = STATE_INIT};
	CLEANUP(place_release) struct place_of_work place = {0};
	struct execute_options execute_options = {.no_lines = true};
	int64_t began = clock_mono_ns();
	struct session_result result;
	struct store *store;
	int status;

	if (check_program(args, err) || place_make(options, &place, err) ||
		write_descriptor(options, args, &place, err) ||
		open_measurement(cli, &place, &experiment, err))
		return -1;
	/* --store and --state name places that stay */
	execute_options.brief = place.dir && text_starts(experiment.state.store, place.dir);
	if (execute(cli, &experiment, &execute_options, &store, &result, err))
		return -1;
	status = show(cli, options, args, store, &result, clock_mono_ns() - began, err);
	session_result_release(&result);
	store_close(store);
	return status;
}

const struct command command_measure = {
	.name = "measure",
	.usage = &measure_usage,
	.options = measure_opts,
	.options_size = sizeof(struct measure_options),
	.defaults = &measure_defaults,
	.wants_launcher = true,
	.run = run,
};
