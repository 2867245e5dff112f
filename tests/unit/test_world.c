/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up worlds: what is read, what is refused, and that what happens is what was declared. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/num.h"
#include "core/engine/world.h"
#include "tests/unit/scratch.h"

static char *dir;

static int make_dir(void **state)
{
	(void)state;
	dir = scratch_new();
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	scratch_free(dir);
	return 0;
}

static char *write_file(const char *name, const char *text)
{
	char *path = path_join(dir, name);
	struct err err;

	if (fs_write(path, text, strlen(text), 0, &err))
		fail_msg("%s", err.text);
	return path;
}

/* A world and the descriptor that it writes of itself. */
struct made {
	struct world *world;
	struct descriptor *descriptor;
	struct arena arena;
	uint8_t *levels;
};

static void make(struct made *made, const char *text)
{
	AUTOFREE char *path = write_file("world.yaml", text), *written = NULL;
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(buf_release) struct buf descriptor = BUF_INIT;
	struct err err;

	memset(made, 0, sizeof(*made));
	if (world_load(path, &diags, &made->world, &err)) {
		diags_print(&diags, stderr, false);
		fail_msg("%s", err.text);
	}
	world_descriptor(made->world, &descriptor);
	written = write_file("simulated.yaml", descriptor.data);
	if (descriptor_load(written, NULL, 0, &diags, &made->descriptor, &err)) {
		diags_print(&diags, stderr, false);
		fail_msg("%s\n%s", err.text, descriptor.data);
	}
	if (world_check(made->world, made->descriptor, &err))
		fail_msg("%s", err.text);
	made->levels = xcalloc(made->descriptor->n_options + 1, 1);
}

static void unmake(struct made *made)
{
	world_free(made->world);
	descriptor_free(made->descriptor);
	arena_release(&made->arena);
	free(made->levels);
}

/* "A1+L=b" switched on, all else off. */
static void set_levels(struct made *made, const char *what)
{
	memset(made->levels, 0, made->descriptor->n_options);
	for (const char *at = what; at && *at;) {
		const char *end = strchrnul(at, '+');
		AUTOFREE char *word = xstrndup(at, (size_t)(end - at));
		char *equals = strchr(word, '=');
		int option;

		if (equals)
			*equals++ = '\0';
		option = descriptor_option(made->descriptor, word);
		assert_true(option >= 0);
		made->levels[option] =
			equals ? (uint8_t)option_level(&made->descriptor->options[option], equals)
			       : 1;
		at = *end ? end + 1 : NULL;
	}
}

static struct world_run run_of(
	struct made *made, const char *what, const char *build, int block, const char *run)
{
	struct world_run ret;

	set_levels(made, what);
	world_simulate(
		made->world, made->descriptor, made->levels, build, block, run, &made->arena, &ret);
	return ret;
}

static double seconds(struct made *made, const char *what)
{
	return run_of(made, what, "b", 0, "r").seconds;
}

#define assert_close(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_effects(void **state)
{
	struct made made;

	(void)state;
	make(&made, "schema: 1\noptions: [A1, B1, {name: L, levels: [a, b]}]\nbase: 2 s\nnoise: 0\n"
		    "effects: {A1: 0.09, B1: -0.05, \"A1+B1\": 0.06, \"L=a\": 0.02, L: 0.5, "
		    "\"A1+L=b\": 1}\ncosts: {build: 90 s, run: 3 s}\nseed: 5\n");
	assert_close(seconds(&made, ""), 2);
	assert_close(seconds(&made, "A1"), 2 * exp(0.09));
	assert_close(seconds(&made, "B1"), 2 * exp(-0.05));
	assert_close(seconds(&made, "A1+B1"), 2 * exp(0.09 - 0.05 + 0.06));
	assert_close(seconds(&made, "L=a"), 2 * exp(0.52));
	assert_close(seconds(&made, "L=b"), 2 * exp(0.5));
	assert_close(seconds(&made, "A1+L=b"), 2 * exp(0.09 + 0.5 + 1));
	assert_int_equal(world_build_ns(made.world), 90 * NS_PER_S);
	assert_int_equal(world_run_ns(made.world), 3 * NS_PER_S);
	assert_int_equal(world_seed(made.world), 5);
	unmake(&made);
}

static void test_defaults(void **state)
{
	struct made made;
	double sum = 0, squares = 0;
	enum {
		N = 4000
	};

	(void)state;
	make(&made, "schema: 1\noptions: []\n");
	assert_int_equal(world_build_ns(made.world), 60 * NS_PER_S);
	assert_int_equal(world_run_ns(made.world), 0);
	assert_int_equal(made.descriptor->n_options, 0);
	/* One second with 1 % of noise on log time. */
	for (int i = 0; i < N; i++) {
		AUTOFREE char *name = xasprintf("run %d", i);
		double x = log(run_of(&made, "", "b", i, name).seconds);

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / N) < 4 * 0.01 / sqrt(N));
	assert_true(fabs(sqrt(squares / N) - 0.01) < 4 * 0.01 / sqrt(2.0 * N));
	unmake(&made);
}

static void test_phases(void **state)
{
	struct made made;
	struct world_run run;

	(void)state;
	make(&made, "schema: 1\noptions: [A1, B1]\nbase: 10 s\nnoise: 0\neffects: {B1: 0.1}\n"
		    "phases: {synthesis: {share: 0.6, effects: {A1: 0.5, B1: 0}}, gpu: {share: "
		    "0.3}}\n");
	run = run_of(&made, "", "b", 0, "r");
	assert_int_equal(run.n_phases, 2);
	assert_string_equal(run.phases[0].name, "synthesis");
	assert_close(run.seconds, 10);
	assert_close(run.phases[0].seconds, 6);
	assert_close(run.phases[1].seconds, 3);
	/* What a phase gains is the run's, too; the other phase stays as it is. */
	run = run_of(&made, "A1", "b", 0, "r");
	assert_close(run.phases[0].seconds, 6 * exp(0.5));
	assert_close(run.phases[1].seconds, 3);
	assert_close(run.seconds, 4 + 6 * exp(0.5));
	/* An effect on the whole run stretches all of it. */
	run = run_of(&made, "B1", "b", 0, "r");
	assert_close(run.seconds, 10 * exp(0.1));
	assert_close(run.phases[1].seconds, 3 * exp(0.1));
	unmake(&made);
}

/* A result depends on the seed and on names, not on the order of the calls. */
static void test_deterministic(void **state)
{
	static const char text[] = "schema: 1\noptions: [A1]\nnoise: 0.1\nbuild_noise: 0.1\n"
				   "drift: 0.1\nspikes: 0.2\nbimodal: {share: 0.3, size: 0.1}\n";
	AUTOFREE char *other_text = xasprintf("%sseed: 1\n", text);
	struct made made, again, other;
	double first;

	(void)state;
	make(&made, text);
	first = run_of(&made, "A1", "b", 3, "r 1").seconds;
	run_of(&made, "", "c", 7, "r 2");
	assert_true(first == run_of(&made, "A1", "b", 3, "r 1").seconds);
	assert_true(first != run_of(&made, "A1", "b", 3, "r 2").seconds);
	assert_true(first != run_of(&made, "A1", "c", 3, "r 1").seconds);
	assert_true(first != run_of(&made, "A1", "b", 4, "r 1").seconds);
	make(&again, text);
	assert_true(first == run_of(&again, "A1", "b", 3, "r 1").seconds);
	make(&other, other_text);
	assert_true(first != run_of(&other, "A1", "b", 3, "r 1").seconds);
	unmake(&made);
	unmake(&again);
	unmake(&other);
}

/* build_noise is one number per build, drift one per block: with those alone, runs of one build in
 * one block are equal, and differences inside a block are the same in every block. */
static void test_kinds_of_noise(void **state)
{
	struct made made;
	double a0, b0, a1, b1;

	(void)state;
	make(&made, "schema: 1\noptions: [A1]\nnoise: 0\nbuild_noise: 0.1\ndrift: 0.1\n");
	a0 = run_of(&made, "", "a", 0, "r 1").seconds;
	assert_true(a0 == run_of(&made, "", "a", 0, "r 2").seconds);
	b0 = run_of(&made, "", "b", 0, "r 3").seconds;
	a1 = run_of(&made, "", "a", 1, "r 4").seconds;
	b1 = run_of(&made, "", "b", 1, "r 5").seconds;
	assert_true(a0 != b0);
	assert_true(a0 != a1);
	assert_close(b0 / a0, b1 / a1);
	unmake(&made);
}

static void test_spikes_and_modes(void **state)
{
	enum {
		N = 4000
	};
	struct made spiky, bimodal;
	int spikes = 0, high = 0;
	double sum = 0;

	(void)state;
	make(&spiky, "schema: 1\noptions: []\nnoise: 0\nspikes: 0.1\n");
	make(&bimodal, "schema: 1\noptions: []\nnoise: 0\nbimodal: {share: 0.25, size: 0.2}\n");
	for (int i = 0; i < N; i++) {
		AUTOFREE char *name = xasprintf("run %d", i);
		double x = log(run_of(&spiky, "", "b", 0, name).seconds);
		double y = log(run_of(&bimodal, "", "b", 0, name).seconds);

		assert_true(x >= 0);
		spikes += x > 0;
		sum += x;
		assert_true(fabs(y) < 1e-9 || fabs(y - 0.2) < 1e-9);
		high += y > 0.1;
	}
	/* Four standard deviations each. */
	assert_in_range(spikes, 400 - 76, 400 + 76);
	assert_true(fabs(sum / spikes - 0.05) < 4 * 0.05 / sqrt(spikes));
	assert_in_range(high, 1000 - 110, 1000 + 110);
	unmake(&spiky);
	unmake(&bimodal);
}

static void test_failures(void **state)
{
	enum {
		N = 2000
	};
	struct made made;
	int failed = 0;

	(void)state;
	make(&made, "schema: 1\noptions: [A, B, C, D, E]\n"
		    "fail: {\"A+B\": build, B: {run: 0.1}, C: timeout, D: invalid, E: {build: 0, "
		    "run: 1}}\n");
	set_levels(&made, "A+B");
	assert_true(world_build_fails(made.world, made.descriptor, made.levels));
	set_levels(&made, "A+B+C");
	assert_true(world_build_fails(made.world, made.descriptor, made.levels));
	set_levels(&made, "A");
	assert_false(world_build_fails(made.world, made.descriptor, made.levels));
	set_levels(&made, "E");
	assert_false(world_build_fails(made.world, made.descriptor, made.levels));
	assert_int_equal(run_of(&made, "A", "b", 0, "r").fate, WORLD_OK);
	assert_int_equal(run_of(&made, "C", "b", 0, "r").fate, WORLD_TIMEOUT);
	assert_int_equal(run_of(&made, "D", "b", 0, "r").fate, WORLD_INVALID);
	assert_int_equal(run_of(&made, "E", "b", 0, "r").fate, WORLD_RUN_FAILS);
	for (int i = 0; i < N; i++) {
		AUTOFREE char *name = xasprintf("run %d", i);

		failed += run_of(&made, "B", "b", 0, name).fate == WORLD_RUN_FAILS;
	}
	assert_in_range(failed, 200 - 54, 200 + 54);
	unmake(&made);
}

/* A failure that is added moves no time. */
static void test_failures_move_nothing(void **state)
{
	struct made with, without;

	(void)state;
	make(&without, "schema: 1\noptions: [A, B]\nfail: {A: {run: 0}}\n");
	make(&with, "schema: 1\noptions: [A, B]\nfail: {A: {run: 0.5}}\n");
	assert_true(seconds(&without, "B") == seconds(&with, "B"));
	assert_true(seconds(&without, "A") == seconds(&with, "A"));
	unmake(&with);
	unmake(&without);
}

static void test_descriptor(void **state)
{
	const struct option *options;
	struct made made;

	(void)state;
	make(&made, "schema: 1\noptions: [A4, B1, D4, {name: L, levels: [a, b]}]\n"
		    "requires: {D4: [A4]}\nconflicts: [[B1, L], [A4, B1, \"L=b\"]]\n");
	options = made.descriptor->options;
	assert_int_equal(made.descriptor->n_options, 4);
	assert_int_equal(options[2].n_requires, 1);
	assert_int_equal(options[2].requires[0].option, 0);
	assert_int_equal(options[3].n_levels, 3);
	assert_string_equal(options[3].levels[options[3].default_level].name, "a");
	/* Every two of a list conflict, seen from either side. */
	for (int a = 0; a < 4; a++) {
		for (int b = 0; b < 4; b++) {
			bool found = false, expected = a != b && a != 2 && b != 2;

			for (size_t i = 0; i < options[a].n_conflicts; i++)
				found |= options[a].conflicts[i].option == b;
			if (found != expected)
				fail_msg("%s against %s", options[a].name, options[b].name);
		}
	}
	unmake(&made);
}

/* Every mistake has its place, and all of a file come in one go. */
static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"schema: 2\noptions: []\n",
			":1:9: error: schema: this assay reads schema 1, not 2"},
		{"options: []\n", "schema"},
		{"schema: 1\n", "options"},
		{"schema: 1\noptions: {A: 1}\n", ":2:10: error: options: expected a list"},
		{"schema: 1\noptions: [on]\n", "reserved word"},
		{"schema: 1\noptions: [A, B, A]\n", ":2:17: error: options[2]: the option 'A'"},
		{"schema: 1\noptions: [{levels: [a]}]\n", "an option needs a name"},
		{"schema: 1\noptions: [{name: L, levels: []}]\n", "at least one level"},
		{"schema: 1\noptions: [{name: L, levels: [a, off]}]\n",
			"\"off\" cannot be a level"},
		{"schema: 1\noptions: [{name: L, levels: [a, a]}]\n", "stands here twice"},
		{"schema: 1\noptions: [{name: L, level: [a]}]\n", "unknown field"},
		{"schema: 1\noptions: [ALPHA]\neffects: {ALPHE: 1}\n",
			":3:11: error: effects.ALPHE: this world has no option 'ALPHE'"},
		{"schema: 1\noptions: [ALPHA]\neffects: {ALPHE: 1}\n", "did you mean 'ALPHA'?"},
		{"schema: 1\noptions: [A]\neffects: {\"A=x\": 1}\n", "has no level 'x'"},
		{"schema: 1\noptions: [A]\neffects: {\"A+\": 1}\n", "no option ''"},
		{"schema: 1\noptions: [A]\neffects: [A]\n", "expected a map of options to effects"},
		{"schema: 1\noptions: [A]\neffects: {A: big}\n", ":3:14: error: effects.A"},
		{"schema: 1\noptions: [A]\nfail: {A: sometimes}\n",
			"expected build, run, timeout or invalid"},
		{"schema: 1\noptions: [A]\nfail: {A: {run: 1.5}}\n", "a number from 0 to 1"},
		{"schema: 1\noptions: [A]\nfail: {A: {build: 0.5}}\n", "always (1) or never (0)"},
		{"schema: 1\noptions: [A]\nfail: [A]\n", "to a kind of failure"},
		{"schema: 1\noptions: [A]\nrequires: {A: [C]}\n", "no option 'C'"},
		{"schema: 1\noptions: [A]\nrequires: [A]\n", "expected a map: {D4: [A4]}"},
		{"schema: 1\noptions: [A]\nconflicts: [A]\n", "two options or more"},
		{"schema: 1\noptions: [A]\nconflicts: {A: A}\n", "expected a list of lists"},
		{"schema: 1\noptions: [A]\nphases: {p: {share: 1.5}}\n", "a number from 0 to 1"},
		{"schema: 1\noptions: [A]\nphases: {p: {share: 0.6}, q: {share: 0.6}}\n",
			"add up to more than 1"},
		{"schema: 1\noptions: []\nnoise: -0.1\n", "a standard deviation is not negative"},
		{"schema: 1\noptions: []\nnoise: 1e9\n", "log time is at most 10"},
		{"schema: 1\noptions: [A]\neffects: {A: -1e9}\n", "log time is from -10 to 10"},
		{"schema: 1\noptions: []\nseed: -1\n", "-1 is less than 0"},
		{"schema: 1\noptions: []\nspikes: 2\n", "a number from 0 to 1"},
		{"schema: 1\noptions: []\nbase: 1\n", "base"},
		{"schema: 1\noptions: []\ncolour: red\n", "colour"},
		{"[]\n", "expected a map"},
		{"schema: 1\noptions: [\n", "error"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTOFREE char *path = write_file("bad.yaml", cases[i].text), *shown = NULL;
		CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
		struct world *world;
		struct err err;
		size_t size;
		FILE *to = open_memstream(&shown, &size);

		assert_int_equal(world_load(path, &diags, &world, &err), -1);
		assert_int_equal(err.code, E_CONFIG);
		diags_print(&diags, to, false);
		fclose(to);
		if (!strstr(shown, cases[i].expected) || !strstr(shown, "bad.yaml:"))
			fail_msg(
				"%s\nshows\n%s\nnot '%s'", cases[i].text, shown, cases[i].expected);
	}
}

static void test_all_mistakes_at_once(void **state)
{
	AUTOFREE char *path = write_file("bad.yaml", "schema: 3\noptions: [A, A]\neffects: {B: "
						     "x}\nfail: {A: no}\ncolour: red\nnoise: -1\n");
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct world *world;
	struct err err;

	(void)state;
	assert_int_equal(world_load(path, &diags, &world, &err), -1);
	assert_int_equal(diags.errors, 7);
}

static void test_no_file(void **state)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct world *world;
	struct err err;

	(void)state;
	assert_int_equal(world_load("/nowhere/w.yaml", &diags, &world, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_non_null(strstr(err.text, "/nowhere/w.yaml"));
}

/* A world for a descriptor that has other options. */
static void test_check(void **state)
{
	AUTOFREE char *file = write_file("d.yaml",
		"schema: 1\nname: d\noptions: {A: {define: {A: 1}}, L: {default: x, levels: {x: "
		"{define: {L: 1}}}}}\nworkloads: {w: {run: [\"true\"]}}\n");
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"schema: 1\noptions: [A]\neffects: {A: 1}\n", NULL},
		{"schema: 1\noptions: [A, Z]\n", NULL}, /* nothing depends on it */
		{"schema: 1\noptions: [Z]\neffects: {Z: 1}\n", "no option 'Z'"},
		{"schema: 1\noptions: [Z]\nfail: {Z: run}\n", "no option 'Z'"},
		{"schema: 1\noptions: [Z]\nphases: {p: {share: 1, effects: {Z: 1}}}\n",
			"no option 'Z'"},
		{"schema: 1\noptions: [{name: L, levels: [x, y]}]\neffects: {\"L=x\": 1}\n", NULL},
		{"schema: 1\noptions: [{name: L, levels: [x, y]}]\neffects: {\"L=y\": 1}\n",
			"option 'L' has no level 'y'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTOFREE char *path = write_file("w.yaml", cases[i].text);
		CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
		CLEANUP(world_freep) struct world *world = NULL;
		CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;
		struct err err = {0};

		if (descriptor_load(file, NULL, 0, &diags, &descriptor, &err) ||
			world_load(path, &diags, &world, &err)) {
			diags_print(&diags, stderr, false);
			fail_msg("%s", err.text);
		}
		assert_int_equal(world_check(world, descriptor, &err), cases[i].expected ? -1 : 0);
		if (cases[i].expected) {
			assert_int_equal(err.code, E_CONFIG);
			assert_non_null(strstr(err.text, cases[i].expected));
			assert_non_null(strstr(err.place, "w.yaml:3:"));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_effects),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_kinds_of_noise),
		cmocka_unit_test(test_spikes_and_modes),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_failures_move_nothing),
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_all_mistakes_at_once),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir) != 0;
}
