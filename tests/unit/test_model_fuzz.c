/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A valid descriptor whose words are shuffled, so that it stays YAML mostly and means nonsense:
 * loading ends with mistakes at places, or with something that can be planned, never otherwise.
 * Seeds are fixed; MODEL_FUZZ_CASES=N runs more.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/base/rng.h"
#include "core/model/plan.h"
#include "tests/unit/model_fixture.h"

static const char descriptor[] =
	"schema: 1\n"
	"name: t\n"
	"source: {git: repo, ref: abc}\n"
	"inputs: {c1: {path: c1, identity: stat}}\n"
	"vars: {OPT: -O2, LIST: [a, b]}\n"
	"build: {steps: [[make, '{defines}', 'C={OPT}']], outputs: {p: '{out}/p'}, jobs: 3}\n"
	"options:\n"
	"  A1: {levels: {c1: {define: {CAP: 1}}, c2: {args: [--two]}}, also: {env: {I: '1'}}, "
	"default: c2}\n"
	"  A4: {define: {PAR: 1}, seen: {in: stderr, re: 'n=\\d+', times: '>= 3'}}\n"
	"  B1: {patch: [b1.patch, {file: b2, reverse: true, strip: 2}], conflicts: [A4]}\n"
	"  P: {pick: [aaa, bbb], edit: {file: a.c, find: x, replace: y, count: 2}}\n"
	"  D4: {env: {W: tuned, HOME: null}, requires: [A1=c2]}\n"
	"  V: {levels: {v1: {set: {OPT: -O1}}, v2: {set: {OPT: [-O3, -g]}}}, base: v1}\n"
	"  W: {without: {define: {OLD: 1}}}\n"
	"  X9: {args: [--fast], requires: [A4], add: {LIST: [c]}}\n"
	"axes: {t: {values: ['1', '2'], args: [-t, '{value}']}, u: {values: [a], define: {U: "
	"'{value}'}}}\n"
	"workloads:\n"
	"  synth: {run: ['{bin.p}', '{input.c1}', '{OPT}', '{LIST}'], options: [X9, D4, V], "
	"metrics: {rate: {in: stdout, re: 'r=(?<v>\\d+)', unit: B}}, check: [{exit: 0}, "
	"{metric: rate, is: '> 2'}], measure: {metric: rate, blocks: 5}}\n"
	"  prove: {run: ['{bin.p}', '{args}', '{LIST}', '{OPT}']}\n"
	"matrix: {sets: [none, each, all, A1+A4, half, all-each, cumulative, tree], axes: [t, "
	"u], exclude: [A1 & t = 1, V], baseline: none}\n"
	"measure: {metric: wall, difference: 5 ms, blocks: {min: 6}, also: [user], guard: "
	"{rss_peak: 5%}, collectors: {rusage: {}}}\n"
	"bisect: {workload: prove, from: none, to: A1+A4, options: [A1], difference: 3%}\n";

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

/* Offset of a word at or after a random place. */
static size_t random_word(struct rng *rng, const struct buf *text, size_t *len)
{
	size_t at = (size_t)rng_below(rng, text->len), n = 0;

	while (at && is_word(text->data[at - 1]))
		at--;
	while (at < text->len && !is_word(text->data[at]))
		at++;
	while (at + n < text->len && is_word(text->data[at + n]))
		n++;
	*len = n;
	return at;
}

static void mutate(struct rng *rng, struct buf *text)
{
	static const char *const odd[] = {"", "off", "none", "{}", "[]", "null", "'{bin.p}'",
		"'{value}'", "0", "-1", "99999999999", "5 s", "1%", "'{'", "'&'", "(", "each",
		"[[x]]", "{x: y}"};
	CLEANUP(buf_release) struct buf old = BUF_INIT;
	size_t len, len2, at, from;
	const char *put;

	buf_add(&old, text->data, text->len);
	at = random_word(rng, &old, &len);
	from = random_word(rng, &old, &len2);
	put = odd[rng_below(rng, ARRAY_SIZE(odd))];
	buf_truncate(text, at);
	if (rng_below(rng, 3))
		buf_add(text, old.data + from, len2);
	else
		buf_adds(text, put);
	buf_add(text, old.data + at + len, old.len - at - len);
}

/* Returns whether it could be planned. */
static bool try_text(const char *text, uint64_t seed)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(descriptor_freep) struct descriptor *d = NULL;
	CLEANUP(plan_freep) struct plan *plan = NULL;
	struct plan_facts facts = {0};
	struct err err = {0};

	write_file("x.yaml", text);
	if (descriptor_load("x.yaml", NULL, 0, &diags, &d, &err)) {
		if (!diags.errors && err.code == E_CONFIG)
			fail_msg("seed %llu: fails without a mistake: %s\n%s",
				(unsigned long long)seed, err.text, text);
		for (size_t i = 0; i < diags.n; i++) {
			if (!diags.items[i].file || !diags.items[i].line)
				fail_msg("seed %llu: '%s' has no place", (unsigned long long)seed,
					diags.items[i].message);
		}
		return false;
	}
	assert_int_equal(diags.errors, 0);
	if (plan_make(d, &facts, NULL, false, &diags, &plan, &err)) {
		assert_true(err.code == E_CONFIG || err.code == E_USAGE);
		return false;
	}
	for (size_t i = 0; i < plan->n_rows; i++)
		assert_true(plan->rows[i].baseline >= 0 && plan->rows[i].variant &&
			    plan->rows[i].run_key);
	return true;
}

static void shuffled_words(void **state)
{
	const char *cases = getenv("MODEL_FUZZ_CASES");
	uint64_t n = cases ? strtoull(cases, NULL, 10) : 600;
	size_t planned = 0;

	(void)state;
	for (uint64_t seed = 0; seed < n; seed++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		struct rng rng = rng_seeded(seed);

		alarm(60);
		buf_adds(&text, descriptor);
		for (uint64_t i = rng_below(&rng, 4); i-- > 0;)
			mutate(&rng, &text);
		planned += try_text(text.data, seed);
	}
	alarm(0);
	assert_true(planned > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(shuffled_words)};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
