/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the live view: the median of each row's metric so far, against its baseline's. No
 * verdicts: those are made once, at the end, by the report. */
#ifndef ASSAY_CLI_LIVE_ROWS_H
#define ASSAY_CLI_LIVE_ROWS_H

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

struct live_rows {
	const struct plan *plan;
	struct live_row *rows;
};

void live_rows_init(struct live_rows *rows, const struct plan *plan);
void live_rows_release(struct live_rows *rows);
void live_rows_builds(struct live_rows *rows, const struct build_result *builds);
void live_rows_note(struct live_rows *rows, const struct plan_row *row, enum run_role role,
	const struct store_run *run, const struct run_record *record);
/* A line for each row of a cell, at most a dozen. */
void live_rows_show(const struct live_rows *rows, int cell, struct buf *to);

#endif
