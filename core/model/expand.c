/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/base/vec.h"

void bindings_release(struct bindings *bindings)
{
	for (size_t i = 0; i < bindings->n; i++)
		free(bindings->items[i].items);
	free(bindings->items);
	*bindings = (struct bindings){0};
}

static struct binding *add_binding(
	struct bindings *bindings, const char *name, const char *const *items, size_t n)
{
	struct binding *binding = NULL;

	/* A later binding of one name replaces the earlier one. */
	for (size_t i = 0; i < bindings->n && !binding; i++) {
		if (!strcmp(bindings->items[i].name, name)) {
			binding = &bindings->items[i];
			free(binding->items);
		}
	}
	if (!binding)
		binding = vec_push(bindings);
	*binding = (struct binding){.name = name, .n = n, .joiner = ' '};
	binding->items = xcalloc(n + 1, sizeof(*binding->items));
	for (size_t i = 0; i < n; i++)
		binding->items[i] = items[i];
	return binding;
}

void bindings_text(struct bindings *bindings, const char *name, const char *value)
{
	add_binding(bindings, name, &value, 1);
}

void bindings_list(struct bindings *bindings, const char *name, const char *const *items, size_t n,
	bool joined_safe, char joiner)
{
	struct binding *binding = add_binding(bindings, name, items, n);

	binding->is_list = true;
	binding->joined_safe = joined_safe;
	binding->joiner = joiner;
}

/*
 * One step through a template. Returns what stands at *at and moves behind it:
 * a run of plain text, a doubled brace (one character of plain text), a placeholder, or the end.
 */
enum piece {
	PIECE_END,
	PIECE_TEXT,
	PIECE_NAME,
	PIECE_BAD
};

static enum piece next_piece(
	const char **at, const char **ret, size_t *ret_len, char *why, size_t why_size)
{
	const char *p = *at;
	size_t len;

	if (!*p)
		return PIECE_END;
	if ((p[0] == '{' && p[1] == '{') || (p[0] == '}' && p[1] == '}')) {
		*ret = p;
		*ret_len = 1;
		*at = p + 2;
		return PIECE_TEXT;
	}
	if (*p == '}') {
		snprintf(why, why_size, "a '}' without '{' before it; write '}}' for a brace");
		return PIECE_BAD;
	}
	if (*p != '{') {
		len = strcspn(p, "{}");
		*ret = p;
		*ret_len = len;
		*at = p + len;
		return PIECE_TEXT;
	}
	len = strcspn(p + 1, "{}");
	if (p[1 + len] != '}') {
		snprintf(why, why_size, "a '{' without '}' behind it; write '{{' for a brace");
		return PIECE_BAD;
	}
	for (size_t i = 0; i < len; i++) {
		char c = p[1 + i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
			strchr("_.:-", c))
			continue;
		len = 0;
		break;
	}
	if (!len) {
		snprintf(why, why_size, "'%.*s' is no placeholder; write '{{' and '}}' for braces",
			text_cut(p, 40), p);
		return PIECE_BAD;
	}
	*ret = p + 1;
	*ret_len = len;
	*at = p + len + 2;
	return PIECE_NAME;
}

bool expand_scan(const char *text, void (*fn)(void *ctx, const char *name, size_t len), void *ctx,
	char *why, size_t why_size)
{
	const char *piece;
	size_t len;

	for (;;) {
		switch (next_piece(&text, &piece, &len, why, why_size)) {
		case PIECE_END:
			return true;
		case PIECE_BAD:
			return false;
		case PIECE_NAME:
			if (fn)
				fn(ctx, piece, len);
			break;
		case PIECE_TEXT:
			break;
		}
	}
}

static const struct binding *find_binding(
	const struct bindings *bindings, const char *name, size_t len)
{
	for (size_t i = 0; i < bindings->n; i++) {
		const struct binding *binding = &bindings->items[i];

		if (!strncmp(binding->name, name, len) && !binding->name[len])
			return binding;
	}
	return NULL;
}

static int unknown_placeholder(
	const struct bindings *bindings, const char *name, size_t len, struct err *err)
{
	CLEANUP(buf_release) struct buf known = BUF_INIT;
	AUTOFREE char *word = xstrndup(name, len);
	const char **names = xcalloc(bindings->n + 1, sizeof(*names));
	const char *near;

	for (size_t i = 0; i < bindings->n; i++) {
		names[i] = bindings->items[i].name;
		buf_addf(&known, "%s{%s}", i ? " " : "", names[i]);
	}
	near = text_nearest(word, names, bindings->n);
	free(names);
	err_set(err, E_CONFIG, "unknown placeholder '{%s}'", word);
	if (near)
		err_help(err, "did you mean '{%s}'?", near);
	else
		err_help(err, "known here: %s {env:NAME}", known.data);
	return -1;
}

#define SAFE_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+:,/@%-"

bool expand_joinable(char c)
{
	return c && strchr(SAFE_CHARS, c);
}

/* The first '=' joins a name and its value ("-DA=1") and is let through. */
static bool is_safe(const char *s)
{
	s += strspn(s, SAFE_CHARS);
	if (*s == '=')
		s++;
	return s[strspn(s, SAFE_CHARS)] == '\0';
}

static int add_joined(struct buf *to, const struct binding *binding, struct err *err)
{
	for (size_t i = 0; i < binding->n; i++) {
		const char *item = binding->items[i];

		if (binding->joined_safe && !is_safe(item)) {
			err_set(err, E_CONFIG,
				"'%s' cannot be joined into a text, since the reader could not "
				"tell "
				"where it ends",
				item);
			return err_help(err, "make '{%s}' an argument of its own", binding->name);
		}
		if (i)
			buf_addc(to, binding->joiner);
		buf_adds(to, item);
	}
	return 0;
}

static int add_env(struct buf *to, const char *name, size_t len, struct err *err)
{
	AUTOFREE char *key = xstrndup(name, len);
	const char *value = getenv(key);

	if (!value) {
		err_set(err, E_CONFIG, "'{env:%s}': the environment variable %s is not set", key,
			key);
		return err_help(err, "export %s before calling assay", key);
	}
	buf_adds(to, value);
	return 0;
}

static int expand_to(
	const char *text, const struct bindings *bindings, struct buf *to, struct err *err)
{
	const char *piece;
	char why[160];
	size_t len;

	for (;;) {
		const struct binding *binding;

		switch (next_piece(&text, &piece, &len, why, sizeof(why))) {
		case PIECE_END:
			return 0;
		case PIECE_BAD:
			return err_set(err, E_CONFIG, "%s", why);
		case PIECE_TEXT:
			buf_add(to, piece, len);
			break;
		case PIECE_NAME:
			if (len > 4 && !strncmp(piece, "env:", 4)) {
				if (add_env(to, piece + 4, len - 4, err))
					return -1;
				break;
			}
			binding = find_binding(bindings, piece, len);
			if (!binding)
				return unknown_placeholder(bindings, piece, len, err);
			if (add_joined(to, binding, err))
				return -1;
			break;
		}
	}
}

int expand_text(const char *text, const struct bindings *bindings, struct arena *arena,
	const char **ret, struct err *err)
{
	CLEANUP(buf_release) struct buf to = BUF_INIT;

	if (expand_to(text, bindings, &to, err))
		return -1;
	*ret = arena_strndup(arena, to.data, to.len);
	return 0;
}

/* The list that an argv element stands for when it is exactly "{LIST}", else NULL. */
static const struct binding *spliced(const char *element, const struct bindings *bindings)
{
	size_t len = strlen(element);
	const struct binding *binding;

	if (len < 3 || element[0] != '{' || element[len - 1] != '}' || element[1] == '{')
		return NULL;
	binding = find_binding(bindings, element + 1, len - 2);
	return binding && binding->is_list ? binding : NULL;
}

int expand_argv(const char *const *argv, const struct bindings *bindings, struct arena *arena,
	const char *const **ret, struct err *err)
{
	VEC(const char *) out = VEC_INIT;
	int rc = 0;

	for (; *argv && !rc; argv++) {
		const struct binding *list = spliced(*argv, bindings);

		if (list) {
			for (size_t i = 0; i < list->n; i++)
				*vec_push(&out) = arena_strdup(arena, list->items[i]);
		} else {
			rc = expand_text(*argv, bindings, arena, vec_push(&out), err);
		}
	}
	if (!rc) {
		*vec_push(&out) = NULL;
		*ret = arena_memdup(arena, out.items, out.n * sizeof(*out.items));
	}
	vec_release(&out);
	return rc;
}
