/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/model/setexpr.h"
#include "core/model/variants.h"
#include "tests/unit/model_fixture.h"

/* A has three levels (default a2), D needs B, E is kept off by B, V counts v1 as off, W is in the
 * tree already. */
static const char text[] =
	"schema: 1\nname: t\nvars: {O: x}\n"
	"options:\n"
	"  A: {levels: {a1: {define: {A: 1}}, a2: {define: {A: 2}}}, default: a2}\n"
	"  B: {define: {B: 1}}\n"
	"  D: {define: {D: 1}, requires: [B]}\n"
	"  E: {define: {E: 1}, conflicts: [B]}\n"
	"  V: {levels: {v1: {set: {O: p}}, v2: {set: {O: q}}}, base: v1}\n"
	"  W: {without: {define: {W: 1}}}\n"
	"matrix: {sets: [none, each, all, all-each, cumulative, tree, half]}\n"
	"workloads: {w: {run: [x]}}\n";

static struct descriptor *load(void)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct descriptor *d = NULL;
	struct err err = {0};

	write_file("x.yaml", text);
	if (descriptor_load("x.yaml", NULL, 0, &diags, &d, &err))
		fail_msg("%s", err.text);
	return d;
}

static void one_variant(void **state)
{
	static const char *const cases[][2] = {
		{"none", "none"},
		{"A", "A=a2"},
		{"A=a1", "A=a1"},
		{"A = a1 + B", "A=a1+B"},
		{"B+A", "A=a2+B"}, /* declaration order */
		{"A+B-A", "B"},
		{"A-A+B", "B"},
		{"all", "A=a2+B+D+V+W"}, /* E conflicts with B */
		{"all-B-D", "A=a2+V+W"},
		{"all-all+A", "A=a2"},
		{"all+A=a1", "A=a1+B+D+V+W"}, /* the later one holds */
		{"A+A=off", "none"},
		{"A=a1-A=a2", "A=a1"},
		{"none+E", "E"},
		{"V", "V"},
		{"V=v1", "none"},
		{"V=off", "none"},
		{"tree", "W"},
		{"W=on", "W"},
	};
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	uint8_t levels[6];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(buf_release) struct buf name = BUF_INIT;
		struct err err = {0};

		memset(levels, 9, sizeof(levels));
		if (setexpr_row(d->options, d->n_options, cases[i][0], levels, &err))
			fail_msg("%s: %s", cases[i][0], err.text);
		variant_name(d->options, d->n_options, levels, &name);
		assert_string_equal(name.data, cases[i][1]);
	}
}

static void refuses(void **state)
{
	static const char *const cases[][2] = {
		{"", "a name is missing in the set ''"},
		{"A+", "a name is missing in the set 'A+'"},
		{"A++B", "a name is missing in the set 'A++B'"},
		{"-A", "a name is missing in the set '-A'"},
		{"C", "unknown option 'C' in the set 'C'"},
		{"A=a3", "'A' has no level 'a3' in the set 'A=a3'"},
		{"A=a1+A=a2", "'A' has two levels in the set 'A=a1+A=a2'"},
		{"D", "the set 'D' breaks a constraint: D requires B"},
		{"B+E", "the set 'B+E' breaks a constraint: B conflicts with E"},
		{"full", "'full' gives more than one variant; one is needed here"},
		{"A+full", "'full' stands alone, not in a set like 'A+full'"},
		{"A+tree", "'tree' stands alone, not in a set like 'A+tree'"},
	};
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	uint8_t levels[6] = {7, 7, 7, 7, 7, 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};

		assert_int_equal(
			setexpr_row(d->options, d->n_options, cases[i][0], levels, &err), -1);
		assert_string_equal(err.text, cases[i][1]);
		assert_int_equal(err.code, E_CONFIG);
		assert_int_equal(levels[0], 7);
	}
}

static void no_options(void **state)
{
	uint8_t levels[1];
	struct err err = {0};

	(void)state;
	assert_int_equal(setexpr_row(NULL, 0, "none", levels, &err), 0);
	assert_int_equal(setexpr_row(NULL, 0, "all", levels, &err), 0);
	assert_int_equal(setexpr_row(NULL, 0, "A", levels, &err), -1);
}

static void collect(void *ctx, const struct conf_node *node, const char *warning)
{
	(void)node;
	buf_addf(ctx, "%s\n", warning);
}

static void lists_sets(void **state)
{
	static const char *const want[] = {
		"none",
		"A=a1 A=a2 B B+D E V W",
		"A=a2+B+D+V+W",
		/* without B, D cannot be */
		"B+D+V+W A=a2+V+W A=a2+B+V+W A=a2+B+D+W A=a2+B+D+V",
		"A=a2 A=a2+B A=a2+B+D A=a2+B+D+V A=a2+B+D+V+W",
		"W",
	};
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	CLEANUP(buf_release) struct buf warnings = BUF_INIT;
	struct arena arena = ARENA_INIT;
	struct variant_sets sets;

	(void)state;
	variant_sets_make(d, &arena, collect, &warnings, &sets);
	for (size_t s = 0; s < ARRAY_SIZE(want); s++) {
		CLEANUP(buf_release) struct buf got = BUF_INIT;

		for (size_t i = 0; i < sets.items[s].n; i++) {
			const uint8_t *row = sets.items[s].rows + i * d->n_options;

			buf_adds(&got, i ? " " : "");
			variant_name(d->options, d->n_options, row, &got);
			assert_true(variant_set_has(&sets, &sets.items[s], NULL, row));
		}
		assert_string_equal(got.data, want[s]);
	}
	/* B, D, E can be none, B, B+D or E: 4 of 8, so 16 of the 32 of the half */
	assert_string_equal(warnings.data,
		"'all' leaves out E (conflicts with B)\n"
		"'half' leaves out 16 variants that break a constraint\n");
	arena_release(&arena);
}

struct found {
	const struct descriptor *d;
	struct buf text;
	size_t n;
};

static bool add_found(void *ctx, const uint8_t *levels)
{
	struct found *found = ctx;

	if (found->n++)
		buf_addc(&found->text, ' ');
	variant_name(found->d->options, found->d->n_options, levels, &found->text);
	return true;
}

static void walks_the_half(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	struct found found = {.d = d, .text = BUF_INIT};
	struct variant_walk walk = {.options = d->options,
		.n_options = d->n_options,
		.half = true,
		.emit = add_found,
		.ctx = &found};

	(void)state;
	assert_true(variants_walk(&walk));
	/* even numbers of active ones, at their default levels, first option fastest */
	assert_string_equal(found.text.data,
		"none A=a2+B B+D A=a2+E A=a2+V B+V A=a2+B+D+V E+V A=a2+W B+W A=a2+B+D+W E+W V+W "
		"A=a2+B+V+W B+D+V+W A=a2+E+V+W");
	buf_release(&found.text);
}

static void walks_what_reaches(void **state)
{
	static const bool only_ab[] = {true, true, false, false, false, false};
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	struct found full = {.d = d, .text = BUF_INIT}, half = {.d = d, .text = BUF_INIT};
	struct variant_walk walk = {.options = d->options,
		.n_options = d->n_options,
		.reaches = only_ab,
		.emit = add_found,
		.ctx = &full};

	(void)state;
	assert_true(variants_walk(&walk));
	assert_string_equal(full.text.data, "none A=a1 A=a2 B A=a1+B A=a2+B");
	walk.half = true;
	walk.ctx = &half;
	/* V or W can make any number even */
	assert_true(variants_walk(&walk));
	assert_string_equal(half.text.data, "none A=a2 B A=a2+B");
	buf_release(&full.text);
	buf_release(&half.text);
}

static void counts(void **state)
{
	static const bool only_ab[] = {true, true, false, false, false, false};
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	struct arena arena = ARENA_INIT;
	CLEANUP(buf_release) struct buf warnings = BUF_INIT;
	struct variant_sets sets, one;
	uint8_t none[6] = {0};

	(void)state;
	variant_sets_make(d, &arena, collect, &warnings, &sets);
	one = sets;
	one.n = 1;
	one.items = &sets.items[1]; /* each: 7, and none */
	assert_float_equal(variant_sets_count(&one, none, NULL), 8, 0);
	assert_float_equal(variant_sets_count(&one, none, only_ab), 4, 0);
	one.items = &sets.items[6]; /* half has none */
	assert_float_equal(variant_sets_count(&one, none, NULL), 16, 0);
	assert_float_equal(variant_sets_count(&one, none, only_ab), 4, 0);
	arena_release(&arena);
}

static void walk_ends_with_its_budget(void **state)
{
	CLEANUP(descriptor_freep) struct descriptor *d = load();
	struct found found = {.d = d, .text = BUF_INIT};
	struct variant_walk walk = {.options = d->options,
		.n_options = d->n_options,
		.emit = add_found,
		.ctx = &found,
		.budget = 10};

	(void)state;
	assert_false(variants_walk(&walk));
	assert_true(found.n < 10);
	buf_release(&found.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_variant),
		cmocka_unit_test(refuses),
		cmocka_unit_test(no_options),
		cmocka_unit_test(lists_sets),
		cmocka_unit_test(walks_the_half),
		cmocka_unit_test(walks_what_reaches),
		cmocka_unit_test(counts),
		cmocka_unit_test(walk_ends_with_its_budget),
	};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
