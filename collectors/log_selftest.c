/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tests inside a parser file:
 *
 *	tests:
 *	  - line: 'CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=2430'      # or a list of lines
 *	    stream: stderr                                        # D stdout
 *	    gives: {values: {ntt_msm_h: 2.43 s}, phases: [ntt_msm_h], instance: "", thread: gpu0}
 *	  - {line: hello, gives: nothing}                         # no rule matches
 *	  - {line: 'CUZK_TIMING: set pool ...', gives: ignored}
 *
 * values and phases must be complete; `instance` and `thread` are of the first phase; `failed:
 *true` when a `fail` rule must fire.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "collectors/log_rule.h"
#include "core/base/num.h"
#include "core/base/vec.h"

static const char *const streams[] = {"stdout", "stderr", NULL};

struct test_conf {
	const char *name; /* unused: head of list items */
	const struct conf_node *node;
	struct conf_texts lines;
	const char *stream;
	const struct conf_node *gives;
};

struct gives_conf {
	struct conf_pairs values;
	struct conf_texts phases;
	const char *instance, *thread;
	bool failed;
};

static const struct conf_field test_fields[] = {
	{"line", CT_TEXT_OR_TEXTS, .offset = offsetof(struct test_conf, lines),
		.flags = CONF_REQUIRED},
	{"stream", CT_CHOICE, .offset = offsetof(struct test_conf, stream), .choices = streams},
	{"gives", CT_NODE, .offset = offsetof(struct test_conf, gives), .flags = CONF_REQUIRED},
	{0},
};
static const struct conf_field gives_fields[] = {
	{"values", CT_PAIRS, .offset = offsetof(struct gives_conf, values), .flags = CONF_ANY_KEY},
	{"phases", CT_TEXTS, .offset = offsetof(struct gives_conf, phases)},
	{"instance", CT_TEXT, .offset = offsetof(struct gives_conf, instance)},
	{"thread", CT_TEXT, .offset = offsetof(struct gives_conf, thread)},
	{"failed", CT_BOOL, .offset = offsetof(struct gives_conf, failed)},
	{0},
};

struct outcome {
	struct run_record record;
	int rule; /* of the last line that matched one, else -1 */
	const char *failed;
};

static void run_lines(
	const struct log_parser *parser, const struct test_conf *test, struct outcome *to)
{
	CLEANUP(log_run_freep) struct log_run *run = log_run_new(parser);
	enum stream stream =
		test->stream && !strcmp(test->stream, "stderr") ? STREAM_STDERR : STREAM_STDOUT;
	int64_t t = 1000 * NS_PER_S;

	run_record_init(&to->record);
	to->rule = -1;
	for (size_t i = 0; i < test->lines.n; i++) {
		const char *line = test->lines.items[i];
		int rule = log_run_line(run, stream, line, strlen(line), t += NS_PER_S);

		if (rule >= 0)
			to->rule = rule;
	}
	log_run_end(run, 0, 2 * t, &to->record, &to->failed);
}

static bool own_count(const struct sample *sample)
{
	return !strcmp(sample->metric, "log:torn") || !strcmp(sample->metric, "log:repaired");
}

static void show_outcome(const struct outcome *outcome, struct diags *diags)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	for (size_t i = 0; i < outcome->record.samples.n; i++) {
		const struct sample *sample = &outcome->record.samples.items[i];

		if (sample->instance[0] || own_count(sample))
			continue;
		buf_addf(&text, "%s%s: ", text.len ? ", " : "", sample->metric + strlen("log:"));
		num_add_exact(&text, sample->value);
		buf_addf(&text, "%s%s", sample->unit[0] ? " " : "", sample->unit);
	}
	for (size_t i = 0; i < outcome->record.phases.n; i++) {
		const struct phase_span *phase = &outcome->record.phases.items[i];

		buf_addf(&text, "%sphase %s", text.len ? ", " : "", phase->name);
	}
	if (outcome->failed)
		buf_addf(&text, "%sfailed", text.len ? ", " : "");
	diag_help(diags, "it gives %s", text.len ? text.data : "nothing");
}

static bool same_value(const struct sample *sample, const char *text)
{
	struct log_value value;
	double want;

	if (!log_value_parse(text, strlen(text), &value) || value.used != strlen(text))
		return false;
	want = log_value_in(&value, &value.unit, NULL);
	return !strcmp(sample->unit, value.unit.base) &&
	       fabs(sample->value - want) <= 1e-12 * fabs(want);
}

static bool check_values(
	const struct outcome *outcome, const struct gives_conf *gives, struct diags *diags)
{
	size_t found = 0;

	for (size_t i = 0; i < gives->values.n; i++) {
		const struct conf_pair *pair = &gives->values.items[i];
		AUTOFREE char *metric = xasprintf("log:%s", pair->key);
		const struct sample *sample = run_record_find(&outcome->record, metric, "run");

		if (!sample || !same_value(sample, pair->value)) {
			conf_error(diags, pair->node, "the line does not give %s: %s", pair->key,
				pair->value);
			return false;
		}
		found++;
	}
	for (size_t i = 0; i < outcome->record.samples.n; i++) {
		const struct sample *sample = &outcome->record.samples.items[i];

		if (!sample->instance[0] && !own_count(sample) && !found--)
			return false;
	}
	return true;
}

static bool check_phases(const struct outcome *outcome, const struct gives_conf *gives)
{
	const struct phase_span *phases = outcome->record.phases.items;

	if (outcome->record.phases.n != gives->phases.n)
		return false;
	for (size_t i = 0; i < gives->phases.n; i++) {
		if (strcmp(phases[i].name, gives->phases.items[i]))
			return false;
	}
	if ((gives->instance || gives->thread) && !gives->phases.n)
		return false;
	return (!gives->instance || !strcmp(phases[0].instance, gives->instance)) &&
	       (!gives->thread || !strcmp(phases[0].thread, gives->thread));
}

static bool check_map(const struct outcome *outcome, const struct conf_node *node,
	struct arena *arena, struct diags *diags)
{
	struct gives_conf gives = {0};
	size_t errors = diags->errors;

	if (!conf_read(node, gives_fields, &gives, arena, diags))
		return false;
	if (outcome->rule < 0) {
		conf_error(diags, node, "no rule matches the line");
		return false;
	}
	if (check_values(outcome, &gives, diags) && check_phases(outcome, &gives) &&
		gives.failed == (outcome->failed != NULL))
		return true;
	if (diags->errors == errors)
		conf_error(diags, node, "the line gives something else");
	show_outcome(outcome, diags);
	return false;
}

/* `nothing` and `ignored` */
static bool check_word(const struct log_parser *parser, const struct outcome *outcome,
	const struct conf_node *gives, struct diags *diags)
{
	bool matched = outcome->rule >= 0;

	if (gives->kind == CONF_SCALAR && !strcmp(gives->text, "nothing")) {
		if (!matched)
			return true;
		conf_error(diags, gives, "a rule matches the line");
	} else if (gives->kind == CONF_SCALAR && !strcmp(gives->text, "ignored")) {
		if (matched && parser->rules[outcome->rule].ignore)
			return true;
		conf_error(
			diags, gives, matched ? "the line is not ignored" : "no rule matches it");
	} else {
		conf_error(diags, gives, "expected a map, `nothing` or `ignored`");
		return false;
	}
	if (matched)
		diag_help(diags, "rule %d: %s", outcome->rule + 1,
			parser->rules[outcome->rule].regex->pattern);
	return false;
}

static bool check_test(const struct log_parser *parser, const struct test_conf *test,
	struct arena *arena, struct diags *diags)
{
	struct outcome outcome;
	bool good;

	if (!test->gives || !test->lines.n)
		return false; /* reported by conf_read */
	run_lines(parser, test, &outcome);
	good = test->gives->kind == CONF_MAP ? check_map(&outcome, test->gives, arena, diags)
					     : check_word(parser, &outcome, test->gives, diags);
	run_record_release(&outcome.record);
	return good;
}

size_t log_parser_selftest(const struct log_parser *parser, struct diags *diags, size_t *ret_n)
{
	const struct conf_field list = {.name = "tests",
		.type = CT_LIST_OF,
		.sub = test_fields,
		.item_size = sizeof(struct test_conf)};
	struct arena arena = ARENA_INIT;
	struct conf_array tests = {0};
	size_t failed = 0;

	if (parser->tests && !conf_read_value(parser->tests, &list, &tests, &arena, diags))
		failed++;
	for (size_t i = 0; i < tests.n; i++) {
		if (!check_test(parser, &((const struct test_conf *)tests.items)[i], &arena, diags))
			failed++;
	}
	*ret_n = tests.n;
	arena_release(&arena);
	return failed;
}
