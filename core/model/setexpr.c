/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/setexpr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

struct expression {
	const struct option *options;
	size_t n_options;
	const char *text; /* as written, for messages */
	uint8_t *levels;
	bool *named; /* options that a term named with a level of its own */
	struct err *err;
};

static const struct {
	const char *word;
	enum set_kind kind;
} words[] = {
	{"each", SET_EACH},
	{"all-each", SET_ALL_EACH},
	{"cumulative", SET_CUMULATIVE},
	{"full", SET_FULL},
	{"half", SET_HALF},
};

static char *without_blanks(const char *text)
{
	char *to = xstrdup(text), *out = to;

	for (const char *s = text; *s; s++) {
		if (*s != ' ' && *s != '\t')
			*out++ = *s;
	}
	*out = '\0';
	return to;
}

enum set_kind setexpr_kind(const char *text)
{
	AUTOFREE char *word = without_blanks(text);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i].word))
			return words[i].kind;
	}
	return SET_ONE;
}

/* --- Constraints ----------------------------------------------------------------------------- */

bool atom_holds(const struct atom *atom, const uint8_t *levels)
{
	return atom->level < 0 ? levels[atom->option] != 0
			       : levels[atom->option] == (uint8_t)atom->level;
}

static const char *atom_text(
	const struct option *options, const struct atom *atom, char *to, size_t size)
{
	const struct option *option = &options[atom->option];

	if (atom->level < 0)
		return option->name;
	snprintf(to, size, "%s=%s", option->name, option->levels[atom->level].name);
	return to;
}

bool options_hold(const struct option *options, size_t n_options, const uint8_t *levels, char *why,
	size_t why_size)
{
	char text[128];

	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &options[i];

		for (size_t k = 0; levels[i] && k < option->n_requires; k++) {
			if (atom_holds(&option->requires[k], levels))
				continue;
			if (why)
				snprintf(why, why_size, "%s requires %s", option->name,
					atom_text(
						options, &option->requires[k], text, sizeof(text)));
			return false;
		}
		for (size_t k = 0; levels[i] && k < option->n_conflicts; k++) {
			if (!atom_holds(&option->conflicts[k], levels))
				continue;
			if (why)
				snprintf(why, why_size, "%s conflicts with %s", option->name,
					atom_text(options, &option->conflicts[k], text,
						sizeof(text)));
			return false;
		}
	}
	return true;
}

/* Why option at its default level cannot join what is taken already; false = it can. */
static bool cannot_join(const struct option *options, size_t n_options, const uint8_t *levels,
	size_t at, char *why, size_t size)
{
	AUTOFREE uint8_t *with = xcalloc(n_options, 1);
	const struct option *option = &options[at];
	char text[128];

	for (size_t k = 0; k < option->n_requires; k++) {
		const struct atom *atom = &option->requires[k];

		if (atom_holds(atom, levels))
			continue;
		snprintf(why, size, "requires %s%s", atom_text(options, atom, text, sizeof(text)),
			(size_t)atom->option > at ? ", which is declared after it" : "");
		return true;
	}
	for (size_t k = 0; k < option->n_conflicts; k++) {
		const struct atom *atom = &option->conflicts[k];

		if (!atom_holds(atom, levels))
			continue;
		snprintf(why, size, "conflicts with %s",
			atom_text(options, atom, text, sizeof(text)));
		return true;
	}
	memcpy(with, levels, n_options);
	with[at] = (uint8_t)option->default_level;
	return !options_hold(options, n_options, with, why, size);
}

void variant_all(
	const struct option *options, size_t n_options, uint8_t *levels, struct buf *left_out)
{
	char why[256];

	memset(levels, 0, n_options);
	for (size_t i = 0; i < n_options; i++) {
		if (!cannot_join(options, n_options, levels, i, why, sizeof(why)))
			levels[i] = (uint8_t)options[i].default_level;
		else if (left_out)
			buf_addf(left_out, "%s (%s)\n", options[i].name, why);
	}
}

void variant_with(
	const struct option *options, size_t n_options, int option, int level, uint8_t *levels)
{
	levels[option] = (uint8_t)level;
	for (size_t k = 0; k < options[option].n_requires; k++) {
		const struct atom *atom = &options[option].requires[k];

		if (!atom_holds(atom, levels))
			variant_with(options, n_options, atom->option,
				atom->level < 0 ? options[atom->option].default_level : atom->level,
				levels);
	}
}

void variant_name(
	const struct option *options, size_t n_options, const uint8_t *levels, struct buf *to)
{
	bool any = false;

	for (size_t i = 0; i < n_options; i++) {
		if (!levels[i])
			continue;
		if (any)
			buf_addc(to, '+');
		buf_adds(to, options[i].name);
		if (options[i].n_levels > 2) {
			buf_addc(to, '=');
			buf_adds(to, options[i].levels[levels[i]].name);
		}
		any = true;
	}
	if (!any)
		buf_adds(to, "none");
}

/* --- Expressions ----------------------------------------------------------------------------- */

static int unknown_option(struct expression *x, const char *name)
{
	const char **names = xcalloc(x->n_options + 3, sizeof(*names));
	CLEANUP(buf_release) struct buf known = BUF_INIT;
	const char *near;
	size_t n = 0;

	for (; n < x->n_options; n++)
		names[n] = x->options[n].name;
	names[n++] = "none";
	names[n++] = "all";
	near = text_nearest(name, names, n);
	for (size_t i = 0; i < n; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	free(names);
	err_set(x->err, E_CONFIG, "unknown option '%s' in the set '%s'", name, x->text);
	return near ? err_help(x->err, "did you mean '%s'?", near)
		    : err_help(x->err, "known: %s", known.data);
}

static int unknown_level(struct expression *x, const struct option *option, const char *name)
{
	CLEANUP(buf_release) struct buf known = BUF_INIT;

	for (int i = 0; i < option->n_levels; i++)
		buf_addf(&known, " %s", option->levels[i].name);
	err_set(x->err, E_CONFIG, "'%s' has no level '%s' in the set '%s'", option->name, name,
		x->text);
	return err_help(x->err, "there are:%s", known.data);
}

static int apply_option(struct expression *x, char *name, bool remove)
{
	char *equals = strchr(name, '=');
	const struct option *option;
	int level;
	size_t i = 0;

	if (equals)
		*equals = '\0';
	while (i < x->n_options && strcmp(x->options[i].name, name))
		i++;
	if (i == x->n_options)
		return unknown_option(x, name);
	option = &x->options[i];
	level = option->default_level;
	if (equals) {
		level = option_level(option, equals + 1);
		if (level < 0 && !strcmp(equals + 1, "off"))
			level = 0;
		if (level < 0)
			return unknown_level(x, option, equals + 1);
	}
	if (remove) {
		if (!equals || x->levels[i] == (uint8_t)level)
			x->levels[i] = 0;
		return 0;
	}
	if (equals && x->named[i] && x->levels[i] != (uint8_t)level)
		return err_set(
			x->err, E_CONFIG, "'%s' has two levels in the set '%s'", name, x->text);
	x->named[i] |= equals != NULL;
	x->levels[i] = (uint8_t)level;
	return 0;
}

static int apply_term(struct expression *x, char *term, bool remove)
{
	AUTOFREE uint8_t *all = NULL;

	if (!strcmp(term, "none"))
		return 0;
	if (!strcmp(term, "all")) {
		all = xcalloc(x->n_options + 1, 1);
		variant_all(x->options, x->n_options, all, NULL);
		for (size_t i = 0; i < x->n_options; i++) {
			if (all[i])
				x->levels[i] = remove ? 0 : all[i];
		}
		return 0;
	}
	if (!strcmp(term, "tree"))
		return err_set(
			x->err, E_CONFIG, "'tree' stands alone, not in a set like '%s'", x->text);
	if (setexpr_kind(term) != SET_ONE)
		return err_set(x->err, E_CONFIG, "'%s' stands alone, not in a set like '%s'", term,
			x->text);
	return apply_option(x, term, remove);
}

static int apply_terms(struct expression *x, char *at)
{
	bool remove = false;

	for (;;) {
		size_t len = strcspn(at, "+-");
		char sign = at[len];

		at[len] = '\0';
		if (!len)
			return err_set(
				x->err, E_CONFIG, "a name is missing in the set '%s'", x->text);
		if (apply_term(x, at, remove))
			return -1;
		if (!sign)
			return 0;
		remove = sign == '-';
		at += len + 1;
	}
}

static int check_constraints(struct expression *x)
{
	char why[256];

	if (options_hold(x->options, x->n_options, x->levels, why, sizeof(why)))
		return 0;
	err_set(x->err, E_CONFIG, "the set '%s' breaks a constraint: %s", x->text, why);
	return err_help(x->err, "a set holds what it names and nothing else: add what is required, "
				"take out what conflicts");
}

int setexpr_row(const struct option *options, size_t n_options, const char *text, uint8_t *levels,
	struct err *err)
{
	AUTOFREE uint8_t *own = xcalloc(n_options + 1, 1);
	AUTOFREE bool *named = xcalloc(n_options + 1, sizeof(*named));
	AUTOFREE char *work = without_blanks(text);
	struct expression x = {options, n_options, text, own, named, err};

	if (setexpr_kind(text) != SET_ONE) {
		err_set(err, E_CONFIG, "'%s' gives more than one variant; one is needed here",
			text);
		return err_help(err, "write for instance none, all, tree or A+B");
	}
	if (!strcmp(work, "tree")) {
		for (size_t i = 0; i < n_options; i++)
			own[i] = (uint8_t)options[i].tree_level;
	} else if (apply_terms(&x, work)) {
		return -1;
	}
	if (check_constraints(&x))
		return -1;
	if (n_options)
		memcpy(levels, own, n_options);
	return 0;
}

int setexpr_check(const struct option *options, size_t n_options, const char *text, struct err *err)
{
	AUTOFREE uint8_t *levels = xcalloc(n_options + 1, 1);

	if (setexpr_kind(text) != SET_ONE)
		return 0;
	return setexpr_row(options, n_options, text, levels, err);
}
