/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one predicate language of exclude, --where and report filters (doc/descriptor.md). */
#ifndef ASSAY_MODEL_PREDICATE_H
#define ASSAY_MODEL_PREDICATE_H

#include "core/base/arena.h"
#include "core/base/err.h"

/* What the names of a predicate mean where it is used. */
struct predicate_world {
	void *ctx;
	/* Value of a key for the thing at hand; NULL = the key has no value here (no comparison
	 * with it holds, != does). Options answer their level ("off" when off). */
	const char *(*get)(void *ctx, const char *key);
	/* Bare NAME test: option not off. */
	bool (*active)(void *ctx, const char *name);
	/* `set == "all-each"`: is it a row of that set expression? */
	bool (*in_set)(void *ctx, const char *set_text);
	/* predicate_decide only: is the value of this key settled yet? NULL = all are. Asked with
	 * "set" for tests on sets, with the option's name for bare tests. */
	bool (*known)(void *ctx, const char *key);
};

/* Names known when it is parsed: unknown keys and levels are errors with a suggestion. */
struct predicate_names {
	const char *const *keys; /* all allowed keys, options and axes included */
	size_t n_keys;
	const char *const *options; /* allowed as a bare test */
	size_t n_options;
	/* Allowed values of a key, NULL-terminated, or NULL when anything goes. */
	const char *const *(*values)(void *ctx, const char *key);
	void *ctx;
};

struct predicate; /* in the arena */
/* E_CONFIG with the text, "column N" and a suggestion. Strings of names are not kept. A key that
 * the language knows but names does not (status in a descriptor) is refused with that reason. */
int predicate_parse(const char *text, const struct predicate_names *names, struct arena *arena,
	struct predicate **ret, struct err *err) MUST_CHECK;
bool predicate_holds(const struct predicate *predicate, const struct predicate_world *world);

/* The same while some keys are open: TRUTH_OPEN when the answer still depends on them. Lets the
 * planner leave whole branches of a product out. */
enum truth {
	TRUTH_FALSE,
	TRUTH_TRUE,
	TRUTH_OPEN
};
enum truth predicate_decide(const struct predicate *predicate, const struct predicate_world *world);

/* Calls fn for every key (or bare name) in the predicate. */
void predicate_keys(
	const struct predicate *predicate, void (*fn)(void *ctx, const char *key), void *ctx);

#endif
