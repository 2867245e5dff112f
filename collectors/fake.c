/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collector that measures nothing: the same samples and phases on every machine, for golden tests
 * and for the error paths of those who call collectors. It is also the example of
 * doc/HOWTO-collector.md.
 */
#include "config.h"

#include "collectors/collector.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct fake_options {
	double value, step;
	struct conf_texts phases;
	const char *fail;
};

struct fake_state {
	const struct fake_options *options;
	uint64_t runs, lines;
};

static bool fails(const struct fake_state *fake, const char *where)
{
	return fake->options->fail && !strcmp(fake->options->fail, where);
}

static int fake_open(
	void *state, const struct collector_setup *setup, struct diags *diags, struct err *err)
{
	struct fake_state *fake = state;

	(void)diags;
	fake->options = setup->options;
	if (fails(fake, "open"))
		return err_set(err, E_MISSING, "the fake collector was told to fail");
	return 0;
}

static int fake_begin(void *state, struct collector_begin *begin, struct err *err)
{
	struct fake_state *fake = state;
	struct conf_pair *pair = arena_alloc(begin->arena, sizeof(*pair));

	if (fails(fake, "begin"))
		return err_set(err, E_MISSING, "the fake collector was told to fail");
	fake->lines = 0;
	pair->key = "ASSAY_FAKE";
	pair->value = arena_printf(begin->arena, "%" PRIu64, fake->runs);
	begin->env = (struct conf_pairs){.items = pair, .n = 1};
	return 0;
}

static int fake_attach(void *state, pid_t pid, struct err *err)
{
	(void)pid;
	if (fails(state, "attach"))
		return err_set(err, E_MISSING, "the fake collector was told to fail");
	return 0;
}

static void fake_line(void *state, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct fake_state *fake = state;

	(void)stream;
	(void)line;
	(void)len;
	(void)t_ns;
	fake->lines++;
}

static void add(struct run_record *record, const char *metric, const char *unit, double value,
	double quantum)
{
	run_record_sample(record, &(struct sample){.metric = metric,
					  .unit = unit,
					  .better = "lower",
					  .scope = "run",
					  .value = value,
					  .quantum = quantum,
					  .collector = "fake"});
}

static int fake_collect(void *state, struct collector_run *run, struct err *err)
{
	struct fake_state *fake = state;
	const struct conf_texts *phases = &fake->options->phases;

	if (fails(fake, "collect"))
		return err_set(err, E_MISSING, "the fake collector was told to fail");
	add(run->record, "fake:value", "s",
		fake->options->value + (double)fake->runs * fake->options->step, 0.001);
	add(run->record, "fake:lines", "", (double)fake->lines, 1);
	/* One after the other, a millisecond each. */
	for (size_t i = 0; i < phases->n; i++) {
		run_record_phase(run->record, &(struct phase_span){.name = phases->items[i],
						      .start_ns = (int64_t)i * NS_PER_MS,
						      .end_ns = (int64_t)(i + 1) * NS_PER_MS,
						      .parent = -1,
						      .source = "fake"});
	}
	fake->runs++;
	return 0;
}

static const char *const fail_choices[] = {"open", "begin", "attach", "collect", NULL};
static const struct conf_field fake_fields[] = {
	{"value", CT_REAL, .offset = offsetof(struct fake_options, value)},
	{"step", CT_REAL, .offset = offsetof(struct fake_options, step)},
	{"phases", CT_TEXTS, .offset = offsetof(struct fake_options, phases)},
	{"fail", CT_CHOICE, .offset = offsetof(struct fake_options, fail), .choices = fail_choices},
	{0},
};

const struct collector fake_collector = {
	.name = "fake",
	.summary = "made-up values, for tests: fake:value = value + step * runs so far",
	.options = fake_fields,
	.options_size = sizeof(struct fake_options),
	.state_size = sizeof(struct fake_state),
	.open = fake_open,
	.begin = fake_begin,
	.attach = fake_attach,
	.line = fake_line,
	.collect = fake_collect,
};
