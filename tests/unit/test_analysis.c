/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"
#include "reports/analysis.h"
#include "tests/unit/store_fill.h"

#define EXPERIMENT(measure) \
	"{\"schema\":1,\"name\":\"demo\",\"title\":\"A title\",\"options\":{" \
	"\"SLOW\":{\"levels\":[{\"name\":\"off\"},{\"name\":\"on\"}]}," \
	"\"FAST\":{\"levels\":[{\"name\":\"off\"},{\"name\":\"on\"}]}," \
	"\"NOP\":{\"levels\":[{\"name\":\"off\"},{\"name\":\"on\"}]}," \
	"\"E1\":{\"levels\":[{\"name\":\"off\",\"env\":{},\"args\":[]}," \
	"{\"name\":\"on\",\"env\":{\"X\":\"1\"},\"args\":[]}]}}," \
	"\"axes\":{\"threads\":[\"1\",\"2\"]},\"workloads\":{\"work\":{" measure "}}}"
#define MEASURE \
	"\"metric\":\"wall\",\"difference\":{\"relative\":true,\"value\":0.01,\"unit\":\"\"}," \
	"\"confidence\":0.95,\"blocks\":{\"min\":4,\"max\":4}"

#define ROW(name, opts) \
	{ \
		.workload = "work", .variant = (name), .baseline = "work/none", .options = (opts), \
	}

static const double values[4][4] = {
	{1.000, 1.105, 0.898, 1.052},
	{1.202, 1.318, 1.083, 1.257},
	{0.901, 0.992, 0.812, 0.943},
	{1.001, 1.103, 0.900, 1.051},
};

static void standard_rows(struct fill *fill, struct fill_row rows[4])
{
	const struct fill_row make[4] = {
		ROW("none", "{}"),
		ROW("SLOW", "{\"SLOW\":\"on\"}"),
		ROW("FAST", "{\"FAST\":\"on\"}"),
		ROW("NOP", "{\"NOP\":\"on\"}"),
	};

	memcpy(rows, make, sizeof(make));
	fill_rows(fill, rows, 4);
}

static struct analysis *analysed(struct fill *fill, const char *where, const char *metric)
{
	struct analysis *analysis;
	struct err err = {0};

	if (analyse_session(fill->store, &fill->session, where, metric, &analysis, &err) < 0)
		fail_msg("%s", err.text);
	return analysis;
}

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) < (eps))

/* Numbers made by tests/reference/analysis.py. */
static void test_known_values(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;
	const struct row_result *r;

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++)
			fill_run(&fill, &rows[i], b, RUN_OK, NULL, values[i][b], NULL);
	}
	fill.role = ROLE_WARMUP; /* never counts */
	fill_run(&fill, &rows[0], 0, RUN_OK, NULL, 100, NULL);
	fill_complete(&fill);
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->n_cells, 1);
	assert_string_equal(analysis->title, "A title");
	assert_string_equal(analysis->host, "box");
	assert_int_equal(analysis->comparisons, 3);
	assert_int_equal(analysis->n_aa, 0);
	r = analysis->results;
	assert_true(r[0].is_baseline);
	assert_int_equal(r[0].runs, 4);
	assert_int_equal(r[1].verdict, VERDICT_REGRESSED);
	assert_int_equal(r[1].pairs, 4);
	assert_near(r[1].effect, 0.198898217, 1e-7);
	assert_near(r[1].low, 0.191077622, 1e-7);
	assert_near(r[1].high, 0.206770163, 1e-7);
	assert_near(r[1].delta, r[1].effect * r[0].values.geomean, 1e-12);
	assert_int_equal(r[2].verdict, VERDICT_IMPROVED);
	assert_near(r[2].low, -0.105164673, 1e-7);
	assert_int_equal(r[3].verdict, VERDICT_SAME);
	assert_near(r[3].effect, 0.000115401, 1e-7);
	assert_near(r[3].high, 0.004440501, 1e-7);
	assert_near(r[3].detectable, 0.01, 1e-9); /* not below the difference that matters */
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_failures(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;
	const struct row_result *r;
	int64_t failed;

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		fill_run(&fill, &rows[0], b, RUN_OK, NULL, values[0][b], NULL);
		/* a run that hit its limit is no slow run, one that fails at once is no fast one */
		if (b == 1)
			failed = fill_run(
				&fill, &rows[1], b, RUN_TIMEOUT, "no end after 1500 s", 1500, NULL);
		else
			fill_run(&fill, &rows[1], b, RUN_OK, NULL, values[1][b], NULL);
		fill_run(&fill, &rows[2], b, RUN_FAILED, "exit 1", 0.01, NULL);
		if (b == 2) {
			fill.attempt = 1;
			fill_run(&fill, &rows[3], b, RUN_LOST, "assay ended", 9, NULL);
			fill.attempt = 2;
		}
		fill_run(&fill, &rows[3], b, RUN_OK, NULL, values[3][b], NULL);
		fill.attempt = 0;
	}
	analysis = analysed(&fill, NULL, NULL);
	r = analysis->results;
	assert_int_equal(r[1].verdict, VERDICT_UNMEASURED);
	assert_string_equal(r[1].reason, "1 of 4 runs timed out: no end after 1500 s");
	assert_true(isnan(r[1].effect));
	assert_int_equal(r[1].runs, 4);
	assert_int_equal(r[1].failed, 1);
	assert_int_equal(r[1].pairs, 3);
	assert_int_equal(r[1].pairs_left_out, 1);
	assert_int_equal(r[1].first_failure->id, failed);
	assert_int_equal(r[2].verdict, VERDICT_UNMEASURED);
	assert_int_equal(r[2].failed, 4);
	assert_int_equal(r[2].values.n, 0);
	/* the second attempt counts, the lost one does not */
	assert_int_equal(r[3].verdict, VERDICT_SAME);
	assert_int_equal(r[3].runs, 4);
	assert_int_equal(r[3].failed + r[3].lost, 0);
	assert_near(r[3].values.max, 1.103, 1e-9);
	analysis_free(analysis);
	fill_end(&fill);
}

/* One run of twenty died: the other nineteen pairs are judged, but not while the session goes on,
 * since its one look has not come. */
static void test_few_failures(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill,
		EXPERIMENT(
			"\"metric\":\"wall\",\"difference\":{\"relative\":true,\"value\":0.01,"
			"\"unit\":\"\"},\"confidence\":0.95,\"blocks\":{\"min\":20,\"max\":20}"));
	standard_rows(&fill, rows);
	for (int b = 0; b < 20; b++) {
		fill_run(&fill, &rows[0], b, RUN_OK, NULL, 1 + 0.001 * (b % 3), NULL);
		fill_run(&fill, &rows[1], b, b == 16 ? RUN_FAILED : RUN_OK, "killed by SIGSEGV",
			1.2 + 0.001 * (b % 5), NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_UNMEASURED);
	assert_int_equal(analysis->results[1].pairs, 19);
	analysis_free(analysis);
	fill_complete(&fill);
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_REGRESSED);
	assert_int_equal(analysis->results[1].pairs, 19);
	assert_int_equal(analysis->results[1].failed, 1);
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_unmeasured_rows(void **state)
{
	struct fill fill;
	struct fill_row rows[] = {
		ROW("none", "{}"),
		ROW("SLOW", "{\"SLOW\":\"on\"}"),
		ROW("FAST", "{\"FAST\":\"on\"}"),
		ROW("NOP", "{\"NOP\":\"on\"}"),
		ROW("E1", "{\"E1\":\"on\"}"),
	};
	struct analysis *analysis;
	const struct row_result *r;

	(void)state;
	rows[1].build_status = "failed";
	rows[1].build_reason = "cc exited with 1";
	fill_begin(&fill, EXPERIMENT(MEASURE));
	fill_rows(&fill, rows, 5);
	for (int b = 0; b < 4; b++) {
		fill_run(&fill, &rows[0], b, RUN_OK, NULL, values[0][b], NULL);
		fill_run(&fill, &rows[2], b, RUN_INVALID,
			"option FAST was not seen: stderr has /x/, 0 times", values[2][b], NULL);
		if (b < 3) /* still going on */
			fill_run(&fill, &rows[3], b, RUN_OK, NULL, values[3][b], NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	r = analysis->results;
	for (int i = 1; i < 5; i++)
		assert_int_equal(r[i].verdict, VERDICT_UNMEASURED);
	assert_string_equal(r[1].reason, "build failed: cc exited with 1");
	assert_string_equal(r[2].reason, "FAST did not run");
	assert_string_equal(r[3].reason, "3 of at least 4 pairs");
	assert_string_equal(r[4].reason, "not run yet");
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_failing_baseline(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		fill_run(&fill, &rows[0], b, b ? RUN_OK : RUN_FAILED, "signal 11", values[0][b],
			NULL);
		fill_run(&fill, &rows[1], b, RUN_OK, NULL, values[1][b], NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_UNMEASURED);
	assert_string_equal(
		analysis->results[1].reason, "the baseline fails: 1 of 4 runs failed: signal 11");
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_nothing_measured(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;
	struct err err = {0};

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	assert_int_equal(
		analyse_session(fill.store, &fill.session, NULL, NULL, &analysis, &err), -1);
	assert_int_equal(err.code, E_NOTHING);
	fill_run(&fill, &rows[0], 0, RUN_FAILED, "exit 1", 1, NULL);
	assert_int_equal(
		analyse_session(fill.store, &fill.session, NULL, NULL, &analysis, &err), -1);
	assert_int_equal(err.code, E_NOTHING);
	fill_end(&fill);
}

static void test_same_program(void **state)
{
	struct fill fill;
	struct fill_row rows[] = {
		ROW("none", "{}"),
		ROW("NOP", "{\"NOP\":\"on\"}"),
		ROW("E1", "{\"E1\":\"on\"}"), /* same program, but other environment */
		ROW("SLOW", "{\"SLOW\":\"on\"}"),
	};
	struct analysis *analysis;

	(void)state;
	rows[0].digest = rows[1].digest = rows[2].digest = "one";
	fill_begin(&fill, EXPERIMENT(MEASURE));
	fill_rows(&fill, rows, 4);
	for (int b = 0; b < 4; b++) {
		/* judged like any other, also when it comes out slower */
		fill_run(&fill, &rows[0], b, RUN_OK, NULL, values[0][b], NULL);
		fill_run(&fill, &rows[1], b, RUN_OK, NULL, values[1][b], NULL);
		fill_run(&fill, &rows[2], b, RUN_OK, NULL, values[3][b], NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->n_aa, 1);
	assert_string_equal(analysis->aa[0].a->row->row.variant, "none");
	assert_string_equal(analysis->aa[0].b->row->row.variant, "NOP");
	assert_int_equal(analysis->results[1].verdict, VERDICT_REGRESSED);
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_filter(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis, *all;
	struct err err = {0};

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++)
			fill_run(&fill, &rows[i], b, RUN_OK, NULL, values[i][b], NULL);
	}
	all = analysed(&fill, NULL, NULL);
	analysis = analysed(&fill, "SLOW | variant = NOP", NULL);
	assert_true(analysis->results[0].shown); /* the baseline stays */
	assert_true(analysis->results[1].shown);
	assert_false(analysis->results[2].shown);
	assert_true(analysis->results[3].shown);
	/* a filter is no way to narrower intervals */
	assert_int_equal(analysis->comparisons, 3);
	assert_true(analysis->results[1].low == all->results[1].low);
	analysis_free(analysis);
	analysis_free(all);
	analysis = analysed(&fill, "status == ok & workload ~ \"w*\" & host = box", NULL);
	analysis_free(analysis);
	assert_int_equal(analyse_session(fill.store, &fill.session, "workload = other", NULL,
				 &analysis, &err),
		-1);
	assert_int_equal(err.code, E_NOTHING);
	assert_int_equal(
		analyse_session(fill.store, &fill.session, "SLOWW", NULL, &analysis, &err), -1);
	assert_int_equal(err.code, E_USAGE);
	fill_end(&fill);
}

/* Rates: more is better. Zeros: differences, never a ratio. Counts: equal without a test. */
static void test_other_metrics(void **state)
{
	const char *experiment =
		EXPERIMENT("\"metric\":\"log:rate\",\"blocks\":{\"min\":4,\"max\":4},"
			   "\"metrics\":{\"count\":{\"exact\":true}}");
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;
	const struct row_result *r;

	(void)state;
	fill_begin(&fill, experiment);
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++) {
			const struct fill_sample more[] = {
				{"log:rate", "", "higher", "run", 100 / values[i][b], 0},
				{"count", "", "lower", "run", i == 1 ? 11 : 10, 0},
				{"log:zero", "", "lower", "run", 0, 0},
				{"log:some", "", "lower", "run", i == 1 ? b + 50 : b % 2, 0},
				{0},
			};

			fill_run(&fill, &rows[i], b, RUN_OK, NULL, values[i][b], more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	r = analysis->results;
	assert_string_equal(r[1].judgement.better, "higher");
	assert_int_equal(r[1].verdict, VERDICT_REGRESSED); /* a lower rate */
	assert_true(r[1].effect < 0);
	assert_int_equal(r[2].verdict, VERDICT_IMPROVED);
	analysis_free(analysis);

	analysis = analysed(&fill, NULL, "count");
	r = analysis->results;
	assert_int_equal(r[1].verdict, VERDICT_REGRESSED);
	assert_int_equal(r[1].i95.method, METHOD_EXACT);
	assert_near(r[1].effect, 0.1, 1e-9);
	assert_true(r[1].low == r[1].effect);
	assert_int_equal(r[3].verdict, VERDICT_SAME);
	assert_true(r[3].effect == 0);
	analysis_free(analysis);

	analysis = analysed(&fill, NULL, "log:zero");
	r = analysis->results;
	assert_true(r[1].absolute);
	assert_int_equal(r[1].verdict, VERDICT_SAME);
	assert_true(r[1].delta == 0);
	analysis_free(analysis);

	analysis = analysed(&fill, NULL, "log:some");
	r = analysis->results;
	assert_true(r[1].absolute);
	assert_int_equal(r[1].verdict, VERDICT_REGRESSED);
	assert_near(r[1].delta, 51, 1e-9); /* 50..53 against 0, 1, 0, 1 */
	assert_near(r[1].effect, 51, 1e-9);
	analysis_free(analysis);

	analysis = analysed(&fill, NULL, "log:absent");
	assert_int_equal(analysis->results[1].verdict, VERDICT_UNMEASURED);
	assert_string_equal(analysis->results[1].reason, "no value of log:absent");
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_absolute_difference(void **state)
{
	const char *experiment =
		EXPERIMENT("\"metric\":\"log:t\",\"difference\":{\"relative\":false,"
			   "\"value\":0.5,\"unit\":\"s\"},"
			   "\"blocks\":{\"min\":4,\"max\":4}");
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill, experiment);
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++) {
			/* in ms, the difference in s: 0.2 s more is below it, 2 s more is not */
			const double ms[] = {5000, 7000, 5200, 5001};
			const struct fill_sample more[] = {
				{"log:t", "ms", "lower", "run", ms[i] + b, 0},
				{0},
			};

			fill_run(&fill, &rows[i], b, RUN_OK, NULL, 1, more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_REGRESSED);
	assert_near(analysis->results[1].delta, 2000, 1e-6);
	assert_int_equal(analysis->results[2].verdict, VERDICT_SAME);
	analysis_free(analysis);
	fill_end(&fill);
}

/* 44 s printed in whole seconds is not known to within 1 %. */
static void test_coarse_values(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill, EXPERIMENT("\"metric\":\"log:t\",\"blocks\":{\"min\":4,\"max\":4}"));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++) {
			const struct fill_sample more[] = {
				{"log:t", "s", "lower", "run", i == 1 ? 55 : 44, 1},
				{0},
			};

			fill_run(&fill, &rows[i], b, RUN_OK, NULL, 1, more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_REGRESSED);
	assert_int_equal(analysis->results[3].verdict, VERDICT_UNDECIDED);
	assert_true(analysis->results[3].coarse);
	assert_near(analysis->results[3].low, -1. / 45, 1e-9);
	assert_near(analysis->results[3].high, 1. / 44, 1e-9);
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_fixed_order(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE ",\"order\":\"fixed\""));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++)
			fill_run(&fill, &rows[i], b, RUN_OK, NULL, values[i][b], NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->results[1].verdict, VERDICT_UNMEASURED);
	assert_non_null(strstr(analysis->results[1].reason, "fixed order"));
	analysis_free(analysis);
	fill_end(&fill);
}

static const struct change *find_change(
	const struct analysis *analysis, const char *variant, const char *metric, const char *scope)
{
	for (size_t i = 0; i < analysis->n_changes; i++) {
		const struct change *change = &analysis->changes[i];

		if (!strcmp(change->result->row->row.variant, variant) &&
			!strcmp(change->metric, metric) && !strcmp(change->scope, scope))
			return change;
	}
	fail_msg("no change of %s for %s", metric, variant);
	return NULL;
}

static void test_changes(void **state)
{
	const char *experiment = EXPERIMENT(
		MEASURE ",\"also\":[\"rss_peak\"],\"guard\":{\"rss_peak\":{\"relative\":true,"
			"\"value\":0.5,\"unit\":\"\"}}");
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;
	const struct change *change;

	(void)state;
	fill_begin(&fill, experiment);
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 4; i++) {
			const struct fill_sample more[] = {
				{"rss_peak", "B", "lower", "run", (i == 1 ? 1300 : 1000) + b, 0},
				{"wall", "s", "lower", "phase:synthesis", values[i][b] * .6, 0},
				{"instructions", "", "none", "run", (i == 2 ? 200 : 100) + b, 0},
				{"log:torn", "", "lower", "run", i, 0},
				{"load", "", "lower", "system", i + 1, 0},
				{0},
			};

			fill_run(&fill, &rows[i], b, RUN_OK, NULL, values[i][b], more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->n_changes, 9);
	assert_int_equal(analysis->change_family, 9);
	change = find_change(analysis, "SLOW", "wall", "phase:synthesis");
	assert_int_equal(change->verdict, VERDICT_REGRESSED);
	assert_int_equal(change->moved, 1);
	assert_near(change->effect, 0.198898217, 1e-7);
	/* 30 % more memory is below the guard's own difference */
	change = find_change(analysis, "SLOW", "rss_peak", "run");
	assert_int_equal(change->verdict, VERDICT_SAME);
	assert_true(change->guard && change->also);
	/* it moved, but no way is better */
	change = find_change(analysis, "FAST", "instructions", "run");
	assert_int_equal(change->verdict, VERDICT_UNDECIDED);
	assert_int_equal(change->moved, 1);
	change = find_change(analysis, "NOP", "instructions", "run");
	assert_int_equal(change->verdict, VERDICT_SAME);
	assert_int_equal(change->moved, 0);
	analysis_free(analysis);
	fill_end(&fill);
}

/* One program under 60 names, 10 metrics: nothing may be found. */
static void test_no_false_verdicts(void **state)
{
	enum {
		ROWS = 60,
		METRICS = 10,
		BLOCKS = 6
	};
	struct fill_row rows[ROWS];
	char names[ROWS][16], metrics[METRICS][24];
	struct rng rng = rng_seeded(20260101);
	struct analysis *analysis;
	struct fill fill;

	(void)state;
	memset(rows, 0, sizeof(rows));
	for (int i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof(names[i]), "v%d", i);
		rows[i] = (struct fill_row)ROW(i ? names[i] : "none", "{}");
	}
	for (int m = 0; m < METRICS; m++)
		snprintf(metrics[m], sizeof(metrics[m]), "log:m%d", m);
	fill_begin(&fill, EXPERIMENT("\"blocks\":{\"min\":6,\"max\":6}"));
	fill_rows(&fill, rows, ROWS);
	for (int b = 0; b < BLOCKS; b++) {
		for (int i = 0; i < ROWS; i++) {
			struct fill_sample more[METRICS + 1] = {0};

			for (int m = 0; m < METRICS; m++)
				more[m] = (struct fill_sample){metrics[m], "", "lower", "run",
					100 * exp(0.02 * rng_normal(&rng)), 0};
			fill_run(&fill, &rows[i], b, RUN_OK, NULL, exp(0.02 * rng_normal(&rng)),
				more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->comparisons, ROWS - 1);
	assert_int_equal(analysis->change_family, (ROWS - 1) * METRICS);
	for (int i = 1; i < ROWS; i++)
		assert_in_range(analysis->results[i].verdict, VERDICT_SAME, VERDICT_UNDECIDED);
	for (size_t i = 0; i < analysis->n_changes; i++)
		assert_int_equal(analysis->changes[i].moved, 0);
	analysis_free(analysis);
	fill_end(&fill);
}

static void test_conditions(void **state)
{
	struct fill fill;
	struct fill_row rows[4];
	struct analysis *analysis;

	(void)state;
	fill_begin(&fill, EXPERIMENT(MEASURE));
	standard_rows(&fill, rows);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < 2; i++) {
			/* two seconds each; one run with others */
			const struct fill_sample more[] = {
				{"host:others_s", "s", "none", "system", i ? 1 : 0.8, 0},
				{"host:steal_s", "s", "none", "system", 0, 0},
				{"log:late_lines", "", "none", "run", i ? 3 : 0, 0},
				{"log:torn", "", "lower", "run", b == 2 ? 2 : 0, 0},
				{0},
			};

			fill_run(&fill, &rows[i], b, RUN_OK, NULL, 2, more);
		}
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->conditions.runs, 8);
	assert_near(analysis->conditions.others, 0.45, 1e-9);
	assert_true(analysis->conditions.steal == 0);
	assert_true(isnan(analysis->conditions.pressure));
	assert_int_equal(analysis->conditions.late_runs, 4);
	assert_int_equal(analysis->conditions.torn_lines, 4);
	assert_null(analysis->conditions.rule_off);
	assert_int_equal(analysis->n_changes, 0); /* none of these is the program's */
	assert_string_equal(analysis->cells[0].quality, "");
	analysis_free(analysis);
	fill_end(&fill);
}

/* Comparisons stay inside a cell: workload and axes. */
static void test_cells(void **state)
{
	struct fill fill;
	struct fill_row rows[] = {
		ROW("none", "{}"),
		ROW("SLOW", "{\"SLOW\":\"on\"}"),
		ROW("none", "{}"),
		ROW("SLOW", "{\"SLOW\":\"on\"}"),
	};
	struct analysis *analysis;

	(void)state;
	for (int i = 2; i < 4; i++) {
		rows[i].axes = "{\"threads\":\"2\"}";
		rows[i].baseline = "work/none,axis";
	}
	fill_begin(&fill, EXPERIMENT(MEASURE));
	fill_rows(&fill, rows, 4);
	for (int b = 0; b < 4; b++) {
		fill_run(&fill, &rows[0], b, RUN_OK, NULL, values[0][b], NULL);
		fill_run(&fill, &rows[1], b, RUN_OK, NULL, values[1][b], NULL);
		fill_run(&fill, &rows[2], b, RUN_OK, NULL, values[1][b], NULL);
		fill_run(&fill, &rows[3], b, RUN_OK, NULL, values[0][b], NULL);
	}
	analysis = analysed(&fill, NULL, NULL);
	assert_int_equal(analysis->n_cells, 2);
	assert_string_equal(analysis->cells[1].name, "work/threads=2");
	assert_int_equal(analysis->comparisons, 2);
	assert_int_equal(analysis->results[1].verdict, VERDICT_REGRESSED);
	assert_int_equal(analysis->results[3].verdict, VERDICT_IMPROVED);
	assert_near(analysis->results[3].i95.level, 0.025, 1e-12);
	analysis_free(analysis);
	analysis = analysed(&fill, "threads = 2", NULL);
	assert_false(analysis->results[0].shown);
	assert_true(analysis->results[2].shown);
	analysis_free(analysis);
	fill_end(&fill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_few_failures),
		cmocka_unit_test(test_unmeasured_rows),
		cmocka_unit_test(test_failing_baseline),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_same_program),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_other_metrics),
		cmocka_unit_test(test_absolute_difference),
		cmocka_unit_test(test_coarse_values),
		cmocka_unit_test(test_fixed_order),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_no_false_verdicts),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
