/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One document made by hand, in every form, against tests/golden/report.*; ASSAY_GOLDEN=write makes
 * these anew (then look at what changed). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "reports/figure.h"
#include "reports/render.h"
#include "reports/report.h"

static struct table *verdicts(void)
{
	struct table *table = table_new("prove: time in s, lower is better");

	table_column(table, "variant", "variant", ALIGN_LEFT, 0);
	table_column(table, "value", "time (s)", ALIGN_RIGHT, 0);
	table_column(table, "effect", "against none", ALIGN_RIGHT, 0);
	table_column(table, "delta", "diff (s)", ALIGN_RIGHT, 2);
	table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
	table_row(table);
	table_text(table, "variant", "none");
	table_real(table, "value", 88.9, "%.1f");
	table_text(table, "verdict", "baseline");
	table_row(table);
	table_text(table, "variant", "A1=cap2|B<1>");
	table_real(table, "value", 105.9, "%.1f");
	table_real_text(table, "effect", 0.191, "+19.1 %");
	table_real(table, "delta", 17, "%+.1f");
	table_text(table, "verdict", "slower");
	table_style(table, "verdict", "bad");
	table_row(table);
	table_text(table, "variant", "D4");
	table_none(table, "value", "build failed");
	table_text(table, "verdict", "not measured (build failed)");
	table_style(table, "verdict", "doubt");
	return table;
}

static struct figure *intervals(void)
{
	struct figure *figure = figure_new(FIGURE_INTERVALS, "intervals-prove/t=2",
		"prove: time against none", "difference in %");

	figure->percent = true;
	figure->band = 0.01;
	figure_interval(figure, "none", 0, 0, 0, "baseline", "baseline");
	figure_interval(figure, "A1=cap2", 0.191, 0.179, 0.203, "regressed", "+19.1 %, slower");
	figure_interval(figure, "B1", -0.02, -INFINITY, INFINITY, "undecided", "undecided");
	figure_interval(figure, "D4", NAN, NAN, NAN, "unmeasured", "not measured");
	return figure;
}

static struct doc *sample(void)
{
	struct doc *doc = doc_new("phase4: Which optimization made the proof slower?");

	doc_answer(doc, "bad", "Slower?",
		"Yes: with A1=cap2|B<1> a run takes 105.9 s instead of 88.9 s, +19.1 %% "
		"[+17.9, +20.3], 4 pairs; `1` of *2* variants is slower.");
	doc_answer(doc, NULL, "Which?", "Slower: A1=cap2|B<1> +17.0 s. Not measured: D4.");
	doc_heading(doc, 2, "Evidence");
	doc_table(doc, verdicts());
	doc_figure(doc, intervals());
	doc_text(doc, "Nothing else moved for sure: 12 comparisons of other metrics.");
	doc_note(doc, "Could have seen:", "1.0 %% at 4 pairs.");
	doc_note(doc, "Beware:", "foreign text \x1b[31m\xff stays text @you.");
	doc_note(doc, NULL, "a note without a label");
	doc_code(doc, "Next:", "assay show 33\nassay run 'a b.yaml'\n");
	doc->data = json_pack("{s:i, s:[i], s:n}", "schema", 1, "verdicts", 2, "reason");
	doc->csv = verdicts();
	return doc;
}

static char *golden_path(const char *name)
{
	const char *srcdir = getenv("top_srcdir");
	AUTOFREE char *folder = path_join(srcdir ? srcdir : ".", "tests/golden");

	return path_join(folder, name);
}

static void check(const char *format, int width, bool colour, const char *golden)
{
	CLEANUP(doc_freep) struct doc *doc = sample();
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	CLEANUP(buf_release) struct buf want = BUF_INIT;
	const struct render_options options = {.width = width, .colour = colour};
	const char *mode = getenv("ASSAY_GOLDEN");
	AUTOFREE char *path = golden_path(golden);
	struct err err = {0};

	assert_non_null(renderer_find(format));
	if (renderer_find(format)->render(doc, &options, &out, &err) < 0)
		fail_msg("%s", err.text);
	if (mode && !strcmp(mode, "write"))
		assert_int_equal(fs_write(path, out.data, out.len, 0, &err), 0);
	if (fs_read(path, 0, &want, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(out.data, want.data);
}

static void test_golden(void **state)
{
	(void)state;
	check("text", 80, false, "report-80.txt");
	check("text", 132, false, "report-132.txt");
	check("text", 100, true, "report-colour.txt");
	check("markdown", 0, false, "report.md");
	check("json", 0, false, "report.json");
	check("csv", 0, false, "report.csv");
}

static void test_width(void **state)
{
	(void)state;
	for (int width = 80; width <= 200; width += 8) {
		CLEANUP(doc_freep) struct doc *doc = sample();
		CLEANUP(buf_release) struct buf out = BUF_INIT;
		const struct render_options options = {.width = width};
		struct err err = {0};

		assert_int_equal(renderer_find("text")->render(doc, &options, &out, &err), 0);
		assert_null(strchr(out.data, '\033'));
		for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(text_width(line), 0, width);
	}
}

static void test_tables_of_kinds(void **state)
{
	(void)state;
	assert_null(renderer_find("html5"));
	assert_null(report_find("nothing"));
	assert_ptr_equal(report_find("compare"), reports[0]);
	for (size_t i = 0; renderers[i]; i++) {
		assert_true(renderers[i]->summary[0] != '\0');
		assert_true(renderers[i]->extension[0] != '\0');
	}
}

static void test_forms_that_are_missing(void **state)
{
	CLEANUP(doc_freep) struct doc *doc = doc_new(NULL);
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	const struct render_options options = {.width = 80};
	struct err err = {0};

	(void)state;
	assert_int_equal(renderer_find("json")->render(doc, &options, &out, &err), -1);
	assert_int_equal(err.code, E_USAGE);
	assert_int_equal(renderer_find("csv")->render(doc, &options, &out, &err), -1);
	assert_int_equal(renderer_find("text")->render(doc, &options, &out, &err), 0);
	assert_int_equal(out.len, 0);
}

/* Without gnuplot the text still comes, with the reason and the cure. */
static void test_no_gnuplot(void **state)
{
	CLEANUP(doc_freep) struct doc *doc = sample();
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	const struct render_options options = {.width = 100, .figure_stem = "/tmp/assay-no-such"};
	AUTOFREE char *path = xstrdup(getenv("PATH"));
	struct err err = {0};

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(renderer_find("text")->render(doc, &options, &out, &err), 0);
	assert_non_null(strstr(out.data, "Figure: "));
	assert_non_null(strstr(out.data, "gnuplot was not found"));
	assert_non_null(strstr(out.data, "apt-get install gnuplot-nox"));
	buf_clear(&out);
	assert_int_equal(renderer_find("markdown")->render(doc, &options, &out, &err), 0);
	assert_non_null(strstr(out.data, "Figure not drawn: gnuplot was not found"));
	setenv("PATH", path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_tables_of_kinds),
		cmocka_unit_test(test_forms_that_are_missing),
		cmocka_unit_test(test_no_gnuplot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
