/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live view: what its lines say at every size of a terminal. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/cli/live_head.h"
#include "core/cli/live_rows.h"

#define LONG_VARIANT "extra+shift+O3+slowenv+more"

/* Two cells, threads=1 and 2, of three rows: none, a short name, a long one that is called all. */
struct world {
	struct descriptor descriptor;
	struct workload workload;
	struct metric_def metric;
	struct plan plan;
	struct plan_row rows[6];
	struct plan_cell cells[2];
	struct plan_build build;
	int members[6];
	struct store_session session;
	struct session_progress now;
};

static int setup(void **state)
{
	static const char *const variants[] = {"none", "A1", LONG_VARIANT};
	static const char *const labels[] = {"none", "each", "all"};
	struct world *w = calloc(1, sizeof(*w));

	w->metric = (struct metric_def){.name = "rate", .unit = "Mops/s", .better = "higher"};
	w->workload = (struct workload){.name = "w",
		.measure = {.metric = "rate", .blocks_min = 4},
		.metrics = &w->metric,
		.n_metrics = 1};
	w->descriptor =
		(struct descriptor){.name = "exp", .workloads = &w->workload, .n_workloads = 1};
	for (int i = 0; i < 6; i++) {
		w->members[i] = i;
		w->rows[i] = (struct plan_row){.name = i < 3 ? "w/x/threads=1" : "w/x/threads=2",
			.workload = &w->workload,
			.variant = variants[i % 3],
			.label = labels[i % 3],
			.cell = i / 3,
			.baseline = i < 3 ? 0 : 3};
	}
	for (int i = 0; i < 2; i++)
		w->cells[i] = (struct plan_cell){.name = i ? "w/threads=2" : "w/threads=1",
			.workload = &w->workload,
			.baseline = 3 * i,
			.rows = w->members + 3 * i,
			.n_rows = 3};
	w->plan = (struct plan){.descriptor = &w->descriptor,
		.rows = w->rows,
		.n_rows = 6,
		.cells = w->cells,
		.n_cells = 2,
		.builds = &w->build,
		.n_builds = 1};
	w->session.id = 7;
	w->now = (struct session_progress){.session = &w->session,
		.row = &w->rows[5],
		.done = 52,
		.total = 98,
		.elapsed_ns = 7229 * NS_PER_MS,
		.eta_ns = 6087 * NS_PER_MS,
		.run_expected_ns = -1};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void assert_head(const struct world *w, int width, const char *expected)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	live_head(&w->plan, &w->now, width, &text);
	assert_string_equal(text.data, expected);
}

static void test_head_keeps_the_time_to_go(void **state)
{
	struct world *w = *state;

	assert_head(w, 80,
		"about 6 s to go   run 53 of 98   block 1 of 4   7 s gone   session 7   exp\n");
	assert_head(w, 74, "about 6 s to go   run 53 of 98   block 1 of 4   7 s gone   exp\n");
	assert_head(w, 50, "about 6 s to go   run 53 of 98   7 s gone\n");
	assert_head(w, 40, "about 6 s to go   run 53 of 98\n");
	assert_head(w, 20, "about 6 s to go\n");
	assert_head(w, 5, "about 6 s to go\n"); /* cut by the terminal's part */
	w->now.failed = 2;
	w->now.eta_ns = 6240 * NS_PER_S;
	w->descriptor.name = "a-name-that-is-rather-long-for-an-experiment-but-nobody-forbids-it";
	assert_head(w, 80,
		"about 1 h 44 min to go   run 53 of 98   2 failed   block 1 of 4   7 s gone\n");
	w->now.eta_ns = -1;
	assert_head(w, 40, "time to go not known yet   run 53 of 98\n");
	w->now.eta_ns = 0;
	assert_head(w, 20, "about 1 s to go\n");
	/* The rest of the run that goes on counts. */
	w->now.run_expected_ns = 60 * NS_PER_S;
	w->now.run_ns = 20 * NS_PER_S;
	assert_head(w, 20, "about 40 s to go\n");
	w->now.run_ns = 90 * NS_PER_S;
	assert_head(w, 20, "about 1 s to go\n");
	w->descriptor.measure.budget_ns = 12 * 3600 * NS_PER_S;
	w->descriptor.name = "x";
	assert_head(w, 120,
		"about 1 s to go   run 53 of 98   2 failed   block 1 of 4   7 s gone   "
		"never past 12 h 00 min   session 7   x\n");
}

static void test_now_names_the_cell(void **state)
{
	struct world *w = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	live_now(&w->plan, &w->now, &text);
	assert_string_equal(text.data, "now  all  threads=2\n");
	buf_clear(&text);
	w->descriptor.n_workloads = 2;
	w->now.row = &w->rows[1];
	w->now.role = ROLE_WARMUP;
	w->now.run_ns = 5 * NS_PER_S;
	w->now.run_expected_ns = 65 * NS_PER_S;
	live_now(&w->plan, &w->now, &text);
	assert_string_equal(
		text.data, "now  A1  w threads=1 (warm-up)   5 s of about 1 min 05 s\n");
}

static void note(struct world *w, struct live_rows *rows, int row, double value)
{
	struct store_run run = {.status = RUN_OK};
	struct run_record record;
	struct sample sample = {.metric = "rate",
		.unit = "Mops/s",
		.better = "higher",
		.scope = "run",
		.value = value};

	run_record_init(&record);
	run_record_sample(&record, &sample);
	live_rows_note(rows, &w->rows[row], ROLE_MEASURED, &run, &record);
	run_record_release(&record);
}

static void assert_rows(
	struct world *w, const struct live_rows *rows, int width, int lines, const char *expected)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	live_rows_show(rows, w->now.row, width, lines, &text);
	assert_string_equal(text.data, expected);
}

/* Nothing moves when the first values come: same columns, same unit. */
static void test_rows(void **state)
{
	struct world *w = *state;
	struct live_rows rows;
	struct store_run failed = {.status = RUN_FAILED};
	struct run_record empty;

	live_rows_init(&rows, &w->plan);
	assert_rows(w, &rows, 80, 20,
		"            median so far  rate (Mops/s)  against none  runs  higher is better\n"
		" threads=1  none                       -      baseline     0\n"
		" threads=1  A1                         -             -     0\n"
		" threads=1  all                        -             -     0\n"
		" threads=2  none                       -      baseline     0\n"
		" threads=2  A1                         -             -     0\n"
		" threads=2  all                        -             -     0\n");
	note(w, &rows, 3, 275.2);
	note(w, &rows, 5, 130);
	note(w, &rows, 5, 150);
	run_record_init(&empty);
	live_rows_note(&rows, &w->rows[5], ROLE_MEASURED, &failed, &empty);
	run_record_release(&empty);
	/* Room for one cell only: the one that runs. */
	assert_rows(w, &rows, 80, 5,
		" median so far  rate (Mops/s)  against none         runs  higher is better\n"
		" none                   275.2      baseline            1\n"
		" A1                         -             -            0\n"
		" all                    140.0       -49.1 %  2, 1 failed\n");
	/* Less room: the baseline and the row that runs stay. */
	assert_rows(w, &rows, 60, 3,
		" median so far  rate (Mops/s)  against none  runs\n"
		" none                   275.2      baseline     1\n"
		" and 2 more rows\n");
	assert_rows(w, &rows, 80, 1, "");
	assert_rows(w, &rows, 80, -3, "");
	live_rows_release(&rows);
}

static void test_no_line_is_too_long_or_too_many(void **state)
{
	struct world *w = *state;
	struct live_rows rows;

	live_rows_init(&rows, &w->plan);
	for (int i = 0; i < 6; i++)
		note(w, &rows, i, 1e6 + i);
	for (int width = 40; width < 120; width += 7) {
		for (int lines = 0; lines < 12; lines++) {
			CLEANUP(buf_release) struct buf text = BUF_INIT;
			int n = 0;

			live_rows_show(&rows, w->now.row, width, lines, &text);
			for (char *s = text.data, *end; (end = strchr(s, '\n')); s = end + 1, n++) {
				*end = '\0';
				if (width > 60) /* below, the terminal's part cuts */
					assert_true((int)text_width(s) < width);
			}
			assert_true(n <= lines || (!lines && !n));
		}
	}
	live_rows_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_head_keeps_the_time_to_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_now_names_the_cell, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_no_line_is_too_long_or_too_many, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
