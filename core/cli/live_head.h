/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two lines above the live table: how long it still takes, and what goes on now. */
#ifndef ASSAY_CLI_LIVE_HEAD_H
#define ASSAY_CLI_LIVE_HEAD_H

#include "core/base/buf.h"
#include "core/engine/session.h"

/* "about 1 min 05 s to go   run 53 of 98   ...": whatever does not fit into width columns is left
 * out, the least important first, the time to go never. Ends the line. */
void live_head(
	const struct plan *plan, const struct session_progress *now, int width, struct buf *to);
/* "now  A1  threads=2 (warm-up)   12 s of about 40 s"; ends the line. */
void live_now(const struct plan *plan, const struct session_progress *now, struct buf *to);

/* What a row is called where there is no room: the set expression that made it ("all") when its
 * variant is long. */
const char *live_variant(const struct plan_row *row);
/* What sets a cell apart: its axes ("threads=2"), its workload where there are several; "" =
 * nothing does. Owned. */
char *live_cell(const struct plan *plan, const struct plan_cell *cell);

#endif
