/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/order.h"

#include <stdlib.h>

#include "core/base/rng.h"

struct others { /* live rows of a cell but its baseline */
	size_t *rows;
	size_t n;
};

static struct others live_others(const struct plan_cell *cell, const bool *live)
{
	struct others others = {xcalloc(cell->n_rows, sizeof(size_t)), 0};

	for (size_t i = 0; i < cell->n_rows; i++) {
		if (cell->rows[i] != cell->baseline && live[cell->rows[i]])
			others.rows[others.n++] = (size_t)cell->rows[i];
	}
	return others;
}

size_t order_blocks(size_t n_rows)
{
	return n_rows <= ORDER_ROWS_MAX ? 1
					: (n_rows + ORDER_BLOCK_MAX - 3) / (ORDER_BLOCK_MAX - 1);
}

static void deal_block(const struct plan *plan, int cell, const size_t *rows, size_t n, int block,
	uint64_t seed, bool fixed, order_slots *ret)
{
	struct rng rng = rng_derived(seed, plan->cells[cell].name, (uint64_t)block);
	size_t members[ORDER_ROWS_MAX];

	members[0] = (size_t)plan->cells[cell].baseline;
	for (size_t i = 0; i < n; i++)
		members[i + 1] = rows[i];
	if (!fixed)
		rng_shuffle(&rng, members, n + 1);
	for (size_t i = 0; i <= n; i++)
		*vec_push(ret) = (struct order_slot){cell, (int)members[i], block, (int)i};
}

static void deal_cell(const struct plan *plan, const bool *live, int index, uint64_t seed,
	int round, bool fixed, order_slots *ret)
{
	const struct plan_cell *cell = &plan->cells[index];
	struct others others;
	size_t groups, from = 0;

	if (!live[cell->baseline])
		return;
	others = live_others(cell, live);
	groups = order_blocks(others.n + 1);
	if (groups > 1) {
		struct rng rng = rng_derived(seed, cell->name, UINT64_MAX - (uint64_t)round);

		if (!fixed)
			rng_shuffle(&rng, others.rows, others.n);
	}
	for (size_t g = 0; g < groups; g++) {
		size_t to = others.n * (g + 1) / groups;

		deal_block(plan, index, others.rows + from, to - from, round * (int)groups + (int)g,
			seed, fixed, ret);
		from = to;
	}
	free(others.rows);
}

void order_round(const struct plan *plan, const bool *live, uint64_t seed, int round, bool fixed,
	order_slots *ret)
{
	struct rng rng = rng_derived(seed, "cells", (uint64_t)round);
	size_t *cells = xcalloc(plan->n_cells, sizeof(*cells));

	for (size_t i = 0; i < plan->n_cells; i++)
		cells[i] = i;
	if (!fixed)
		rng_shuffle(&rng, cells, plan->n_cells);
	for (size_t i = 0; i < plan->n_cells; i++)
		deal_cell(plan, live, (int)cells[i], seed, round, fixed, ret);
	free(cells);
}

void order_warmup(const struct plan *plan, const bool *live, uint64_t seed, int cell, int count,
	order_slots *ret)
{
	int baseline = plan->cells[cell].baseline;
	struct others others;

	if (!live[baseline])
		return;
	others = live_others(&plan->cells[cell], live);
	for (int k = 0; k < count; k++) {
		struct rng rng =
			rng_derived(seed, plan->cells[cell].name, UINT64_MAX / 2 - (uint64_t)k);

		rng_shuffle(&rng, others.rows, others.n);
		*vec_push(ret) = (struct order_slot){cell, baseline, k, 0};
		for (size_t i = 0; i < others.n; i++)
			*vec_push(ret) =
				(struct order_slot){cell, (int)others.rows[i], k, (int)i + 1};
	}
	free(others.rows);
}
