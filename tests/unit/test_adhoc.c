/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors out of commands: each is read back, and says what was typed. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/cli/adhoc.h"
#include "core/model/descriptor.h"
#include "core/model/expand.h"
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

static const struct adhoc plain = {.name = "measure",
	.cwd = "/",
	.blocks = 10,
	.warmup = 1,
	.difference = "1%",
	.metric = "wall"};

static struct descriptor *load(const struct adhoc *adhoc)
{
	AUTOFREE char *path = path_join(dir, "measure.yaml");
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct descriptor *descriptor;
	struct err err;

	if (adhoc_descriptor(adhoc, &text, &err) || fs_write(path, text.data, text.len, 0, &err))
		fail_msg("%s", err.text);
	if (descriptor_load(path, NULL, 0, &diags, &descriptor, &err)) {
		diags_print(&diags, stderr, false);
		fail_msg("%s\n%s", err.text, text.data);
	}
	assert_int_equal(diags.n, 0);
	return descriptor;
}

/* The argv of a list, braces taken back, as "[a][b c]". */
static void assert_argv(const char *const *argv, const char *expected)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	CLEANUP(buf_release) struct buf shown = BUF_INIT;
	struct bindings none = {0};
	const char *const *expanded;
	struct err err;

	if (expand_argv(argv, &none, &arena, &expanded, &err))
		fail_msg("%s", err.text);
	for (; *expanded; expanded++)
		buf_addf(&shown, "[%s]", *expanded);
	assert_string_equal(shown.data, expected);
}

static void test_one_command(void **state)
{
	const char *commands[] = {"sort -n 'a file' {x} {{y}}"};
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;

	(void)state;
	adhoc.commands = commands;
	adhoc.n = 1;
	descriptor = load(&adhoc);
	assert_int_equal(descriptor->n_options, 1);
	assert_int_equal(descriptor->n_workloads, 1);
	assert_string_equal(descriptor->matrix.baseline, "a");
	assert_argv(
		descriptor->options[0].levels[1].payload.args, "[sort][-n][a file][{x}][{{y}}]");
	assert_int_equal(descriptor->matrix.sets.n, 1);
	assert_int_equal(descriptor->measure.blocks_min, 10);
	assert_int_equal(descriptor->measure.blocks_max, 10);
	assert_int_equal(descriptor->measure.warmup, 1);
}

static void test_several_commands(void **state)
{
	const char *commands[] = {"./old --mode=x",
		"./new \"say \\\"hi\\\"\" '\xc3\xa9: #- [a] , &b'", "sh -c 'a | b > c; d \"$e\"'"};
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;
	const struct option *option;

	(void)state;
	adhoc.commands = commands;
	adhoc.n = 3;
	descriptor = load(&adhoc);
	assert_int_equal(descriptor->n_options, 3);
	option = descriptor->options;
	assert_string_equal(option[0].name, "a");
	assert_argv(option[0].levels[1].payload.args, "[./old][--mode=x]");
	assert_argv(option[1].levels[1].payload.args, "[./new][say \"hi\"][\xc3\xa9: #- [a] , &b]");
	assert_argv(option[2].levels[1].payload.args, "[sh][-c][a | b > c; d \"$e\"]");
	assert_int_equal(descriptor->matrix.sets.n, 3);
}

/* What is written without quotes must read back as the same text. */
static void test_words_that_yaml_could_mistake(void **state)
{
	const char *commands[] = {"null",
		"x - --- -- -u 'true' 1e3 0x10 off a=b =c +d 'a: b' '#x' '' 'x,y' ... . / '*' "
		"'&a' '!t' '%y' '@z' '~' \"'\""};
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;

	(void)state;
	adhoc.commands = commands;
	adhoc.n = 2;
	descriptor = load(&adhoc);
	assert_argv(descriptor->options[0].levels[1].payload.args, "[null]");
	assert_argv(descriptor->options[1].levels[1].payload.args,
		"[x][-][---][--][-u][true][1e3][0x10][off][a=b][=c][+d][a: "
		"b][#x][][x,y][...][.][/][*]"
		"[&a][!t][%y][@z][~][']");
}

static void test_many_commands(void **state)
{
	const char *commands[30];
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;
	char level[16];

	(void)state;
	for (size_t i = 0; i < 30; i++)
		commands[i] = "true";
	adhoc.commands = commands;
	adhoc.n = 30;
	descriptor = load(&adhoc);
	assert_int_equal(descriptor->n_options, 30);
	for (size_t i = 0; i < 30; i++) {
		adhoc_name(i, level);
		assert_string_equal(descriptor->options[i].name, level);
	}
	assert_string_equal(level, "c30");
}

static void test_settings(void **state)
{
	const char *commands[] = {"true"};
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;

	(void)state;
	adhoc.commands = commands;
	adhoc.n = 1;
	adhoc.cwd = "/odd {place}: #1";
	adhoc.blocks = 3;
	adhoc.warmup = 0;
	adhoc.difference = "5 ms";
	adhoc.metric = "user";
	adhoc.ignore_failure = true;
	descriptor = load(&adhoc);
	assert_string_equal(descriptor->workloads[0].cwd, "/odd {{place}}: #1");
	assert_int_equal(descriptor->measure.blocks_min, 3);
	assert_int_equal(descriptor->measure.warmup, 0);
	assert_false(descriptor->measure.difference.relative);
	assert_string_equal(descriptor->measure.metric, "user");
	assert_int_equal(descriptor->workloads[0].checks.n, 1);
	assert_true(descriptor->workloads[0].checks.items[0].exit_any);
}

/* The environment of the user is passed on, but not what steers assay or the locale. */
static void test_pass(void **state)
{
	const char *commands[] = {"true"};
	struct adhoc adhoc = plain;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;
	bool mine = false;

	(void)state;
	setenv("ASSAY_TEST_MINE", "1", 1);
	setenv("TEST_MINE", "1", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("none", "1", 1); /* a reserved word is no name */
	adhoc.commands = commands;
	adhoc.n = 1;
	descriptor = load(&adhoc);
	for (size_t i = 0; i < descriptor->pass.n; i++) {
		assert_string_not_equal(descriptor->pass.items[i], "ASSAY_TEST_MINE");
		assert_string_not_equal(descriptor->pass.items[i], "LC_ALL");
		mine |= !strcmp(descriptor->pass.items[i], "TEST_MINE");
	}
	assert_true(mine);
	unsetenv("none");
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *command, *expected;
	} cases[] = {
		{"a | b", "needs a shell"},
		{"a 'b", "not closed"},
		{"", "an empty command"},
		{"a \xff", "not valid UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t n = 1; n < 3; n++) {
			const char *commands[] = {cases[i].command, "true"};
			CLEANUP(buf_release) struct buf text = BUF_INIT;
			struct adhoc adhoc = plain;
			struct err err;

			adhoc.commands = commands;
			adhoc.n = n;
			assert_int_equal(adhoc_descriptor(&adhoc, &text, &err), -1);
			assert_int_equal(err.code, E_USAGE);
			assert_non_null(strstr(err.text, cases[i].expected));
		}
	}
}

/* What is typed for a setting cannot become another one. */
static void test_no_injection(void **state)
{
	const char *commands[] = {"true"};
	struct adhoc adhoc = plain;
	AUTOFREE char *path = path_join(dir, "bad.yaml");
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct descriptor *descriptor;
	struct err err;

	(void)state;
	adhoc.commands = commands;
	adhoc.n = 1;
	adhoc.difference = "1%, seed: 5";
	adhoc.metric = "wall\", seed: 6, order: \"fixed";
	assert_int_equal(adhoc_descriptor(&adhoc, &text, &err), 0);
	assert_int_equal(fs_write(path, text.data, text.len, 0, &err), 0);
	assert_int_equal(descriptor_load(path, NULL, 0, &diags, &descriptor, &err), -1);
	assert_int_equal(diags.errors, 2);
	assert_non_null(strstr(diags.items[0].message, "seed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_command),
		cmocka_unit_test(test_several_commands),
		cmocka_unit_test(test_words_that_yaml_could_mistake),
		cmocka_unit_test(test_many_commands),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_pass),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_no_injection),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir) != 0;
}
