/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program prints about itself: the workload's parser (`log:`) gives log:KEY and phases,
 * its own `metrics:` give samples by their names.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "collectors/collector.h"
#include "collectors/lines.h"
#include "collectors/log_parser.h"
#include "collectors/log_rule.h"
#include "collectors/run_path.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* A result file larger than this is no result file. */
#define FILE_MAX ((size_t)64 * 1024 * 1024)
/* Of a text in a message. */
#define SHOWN_MAX 40

struct own_metric {
	const struct metric_def *def;
	struct regex *regex;
	int group;
	struct log_unit unit;
	enum log_reduce combine;
	/* Of the run: */
	struct log_reduced all;
	bool gave_up;
	char *odd;            /* a text that matched but is no number; NULL = none */
	const char *file_why; /* its file cannot be read; in the record's arena */
};

struct log_state {
	struct log_parser *parser;
	struct log_run *run;
	struct own_metric *metrics;
	size_t n_metrics;
	struct matcher matcher;
	bool has_matcher;
	uint64_t n_lines;
	int64_t first_ns;
};

static void log_close(void *state)
{
	struct log_state *log = state;

	for (size_t i = 0; i < log->n_metrics; i++) {
		regex_free(log->metrics[i].regex);
		free(log->metrics[i].odd);
	}
	free(log->metrics);
	if (log->has_matcher)
		matcher_release(&log->matcher);
	log_run_free(log->run);
	log_parser_free(log->parser);
}

static int open_metric(struct own_metric *metric, const struct metric_def *def, struct err *err)
{
	int combine = log_reduce_find(def->combine);

	metric->def = def;
	if (regex_new(def->re, &metric->regex, err))
		return err_wrap(err, "metric %s", def->name);
	metric->group = regex_group(metric->regex, "v");
	if (metric->group < 0)
		return err_set(err, E_CONFIG,
			"metric %s: the pattern needs a group named v: (?<v>...)", def->name);
	/* A unit that we do not know is the program's own business: "proofs", "rows". */
	if (!log_unit_find(def->unit, strlen(def->unit), &metric->unit))
		metric->unit = (struct log_unit){1, def->unit};
	metric->combine = combine < 0 ? LOG_LAST : (enum log_reduce)combine;
	return 0;
}

static int log_open(
	void *state, const struct collector_setup *setup, struct diags *diags, struct err *err)
{
	struct log_state *log = state;
	const struct workload *workload = setup->workload;

	matcher_init(&log->matcher);
	log->has_matcher = true;
	if (workload->log &&
		log_parser_load(setup->descriptor, workload->log, diags, &log->parser, err))
		goto fail;
	log->metrics = xcalloc(workload->n_metrics + 1, sizeof(*log->metrics));
	for (size_t i = 0; i < workload->n_metrics; i++) {
		/* Counted first, so that a half-opened one is closed. */
		log->n_metrics++;
		if (open_metric(&log->metrics[i], &workload->metrics[i], err))
			goto fail;
	}
	return 0;
fail:
	log_close(log);
	return -1;
}

static int log_begin(void *state, struct collector_begin *begin, struct err *err)
{
	struct log_state *log = state;

	(void)begin;
	(void)err;
	log_run_free(log->run);
	log->run = log->parser ? log_run_new(log->parser) : NULL;
	log->n_lines = 0;
	for (size_t i = 0; i < log->n_metrics; i++) {
		struct own_metric *metric = &log->metrics[i];

		metric->all = (struct log_reduced){0};
		metric->gave_up = false;
		metric->file_why = NULL;
		free(metric->odd);
		metric->odd = NULL;
	}
	return 0;
}

static void match_metric(struct log_state *log, struct own_metric *metric, const char *line)
{
	struct log_value value;
	size_t start, n;

	switch (regex_match(metric->regex, &log->matcher, 0)) {
	case REGEX_NO:
		return;
	case REGEX_LIMIT:
		metric->gave_up = true;
		return;
	case REGEX_YES:
		break;
	}
	if (!matcher_group(&log->matcher, metric->group, &start, &n))
		return;
	while (n && line[start] == ' ') {
		start++;
		n--;
	}
	while (n && line[start + n - 1] == ' ')
		n--;
	if (log_value_parse(line + start, n, &value) && value.used == n && !value.has_unit) {
		double quantum, number = log_value_in(&value, &metric->unit, &quantum);

		log_reduced_add(&metric->all, metric->combine, number, quantum);
	} else if (!metric->odd) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		text_clean(&text, line + start, n < SHOWN_MAX ? n : SHOWN_MAX);
		metric->odd = buf_steal(&text);
	}
}

static bool wants_file(const struct own_metric *metric, const char *template)
{
	return metric->def->in == STREAM_FILE && template && !strcmp(metric->def->path, template);
}

static void match_metrics(
	struct log_state *log, enum stream stream, const char *path, const char *line, size_t len)
{
	if (!log->n_metrics)
		return;
	matcher_line(&log->matcher, line, len);
	for (size_t i = 0; i < log->n_metrics; i++) {
		struct own_metric *metric = &log->metrics[i];

		if (metric->gave_up)
			continue;
		if (stream == STREAM_FILE ? wants_file(metric, path) : metric->def->in == stream)
			match_metric(log, metric, line);
	}
}

static void log_line(void *state, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct log_state *log = state;

	if (!log->n_lines++)
		log->first_ns = t_ns;
	if (log->run)
		(void)log_run_line(log->run, stream, line, len, t_ns);
	match_metrics(log, stream, NULL, line, len);
}

/* --- Files -------------------------------------------------------------------------------------
 */

struct file_lines {
	struct log_state *log;
	const char *path; /* the template: which metrics want it */
};

static void file_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	const struct file_lines *file = ctx;

	(void)t_ns;
	match_metrics(file->log, STREAM_FILE, file->path, line, len);
}

/* Reads the file of one template for all metrics that want it. */
static void read_metric_file(struct log_state *log, const char *template, struct collector_run *run)
{
	struct file_lines file = {log, template};
	CLEANUP(buf_release) struct buf data = BUF_INIT;
	struct lines lines;
	struct err err;
	const char *path;

	if (run_path(run->expand, run->expand_ctx, template, &run->record->arena, &path, &err) ||
		fs_read(path, FILE_MAX, &data, &err)) {
		for (size_t i = 0; i < log->n_metrics; i++) {
			struct own_metric *metric = &log->metrics[i];

			if (wants_file(metric, template))
				metric->file_why = arena_strdup(&run->record->arena, err.text);
		}
		return;
	}
	lines_init(&lines, file_line, &file);
	lines_feed(&lines, data.data, data.len, 0);
	lines_end(&lines, 0);
	lines_release(&lines);
}

static void read_metric_files(struct log_state *log, struct collector_run *run)
{
	for (size_t i = 0; i < log->n_metrics; i++) {
		const struct metric_def *def = log->metrics[i].def;
		size_t first = 0;

		while (!wants_file(&log->metrics[first], def->path) && first < i)
			first++;
		if (def->in == STREAM_FILE && first == i)
			read_metric_file(log, def->path, run);
	}
}

/* --- The end of a run --------------------------------------------------------------------------
 */

static const char *why_nothing(const struct own_metric *metric, struct arena *arena)
{
	static const char *const names[] = {"stdout", "stderr"};

	if (metric->file_why)
		return metric->file_why;
	if (metric->gave_up)
		return arena_printf(arena, "'%s' took too many steps on a line", metric->def->re);
	if (metric->odd)
		return arena_printf(arena, "'%s' matched \"%s\", which is not a number",
			metric->def->re, metric->odd);
	return arena_printf(arena, "no line of %s matches '%s'",
		metric->def->in == STREAM_FILE ? metric->def->path : names[metric->def->in],
		metric->def->re);
}

static void write_metric(const struct own_metric *metric, struct run_record *record)
{
	const struct metric_def *def = metric->def;
	bool found = metric->all.n && !metric->gave_up;

	run_record_sample(record,
		&(struct sample){.metric = def->name,
			.unit = metric->unit.base,
			.better = def->better,
			.scope = "run",
			.value = found ? log_reduced_value(&metric->all, metric->combine) : NAN,
			.reason = found ? NULL : why_nothing(metric, &record->arena),
			.quantum = found ? metric->all.quantum : NAN,
			.collector = "log"});
}

/* A program that buffers its output in blocks prints it all at exit: then arrival times say nothing
 * about its phases. */
static void write_lateness(const struct log_state *log, struct collector_run *run)
{
	const struct proc_result *result = run->result;
	bool late = log->n_lines && log->first_ns >= result->stop.mono_ns - result->wall_ns / 100;

	run_record_sample(run->record, &(struct sample){.metric = "log:late_lines",
					       .better = "none",
					       .value = late ? (double)log->n_lines : 0,
					       .quantum = 1,
					       .collector = "log"});
}

static int log_collect(void *state, struct collector_run *run, struct err *err)
{
	struct log_state *log = state;

	(void)err;
	if (log->run) {
		log_run_end(log->run, run->result->start.mono_ns, run->result->stop.mono_ns,
			run->record, &run->failed);
		write_lateness(log, run);
	}
	read_metric_files(log, run);
	for (size_t i = 0; i < log->n_metrics; i++)
		write_metric(&log->metrics[i], run->record);
	return 0;
}

const struct collector log_collector = {
	.name = "log",
	.summary = "phases and numbers that the program prints",
	.caps = COLLECTOR_DEFAULT,
	.state_size = sizeof(struct log_state),
	.open = log_open,
	.begin = log_begin,
	.line = log_line,
	.collect = log_collect,
	.close = log_close,
};
