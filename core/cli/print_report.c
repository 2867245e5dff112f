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

#define METRICS_SHOWN 300 /* bytes of a list in a message */

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
		return err_help(err, "'assay list renderers' names the formats");
	}
	return 0;
}

/* As it is written in a descriptor: "wall", "phase:kernel", "log:t@kernel". */
static char *metric_ref(const struct stored_metric *metric)
{
	const char *phase = text_starts(metric->scope, "phase:") ? metric->scope + 6 : NULL;

	if (!phase)
		return xstrdup(metric->metric);
	return !strcmp(metric->metric, "wall") ? xasprintf("phase:%s", phase)
					       : xasprintf("%s@%s", metric->metric, phase);
}

/* A report about a metric that no run of the session has would say nothing on two pages. */
static int check_metric(struct store *store, const struct store_session *session,
	const char *metric, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(buf_release) struct buf list = BUF_INIT;
	struct stored_metric *metrics;
	const char **refs, *near;
	bool found = false;
	size_t n, kept = 0;

	if (store_read_metric_names(store, session->id, &arena, &metrics, &n, err))
		return -1;
	refs = arena_array(&arena, n, sizeof(*refs));
	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *ref = metric_ref(&metrics[i]);

		found |= !strcmp(ref, metric);
		if (metrics[i].n)
			refs[kept++] = arena_strdup(&arena, ref);
	}
	/* Without a sample at all, what is missing is not this metric. */
	if (found || !kept)
		return 0;
	near = text_nearest(metric, refs, kept);
	for (size_t i = 0; i < kept && list.len < METRICS_SHOWN; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", refs[i]);
	err_set(err, E_USAGE, "no run of session %lld has a metric '%s'", (long long)session->id,
		metric);
	return near ? err_help(err, "did you mean '%s'?", near)
		    : err_help(err, "there are %s%s", list.data,
			      list.len < METRICS_SHOWN ? "" : ", ...");
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

	if (print_report_check(options, err) ||
		(options->metric && check_metric(store, session, options->metric, err)))
		return -1;
	if (report->build(&request, &doc, err) || renderer->render(doc, &render, &text, err))
		return -1;
	if (options->output)
		return fs_write(options->output, text.data, text.len, 0, err);
	fwrite(text.data, 1, text.len, stdout);
	return 0;
}
