/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The renderers, and what they share; for reports/render*.c only. */
#ifndef ASSAY_REPORTS_RENDER_IMPL_H
#define ASSAY_REPORTS_RENDER_IMPL_H

#include "reports/render.h"

extern const struct renderer render_text, render_markdown, render_json, render_csv;

/* Draws a figure beside the report (options->figure_stem is set). true with its path, or false with
 * a sentence why there is none: a report without its picture is still a report. Both owned. */
bool render_figure(const struct figure *figure, const struct render_options *options,
	char **ret_path, char **ret_why);

#endif
