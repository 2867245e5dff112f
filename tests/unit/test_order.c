/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of runs: complete and incomplete blocks, shuffled, the same for the same seed. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/engine/order.h"

#define MAX_ROWS 64

/* Cells of given sizes; each cell's rows follow each other, the baseline is its first. */
struct made {
	struct plan plan;
	struct plan_cell cells[3];
	struct plan_row rows[MAX_ROWS];
	int numbers[MAX_ROWS];
	bool live[MAX_ROWS];
};

static void make(struct made *made, const size_t *sizes, size_t n)
{
	static const char *const names[] = {"sort", "sort/threads=2", "merge"};

	memset(made, 0, sizeof(*made));
	made->plan.cells = made->cells;
	made->plan.rows = made->rows;
	made->plan.n_cells = n;
	for (size_t c = 0; c < n; c++) {
		made->cells[c] = (struct plan_cell){.name = names[c],
			.baseline = (int)made->plan.n_rows,
			.rows = made->numbers + made->plan.n_rows,
			.n_rows = sizes[c]};
		for (size_t i = 0; i < sizes[c]; i++) {
			size_t row = made->plan.n_rows++;

			made->numbers[row] = (int)row;
			made->rows[row].cell = (int)c;
			made->rows[row].baseline = made->cells[c].baseline;
			made->live[row] = true;
		}
	}
}

/* Runs of a row in a round. */
static int count_row(const order_slots *slots, int row)
{
	int n = 0;

	for (size_t i = 0; i < slots->n; i++)
		n += slots->items[i].row == row;
	return n;
}

/* Slots of one block follow each other, positions count from 0, the baseline is there once. Returns
 * the number of blocks of the cell; the largest size in *ret_max. */
static int check_blocks(
	const struct made *made, const order_slots *slots, int cell, size_t *ret_max)
{
	int blocks = 0;

	*ret_max = 0;
	for (size_t i = 0; i < slots->n;) {
		const struct order_slot *first = &slots->items[i];
		size_t n = 0;
		int baselines = 0;

		for (; i < slots->n && slots->items[i].cell == first->cell &&
			slots->items[i].block == first->block;
			i++, n++) {
			assert_int_equal(slots->items[i].position, n);
			baselines += slots->items[i].row == made->cells[first->cell].baseline;
			assert_int_equal(made->rows[slots->items[i].row].cell, first->cell);
		}
		assert_int_equal(baselines, 1);
		if (first->cell != cell)
			continue;
		blocks++;
		if (n > *ret_max)
			*ret_max = n;
	}
	return blocks;
}

static void test_complete_blocks(void **state)
{
	struct made made;
	size_t max;

	(void)state;
	make(&made, (size_t[]){5, 12, 1}, 3);
	for (int round = 0; round < 20; round++) {
		order_slots slots = VEC_INIT;

		order_round(&made.plan, made.live, 7, round, false, &slots);
		assert_int_equal(slots.n, 18);
		for (int row = 0; row < 18; row++)
			assert_int_equal(count_row(&slots, row), 1);
		for (int c = 0; c < 3; c++) {
			assert_int_equal(check_blocks(&made, &slots, c, &max), 1);
			assert_int_equal(max, made.cells[c].n_rows);
		}
		for (size_t i = 0; i < slots.n; i++)
			assert_int_equal(slots.items[i].block, round);
		vec_release(&slots);
	}
}

/* More than 12 rows: blocks of at most 8, each with the baseline, every other row once a round. */
static void test_incomplete_blocks(void **state)
{
	struct made made;
	size_t max;

	(void)state;
	for (size_t n = 13; n < 60; n++) {
		bool seen[MAX_ROWS * 4] = {false};

		make(&made, (size_t[]){n, 3}, 2);
		for (int round = 0; round < 4; round++) {
			order_slots slots = VEC_INIT;
			int blocks;

			order_round(&made.plan, made.live, 11, round, false, &slots);
			for (size_t row = 1; row < n; row++)
				assert_int_equal(count_row(&slots, (int)row), 1);
			blocks = check_blocks(&made, &slots, 0, &max);
			assert_true(max <= ORDER_BLOCK_MAX);
			assert_int_equal(blocks, (n - 1 + 6) / 7);
			assert_int_equal(count_row(&slots, 0), blocks);
			/* Numbers of blocks are used once in a session. */
			for (size_t i = 0; i < slots.n; i++) {
				const struct order_slot *slot = &slots.items[i];

				if (slot->cell || slot->position)
					continue;
				assert_false(seen[slot->block]);
				seen[slot->block] = true;
			}
			vec_release(&slots);
		}
	}
}

/* Which rows share a block changes from round to round. */
static void test_groups_change(void **state)
{
	struct made made;
	int together = 0;

	(void)state;
	make(&made, (size_t[]){30}, 1);
	for (int round = 0; round < 200; round++) {
		order_slots slots = VEC_INIT;
		int block[3] = {-1, -1, -1};

		order_round(&made.plan, made.live, 3, round, false, &slots);
		for (size_t i = 0; i < slots.n; i++) {
			if (slots.items[i].row == 1 || slots.items[i].row == 2)
				block[slots.items[i].row] = slots.items[i].block;
		}
		together += block[1] == block[2];
		vec_release(&slots);
	}
	/* 29 rows in 5 groups of about 6: the chance is (6 - 1) / 28 = .18. */
	assert_in_range(together, 15, 65);
}

static void check_equal(const order_slots *a, const order_slots *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->items, b->items, a->n * sizeof(*a->items));
}

static void test_same_seed_same_order(void **state)
{
	struct made made;
	order_slots a = VEC_INIT, b = VEC_INIT, other = VEC_INIT, later = VEC_INIT;

	(void)state;
	make(&made, (size_t[]){6, 20, 3}, 3);
	for (int round = 0; round < 5; round++)
		order_round(&made.plan, made.live, 42, round, false, &a);
	for (int round = 0; round < 5; round++)
		order_round(&made.plan, made.live, 42, round, false, &b);
	check_equal(&a, &b);
	for (int round = 0; round < 5; round++)
		order_round(&made.plan, made.live, 43, round, false, &other);
	assert_int_equal(a.n, other.n);
	assert_memory_not_equal(a.items, other.items, a.n * sizeof(*a.items));
	/* A resumed session asks for the later rounds alone. */
	for (int round = 3; round < 5; round++)
		order_round(&made.plan, made.live, 42, round, false, &later);
	assert_memory_equal(later.items, a.items + (a.n - later.n), later.n * sizeof(*a.items));
	vec_release(&a);
	vec_release(&b);
	vec_release(&other);
	vec_release(&later);
}

/* The order inside a block does not depend on how many other cells there are. */
static void test_cells_are_independent(void **state)
{
	struct made one, three;
	order_slots a = VEC_INIT, b = VEC_INIT;
	size_t at = 0;

	(void)state;
	make(&one, (size_t[]){7}, 1);
	make(&three, (size_t[]){7, 5, 4}, 3);
	order_round(&one.plan, one.live, 5, 2, false, &a);
	order_round(&three.plan, three.live, 5, 2, false, &b);
	for (size_t i = 0; i < b.n; i++) {
		if (b.items[i].cell == 0)
			assert_memory_equal(&b.items[i], &a.items[at++], sizeof(*a.items));
	}
	assert_int_equal(at, 7);
	vec_release(&a);
	vec_release(&b);
}

static void test_dead_rows(void **state)
{
	struct made made;
	order_slots slots = VEC_INIT;

	(void)state;
	make(&made, (size_t[]){4, 3}, 2);
	made.live[2] = false;
	made.live[made.cells[1].baseline] = false;
	order_round(&made.plan, made.live, 1, 0, false, &slots);
	/* Without its baseline nothing of a cell can be compared. */
	assert_int_equal(slots.n, 3);
	assert_int_equal(count_row(&slots, 2), 0);
	for (size_t i = 0; i < slots.n; i++)
		assert_int_equal(slots.items[i].cell, 0);
	vec_release(&slots);
	order_warmup(&made.plan, made.live, 1, 1, 2, &slots);
	assert_int_equal(slots.n, 0);
	order_warmup(&made.plan, made.live, 1, 0, 2, &slots);
	assert_int_equal(slots.n, 6);
	assert_int_equal(count_row(&slots, 2), 0);
	vec_release(&slots);
}

/* 13 rows, one of them without a build: 12 are left, and those fit one block. */
static void test_dead_rows_make_blocks_complete(void **state)
{
	struct made made;
	order_slots slots = VEC_INIT;
	size_t max;

	(void)state;
	make(&made, (size_t[]){13}, 1);
	made.live[5] = false;
	order_round(&made.plan, made.live, 1, 0, false, &slots);
	assert_int_equal(check_blocks(&made, &slots, 0, &max), 1);
	assert_int_equal(max, 12);
	vec_release(&slots);
}

static void test_fixed(void **state)
{
	struct made made;
	order_slots slots = VEC_INIT;
	size_t max;

	(void)state;
	make(&made, (size_t[]){3, 2}, 2);
	order_round(&made.plan, made.live, 9, 4, true, &slots);
	assert_int_equal(slots.n, 5);
	for (size_t i = 0; i < slots.n; i++)
		assert_int_equal(slots.items[i].row, i);
	vec_release(&slots);
	make(&made, (size_t[]){15}, 1);
	order_round(&made.plan, made.live, 9, 0, true, &slots);
	assert_int_equal(check_blocks(&made, &slots, 0, &max), 2);
	for (size_t i = 1, last = 0; i < slots.n; i++) {
		if (slots.items[i].row) {
			assert_true((size_t)slots.items[i].row > last);
			last = (size_t)slots.items[i].row;
		}
	}
	vec_release(&slots);
}

static void test_warmup(void **state)
{
	struct made made;
	order_slots slots = VEC_INIT;

	(void)state;
	make(&made, (size_t[]){4, 3}, 2);
	order_warmup(&made.plan, made.live, 6, 1, 2, &slots);
	assert_int_equal(slots.n, 6);
	for (size_t i = 0; i < slots.n; i++) {
		const struct order_slot *slot = &slots.items[i];

		assert_int_equal(slot->cell, 1);
		assert_int_equal(slot->block, i / 3);
		assert_int_equal(slot->position, i % 3);
		if (slot->position == 0)
			assert_int_equal(slot->row, made.cells[1].baseline);
	}
	for (int row = 4; row < 7; row++)
		assert_int_equal(count_row(&slots, row), 2);
	vec_release(&slots);
	order_warmup(&made.plan, made.live, 6, 1, 0, &slots);
	assert_int_equal(slots.n, 0);
	vec_release(&slots);
}

/* Chi-squared against equal shares; (5 - 1) * (5 - 1) are free, the .999 quantile of 16 is 39.3. */
static void check_uniform(int counts[5][5], int total)
{
	double expected = total / 5.0, chi = 0;

	for (int row = 0; row < 5; row++) {
		for (int at = 0; at < 5; at++) {
			double d = counts[row][at] - expected;

			chi += d * d / expected;
		}
	}
	assert_true(chi < 39.3);
}

/* Over seeds, and over the rounds of one seed, every row stands at every place equally often. */
static void test_positions_are_uniform(void **state)
{
	enum {
		N = 5000
	};
	int by_seed[5][5] = {{0}}, by_round[5][5] = {{0}}, cell_first = 0;
	struct made made;

	(void)state;
	make(&made, (size_t[]){5, 2}, 2);
	for (int k = 0; k < N; k++) {
		order_slots slots = VEC_INIT;

		order_round(&made.plan, made.live, (uint64_t)k, 0, false, &slots);
		cell_first += slots.items[0].cell == 0;
		for (size_t i = 0; i < slots.n; i++) {
			if (slots.items[i].cell == 0)
				by_seed[slots.items[i].row][slots.items[i].position]++;
		}
		slots.n = 0;
		order_round(&made.plan, made.live, 99, k, false, &slots);
		for (size_t i = 0; i < slots.n; i++) {
			if (slots.items[i].cell == 0)
				by_round[slots.items[i].row][slots.items[i].position]++;
		}
		vec_release(&slots);
	}
	check_uniform(by_seed, N);
	check_uniform(by_round, N);
	/* Four standard deviations of a fair coin. */
	assert_in_range(cell_first, N / 2 - 142, N / 2 + 142);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_blocks),
		cmocka_unit_test(test_incomplete_blocks),
		cmocka_unit_test(test_groups_change),
		cmocka_unit_test(test_same_seed_same_order),
		cmocka_unit_test(test_cells_are_independent),
		cmocka_unit_test(test_dead_rows),
		cmocka_unit_test(test_dead_rows_make_blocks_complete),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_positions_are_uniform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
