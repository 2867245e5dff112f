/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line by option tables. What is written from the same tables: opt_doc.c. */
#include "config.h"

#include "core/base/opt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

struct parse {
	const struct opt_set *set;
	int argc;
	char **argv;
	int next; /* index of the argument that comes next */
	struct err *err;
};

/* An option found in one of the two tables. */
struct found {
	const struct opt *opt;
	char *to; /* its variable */
	bool negated;
};

static bool is_negation(const struct opt *opt, const char *name, size_t len)
{
	return opt->negatable && len > 3 && strncmp(name, "no-", 3) == 0 &&
	       strlen(opt->name) == len - 3 && strncmp(opt->name, name + 3, len - 3) == 0;
}

static bool find_in(const struct opt *opts, void *to, const char *name, size_t len, char short_name,
	struct found *ret)
{
	for (; opts && opts->name; opts++) {
		bool negated = name && is_negation(opts, name, len);
		bool same = name ? strlen(opts->name) == len && strncmp(opts->name, name, len) == 0
				 : opts->short_name == short_name;

		if (same || negated) {
			*ret = (struct found){opts, (char *)to + opts->offset, negated};
			return true;
		}
	}
	return false;
}

static bool find(
	const struct opt_set *set, const char *name, size_t len, char short_name, struct found *ret)
{
	return find_in(set->opts, set->to, name, len, short_name, ret) ||
	       find_in(set->common, set->common_to, name, len, short_name, ret);
}

/* --- Errors --- */

static void add_names(const struct opt *opts, struct opt_list *names)
{
	for (; opts && opts->name; opts++) {
		names->items = xreallocarray(names->items, names->n + 2, sizeof(*names->items));
		names->items[names->n++] = xasprintf("--%s", opts->name);
		if (opts->negatable)
			names->items[names->n++] = xasprintf("--no-%s", opts->name);
	}
}

static int unknown(const struct parse *p, const char *shown)
{
	struct opt_list names = {0};
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	AUTOFREE char *word = NULL;
	const char *near;

	add_names(p->set->opts, &names);
	add_names(p->set->common, &names);
	/* "-format" is meant as "--format". */
	word = xasprintf("%s%s",
		shown[0] == '-' && shown[1] != '-' && shown[1] && shown[2] ? "-" : "", shown);
	word[strcspn(word, "=")] = '\0';
	near = text_nearest(word, names.items, names.n);
	text_clean(&clean, shown, strcspn(shown, "="));
	err_set(p->err, E_USAGE, "unknown option \"%s\"", clean.data);
	if (near)
		err_help(p->err, "did you mean \"%s\"?", near);
	else
		err_help(p->err, "%s --help lists the options", p->set->usage->command);
	for (size_t i = 0; i < names.n; i++)
		free((char *)names.items[i]);
	free(names.items);
	return -1;
}

/* --- Values --- */

static int set_choice(
	const struct parse *p, const struct found *found, const char *shown, const char *value)
{
	const char *const *choices = found->opt->choices;
	CLEANUP(buf_release) struct buf list = BUF_INIT;
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	const char *near;
	size_t n = 0;

	for (; choices[n]; n++) {
		if (strcmp(choices[n], value) == 0) {
			*(const char **)found->to = choices[n];
			return 0;
		}
		buf_addf(&list, "%s%s", n == 0 ? "" : choices[n + 1] ? ", " : " or ", choices[n]);
	}
	text_clean(&clean, value, strlen(value));
	near = text_nearest(value, choices, n);
	err_set(p->err, E_USAGE, "%s: expected %s, got \"%s\"", shown, list.data, clean.data);
	return near ? err_help(p->err, "did you mean \"%s\"?", near) : -1;
}

static int set_number(
	const struct parse *p, const struct found *found, const char *shown, const char *value)
{
	struct why why = {{0}};
	uint64_t number;
	int64_t ns;

	if (found->opt->type == OPT_UINT) {
		if (num_uint(value, &number, &why))
			return err_set(p->err, E_USAGE, "%s: %s", shown, why.text);
		*(uint64_t *)found->to = number;
	} else {
		if (num_duration(value, &ns, &why))
			return err_set(p->err, E_USAGE, "%s: %s", shown, why.text);
		*(int64_t *)found->to = ns;
	}
	return 0;
}

static void list_add(struct opt_list *list, const char *item)
{
	list->items = xreallocarray(list->items, list->n + 1, sizeof(*list->items));
	list->items[list->n++] = item;
}

static int set_value(
	const struct parse *p, const struct found *found, const char *shown, const char *value)
{
	switch (found->opt->type) {
	case OPT_FLAG:
		*(bool *)found->to = !found->negated;
		return 0;
	case OPT_TEXT:
		*(const char **)found->to = value;
		return 0;
	case OPT_LIST:
		list_add((struct opt_list *)found->to, value);
		return 0;
	case OPT_UINT:
	case OPT_DURATION:
		return set_number(p, found, shown, value);
	case OPT_CHOICE:
		return set_choice(p, found, shown, value);
	}
	assert(!"an opt_type of its own");
	return -1;
}

/* The value that follows as an argument of its own. */
static int following(struct parse *p, const struct found *found, const char *shown)
{
	const char *arg = found->opt->arg;

	if (p->next >= p->argc)
		return err_set(p->err, E_USAGE, "%s needs a value%s%s", shown, arg ? ": " : "",
			arg ? arg : "");
	return set_value(p, found, shown, p->argv[p->next++]);
}

static int long_option(struct parse *p, const char *arg, bool *ret_help)
{
	size_t len = strcspn(arg + 2, "=");
	const char *value = arg[2 + len] == '=' ? arg + 2 + len + 1 : NULL;
	AUTOFREE char *shown = xstrndup(arg, 2 + len);
	struct found found;

	if (!find(p->set, arg + 2, len, 0, &found)) {
		if (strcmp(shown, "--help") != 0)
			return unknown(p, arg);
		*ret_help = true;
		return 0;
	}
	if (found.opt->type == OPT_FLAG) {
		if (value)
			return err_set(p->err, E_USAGE, "%s takes no value", shown);
		return set_value(p, &found, shown, NULL);
	}
	return value ? set_value(p, &found, shown, value) : following(p, &found, shown);
}

/* -v, -vq, -oFILE, -o FILE */
static int short_options(struct parse *p, const char *arg, bool *ret_help)
{
	for (const char *c = arg + 1; *c && !*ret_help; c++) {
		char shown[3] = {'-', *c, '\0'};
		struct found found;

		if (!find(p->set, NULL, 0, *c, &found)) {
			if (*c != 'h')
				return unknown(p, c == arg + 1 ? arg : shown);
			*ret_help = true;
		} else if (found.opt->type == OPT_FLAG) {
			if (set_value(p, &found, shown, NULL))
				return -1;
		} else {
			return c[1] ? set_value(p, &found, shown, c + 1)
				    : following(p, &found, shown);
		}
	}
	return 0;
}

static int check_arity(const struct parse *p, const struct opt_list *args)
{
	const struct opt_usage *usage = p->set->usage;
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	if (args->n < (size_t)usage->min_args) {
		err_set(p->err, E_USAGE, args->n ? "too few arguments" : "an argument is missing");
	} else if (usage->max_args >= 0 && args->n > (size_t)usage->max_args) {
		text_clean(
			&clean, args->items[usage->max_args], strlen(args->items[usage->max_args]));
		err_set(p->err, E_USAGE, "one argument too many: \"%s\"", clean.data);
	} else {
		return 0;
	}
	return err_help(p->err, "usage: %s%s%s%s", usage->command,
		usage->args && *usage->args ? " " : "", usage->args ? usage->args : "",
		p->set->opts || p->set->common ? " [OPTION]..." : "");
}

int opt_parse(const struct opt_set *set, int argc, char **argv, struct opt_list *ret_args,
	bool *ret_help, struct err *err)
{
	struct parse p = {.set = set, .argc = argc, .argv = argv, .next = 1, .err = err};
	struct opt_list args = {0};
	bool help = false, options = true;
	int bad = 0;

	while (!bad && !help && p.next < argc) {
		const char *arg = argv[p.next++];

		if (!options || arg[0] != '-' || !arg[1])
			list_add(&args, arg);
		else if (strcmp(arg, "--") == 0)
			options = false;
		else if (arg[1] == '-')
			bad = long_option(&p, arg, &help);
		else
			bad = short_options(&p, arg, &help);
	}
	if (!bad && !help)
		bad = check_arity(&p, &args);
	if (bad) {
		opt_list_release(&args);
		return -1;
	}
	*ret_args = args;
	*ret_help = help;
	return 0;
}

void opt_list_release(struct opt_list *list)
{
	free(list->items);
	*list = (struct opt_list){0};
}
