/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report on a terminal: answers with their questions in a margin, tables, notes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "reports/figure.h"
#include "reports/render_impl.h"

#define MARGIN 9 /* columns of the question or label, blank included */

static const char *colour_of(const char *style)
{
	if (!style)
		return NULL;
	return !strcmp(style, "good")    ? "\033[32m"
	       : !strcmp(style, "bad")   ? "\033[31m"
	       : !strcmp(style, "doubt") ? "\033[33m"
	       : !strcmp(style, "muted") ? "\033[2m"
					 : NULL;
}

/* Length of what stays together on a line: a word, "+19.1 %", "[+17.9, +20.3]". */
static size_t word_length(const char *s)
{
	size_t len = strcspn(s, " ");

	if (s[0] == '[' && !memchr(s, ']', len)) {
		size_t second = s[len] ? strcspn(s + len + 1, " ") : 0;

		if (memchr(s + len, ']', second + 1))
			len += 1 + second;
	}
	if (s[len] == ' ' && s[len + 1] == '%')
		len += 1 + strcspn(s + len + 1, " ");
	return len;
}

/* Words of a text, wrapped; lines after the first are indented. at: columns used already. */
static void add_wrapped(struct buf *to, const char *text, int at, int indent, int width)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	bool first = true;

	text_clean(&clean, text, strlen(text));
	for (char *s = clean.data; *s;) {
		size_t len = word_length(s);
		AUTOFREE char *word = xstrndup(s, len);
		int w = (int)text_width(word);

		if (!first && at + 1 + w > width) {
			buf_addc(to, '\n');
			for (at = 0; at < indent; at++)
				buf_addc(to, ' ');
			first = true;
		}
		if (!first)
			buf_addc(to, ' ');
		at += w + !first;
		first = false;
		buf_adds(to, word);
		s += len;
		s += strspn(s, " ");
	}
	buf_addc(to, '\n');
}

static void add_labelled(struct buf *to, const char *label, const char *style, const char *text,
	const struct render_options *options)
{
	const char *colour = options->colour ? colour_of(style) : NULL;
	int at = 0;

	if (label) {
		if (options->colour)
			buf_adds(to, "\033[1m");
		buf_adds(to, label);
		if (options->colour)
			buf_adds(to, "\033[0m");
		at = (int)text_width(label);
		do
			buf_addc(to, ' ');
		while (++at < MARGIN);
	}
	if (colour)
		buf_adds(to, colour);
	add_wrapped(to, text, at, label ? MARGIN : 0, options->width);
	if (colour) { /* back to normal before the line ends */
		buf_truncate(to, to->len - 1);
		buf_adds(to, "\033[0m\n");
	}
}

static void add_code(
	struct buf *to, const struct doc_block *block, const struct render_options *options)
{
	const char *s = block->text, *label = block->label ? block->label : "";
	bool first = true;

	while (*s) {
		size_t len = strcspn(s, "\n");
		int at = (int)text_width(label);

		if (first && options->colour && *label)
			buf_addf(to, "\033[1m%s\033[0m", label);
		else if (first)
			buf_adds(to, label);
		else
			at = 0;
		do
			buf_addc(to, ' ');
		while (++at < MARGIN);
		/* Commands are never wrapped: they are there to be copied. */
		text_clean(to, s, len);
		buf_addc(to, '\n');
		s += len + (s[len] == '\n');
		first = false;
	}
}

static void add_figure(
	struct buf *to, const struct figure *figure, const struct render_options *options)
{
	AUTOFREE char *path = NULL, *why = NULL;

	figure_text(figure, to, options->width);
	if (!options->figure_stem)
		return;
	if (render_figure(figure, options, &path, &why))
		add_labelled(to, "Figure:", NULL, path, options);
	else {
		AUTOFREE char *text = xasprintf("not drawn: %s", why);

		add_labelled(to, "Figure:", "doubt", text, options);
	}
}

/* Answers, notes and commands stand together; tables, figures and headings stand apart. */
static bool apart(const struct doc_block *a, const struct doc_block *b)
{
	if (a->kind == DOC_TABLE || a->kind == DOC_HEADING)
		return b->kind == DOC_FIGURE || b->kind == DOC_TABLE || b->kind == DOC_HEADING;
	return b->kind == DOC_TABLE || b->kind == DOC_HEADING || b->kind == DOC_FIGURE;
}

static int render(const struct doc *doc, const struct render_options *options, struct buf *to,
	struct err *err)
{
	(void)err;
	for (size_t i = 0; i < doc->n; i++) {
		const struct doc_block *block = &doc->blocks[i];

		if (i && apart(&doc->blocks[i - 1], block))
			buf_addc(to, '\n');
		switch (block->kind) {
		case DOC_HEADING:
			if (options->colour)
				buf_adds(to, "\033[1m");
			text_clean(to, block->text, strlen(block->text));
			buf_adds(to, options->colour ? "\033[0m\n" : "\n");
			break;
		case DOC_ANSWER:
		case DOC_NOTE:
		case DOC_TEXT:
			add_labelled(to, block->label, block->style, block->text, options);
			break;
		case DOC_TABLE:
			table_render_text(block->table, to, options->width, options->colour);
			break;
		case DOC_FIGURE:
			add_figure(to, block->figure, options);
			break;
		case DOC_CODE:
			add_code(to, block, options);
			break;
		}
	}
	return 0;
}

const struct renderer render_text = {
	.name = "text",
	.summary = "for a terminal (80 to 200 columns)",
	.extension = "txt",
	.render = render,
};
