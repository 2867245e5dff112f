/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a report document, drawn by gnuplot.
 *
 * Labels are foreign text. gnuplot runs a shell on backticks inside double quotes and expands
 * macros, so every name stands in single quotes with ' doubled, control characters and line ends
 * removed, and no name ever goes through a data block. The program gets the script on stdin and
 * its picture comes from stdout: no path is part of a script.
 */
#ifndef ASSAY_REPORTS_FIGURE_H
#define ASSAY_REPORTS_FIGURE_H

#include "core/base/err.h"
#include "reports/doc.h"

#define FIGURE_TIMEOUT_NS (20 * NS_PER_S)

/* The script for a format ("svg" or "png"); settings: the text of data/reports/figure.gp. */
void figure_script(
	const struct figure *figure, const char *format, const char *settings, struct buf *to);

/* Runs gnuplot (looked for in PATH) and writes the picture to path, whole or not at all. E_MISSING
 * when there is no gnuplot or no settings file; E_SYSTEM when gnuplot fails or takes longer than
 * FIGURE_TIMEOUT_NS, with what it said. */
int figure_write(const struct figure *figure, const char *format, const char *path, struct err *err)
	MUST_CHECK;
/* The same with another program and time limit. */
int figure_write_with(const char *gnuplot, int64_t timeout_ns, const struct figure *figure,
	const char *format, const char *path, struct err *err) MUST_CHECK;

/* The intervals in characters, for a terminal: one line per variant under a scale. Nothing when
 * there is nothing to draw. */
void figure_text(const struct figure *figure, struct buf *to, int width);

/* A round step for about n ticks over a range: 1, 2 or 5 times a power of ten. */
double figure_step(double range, int n);
/* Range of x over zero, the band, all estimates and finite bounds, a little wider than these.
 * Intervals that end beyond what is sensible (words.h) do not count, as long as others do: their
 * ends are drawn as arrows at the edge. */
void figure_range(const struct figure *figure, double *ret_low, double *ret_high);

#endif
