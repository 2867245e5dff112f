/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct arena arena;
	struct diags diags;
	struct conf_node *root;
	struct err err;
	int rc;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return 0;
}

static void reset(struct fixture *f)
{
	arena_release(&f->arena);
	diags_release(&f->diags);
	*f = (struct fixture){0};
}

static int teardown(void **state)
{
	reset(*state);
	free(*state);
	return 0;
}

static void parse_n(struct fixture *f, const char *text, size_t len)
{
	reset(f);
	f->rc = conf_parse("f.yaml", text, len, &f->arena, &f->diags, &f->root, &f->err);
}

static void parse(struct fixture *f, const char *text)
{
	parse_n(f, text, strlen(text));
}

static void good(struct fixture *f, const char *text)
{
	parse(f, text);
	if (f->diags.n)
		fail_msg("%d:%d: %s", f->diags.items[0].line, f->diags.items[0].column,
			f->diags.items[0].message);
	assert_int_equal(f->rc, 0);
	assert_non_null(f->root);
}

/* The n-th mistake, with its place; help NULL = none is asked for. */
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
	assert_string_equal(d->file, "f.yaml");
	if (help)
		assert_string_equal(d->help, help);
	assert_non_null(d->source);
}

/* One mistake that leaves no tree. */
static void bad(struct fixture *f, const char *text, int line, int column, const char *message)
{
	parse(f, text);
	mistake(f, 0, line, column, message, NULL);
	assert_int_equal(f->diags.n, 1);
	assert_int_equal(f->rc, -1);
	assert_int_equal(f->err.code, E_CONFIG);
	assert_string_equal(f->err.place, "f.yaml");
}

static const struct conf_node *at(struct fixture *f, const char *key)
{
	const struct conf_node *node = conf_get(f->root, key);

	if (!node)
		fail_msg("no key %s", key);
	return node;
}

static void assert_place(struct place place, int line, int column)
{
	if (place.line != line || place.column != column)
		fail_msg("at %d:%d instead of %d:%d", place.line, place.column, line, column);
}

static void assert_text(struct fixture *f, const char *key, const char *text)
{
	const struct conf_node *node = at(f, key);

	assert_int_equal(node->kind, CONF_SCALAR);
	assert_string_equal(node->text, text);
}

/* --- What is good --- */

static void test_scalars(void **state)
{
	struct fixture *f = *state;

	good(f, "plain: a b  # comment\n"
		"single: 'it''s \\n'\n"
		"double: \"a\\tb \\u00e9 \\\" \\\\\"\n"
		"guess: 08\n"
		"off: no\n"
		"folded: >-\n  a\n  b\n\n  c\n"
		"literal: |\n  a\n    b\n"
		"long: a\n  b\n"
		"é: ü\n"
		"\"quoted key\": v\n"
		"hash: a#b\n"
		"flow: {a: [x, \"y, z\"], b: {}, c: []}\n"
		"url: http://x/y\n");
	assert_text(f, "plain", "a b");
	assert_text(f, "single", "it's \\n");
	assert_text(f, "double", "a\tb \xc3\xa9 \" \\");
	assert_text(f, "guess", "08");
	assert_text(f, "off", "no");
	assert_text(f, "folded", "a b\nc");
	assert_text(f, "literal", "a\n  b\n");
	assert_text(f, "long", "a b");
	assert_text(f, "\xc3\xa9", "\xc3\xbc");
	assert_text(f, "quoted key", "v");
	assert_text(f, "hash", "a#b");
	assert_text(f, "url", "http://x/y");
	assert_int_equal(at(f, "flow")->kind, CONF_MAP);
	assert_int_equal(at(f, "flow")->n, 3);
	assert_string_equal(at(f, "flow")->items[0]->items[1]->text, "y, z");
	assert_int_equal(at(f, "flow")->items[1]->kind, CONF_MAP);
	assert_int_equal(at(f, "flow")->items[1]->n, 0);
	assert_int_equal(at(f, "flow")->items[2]->kind, CONF_LIST);
	assert_null(conf_get(f->root, "nothing"));
	assert_null(conf_get(at(f, "plain"), "x"));
	assert_null(conf_get(NULL, "x"));
}

static void test_null_kinds(void **state)
{
	struct fixture *f = *state;

	good(f, "a:\nb: null\nc: ~\nd: \"null\"\ne: '~'\nf: ''\ng: [null, x]\nnull: x\n~: y\n");
	assert_int_equal(at(f, "a")->kind, CONF_NULL);
	assert_int_equal(at(f, "b")->kind, CONF_NULL);
	assert_int_equal(at(f, "c")->kind, CONF_NULL);
	assert_text(f, "d", "null");
	assert_text(f, "e", "~");
	assert_text(f, "f", "");
	assert_int_equal(at(f, "g")->items[0]->kind, CONF_NULL);
	assert_text(f, "null", "x");
	assert_text(f, "~", "y");
}

static void test_empty_files(void **state)
{
	struct fixture *f = *state;
	static const char *const empty[] = {
		"", "\n\n", "# only a comment\n", "---\n", "\xef\xbb\xbf"};

	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		good(f, empty[i]);
		assert_int_equal(f->root->kind, CONF_NULL);
		assert_string_equal(f->root->path, "");
		assert_string_equal(f->root->place.file, "f.yaml");
	}
}

static void test_paths(void **state)
{
	struct fixture *f = *state;
	const struct conf_node *node;

	good(f, "options:\n  A1:\n    define: {X: 1}\nsteps: [[make, -j], [a]]\n");
	assert_string_equal(f->root->path, "");
	node = conf_get(conf_get(at(f, "options"), "A1"), "define");
	assert_string_equal(node->path, "options.A1.define");
	assert_string_equal(node->items[0]->path, "options.A1.define.X");
	assert_string_equal(at(f, "steps")->items[0]->items[1]->path, "steps[0][1]");
	assert_null(at(f, "steps")->items[0]->key);
}

static void test_places(void **state)
{
	struct fixture *f = *state;
	const struct conf_node *list;

	good(f, "\xef\xbb\xbf"
		"a: 1\r\n"
		"\xc3\xa9: [\"x\", 'y', {\xc3\xbc: z}]\r\n"
		"list:\r\n"
		"  - p\r\n"
		"  -\r\n"
		"  - # not - this\r\n"
		"  - |\r\n"
		"\r\n"
		"    text\r\n"
		"  - k: v\r\n"
		"none:\r\n"
		"block: >-  # a | b\r\n"
		"   t\r\n"
		"far:\r\n"
		"   away\r\n");
	assert_place(f->root->place, 1, 1);
	assert_place(at(f, "a")->key_place, 1, 1);
	assert_place(at(f, "a")->place, 1, 4);
	/* Columns are bytes. */
	list = at(f, "\xc3\xa9");
	assert_place(list->place, 2, 5);
	assert_place(list->items[0]->place, 2, 6);
	assert_place(list->items[1]->place, 2, 11);
	assert_place(list->items[2]->place, 2, 16);
	assert_place(list->items[2]->items[0]->place, 2, 21);
	assert_string_equal(list->source, "\xc3\xa9: [\"x\", 'y', {\xc3\xbc: z}]");
	list = at(f, "list");
	assert_place(list->items[0]->place, 4, 5);
	assert_place(list->items[1]->place, 5, 3);
	assert_place(list->items[2]->place, 6, 3);
	assert_place(list->items[3]->place, 7, 5);
	assert_string_equal(list->items[3]->source, "  - |");
	assert_place(list->items[4]->place, 10, 5);
	assert_place(at(f, "none")->place, 11, 1);
	assert_place(at(f, "block")->place, 12, 8);
	assert_place(at(f, "far")->place, 15, 4);
	assert_place(at(f, "far")->key_place, 14, 1);
	assert_string_equal(at(f, "far")->source, "   away");
	assert_string_equal(at(f, "far")->key_source, "far:");
}

/* Texts and names belong to the arena, not to what was parsed. */
static void test_lifetime(void **state)
{
	struct fixture *f = *state;
	char *text = xstrdup("a: value\n"), *name = xstrdup("n.yaml");

	f->rc = conf_parse(name, text, strlen(text), &f->arena, &f->diags, &f->root, &f->err);
	assert_int_equal(f->rc, 0);
	memset(text, 'x', strlen(text));
	memset(name, 'x', strlen(name));
	free(text);
	free(name);
	assert_text(f, "a", "value");
	assert_string_equal(at(f, "a")->place.file, "n.yaml");
	assert_string_equal(at(f, "a")->source, "a: value");
}

/* --- Lexical rules --- */

#define LITERAL(s) (s), sizeof(s) - 1

static void test_bytes(void **state)
{
	struct fixture *f = *state;

	parse_n(f, LITERAL("a: 1\nb: x\0y\n"));
	mistake(f, 0, 2, 5, "the file holds a NUL character", NULL);
	assert_string_equal(f->diags.items[0].source, "b: x?y");
	assert_int_equal(f->rc, -1);
	bad(f, "a: \xff\xfe\n", 1, 4, "not valid UTF-8: byte 0xff");
	assert_string_equal(f->diags.items[0].help, "save the file as UTF-8 text");
	bad(f, "a: x\n\xc3\xa9: \xc3\n", 2, 5, "not valid UTF-8: byte 0xc3");
	bad(f, "a: \xed\xa0\x80\n", 1, 4, "not valid UTF-8: byte 0xed"); /* a surrogate */
	bad(f, "a: \xc0\x80\n", 1, 4, "not valid UTF-8: byte 0xc0");     /* overlong */
	bad(f, "a: \033[1m\n", 1, 4, "control character 0x1b");
	bad(f, "a: \x7f\n", 1, 4, "control character 0x7f");
	/* One message a line, all lines in one go. */
	parse_n(f, LITERAL("a\0\0\nb: \xff\xff\nc\001: \xfe\n"));
	assert_int_equal(f->diags.n, 3);
	mistake(f, 1, 2, 4, "not valid UTF-8: byte 0xff", NULL);
	mistake(f, 2, 3, 2, "control character 0x01", NULL);
}

static void test_documents(void **state)
{
	struct fixture *f = *state;

	good(f, "--- # one\na: 1\n...\n# end\n");
	bad(f, "a: 1\n---\nb: 2\n", 2, 1, "a second document begins here");
	assert_string_equal(
		f->diags.items[0].help, "a file holds one document: remove the line ---");
	bad(f, "a: 1\n...\nb: 2\n", 3, 1, "a second document begins here");
	bad(f, "---\n---\n", 2, 1, "a second document begins here");
	bad(f, "a: 1\n---\n", 2, 1, "a second document begins here");
}

static void test_anchors(void **state)
{
	struct fixture *f = *state;

	parse(f,
		"a: &x 1\nb: *x\nc:\n  <<: *x\n  d: !!str e\nf: &y [1, &z 2]\n&k g: 1\n!t {}: 1\n");
	assert_int_equal(f->rc, -1);
	mistake(f, 0, 1, 4, "anchors (&name) are not allowed",
		"write the value out where it is used, or put the text in quotes");
	mistake(f, 1, 2, 4, "aliases (*name) are not allowed",
		"write the value out, or put the text in quotes");
	mistake(f, 2, 4, 3, "merge keys (<<) are not allowed", NULL);
	mistake(f, 3, 5, 6, "tags (!name) are not allowed",
		"types follow from the field; put a text that begins with ! in quotes");
	mistake(f, 4, 6, 4, "anchors (&name) are not allowed", NULL);
	mistake(f, 5, 6, 11, "anchors (&name) are not allowed", NULL);
	mistake(f, 6, 7, 1, "anchors (&name) are not allowed", NULL);
	mistake(f, 7, 8, 1, "tags (!name) are not allowed", NULL);
	bad(f, "*a : b\n", 1, 1, "aliases (*name) are not allowed");
	bad(f, "- *a\n", 1, 3, "aliases (*name) are not allowed");
	bad(f, "a: 1\n<<: {b: 2}\n", 2, 1, "merge keys (<<) are not allowed");
	/* Quoted ones are texts. */
	good(f, "\"<<\": '&a'\nb: '*c'\nd: \"!e\"\n");
	/* Anchors and tags alone leave a tree. */
	parse(f, "a: &x 1\n");
	assert_int_equal(f->rc, 0);
	assert_text(f, "a", "1");
	/* Nested aliases, each ten times the one before: never resolved. */
	parse(f, "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n");
	assert_int_equal(f->rc, -1);
	assert_int_equal(f->diags.n, 3 + 6);
}

static void test_duplicates(void **state)
{
	struct fixture *f = *state;

	parse(f, "a: 1\nm: {x: 1, \"x\": {y: 1, y: 2}}\na: 2\n");
	assert_int_equal(f->rc, 0);
	assert_int_equal(f->diags.n, 3);
	mistake(f, 0, 2, 11, "m.x: this key is there twice, first in line 2", NULL);
	mistake(f, 1, 2, 23, "m.x.y: this key is there twice, first in line 2", NULL);
	mistake(f, 2, 3, 1, "a: this key is there twice, first in line 1", NULL);
	assert_text(f, "a", "1");
	assert_int_equal(f->root->n, 2);
	assert_int_equal(at(f, "m")->n, 1);
}

static void test_keys(void **state)
{
	struct fixture *f = *state;

	bad(f, "? [a]\n: b\n", 1, 3, "a key must be a text, not a list");
	bad(f, "{a: b}: c\n", 1, 1, "a key must be a text, not a map");
	bad(f, "a: 1\n: b\n", 2, 1, "a key is missing");
	bad(f, "{: b}\n", 1, 2, "a key is missing");
	bad(f, "a: \"x\\0y\"\n", 1, 4,
		"the text holds an escape for a character that is not allowed");
}

static void test_depth(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	for (int i = 0; i < 32; i++)
		buf_addc(&text, '[');
	for (int i = 0; i < 32; i++)
		buf_addc(&text, ']');
	good(f, text.data);
	buf_clear(&text);
	for (int i = 0; i < 33; i++)
		buf_addc(&text, i % 2 ? '{' : '[');
	parse(f, text.data);
	/* A flow map cannot be a key here either, so the depth is reached by lists and maps. */
	assert_int_equal(f->rc, -1);
	buf_clear(&text);
	for (int i = 0; i < 33; i++)
		buf_addf(&text, "%*sk:\n", i, "");
	buf_addf(&text, "%*sv\n", 33, "");
	bad(f, text.data, 33, 33, "more than 32 levels of lists and maps");
	buf_clear(&text);
	for (int i = 0; i < 33; i++)
		buf_addc(&text, '[');
	bad(f, text.data, 1, 33, "more than 32 levels of lists and maps");
	buf_clear(&text);
	for (int i = 0; i < 300000; i++)
		buf_addc(&text, '[');
	bad(f, text.data, 1, 33, "more than 32 levels of lists and maps");
}

static void test_size(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	buf_adds(&text, "a: x\n");
	while (text.len < 1 << 20)
		buf_addc(&text, '\n');
	good(f, text.data);
	buf_addc(&text, '\n');
	parse(f, text.data);
	assert_int_equal(f->rc, -1);
	assert_int_equal(f->err.code, E_CONFIG);
	assert_int_equal(f->diags.n, 1);
	assert_string_equal(f->diags.items[0].message, "larger than 1 MiB");
}

static void test_syntax(void **state)
{
	struct fixture *f = *state;

	bad(f, "a: [b, {c: d\n", 1, 8, "this \"{\" is never closed");
	bad(f, "a: [b, c\n\n", 1, 4, "this \"[\" is never closed");
	bad(f, "a: \"x\n", 1, 4, "YAML: double-quoted scalar without closing quote");
	bad(f, "a: 'x\n", 1, 4, "YAML: single-quoted scalar without closing quote");
	bad(f, "a:\n\tb: c\n", 2, 1, "YAML: tab character may not be used as indentation");
	assert_string_equal(f->diags.items[0].help, "indent with blanks");
	bad(f, "\xc3\xa9: b: c\n", 1, 6, "YAML: invalid nested block mapping on the same line");
	assert_string_equal(f->diags.items[0].help, "a text that holds \": \" needs quotes");
	bad(f, "a: [b}\n", 1, 6, "YAML: mismatched flow mapping end");
	bad(f, "a: {out}/prover\n", 1, 9, "YAML: invalid value after mapping");
	assert_string_equal(
		f->diags.items[0].help, "a text that begins with { needs quotes: \"{out}/prover\"");
	bad(f, "a: @x\n", 1, 4, "YAML: plain scalar cannot start with '@'");
	bad(f, "a: b\n- c\n", 2, 1, "YAML: did not find expected key");
	bad(f, "a:\n  b: c\n d: e\n", 3, 2, "YAML: invalid indentation in mapping");
	bad(f, "a: \"\\q\"\n", 1, 5, "YAML: invalid escape 'q' in double-quoted string");
	/* Mistakes before it are told, too. */
	parse(f, "a: 1\na: 2\nb: &x 1\nc: [\n");
	assert_int_equal(f->diags.n, 3);
	assert_int_equal(f->rc, -1);
}

static void test_many(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	for (int i = 0; i < 10000; i++)
		buf_adds(&text, "a: 1\n");
	parse(f, text.data);
	assert_int_equal(f->rc, -1);
	assert_in_range(f->diags.n, 20, 100);
}

static void test_printed(void **state)
{
	struct fixture *f = *state;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	parse(f, "a: 1\n\xc3\xa9: {a: 1, a: 2}\n");
	diags_print(&f->diags, to, false);
	fclose(to);
	assert_string_equal(text,
		"f.yaml:2:12: error: \xc3\xa9.a: this key is there twice, first in line 2\n"
		"    \xc3\xa9: {a: 1, a: 2}\n"
		"              ^\n");
	free(text);
}

/* --- Files --- */

static void test_load(void **state)
{
	struct fixture *f = *state;
	char dir[] = "/tmp/assay-conf-XXXXXX";
	AUTOFREE char *path = NULL;
	FILE *file;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/x.yaml", dir);
	assert_int_equal(conf_load(path, &f->arena, &f->diags, &f->root, &f->err), -1);
	assert_int_equal(f->err.code, E_MISSING);
	assert_non_null(strstr(f->err.text, path));
	assert_int_equal(conf_load(dir, &f->arena, &f->diags, &f->root, &f->err), -1);
	assert_int_equal(f->err.code, E_MISSING);
	assert_non_null(strstr(f->err.text, "folder"));
	assert_int_equal(conf_load("/dev/zero", &f->arena, &f->diags, &f->root, &f->err), -1);
	assert_int_equal(f->err.code, E_CONFIG);
	file = fopen(path, "w");
	fputs("a: b\n", file);
	fclose(file);
	assert_int_equal(conf_load(path, &f->arena, &f->diags, &f->root, &f->err), 0);
	assert_text(f, "a", "b");
	assert_string_equal(f->root->place.file, path);
	unlink(path);
	rmdir(dir);
}

/* --- Merge and set --- */

static void test_merge(void **state)
{
	struct fixture *f = *state;
	struct conf_node *over;
	const char *text = "a: {x: 9, z: [1]}\nb: text\nc: {n: 1}\n";

	good(f, "a: {x: 1, y: 2}\nb: {k: v}\nd: 1\n");
	assert_int_equal(
		conf_parse("over.yaml", text, strlen(text), &f->arena, &f->diags, &over, &f->err),
		0);
	conf_merge(f->root, over, &f->arena);
	assert_int_equal(f->root->n, 4);
	assert_int_equal(at(f, "a")->n, 3);
	assert_string_equal(conf_get(at(f, "a"), "x")->text, "9");
	assert_string_equal(conf_get(at(f, "a"), "x")->place.file, "over.yaml");
	assert_string_equal(conf_get(at(f, "a"), "y")->text, "2");
	assert_string_equal(conf_get(at(f, "a"), "y")->place.file, "f.yaml");
	assert_text(f, "b", "text");
	assert_text(f, "d", "1");
	/* The overlay stays as it is. */
	assert_int_equal(conf_set(f->root, "c.n=2", &f->arena, &f->diags, &f->err), 0);
	assert_string_equal(conf_get(at(f, "c"), "n")->text, "2");
	assert_string_equal(conf_get(conf_get(over, "c"), "n")->text, "1");
	/* An empty overlay file changes nothing; one that is a list replaces, for the schema to
	 * say. */
	assert_int_equal(conf_parse("o", "", 0, &f->arena, &f->diags, &over, &f->err), 0);
	conf_merge(f->root, over, &f->arena);
	assert_int_equal(f->root->n, 4);
	assert_int_equal(conf_parse("o", "[1]", 3, &f->arena, &f->diags, &over, &f->err), 0);
	conf_merge(f->root, over, &f->arena);
	assert_int_equal(f->root->kind, CONF_LIST);
}

static void set(struct fixture *f, const char *assignment)
{
	if (conf_set(f->root, assignment, &f->arena, &f->diags, &f->err))
		fail_msg("%s: %s", assignment, f->err.text);
}

static void test_set(void **state)
{
	struct fixture *f = *state;
	const struct conf_node *node;

	good(f, "measure: {metric: wall}\noptions: {A.1: {env: {}}}\nx:\n");
	set(f, "measure.metric=user");
	node = conf_get(at(f, "measure"), "metric");
	assert_string_equal(node->text, "user");
	assert_string_equal(node->path, "measure.metric");
	assert_string_equal(node->place.file, "--set");
	assert_place(node->place, 0, 16);
	assert_place(node->key_place, 0, 9);
	assert_string_equal(node->source, "measure.metric=user");
	set(f, "measure.blocks={min: 4, max: [8]}");
	node = conf_get(conf_get(at(f, "measure"), "blocks"), "max");
	assert_string_equal(node->items[0]->text, "8");
	assert_string_equal(node->items[0]->path, "measure.blocks.max[0]");
	assert_place(node->items[0]->place, 0, 31);
	assert_string_equal(node->source, "measure.blocks={min: 4, max: [8]}");
	/* Missing maps are made, also below an empty value. */
	set(f, "new.deep.er=-O3 -g # x: y, [z]");
	node = conf_get(conf_get(at(f, "new"), "deep"), "er");
	assert_string_equal(node->text, "-O3 -g # x: y, [z]");
	assert_string_equal(node->path, "new.deep.er");
	set(f, "x.y=1");
	assert_string_equal(conf_get(at(f, "x"), "y")->text, "1");
	/* Keys with dots. */
	set(f, "options.A.1.env.V=2");
	assert_int_equal(at(f, "options")->n, 1);
	assert_string_equal(conf_get(conf_get(at(f, "options")->items[0], "env"), "V")->text, "2");
	set(f, "q=\"a=b\"");
	assert_text(f, "q", "a=b");
	set(f, "q='null'");
	assert_text(f, "q", "null");
	set(f, "q=null");
	assert_int_equal(at(f, "q")->kind, CONF_NULL);
	set(f, "q=");
	assert_int_equal(at(f, "q")->kind, CONF_NULL);
	assert_int_equal(f->diags.n, 0);
	/* Into an empty file. */
	good(f, "");
	set(f, "a.b=c");
	assert_string_equal(conf_get(at(f, "a"), "b")->text, "c");
}

static void bad_set(struct fixture *f, const char *assignment, enum err_code code, const char *text)
{
	assert_int_equal(conf_set(f->root, assignment, &f->arena, &f->diags, &f->err), -1);
	assert_int_equal(f->err.code, code);
	assert_string_equal(f->err.text, text);
}

static void test_set_errors(void **state)
{
	struct fixture *f = *state;

	good(f, "a: text\nl: [1]\n");
	bad_set(f, "a", E_USAGE, "--set a: not of the form FIELD=VALUE");
	bad_set(f, "=1", E_USAGE, "--set =1: not of the form FIELD=VALUE");
	bad_set(f, "a.b=1", E_CONFIG, "--set a.b=1: a is text, not a map");
	bad_set(f, "l.b=1", E_CONFIG, "--set l.b=1: l is a list, not a map");
	bad_set(f, "m..b=1", E_USAGE, "--set m..b=1: a part of the name is empty");
	bad_set(f, "m.=1", E_USAGE, "--set m.=1: a part of the name is empty");
	assert_int_equal(f->diags.n, 0);
	assert_int_equal(conf_set(f->root, "k=[1, {a: 1]", &f->arena, &f->diags, &f->err), -1);
	assert_int_equal(f->diags.n, 1);
	assert_string_equal(f->diags.items[0].file, "--set");
	assert_int_equal(f->diags.items[0].line, 0);
	assert_int_equal(f->diags.items[0].column, 12);
	assert_string_equal(f->diags.items[0].source, "k=[1, {a: 1]");
	assert_null(conf_get(f->root, "k"));
}

/* --- Messages at nodes --- */

static void test_messages(void **state)
{
	struct fixture *f = *state;
	const struct conf_node *node;

	good(f, "a:\n  b:\n    - x\n");
	node = conf_get(at(f, "a"), "b");
	conf_error(&f->diags, node, "expected a %s, got a list", "map");
	mistake(f, 0, 3, 5, "a.b: expected a map, got a list", NULL);
	assert_string_equal(f->diags.items[0].source, "    - x");
	conf_key_error(&f->diags, node, "unknown key");
	mistake(f, 1, 2, 3, "a.b: unknown key", NULL);
	assert_string_equal(f->diags.items[1].source, "  b:");
	conf_warning(&f->diags, f->root, "hm");
	mistake(f, 2, 1, 1, "hm", NULL);
	assert_int_equal(f->diags.errors, 2);
	assert_int_equal(f->diags.warnings, 1);
}

/* Foreign text cannot write on the terminal through messages, nor flood it. */
static void test_hostile_names(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	good(f, "\"a\\e[1mb\": {c: 1}\n");
	assert_null(strchr(f->root->items[0]->items[0]->path, '\033'));
	buf_adds(&text, "? ");
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "\xc3\xa9");
	buf_adds(&text, "\n: [a, b]\n");
	good(f, text.data);
	assert_in_range(strlen(f->root->items[0]->items[1]->path), 60, 100);
	assert_in_range(strlen(f->root->items[0]->key_source), 200, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_scalars, setup, teardown),
		cmocka_unit_test_setup_teardown(test_null_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lifetime, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_documents, setup, teardown),
		cmocka_unit_test_setup_teardown(test_anchors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_duplicates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_syntax, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_printed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_set, setup, teardown),
		cmocka_unit_test_setup_teardown(test_set_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
