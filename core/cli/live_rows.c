/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/live_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/table.h"
#include "core/cli/live_head.h"
#include "core/stats/describe.h"
#include "reports/words.h"

/* More rows than this at a glance are none. */
#define ROWS_MAX 24

void live_rows_init(struct live_rows *rows, const struct plan *plan)
{
	const struct descriptor *descriptor = plan->descriptor;

	*rows = (struct live_rows){.plan = plan};
	rows->rows = xcalloc(plan->n_rows, sizeof(*rows->rows));
	rows->units = xcalloc(descriptor->n_workloads, sizeof(*rows->units));
	for (size_t i = 0; i < descriptor->n_workloads; i++) {
		const struct workload *workload = &descriptor->workloads[i];
		const char *unit = metric_ref_unit(workload, workload->measure.metric);

		rows->units[i].unit = unit ? unit : "";
		for (size_t m = 0; m < workload->n_metrics; m++) {
			if (!strcmp(workload->metrics[m].name, workload->measure.metric))
				rows->units[i].higher_better =
					!strcmp(workload->metrics[m].better, "higher");
		}
	}
}

void live_rows_release(struct live_rows *rows)
{
	for (size_t i = 0; i < rows->plan->n_rows; i++)
		vec_release(&rows->rows[i].values);
	free(rows->rows);
	free(rows->units);
	arena_release(&rows->arena);
}

void live_rows_builds(struct live_rows *rows, const struct build_result *builds)
{
	for (size_t i = 0; i < rows->plan->n_rows; i++)
		rows->rows[i].not_built = builds[rows->plan->rows[i].build].status != BUILD_OK;
}

void live_rows_note(struct live_rows *rows, const struct plan_row *row, enum run_role role,
	const struct store_run *run, const struct run_record *record)
{
	struct live_row *to = &rows->rows[row - rows->plan->rows];
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	const struct sample *sample;
	struct live_unit *unit;
	const char *metric, *scope;

	if (role != ROLE_MEASURED)
		return;
	if (run->status != RUN_OK) {
		to->failed += run->status != RUN_LOST && run->status != RUN_DISCARDED;
		return;
	}
	metric_ref_split(row->workload->measure.metric, &arena, &metric, &scope);
	sample = run_record_find(record, metric, scope);
	if (!sample || isnan(sample->value))
		return;
	*vec_push(&to->values) = sample->value;
	unit = &rows->units[row->workload - rows->plan->descriptor->workloads];
	unit->higher_better = !strcmp(sample->better, "higher");
	if (strcmp(unit->unit, sample->unit) != 0)
		unit->unit = arena_strdup(&rows->arena, sample->unit);
}

static double median_of(const struct live_row *row)
{
	return describe(row->values.items, row->values.n).median;
}

/* --- Which rows ----------------------------------------------------------------------------------
 */

/* All cells can stand in one table when they show the same metric. */
static bool one_metric(const struct plan *plan)
{
	for (size_t i = 1; i < plan->n_cells; i++) {
		if (strcmp(plan->cells[i].workload->measure.metric,
			    plan->cells[0].workload->measure.metric) != 0)
			return false;
	}
	return true;
}

struct choice {
	int items[ROWS_MAX];
	size_t n, of; /* shown of so many */
	bool cells;   /* of several cells */
};

static void choose_all(const struct plan *plan, struct choice *ret)
{
	for (size_t c = 0; c < plan->n_cells; c++) {
		for (size_t i = 0; i < plan->cells[c].n_rows; i++)
			ret->items[ret->n++] = plan->cells[c].rows[i];
	}
	ret->cells = plan->n_cells > 1;
}

/* The baseline, and a window of the others that holds the running row. */
static void choose_cell(
	const struct plan *plan, const struct plan_row *now, size_t room, struct choice *ret)
{
	const struct plan_cell *cell = &plan->cells[now->cell];
	size_t at = 0, first = 1;

	while (at < cell->n_rows && &plan->rows[cell->rows[at]] != now)
		at++;
	if (at >= room)
		first = at - room + 2;
	ret->items[ret->n++] = cell->rows[0];
	for (size_t i = first; i < cell->n_rows && ret->n < room; i++)
		ret->items[ret->n++] = cell->rows[i];
	ret->of = cell->n_rows;
}

/* --- The table -----------------------------------------------------------------------------------
 */

static void put_row(const struct live_rows *rows, int index, const struct scale *scale, bool cells,
	struct table *table)
{
	const struct plan *plan = rows->plan;
	const struct live_row *row = &rows->rows[index];
	const struct plan_row *planned = &plan->rows[index];
	double median = median_of(row), base = median_of(&rows->rows[planned->baseline]);
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	table_row(table);
	if (cells) {
		AUTOFREE char *cell = live_cell(plan, &plan->cells[planned->cell]);

		table_text(table, "cell", cell);
	}
	table_text(table, "variant", live_variant(planned));
	if (!isnan(median)) {
		scale_add(&text, scale, median);
		table_text(table, "value", text.data);
	}
	if (planned->baseline == index)
		table_text(table, "against", "baseline");
	else if (row->not_built)
		table_text(table, "against", "not built");
	else if (!isnan(median) && base > 0) {
		buf_clear(&text);
		num_addf(&text, "%+.1f %%", 100 * (median / base - 1));
		table_text(table, "against", text.data);
	}
	if (row->failed)
		table_textf(table, "runs", "%zu, %zu failed", row->values.n, row->failed);
	else
		table_textf(table, "runs", "%zu", row->values.n);
}

/* The unit by the first row that has a value, baselines before others. */
static struct scale scale_of(
	const struct live_rows *rows, const struct choice *choice, const struct live_unit *unit)
{
	double value = NAN;

	for (int others = 0; others < 2 && isnan(value); others++) {
		for (size_t i = 0; i < choice->n && isnan(value); i++) {
			int index = choice->items[i];

			if (others || rows->plan->rows[index].baseline == index)
				value = median_of(&rows->rows[index]);
		}
	}
	return scale_for(value, unit->unit);
}

static char *value_title(const struct workload *workload, const struct scale *scale)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	const char *metric, *scope;

	metric_ref_split(workload->measure.metric, &arena, &metric, &scope);
	return xasprintf("%s%s%s%s", metric_noun(metric, scope), scale->unit[0] ? " (" : "",
		scale->unit, scale->unit[0] ? ")" : "");
}

static struct table *make_table(const struct live_rows *rows, const struct choice *choice,
	const struct workload *workload, const struct live_unit *unit)
{
	const struct plan *plan = rows->plan;
	struct table *table = table_new(NULL);
	struct scale scale = scale_of(rows, choice, unit);
	AUTOFREE char *value = value_title(workload, &scale);
	AUTOFREE char *against = xasprintf(
		"against %s", live_variant(&plan->rows[plan->rows[choice->items[0]].baseline]));

	if (choice->cells)
		table_column(table, "cell", "", ALIGN_LEFT, 0);
	table_column(table, "variant", "median so far", ALIGN_LEFT, 0);
	table_column(table, "value", value, ALIGN_RIGHT, 0);
	table_column(table, "against", against, ALIGN_RIGHT, 0);
	table_column(table, "runs", "runs", ALIGN_RIGHT, 1);
	table_column(table, "better", unit->higher_better ? "higher is better" : "lower is better",
		ALIGN_LEFT, 2);
	for (size_t i = 0; i < choice->n; i++) {
		put_row(rows, choice->items[i], &scale, choice->cells, table);
		table_text(table, "better", "");
	}
	return table;
}

void live_rows_show(const struct live_rows *rows, const struct plan_row *now, int width, int lines,
	struct buf *to)
{
	const struct plan *plan = rows->plan;
	const struct workload *workload = now->workload;
	CLEANUP(table_freep) struct table *table = NULL;
	struct choice choice = {.of = 0};
	size_t room = lines - 1 > ROWS_MAX ? ROWS_MAX : lines > 1 ? (size_t)lines - 1 : 0;

	if (!room)
		return;
	if (plan->n_rows <= room && one_metric(plan)) {
		choose_all(plan, &choice);
	} else {
		/* The line that counts the rest needs room, too. */
		size_t n = plan->cells[now->cell].n_rows;

		choose_cell(plan, now, n > room && room > 1 ? room - 1 : room, &choice);
	}
	table = make_table(
		rows, &choice, workload, &rows->units[workload - plan->descriptor->workloads]);
	table_render_text(table, to, width - 1, false);
	if (choice.of > choice.n && room > choice.n)
		buf_addf(to, " and %zu more row%s\n", choice.of - choice.n,
			choice.of - choice.n == 1 ? "" : "s");
}
