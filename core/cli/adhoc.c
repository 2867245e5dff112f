/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/adhoc.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/conf.h"
#include "core/base/text.h"
#include "core/cli/words.h"

#define PASS_WIDTH 96

extern char **environ;

void adhoc_name(size_t i, char to[16])
{
	if (i < 26)
		snprintf(to, 16, "%c", (char)('a' + i));
	else
		snprintf(to, 16, "c%zu", i + 1);
}

/* What YAML reads as the same text without quotes, also inside [ ]. */
static bool is_plain(const char *text)
{
	size_t n = strspn(
		text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=-");

	return n && !text[n] && !strchr("+=", text[0]) && strcmp(text, "null") != 0 &&
	       (text[0] != '-' || (text[1] && strncmp(text, "---", 3) != 0));
}

/* A text as YAML: a JSON string is a double-quoted scalar. Braces are no placeholders here. */
static int add_text(struct buf *to, const char *text, struct err *err)
{
	CLEANUP(buf_release) struct buf braced = BUF_INIT;
	json_t *string;
	char *quoted;

	if (is_plain(text)) {
		buf_adds(to, text);
		return 0;
	}
	for (const char *c = text; *c; c++) {
		buf_addc(&braced, *c);
		if (*c == '{' || *c == '}')
			buf_addc(&braced, *c);
	}
	string = json_string(braced.data);
	if (!string)
		return err_set(err, E_USAGE, "'%s' is not valid UTF-8", text);
	quoted = json_dumps(string, JSON_ENCODE_ANY);
	buf_adds(to, quoted);
	free(quoted);
	json_decref(string);
	return 0;
}

static int add_argv(struct buf *to, const char *command, struct err *err)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	const char *const *argv;
	size_t n;

	if (words_split(command, &arena, &argv, &n, err))
		return -1;
	buf_addc(to, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_adds(to, ", ");
		if (add_text(to, argv[i], err))
			return -1;
	}
	buf_addc(to, ']');
	return 0;
}

/* What a shell keeps for itself, different in each. */
static bool is_of_the_shell(const char *name)
{
	return !strcmp(name, "_") || !strcmp(name, "OLDPWD") || !strcmp(name, "SHLVL");
}

/* A measured command sees the environment that the user sees. */
static void add_pass(struct buf *to)
{
	size_t line = to->len;
	bool any = false;

	buf_adds(to, "pass: [");
	for (char **item = environ; *item; item++) {
		AUTOFREE char *name = xstrndup(*item, strcspn(*item, "="));

		if (!conf_is_name(name) || conf_is_reserved(name) || !strcmp(name, "LC_ALL") ||
			text_starts(name, "ASSAY_") || is_of_the_shell(name))
			continue;
		if (any)
			buf_addc(to, ',');
		if (to->len - line + strlen(name) > PASS_WIDTH) {
			buf_adds(to, "\n ");
			line = to->len - 1;
		}
		buf_addf(to, "%s%s", any ? " " : "", name);
		any = true;
	}
	buf_adds(to, "]\n");
}

/* A command measured against itself: the rows of an experiment must differ, so they get a variable
 * that nobody reads. */
static bool any_twice(const struct adhoc *adhoc)
{
	for (size_t i = 0; i < adhoc->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(adhoc->commands[i], adhoc->commands[k]))
				return true;
		}
	}
	return false;
}

static int add_commands(const struct adhoc *adhoc, struct buf *to, struct err *err)
{
	bool twice = any_twice(adhoc);

	buf_adds(to, "options:\n");
	for (size_t i = 0; i < adhoc->n; i++) {
		char name[16];

		adhoc_name(i, name);
		buf_addf(to, "  %s: {args: ", name);
		if (add_argv(to, adhoc->commands[i], err))
			return -1;
		buf_addf(to, twice ? ", env: {ASSAY_COMMAND: %s}}\n" : "}\n", name);
	}
	return 0;
}

static void add_matrix(const struct adhoc *adhoc, struct buf *to)
{
	buf_adds(to, "matrix: {sets: [");
	for (size_t i = 0; i < adhoc->n; i++) {
		char name[16];

		adhoc_name(i, name);
		buf_addf(to, "%s%s", i ? ", " : "", name);
	}
	buf_adds(to, "], baseline: a}\n");
}

int adhoc_descriptor(const struct adhoc *adhoc, struct buf *to, struct err *err)
{
	buf_addf(to,
		"# Commands compared by assay measure. 'assay run' measures them again, 'assay "
		"report'\n"
		"# shows the newest runs. Nothing is built.\n"
		"schema: 1\nname: %s\ntitle: commands compared\n",
		adhoc->name);
	if (add_commands(adhoc, to, err))
		return -1;
	buf_adds(to, "workloads:\n  command:\n    run: [\"{args}\"]\n    cwd: ");
	if (!adhoc->cwd)
		buf_adds(to, "\"{here}\"");
	else if (add_text(to, adhoc->cwd, err))
		return -1;
	buf_adds(to, adhoc->ignore_failure ? "\n    check: [{exit: any}]\n" : "\n");
	add_matrix(adhoc, to);
	buf_adds(to, "measure: {metric: ");
	if (add_text(to, adhoc->metric, err))
		return -1;
	buf_adds(to, ", difference: ");
	if (add_text(to, adhoc->difference, err))
		return -1;
	buf_addf(to, ", blocks: %llu, warmup: %llu}\n", (unsigned long long)adhoc->blocks,
		(unsigned long long)adhoc->warmup);
	buf_adds(to, "# What the commands see of the environment:\n");
	add_pass(to);
	return 0;
}
