/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a session is done: for each (row, role, block) the attempts made and whether one of them
 * counts. Filled from the store when a session is resumed, and kept up to date while it runs; also
 * the source of the expected cost of what is left.
 */
#ifndef ASSAY_ENGINE_LEDGER_H
#define ASSAY_ENGINE_LEDGER_H

#include "core/base/map.h"
#include "core/base/vec.h"
#include "core/model/plan.h"
#include "core/model/record.h"

struct ledger_entry {
	int attempts;
	int discarded; /* of them: suspended, clock stepped */
	bool done;
};

/* Wall times of the runs so far. */
struct ledger_cost {
	double sum_ns;
	size_t n;
};

struct ledger {
	const struct plan *plan;
	struct map entries; /* "row role block" -> struct ledger_entry * (heap) */
	struct map blocks;  /* "cell block" present: begun by an earlier process */
	struct ledger_cost *rows, *workloads; /* as the plan and the descriptor number them */
	struct ledger_cost all;
	bool *slow; /* per workload: a run took over 30 s */
	size_t failed;
};

void ledger_init(struct ledger *ledger, const struct plan *plan);
void ledger_release(struct ledger *ledger);

void ledger_note(struct ledger *ledger, int row, enum run_role role, int block,
	enum run_status status, int64_t wall_ns);
bool ledger_done(const struct ledger *ledger, int row, enum run_role role, int block);
int ledger_attempts(const struct ledger *ledger, int row, enum run_role role, int block);

/* Blocks begun before this process took over. */
void ledger_mark_begun(struct ledger *ledger, int cell, int block);
bool ledger_begun(const struct ledger *ledger, int cell, int block);

/* Mean wall time of a row's runs so far, else of its workload's, else of all; -1 = nothing known.
 */
double ledger_expected_ns(const struct ledger *ledger, int row);

#endif
