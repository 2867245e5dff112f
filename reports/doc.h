/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report document: what a report says, typed, before it has a form. Report builders make it,
 * renderers write it; they meet only here, so n reports and m renderers are n + m files.
 */
#ifndef ASSAY_REPORTS_DOC_H
#define ASSAY_REPORTS_DOC_H

#include <jansson.h>

#include "core/base/table.h"

enum block_kind {
	DOC_HEADING,
	DOC_ANSWER, /* one sentence that answers a question: "Slower?" + text */
	DOC_TEXT,   /* a paragraph */
	DOC_NOTE,   /* a doubt or a warning */
	DOC_TABLE,
	DOC_FIGURE,
	DOC_CODE, /* commands to type */
};

enum figure_kind {
	FIGURE_INTERVALS
};

struct figure_interval {
	char *label;
	double estimate, low, high; /* effects (ratio minus 1) or absolute; NaN = not measured */
	char *verdict;              /* verdict_name, or "baseline": gives the colour */
	char *note;                 /* what stands beside it: "+19.1 %, slower" */
};
struct figure {
	enum figure_kind kind;
	char *name; /* file name stem: "intervals-prove" */
	char *title, *xlabel;
	char *legend; /* what short names stand for: "all = A1+B1"; NULL = none */
	bool percent; /* x values are ratios minus 1 */
	double band;  /* the difference that matters: band -D..+D; 0 = none */
	struct figure_interval *intervals;
	size_t n;
};

struct doc_block {
	enum block_kind kind;
	int level;   /* of a heading: 1 or 2 */
	char *label; /* of an answer, a note or commands; may be NULL */
	char *text;
	const char *style; /* of an answer, as cell styles */
	struct table *table;
	struct figure *figure;
};

struct doc {
	char *title;
	struct doc_block *blocks;
	size_t n, cap;
	json_t *data;      /* the machine-readable document (doc/interfaces.md), owned */
	struct table *csv; /* the one table of the csv form, owned */
};

struct doc *doc_new(const char *title);
void doc_free(struct doc *doc);
DEFINE_CLEANUP(struct doc, doc_free)
void doc_heading(struct doc *doc, int level, const char *text);
void doc_answer(struct doc *doc, const char *style, const char *question, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void doc_text(struct doc *doc, const char *fmt, ...) PRINTF_LIKE(2, 3);
void doc_note(struct doc *doc, const char *label, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Commands, one a line; label ("Next") may be NULL. */
void doc_code(struct doc *doc, const char *label, const char *text);
void doc_table(struct doc *doc, struct table *table);    /* takes ownership */
void doc_figure(struct doc *doc, struct figure *figure); /* takes ownership */

/* name: what becomes a file name; bytes that have no place in one are replaced. */
struct figure *figure_new(
	enum figure_kind kind, const char *name, const char *title, const char *xlabel);
void figure_interval(struct figure *figure, const char *label, double estimate, double low,
	double high, const char *verdict, const char *note);
/* Says below the figure that label stands for meaning. */
void figure_legend(struct figure *figure, const char *label, const char *meaning);
void figure_free(struct figure *figure);

#endif
