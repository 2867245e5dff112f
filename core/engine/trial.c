/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/trial.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/lines.h"
#include "collectors/regex.h"

/* Enough of a line to recognise it, and a bound on the work of comparing. */
#define COMPARE_MAX 256
/* Less than this in common is chance. */
#define NEAR_MIN 4

struct feeder {
	struct trial *trial;
	enum stream stream;
	struct matcher matcher;
};

static struct trial_pattern *add(
	struct trial *trial, char *kind, const char *text, bool literal, enum stream stream)
{
	struct trial_pattern *pattern;

	trial->patterns = xreallocarray(trial->patterns, trial->n + 1, sizeof(*trial->patterns));
	pattern = &trial->patterns[trial->n++];
	*pattern = (struct trial_pattern){
		.kind = kind, .text = text, .literal = literal, .stream = stream};
	return pattern;
}

static int add_regex(
	struct trial *trial, char *kind, const char *text, enum stream stream, struct err *err)
{
	struct trial_pattern *pattern = add(trial, kind, text, false, stream);

	return regex_new(text, &pattern->regex, err);
}

static int add_checks(
	struct trial *trial, const char *kind, const struct checks *checks, struct err *err)
{
	for (size_t i = 0; i < checks->n; i++) {
		const struct check *check = &checks->items[i];

		if (check->kind == CHECK_TEXT)
			add(trial, xstrdup(kind), check->pattern, true, check->in);
		else if (check->kind == CHECK_RE &&
			 add_regex(trial, xstrdup(kind), check->pattern, check->in, err))
			return -1;
	}
	return 0;
}

int trial_init(struct trial *trial, const struct descriptor *descriptor,
	const struct workload *workload, const uint8_t *levels, const struct log_parser *parser,
	struct err *err)
{
	*trial = (struct trial){.parser = parser};
	if (parser) {
		trial->run = log_run_new(parser);
		trial->n_rules = log_parser_n_rules(parser);
		for (size_t i = 0; i < trial->n_rules; i++)
			add(trial, xasprintf("rule %zu", i + 1), log_parser_rule_text(parser, i),
				false, STREAM_STDOUT)
				->any_stream = true;
	}
	for (size_t i = 0; i < workload->n_metrics; i++) {
		const struct metric_def *metric = &workload->metrics[i];

		if (metric->in != STREAM_FILE &&
			add_regex(trial, xasprintf("metric %s", metric->name), metric->re,
				metric->in, err))
			return -1;
	}
	if (add_checks(trial, "check", &workload->checks, err))
		return -1;
	for (size_t i = 0; levels && i < descriptor->n_options; i++) {
		AUTOFREE char *kind = xasprintf("seen %s", descriptor->options[i].name);

		if (levels[i] && workload->reaches[i] &&
			add_checks(trial, kind, &descriptor->options[i].seen, err))
			return -1;
	}
	return 0;
}

void trial_release(struct trial *trial)
{
	for (size_t i = 0; i < trial->n; i++) {
		free((char *)trial->patterns[i].kind);
		free(trial->patterns[i].line);
		regex_free(trial->patterns[i].regex);
	}
	free(trial->patterns);
	log_run_free(trial->run);
}

/* Longest run of bytes that both have. */
static size_t common_length(const char *a, size_t n, const char *b, size_t m)
{
	unsigned short previous[COMPARE_MAX + 1] = {0}, now[COMPARE_MAX + 1] = {0};
	size_t best = 0;

	n = n < COMPARE_MAX ? n : COMPARE_MAX;
	m = m < COMPARE_MAX ? m : COMPARE_MAX;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++) {
			now[k + 1] = a[i] == b[k] ? (unsigned short)(previous[k] + 1) : 0;
			if (now[k + 1] > best)
				best = now[k + 1];
		}
		memcpy(previous, now, sizeof(now));
	}
	return best;
}

static void hit(struct trial_pattern *pattern, const char *line, size_t len)
{
	if (!pattern->matches++) {
		free(pattern->line);
		pattern->line = xstrndup(line, len);
	}
}

static void miss(struct trial_pattern *pattern, const char *line, size_t len)
{
	size_t common;

	if (pattern->matches)
		return;
	common = common_length(pattern->text, strlen(pattern->text), line, len);
	if (common >= NEAR_MIN && common > pattern->nearest) {
		pattern->nearest = common;
		free(pattern->line);
		pattern->line = xstrndup(line, len);
	}
}

static void on_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct feeder *feeder = ctx;
	struct trial *trial = feeder->trial;
	int rule = trial->run ? log_run_line(trial->run, feeder->stream, line, len, t_ns) : -1;

	trial->lines++;
	matcher_line(&feeder->matcher, line, len);
	for (size_t i = 0; i < trial->n; i++) {
		struct trial_pattern *pattern = &trial->patterns[i];
		bool matched;

		if (i < trial->n_rules) {
			matched = rule == (int)i;
		} else if (pattern->stream != feeder->stream) {
			continue;
		} else if (pattern->literal) {
			matched = memmem(line, len, pattern->text, strlen(pattern->text)) != NULL;
		} else {
			matched = regex_match(pattern->regex, &feeder->matcher, 0) == REGEX_YES;
		}
		if (matched)
			hit(pattern, line, len);
		else
			miss(pattern, line, len);
	}
}

void trial_feed(struct trial *trial, enum stream stream, const char *data, size_t len)
{
	struct feeder feeder = {trial, stream, {0}};
	struct lines lines;

	matcher_init(&feeder.matcher);
	lines_init(&lines, on_line, &feeder);
	lines_feed(&lines, data, len, 0);
	lines_end(&lines, 0);
	lines_release(&lines);
	matcher_release(&feeder.matcher);
}
