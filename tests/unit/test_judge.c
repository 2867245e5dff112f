/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a run ended: every status, its reason, and which of several reasons is said. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/num.h"
#include "core/engine/judge.h"

static const struct check exit_check = {.kind = CHECK_EXIT}, text_check = {.kind = CHECK_TEXT};
static const char *const seen[] = {"A4", "D4"};

/* A run of one second that went well, with one exit and one text check that hold. */
struct made {
	struct proc_result result;
	struct check_result checks[3];
	struct judgement_input input;
	struct arena arena;
	const char *reason;
};

static int setup(void **state)
{
	struct made *made = xcalloc(1, sizeof(*made));

	made->result = (struct proc_result){.end = PROC_EXITED,
		.start = {100, 200, 300},
		.stop = {100 + NS_PER_S, 200 + NS_PER_S, 300 + NS_PER_S},
		.wall_ns = NS_PER_S};
	made->checks[0] = (struct check_result){&exit_check, 0, true, NULL};
	made->checks[1] = (struct check_result){&text_check, 0, true, NULL};
	made->checks[2] = (struct check_result){&text_check, 2, true, NULL};
	made->input = (struct judgement_input){.result = &made->result,
		.checks = made->checks,
		.n_checks = 3,
		.seen_options = seen,
		.timeout_ns = 90 * NS_PER_S};
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	struct made *made = *state;

	arena_release(&made->arena);
	free(made);
	return 0;
}

static enum run_status judge(struct made *made)
{
	return judge_run(&made->input, &made->arena, &made->reason);
}

static void test_ok(void **state)
{
	struct made *made = *state;

	assert_int_equal(judge(made), RUN_OK);
	assert_string_equal(made->reason, "");
	made->input.n_checks = 0;
	assert_int_equal(judge(made), RUN_OK);
}

static void test_exit_status(void **state)
{
	struct made *made = *state;

	made->result.code = 3;
	made->checks[0].holds = false;
	assert_int_equal(judge(made), RUN_FAILED);
	assert_string_equal(made->reason, "exit status 3");
	/* It is what is said even when a check of the output broke before it. */
	made->checks[1] = (struct check_result){&text_check, 0, false, "stdout has no \"ok\""};
	assert_int_equal(judge(made), RUN_FAILED);
	/* An exit status that is allowed is none. */
	made->checks[0].holds = true;
	assert_int_equal(judge(made), RUN_INVALID);
}

static void test_signal(void **state)
{
	struct made *made = *state;

	made->result.end = PROC_SIGNALED;
	made->result.code = -1;
	made->result.signal = SIGSEGV;
	assert_int_equal(judge(made), RUN_FAILED);
	assert_string_equal(made->reason, "killed by SIGSEGV");
	made->result.signal = SIGRTMIN + 5;
	assert_int_equal(judge(made), RUN_FAILED);
	assert_non_null(strstr(made->reason, "killed by signal "));
	/* Allowing any exit status does not allow a crash. */
	made->input.n_checks = 0;
	assert_int_equal(judge(made), RUN_FAILED);
}

static void test_timeout(void **state)
{
	struct made *made = *state;

	made->result.end = PROC_TIMEOUT;
	made->result.signal = SIGKILL;
	made->input.failed = "proof FAILED";
	assert_int_equal(judge(made), RUN_TIMEOUT);
	assert_string_equal(made->reason, "timed out after 90.0 s");
}

static void test_fail_rule(void **state)
{
	struct made *made = *state;

	made->input.failed = "status: FAILED";
	made->checks[1].holds = false;
	assert_int_equal(judge(made), RUN_FAILED);
	assert_string_equal(made->reason, "status: FAILED");
}

static void test_checks(void **state)
{
	struct made *made = *state;

	made->checks[1].holds = false;
	made->checks[1].why = "stdout has no \"proof verified\"";
	assert_int_equal(judge(made), RUN_INVALID);
	assert_string_equal(made->reason, "stdout has no \"proof verified\"");
	made->checks[1].holds = true;
	made->checks[2].holds = false;
	made->checks[2].why = "stderr has no \"window=11\"";
	assert_int_equal(judge(made), RUN_INVALID);
	assert_string_equal(made->reason, "option D4 was not seen: stderr has no \"window=11\"");
}

static void test_suspend(void **state)
{
	struct made *made = *state;

	made->result.stop.boot_ns += 50 * NS_PER_MS;
	made->result.stop.real_ns += 50 * NS_PER_MS;
	assert_int_equal(judge(made), RUN_OK);
	made->result.stop.boot_ns += 2 * NS_PER_S;
	made->result.stop.real_ns += 2 * NS_PER_S;
	assert_int_equal(judge(made), RUN_DISCARDED);
	assert_string_equal(made->reason, "the machine was suspended for 2.050 s during the run");
	/* A run that failed is not turned into one that never was. */
	made->checks[0].holds = false;
	assert_int_equal(judge(made), RUN_FAILED);
}

static void test_clock_step(void **state)
{
	struct made *made = *state;
	int64_t real = made->result.stop.real_ns;

	made->result.stop.real_ns = real + 100 * NS_PER_MS;
	assert_int_equal(judge(made), RUN_OK);
	made->result.stop.real_ns = real + 3600 * NS_PER_S;
	assert_int_equal(judge(made), RUN_DISCARDED);
	assert_string_equal(made->reason, "the clock was set forward by 1 h 00 min during the run");
	made->result.stop.real_ns = real - NS_PER_S;
	assert_int_equal(judge(made), RUN_DISCARDED);
	assert_string_equal(made->reason, "the clock was set back by 1.000 s during the run");
}

/* 500 ppm of slewing over an hour is 1.8 s and no step. */
static void test_slewing(void **state)
{
	struct made *made = *state;

	made->result.wall_ns = 3600 * NS_PER_S;
	made->result.stop.mono_ns = made->result.start.mono_ns + made->result.wall_ns;
	made->result.stop.boot_ns = made->result.start.boot_ns + made->result.wall_ns;
	made->result.stop.real_ns =
		made->result.start.real_ns + made->result.wall_ns + 1800 * NS_PER_MS;
	assert_int_equal(judge(made), RUN_OK);
	made->result.stop.real_ns += 5 * NS_PER_S;
	assert_int_equal(judge(made), RUN_DISCARDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ok, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exit_status, setup, teardown),
		cmocka_unit_test_setup_teardown(test_signal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timeout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fail_rule, setup, teardown),
		cmocka_unit_test_setup_teardown(test_checks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_suspend, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clock_step, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slewing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
