/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/doc.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

struct doc *doc_new(const char *title)
{
	struct doc *doc = xcalloc(1, sizeof(*doc));

	doc->title = copy(title);
	return doc;
}

void doc_free(struct doc *doc)
{
	if (!doc)
		return;
	for (size_t i = 0; i < doc->n; i++) {
		free(doc->blocks[i].label);
		free(doc->blocks[i].text);
		table_free(doc->blocks[i].table);
		figure_free(doc->blocks[i].figure);
	}
	free(doc->blocks);
	free(doc->title);
	json_decref(doc->data);
	table_free(doc->csv);
	free(doc);
}

static struct doc_block *add(struct doc *doc, enum block_kind kind)
{
	struct doc_block *block;

	if (doc->n == doc->cap) {
		doc->cap = doc->cap ? doc->cap * 2 : 16;
		doc->blocks = xreallocarray(doc->blocks, doc->cap, sizeof(*doc->blocks));
	}
	block = &doc->blocks[doc->n++];
	memset(block, 0, sizeof(*block));
	block->kind = kind;
	return block;
}

void doc_heading(struct doc *doc, int level, const char *text)
{
	struct doc_block *block = add(doc, DOC_HEADING);

	block->level = level;
	block->text = xstrdup(text);
}

void doc_answer(struct doc *doc, const char *style, const char *question, const char *fmt, ...)
{
	struct doc_block *block = add(doc, DOC_ANSWER);
	va_list ap;

	block->style = style;
	block->label = copy(question);
	va_start(ap, fmt);
	block->text = xvasprintf(fmt, ap);
	va_end(ap);
}

void doc_text(struct doc *doc, const char *fmt, ...)
{
	struct doc_block *block = add(doc, DOC_TEXT);
	va_list ap;

	va_start(ap, fmt);
	block->text = xvasprintf(fmt, ap);
	va_end(ap);
}

void doc_note(struct doc *doc, const char *label, const char *fmt, ...)
{
	struct doc_block *block = add(doc, DOC_NOTE);
	va_list ap;

	block->label = copy(label);
	va_start(ap, fmt);
	block->text = xvasprintf(fmt, ap);
	va_end(ap);
}

void doc_code(struct doc *doc, const char *label, const char *text)
{
	struct doc_block *block = add(doc, DOC_CODE);

	block->label = copy(label);
	block->text = xstrdup(text);
}

void doc_table(struct doc *doc, struct table *table)
{
	add(doc, DOC_TABLE)->table = table;
}

void doc_figure(struct doc *doc, struct figure *figure)
{
	add(doc, DOC_FIGURE)->figure = figure;
}

struct figure *figure_new(
	enum figure_kind kind, const char *name, const char *title, const char *xlabel)
{
	struct figure *figure = xcalloc(1, sizeof(*figure));

	figure->kind = kind;
	figure->name = xstrdup(name);
	for (char *s = figure->name; *s; s++) {
		bool safe = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			    (*s >= '0' && *s <= '9') || *s == '-' || *s == '_' ||
			    (*s == '.' && s > figure->name);

		if (!safe)
			*s = '-';
	}
	figure->title = xstrdup(title);
	figure->xlabel = xstrdup(xlabel);
	return figure;
}

void figure_interval(struct figure *figure, const char *label, double estimate, double low,
	double high, const char *verdict, const char *note)
{
	struct figure_interval *interval;

	figure->intervals =
		xreallocarray(figure->intervals, figure->n + 1, sizeof(*figure->intervals));
	interval = &figure->intervals[figure->n++];
	interval->label = xstrdup(label);
	interval->estimate = estimate;
	interval->low = low;
	interval->high = high;
	interval->verdict = xstrdup(verdict);
	interval->note = xstrdup(note);
}

void figure_legend(struct figure *figure, const char *label, const char *meaning)
{
	char *before = figure->legend;

	figure->legend = before ? xasprintf("%s, %s = %s", before, label, meaning)
				: xasprintf("%s = %s", label, meaning);
	free(before);
}

void figure_free(struct figure *figure)
{
	if (!figure)
		return;
	for (size_t i = 0; i < figure->n; i++) {
		free(figure->intervals[i].label);
		free(figure->intervals[i].verdict);
		free(figure->intervals[i].note);
	}
	free(figure->intervals);
	free(figure->name);
	free(figure->title);
	free(figure->xlabel);
	free(figure->legend);
	free(figure);
}
