/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as Markdown (GitHub's dialect), CSV and JSON. */
#include "config.h"

#include "core/base/table.h"

#include <math.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

void markdown_escape(struct buf *to, const char *text)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	text_clean(&clean, text, strlen(text));
	for (const char *s = clean.data; *s; s++) {
		switch (*s) {
		case '&':
			buf_adds(to, "&amp;");
			break;
		case '<':
			buf_adds(to, "&lt;");
			break;
		case '>':
			buf_adds(to, "&gt;");
			break;
		case '@': /* would call somebody on a code forge */
			buf_adds(to, "&#64;");
			break;
		case '\\':
		case '`':
		case '*':
		case '_':
		case '[':
		case ']':
		case '|':
		case '#':
		case '~':
		case '$':
			buf_addc(to, '\\');
			buf_addc(to, *s);
			break;
		default:
			buf_addc(to, *s);
		}
	}
}

void table_render_markdown(const struct table *table, struct buf *to)
{
	if (table->caption) {
		markdown_escape(to, table->caption);
		buf_adds(to, "\n\n");
	}
	for (size_t i = 0; i < table->n_columns; i++) {
		buf_adds(to, "| ");
		markdown_escape(to, table->columns[i].title);
		buf_addc(to, ' ');
	}
	buf_adds(to, "|\n");
	for (size_t i = 0; i < table->n_columns; i++)
		buf_adds(to, table->columns[i].align == ALIGN_RIGHT ? "| ---: " : "| --- ");
	buf_adds(to, "|\n");
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
		const struct cell *cell = &table->cells[i];
		bool strong = cell->style && !strcmp(cell->style, "bad");

		buf_adds(to, strong ? "| **" : "| ");
		if (cell->kind == CELL_NONE)
			buf_adds(to, cell->text ? "n/m" : "-");
		else
			markdown_escape(to, cell->text);
		buf_adds(to, strong ? "** " : " ");
		if ((i + 1) % table->n_columns == 0)
			buf_adds(to, "|\n");
	}
}

static void csv_field(struct buf *to, const char *text, bool guard)
{
	CLEANUP(buf_release) struct buf value = BUF_INIT;

	/* A spreadsheet takes such a text for a formula and runs it. */
	if (guard && text[0] && strchr("=+-@\t\r", text[0]))
		buf_addc(&value, '\'');
	buf_adds(&value, text);
	if (!strpbrk(value.data, ",\"\r\n") && value.data[0] != ' ') {
		buf_adds(to, value.data);
		return;
	}
	buf_addc(to, '"');
	for (const char *s = value.data; *s; s++) {
		if (*s == '"')
			buf_addc(to, '"');
		buf_addc(to, *s);
	}
	buf_addc(to, '"');
}

void table_render_csv(const struct table *table, struct buf *to)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (i)
			buf_addc(to, ',');
		csv_field(to, table->columns[i].key, true);
	}
	buf_adds(to, "\r\n");
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
		const struct cell *cell = &table->cells[i];

		if (i % table->n_columns)
			buf_addc(to, ',');
		if (cell->kind == CELL_REAL && isfinite(cell->real))
			num_add_exact(to, cell->real);
		else if (cell->kind == CELL_INT)
			buf_addf(to, "%lld", (long long)cell->integer);
		else if (cell->kind == CELL_TEXT)
			csv_field(to, cell->text, true);
		if ((i + 1) % table->n_columns == 0)
			buf_adds(to, "\r\n");
	}
}

json_t *json_text(const char *text)
{
	json_t *value = json_string(text);

	if (!value) { /* not UTF-8 */
		CLEANUP(buf_release) struct buf clean = BUF_INIT;

		text_clean(&clean, text, strlen(text));
		value = json_string(clean.data);
	}
	return value;
}

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_cell(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
		return json_text(cell->text);
	case CELL_INT:
		return json_integer(cell->integer);
	case CELL_REAL:
		return json_number(cell->real);
	case CELL_NONE:
		break;
	}
	return json_null();
}

json_t *table_render_json(const struct table *table)
{
	json_t *rows = json_array();

	for (size_t r = 0; r < table->n_rows; r++) {
		json_t *object = json_object();

		for (size_t c = 0; c < table->n_columns; c++) {
			const struct cell *cell = &table->cells[r * table->n_columns + c];
			const char *key = table->columns[c].key;

			json_object_set_new(object, key, json_cell(cell));
			if (cell->kind == CELL_NONE && cell->text) {
				AUTOFREE char *reason_key = xasprintf("%s_reason", key);

				json_object_set_new(object, reason_key, json_text(cell->text));
			}
		}
		json_array_append_new(rows, object);
	}
	return rows;
}
