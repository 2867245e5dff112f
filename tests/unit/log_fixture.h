/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers from text, lines with made-up arrival times, and records as text, for tests. */
#ifndef ASSAY_TESTS_LOG_FIXTURE_H
#define ASSAY_TESTS_LOG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/log_parser.h"
#include "core/base/num.h"

#define START_NS INT64_C(5000000000000)
#define MS(n) ((int64_t)(n)*NS_PER_MS)

struct log_fixture {
	struct arena arena; /* of the YAML text */
	struct log_parser *parser;
	struct log_run *run;
	struct run_record record;
	const char *failed;
};

/* text: the parser as a YAML map. */
static inline void fixture_open(struct log_fixture *f, const char *text)
{
	struct descriptor descriptor = {0};
	struct diags diags = DIAGS_INIT;
	struct conf_node *root, *parsers;
	struct err err;

	memset(f, 0, sizeof(*f));
	assert_int_equal(
		conf_parse("inline", text, strlen(text), &f->arena, &diags, &root, &err), 0);
	root->key = "p";
	parsers = arena_alloc(&f->arena, sizeof(*parsers));
	parsers->kind = CONF_MAP;
	parsers->items = arena_array(&f->arena, 1, sizeof(struct conf_node *));
	parsers->items[0] = root;
	parsers->n = 1;
	descriptor.parsers = parsers;
	if (log_parser_load(&descriptor, "p", &diags, &f->parser, &err)) {
		diags_print(&diags, stderr, false);
		fail_msg("%s", err.text);
	}
	diags_release(&diags);
	f->run = log_run_new(f->parser);
	run_record_init(&f->record);
}

static inline void fixture_close(struct log_fixture *f)
{
	log_run_free(f->run);
	log_parser_free(f->parser);
	run_record_release(&f->record);
	arena_release(&f->arena);
}

/* A line of stdout that arrives at_ms after the start. */
static inline int fixture_line(struct log_fixture *f, int64_t at_ms, const char *line)
{
	/* Exactly the bytes of the line, so that ASan sees reads behind it. */
	size_t len = strlen(line);
	char *copy = xmalloc(len ? len : 1);
	int rule;

	memcpy(copy, line, len);
	rule = log_run_line(f->run, STREAM_STDOUT, copy, len, START_NS + MS(at_ms));
	free(copy);
	return rule;
}

/* The run took length_ms. */
static inline void fixture_end(struct log_fixture *f, int64_t length_ms)
{
	log_run_end(f->run, START_NS, START_NS + MS(length_ms), &f->record, &f->failed);
}

static inline const struct sample *fixture_sample(
	const struct log_fixture *f, const char *metric, const char *instance)
{
	for (size_t i = 0; i < f->record.samples.n; i++) {
		const struct sample *sample = &f->record.samples.items[i];

		if (!strcmp(sample->metric, metric) && !strcmp(sample->instance, instance))
			return sample;
	}
	return NULL;
}

static inline void has_value(const struct log_fixture *f, const char *metric, const char *instance,
	double value, const char *unit)
{
	const struct sample *sample = fixture_sample(f, metric, instance);

	if (!sample)
		fail_msg("no sample %s[%s]", metric, instance);
	/* Exact: printed decimals must come back as the nearest double. */
	assert_true(sample->value == value);
	assert_string_equal(sample->unit, unit);
	assert_string_equal(sample->collector, "log");
}

static inline void has_none(const struct log_fixture *f, const char *metric, const char *instance)
{
	if (fixture_sample(f, metric, instance))
		fail_msg("unexpected sample %s[%s]", metric, instance);
}

static inline void has_phase(const struct log_fixture *f, size_t i, const char *name,
	const char *instance, const char *thread, double start_ms, double end_ms)
{
	const struct phase_span *phase;

	assert_true(i < f->record.phases.n);
	phase = &f->record.phases.items[i];
	assert_string_equal(phase->name, name);
	assert_string_equal(phase->instance, instance);
	assert_string_equal(phase->thread, thread);
	assert_string_equal(phase->source, "log");
	assert_true((double)phase->start_ns == start_ms * 1e6);
	assert_true((double)phase->end_ns == end_ms * 1e6);
}

/* One line per sample and phase, for comparison with a file. */
static inline void record_dump(const struct run_record *record, const char *failed, struct buf *to)
{
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *s = &record->samples.items[i];

		buf_addf(to, "%s[%s] ", s->metric, s->instance);
		num_add_exact(to, s->value);
		buf_addf(to, " %s +-", s->unit[0] ? s->unit : "1");
		num_add_exact(to, s->quantum);
		buf_addf(to, "%s%s\n", s->reason ? " " : "", s->reason ? s->reason : "");
	}
	for (size_t i = 0; i < record->phases.n; i++) {
		const struct phase_span *p = &record->phases.items[i];

		buf_addf(to, "phase %zu %s[%s] {%s} ", i, p->name, p->instance, p->thread);
		num_add_exact(to, (double)p->start_ns / 1e6);
		buf_adds(to, " .. ");
		num_add_exact(to, (double)p->end_ns / 1e6);
		buf_addf(to, " ms in %d\n", p->parent);
	}
	if (failed)
		buf_addf(to, "failed: %s\n", failed);
}

#endif
