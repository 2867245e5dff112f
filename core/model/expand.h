/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Placeholders `{NAME}` in argv lists and texts (doc/descriptor.md).
 *
 * An argv element that is exactly `{LIST}`, `{defines}` or `{args}` becomes several elements;
 * inside an element a list is joined by blanks (`{features}` by commas), and then values outside
 * [A-Za-z0-9_.+:,/@%-] are refused. `{{` and `}}` are braces.
 */
#ifndef ASSAY_MODEL_EXPAND_H
#define ASSAY_MODEL_EXPAND_H

#include "core/model/descriptor.h"

/* One name and what it stands for. */
struct binding {
	const char *name; /* without braces: "tree", "bin.prover", "defines", "define:A" */
	const char **items;
	size_t n;
	bool is_list;     /* may be spliced */
	bool joined_safe; /* refuse odd characters when joined inside an element */
	char joiner;      /* ' ' or ',' */
};

struct bindings {
	struct binding *items;
	size_t n, cap;
};

/* Names and texts are borrowed, arrays are copied. A name that is bound again is replaced. */
void bindings_release(struct bindings *bindings);
void bindings_text(struct bindings *bindings, const char *name, const char *value);
void bindings_list(struct bindings *bindings, const char *name, const char *const *items, size_t n,
	bool joined_safe, char joiner);

/* All results live in the arena. Unknown placeholder: E_CONFIG naming it and the known ones.
 * `{env:NAME}` is answered from assay's own environment. */
int expand_text(const char *text, const struct bindings *bindings, struct arena *arena,
	const char **ret, struct err *err) MUST_CHECK;
int expand_argv(const char *const *argv, const struct bindings *bindings, struct arena *arena,
	const char *const **ret, struct err *err) MUST_CHECK;
/* Calls fn for every placeholder name in a text (for checks and for finding used vars); false when
 * the braces do not match, with why. */
bool expand_scan(const char *text, void (*fn)(void *ctx, const char *name, size_t len), void *ctx,
	char *why, size_t why_size);
/* May the character stand in a value that is joined into a text? */
bool expand_joinable(char c);

#endif
