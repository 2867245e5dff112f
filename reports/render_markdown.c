/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown as job summaries and merge requests show it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "reports/figure.h"
#include "reports/render_impl.h"

static const char *mark_of(const char *style)
{
	if (style && !strcmp(style, "bad"))
		return "\xf0\x9f\x94\xb4 "; /* red disc */
	if (style && !strcmp(style, "good"))
		return "\xf0\x9f\x9f\xa2 "; /* green disc */
	if (style && !strcmp(style, "doubt"))
		return "\xf0\x9f\x9f\xa1 "; /* yellow disc */
	return "";
}

/* A fence longer than any run of backticks in the text. */
static void add_code(struct buf *to, const char *text)
{
	size_t longest = 2, run = 0;

	for (const char *s = text; *s; s++) {
		run = *s == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		buf_addc(to, '`');
	buf_adds(to, "sh\n");
	for (const char *s = text; *s;) {
		size_t len = strcspn(s, "\n");

		text_clean(to, s, len);
		buf_addc(to, '\n');
		s += len + (s[len] == '\n');
	}
	for (size_t i = 0; i <= longest; i++)
		buf_addc(to, '`');
	buf_adds(to, "\n\n");
}

static void add_figure(
	struct buf *to, const struct figure *figure, const struct render_options *options)
{
	AUTOFREE char *path = NULL, *why = NULL;

	if (!options->figure_stem)
		return;
	if (render_figure(figure, options, &path, &why)) {
		buf_adds(to, "![");
		markdown_escape(to, figure->title);
		/* The picture lies beside the report. A blank ends a link, so it is written %20. */
		buf_adds(to, "](");
		for (const char *s = path_basename(path); *s; s++) {
			if (strchr(" ()<>%\\", *s) || (unsigned char)*s < 0x20)
				buf_addf(to, "%%%02X", (unsigned char)*s);
			else
				buf_addc(to, *s);
		}
		buf_adds(to, ")\n\n");
	} else {
		buf_adds(to, "Figure not drawn: ");
		markdown_escape(to, why);
		buf_adds(to, "\n\n");
	}
}

static void add_label(struct buf *to, const char *label)
{
	if (!label)
		return;
	buf_adds(to, "**");
	markdown_escape(to, label);
	buf_adds(to, "** ");
}

static int render(const struct doc *doc, const struct render_options *options, struct buf *to,
	struct err *err)
{
	(void)err;
	if (doc->title) {
		buf_adds(to, "## ");
		markdown_escape(to, doc->title);
		buf_adds(to, "\n\n");
	}
	for (size_t i = 0; i < doc->n; i++) {
		const struct doc_block *block = &doc->blocks[i];

		switch (block->kind) {
		case DOC_HEADING:
			buf_adds(to, block->level < 2 ? "### " : "#### ");
			markdown_escape(to, block->text);
			buf_adds(to, "\n\n");
			break;
		case DOC_ANSWER:
			buf_adds(to, mark_of(block->style));
			/* fall through */
		case DOC_TEXT:
			add_label(to, block->label);
			markdown_escape(to, block->text);
			buf_adds(to, "\n\n");
			break;
		case DOC_NOTE:
			buf_adds(to, "- ");
			add_label(to, block->label);
			markdown_escape(to, block->text);
			buf_addc(to, '\n');
			if (i + 1 == doc->n || doc->blocks[i + 1].kind != DOC_NOTE)
				buf_addc(to, '\n');
			break;
		case DOC_TABLE:
			table_render_markdown(block->table, to);
			buf_addc(to, '\n');
			break;
		case DOC_FIGURE:
			add_figure(to, block->figure, options);
			break;
		case DOC_CODE:
			if (block->label) {
				add_label(to, block->label);
				buf_adds(to, "\n\n");
			}
			add_code(to, block->text);
			break;
		}
	}
	return 0;
}

const struct renderer render_markdown = {
	.name = "markdown",
	.summary = "for job summaries and merge requests",
	.extension = "md",
	.render = render,
};
