/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intervals figure in characters. */
#include "config.h"

#include "reports/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "reports/words.h"

#define LABEL_MAX 28
#define CANVAS_MAX 100

struct canvas {
	int width;
	double low, high;
};

static int place_of(const struct canvas *canvas, double x)
{
	double share = (x - canvas->low) / (canvas->high - canvas->low);

	if (share <= 0)
		return 0;
	if (share >= 1)
		return canvas->width - 1;
	return (int)lround(share * (canvas->width - 1));
}

static void add_scale(const struct canvas *canvas, const struct figure *figure, char *line)
{
	double scale = figure->percent ? 100 : 1;
	double step = figure_step((canvas->high - canvas->low) * scale, canvas->width / 11);
	int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0, free_from = 0;

	memset(line, ' ', (size_t)canvas->width);
	for (double k = ceil(canvas->low * scale / step); k * step <= canvas->high * scale; k++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		int at;

		if (k == 0)
			buf_addc(&text, '0');
		else
			num_addf(&text, "%+.*f", digits, k * step);
		at = place_of(canvas, k * step / scale) - (int)text.len / 2;
		if (at < free_from || at + (int)text.len > canvas->width)
			continue;
		memcpy(line + at, text.data, text.len);
		free_from = at + (int)text.len + 1;
	}
}

static void draw(const struct canvas *canvas, const struct figure *figure,
	const struct figure_interval *interval, char *line)
{
	memset(line, ' ', (size_t)canvas->width);
	if (figure->band > 0) {
		line[place_of(canvas, -figure->band)] = ':';
		line[place_of(canvas, figure->band)] = ':';
	}
	line[place_of(canvas, 0)] = '|';
	if (!isfinite(interval->estimate))
		return;
	if (strcmp(interval->verdict, "baseline")) {
		int from = isfinite(interval->low) ? place_of(canvas, interval->low) : 0;
		int to = isfinite(interval->high) ? place_of(canvas, interval->high)
						  : canvas->width - 1;

		memset(line + from, '-', (size_t)(to - from + 1));
		if (interval->low < canvas->low)
			line[0] = '<';
		if (interval->high > canvas->high)
			line[canvas->width - 1] = '>';
	}
	line[place_of(canvas, interval->estimate)] = 'o';
}

static void add_line(struct buf *to, const char *label, int label_width, const char *line,
	int width, const char *end)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	int w;

	text_clean(&clean, label, strlen(label));
	w = (int)text_width(clean.data);
	if (w > label_width) { /* cut at a character */
		size_t n = clean.len;

		while (n && w > label_width - 1) {
			do
				n--;
			while (n && ((unsigned char)clean.data[n] & 0xc0) == 0x80);
			buf_truncate(&clean, n);
			w = (int)text_width(clean.data);
		}
		buf_adds(&clean, "\xe2\x80\xa6");
		w++;
	}
	buf_addc(to, ' ');
	buf_adds(to, clean.data);
	for (; w < label_width + 2; w++)
		buf_addc(to, ' ');
	buf_add(to, line, (size_t)width);
	buf_adds(to, end);
	while (to->len && to->data[to->len - 1] == ' ')
		buf_truncate(to, to->len - 1);
	buf_addc(to, '\n');
}

void figure_text(const struct figure *figure, struct buf *to, int width)
{
	struct canvas canvas;
	AUTOFREE char *line = NULL;
	CLEANUP(buf_release) struct buf legend = BUF_INIT;
	int label_width = 0;
	bool any = false;

	for (size_t i = 0; i < figure->n; i++) {
		int w = (int)text_width(figure->intervals[i].label);

		label_width = w > label_width ? w : label_width;
		any |= isfinite(figure->intervals[i].estimate) &&
		       strcmp(figure->intervals[i].verdict, "baseline");
	}
	if (!any)
		return;
	if (figure->band > 0) {
		buf_adds(&legend, ": = ");
		add_short(&legend, figure->band * (figure->percent ? 100 : 1), 3);
		buf_adds(&legend, figure->percent ? " %" : "");
	}
	label_width = label_width > LABEL_MAX ? LABEL_MAX : label_width;
	label_width = label_width < (int)legend.len ? (int)legend.len : label_width;
	canvas.width = width - label_width - 6;
	canvas.width = canvas.width > CANVAS_MAX ? CANVAS_MAX
		       : canvas.width < 20       ? 20
						 : canvas.width;
	figure_range(figure, &canvas.low, &canvas.high);
	line = xmalloc((size_t)canvas.width);
	add_scale(&canvas, figure, line);
	add_line(to, legend.data, label_width, line, canvas.width, figure->percent ? " %" : "");
	for (size_t i = 0; i < figure->n; i++) {
		draw(&canvas, figure, &figure->intervals[i], line);
		add_line(to, figure->intervals[i].label, label_width, line, canvas.width, "");
	}
}
