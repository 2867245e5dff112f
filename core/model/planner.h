/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planner's state while a plan is made; used by plan.c and plan_rows.c only. */
#ifndef ASSAY_MODEL_PLANNER_H
#define ASSAY_MODEL_PLANNER_H

#include "core/base/vec.h"
#include "core/model/plan_id.h"
#include "core/model/predicate.h"
#include "core/model/variants.h"

struct planner {
	const struct descriptor *d;
	struct plan *plan;
	struct arena *arena;  /* the plan's */
	struct arena scratch; /* thrown away at the end */
	struct diags *diags;
	bool force;
	struct variant_sets sets;
	uint8_t *baseline;
	const struct predicate **excludes;
	bool *matched; /* per exclude: it matched a row */
	const struct predicate *where;
	struct map keys; /* name of an option or axis -> its index + 1, axes after options */
	struct id_maker ids;
	VEC(struct plan_row) rows;
	VEC(struct plan_cell) cells;
	VEC(struct plan_build) builds;
	VEC(const char *) warnings;
	VEC(struct clash) clashes; /* reported already */
};

/* node NULL: no place. */
void planner_warn(void *ctx, const struct conf_node *node, const char *text);

/* Fills rows (workload, levels, axis_values, cell, baseline) and cells (name, workload, baseline,
 * number of rows), and counts what was excluded and merged. E_USAGE when there are too many rows;
 * mistakes go to diags. */
int planner_rows(struct planner *planner, struct err *err) MUST_CHECK;

#endif
