/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct inner {
	const char *text;
	int64_t count;
};

struct entry {
	struct conf_item item;
	const char *title;
	struct conf_pairs define;
};

struct all {
	const char *text, *name, *ident, *choice;
	bool flag;
	int64_t number, positive, duration_ns, wait_ns;
	double real, percent;
	uint64_t size_bytes;
	const char *const *argv;
	struct conf_texts texts, either;
	struct conf_pairs pairs, env;
	const struct conf_node *node;
	struct inner inner;
	struct conf_array map, list, any;
};

static const char *const choices[] = {"same", "own", NULL};

static const struct conf_field inner_fields[] = {
	{.name = "text",
		.type = CT_TEXT,
		.offset = offsetof(struct inner, text),
		.flags = CONF_REQUIRED},
	{.name = "count", .type = CT_INT, .offset = offsetof(struct inner, count)},
	{0},
};

static const struct conf_field entry_fields[] = {
	{.name = "title",
		.type = CT_TEXT,
		.offset = offsetof(struct entry, title),
		.flags = CONF_REQUIRED},
	{.name = "define", .type = CT_PAIRS, .offset = offsetof(struct entry, define)},
	{0},
};

#define FIELD(NAME, TYPE, MEMBER) .name = NAME, .type = TYPE, .offset = offsetof(struct all, MEMBER)

static const struct conf_field fields[] = {
	{FIELD("text", CT_TEXT, text)},
	{FIELD("name", CT_NAME, name)},
	{FIELD("ident", CT_IDENT, ident)},
	{FIELD("flag", CT_BOOL, flag)},
	{FIELD("number", CT_INT, number), .min = 1, .max = 10},
	{FIELD("positive", CT_INT, positive), .min = 1, .max = INT64_MAX},
	{FIELD("real", CT_REAL, real)},
	{FIELD("duration", CT_DURATION, duration_ns)},
	{FIELD("wait", CT_DURATION, wait_ns), .flags = CONF_ZERO_OK},
	{FIELD("size", CT_SIZE, size_bytes)},
	{FIELD("percent", CT_PERCENT, percent)},
	{FIELD("choice", CT_CHOICE, choice), .choices = choices},
	{FIELD("argv", CT_ARGV, argv)},
	{FIELD("texts", CT_TEXTS, texts)},
	{FIELD("either", CT_TEXT_OR_TEXTS, either)},
	{FIELD("pairs", CT_PAIRS, pairs)},
	{FIELD("env", CT_PAIRS, env), .flags = CONF_NULL_OK | CONF_ANY_KEY},
	{FIELD("node", CT_NODE, node)},
	{FIELD("inner", CT_STRUCT, inner), .sub = inner_fields},
	{FIELD("map", CT_MAP_OF, map), .sub = entry_fields, .item_size = sizeof(struct entry)},
	{FIELD("any", CT_MAP_OF, any), .sub = entry_fields, .item_size = sizeof(struct entry),
		.flags = CONF_ANY_KEY},
	{FIELD("list", CT_LIST_OF, list), .sub = entry_fields, .item_size = sizeof(struct entry),
		.flags = CONF_ONE_OK},
	{.name = "executor", .type = CT_TEXT, .flags = CONF_LATER, .later = "leave it out"},
	{.name = "sources", .type = CT_NODE, .flags = CONF_LATER},
	{0},
};

struct fixture {
	struct arena arena;
	struct diags diags;
	struct all to;
};

static void reset(struct fixture *f)
{
	arena_release(&f->arena);
	diags_release(&f->diags);
	*f = (struct fixture){0};
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return 0;
}

static int teardown(void **state)
{
	reset(*state);
	free(*state);
	return 0;
}

static bool read_text(struct fixture *f, const char *text)
{
	struct conf_node *root;
	struct err err = {0};

	reset(f);
	f->to.text = "default";
	if (conf_parse("f.yaml", text, strlen(text), &f->arena, &f->diags, &root, &err))
		fail_msg("%s: %s", text, f->diags.items[0].message);
	return conf_read(root, fields, &f->to, &f->arena, &f->diags);
}

static void good(struct fixture *f, const char *text)
{
	if (!read_text(f, text))
		fail_msg("%s: %s", text, f->diags.items[0].message);
	assert_int_equal(f->diags.n, 0);
}

static void mistake(
	struct fixture *f, size_t n, int line, int column, const char *message, const char *help)
{
	const struct diag *d;

	if (f->diags.n <= n)
		fail_msg("no mistake %zu: %s", n, message);
	d = &f->diags.items[n];
	assert_string_equal(d->message, message);
	if (d->line != line || d->column != column)
		fail_msg(
			"%s: at %d:%d instead of %d:%d", message, d->line, d->column, line, column);
	if (help)
		assert_string_equal(d->help ? d->help : "", help);
}

/* One mistake; help "" = there is none. */
static void bad(
	struct fixture *f, const char *text, int column, const char *message, const char *help)
{
	assert_false(read_text(f, text));
	mistake(f, 0, 1, column, message, help);
	assert_int_equal(f->diags.n, 1);
}

/* The message comes from num.h, whose own test knows it. */
static void bad_number(struct fixture *f, const char *text, int column, const char *start)
{
	assert_false(read_text(f, text));
	assert_int_equal(f->diags.n, 1);
	assert_int_equal(f->diags.items[0].column, column);
	if (strncmp(f->diags.items[0].message, start, strlen(start)) != 0)
		fail_msg("%s does not begin with %s", f->diags.items[0].message, start);
	assert_true(strlen(f->diags.items[0].message) > strlen(start));
}

static void test_all_types(void **state)
{
	struct fixture *f = *state;
	const struct entry *entries;

	good(f, "text: 08\nname: A_1.b\nident: a-b\nflag: true\nnumber: 10\npositive: 77\n"
		"real: -1.5e3\nduration: 20 min\nwait: 0 s\nsize: 1.5 KiB\npercent: 2.5%\n"
		"choice: own\nargv: [make, -j, \"\"]\ntexts: [a, 'b']\neither: one\n"
		"pairs: {A: 1, B.c: two}\nenv: {a-b: null, \"x y\": ''}\nnode: [1, {a: b}]\n"
		"inner: {text: t, count: -3}\nmap: {A: {title: t, define: {X: 1}}, B: {title: u}}\n"
		"any: {a-b: {title: t}}\nlist: [{title: v}, {title: w}]\n");
	assert_string_equal(f->to.text, "08");
	assert_string_equal(f->to.name, "A_1.b");
	assert_string_equal(f->to.ident, "a-b");
	assert_true(f->to.flag);
	assert_int_equal(f->to.number, 10);
	assert_int_equal(f->to.positive, 77);
	assert_true(f->to.real == -1500.0);
	assert_int_equal(f->to.duration_ns, 1200 * NS_PER_S);
	assert_int_equal(f->to.wait_ns, 0);
	assert_int_equal(f->to.size_bytes, 1536);
	assert_true(f->to.percent > 0.02499 && f->to.percent < 0.02501);
	assert_string_equal(f->to.choice, "own");
	assert_string_equal(f->to.argv[1], "-j");
	assert_string_equal(f->to.argv[2], "");
	assert_null(f->to.argv[3]);
	assert_int_equal(f->to.texts.n, 2);
	assert_string_equal(f->to.texts.items[1], "b");
	assert_null(f->to.texts.items[2]);
	assert_string_equal(f->to.texts.node->path, "texts");
	assert_int_equal(f->to.either.n, 1);
	assert_string_equal(f->to.either.items[0], "one");
	assert_null(f->to.either.items[1]);
	assert_int_equal(f->to.pairs.n, 2);
	assert_string_equal(f->to.pairs.items[1].key, "B.c");
	assert_string_equal(f->to.pairs.items[1].value, "two");
	assert_string_equal(f->to.pairs.items[1].node->path, "pairs.B.c");
	assert_null(f->to.env.items[0].value);
	assert_string_equal(f->to.env.items[1].value, "");
	assert_int_equal(f->to.node->kind, CONF_LIST);
	assert_string_equal(f->to.inner.text, "t");
	assert_int_equal(f->to.inner.count, -3);
	assert_int_equal(f->to.map.n, 2);
	entries = f->to.map.items;
	assert_string_equal(entries[0].item.name, "A");
	assert_string_equal(entries[0].item.node->path, "map.A");
	assert_string_equal(entries[0].define.items[0].key, "X");
	assert_string_equal(entries[1].item.name, "B");
	assert_string_equal(entries[1].title, "u");
	assert_int_equal(entries[1].define.n, 0);
	entries = f->to.any.items;
	assert_string_equal(entries[0].item.name, "a-b");
	assert_int_equal(f->to.list.n, 2);
	entries = f->to.list.items;
	assert_null(entries[1].item.name);
	assert_string_equal(entries[1].title, "w");
	assert_string_equal(entries[1].item.node->path, "list[1]");
}

static void test_absent(void **state)
{
	struct fixture *f = *state;

	good(f, "flag: false\nlist: {title: single}\ntexts: []\neither: [a, b]\nmap: {}\n");
	assert_string_equal(f->to.text, "default");
	assert_null(f->to.name);
	assert_null(f->to.either.items[2]);
	assert_int_equal(f->to.list.n, 1);
	assert_string_equal(((const struct entry *)f->to.list.items)->title, "single");
	assert_int_equal(f->to.texts.n, 0);
	assert_non_null(f->to.texts.node);
	assert_int_equal(f->to.map.n, 0);
	good(f, "{}");
	assert_null(f->to.texts.node);
}

static void test_unknown_keys(void **state)
{
	struct fixture *f = *state;

	bad(f, "nmae: x\n", 1, "nmae: unknown key", "did you mean \"name\"?");
	bad(f, "inner: {text: x, cuont: 1}\n", 18, "inner.cuont: unknown key",
		"did you mean \"count\"?");
	bad(f, "inner: {text: x, xyzzy: 1}\n", 18, "inner.xyzzy: unknown key",
		"known here: text, count");
	bad(f, "map: {A: {title: x, defin: {}}}\n", 21, "map.A.defin: unknown key",
		"did you mean \"define\"?");
	bad(f, "list: [{title: x, a: b}]\n", 19, "list[0].a: unknown key",
		"known here: title, define");
}

static void test_later(void **state)
{
	struct fixture *f = *state;

	bad(f, "executor: slurm\n", 1,
		"executor: comes with a later version of assay and is refused until then",
		"leave it out");
	bad(f, "sources: {a: b}\n", 1,
		"sources: comes with a later version of assay and is refused until then", "");
}

static void test_required(void **state)
{
	struct fixture *f = *state;

	bad(f, "inner: {count: 1}\n", 1, "inner: \"text\" is missing", "");
	bad(f, "map: {A: {}}\n", 7, "map.A: \"title\" is missing", "");
	bad(f, "list: [{title: a}, {define: {}}]\n", 20, "list[1]: \"title\" is missing", "");
	bad(f, "inner: {text: }\n", 9, "inner.text: expected text, got nothing", "");
}

static void test_kinds(void **state)
{
	struct fixture *f = *state;

	bad(f, "pairs: [1]\n", 8, "pairs: expected a map, got a list", "");
	bad(f, "map: {A: {title: x, define: [1]}}\n", 29,
		"map.A.define: expected a map, got a list", "");
	bad(f, "inner: x\n", 8, "inner: expected a map, got the text \"x\"", "");
	bad(f, "inner:\n", 1, "inner: expected a map, got nothing", "");
	bad(f, "text: [a]\n", 7, "text: expected text, got a list", "");
	bad(f, "text: {a: b}\n", 7, "text: expected text, got a map", "");
	bad(f, "text: {out}\n", 7, "text: expected text, got a map",
		"a text that begins with { needs quotes: \"{out}\"");
	bad(f, "argv: [{bin.p}, x]\n", 8, "argv[0]: expected a word of the command, got a map",
		"a text that begins with { needs quotes: \"{bin.p}\"");
	bad(f, "text:\n", 1, "text: expected text, got nothing", "");
	bad(f, "map: [a]\n", 6, "map: expected a map of names, got a list", "");
	bad(f, "map: {A: x}\n", 10, "map.A: expected a map, got the text \"x\"", "");
	bad(f, "list: x\n", 7, "list: expected a list of maps, got the text \"x\"", "");
	bad(f, "list: [x]\n", 8, "list[0]: expected a map, got the text \"x\"", "");
	bad(f, "[a]\n", 1, "expected a map, got a list", "");
	bad(f, "", 1, "the file is empty", "");
	bad(f, "number: [1]\n", 9, "number: expected a whole number, got a list", "");
	bad(f, "duration: [1]\n", 11, "duration: expected a duration (10 s), got a list", "");
	bad(f, "size: {}\n", 7, "size: expected a size (1 GiB), got a map", "");
	bad(f, "percent:\n", 1, "percent: expected a percentage (1%), got nothing", "");
	bad(f, "real: []\n", 7, "real: expected a number, got a list", "");
	bad(f, "pairs: {A: [1]}\n", 12, "pairs.A: expected text, got a list", "");
	bad(f, "pairs: {A: null}\n", 12, "pairs.A: expected text, got nothing", "");
}

static void test_names(void **state)
{
	struct fixture *f = *state;
	static const char rule[] =
		"a name has letters, digits, \"_\" and \".\", begins with a letter "
		"or \"_\" and has at most 64 characters";
	AUTOFREE char *suggested = xasprintf("%s: a_b", rule);
	AUTOFREE char *digit = xasprintf("%s: _1a", rule);

	bad(f, "name: a-b\n", 7, "name: \"a-b\" is not a name", suggested);
	bad(f, "name: 1a\n", 7, "name: \"1a\" is not a name", digit);
	bad(f, "name: all\n", 7, "name: \"all\" is a reserved word",
		"choose another name, for instance all_1");
	bad(f, "map: {a-b: {title: x}}\n", 7, "map.a-b: \"a-b\" is not a name", suggested);
	bad(f, "map: {none: {title: x}}\n", 7, "map.none: \"none\" is a reserved word", NULL);
	bad(f, "pairs: {a-b: 1}\n", 9, "pairs.a-b: \"a-b\" is not a name", suggested);
	bad(f, "ident: \"a b\"\n", 8, "ident: \"a b\" is not a name", NULL);
	good(f, "pairs: {env: 1}\nident: all\n");
	assert_true(conf_is_name("_"));
	assert_true(conf_is_name("A.1_b"));
	assert_true(
		conf_is_name("a234567890123456789012345678901234567890123456789012345678901234"));
	assert_false(
		conf_is_name("a2345678901234567890123456789012345678901234567890123456789012345"));
	assert_false(conf_is_name(""));
	assert_false(conf_is_name("1"));
	assert_false(conf_is_name(".a"));
	assert_false(conf_is_name("\xc3\xa9"));
	assert_true(conf_is_level("1.0"));
	assert_true(conf_is_level("01234567890123456789012345678901"));
	assert_false(conf_is_level("012345678901234567890123456789012"));
	assert_false(conf_is_level(""));
	assert_false(conf_is_level("a-b"));
	assert_true(conf_is_reserved("workload"));
	assert_true(conf_is_reserved("tree"));
	assert_false(conf_is_reserved("Tree"));
}

static void test_values(void **state)
{
	struct fixture *f = *state;

	bad(f, "flag: yes\n", 7, "flag: expected true or false, got the text \"yes\"",
		"write true");
	bad(f, "flag: off\n", 7, "flag: expected true or false, got the text \"off\"",
		"write false");
	bad(f, "flag: maybe\n", 7, "flag: expected true or false, got the text \"maybe\"", "");
	bad(f, "number: 11\n", 9, "number: 11 is not in 1 to 10", "");
	bad(f, "number: 0\n", 9, "number: 0 is not in 1 to 10", "");
	bad(f, "positive: 0\n", 11, "positive: 0 is less than 1", "");
	bad_number(f, "number: 0x5\n", 9, "number: ");
	bad_number(f, "number: many\n", 9, "number: ");
	bad_number(f, "real: 1,5\n", 7, "real: ");
	bad_number(f, "duration: 10\n", 11, "duration: ");
	bad_number(f, "duration: 10 parsecs\n", 11, "duration: ");
	bad_number(f, "size: 10\n", 7, "size: ");
	bad_number(f, "percent: 0.01\n", 10, "percent: ");
	bad(f, "duration: 0 s\n", 11, "duration: must be longer than 0", "");
	bad(f, "choice: sane\n", 9, "choice: expected same or own, got the text \"sane\"",
		"did you mean \"same\"?");
	bad(f, "choice: neither-of-them\n", 9,
		"choice: expected same or own, got the text \"neither-of-them\"", "");
	bad(f, "choice:\n", 1, "choice: expected same or own, got nothing", "");
}

static void test_commands(void **state)
{
	struct fixture *f = *state;

	bad(f, "argv: make -j4 CC=gcc\n", 7,
		"argv: expected a command as a list of words, got the text \"make -j4 CC=gcc\"",
		"write the words as a list, [make, -j4, CC=gcc]; or write [sh, -c, ...] if a shell "
		"is "
		"meant");
	bad(f, "argv: make > log\n", 7,
		"argv: expected a command as a list of words, got the text \"make > log\"",
		"write [sh, -c, ...] if a shell is meant, else the words as a list");
	bad(f, "argv: []\n", 7, "argv: the command is empty", "");
	bad(f, "argv: {a: b}\n", 7, "argv: expected a command as a list of words, got a map", "");
	bad(f, "argv: [a, [b]]\n", 11, "argv[1]: expected a word of the command, got a list", "");
	bad(f, "texts: one\n", 8, "texts: expected a list of texts, got the text \"one\"",
		"write a list: [one]");
	bad(f, "texts: \"a, b\"\n", 8, "texts: expected a list of texts, got the text \"a, b\"",
		"write a list: [...]");
	bad(f, "texts: [a, {b: c}]\n", 12, "texts[1]: expected text, got a map", "");
	bad(f, "either: {a: b}\n", 9, "either: expected text or a list of texts, got a map", "");
}

/* All mistakes in one go, in whatever is nested; what is good is read all the same. */
static void test_all_at_once(void **state)
{
	struct fixture *f = *state;
	const struct entry *entries;

	assert_false(read_text(f, "text: [x]\n"
				  "flag: ja\n"
				  "map:\n"
				  "  a-b: {title: t}\n"
				  "  C: {titel: t}\n"
				  "  D: {title: d}\n"
				  "inner: {count: x}\n"
				  "number: 5\n"));
	mistake(f, 0, 1, 7, "text: expected text, got a list", NULL);
	mistake(f, 1, 2, 7, "flag: expected true or false, got the text \"ja\"", NULL);
	mistake(f, 2, 4, 3, "map.a-b: \"a-b\" is not a name", NULL);
	mistake(f, 3, 5, 7, "map.C.titel: unknown key", "did you mean \"title\"?");
	mistake(f, 4, 5, 3, "map.C: \"title\" is missing", NULL);
	assert_int_equal(f->diags.items[5].line, 7);
	mistake(f, 6, 7, 1, "inner: \"text\" is missing", NULL);
	assert_int_equal(f->diags.n, 7);
	assert_int_equal(f->to.number, 5);
	/* Entries with mistakes are there by name, so that references to them are no second
	 * mistake. */
	assert_int_equal(f->to.map.n, 3);
	entries = f->to.map.items;
	assert_string_equal(entries[1].item.name, "C");
	assert_string_equal(entries[2].title, "d");
}

static void test_single_value(void **state)
{
	struct fixture *f = *state;
	static const struct conf_field size = {.name = "x", .type = CT_SIZE};
	uint64_t bytes = 0;

	good(f, "node: {a: 2 kB, b: x}\n");
	assert_true(
		conf_read_value(conf_get(f->to.node, "a"), &size, &bytes, &f->arena, &f->diags));
	assert_int_equal(bytes, 2000);
	assert_false(
		conf_read_value(conf_get(f->to.node, "b"), &size, &bytes, &f->arena, &f->diags));
	assert_int_equal(bytes, 2000);
	assert_int_equal(f->diags.items[0].column, 20);
}

/* A long foreign text or one with escapes does not go to the terminal as it is. */
static void test_shown_text(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	assert_false(read_text(f, "inner: \"\\e[31m red\"\n"));
	assert_null(strchr(f->diags.items[0].message, '\033'));
	buf_adds(&text, "flag: ");
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "\xc3\xa9");
	assert_false(read_text(f, text.data));
	assert_in_range(strlen(f->diags.items[0].message), 100, 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_required, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_commands, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_single_value, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shown_text, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
