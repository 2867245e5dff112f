/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renderers: one const struct per format, one row in render.c. */
#ifndef ASSAY_REPORTS_RENDER_H
#define ASSAY_REPORTS_RENDER_H

#include "core/base/err.h"
#include "reports/doc.h"

struct render_options {
	int width;
	bool colour;
	/* Where figures go and how they are called: "report" -> report-intervals-prove.svg; NULL =
	 * no figures (the text says so where one would be). */
	const char *figure_stem;
	const char *figure_format; /* "svg" or "png" */
};

struct renderer {
	const char *name, *summary, *extension;
	int (*render)(const struct doc *doc, const struct render_options *options, struct buf *to,
		struct err *err);
};
extern const struct renderer *const renderers[]; /* text markdown json csv; NULL-terminated */
const struct renderer *renderer_find(const char *name);

#endif
