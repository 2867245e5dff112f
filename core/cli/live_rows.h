/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the live view: the median of each row's metric so far, against its baseline's. No
 * verdicts: those are made once, at the end, by the report. */
#ifndef ASSAY_CLI_LIVE_ROWS_H
#define ASSAY_CLI_LIVE_ROWS_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/engine/build.h"
#include "core/model/record.h"
#include "core/store/store.h"

struct live_row {
	VEC(double) values;
	size_t failed;
	bool not_built;
};

/* How values are shown: known from the first sample on, expected by the descriptor before. */
struct live_unit {
	const char *unit; /* "s", "" */
	bool higher_better;
};

struct live_rows {
	const struct plan *plan;
	struct live_row *rows;
	struct live_unit *units; /* per workload */
	struct arena arena;      /* of the units */
};

void live_rows_init(struct live_rows *rows, const struct plan *plan);
void live_rows_release(struct live_rows *rows);
void live_rows_builds(struct live_rows *rows, const struct build_result *builds);
void live_rows_note(struct live_rows *rows, const struct plan_row *row, enum run_role role,
	const struct store_run *run, const struct run_record *record);
/* A table in at most `lines` lines of `width` columns: all rows of the plan when there is room,
 * else those of the cell of the run that goes on, its own among them. Nothing when there is no
 * room. */
void live_rows_show(const struct live_rows *rows, const struct plan_row *now, int width, int lines,
	struct buf *to);

#endif
