/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files around apply_diff share. */
#ifndef ASSAY_ENGINE_APPLY_DIFF_H
#define ASSAY_ENGINE_APPLY_DIFF_H

#include "core/base/proc.h"
#include "core/base/vec.h"

struct diff_names {
	VEC(char *) items;
};
void diff_names_release(struct diff_names *names);

struct diff_use { /* borrowed */
	struct launcher *launcher;
	const char *tree;
	const char *name; /* for messages */
	const char *text;
	size_t len;
	int strip;
	bool reverse;
	const char *dir; /* NULL = the tree's root */
};

/* Paths (in the tree) that a diff names as they are after it, or with `before` as they are before
 * it; appended to names. */
int diff_read_names(const struct diff_use *use, bool before, struct diff_names *names,
	struct err *err) MUST_CHECK;

/* Adds to `to`: why a hunk does not apply, by the words of git and what the file holds. */
void diff_explain(const struct diff_use *use, const char *said, struct buf *to);

#endif
