/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of runs: randomised complete blocks (doc/statistics.md).
 *
 * A round gives every live row one more run. In a round each cell has one block, or, with more than
 * ORDER_ROWS_MAX rows, several incomplete blocks of at most ORDER_BLOCK_MAX rows, each with the
 * baseline. Inside a block the rows, baseline included, are shuffled; the cells' blocks are dealt
 * in random order too. Every order is derived from (seed, cell, block) alone, so a resumed session
 * goes on in the order in which it began.
 */
#ifndef ASSAY_ENGINE_ORDER_H
#define ASSAY_ENGINE_ORDER_H

#include "core/base/vec.h"
#include "core/model/plan.h"

#define ORDER_ROWS_MAX 12
#define ORDER_BLOCK_MAX 8

struct order_slot {
	int cell, row; /* indices into the plan */
	int block;     /* number within the cell */
	int position;  /* 0 .. in the block */
};
typedef VEC(struct order_slot) order_slots;

/* Blocks of one round in a cell with so many live rows, the baseline included; each of them has one
 * run of the baseline, and the others have one run in all of them. */
size_t order_blocks(size_t n_rows);
/* live: per plan row; a cell whose baseline is not live has no block. fixed: declaration order
 * everywhere (order: fixed). Appends to ret. */
void order_round(const struct plan *plan, const bool *live, uint64_t seed, int round, bool fixed,
	order_slots *ret);
/* Warm-up runs of a cell before its first block: baseline first, the rest shuffled; block counts
 * the warm-up runs of a row. */
void order_warmup(const struct plan *plan, const bool *live, uint64_t seed, int cell, int count,
	order_slots *ret);

#endif
