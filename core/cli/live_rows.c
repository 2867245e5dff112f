/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/live_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/stats/describe.h"

#define LINES_MAX 12
#define NAME_MAX_WIDTH 32

void live_rows_init(struct live_rows *rows, const struct plan *plan)
{
	rows->plan = plan;
	rows->rows = xcalloc(plan->n_rows, sizeof(*rows->rows));
}

void live_rows_release(struct live_rows *rows)
{
	for (size_t i = 0; i < rows->plan->n_rows; i++)
		vec_release(&rows->rows[i].values);
	free(rows->rows);
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
	const char *metric, *scope;

	if (role != ROLE_MEASURED)
		return;
	if (run->status != RUN_OK) {
		to->failed += run->status != RUN_LOST && run->status != RUN_DISCARDED;
		return;
	}
	metric_ref_split(row->workload->measure.metric, &arena, &metric, &scope);
	sample = run_record_find(record, metric, scope);
	if (sample && !isnan(sample->value))
		*vec_push(&to->values) = sample->value;
}

static double median_of(const struct live_row *row)
{
	return describe(row->values.items, row->values.n).median;
}

static void add_row(const struct live_rows *rows, int index, int width, struct buf *to)
{
	const struct live_row *row = &rows->rows[index];
	const struct plan_row *planned = &rows->plan->rows[index];
	double median = median_of(row), base = median_of(&rows->rows[planned->baseline]);
	int gap = width - (int)text_width(planned->variant);

	buf_addf(to, " %s%*s ", planned->variant, gap > 0 ? gap : 0, "");
	if (row->not_built)
		buf_adds(to, "not built");
	else if (isnan(median))
		buf_adds(to, "         -         ");
	else
		num_addf(to, "%10.4g", median);
	if (planned->baseline == index)
		num_addf(to, "   baseline  ");
	else if (!isnan(median) && base > 0)
		num_addf(to, "   %+7.2f %% ", 100 * (median / base - 1));
	num_addf(to, "  %zu run%s", row->values.n, row->values.n == 1 ? "" : "s");
	if (row->failed)
		num_addf(to, ", %zu failed", row->failed);
	buf_addc(to, '\n');
}

void live_rows_show(const struct live_rows *rows, int cell, struct buf *to)
{
	const struct plan_cell *of = &rows->plan->cells[cell];
	int width = 8;

	for (size_t i = 0; i < of->n_rows; i++) {
		int own = (int)text_width(rows->plan->rows[of->rows[i]].variant);

		if (own > width)
			width = own;
	}
	if (width > NAME_MAX_WIDTH)
		width = NAME_MAX_WIDTH;
	buf_addf(to, " %s, medians so far\n", of->workload->measure.metric);
	for (size_t i = 0; i < of->n_rows && i < LINES_MAX; i++)
		add_row(rows, of->rows[i], width, to);
	if (of->n_rows > LINES_MAX)
		buf_addf(to, " and %zu more rows\n", of->n_rows - LINES_MAX);
}
