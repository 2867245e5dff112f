/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pick, patch or edit: what apply.c and apply_check.c share. */
#ifndef ASSAY_ENGINE_APPLY_ITEM_H
#define ASSAY_ENGINE_APPLY_ITEM_H

#include "core/engine/apply.h"

struct apply_item { /* exactly one is set */
	const char *pick;
	const struct patch *patch;
	const struct edit *edit;
};

struct apply_place {
	struct launcher *launcher;
	const struct descriptor *descriptor;
	const struct state *state;
	const char *tree;
};

char *apply_item_name(const struct apply_item *item); /* "patch b1.patch", owned */
int apply_item(const struct apply_place *place, const struct apply_item *item, struct err *err)
	MUST_CHECK;
/* The diff of a pick or a patch. */
int apply_item_diff(const struct apply_place *place, const struct apply_item *item, struct buf *ret,
	struct err *err) MUST_CHECK;
/* The file of an edit, without links, relative to the tree; owned. It must stay inside the tree. */
int apply_edit_target(const char *tree, const struct edit *edit, char **ret, struct err *err)
	MUST_CHECK;

#endif
