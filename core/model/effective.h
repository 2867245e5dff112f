/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one row amounts to: all active payloads put together. Used by the planner only. */
#ifndef ASSAY_MODEL_EFFECTIVE_H
#define ASSAY_MODEL_EFFECTIVE_H

#include "core/model/plan.h"

struct effective {
	const char **picks;
	size_t n_picks;
	const struct patch **patches;
	int *patch_options;
	size_t n_patches;
	const struct edit **edits;
	int *edit_options;
	size_t n_edits;
	struct conf_pairs defines; /* sorted by name */
	struct named_value *vars;
	size_t n_vars;
	struct conf_pairs build_env;
	const char **features;
	size_t n_features;
	const char **rustflags;
	size_t n_rustflags;
	struct conf_pairs env; /* value NULL = unset */
	const char **args;
	size_t n_args;
};

/* Two owners of one key with different values (what: "define", "set", "build_env", "env"). Owners
 * are indices of options, or n_options + index of an axis. */
struct clash {
	const char *what, *key;
	int first, second;
	const struct conf_node *node; /* of the second */
};

/* axis_values per declared axis, NULL = not crossed. Arrays live in the arena; texts are the
 * descriptor's or the arena's. Options before axes; an axis's env goes over an option's. */
void effective_make(const struct descriptor *descriptor, const struct workload *workload,
	const uint8_t *levels, const char *const *axis_values, struct arena *arena,
	void (*on_clash)(void *ctx, const struct clash *clash), void *ctx, struct effective *ret);

#endif
