/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/base/text.h"
#include "core/model/descriptor.h"
#include "tests/unit/model_fixture.h"

/* Every field once, or nearly. */
static const char whole[] =
	"schema: 1\n"
	"name: phase-4\n"
	"title: Which one?\n"
	"source: {git: repo, ref: abc123, submodules: [sub/a], exclude: ['*.o']}\n"
	"inputs: {c1: {path: data/c1.json, identity: stat}}\n"
	"vars: {OPT: -O2, LIST: [a, b]}\n"
	"needs: {memory: 2 GiB, disk: 10 GB}\n"
	"pass: [RUST_LOG]\n"
	"build:\n"
	"  steps: [[make, '{defines}', 'C={OPT}', 'O={out}'], [true]]\n"
	"  outputs: {prover: '{out}/prover'}\n"
	"  timeout: 20 min\n"
	"  jobs: 3\n"
	"  env: {K: v}\n"
	"  keep: tree\n"
	"options:\n"
	"  A1:\n"
	"    title: small vectors\n"
	"    levels: {cap1: {define: {CAP: 1}}, cap2: {define: {CAP: 2}, args: [--two]}}\n"
	"    also: {env: {INLINE: '1'}}\n"
	"    default: cap2\n"
	"  A4: {define: {PAR: 1}, seen: {in: stderr, re: 'n=\\d+', times: '>= 3'}}\n"
	"  B1: {patch: [patches/b1.patch, {file: /abs/b2.patch, reverse: true, strip: 2, dir: "
	"sub}],\n"
	"       conflicts: [A4]}\n"
	"  P: {pick: [aaa, bbb], edit: {file: a.c, find: x, replace: y, count: 2}}\n"
	"  D4: {env: {W: tuned, HOME: null}, requires: [A1=cap2]}\n"
	"  V: {levels: {v1: {set: {OPT: -O1}}, v2: {set: {OPT: [-O3, -g]}}}, base: v1}\n"
	"  W: {without: {define: {OLD: 1}}}\n"
	"  X9: {args: [--fast], requires: [A4], add: {LIST: [c]}}\n"
	"axes: {threads: {values: ['1', '2'], args: [--threads, '{value}']}}\n"
	"workloads:\n"
	"  synth: {run: ['{bin.prover}', '{input.c1}'], options: [X9, D4], cwd: work, stdin: "
	"in.txt,\n"
	"    metrics: {rate: {in: 'file:{scratch}/out', re: 'r=(?<v>\\d+)', unit: B, better: "
	"higher}},\n"
	"    check: [{exit: [0, 3]}, {in: stdout, text: ok}, {metric: rate, is: '> 2'}, {file: "
	"x}],\n"
	"    measure: {metric: rate, difference: 10 MiB, blocks: 5}, capture: pty, cpus: '0-3',\n"
	"    limits: {as: 1 GiB, nofile: 64}, keep_output: 4 kB, timeout: 5 s, env: {E: null}}\n"
	"  prove: {run: [p]}\n"
	"matrix: {sets: [none, A1+A4, full], axes: [threads], exclude: [A1 & threads = 1],\n"
	"  baseline: tree}\n"
	"measure: {metric: wall, difference: 5 ms, confidence: 99%, blocks: {min: 6}, warmup: 2,\n"
	"  seed: 7, order: fixed, budget: 12 h, also: [user, rate], guard: {rss_peak: 5%},\n"
	"  collectors: {rusage: {}}}\n"
	"bisect: {workload: prove, from: none, to: A1+A4, options: [A1], difference: 3%}\n";

static struct descriptor *load(const char *text, const char *const *set, size_t n_set)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(buf_release) struct buf shown = BUF_INIT;
	struct descriptor *d = NULL;
	struct err err = {0};

	write_file("x.yaml", text);
	if (descriptor_load("x.yaml", set, n_set, &diags, &d, &err)) {
		show_diags(&diags, &shown);
		fail_msg("%s\n%s", err.text, shown.data);
	}
	return d;
}

static void reads_top(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);
	AUTOFREE char *here = realpath(".", NULL);
	AUTOFREE char *repo = path_join(here, "repo"), *c1 = path_join(here, "data/c1.json");

	(void)state;
	assert_string_equal(d->file, "x.yaml");
	assert_string_equal(d->dir, here);
	assert_string_equal(d->name, "phase-4");
	assert_string_equal(d->title, "Which one?");
	assert_null(d->source.path);
	assert_string_equal(d->source.git, repo);
	assert_string_equal(d->source.ref, "abc123");
	assert_string_equal(d->source.submodules.items[0], "sub/a");
	assert_string_equal(d->source.exclude.items[0], "*.o");
	assert_string_equal(d->inputs[0].path, c1);
	assert_true(d->inputs[0].stat_only);
	assert_int_equal(d->n_vars, 2);
	assert_false(d->vars[0].value.is_list);
	assert_true(d->vars[1].value.is_list);
	assert_string_equal(d->vars[1].value.items[1], "b");
	assert_int_equal(d->need_memory, INT64_C(2) << 30);
	assert_int_equal(d->need_disk, INT64_C(10000000000));
	assert_string_equal(d->pass.items[0], "RUST_LOG");
	assert_null(d->overlay);
}

static void reads_build(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);

	(void)state;
	assert_int_equal(d->build.steps.n, 2);
	assert_string_equal(d->build.steps.items[0][1], "{defines}");
	assert_null(d->build.steps.items[1][1]);
	assert_string_equal(d->build.outputs.items[0].key, "prover");
	assert_int_equal(d->build.timeout_ns, 1200 * NS_PER_S);
	assert_int_equal(d->build.jobs, 3);
	assert_string_equal(d->build.dir, ".");
	assert_true(d->build.keep_tree);
	assert_false(d->build.own_path);
	assert_null(d->build.tools.node);
}

static void reads_options(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);
	AUTOFREE char *patch = path_join(d->dir, "patches/b1.patch");
	const struct option *a1 = &d->options[0], *b1 = &d->options[2], *v = &d->options[5];
	const struct option *a4 = &d->options[1];

	(void)state;
	assert_int_equal(d->n_options, 8);
	assert_int_equal(a1->n_levels, 3);
	assert_string_equal(a1->levels[0].name, "off");
	assert_string_equal(a1->levels[2].name, "cap2");
	assert_int_equal(a1->default_level, 2);
	assert_true(a1->named_levels);
	/* `also` stands in every level but off */
	assert_string_equal(a1->levels[1].payload.env.items[0].key, "INLINE");
	assert_int_equal(a1->levels[0].payload.env.n, 0);
	assert_string_equal(a1->levels[2].payload.args[0], "--two");
	assert_int_equal(a4->seen.n, 1);
	assert_int_equal(a4->seen.items[0].kind, CHECK_RE);
	assert_string_equal(a4->seen.items[0].text, "stderr matches 'n=\\d+', times >= 3");
	assert_int_equal(a4->seen.items[0].times.value, 3);
	/* conflicts are mirrored */
	assert_int_equal(a4->n_conflicts, 1);
	assert_int_equal(a4->conflicts[0].option, 2);
	assert_int_equal(b1->levels[1].payload.n_patches, 2);
	assert_string_equal(b1->levels[1].payload.patches[0].file, patch);
	assert_int_equal(b1->levels[1].payload.patches[0].strip, 1);
	assert_true(b1->levels[1].payload.patches[1].reverse);
	assert_int_equal(b1->levels[1].payload.patches[1].strip, 2);
	assert_string_equal(b1->levels[1].payload.patches[1].dir, "sub");
	assert_int_equal(d->options[3].levels[1].payload.picks.n, 2);
	assert_int_equal(d->options[3].levels[1].payload.edits[0].count, 2);
	assert_null(d->options[4].levels[1].payload.env.items[1].value);
	assert_int_equal(d->options[4].requires[0].option, 0);
	assert_int_equal(d->options[4].requires[0].level, 2);
	/* a base counts as off and has a payload */
	assert_int_equal(v->n_levels, 2);
	assert_string_equal(v->levels[0].name, "v1");
	assert_int_equal(v->levels[0].payload.n_sets, 1);
	assert_int_equal(v->default_level, 1);
	/* without: off is what changes the tree */
	assert_int_equal(d->options[6].tree_level, 1);
	assert_int_equal(d->options[6].levels[0].payload.defines.n, 1);
	assert_int_equal(d->options[6].levels[1].payload.defines.n, 0);
}

static void reads_workloads(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);
	AUTOFREE char *cwd = path_join(d->dir, "work");
	const struct workload *w = &d->workloads[0], *prove = &d->workloads[1];
	static const bool reaches[] = {true, true, false, false, true, false, false, true};

	(void)state;
	assert_string_equal(w->cwd, cwd);
	assert_true(text_ends(w->stdin_path, "/in.txt"));
	assert_int_equal(w->capture, CAPTURE_PTY);
	assert_string_equal(w->cpus, "0-3");
	assert_int_equal(w->limit_as, INT64_C(1) << 30);
	assert_int_equal(w->limit_nofile, 64);
	assert_int_equal(w->keep_output, 4000);
	assert_int_equal(w->timeout_ns, 5 * NS_PER_S);
	assert_null(w->env.items[0].value);
	assert_int_equal(w->metrics[0].in, STREAM_FILE);
	assert_string_equal(w->metrics[0].path, "{scratch}/out");
	assert_string_equal(w->metrics[0].combine, "last");
	assert_int_equal(w->checks.n, 4); /* no {exit: 0} beside an exit check */
	assert_int_equal(w->checks.items[0].n_exit_codes, 2);
	assert_string_equal(w->checks.items[0].text, "exit status 0 or 3");
	assert_string_equal(w->checks.items[1].text, "stdout has \"ok\"");
	assert_string_equal(w->checks.items[2].text, "rate > 2");
	assert_true(bound_holds(&w->checks.items[2].is, 2.5));
	assert_false(bound_holds(&w->checks.items[2].is, 2));
	/* options: X9 and D4, and what they require */
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(w->reaches[i], reaches[i]);
	assert_string_equal(prove->cwd, "{scratch}");
	assert_null(prove->stdin_path);
	assert_int_equal(prove->capture, CAPTURE_AUTO);
	assert_int_equal(prove->keep_output, 1 << 20);
	assert_int_equal(prove->timeout_ns, 3600 * NS_PER_S);
	assert_int_equal(prove->checks.n, 1);
	assert_string_equal(prove->checks.items[0].text, "exit status 0");
	assert_true(prove->reaches[2]);
}

static void reads_measure(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);
	const struct measure *m = &d->measure, *own = &d->workloads[0].measure;

	(void)state;
	assert_false(m->difference.relative);
	assert_float_equal(m->difference.value, 0.005, 1e-12);
	assert_string_equal(m->difference.unit, "s");
	assert_float_equal(m->confidence, 0.99, 1e-12);
	assert_int_equal(m->blocks_min, 6);
	assert_int_equal(m->blocks_max, 32);
	assert_int_equal(m->warmup, 2);
	assert_true(m->seed_given);
	assert_int_equal(m->seed, 7);
	assert_true(m->order_fixed);
	assert_int_equal(m->budget_ns, 12 * 3600 * NS_PER_S);
	assert_int_equal(m->n_guards, 1);
	assert_true(m->guards[0].difference.relative);
	assert_non_null(m->collectors);
	/* a workload's own over the top-level ones */
	assert_string_equal(own->metric, "rate");
	assert_string_equal(own->difference.unit, "B");
	assert_int_equal(own->blocks_min, 5);
	assert_int_equal(own->blocks_max, 5);
	assert_int_equal(own->warmup, 2);
	assert_string_equal(d->workloads[1].measure.metric, "wall");
}

static void defaults(void **state)
{
	CLEANUP(descriptor_freep)
	struct descriptor *d = load("schema: 1\nname: t\nworkloads: {w: {run: [x]}}\n", NULL, 0);

	(void)state;
	assert_string_equal(d->title, "t");
	assert_string_equal(d->source.path, d->dir);
	assert_int_equal(d->build.steps.n, 0);
	assert_int_equal(d->matrix.sets.n, 2);
	assert_string_equal(d->matrix.sets.items[0], "none");
	assert_string_equal(d->matrix.sets.items[1], "each");
	assert_string_equal(d->matrix.baseline, "none");
	assert_string_equal(d->measure.metric, "wall");
	assert_true(d->measure.difference.relative);
	assert_float_equal(d->measure.difference.value, 0.01, 1e-12);
	assert_float_equal(d->measure.confidence, 0.95, 1e-12);
	assert_int_equal(d->measure.blocks_min, 4);
	assert_int_equal(d->measure.blocks_max, 32);
	assert_int_equal(d->measure.warmup, -1);
	assert_null(d->measure.collectors);
}

static void overlays(void **state)
{
	static const char *const set[] = {
		"measure.blocks.min=8", "vars.OPT=-O1", "workloads.w.run=[y, z]"};
	CLEANUP(descriptor_freep) struct descriptor *d = NULL;

	(void)state;
	write_file("x.local.yaml", "vars: {OPT: -O3, CC: clang}\nmeasure: {warmup: 3}\n");
	d = load("schema: 1\nname: t\nvars: {OPT: -O2, CC: cc}\nworkloads: {w: {run: [x]}}\n", set,
		3);
	unlink("x.local.yaml");
	assert_string_equal(d->overlay, "x.local.yaml");
	assert_string_equal(d->vars[0].value.items[0], "-O1");
	assert_string_equal(d->vars[1].value.items[0], "clang");
	assert_int_equal(d->measure.warmup, 3);
	assert_int_equal(d->measure.blocks_min, 8);
	assert_string_equal(d->workloads[0].run[1], "z");
	assert_int_equal(d->set_args.n, 3);
}

static void overlay_mistakes_have_their_place(void **state)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct descriptor *d = NULL;
	struct err err = {0};

	(void)state;
	write_file("y.yaml", "schema: 1\nname: t\nworkloads: {w: {run: [x]}}\n");
	write_file("y.local.yaml", "measure: {warmup: many}\n");
	assert_int_equal(descriptor_load("y.yaml", NULL, 0, &diags, &d, &err), -1);
	assert_int_equal(diags.n, 1);
	assert_string_equal(diags.items[0].file, "y.local.yaml");
	assert_int_equal(diags.items[0].line, 1);
	unlink("y.yaml");
	unlink("y.local.yaml");
}

static int load_fails(const char *path, struct err *err)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct descriptor *d = NULL;

	*err = (struct err){0};
	assert_int_equal(descriptor_load(path, NULL, 0, &diags, &d, err), -1);
	assert_null(d);
	return err->code;
}

static void finds_the_one_in_a_folder(void **state)
{
	static const char text[] = "schema: 1\nname: t\nworkloads: {w: {run: [x]}}\n";
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(descriptor_freep) struct descriptor *d = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(fs_mkdirs("folder", &err), 0);
	assert_int_equal(load_fails("folder", &err), E_MISSING);
	write_file("folder/a.yaml", text);
	write_file("folder/a.local.yaml", "measure: {warmup: 3}\n");
	write_file("folder/world.yaml", "schema: 1\noptions: [A]\n");
	assert_int_equal(descriptor_load("folder", NULL, 0, &diags, &d, &err), 0);
	assert_string_equal(d->file, "folder/a.yaml");
	assert_int_equal(d->measure.warmup, 3);
	write_file("folder/b.yaml", text);
	assert_int_equal(load_fails("folder", &err), E_USAGE);
	assert_string_equal(err.text, "there are 2 descriptors in the folder 'folder'");
}

static void missing_and_broken_files(void **state)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct descriptor *d = NULL;
	struct err err;

	(void)state;
	assert_int_equal(load_fails("nowhere.yaml", &err), E_MISSING);
	write_file("z.yaml", "a: [\n");
	assert_int_equal(load_fails("z.yaml", &err), E_CONFIG);
	write_file("z.yaml", "");
	assert_int_equal(load_fails("z.yaml", &err), E_CONFIG);
	write_file("z.yaml", "- 1\n");
	assert_int_equal(load_fails("z.yaml", &err), E_CONFIG);
	write_file("z.yaml", "schema: 1\nname: t\nworkloads: 3\noptions: 3\naxes: 3\nmatrix: 3\n"
			     "measure: 3\nbuild: 3\nsource: 3\nvars: 3\ninputs: 3\nneeds: 3\n"
			     "parsers: 3\nbisect: 3\npass: 3\n");
	err = (struct err){0};
	assert_int_equal(descriptor_load("z.yaml", NULL, 0, &diags, &d, &err), -1);
	assert_int_equal(diags.errors, 13); /* one per section, no more */
}

static void metric_references(void **state)
{
	static const char *const good[] = {"wall", "wall@synth", "phase:x", "log:synth_ms",
		"log:x@synth", "counter:cycles", "metric:ipc", "gpu:idle", "rate", "rss_peak"};
	static const char *const bad[] = {
		"", "wall@", "phase:", "log:", "nope", "phase:x@y", "wall@a@b", "rate2"};
	CLEANUP(descriptor_freep) struct descriptor *d = load(whole, NULL, 0);
	char why[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (!metric_ref_valid(&d->workloads[0], good[i], why, sizeof(why)))
			fail_msg("%s: %s", good[i], why);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (metric_ref_valid(&d->workloads[0], bad[i], why, sizeof(why)))
			fail_msg("%s is taken", bad[i]);
	}
	assert_false(metric_ref_valid(&d->workloads[1], "rate", why, sizeof(why)));
}

static void templates_of_init_load(void **state)
{
	static const char *const names[] = {"cmake", "plain", "rust"};
	const char *data = getenv("ASSAY_DATADIR");

	(void)state;
	if (!data)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTOFREE char *path = xasprintf("%s/templates/%s.yaml", data, names[i]);
		CLEANUP(buf_release) struct buf text = BUF_INIT, filled = BUF_INIT;
		CLEANUP(descriptor_freep) struct descriptor *d = NULL;
		const char *at, *hit;
		struct err err = {0};
		int edits = 0;

		assert_int_equal(fs_read(path, 0, &text, &err), 0);
		for (at = text.data; (hit = strstr(at, "@NAME@")); at = hit + 6) {
			buf_add(&filled, at, (size_t)(hit - at));
			buf_adds(&filled, "some-name");
		}
		buf_adds(&filled, at);
		d = load(filled.data, NULL, 0);
		assert_string_equal(d->name, "some-name");
		for (at = text.data; (at = strstr(at, "# EDIT: ")); at++)
			edits++;
		assert_int_equal(edits, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_top),
		cmocka_unit_test(reads_build),
		cmocka_unit_test(reads_options),
		cmocka_unit_test(reads_workloads),
		cmocka_unit_test(reads_measure),
		cmocka_unit_test(defaults),
		cmocka_unit_test(overlays),
		cmocka_unit_test(overlay_mistakes_have_their_place),
		cmocka_unit_test(finds_the_one_in_a_folder),
		cmocka_unit_test(missing_and_broken_files),
		cmocka_unit_test(metric_references),
		cmocka_unit_test(templates_of_init_load),
	};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
