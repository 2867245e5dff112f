/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/cli/common.h"
#include "core/cli/print_report.h"

struct report_options {
	const char *format, *output, *where, *metric, *report, *figures;
	bool json;
};

static const char *const figure_formats[] = {"svg", "png", NULL};

static const struct opt report_opts[] = {
	{.name = "format",
		.short_name = 'f',
		.type = OPT_TEXT,
		.arg = "FORMAT",
		.help = "text, markdown, json or csv; default by the ending of -o, else text",
		.offset = offsetof(struct report_options, format),
		.words_from = "list renderers"},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "the same as --format json",
		.offset = offsetof(struct report_options, json)},
	{.name = "output",
		.short_name = 'o',
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "write the report to a file",
		.offset = offsetof(struct report_options, output)},
	{.name = "figures",
		.type = OPT_CHOICE,
		.arg = "FORMAT",
		.choices = figure_formats,
		.help = "draw figures beside the report (needs gnuplot)",
		.offset = offsetof(struct report_options, figures)},
	{.name = "where",
		.type = OPT_TEXT,
		.arg = "PREDICATE",
		.help = "only these rows",
		.offset = offsetof(struct report_options, where)},
	{.name = "metric",
		.type = OPT_TEXT,
		.arg = "METRIC",
		.help = "compare another metric than the experiment's",
		.offset = offsetof(struct report_options, metric)},
	{.name = "report",
		.type = OPT_TEXT,
		.arg = "NAME",
		.help = "which report; 'assay list reports' names them",
		.offset = offsetof(struct report_options, report),
		.words_from = "list reports"},
	{0},
};

static const struct opt_usage report_usage = {
	.command = "assay report",
	.args = "[FILE|SESSION]",
	.summary = "compare the variants of a session",
	.about = "FILE is a descriptor: its newest session is shown, also while it is still "
		 "running. "
		 "SESSION is a session's number or the beginning of its uid ('assay ls').",
	.examples = "assay report exp.yaml\tthe newest session\n"
		    "assay report exp.yaml -o report.md --figures svg\tMarkdown and a figure\n",
	.max_args = 1,
	.exit_status = "0\twritten\n9\tthe session has no valid run\n",
};

static const char *format_of(const struct report_options *options)
{
	static const struct {
		const char *ending, *format;
	} endings[] = {
		{".md", "markdown"},
		{".markdown", "markdown"},
		{".json", "json"},
		{".csv", "csv"},
		{".html", "html"},
	};

	if (options->json)
		return "json";
	if (options->format)
		return options->format;
	for (size_t i = 0; options->output && i < ARRAY_SIZE(endings); i++) {
		size_t n = strlen(options->output), e = strlen(endings[i].ending);

		if (n > e && !strcmp(options->output + n - e, endings[i].ending))
			return endings[i].format;
	}
	return "text";
}

/* What commands that the report proposes can name: the descriptor of this folder, when the session
 * is one of its experiment; else what the user named. */
static char *source_of(const char *name, const struct store_session *session)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;
	struct err ignored;
	const char *file;

	if (name && names_a_file(name) && !fs_is_dir(name))
		return xstrdup(name);
	if (descriptor_load(
		    name && fs_is_dir(name) ? name : ".", NULL, 0, &diags, &descriptor, &ignored) ||
		strcmp(descriptor->name, session->experiment) != 0)
		return xstrdup(name ? name : ".");
	file = descriptor->file;
	return xstrdup(text_starts(file, "./") ? file + 2 : file);
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct report_options *options = opts;
	const char *name = args->n ? args->items[0] : NULL;
	CLEANUP(chosen_session_release) struct chosen_session chosen = {0};
	AUTOFREE char *source = NULL;
	struct print_report_options print = {
		.report = options->report,
		.format = format_of(options),
		.output = options->output,
		.where = options->where,
		.metric = options->metric,
		.figures = options->figures,
	};

	if (print_report_check(&print, err) || choose_session(cli, name, &chosen, err))
		return -1;
	source = source_of(name, &chosen.session);
	print.source = source;
	if (!strcmp(chosen.session.state, "open"))
		log_note("session %lld is not complete: this is what there is so far",
			(long long)chosen.session.id);
	return print_report(chosen.store, &chosen.session, &print, err);
}

const struct command command_report = {
	.name = "report",
	.usage = &report_usage,
	.options = report_opts,
	.options_size = sizeof(struct report_options),
	.common = COMMON_READS,
	.run = run,
};
