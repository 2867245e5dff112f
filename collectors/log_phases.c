/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/log_phases.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

struct log_span {
	const char *name, *instance, *thread; /* interned: equal texts are equal pointers */
	struct log_time from, to;
	int64_t before_ns, length_ns; /* length -1: from and to hold */
	bool open;
	size_t below; /* index + 1 of the open one of this name begun before */
};

void log_phases_init(struct log_phases *phases, size_t n_clocks)
{
	memset(phases, 0, sizeof(*phases));
	phases->offsets = xcalloc(n_clocks + 1, sizeof(*phases->offsets));
	phases->n_clocks = n_clocks;
	for (size_t i = 0; i < n_clocks; i++)
		phases->offsets[i] = INT64_MAX;
}

void log_phases_release(struct log_phases *phases)
{
	map_release(&phases->texts);
	map_release(&phases->open);
	vec_release(&phases->spans);
	free(phases->offsets);
	arena_release(&phases->arena);
}

static const char *intern(struct log_phases *phases, const char *text)
{
	const char *copy;

	if (!*text)
		return "";
	copy = map_get(&phases->texts, text);
	if (!copy) {
		char *own = arena_strdup(&phases->arena, text);

		map_put(&phases->texts, own, own);
		copy = own;
	}
	return copy;
}

static struct log_span *add(struct log_phases *phases, const struct log_phase_name *name)
{
	struct log_span *span = vec_push(&phases->spans);

	span->name = intern(phases, name->name);
	span->instance = intern(phases, name->instance);
	span->thread = intern(phases, name->thread);
	span->length_ns = -1;
	return span;
}

void log_phases_clock(struct log_phases *phases, int clock, int64_t own_ns, int64_t arrival_ns)
{
	int64_t offset;

	if (__builtin_sub_overflow(arrival_ns, own_ns, &offset))
		return;
	if (offset < phases->offsets[clock])
		phases->offsets[clock] = offset;
}

void log_phases_span(struct log_phases *phases, const struct log_phase_name *name,
	struct log_time end, int64_t before_ns, int64_t length_ns)
{
	struct log_span *span = add(phases, name);

	span->to = end;
	span->before_ns = before_ns;
	span->length_ns = length_ns;
}

void log_phases_point(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at)
{
	log_phases_span(phases, name, at, 0, 0);
}

static void open_key(struct buf *key, const struct log_phase_name *name)
{
	buf_addf(key, "%s\x1f%s\x1f%s", name->name, name->instance, name->thread);
}

void log_phases_begin(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at)
{
	CLEANUP(buf_release) struct buf key = BUF_INIT;
	struct log_span *span = add(phases, name);

	open_key(&key, name);
	span->from = at;
	span->open = true;
	span->below = (size_t)(uintptr_t)map_get(&phases->open, key.data);
	map_put(&phases->open, key.data, (void *)(uintptr_t)phases->spans.n);
	phases->unmatched_begins++;
}

void log_phases_end(
	struct log_phases *phases, const struct log_phase_name *name, struct log_time at)
{
	CLEANUP(buf_release) struct buf key = BUF_INIT;
	struct map_entry *entry;
	struct log_span *span;

	open_key(&key, name);
	entry = map_find(&phases->open, key.data);
	if (!entry || !entry->value) {
		phases->unmatched_ends++;
		return;
	}
	span = &phases->spans.items[(uintptr_t)entry->value - 1];
	span->to = at;
	span->open = false;
	entry->value = (void *)(uintptr_t)span->below;
	phases->unmatched_begins--;
}

/* --- After the run -----------------------------------------------------------------------------
 */

struct extent {
	size_t index;
	const char *thread, *instance;
	int64_t start_ns, end_ns;
};

static int64_t clamp(int64_t t, int64_t low, int64_t high)
{
	return t < low ? low : t > high ? high : t;
}

static int64_t resolve(
	const struct log_phases *phases, struct log_time time, int64_t start_ns, int64_t end_ns)
{
	int64_t t = time.ns;

	if (time.clock != LOG_ARRIVAL && __builtin_add_overflow(t, phases->offsets[time.clock], &t))
		t = time.ns < 0 ? start_ns : end_ns;
	return clamp(t, start_ns, end_ns) - start_ns;
}

static int by_nesting(const void *pa, const void *pb)
{
	const struct extent *a = pa, *b = pb;

	if (a->thread != b->thread)
		return (uintptr_t)a->thread < (uintptr_t)b->thread ? -1 : 1;
	if (a->instance != b->instance)
		return (uintptr_t)a->instance < (uintptr_t)b->instance ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Outer phases come before inner ones; those that merely overlap are siblings. */
static void find_parents(struct extent *extents, size_t n, int *parents)
{
	VEC(struct extent) stack = VEC_INIT;

	qsort(extents, n, sizeof(*extents), by_nesting);
	for (size_t i = 0; i < n; i++) {
		const struct extent *e = &extents[i];

		while (stack.n) {
			const struct extent *top = &stack.items[stack.n - 1];

			if (top->thread == e->thread && top->instance == e->instance &&
				top->end_ns >= e->end_ns && top->start_ns <= e->start_ns)
				break;
			stack.n--;
		}
		parents[e->index] = stack.n ? (int)stack.items[stack.n - 1].index : -1;
		*vec_push(&stack) = *e;
	}
	vec_release(&stack);
}

void log_phases_write(
	struct log_phases *phases, int64_t start_ns, int64_t end_ns, struct run_record *record)
{
	size_t n = phases->spans.n, first = record->phases.n;
	AUTOFREE struct extent *extents = xcalloc(n + 1, sizeof(*extents));
	AUTOFREE int *parents = xcalloc(n + 1, sizeof(*parents));

	if (end_ns < start_ns)
		end_ns = start_ns;
	for (size_t i = 0; i < n; i++) {
		const struct log_span *span = &phases->spans.items[i];
		struct extent *e = &extents[i];

		*e = (struct extent){
			.index = i, .thread = span->thread, .instance = span->instance};
		if (span->length_ns >= 0) {
			e->end_ns =
				clamp(resolve(phases, span->to, start_ns, end_ns) - span->before_ns,
					0, INT64_MAX);
			e->start_ns = clamp(e->end_ns - span->length_ns, 0, INT64_MAX);
			continue;
		}
		e->start_ns = resolve(phases, span->from, start_ns, end_ns);
		e->end_ns = span->open ? end_ns - start_ns
				       : resolve(phases, span->to, start_ns, end_ns);
		if (e->end_ns < e->start_ns)
			e->end_ns = e->start_ns;
	}
	/* The sort below moves them. */
	for (size_t i = 0; i < n; i++) {
		const struct log_span *span = &phases->spans.items[i];

		run_record_phase(record, &(struct phase_span){.name = span->name,
						 .instance = span->instance,
						 .thread = span->thread,
						 .start_ns = extents[i].start_ns,
						 .end_ns = extents[i].end_ns,
						 .parent = -1,
						 .source = "log"});
	}
	find_parents(extents, n, parents);
	for (size_t i = 0; i < n; i++) {
		if (parents[i] >= 0)
			record->phases.items[first + i].parent = (int)first + parents[i];
	}
}
