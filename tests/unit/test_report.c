/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison report of a session whose truth is known, in every form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "reports/render.h"
#include "reports/report.h"
#include "reports/words.h"
#include "tests/unit/store_fill.h"

static const char experiment[] =
	"{\"schema\":1,\"name\":\"demo\",\"title\":\"Which "
	"one?\",\"options\":{\"SLOW\":{},\"FAST\":{},"
	"\"NOP\":{},\"BAD\":{}},\"workloads\":{\"work\":{\"metric\":\"wall\",\"blocks\":{\"min\":4,"
	"\"max\":4},\"also\":[\"rss_peak\"]}}}";

static const struct fill_row make[] = {
	{.workload = "work", .variant = "none", .baseline = "work/none"},
	{.workload = "work",
		.variant = "SLOW",
		.baseline = "work/none",
		.options = "{\"SLOW\":\"on\"}"},
	{.workload = "work",
		.variant = "FAST",
		.baseline = "work/none",
		.options = "{\"FAST\":\"on\"}"},
	{.workload = "work",
		.variant = "NOP",
		.baseline = "work/none",
		.options = "{\"NOP\":\"on\"}",
		.digest = "digest-none"},
	{.workload = "work",
		.variant = "BAD",
		.baseline = "work/none",
		.options = "{\"BAD\":\"on\"}"},
	{.workload = "work",
		.variant = "SLOW+FAST+NOP+BAD+A1=cap4",
		.label = "all",
		.baseline = "work/none",
		.options = "{\"SLOW\":\"on\"}"},
};
enum {
	ROWS = ARRAY_SIZE(make)
};

struct world {
	struct fill fill;
	struct fill_row rows[ROWS];
	int64_t failed;
	bool open;  /* leave the session unfinished */
	double all; /* what all takes more, 0 = as SLOW */
};

/* slow: what SLOW and all take more. */
static void make_world(struct world *world, double slow, double fast)
{
	const double factors[ROWS] = {
		1, 1 + slow, 1 - fast, 1, 1, 1 + (world->all != 0 ? world->all : slow)};

	memcpy(world->rows, make, sizeof(make));
	fill_begin(&world->fill, experiment);
	fill_rows(&world->fill, world->rows, ROWS);
	for (int b = 0; b < 4; b++) {
		for (int i = 0; i < ROWS; i++) {
			double wiggle = 1 + 0.0005 * ((i * 7 + b * 3) % 5 - 2);
			double wall = (1 + 0.05 * b) * factors[i] * wiggle;
			const struct fill_sample more[] = {
				{"rss_peak", "B", "lower", "run", (1 << 20) + b, 0},
				{"wall", "s", "lower", "phase:sum", wall / 2, 0},
				{"user", "s", "lower", "run", wall / 3, 0},
				{0},
			};

			if (i == 4 && b == 2)
				world->failed = fill_run(&world->fill, &world->rows[i], b,
					RUN_FAILED, "killed by signal 11 (Segmentation fault)",
					0.01, NULL);
			else
				fill_run(
					&world->fill, &world->rows[i], b, RUN_OK, NULL, wall, more);
		}
	}
	if (!world->open)
		fill_complete(&world->fill);
}

static struct doc *report(struct world *world, const char *where, const char *source)
{
	const struct report_request request = {
		.store = world->fill.store,
		.session = &world->fill.session,
		.where = where,
		.source = source,
	};
	struct err err = {0};
	struct doc *doc;

	if (reports[0]->build(&request, &doc, &err) < 0)
		fail_msg("%s", err.text);
	return doc;
}

static char *rendered(const struct doc *doc, const char *format, int width)
{
	const struct render_options options = {.width = width};
	struct buf out = BUF_INIT;
	struct err err = {0};

	if (renderer_find(format)->render(doc, &options, &out, &err) < 0)
		fail_msg("%s", err.text);
	return buf_steal(&out);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_text(void **state)
{
	struct world world = {0};
	struct doc *doc;
	AUTOFREE char *text = NULL;
	AUTOFREE char *show = NULL;

	(void)state;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, NULL, "demo.yaml");
	text = rendered(doc, "text", 160);
	/* the answer comes first, and all options together are the headline */
	assert_true(text_starts(text, "Slower?  Yes: with all options a run takes 1.2"));
	assert_has(text, "+20.0 % [+19.");
	assert_has(text, "Which?   Slower: SLOW +0.2");
	assert_has(text, "Faster: FAST -0.1");
	assert_has(text, "Same within 1 %: NOP.");
	assert_has(text, "Not measured: BAD.");
	assert_has(text, "3/4  not measured (1 of 4 runs failed)");
	assert_has(text, "Same program twice: none and NOP are one program");
	show = xasprintf("failed: killed by signal 11 (Segmentation fault): assay show %lld",
		(long long)world.failed);
	assert_has(text, show);
	assert_has(text, "phase sum");
	assert_has(text, "rss_peak: same within 1 % in every measured row.");
	assert_has(text, "all = SLOW+FAST+NOP+BAD+A1=cap4");
	assert_has(text, "\nNext:    assay show ");
	assert_null(strstr(text, "nan"));
	assert_null(strchr(text, '\033'));
	doc_free(doc);
	fill_end(&world.fill);
}

static void test_widths(void **state)
{
	struct world world = {0};
	struct doc *doc;

	(void)state;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, NULL, "demo.yaml");
	for (int width = 80; width <= 200; width += 15) {
		AUTOFREE char *text = rendered(doc, "text", width);

		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(text_width(line), 0, width);
	}
	doc_free(doc);
	fill_end(&world.fill);
}

/* With none slow, none is named. */
static void test_none_slow(void **state)
{
	struct world world = {0};
	struct doc *doc;
	AUTOFREE char *text = NULL, *same = NULL;

	(void)state;
	make_world(&world, 0, 0.1);
	doc = report(&world, "FAST", NULL);
	text = rendered(doc, "text", 100);
	assert_true(text_starts(text, "Slower?  No: with FAST a run takes"));
	assert_null(strstr(text, "Yes"));
	assert_has(text, "Shown: rows where FAST");
	doc_free(doc);
	doc = report(&world, "NOP", NULL);
	same = rendered(doc, "text", 100);
	assert_has(same, "No: it is the same as none within 1 %.");
	doc_free(doc);
	fill_end(&world.fill);
}

static json_t *verdict_of(const json_t *data, const char *variant)
{
	json_t *verdicts = json_object_get(data, "verdicts");

	for (size_t i = 0; i < json_array_size(verdicts); i++) {
		json_t *verdict = json_array_get(verdicts, i);

		if (!strcmp(json_string_value(json_object_get(verdict, "variant")), variant))
			return verdict;
	}
	return NULL;
}

static void test_json(void **state)
{
	static const char *const members[] = {"workload", "axes", "variant", "baseline", "metric",
		"unit", "better", "verdict", "reason", "effect", "low", "high", "cost", "runs",
		"failed", "baseline_runs", "detectable"};
	static const char *const change_members[] = {
		"workload", "variant", "scope", "metric", "effect", "low", "high", "verdict"};
	struct world world = {0};
	struct doc *doc;
	AUTOFREE char *text = NULL;
	json_t *data, *verdict, *change;

	(void)state;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, NULL, NULL);
	text = rendered(doc, "json", 0);
	data = json_loads(text, 0, NULL);
	assert_non_null(data);
	assert_int_equal(json_integer_value(json_object_get(data, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(data, "command")), "report");
	assert_true(json_is_string(json_object_get(data, "assay")));
	assert_int_equal(json_array_size(json_object_get(data, "verdicts")), 5);
	verdict = verdict_of(data, "SLOW");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		assert_non_null(json_object_get(verdict, members[i]));
	assert_string_equal(json_string_value(json_object_get(verdict, "verdict")), "regressed");
	assert_true(fabs(json_real_value(json_object_get(verdict, "effect")) - 0.2) < 0.005);
	assert_true(
		json_equal(json_object_get(verdict, "effect"), json_object_get(verdict, "cost")));
	assert_true(json_is_null(json_object_get(verdict, "reason")));
	verdict = verdict_of(data, "BAD");
	assert_string_equal(json_string_value(json_object_get(verdict, "verdict")), "unmeasured");
	assert_true(json_is_null(json_object_get(verdict, "effect")));
	assert_true(json_is_string(json_object_get(verdict, "reason")));
	assert_int_equal(json_integer_value(json_object_get(verdict, "failed")), 1);
	change = json_array_get(json_object_get(data, "changes"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(change_members); i++)
		assert_non_null(json_object_get(change, change_members[i]));
	assert_int_equal(json_array_size(json_object_get(data, "builds")), ROWS);
	assert_int_equal(json_array_size(json_object_get(data, "quality")), 2);
	json_decref(data);
	doc_free(doc);
	fill_end(&world.fill);
}

static void test_csv_and_markdown(void **state)
{
	struct world world = {0};
	struct doc *doc;
	AUTOFREE char *csv = NULL, *markdown = NULL;
	size_t lines = 0;

	(void)state;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, NULL, NULL);
	csv = rendered(doc, "csv", 0);
	for (const char *s = csv; (s = strstr(s, "\r\n")); s++)
		lines++;
	assert_int_equal(lines, ROWS + 1);
	assert_true(text_starts(csv, "workload,axes,variant,baseline,metric,"));
	assert_has(csv, "\nwork,,SLOW,none,wall,s,lower,regressed,,");
	assert_has(csv, "\nwork,,BAD,none,wall,s,lower,unmeasured,");
	markdown = rendered(doc, "markdown", 0);
	assert_true(text_starts(markdown, "## demo: Which one?\n"));
	assert_has(markdown, "| SLOW | 1.2");
	assert_has(markdown, "**slower**");
	doc_free(doc);
	fill_end(&world.fill);
}

static void test_commands(void **state)
{
	struct world world = {0};
	struct doc *doc;
	AUTOFREE char *text = NULL, *by_id = NULL;

	(void)state;
	/* a session that is not finished goes on */
	world.open = true;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, "SLOW", "a dir/demo.yaml");
	text = rendered(doc, "text", 100);
	assert_has(text, "Next:    assay run 'a dir/demo.yaml'   # goes on with it\n");
	assert_has(text, "the session is open: ");
	doc_free(doc);
	/* asked for by its number, there is no descriptor to run */
	doc = report(&world, "SLOW", "12");
	by_id = rendered(doc, "text", 100);
	assert_null(strstr(by_id, "assay run"));
	assert_has(by_id, "assay report 12 ");
	doc_free(doc);
	fill_end(&world.fill);
}

static size_t times(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *s = text; (s = strstr(s, part)); s += strlen(part))
		n++;
	return n;
}

/* One option alone is worse than all together: it is the answer, and they are named beside it. */
static void test_worst(void **state)
{
	struct world world = {.all = 0.1};
	struct doc *doc;
	AUTOFREE char *text = NULL, *filtered = NULL;

	(void)state;
	make_world(&world, 0.2, 0.1);
	doc = report(&world, NULL, "demo.yaml");
	text = rendered(doc, "text", 400);
	assert_true(text_starts(text, "Slower?  Yes: with SLOW a run takes 1.2"));
	assert_has(text, "; all options together +10.0 % [");
	assert_has(text, "; 2 of 5 variants are slower.");
	/* the same time, twice: one line, and a word about the other name */
	assert_int_equal(times(text, "\n SLOW "), 3); /* verdict, figure, what moved */
	assert_has(text, "user moved with phase sum (");
	assert_int_equal(times(text, "all = SLOW+"), 1);
	assert_int_equal(times(text, "n/m: not measured"), 1);
	assert_has(text, ", 4 blocks, 24 runs; 5 comparisons, ");
	doc_free(doc);
	fill_end(&world.fill);
	/* asked about by a filter: the simplest row that passes it */
	world = (struct world){.all = 0.5};
	make_world(&world, 0.2, 0.1);
	doc = report(&world, "SLOW", "demo.yaml");
	filtered = rendered(doc, "text", 400);
	assert_true(text_starts(filtered, "Slower?  Yes: with SLOW a run takes"));
	doc_free(doc);
	fill_end(&world.fill);
}

static void assert_interval(double low, double high, const char *shown)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	add_percent_interval(&text, low, high, 1);
	assert_string_equal(text.data, shown);
}

/* Numbers that nobody can read, or believe, are not printed. */
static void test_numbers(void **state)
{
	static const struct {
		struct difference difference;
		const char *shown;
	} differences[] = {
		{{.relative = true, .value = 0.01, .unit = ""}, "1 %"},
		{{.relative = true, .value = 0.0125, .unit = ""}, "1.25 %"},
		{{.relative = true, .value = 20, .unit = ""}, "2000 %"},
		{{.relative = false, .value = 123456, .unit = "Mops/s"}, "123456 Mops/s"},
	};
	CLEANUP(buf_release) struct buf rough = BUF_INIT;

	(void)state;
	assert_interval(0.179, 0.203, "[+17.9, +20.3]");
	assert_interval(-0.999, 253284188139.06, "[-99.9, > +1000]");
	assert_interval(-1, INFINITY, "[open, open]");
	assert_interval(-INFINITY, 0.5, "[open, +50.0]");
	/* truly eleven times as much */
	assert_interval(9.5, 10.5, "[+950.0, +1050]");
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		add_difference(&text, &differences[i].difference);
		assert_string_equal(text.data, differences[i].shown);
	}
	add_rough_percent(&rough, 1.2);
	buf_adds(&rough, ", ");
	add_rough_percent(&rough, 2900);
	assert_string_equal(rough.data, "120 %, more than 1000 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_none_slow),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv_and_markdown),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
