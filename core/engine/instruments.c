/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/instruments.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/map.h"

struct instrument {
	const struct collector *collector;
	void *state;
	char *broken; /* why it gives nothing in this run, NULL = it works */
};

static bool open_one(
	struct instrument *instrument, const struct collector_setup *setup, struct diags *diags)
{
	const struct collector *collector = instrument->collector;
	struct err err = {0};
	char why[512];

	if (collector->probe && collector->probe(why, sizeof(why))) {
		diag_add(diags, DIAG_WARNING, (struct place){0}, NULL, "collector %s: %s",
			collector->name, why);
		return false;
	}
	instrument->state = xcalloc(1, collector->state_size);
	if (collector->open && collector->open(instrument->state, setup, diags, &err)) {
		diag_add(diags, DIAG_WARNING, (struct place){0}, NULL, "collector %s: %s",
			collector->name, err.text);
		free(instrument->state);
		return false;
	}
	return true;
}

int instruments_open(struct instruments *instruments, const struct descriptor *descriptor,
	const struct workload *workload, struct arena *arena, struct diags *diags, struct err *err)
{
	struct collector_choice *choices;
	size_t n;

	if (!collectors_read(workload->measure.collectors, arena, diags, &choices, &n))
		return diags_to_err(diags, E_CONFIG, err);
	instruments->items = xcalloc(n, sizeof(*instruments->items));
	for (size_t i = 0; i < n; i++) {
		struct collector_setup setup = {descriptor, workload, choices[i].options};
		struct instrument *next = &instruments->items[instruments->n];

		next->collector = choices[i].collector;
		if (open_one(next, &setup, diags))
			instruments->n++;
	}
	return 0;
}

void instruments_close(struct instruments *instruments)
{
	for (size_t i = instruments->n; i-- > 0;) {
		struct instrument *instrument = &instruments->items[i];

		if (instrument->collector->close)
			instrument->collector->close(instrument->state);
		free(instrument->state);
		free(instrument->broken);
	}
	free(instruments->items);
	*instruments = (struct instruments){0};
}

static void set_broken(struct instrument *instrument, const struct err *err)
{
	free(instrument->broken);
	instrument->broken = xstrdup(err->text);
}

void instruments_begin(struct instruments *instruments, const char *scratch, struct arena *arena,
	struct conf_pairs *ret_env)
{
	VEC(struct conf_pair) env = VEC_INIT;

	for (size_t i = 0; i < instruments->n; i++) {
		struct instrument *instrument = &instruments->items[i];
		struct collector_begin begin = {.arena = arena, .scratch = scratch};
		struct err err = {0};

		free(STEAL(instrument->broken));
		if (!instrument->collector->begin)
			continue;
		if (instrument->collector->begin(instrument->state, &begin, &err)) {
			set_broken(instrument, &err);
			continue;
		}
		for (size_t k = 0; k < begin.env.n; k++)
			*vec_push(&env) = begin.env.items[k];
	}
	ret_env->items = arena_memdup(arena, env.items, env.n * sizeof(*env.items));
	ret_env->n = env.n;
	vec_release(&env);
}

bool instruments_attach_wanted(const struct instruments *instruments)
{
	for (size_t i = 0; i < instruments->n; i++) {
		if (instruments->items[i].collector->attach)
			return true;
	}
	return false;
}

void instruments_attach(struct instruments *instruments, pid_t pid)
{
	for (size_t i = 0; i < instruments->n; i++) {
		struct instrument *instrument = &instruments->items[i];
		struct err err = {0};

		if (instrument->collector->attach && !instrument->broken &&
			instrument->collector->attach(instrument->state, pid, &err))
			set_broken(instrument, &err);
	}
}

void instruments_line(struct instruments *instruments, enum stream stream, const char *line,
	size_t len, int64_t t_ns)
{
	for (size_t i = 0; i < instruments->n; i++) {
		struct instrument *instrument = &instruments->items[i];

		if (instrument->collector->line && !instrument->broken)
			instrument->collector->line(instrument->state, stream, line, len, t_ns);
	}
}

static void add_reason(struct run_record *record, const struct instrument *instrument)
{
	const char *name = instrument->collector->name;

	run_record_sample(record,
		&(struct sample){.metric = arena_printf(&record->arena, "collector:%s", name),
			.better = "none",
			.value = NAN,
			.quantum = NAN,
			.reason = instrument->broken,
			.collector = name});
}

/* `phase:NAME` is wall@NAME: the union of the phase's intervals, whoever reported the phase. */
static void add_phase_walls(struct run_record *record)
{
	CLEANUP(map_release) struct map seen = MAP_INIT;

	for (size_t i = 0; i < record->phases.n; i++) {
		const char *name = record->phases.items[i].name, *scope;

		if (map_find(&seen, name))
			continue;
		map_put(&seen, name, record);
		scope = arena_printf(&record->arena, "phase:%s", name);
		if (run_record_find(record, "wall", scope))
			continue;
		run_record_sample(record,
			&(struct sample){.metric = "wall",
				.unit = "s",
				.better = "lower",
				.scope = scope,
				.quantum = NAN,
				.collector = record->phases.items[i].source,
				.value = (double)run_record_phase_union(record, name) / 1e9});
	}
}

void instruments_collect(struct instruments *instruments, struct collector_run *run)
{
	const char *failed = NULL;

	for (size_t i = 0; i < instruments->n; i++) {
		struct instrument *instrument = &instruments->items[i];
		struct err err = {0};

		run->failed = NULL;
		if (!instrument->broken &&
			instrument->collector->collect(instrument->state, run, &err))
			set_broken(instrument, &err);
		if (instrument->broken)
			add_reason(run->record, instrument);
		if (run->failed && !failed)
			failed = run->failed;
	}
	add_phase_walls(run->record);
	run->failed = failed;
}
