/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a session is done, and what the rest will cost. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/num.h"
#include "core/engine/ledger.h"

struct made {
	struct descriptor descriptor;
	struct workload workloads[2];
	struct plan plan;
	struct plan_row rows[4];
	struct ledger ledger;
};

/* Rows 0 and 1 of workload 0, rows 2 and 3 of workload 1. */
static int setup(void **state)
{
	struct made *made = xcalloc(1, sizeof(*made));

	made->descriptor.workloads = made->workloads;
	made->descriptor.n_workloads = 2;
	made->plan.descriptor = &made->descriptor;
	made->plan.rows = made->rows;
	made->plan.n_rows = 4;
	for (int i = 0; i < 4; i++)
		made->rows[i].workload = &made->workloads[i / 2];
	ledger_init(&made->ledger, &made->plan);
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	struct made *made = *state;

	ledger_release(&made->ledger);
	free(made);
	return 0;
}

static void test_done(void **state)
{
	static const enum run_status ends[] = {RUN_OK, RUN_FAILED, RUN_TIMEOUT, RUN_INVALID};
	struct ledger *ledger = &((struct made *)*state)->ledger;

	for (int i = 0; i < 4; i++) {
		assert_false(ledger_done(ledger, 0, ROLE_MEASURED, i));
		assert_int_equal(ledger_attempts(ledger, 0, ROLE_MEASURED, i), 0);
		ledger_note(ledger, 0, ROLE_MEASURED, i, ends[i], 1000);
		assert_true(ledger_done(ledger, 0, ROLE_MEASURED, i));
		assert_int_equal(ledger_attempts(ledger, 0, ROLE_MEASURED, i), 1);
	}
	assert_int_equal(ledger->failed, 3);
	/* Another row, role or block is another run. */
	assert_false(ledger_done(ledger, 1, ROLE_MEASURED, 0));
	assert_false(ledger_done(ledger, 0, ROLE_WARMUP, 0));
	assert_false(ledger_done(ledger, 0, ROLE_MEASURED, 10));
	/* A warm-up run that fails is no failure of the session. */
	ledger_note(ledger, 0, ROLE_WARMUP, 0, RUN_FAILED, 1000);
	assert_true(ledger_done(ledger, 0, ROLE_WARMUP, 0));
	assert_int_equal(ledger->failed, 3);
}

static void test_lost_runs_are_done_again(void **state)
{
	struct ledger *ledger = &((struct made *)*state)->ledger;

	ledger_note(ledger, 1, ROLE_MEASURED, 2, RUN_LOST, -1);
	ledger_note(ledger, 1, ROLE_MEASURED, 2, RUN_RUNNING, -1);
	assert_false(ledger_done(ledger, 1, ROLE_MEASURED, 2));
	assert_int_equal(ledger_attempts(ledger, 1, ROLE_MEASURED, 2), 2);
	assert_true(ledger_expected_ns(ledger, 1) < 0);
	ledger_note(ledger, 1, ROLE_MEASURED, 2, RUN_OK, 5);
	assert_true(ledger_done(ledger, 1, ROLE_MEASURED, 2));
	assert_int_equal(ledger_attempts(ledger, 1, ROLE_MEASURED, 2), 3);
	assert_int_equal(ledger->failed, 0);
}

/* A machine that suspends in every run must not keep a session from ending. */
static void test_discarded(void **state)
{
	struct ledger *ledger = &((struct made *)*state)->ledger;

	for (int k = 0; k < 3; k++) {
		assert_false(ledger_done(ledger, 0, ROLE_MEASURED, 0));
		ledger_note(ledger, 0, ROLE_MEASURED, 0, RUN_DISCARDED, 1000);
	}
	assert_true(ledger_done(ledger, 0, ROLE_MEASURED, 0));
	assert_int_equal(ledger->failed, 1);
	ledger_note(ledger, 0, ROLE_MEASURED, 1, RUN_DISCARDED, 1000);
	ledger_note(ledger, 0, ROLE_MEASURED, 1, RUN_OK, 1000);
	assert_true(ledger_done(ledger, 0, ROLE_MEASURED, 1));
	assert_int_equal(ledger->failed, 1);
}

static void test_blocks(void **state)
{
	struct ledger *ledger = &((struct made *)*state)->ledger;

	assert_false(ledger_begun(ledger, 0, 0));
	ledger_mark_begun(ledger, 0, 0);
	ledger_mark_begun(ledger, 0, 0);
	ledger_mark_begun(ledger, 1, 11);
	assert_true(ledger_begun(ledger, 0, 0));
	assert_true(ledger_begun(ledger, 1, 11));
	assert_false(ledger_begun(ledger, 1, 1));
	assert_false(ledger_begun(ledger, 11, 1));
	/* Runs of this process do not make a block one of an earlier process. */
	ledger_note(ledger, 0, ROLE_MEASURED, 5, RUN_OK, 1);
	assert_false(ledger_begun(ledger, 0, 5));
}

static void test_expected(void **state)
{
	struct ledger *ledger = &((struct made *)*state)->ledger;

	assert_true(ledger_expected_ns(ledger, 0) == -1);
	ledger_note(ledger, 0, ROLE_WARMUP, 0, RUN_OK, 100);
	ledger_note(ledger, 0, ROLE_MEASURED, 0, RUN_OK, 200);
	assert_true(ledger_expected_ns(ledger, 0) == 150); /* its own */
	assert_true(ledger_expected_ns(ledger, 1) == 150); /* its workload's */
	assert_true(ledger_expected_ns(ledger, 2) == 150); /* all */
	ledger_note(ledger, 3, ROLE_MEASURED, 0, RUN_OK, 1050);
	assert_true(ledger_expected_ns(ledger, 2) == 1050);
	assert_true(ledger_expected_ns(ledger, 0) == 150);
	/* Unknown times say nothing. */
	ledger_note(ledger, 3, ROLE_MEASURED, 1, RUN_FAILED, -1);
	assert_true(ledger_expected_ns(ledger, 3) == 1050);
}

static void test_slow(void **state)
{
	struct ledger *ledger = &((struct made *)*state)->ledger;

	ledger_note(ledger, 0, ROLE_WARMUP, 0, RUN_OK, 30 * NS_PER_S);
	assert_false(ledger->slow[0]);
	ledger_note(ledger, 3, ROLE_WARMUP, 0, RUN_OK, 30 * NS_PER_S + 1);
	assert_false(ledger->slow[0]);
	assert_true(ledger->slow[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_done, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_runs_are_done_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_discarded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_expected, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slow, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
