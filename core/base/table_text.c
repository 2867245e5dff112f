/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table on a terminal. What does not fit is handled in this order: the last column is wrapped
 * onto lines of its own, columns of the highest priority number leave, long texts are cut, and at
 * the very end other columns leave, too, from the right; the first and the last never. Words of the
 * last column stay whole.
 */
#include "config.h"

#include "core/base/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define GAP 2       /* blanks between columns */
#define INDENT 1    /* blanks before the first */
#define WRAP_MIN 18 /* narrower than this the last column is not wrapped */
#define CUT_MIN 8   /* texts are not cut shorter than this */

struct layout {
	const struct table *table;
	char **texts; /* cleaned display forms, titles first: (n_rows + 1) * n_columns */
	int *widths;  /* per column; 0 = left out */
	size_t last;  /* index of the last column shown */
};

static char *display(const struct cell *cell)
{
	struct buf text = BUF_INIT;

	if (cell->kind == CELL_NONE)
		buf_adds(&text, cell->text ? "n/m" : "-");
	else
		text_clean(&text, cell->text, strlen(cell->text));
	return buf_steal(&text);
}

static char *clean(const char *s)
{
	struct buf text = BUF_INIT;

	text_clean(&text, s, strlen(s));
	return buf_steal(&text);
}

static int natural_width(const struct layout *layout, size_t column)
{
	size_t n = layout->table->n_columns, width = 1;

	for (size_t row = 0; row <= layout->table->n_rows; row++) {
		size_t w = text_width(layout->texts[row * n + column]);

		width = w > width ? w : width;
	}
	return (int)(width < 10000 ? width : 10000);
}

static int total_width(const struct layout *layout)
{
	int total = INDENT - GAP;

	for (size_t i = 0; i < layout->table->n_columns; i++)
		total += layout->widths[i] ? layout->widths[i] + GAP : 0;
	return total;
}

static void find_last(struct layout *layout)
{
	for (size_t i = 0; i < layout->table->n_columns; i++) {
		if (layout->widths[i])
			layout->last = i;
	}
}

/* The last column gives way first, as long as it stays readable. */
static bool wrap_last(struct layout *layout, int width)
{
	int over = total_width(layout) - width, *last = &layout->widths[layout->last];

	if (over <= 0)
		return true;
	if (layout->table->columns[layout->last].align != ALIGN_LEFT || *last - over < WRAP_MIN)
		return false;
	*last -= over;
	return true;
}

/* Widest word of the last column, title included. */
static int longest_word(const struct layout *layout)
{
	size_t n = layout->table->n_columns, longest = CUT_MIN;

	for (size_t row = 0; row <= layout->table->n_rows; row++) {
		const char *s = layout->texts[row * n + layout->last];

		while (*s) {
			size_t len = strcspn(s, " ");
			AUTOFREE char *word = xstrndup(s, len);
			size_t width = text_width(word);

			longest = width > longest ? width : longest;
			s += len;
			s += strspn(s, " ");
		}
	}
	return longest < WRAP_MIN ? (int)longest : WRAP_MIN;
}

/* However important it is: half a table on the screen says more than broken lines. */
static bool drop_any(struct layout *layout)
{
	for (size_t i = layout->last; i-- > 1;) {
		if (layout->widths[i]) {
			layout->widths[i] = 0;
			return true;
		}
	}
	return false;
}

static bool drop_one(struct layout *layout)
{
	const struct column *columns = layout->table->columns;
	size_t drop = 0;
	int priority = 0;

	for (size_t i = 0; i < layout->table->n_columns; i++) {
		if (layout->widths[i] && columns[i].priority >= priority && columns[i].priority) {
			priority = columns[i].priority;
			drop = i;
		}
	}
	if (!priority)
		return false;
	layout->widths[drop] = 0;
	find_last(layout);
	return true;
}

/* Cuts the widest text; the last column, which wraps, is narrowed after all others. */
static bool cut_one(struct layout *layout, int width)
{
	int over = total_width(layout) - width, *widest = NULL, least = CUT_MIN,
	    *last = &layout->widths[layout->last];

	if (layout->table->columns[layout->last].align == ALIGN_LEFT && *last > WRAP_MIN) {
		over -= *last - WRAP_MIN; /* what wrapping gives */
		*last = WRAP_MIN;
	}
	for (size_t i = 0; i < layout->table->n_columns; i++) {
		int *w = &layout->widths[i];

		if (layout->table->columns[i].align == ALIGN_LEFT && w != last && *w > CUT_MIN &&
			(!widest || *w > *widest))
			widest = w;
	}
	if (!widest && layout->table->columns[layout->last].align == ALIGN_LEFT) {
		least = longest_word(layout);
		widest = *last > least ? last : NULL;
	}
	if (!widest)
		return false;
	*widest = *widest - over > least ? *widest - over : least;
	return true;
}

static void lay_out(struct layout *layout, int width)
{
	int room, natural;

	for (size_t i = 0; i < layout->table->n_columns; i++)
		layout->widths[i] = natural_width(layout, i);
	find_last(layout);
	while (!wrap_last(layout, width)) {
		if (!drop_one(layout) && !cut_one(layout, width) && !drop_any(layout))
			return; /* narrower cannot be: the terminal breaks the lines */
	}
	/* Columns that left may have made more room than was needed. */
	room = width - total_width(layout);
	natural = natural_width(layout, layout->last);
	if (layout->widths[layout->last] < natural)
		layout->widths[layout->last] = layout->widths[layout->last] + room < natural
						       ? layout->widths[layout->last] + room
						       : natural;
}

static const char *ansi(const char *style)
{
	static const struct {
		const char *style, *code;
	} codes[] = {
		{"good", "\033[32m"},
		{"bad", "\033[31m"},
		{"doubt", "\033[33m"},
		{"muted", "\033[2m"},
		{"head", "\033[1m"},
	};

	for (size_t i = 0; style && i < ARRAY_SIZE(codes); i++) {
		if (!strcmp(codes[i].style, style))
			return codes[i].code;
	}
	return NULL;
}

static void add_blanks(struct buf *to, int n)
{
	while (n-- > 0)
		buf_addc(to, ' ');
}

/* Bytes of the longest beginning of s that is at most width columns wide. */
static size_t fitting(const char *s, size_t len, int width)
{
	char part[8];
	size_t i = 0;
	int used = 0;

	while (i < len) {
		size_t n = 1;
		int w;

		while (i + n < len && ((unsigned char)s[i + n] & 0xc0) == 0x80 && n < 4)
			n++;
		memcpy(part, s + i, n);
		part[n] = '\0';
		w = (int)text_width(part);
		if (used + w > width)
			break;
		used += w;
		i += n;
	}
	return i;
}

/* One line of a cell in its column. */
static void add_field(struct buf *to, const char *text, size_t len, int width, enum align align,
	const char *style, bool last)
{
	AUTOFREE char *part = xstrndup(text, len);
	int w = (int)text_width(part), pad;

	if (w > width) {
		part[fitting(part, len, width - 1)] = '\0';
		w = (int)text_width(part) + 1;
	} else {
		len = 0; /* not cut */
	}
	pad = width - w;
	if (align == ALIGN_RIGHT)
		add_blanks(to, pad);
	if (style)
		buf_adds(to, style);
	buf_adds(to, part);
	if (len)
		buf_adds(to, "\xe2\x80\xa6"); /* an ellipsis */
	if (style)
		buf_adds(to, "\033[0m");
	if (align == ALIGN_LEFT && !last)
		add_blanks(to, pad);
}

/* Length of the next line of a text wrapped at blanks; *skip: bytes up to the line after it. */
static size_t wrap_line(const char *s, int width, size_t *skip)
{
	size_t len = strlen(s), n = fitting(s, len, width), cut = n;

	if (n == len || !n) {
		*skip = len;
		return len;
	}
	while (cut && s[cut] != ' ')
		cut--;
	if (!cut) { /* one long word */
		*skip = n;
		return n;
	}
	*skip = cut + 1;
	return cut;
}

static void add_row(const struct layout *layout, size_t row, struct buf *to, bool colour)
{
	const struct table *table = layout->table;
	char **texts = &layout->texts[row * table->n_columns];
	const char *rest = texts[layout->last];
	size_t skip, len = wrap_line(rest, layout->widths[layout->last], &skip);
	bool wraps = table->columns[layout->last].align == ALIGN_LEFT, first = true;

	do {
		add_blanks(to, INDENT);
		for (size_t i = 0; i <= layout->last; i++) {
			const char *style =
				row ? table->cells[(row - 1) * table->n_columns + i].style : "head";
			bool is_last = i == layout->last;

			if (!layout->widths[i])
				continue;
			style = colour ? ansi(style) : NULL;
			if (is_last && wraps)
				add_field(
					to, rest, len, layout->widths[i], ALIGN_LEFT, style, true);
			else if (first)
				add_field(to, texts[i], strlen(texts[i]), layout->widths[i],
					table->columns[i].align, style, is_last);
			else
				add_blanks(to, layout->widths[i]);
			if (!is_last)
				add_blanks(to, GAP);
		}
		/* An empty last cell leaves the blanks of the gap. */
		while (to->len && to->data[to->len - 1] == ' ')
			buf_truncate(to, to->len - 1);
		buf_addc(to, '\n');
		first = false;
		rest += skip;
		len = wrap_line(rest, layout->widths[layout->last], &skip);
	} while (wraps && *rest);
}

void table_render_text(const struct table *table, struct buf *to, int width, bool colour)
{
	struct layout layout = {.table = table};
	size_t n = table->n_columns;

	if (table->caption) {
		text_clean(to, table->caption, strlen(table->caption));
		buf_addc(to, '\n');
	}
	if (!n)
		return;
	layout.texts = xcalloc((table->n_rows + 1) * n, sizeof(*layout.texts));
	layout.widths = xcalloc(n, sizeof(*layout.widths));
	for (size_t i = 0; i < n; i++)
		layout.texts[i] = clean(table->columns[i].title);
	for (size_t i = 0; i < table->n_rows * n; i++)
		layout.texts[n + i] = display(&table->cells[i]);
	lay_out(&layout, width);
	for (size_t row = 0; row <= table->n_rows; row++)
		add_row(&layout, row, to, colour);
	for (size_t i = 0; i < (table->n_rows + 1) * n; i++)
		free(layout.texts[i]);
	free(layout.texts);
	free(layout.widths);
}
