/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"

struct table *table_new(const char *caption)
{
	struct table *table = xcalloc(1, sizeof(*table));

	if (caption)
		table->caption = xstrdup(caption);
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
		free(table->cells[i].text);
	for (size_t i = 0; i < table->n_columns; i++) {
		free(table->columns[i].key);
		free(table->columns[i].title);
	}
	free(table->cells);
	free(table->columns);
	free(table->caption);
	free(table);
}

void table_column(
	struct table *table, const char *key, const char *title, enum align align, int priority)
{
	struct column *column;

	assert(!table->n_rows);
	table->columns =
		xreallocarray(table->columns, table->n_columns + 1, sizeof(*table->columns));
	column = &table->columns[table->n_columns++];
	column->key = xstrdup(key);
	column->title = xstrdup(title);
	column->align = align;
	column->priority = priority;
}

size_t table_row(struct table *table)
{
	struct cell *row;

	assert(table->n_columns);
	if (table->n_rows == table->cap_rows) {
		table->cap_rows = table->cap_rows ? table->cap_rows * 2 : 16;
		table->cells = xreallocarray(
			table->cells, table->cap_rows * table->n_columns, sizeof(*table->cells));
	}
	row = &table->cells[table->n_rows * table->n_columns];
	memset(row, 0, table->n_columns * sizeof(*row));
	return table->n_rows++;
}

/* The cell of the last row, emptied. */
static struct cell *last_cell(struct table *table, const char *key)
{
	assert(table->n_rows);
	for (size_t i = 0; i < table->n_columns; i++) {
		if (!strcmp(table->columns[i].key, key))
			return &table->cells[(table->n_rows - 1) * table->n_columns + i];
	}
	assert(!"no such column");
	abort();
}

static struct cell *set_cell(struct table *table, const char *key, enum cell_kind kind, char *text)
{
	struct cell *cell = last_cell(table, key);

	free(cell->text);
	cell->kind = kind;
	cell->text = text;
	return cell;
}

void table_text(struct table *table, const char *key, const char *text)
{
	set_cell(table, key, CELL_TEXT, xstrdup(text));
}

void table_textf(struct table *table, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_cell(table, key, CELL_TEXT, xvasprintf(fmt, ap));
	va_end(ap);
}

void table_int(struct table *table, const char *key, int64_t value)
{
	struct cell *cell = set_cell(table, key, CELL_INT, xasprintf("%lld", (long long)value));

	cell->integer = value;
	cell->real = (double)value;
}

void table_real_text(struct table *table, const char *key, double value, const char *text)
{
	if (isnan(value)) {
		table_none(table, key, NULL);
		return;
	}
	set_cell(table, key, CELL_REAL, xstrdup(text))->real = value;
}

void table_real(struct table *table, const char *key, double value, const char *fmt)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	num_addf(&text, fmt, value);
#pragma GCC diagnostic pop
	table_real_text(table, key, value, text.data);
}

void table_none(struct table *table, const char *key, const char *reason)
{
	set_cell(table, key, CELL_NONE, reason && reason[0] ? xstrdup(reason) : NULL);
}

void table_style(struct table *table, const char *key, const char *style)
{
	last_cell(table, key)->style = style;
}

bool table_has_holes(const struct table *table)
{
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
		if (table->cells[i].kind == CELL_NONE && table->cells[i].text)
			return true;
	}
	return false;
}
