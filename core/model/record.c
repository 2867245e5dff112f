/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
	[RUN_RUNNING] = "running",
	[RUN_OK] = "ok",
	[RUN_FAILED] = "failed",
	[RUN_TIMEOUT] = "timeout",
	[RUN_INVALID] = "invalid",
	[RUN_LOST] = "lost",
	[RUN_DISCARDED] = "discarded",
};
static const char *const role_names[] = {
	[ROLE_MEASURED] = "measured",
	[ROLE_WARMUP] = "warmup",
	[ROLE_PROFILE] = "profile",
	[ROLE_CONFIRM] = "confirm",
};

static bool name_index(const char *const *names, size_t n, const char *name, unsigned *ret)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name)) {
			*ret = (unsigned)i;
			return true;
		}
	}
	return false;
}

const char *run_status_name(enum run_status status)
{
	return status_names[status];
}

bool run_status_parse(const char *name, enum run_status *ret)
{
	unsigned i;

	if (!name_index(status_names, ARRAY_SIZE(status_names), name, &i))
		return false;
	*ret = (enum run_status)i;
	return true;
}

const char *run_role_name(enum run_role role)
{
	return role_names[role];
}

bool run_role_parse(const char *name, enum run_role *ret)
{
	unsigned i;

	if (!name_index(role_names, ARRAY_SIZE(role_names), name, &i))
		return false;
	*ret = (enum run_role)i;
	return true;
}

void run_record_init(struct run_record *record)
{
	memset(record, 0, sizeof(*record));
}

void run_record_release(struct run_record *record)
{
	vec_release(&record->samples);
	vec_release(&record->phases);
	arena_release(&record->arena);
}

static const char *copy(struct run_record *record, const char *text)
{
	return text && text[0] ? arena_strdup(&record->arena, text) : "";
}

void run_record_sample(struct run_record *record, const struct sample *sample)
{
	struct sample *to = vec_push(&record->samples);

	to->metric = copy(record, sample->metric);
	to->unit = copy(record, sample->unit);
	to->better = sample->better ? copy(record, sample->better) : "lower";
	to->scope = sample->scope ? copy(record, sample->scope) : "run";
	to->instance = copy(record, sample->instance);
	to->value = sample->value;
	to->reason = sample->reason ? copy(record, sample->reason) : NULL;
	to->quality = copy(record, sample->quality);
	to->quantum = sample->quantum;
	to->collector = copy(record, sample->collector);
	if (isnan(to->value) && !to->reason)
		to->reason = "not measured";
}

int run_record_phase(struct run_record *record, const struct phase_span *phase)
{
	struct phase_span *to = vec_push(&record->phases);

	*to = *phase;
	to->name = copy(record, phase->name);
	to->instance = copy(record, phase->instance);
	to->thread = copy(record, phase->thread);
	to->source = copy(record, phase->source);
	return (int)record->phases.n - 1;
}

const struct sample *run_record_find(
	const struct run_record *record, const char *metric, const char *scope)
{
	for (size_t i = 0; i < record->samples.n; i++) {
		const struct sample *sample = &record->samples.items[i];

		if (!sample->instance[0] && !strcmp(sample->metric, metric) &&
			!strcmp(sample->scope, scope))
			return sample;
	}
	return NULL;
}

static int by_start(const void *pa, const void *pb)
{
	const struct phase_span *a = pa, *b = pb;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

int64_t run_record_phase_union(const struct run_record *record, const char *name)
{
	VEC(struct phase_span) spans = VEC_INIT;
	int64_t total = 0, end = INT64_MIN;

	for (size_t i = 0; i < record->phases.n; i++) {
		if (!strcmp(record->phases.items[i].name, name))
			*vec_push(&spans) = record->phases.items[i];
	}
	if (!spans.n)
		return -1;
	qsort(spans.items, spans.n, sizeof(*spans.items), by_start);
	for (size_t i = 0; i < spans.n; i++) {
		int64_t start = spans.items[i].start_ns;

		if (start < end)
			start = end;
		if (spans.items[i].end_ns > start) {
			total += spans.items[i].end_ns - start;
			end = spans.items[i].end_ns;
		}
	}
	vec_release(&spans);
	return total;
}

void metric_ref_split(
	const char *ref, struct arena *arena, const char **ret_metric, const char **ret_scope)
{
	const char *at = strrchr(ref, '@');

	if (!strncmp(ref, "phase:", 6)) {
		*ret_metric = "wall";
		*ret_scope = arena_strdup(arena, ref);
	} else if (at) {
		*ret_metric = arena_strndup(arena, ref, (size_t)(at - ref));
		*ret_scope = arena_printf(arena, "phase:%s", at + 1);
	} else {
		*ret_metric = arena_strdup(arena, ref);
		*ret_scope = "run";
	}
}
