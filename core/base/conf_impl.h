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

/* A text with its lines. Offsets are bytes, after a byte order mark. */
struct conf_text {
	const char *name; /* in the arena */
	const char *text; /* borrowed */
	size_t len;
	const char *line_text; /* as in conf_input */
	size_t line_offset;
	struct arena *arena;
	struct diags *diags;
	size_t errors;        /* added to diags */
	bool full;            /* there were too many: stop */
	size_t *lines;        /* offsets of the lines' beginnings */
	const char **sources; /* per line, made when first asked for */
	size_t n_lines;
};

void conf_text_init(struct conf_text *t, const struct conf_input *input, struct arena *arena,
	struct diags *diags);
/* Frees what is not in the arena. */
void conf_text_release(struct conf_text *t);
struct place conf_text_place(const struct conf_text *t, size_t offset);
/* The line at an offset, cleaned byte for byte so that columns fit; in the arena. */
const char *conf_text_source(struct conf_text *t, size_t offset);
void conf_text_error(struct conf_text *t, size_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* NUL, invalid UTF-8 and control characters are errors. */
void conf_text_check(struct conf_text *t);

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

/* --- Schema --- */

struct conf_reader {
	struct arena *arena;
	struct diags *diags;
};

/* [A-Za-z0-9_] */
bool conf_name_char(char c);
/* 1 to max such characters or ones of more; any_start: the first one may be a digit or of more. */
bool conf_word(const char *s, size_t max, bool any_start, const char *more);

/* Each of these puts a message into diags when it returns false. */
bool conf_wrong_kind(struct conf_reader *r, const struct conf_node *node, const char *expected);
bool conf_scalar(struct conf_reader *r, const struct conf_node *node, const char *expected);
/* text: the node's text, or its key with at_key; ident: "-" is allowed; reserved: reserved words
 * are refused. */
bool conf_check_name(struct conf_reader *r, const struct conf_node *node, const char *text,
	bool at_key, bool ident, bool reserved);
bool conf_read_choice(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, const char **to);
bool conf_read_int(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, int64_t *to);
bool conf_read_bool(struct conf_reader *r, const struct conf_node *node, bool *to);
/* CT_REAL, CT_DURATION, CT_SIZE, CT_PERCENT */
bool conf_read_quantity(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, char *to);

#endif
