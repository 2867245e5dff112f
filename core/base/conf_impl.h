/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by conf*.c, used nowhere else. */
#ifndef ASSAY_BASE_CONF_IMPL_H
#define ASSAY_BASE_CONF_IMPL_H

#include "core/base/conf.h"

#define CONF_MAX_BYTES ((size_t)1 << 20)
#define CONF_MAX_DEPTH 32

/*
 * The text of one parse. When `line_text` is set, the text is a part of that one line (--set): all
 * places get line 0 and a column in it.
 */
struct conf_input {
	const char *name; /* for places */
	const char *text;
	size_t len;
	const char *line_text; /* NULL, or the line shown with every place; outlives the nodes */
	size_t line_offset;    /* where the text begins in line_text */
	const char *path;      /* path of the root node, "" for a file */
};

/* As conf_parse; root gets the path of the input. */
int conf_parse_input(const struct conf_input *input, struct arena *arena, struct diags *diags,
	struct conf_node **ret, struct err *err) MUST_CHECK;

/* "parent.key", or "parent[index]" when key is NULL; cleaned for display, kept to a bounded length:
 * a file of 1 MiB can hold half a million nodes below long keys. */
const char *conf_path(struct arena *arena, const char *parent, const char *key, size_t index);

/* Foreign text inside a message: cleaned and shortened. */
void conf_show(struct buf *to, const char *text);

/* "nothing", "text", "a list", "a map" */
const char *conf_kind_name(enum conf_kind kind);

#endif
