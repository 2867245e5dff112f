/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/print_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/tty.h"
#include "reports/render.h"
#include "reports/report.h"

/* "out/report.md" -> "out/report" */
static char *stem_of(const char *output)
{
	const char *dot = output ? strrchr(path_basename(output), '.') : NULL;

	if (!output)
		return xstrdup("assay");
	return dot ? xstrndup(output, (size_t)(dot - output)) : xstrdup(output);
}

int print_report_check(const struct print_report_options *options, struct err *err)
{
	if (options->report && !report_find(options->report)) {
		err_set(err, E_USAGE, "there is no report '%s'", options->report);
		return err_help(err, "'assay list reports' names them");
	}
	if (!renderer_find(options->format)) {
		err_set(err, E_USAGE, "there is no format '%s'", options->format);
		return err_help(err, "'assay list renderers' names them");
	}
	return 0;
}

int print_report(struct store *store, const struct store_session *session,
	const struct print_report_options *options, struct err *err)
{
	const struct report *report = options->report ? report_find(options->report) : reports[0];
	const struct renderer *renderer = renderer_find(options->format);
	struct report_request request = {
		store, session, options->where, options->metric, options->source};
	CLEANUP(doc_freep) struct doc *doc = NULL;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOFREE char *stem = options->figures ? stem_of(options->output) : NULL;
	struct render_options render = {
		.width = options->output ? 100 : tty_width(STDOUT_FILENO),
		.colour = !options->output && tty_colour(STDOUT_FILENO),
		.figure_stem = stem,
		.figure_format = options->figures,
	};

	if (print_report_check(options, err))
		return -1;
	if (report->build(&request, &doc, err) || renderer->render(doc, &render, &text, err))
		return -1;
	if (options->output)
		return fs_write(options->output, text.data, text.len, 0, err);
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}
