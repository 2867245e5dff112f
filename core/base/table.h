/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of typed cells, written once as text, markdown, csv or json: renderers differ, tables do
 * not. A cell is a number with its display form, or text; an absent value is none with a reason.
 */
#ifndef ASSAY_BASE_TABLE_H
#define ASSAY_BASE_TABLE_H

#include <jansson.h>

#include "core/base/buf.h"

enum cell_kind {
	CELL_NONE,
	CELL_TEXT,
	CELL_INT,
	CELL_REAL
};

struct cell {
	enum cell_kind kind;
	char *text;  /* display form; for CELL_NONE the reason (shown as "n/m" or "-") */
	double real; /* value as measured: csv and json print this one exactly */
	int64_t integer;
	const char *style; /* NULL, "good", "bad", "doubt", "muted": colour on a terminal, class in
			      HTML */
};

enum align {
	ALIGN_LEFT,
	ALIGN_RIGHT
};

struct column {
	char *key;   /* csv header and json member: "wall_s" */
	char *title; /* for people, with the unit: "time (s)" */
	enum align align;
	int priority; /* 0 = always shown; higher ones leave first when the terminal is narrow */
};

struct table {
	char *caption; /* may be NULL */
	struct column *columns;
	size_t n_columns;
	struct cell *cells; /* row-major, n_rows * n_columns */
	size_t n_rows, cap_rows;
};

struct table *table_new(const char *caption);
void table_free(struct table *table);
DEFINE_CLEANUP(struct table, table_free)
/* All columns before the first row. */
void table_column(
	struct table *table, const char *key, const char *title, enum align align, int priority);
/* Starts a row of empty cells; returns its index. */
size_t table_row(struct table *table);
/* Set cells of the last row by column key (assert on an unknown key: our bug). */
void table_text(struct table *table, const char *key, const char *text);
void table_textf(struct table *table, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
void table_int(struct table *table, const char *key, int64_t value);
/* fmt: display form by num_addf with one double ("%.3f"). */
void table_real(struct table *table, const char *key, double value, const char *fmt);
/* A value with a display form of its own (a duration, an interval). */
void table_real_text(struct table *table, const char *key, double value, const char *text);
void table_none(struct table *table, const char *key, const char *reason);
void table_style(struct table *table, const char *key, const char *style);

/* Does it hold an absent value with a reason, shown as "n/m"? What to say below it then. */
bool table_has_holes(const struct table *table);
#define TABLE_HOLE_MEANS "n/m: not measured"

/* width: terminal columns (80 to 200); colour: ANSI styles. Foreign text is cleaned. */
void table_render_text(const struct table *table, struct buf *to, int width, bool colour);
void table_render_markdown(const struct table *table, struct buf *to);
/* RFC 4180, header line, exact numbers; text starting with = + - @ is prefixed by ' (spreadsheets).
 */
void table_render_csv(const struct table *table, struct buf *to);
/* Array of objects by column key; none = null plus "KEY_reason" when there is a reason. */
json_t *table_render_json(const struct table *table);

/* Foreign text inside a Markdown paragraph or cell: cleaned, nothing in it is markup. */
void markdown_escape(struct buf *to, const char *text);
/* New references: a text that may be no UTF-8 (cleaned then); a number, null when not finite. */
json_t *json_text(const char *text);
json_t *json_number(double value);

#endif
