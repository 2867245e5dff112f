/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "reports/figure.h"

static char dir[64];
static char *gnuplot;

static int setup(void **state)
{
	const char *path = getenv("PATH");

	(void)state;
	strcpy(dir, "/tmp/assay-figure-XXXXXX");
	gnuplot = path_which("gnuplot", path ? path : "/usr/bin");
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int teardown(void **state)
{
	struct err err;

	(void)state;
	free(gnuplot);
	return chdir("/") || fs_remove(dir, &err);
}

static void need_gnuplot(void)
{
	if (!gnuplot) {
		print_message("gnuplot is not installed: apt-get install gnuplot-nox\n");
		skip();
	}
}

static struct figure *sample(const char *label)
{
	struct figure *figure = figure_new(FIGURE_INTERVALS, "../x/y z", label, label);

	figure->percent = true;
	figure->band = 0.01;
	figure_interval(figure, "none", 0, 0, 0, "baseline", "baseline");
	figure_interval(figure, label, 0.05, 0.04, 0.06, "regressed", label);
	figure_interval(figure, "open end", 0.02, -INFINITY, INFINITY, "undecided", "undecided");
	figure_interval(figure, "not measured", NAN, NAN, NAN, "unmeasured", "not measured");
	return figure;
}

/* Names that a shell, gnuplot's string syntax, tic formats or svg would take for something else. */
static const char *const hostile[] = {
	"`touch pwned`",
	"x\"`touch pwned`\"",
	"a' ; system('touch pwned') ; '",
	"$(touch pwned)",
	"@touch \"pwned\" \\\\ 100%d %s {/Bold x} a_b^c",
	"line\n!touch pwned\nEOD\n",
	"<script>&amp;",
	"bad \xff\xfe utf-8 \x1b[31m",
};

static void test_hostile_names(void **state)
{
	static const char *const seen[] = {"`touch pwned`", "x&quot;`touch pwned`&quot;",
		"a' ; system('touch pwned') ; '", "$(touch pwned)",
		"@touch &quot;pwned&quot; \\\\ 100%d %s {/Bold x} a_b^c", "line !touch pwned EOD",
		"&lt;script>&amp;amp;", "bad "};

	(void)state;
	need_gnuplot();
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct figure *figure = sample(hostile[i]);
		CLEANUP(buf_release) struct buf svg = BUF_INIT;
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		struct err err = {0};

		assert_string_equal(figure->name, "-.-x-y-z");
		if (figure_write(figure, "svg", "out.svg", &err) < 0)
			fail_msg("%s: %s", hostile[i], err.text);
		figure_free(figure);
		assert_false(fs_exists("pwned"));
		assert_int_equal(fs_read("out.svg", 0, &svg, &err), 0);
		/* gnuplot writes " as it is or as &quot; depending on its version */
		for (const char *s = svg.data; *s; s++) {
			if (*s == '"')
				buf_adds(&text, "&quot;");
			else
				buf_addc(&text, *s);
		}
		if (!strstr(text.data, seen[i]))
			fail_msg("'%s' is not in the picture", seen[i]);
		assert_null(strstr(svg.data, "<script>"));
	}
}

static void test_png(void **state)
{
	struct figure *figure = sample("A1=cap2+B1");
	CLEANUP(buf_release) struct buf png = BUF_INIT;
	struct err err = {0};

	(void)state;
	if (!gnuplot)
		figure_free(figure);
	need_gnuplot();
	if (figure_write(figure, "png", "out.png", &err) < 0)
		fail_msg("%s", err.text);
	figure_free(figure);
	assert_int_equal(fs_read("out.png", 0, &png, &err), 0);
	assert_true(png.len > 2000);
	assert_memory_equal(png.data, "\x89PNG\r\n\x1a\n", 8);
}

static void write_program(const char *path, const char *text)
{
	struct err err = {0};

	assert_int_equal(fs_write(path, text, strlen(text), 0755, &err), 0);
}

static void test_failures(void **state)
{
	struct figure *figure = sample("x");
	struct err err = {0};
	int64_t start;

	(void)state;
	write_program(
		"fails", "#!/bin/sh\necho >&2\necho 'line 3: no such terminal' >&2\nexit 3\n");
	assert_int_equal(figure_write_with("./fails", NS_PER_S, figure, "svg", "f.svg", &err), -1);
	assert_int_equal(err.code, E_SYSTEM);
	assert_non_null(strstr(err.text, "status 3"));
	assert_non_null(strstr(err.text, "line 3: no such terminal"));
	write_program("silent", "#!/bin/sh\nexit 0\n");
	assert_int_equal(figure_write_with("./silent", NS_PER_S, figure, "svg", "f.svg", &err), -1);
	write_program("dies", "#!/bin/sh\nkill -ABRT $$\n");
	assert_int_equal(figure_write_with("./dies", NS_PER_S, figure, "svg", "f.svg", &err), -1);
	assert_non_null(strstr(err.text, "signal 6"));
	/* one that hangs is ended, and one that never reads its script does not hold us up */
	write_program("hangs", "#!/bin/sh\nexec sleep 60\n");
	start = clock_mono_ns();
	assert_int_equal(
		figure_write_with("./hangs", NS_PER_S / 5, figure, "svg", "f.svg", &err), -1);
	assert_non_null(strstr(err.text, "took longer"));
	assert_true(clock_mono_ns() - start < 20 * NS_PER_S);
	assert_int_equal(figure_write_with("./absent", NS_PER_S, figure, "svg", "f.svg", &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_false(fs_exists("f.svg"));
	figure_free(figure);
}

static void test_unwritable_place(void **state)
{
	struct figure *figure = sample("x");
	struct err err = {0};

	(void)state;
	write_program("draws", "#!/bin/sh\necho '<svg/>'\n");
	assert_int_equal(
		figure_write_with("./draws", 20 * NS_PER_S, figure, "svg", "no/such/f.svg", &err),
		-1);
	assert_int_equal(
		figure_write_with("./draws", 20 * NS_PER_S, figure, "svg", "g.svg", &err), 0);
	assert_true(fs_exists("g.svg"));
	figure_free(figure);
}

static void test_scale(void **state)
{
	struct figure *figure = figure_new(FIGURE_INTERVALS, "n", "t", "x");
	double low, high;

	(void)state;
	assert_true(figure_step(10, 5) == 2);
	assert_true(fabs(figure_step(0.03, 8) - 0.005) < 1e-12);
	figure_range(figure, &low, &high);
	assert_true(low < 0 && high > 0);
	figure->band = 0.01;
	figure_interval(figure, "a", 0.5, 0.4, INFINITY, "regressed", "");
	figure_range(figure, &low, &high);
	assert_true(low < -0.01 && high > 0.5 && high < 0.6);
	figure_free(figure);
}

static void test_text_figure(void **state)
{
	struct figure *figure = sample("A1");
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	(void)state;
	figure_text(figure, &out, 80);
	assert_non_null(strstr(out.data, " A1 "));
	assert_non_null(strstr(out.data, "-o-"));
	assert_non_null(strstr(out.data, "<-"));
	assert_non_null(strstr(out.data, "->"));
	figure_free(figure);
	/* nothing measured, nothing drawn */
	buf_clear(&out);
	figure = figure_new(FIGURE_INTERVALS, "n", "t", "x");
	figure_interval(figure, "none", 0, 0, 0, "baseline", "");
	figure_interval(figure, "a", NAN, NAN, NAN, "unmeasured", "");
	figure_text(figure, &out, 80);
	assert_int_equal(out.len, 0);
	figure_free(figure);
}

/* An interval that two or three pairs made goes on beyond the axis of the others. */
static void test_wild(void **state)
{
	struct figure *figure = figure_new(FIGURE_INTERVALS, "w", "w", "w");
	CLEANUP(buf_release) struct buf text = BUF_INIT, script = BUF_INIT;
	double low, high;

	(void)state;
	figure->percent = true;
	figure_interval(figure, "none", 0, 0, 0, "baseline", "baseline");
	figure_interval(figure, "calm", 0.05, 0.04, 0.06, "regressed", "slower");
	figure_interval(figure, "wild", 0.03, -0.999, 2.5e11, "undecided", "undecided");
	figure_legend(figure, "wild", "A+B");
	figure_legend(figure, "calm", "C+D");
	assert_string_equal(figure->legend, "wild = A+B, calm = C+D");
	figure_range(figure, &low, &high);
	assert_true(low > -0.01 && low < 0 && high > 0.06 && high < 0.07);
	figure_text(figure, &text, 60);
	assert_non_null(strstr(text.data, " wild  <--"));
	assert_non_null(strstr(text.data, "-->\n"));
	figure_script(figure, "svg", "", &script);
	assert_non_null(strstr(script.data, "\xe2\x97\x80"));
	assert_non_null(strstr(script.data, "\xe2\x96\xb6"));
	assert_null(strstr(script.data, "e+1"));
	figure_free(figure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_png),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_unwritable_place),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_text_figure),
		cmocka_unit_test(test_wild),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
