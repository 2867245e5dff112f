/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A valid descriptor, broken at random: whatever comes out, it comes out, and every mistake has a
 * place inside the file. libfyaml 0.7.12 can loop for ever on bytes it should not see; alarm() ends
 * that. Seeds are fixed; CONF_FUZZ_CASES=N runs more.
 */
#include "config.h"

#include "core/base/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/rng.h"

static const char descriptor[] =
	"schema: 1\n"
	"name: phase4\n"
	"title: Which Phase 4 optimization made the proof slower? # \xc3\xa4 comment\n"
	"source: {path: prover}\n"
	"vars: {OPT: -O2, LIST: [a, 'b c', \"d\\t\\u00e9\"]}\n"
	"build:\n"
	"  steps: [[make, -j, \"{jobs}\", \"CFLAGS={OPT}\"], [sh, -c, 'x | y']]\n"
	"  outputs: {prover: \"{out}/prover\"}\n"
	"  timeout: 20 min\n"
	"options:\n"
	"  A1:\n"
	"    title: >-\n"
	"      inline small vectors\n"
	"      in the indexer\n"
	"    levels: {cap1: {define: {CAP: 1}}, cap2: {define: {CAP: 2}}}\n"
	"    default: cap2\n"
	"  A4: {define: {B: 1}, seen: [{in: stderr, re: 'ms=\\d+ n=(?:[2-9]|\\d\\d)'}]}\n"
	"  B1:\n"
	"    - edit: |\n"
	"        text\n"
	"          more\n"
	"    - ~\n"
	"    -\n"
	"    - null\n"
	"matrix:\n"
	"  sets: [none, each, all-each]\n"
	"  exclude: [\"A1 & threads = 1\"]\n"
	"  ? key\n"
	"  : value\n";

static size_t below(struct rng *rng, size_t n)
{
	return n ? (size_t)rng_below(rng, n) : 0;
}

/* One change of one of several kinds. */
static void mutate(struct rng *rng, struct buf *text)
{
	static const char *const pieces[] = {"{", "}", "[", "]", ":", ": ", "- ", "? ", "\n", "\t",
		"#", " #", "&a ", "*a", "!t ", "<<: ", "---\n", "...\n", "%YAML 1.1\n", "\"", "'",
		"|", ">", ">9\n", "\\", "\r", "\r\n", "\xc3", "\xff", "\xef\xbb\xbf",
		"\xe2\x80\xa8", "\xc2\x85", "\xf0\x9f\x98\x80", ",", "@", "`", "null", "~",
		"\"\\u0000\"", "\"\\x80", "|+2\n"};
	CLEANUP(buf_release) struct buf old = BUF_INIT;
	size_t at = below(rng, text->len), len = 1 + below(rng, 40);

	buf_add(&old, text->data, text->len);
	if (len > old.len - at)
		len = old.len - at;
	switch (rng_below(rng, 8)) {
	case 0: /* a bit */
		if (text->len)
			text->data[at] ^= (char)(1 << rng_below(rng, 8));
		return;
	case 1: /* a byte */
		if (text->len)
			text->data[at] = (char)rng_below(rng, 256);
		return;
	case 2: /* cut off */
		buf_truncate(text, at);
		return;
	case 3: /* taken out */
		buf_truncate(text, at);
		buf_add(text, old.data + at + len, old.len - at - len);
		return;
	case 4: /* a part twice */
		buf_truncate(text, at + len);
		buf_add(text, old.data + at, old.len - at);
		return;
	case 5: { /* a part moved */
		size_t to = below(rng, old.len);

		buf_truncate(text, to);
		buf_add(text, old.data + at, len);
		buf_add(text, old.data + to, old.len - to);
		return;
	}
	default: /* what means something in YAML */
		buf_truncate(text, at);
		buf_adds(text, pieces[rng_below(rng, ARRAY_SIZE(pieces))]);
		buf_add(text, old.data + at, old.len - at);
	}
}

static size_t count_lines(const struct buf *text)
{
	size_t n = 1;

	for (size_t i = 0; i < text->len; i++)
		n += text->data[i] == '\n' || text->data[i] == '\r';
	return n;
}

static void check_node(const struct conf_node *node, const struct conf_node *parent, size_t lines)
{
	const struct conf_node *item;

	assert_in_range(node->place.line, 1, lines);
	assert_in_range(node->key_place.line, 1, lines);
	assert_true(node->place.column >= 1 && node->key_place.column >= 1);
	assert_non_null(node->path);
	assert_non_null(node->source);
	assert_non_null(node->key_source);
	assert_true((node->kind == CONF_SCALAR) == (node->text != NULL));
	assert_true((parent && parent->kind == CONF_MAP) == (node->key != NULL));
	assert_true(node->n == 0 || node->kind == CONF_LIST || node->kind == CONF_MAP);
	conf_foreach (item, node)
		check_node(item, node, lines);
}

static void run_case(const struct buf *text)
{
	struct arena arena = ARENA_INIT;
	struct diags diags = DIAGS_INIT;
	struct conf_node *root = NULL;
	struct err err = {0};
	size_t lines = count_lines(text);
	int rc = conf_parse("f.yaml", text->data, text->len, &arena, &diags, &root, &err);

	for (size_t i = 0; i < diags.n; i++) {
		assert_in_range(diags.items[i].line, 1, lines);
		assert_true(diags.items[i].column >= 1);
		assert_non_null(diags.items[i].source);
		assert_true(diags.items[i].message[0] != '\0');
	}
	if (rc)
		assert_true(diags.errors > 0);
	else
		check_node(root, NULL, lines);
	diags_release(&diags);
	arena_release(&arena);
}

static void test_mutations(void **state)
{
	const char *wanted = getenv("CONF_FUZZ_CASES");
	size_t cases = wanted ? strtoul(wanted, NULL, 10) : 6000;
	struct rng rng = rng_seeded(20240607);
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < cases; i++) {
		size_t changes = 1 + below(&rng, 6);

		buf_clear(&text);
		buf_adds(&text, descriptor);
		while (changes--)
			mutate(&rng, &text);
		alarm(10);
		run_case(&text);
	}
	alarm(0);
}

/* Every prefix: a file that is being written. */
static void test_prefixes(void **state)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	(void)state;
	for (size_t n = 0; n < sizeof(descriptor); n++) {
		buf_clear(&text);
		buf_add(&text, descriptor, n);
		alarm(10);
		run_case(&text);
	}
	alarm(0);
}

/* The whole text is valid: else the mutations would only show one mistake. */
static void test_base(void **state)
{
	struct arena arena = ARENA_INIT;
	struct diags diags = DIAGS_INIT;
	struct conf_node *root;
	struct err err = {0};

	(void)state;
	assert_int_equal(conf_parse("f.yaml", descriptor, sizeof(descriptor) - 1, &arena, &diags,
				 &root, &err),
		0);
	assert_int_equal(diags.n, 0);
	assert_int_equal(root->n, 8);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
