/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/live_head.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

#define VARIANT_LONG 20 /* columns, as in reports */
#define GAP 3

/* One statement of the first line; the one with the highest rank leaves first, 0 never. */
struct part {
	char *text;
	int rank;
};

struct parts {
	struct part items[8];
	size_t n;
};

static void add_part(struct parts *parts, int rank, char *text)
{
	parts->items[parts->n++] = (struct part){text, rank};
}

static int width_of(const struct parts *parts, int worst)
{
	int width = -GAP;

	for (size_t i = 0; i < parts->n; i++) {
		if (parts->items[i].rank <= worst)
			width += (int)text_width(parts->items[i].text) + GAP;
	}
	return width;
}

static char *coarse(const char *before, int64_t ns, const char *after)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, before);
	num_add_coarse(&text, ns);
	buf_adds(&text, after);
	return buf_steal(&text);
}

/* With the rest of the run that goes on. */
static int64_t to_go(const struct session_progress *now)
{
	int64_t rest = now->run_expected_ns - now->run_ns;

	return now->eta_ns + (rest > 0 ? rest : 0);
}

/* Less than a second would be shown as none. */
static int64_t at_least_a_second(int64_t ns)
{
	return ns < NS_PER_S ? NS_PER_S : ns;
}

void live_head(
	const struct plan *plan, const struct session_progress *now, int width, struct buf *to)
{
	const struct measure *measure = &plan->descriptor->measure;
	struct parts parts = {.n = 0};
	int worst = 7;

	add_part(&parts, 0,
		now->eta_ns < 0 ? xstrdup("time to go not known yet")
				: coarse("about ", at_least_a_second(to_go(now)), " to go"));
	add_part(&parts, 1, xasprintf("run %zu of %zu", now->done + 1, now->total));
	if (now->failed)
		add_part(&parts, 2, xasprintf("%zu failed", now->failed));
	add_part(&parts, 4,
		xasprintf("block %d of %lld", now->block + 1,
			(long long)now->row->workload->measure.blocks_min));
	add_part(&parts, 3, coarse("", now->elapsed_ns, " gone"));
	if (measure->budget_ns)
		add_part(&parts, 5, coarse("never past ", measure->budget_ns, ""));
	add_part(&parts, 7, xasprintf("session %lld", (long long)now->session->id));
	add_part(&parts, 6, xstrdup(plan->descriptor->name));
	while (worst && width_of(&parts, worst) >= width)
		worst--;
	for (size_t i = 0; i < parts.n; i++) {
		if (parts.items[i].rank <= worst)
			buf_addf(to, "%*s%s", i ? GAP : 0, "", parts.items[i].text);
		free(parts.items[i].text);
	}
	buf_addc(to, '\n');
}

const char *live_variant(const struct plan_row *row)
{
	static const char *const many[] = {
		"each", "all-each", "full", "half", "tree", "cumulative"};
	const char *label = row->label;

	if (text_width(row->variant) <= VARIANT_LONG || !label || !label[0] ||
		text_width(label) > VARIANT_LONG)
		return row->variant;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		if (!strcmp(label, many[i])) /* made many rows, names none */
			return row->variant;
	}
	return label;
}

char *live_cell(const struct plan *plan, const struct plan_cell *cell)
{
	const char *axes = strchr(cell->name, '/');

	if (plan->descriptor->n_workloads < 2)
		return xstrdup(axes ? axes + 1 : "");
	return axes ? xasprintf("%s %s", cell->workload->name, axes + 1)
		    : xstrdup(cell->workload->name);
}

void live_now(const struct plan *plan, const struct session_progress *now, struct buf *to)
{
	AUTOFREE char *cell = live_cell(plan, &plan->cells[now->row->cell]);

	buf_addf(to, "now  %s%s%s%s", live_variant(now->row), cell[0] ? "  " : "", cell,
		now->role == ROLE_WARMUP ? " (warm-up)" : "");
	/* A run that is over in a moment has no time to watch. */
	if (now->run_expected_ns >= NS_PER_S || now->run_ns >= NS_PER_S) {
		buf_adds(to, "   ");
		num_add_coarse(to, now->run_ns);
		if (now->run_expected_ns >= 0) {
			buf_adds(to, " of about ");
			num_add_coarse(to, at_least_a_second(now->run_expected_ns));
		}
	}
	buf_addc(to, '\n');
}
