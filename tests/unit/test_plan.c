/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "core/model/plan.h"
#include "tests/unit/model_fixture.h"

#define HEAD "schema: 1\nname: t\n"
#define BUILD "build: {steps: [[make, '{defines}']], outputs: {p: '{out}/p'}}\n"

struct planned {
	struct descriptor *d;
	struct plan *plan;
	struct diags diags;
	struct err err;
};

static void release(struct planned *p)
{
	plan_free(p->plan);
	descriptor_free(p->d);
	diags_release(&p->diags);
}

static int patch_digest(
	void *ctx, const struct patch *patch, const char *pick, struct digest *ret, struct err *err)
{
	const char *text = patch ? path_basename(patch->file) : pick;

	(void)err;
	++*(int *)ctx;
	*ret = digest_of(text, strlen(text));
	return 0;
}

static struct planned plan_text_as(const char *text, const char *where, bool force,
	const char *source, const char *const *inputs)
{
	struct planned p = {.diags = DIAGS_INIT};
	CLEANUP(buf_release) struct buf shown = BUF_INIT;
	int asked = 0;
	struct plan_facts facts = {.source_digest = source,
		.tools_digest = "tools",
		.input_digests = inputs,
		.payload_digest = patch_digest,
		.ctx = &asked};

	write_file("x.yaml", text);
	if (descriptor_load("x.yaml", NULL, 0, &p.diags, &p.d, &p.err)) {
		show_diags(&p.diags, &shown);
		fail_msg("%s\n%s", p.err.text, shown.data);
	}
	if (plan_make(p.d, &facts, where, force, &p.diags, &p.plan, &p.err))
		assert_null(p.plan);
	return p;
}

static struct planned plan_text(const char *text, const char *where)
{
	return plan_text_as(text, where, false, "source", NULL);
}

/* One row a line: name, build, baseline, label. */
static void show_rows(const struct plan *plan, struct buf *to)
{
	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct plan_row *row = &plan->rows[i];

		buf_addf(to, "%s b%d <%d %s\n", row->name, row->build, row->baseline, row->label);
	}
}

static void assert_rows(const struct planned *p, const char *want)
{
	CLEANUP(buf_release) struct buf got = BUF_INIT;

	if (!p->plan)
		fail_msg("%s", p->err.text);
	show_rows(p->plan, &got);
	assert_string_equal(got.data, want);
}

static void assert_diags(const struct planned *p, const char *want)
{
	CLEANUP(buf_release) struct buf got = BUF_INIT;

	show_diags(&p->diags, &got);
	assert_string_equal(got.data, want);
}

/* The example of the design. */
static const char example[] =
	HEAD "vars: {OPT: -O2}\n"
	     "build:\n"
	     "  steps: [[make, -j, '{jobs}', 'CFLAGS={OPT}', 'DEFS={defines}', 'OUT={out}']]\n"
	     "  outputs: {prover: '{out}/prover'}\n"
	     "options:\n"
	     "  A1:\n"
	     "    levels: {cap1: {define: {CAP: 1}}, cap2: {define: {CAP: 2}}, cap4: {define: "
	     "{CAP: 4}}}\n"
	     "    default: cap4\n"
	     "  A4: {define: {PARALLEL: 1}}\n"
	     "  B1: {patch: patches/b1.patch}\n"
	     "  D4: {env: {PROVER_WINDOWS: tuned}}\n"
	     "  O3: {set: {OPT: -O3}}\n"
	     "  X9: {args: [--fast], requires: [A4], conflicts: [B1]}\n"
	     "axes: {threads: {values: ['1', '2'], args: [--threads, '{value}']}}\n"
	     "workloads:\n"
	     "  synth: {run: ['{bin.prover}', synth], options: [A1, O3]}\n"
	     "  prove: {run: ['{bin.prover}', prove]}\n"
	     "matrix:\n"
	     "  sets: [none, each, all, all-each]\n"
	     "  axes: [threads]\n"
	     "  exclude: ['A1 & threads = 1']\n";

static void plans_the_example(void **state)
{
	struct planned p = plan_text(example, NULL);

	(void)state;
	assert_rows(&p, "synth/none/threads=1 b0 <0 none\n"
			"synth/O3/threads=1 b1 <0 each\n"
			"synth/none/threads=2 b0 <2 none\n"
			"synth/A1=cap1/threads=2 b2 <2 each\n"
			"synth/A1=cap2/threads=2 b3 <2 each\n"
			"synth/A1=cap4/threads=2 b4 <2 each\n"
			"synth/O3/threads=2 b1 <2 each\n"
			"synth/A1=cap4+O3/threads=2 b5 <2 all\n"
			"prove/none/threads=1 b0 <8 none\n"
			"prove/A4/threads=1 b6 <8 each\n"
			"prove/B1/threads=1 b7 <8 each\n"
			"prove/D4/threads=1 b0 <8 each\n"
			"prove/O3/threads=1 b1 <8 each\n"
			"prove/A4+X9/threads=1 b6 <8 each\n"
			"prove/A4+B1+D4+O3/threads=1 b8 <8 all-each\n"
			"prove/none/threads=2 b0 <15 none\n"
			"prove/A1=cap1/threads=2 b2 <15 each\n"
			"prove/A1=cap2/threads=2 b3 <15 each\n"
			"prove/A1=cap4/threads=2 b4 <15 each\n"
			"prove/A4/threads=2 b6 <15 each\n"
			"prove/B1/threads=2 b7 <15 each\n"
			"prove/D4/threads=2 b0 <15 each\n"
			"prove/O3/threads=2 b1 <15 each\n"
			"prove/A4+X9/threads=2 b6 <15 each\n"
			"prove/A1=cap4+A4+B1+D4+O3/threads=2 b9 <15 all\n"
			"prove/A4+B1+D4+O3/threads=2 b8 <15 all-each\n"
			"prove/A1=cap4+B1+D4+O3/threads=2 b10 <15 all-each\n"
			"prove/A1=cap4+A4+D4+O3/threads=2 b11 <15 all-each\n"
			"prove/A1=cap4+A4+B1+O3/threads=2 b9 <15 all-each\n"
			"prove/A1=cap4+A4+B1+D4/threads=2 b12 <15 all-each\n");
	assert_diags(
		&p, "21:22: warning: matrix.sets[2]: 'all' leaves out X9 (conflicts with B1)\n");
	assert_int_equal(p.plan->n_warnings, 1);
	assert_int_equal(p.plan->n_cells, 4);
	assert_string_equal(p.plan->cells[3].name, "prove/threads=2");
	assert_int_equal(p.plan->cells[3].baseline, 15);
	assert_int_equal(p.plan->cells[3].n_rows, 15);
	/* 15 variants; synth sees 6 of them, so 9 merged in each of its 2 cells */
	assert_int_equal(p.plan->merged, 18);
	/* A1 with threads = 1: 4 of synth, 8 of prove */
	assert_int_equal(p.plan->excluded, 12);
	assert_string_equal(p.plan->rows[4].sets, "each");
	assert_string_equal(p.plan->rows[24].sets, "all");
	assert_string_equal(p.plan->builds[0].name, "none");
	assert_int_equal(p.plan->builds[0].n_rows, 6);
	assert_string_equal(p.plan->builds[4].defines.items[0].value, "4");
	assert_string_equal(p.plan->builds[1].vars[0].value.items[0], "-O3");
	release(&p);
}

/* An axis that sets no more than args makes no builds; one that defines does. */
static void axes_may_build(void **state)
{
	struct planned p =
		plan_text(HEAD BUILD "axes:\n"
				     "  n: {values: ['1', '2'], define: {N: '{value}'}}\n"
				     "  m: {values: [a, b], args: ['{value}']}\n"
				     "workloads: {w: {run: [x]}}\n"
				     "matrix: {axes: [{zip: [m, n]}]}\n",
			NULL);

	(void)state;
	assert_rows(&p, "w/none/n=1,m=a b0 <0 none\nw/none/n=2,m=b b1 <1 none\n");
	assert_string_equal(p.plan->builds[1].defines.items[0].value, "2");
	assert_string_equal(p.plan->rows[1].args[0], "b");
	release(&p);
}

static void crosses_axes_in_order(void **state)
{
	struct planned p = plan_text(HEAD "axes:\n"
					  "  n: {values: ['1', '2'], args: [-n, '{value}']}\n"
					  "  m: {values: [a, b], env: {M: 'x{value}{{'}}\n"
					  "workloads: {w: {run: [x]}}\n"
					  "matrix: {axes: [m, n], sets: [none]}\n",
		NULL);

	(void)state;
	assert_rows(&p, "w/none/n=1,m=a b0 <0 none\nw/none/n=2,m=a b0 <1 none\n"
			"w/none/n=1,m=b b0 <2 none\nw/none/n=2,m=b b0 <3 none\n");
	assert_string_equal(p.plan->rows[3].args[1], "2");
	assert_string_equal(p.plan->rows[3].env.items[0].value, "xb{{");
	release(&p);
}

#define FOUR \
	"options:\n" \
	"  A: {define: {A: 1}}\n" \
	"  B: {define: {B: 1}}\n" \
	"  C: {define: {C: 1}}\n" \
	"  D: {define: {D: 1}, requires: [A]}\n" \
	"workloads: {w: {run: ['{bin.p}']}}\n"

static void full_and_half(void **state)
{
	struct planned p = plan_text(HEAD BUILD FOUR "matrix: {sets: [full]}\n", NULL);
	struct planned h = plan_text(HEAD BUILD FOUR "matrix: {sets: [half, A]}\n", NULL);

	(void)state;
	assert_int_equal(p.plan->n_rows, 12);
	assert_string_equal(p.plan->rows[1].name, "w/A");
	assert_string_equal(p.plan->rows[11].name, "w/A+B+C+D");
	assert_string_equal(
		p.plan->warnings[0], "'full' leaves out 4 variants that break a constraint");
	assert_rows(&h, "w/none b0 <0 half\nw/A+B b1 <0 half\nw/A+C b2 <0 half\nw/B+C b3 <0 half\n"
			"w/A+D b4 <0 half\nw/A+B+C+D b5 <0 half\nw/A b6 <0 A\n");
	release(&p);
	release(&h);
}

static void baseline_is_added(void **state)
{
	struct planned p =
		plan_text(HEAD BUILD FOUR "matrix: {sets: [B, A+B], baseline: A}\n", NULL);

	(void)state;
	assert_rows(&p, "w/A b0 <0 A\nw/B b1 <0 B\nw/A+B b2 <0 A+B\n");
	release(&p);
}

/* The order of excludes and the set that a row came from make no difference. */
static void excludes(void **state)
{
	struct planned a = plan_text(HEAD BUILD FOUR
		"matrix: {sets: [full, each, A+B], exclude: [B & C, D, set = each & B]}\n",
		NULL);
	struct planned b = plan_text(HEAD BUILD FOUR
		"matrix: {sets: [full, each, A+B], exclude: [set = each & B, D, B & C]}\n",
		NULL);
	CLEANUP(buf_release) struct buf rows_a = BUF_INIT, rows_b = BUF_INIT;

	(void)state;
	show_rows(a.plan, &rows_a);
	show_rows(b.plan, &rows_b);
	assert_string_equal(rows_a.data, rows_b.data);
	assert_string_equal(rows_a.data, "w/none b0 <0 full\nw/A b1 <0 full\nw/A+B b2 <0 full\n"
					 "w/C b3 <0 full\nw/A+C b4 <0 full\n");
	assert_int_equal(a.plan->excluded, 12 - 5);
	assert_string_equal(a.plan->id, b.plan->id);
	assert_string_equal(a.plan->rows[2].sets, "full\nA+B");
	release(&a);
	release(&b);
}

static void exclude_that_matches_nothing(void **state)
{
	/* A & !A & D never; B & D only in rows that `D` cuts as well: it matches */
	struct planned p = plan_text(HEAD BUILD FOUR
		"matrix: {sets: [full], exclude: [D, D & !A, B & D, variant = Z]}\n",
		NULL);

	(void)state;
	assert_diags(&p,
		"10:17: warning: matrix.sets[0]: 'full' leaves out 4 variants that break a "
		"constraint\n"
		"10:37: warning: matrix.exclude[1]: the exclude 'D & !A' matches no row\n"
		"10:52: warning: matrix.exclude[3]: the exclude 'variant = Z' matches no row\n");
	release(&p);
}

static void exclude_of_the_baseline(void **state)
{
	struct planned p = plan_text(
		HEAD BUILD FOUR "matrix: {sets: [each], exclude: [B, '!A & !C & !D']}\n", NULL);

	(void)state;
	assert_null(p.plan);
	assert_int_equal(p.err.code, E_CONFIG);
	assert_diags(&p,
		"10:37: error: matrix.exclude[1]: takes the baseline 'none' out of w, which keeps "
		"3 "
		"other rows\n"
		"help: rows are compared with their cell's baseline: exclude the whole cell, or "
		"choose another matrix.baseline\n");
	release(&p);
}

static void exclude_of_a_whole_cell(void **state)
{
	struct planned p = plan_text(HEAD "axes: {n: {values: ['1', '2'], args: ['{value}']}}\n"
					  "workloads: {w: {run: [x]}, v: {run: [y]}}\n"
					  "matrix: {axes: [n], exclude: [n = 1 & workload = w]}\n",
		NULL);

	(void)state;
	assert_rows(&p, "w/none/n=2 b0 <0 none\nv/none/n=1 b0 <1 none\nv/none/n=2 b0 <2 none\n");
	assert_int_equal(p.plan->excluded, 1);
	release(&p);
}

static void exclude_of_everything(void **state)
{
	struct planned p = plan_text(
		HEAD "workloads: {w: {run: [x]}}\nmatrix: {exclude: [workload = w]}\n", NULL);

	(void)state;
	assert_null(p.plan);
	assert_int_equal(p.err.code, E_CONFIG);
	assert_string_equal(p.err.text, "x.yaml: the plan is empty: exclude takes all rows out");
	release(&p);
}

static void where_keeps_baselines(void **state)
{
	static const char text[] = HEAD BUILD FOUR "matrix: {sets: [full]}\n";
	struct planned all = plan_text(text, NULL), p = plan_text(text, "D & !B & C");
	struct planned none = plan_text(text, "variant = none"), bad = plan_text(text, "Q");
	struct planned nothing = plan_text(text, "B & variant = C");

	(void)state;
	assert_rows(&p, "w/none b0 <0 full\nw/A+C+D b1 <0 full\n");
	assert_int_equal(p.plan->excluded, 10);
	assert_string_equal(p.plan->where, "D & !B & C");
	assert_string_not_equal(p.plan->id, all.plan->id);
	assert_rows(&none, "w/none b0 <0 full\n");
	assert_null(bad.plan);
	assert_int_equal(bad.err.code, E_USAGE);
	assert_string_equal(bad.err.text, "--where: 'Q', column 1: unknown name 'Q'");
	assert_null(nothing.plan);
	assert_int_equal(nothing.err.code, E_USAGE);
	release(&all);
	release(&p);
	release(&none);
	release(&bad);
	release(&nothing);
}

static void one_thing_with_two_names(void **state)
{
	struct planned p = plan_text(HEAD BUILD
		"vars: {V: a}\n"
		"options:\n"
		"  A: {set: {V: b}}\n"
		"  B: {define: {B: 1}}\n"
		"workloads: {w: {run: ['{bin.p}']}, v: {run: ['{bin.p}', '{V}']}}\n",
		NULL);

	(void)state;
	assert_null(p.plan);
	assert_int_equal(p.err.code, E_CONFIG);
	assert_diags(&p,
		"6:3: error: options.A: 'w/none' and 'w/A' are one program with one environment "
		"and arguments: A changes nothing there\n"
		"help: list in workloads.w.options what reaches that workload; rows that become "
		"equal are merged\n");
	release(&p);
}

static void one_key_with_two_values(void **state)
{
	struct planned p = plan_text(HEAD BUILD "options:\n"
						"  A: {define: {X: 1}, env: {E: a}}\n"
						"  B: {define: {X: 2}, env: {E: b}}\n"
						"  C: {define: {X: 1}}\n"
						"workloads: {w: {run: ['{bin.p}']}}\n"
						"matrix: {sets: [A+B, A+B+C, A+C]}\n",
		NULL);

	(void)state;
	assert_null(p.plan);
	assert_diags(&p,
		"6:19: error: options.B.define.X: 'A' and 'B' are active together and give define "
		"'X' different values\n"
		"help: add conflicts: [A] to 'B', or exclude the rows with both\n"
		"6:32: error: options.B.env.E: 'A' and 'B' are active together and give env 'E' "
		"different values\n"
		"help: add conflicts: [A] to 'B', or exclude the rows with both\n"
		"7:19: error: options.C.define.X: 'B' and 'C' are active together and give define "
		"'X' different values\n"
		"help: add conflicts: [B] to 'C', or exclude the rows with both\n");
	release(&p);
}

/* --- Ids ------------------------------------------------------------------------------------- */

#define ONE(more) HEAD BUILD "options: {A: {define: {A: 1}}}\n" more

static void ids(void **state)
{
	static const char base[] = ONE("workloads: {w: {run: ['{bin.p}']}}\n");
	static const char *const others[] = {
		ONE("workloads: {w: {run: ['{bin.p}', x]}}\n"),
		ONE("workloads: {w: {run: ['{bin.p}'], env: {E: '1'}}}\n"),
		ONE("workloads: {w: {run: ['{bin.p}'], check: {in: stdout, text: ok}}}\n"),
		ONE("workloads: {w: {run: ['{bin.p}'], cpus: '0'}}\n"),
		ONE("workloads: {w: {run: ['{bin.p}']}}\nmeasure: {difference: 2%}\n"),
		ONE("workloads: {w: {run: ['{bin.p}']}}\nmeasure: {blocks: 9}\n"),
		ONE("workloads: {w: {run: ['{bin.p}']}}\nmeasure: {collectors: {rusage: {}}}\n"),
		ONE("workloads: {w: {run: ['{bin.p}']}}\nmatrix: {sets: [none]}\n"),
	};
	static const char *const same[] = {
		ONE("workloads: {w: {run: ['{bin.p}']}}\nmeasure: {seed: 3}\n"),
		ONE("title: other words\nworkloads: {w: {run: ['{bin.p}']}}\n"),
		ONE("vars: {UNUSED: 1}\nworkloads: {w: {run: ['{bin.p}']}}\n"),
	};
	struct planned p = plan_text(base, NULL);

	(void)state;
	assert_int_equal(strlen(p.plan->id), 64);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct planned o = plan_text(others[i], NULL);

		if (!strcmp(o.plan->id, p.plan->id))
			fail_msg("no difference: %s", others[i]);
		/* nothing of it changes how it is built */
		assert_string_equal(o.plan->builds[0].key, p.plan->builds[0].key);
		release(&o);
	}
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct planned o = plan_text(same[i], NULL);

		if (strcmp(o.plan->id, p.plan->id))
			fail_msg("a difference: %s", same[i]);
		release(&o);
	}
	release(&p);
}

#define BUILT(build, options) HEAD build "options: {A: {" options "}}\nworkloads: {w: {run: [x]}}\n"

static void build_ids(void **state)
{
	static const char *const texts[] = {
		BUILT(BUILD, "define: {A: 1}"),
		BUILT(BUILD, "define: {A: 2}"),
		BUILT(BUILD, "define: {B: 1}"),
		BUILT(BUILD, "patch: a.patch"),
		BUILT(BUILD, "patch: b.patch"),
		BUILT(BUILD, "patch: {file: a.patch, reverse: true}"),
		BUILT(BUILD, "patch: [a.patch, b.patch]"),
		BUILT(BUILD, "patch: [b.patch, a.patch]"),
		BUILT(BUILD, "edit: {file: a, find: b, replace: c}"),
		BUILT(BUILD, "edit: {file: a, find: b, replace: d}"),
		BUILT(BUILD, "build_env: {CC: clang}"),
		BUILT(BUILD, "features: [a]"),
		BUILT(BUILD, "rustflags: [-Ca]"),
		BUILT("source: {git: r}\n" BUILD, "pick: aaa"),
		BUILT("source: {git: r}\n" BUILD, "pick: [aaa, bbb]"),
		BUILT("vars: {V: a}\nbuild: {steps: [[make, '{V}']]}\n", "set: {V: b}"),
		BUILT("vars: {V: a}\nbuild: {steps: [[make, '{V}']]}\n", "add: {V: [b]}"),
		BUILT("build: {steps: [[make, x]]}\n", "define: {A: 1}"),
		BUILT("build: {steps: [[make, '{input.i}']]}\ninputs: {i: {path: f}}\n",
			"define: {A: 1}"),
	};
	const char *keys[ARRAY_SIZE(texts)];
	struct planned p[ARRAY_SIZE(texts)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		p[i] = plan_text(texts[i], NULL);
		assert_int_equal(p[i].plan->n_builds, 2);
		keys[i] = p[i].plan->builds[1].key;
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(keys[i], keys[k]))
				fail_msg("one key: %s%s", texts[i], texts[k]);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		release(&p[i]);
}

static void ids_follow_contents(void **state)
{
	static const char text[] = ONE("inputs: {i: {path: f}}\nworkloads: {w: {run: [x]}}\n");
	static const char *const one[] = {"one"}, *const two[] = {"two"};
	struct planned a = plan_text_as(text, NULL, false, "s", one);
	struct planned b = plan_text_as(text, NULL, false, "s", two);
	struct planned c = plan_text_as(text, NULL, false, "t", one);

	(void)state;
	assert_string_equal(a.plan->builds[0].key, b.plan->builds[0].key);
	assert_string_not_equal(a.plan->rows[0].run_key, b.plan->rows[0].run_key);
	assert_string_not_equal(a.plan->builds[0].key, c.plan->builds[0].key);
	assert_string_not_equal(a.plan->rows[0].run_key, c.plan->rows[0].run_key);
	release(&a);
	release(&b);
	release(&c);
}

static void environment_enters_ids(void **state)
{
	static const char text[] = ONE("workloads: {w: {run: [x, '{env:ASSAY_TEST_E}']}}\n");
	struct planned a, b, c;

	(void)state;
	setenv("ASSAY_TEST_E", "1", 1);
	a = plan_text(text, NULL);
	setenv("ASSAY_TEST_E", "2", 1);
	b = plan_text(text, NULL);
	unsetenv("ASSAY_TEST_E");
	c = plan_text(text, NULL);
	assert_string_not_equal(a.plan->rows[0].run_key, b.plan->rows[0].run_key);
	assert_null(c.plan);
	assert_int_equal(c.err.code, E_CONFIG);
	assert_string_equal(
		c.err.text, "w/none: '{env:ASSAY_TEST_E}': the environment variable is not set");
	release(&a);
	release(&b);
	release(&c);
}

static void cells_may_be_alike(void **state)
{
	/* The same run in two workloads is no mistake: they are compared apart. */
	struct planned p = plan_text(ONE("workloads: {v: {run: [x]}, w: {run: [x]}}\n"), NULL);

	(void)state;
	assert_int_equal(p.plan->n_rows, 4);
	assert_string_equal(p.plan->rows[0].run_key, p.plan->rows[2].run_key);
	release(&p);
}

/* --- Commands -------------------------------------------------------------------------------- */

static const char commands[] =
	HEAD "inputs: {c1: {path: /data/c1}}\n"
	     "vars: {N: '10', WARM: [a, 'b c'], H: '{here}/x'}\n"
	     "build:\n"
	     "  steps: [[make, '{defines}', 'D={defines}', '{WARM}', '{features}', '{define:B}', "
	     "'{out}']]\n"
	     "  outputs: {p: '{out}/p', lib: '{out}/lib'}\n"
	     "  env: {K: v, L: w}\n"
	     "  jobs: 3\n"
	     "options:\n"
	     "  A: {define: {B: 1, A: '{env:ASSAY_ODD}'}, features: [f, g], build_env: {K: z}, "
	     "args: [--a]}\n"
	     "  E: {env: {W: tuned, G: null, X: '{N}'}, args: ['--n={N}'], features: [g, h]}\n"
	     "  S: {set: {N: '20'}, add: {WARM: [d]}}\n"
	     "axes: {t: {values: ['1'], args: [-t, '{value}'], env: {W: 'axis-{value}'}}}\n"
	     "workloads:\n"
	     "  w: {run: ['{bin.p}', '{WARM}', 'n={N}', '{input.c1}', '{base.bin.lib}', '{H}', "
	     "'{cpus}',\n"
	     "    '{seed}', '{scratch}'], env: {G: '1', V: '{N}'}}\n"
	     "  v: {run: ['{bin.p}', '{args}', end, 'a={args}'], cwd: '{scratch}/sub', options: "
	     "[A, E]}\n"
	     "matrix: {sets: [A+E+S], axes: [t]}\n";

/* What a descriptor cannot know: no place refuses it before it is joined. */
static struct planned plan_commands(void)
{
	setenv("ASSAY_ODD", "{x}", 1);
	return plan_text(commands, NULL);
}

static void join(const char *const *argv, struct buf *to)
{
	for (size_t i = 0; argv[i]; i++)
		buf_addf(to, "%s%s", i ? "|" : "", argv[i]);
}

static void assert_command(
	const struct plan *plan, const char *name, const char *argv, const char *env)
{
	static const char *const bins[] = {"/b/p", "/b/lib"}, *const base[] = {"/o/p", "/o/lib"};
	CLEANUP(buf_release) struct buf got = BUF_INIT, got_env = BUF_INIT;
	struct run_paths paths = {
		.scratch = "/s", .cpus = "0-1", .seed = 9, .bins = bins, .base_bins = base};
	struct arena arena = ARENA_INIT;
	const char *const *words;
	struct conf_pairs pairs;
	struct err err = {0};
	const char *cwd;
	int row = plan_find_row(plan, name);

	assert_true(row >= 0);
	if (plan_row_command(plan, &plan->rows[row], &paths, &arena, &words, &pairs, &cwd, &err))
		fail_msg("%s", err.text);
	join(words, &got);
	for (size_t i = 0; i < pairs.n; i++)
		buf_addf(&got_env, "%s%s=%s", i ? " " : "", pairs.items[i].key,
			pairs.items[i].value ? pairs.items[i].value : "(unset)");
	assert_string_equal(got.data, argv);
	assert_string_equal(got_env.data, env);
	assert_string_equal(cwd, strchr(name, 'v') == name ? "/s/sub" : "/s");
	arena_release(&arena);
}

static void makes_commands(void **state)
{
	struct planned p = plan_commands();
	AUTOFREE char *want = NULL;

	(void)state;
	want = xasprintf(
		"/b/p|a|b c|d|n=20|/data/c1|/o/lib|%s/x|0-1|9|/s|--a|--n=20|-t|1", p.d->dir);
	assert_command(p.plan, "w/A+E+S", want, "G=(unset) V=20 W=axis-1 X=20");
	assert_command(p.plan, "v/A+E/t=1", "/b/p|--a|--n=10|-t|1|end|a=--a --n=10 -t 1",
		"W=axis-1 G=(unset) X=10");
	assert_command(p.plan, "v/none", "/b/p|-t|1|end|a=-t 1", "W=axis-1");
	assert_int_equal(plan_find_row(p.plan, "A+E"), -1); /* there are two workloads */
	assert_int_equal(plan_find_row(p.plan, "v/A"), -1);
	release(&p);
}

static void binds_builds(void **state)
{
	struct planned p = plan_commands();
	CLEANUP(bindings_release) struct bindings with = {0};
	CLEANUP(buf_release) struct buf got = BUF_INIT;
	const struct plan_build *build = &p.plan->builds[p.plan->rows[1].build];
	struct arena arena = ARENA_INIT;
	const char *const *argv;
	struct err err = {0};

	(void)state;
	plan_build_bindings(p.plan, build, "/t", "/o", 5, &with, &arena);
	assert_int_equal(expand_argv(p.d->build.steps.items[0], &with, &arena, &argv, &err), -1);
	assert_non_null(strstr(err.text, "-DA={x}")); /* braces are no safe character */
	assert_int_equal(build->defines.n, 2);
	assert_string_equal(build->defines.items[0].key, "A"); /* sorted */
	assert_string_equal(build->env.items[0].value, "z");
	assert_string_equal(build->env.items[1].value, "w");
	assert_int_equal(build->n_features, 3);
	release(&p);
	arena_release(&arena);
}

static void json_of_rows(void **state)
{
	struct planned p = plan_commands();
	json_t *options = plan_row_options(p.plan, &p.plan->rows[1]);
	json_t *axes = plan_row_axes(p.plan, &p.plan->rows[1]);
	AUTOFREE char *a = json_dumps(options, JSON_COMPACT), *b = json_dumps(axes, JSON_COMPACT);

	(void)state;
	assert_string_equal(a, "{\"A\":\"on\",\"E\":\"on\",\"S\":\"on\"}");
	assert_string_equal(b, "{\"t\":\"1\"}");
	json_decref(options);
	json_decref(axes);
	release(&p);
}

/* --- Size ------------------------------------------------------------------------------------ */

/* 20 options; chain: each requires the one before. */
static void many_options(struct buf *to, bool chain, const char *matrix)
{
	buf_adds(to, HEAD BUILD "options:\n");
	for (int i = 1; i <= 20; i++) {
		buf_addf(to, "  O%d: {define: {D%d: 1}", i, i);
		if (chain && i > 1)
			buf_addf(to, ", requires: [O%d]", i - 1);
		buf_adds(to, "}\n");
	}
	buf_addf(to, "workloads: {w: {run: ['{bin.p}']}}\nmatrix: {%s}\n", matrix);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A million combinations; a hundred rows or so are left. Generous, since sanitizers and valgrind
 * run this as well: the point is that nothing grows with what is left out. */
static void many_combinations(void **state)
{
	static const struct {
		bool chain;
		const char *matrix;
		size_t rows;
	} cases[] = {
		{true, "sets: [full]", 21},
		{true, "sets: [full], exclude: [O20 & !O19, O3 & !O4]", 20},
		{false,
			"sets: [full], exclude: [O1, O2, O3, O4, O5, O6, O7, O8, O9, O10, O11, "
			"O12, O13]",
			128},
		{false,
			"sets: [half], exclude: [O20, O19, O18, O17, O16, O15, O14, O13, O12, O11, "
			"O10, O9, O8]",
			64},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		double start;
		struct planned p;

		many_options(&text, cases[i].chain, cases[i].matrix);
		start = seconds();
		p = plan_text(text.data, NULL);
		if (!p.plan)
			fail_msg("%s", p.err.text);
		assert_int_equal(p.plan->n_rows, cases[i].rows);
		assert_true(p.plan->arena.bytes < 4000 * cases[i].rows + 100000);
		if (seconds() - start > 20)
			fail_msg("%s: %.1f s", cases[i].matrix, seconds() - start);
		release(&p);
	}
}

static void too_many_rows(void **state)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct planned p, forced;

	(void)state;
	many_options(&text, false, "sets: [full], exclude: [O1, O2, O3, O4, O5, O6]");
	p = plan_text(text.data, NULL);
	assert_null(p.plan);
	assert_int_equal(p.err.code, E_USAGE);
	assert_string_equal(p.err.text, "the plan has more than 10000 rows");
	forced = plan_text_as(text.data, NULL, true, "s", NULL);
	assert_int_equal(forced.plan->n_rows, 16384);
	release(&p);
	release(&forced);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_the_example),
		cmocka_unit_test(axes_may_build),
		cmocka_unit_test(crosses_axes_in_order),
		cmocka_unit_test(full_and_half),
		cmocka_unit_test(baseline_is_added),
		cmocka_unit_test(excludes),
		cmocka_unit_test(exclude_that_matches_nothing),
		cmocka_unit_test(exclude_of_the_baseline),
		cmocka_unit_test(exclude_of_a_whole_cell),
		cmocka_unit_test(exclude_of_everything),
		cmocka_unit_test(where_keeps_baselines),
		cmocka_unit_test(one_thing_with_two_names),
		cmocka_unit_test(one_key_with_two_values),
		cmocka_unit_test(ids),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(ids_follow_contents),
		cmocka_unit_test(environment_enters_ids),
		cmocka_unit_test(cells_may_be_alike),
		cmocka_unit_test(makes_commands),
		cmocka_unit_test(binds_builds),
		cmocka_unit_test(json_of_rows),
		cmocka_unit_test(many_combinations),
		cmocka_unit_test(too_many_rows),
	};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
