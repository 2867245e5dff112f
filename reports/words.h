/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How reports say things: numbers with their units, effects, verdicts. */
#ifndef ASSAY_REPORTS_WORDS_H
#define ASSAY_REPORTS_WORDS_H

#include "reports/analysis.h"

/* A unit that suits a value, for one column: value * factor is shown with `digits` decimals. */
struct scale {
	double factor;
	const char *unit; /* "" = none */
	int digits;
};
/* For a value in a metric's unit; times and sizes are brought to a handy unit. */
struct scale scale_for(double value, const char *unit);
void scale_add(struct buf *to, const struct scale *scale, double value);        /* "88.92" */
void scale_add_unit(struct buf *to, const struct scale *scale, double value);   /* "88.92 s" */
void scale_add_signed(struct buf *to, const struct scale *scale, double value); /* "+0.12" */

/* Decimals for the percentages of an effect and its interval (all as ratios). */
int percent_digits(double half_width, double effect);
void add_percent(struct buf *to, double effect, int digits); /* "+19.1 %" */
/* An estimate to two figures: "0.64 %", "310 %", "more than 1000 %". */
void add_rough_percent(struct buf *to, double ratio);
double two_figures(double x); /* 4424 -> 4400 */
/* A number that a person wrote, at most so many significant figures and no exponent: "0.5", "1000".
 */
void add_short(struct buf *to, double x, int figures);
const char *plural(size_t n); /* "" for one, else "s" */

/* "[+17.9, +20.3]"; an end without bound is "open". */
void add_interval(struct buf *to, double low, double high, double factor, int digits);
/* Two or three pairs bound an effect from above by numbers without sense. So does an interval (of
 * ratios minus 1) that ends beyond this while it is wider than a factor of ten. */
#define BEYOND 10.0
bool beyond(double low, double high);
/* The same of an effect in percent; "[-20.1, > +1000]" when it ends beyond. */
void add_percent_interval(struct buf *to, double low, double high, int digits);

/* The metric in words: "time", "synthesis", "rss_peak". */
const char *metric_noun(const char *metric, const char *scope);
/* Is it a time, so that more is slower? */
bool is_time(const char *unit);
/* "slower" "faster", "worse" "better", "higher" "lower". */
const char *verdict_adjective(
	enum verdict verdict, const char *unit, const char *better, double effect);
/* Nobody runs more blocks than this to decide one thing. */
#define BLOCKS_IN_REASON 100
/* Undecided, and so noisy that even so many blocks would not do. */
bool too_noisy(const struct row_result *result);
/* The verdict without its reasons: "slower", "same within 1 %", "undecided", "not measured". */
void add_verdict_word(struct buf *to, const struct row_result *result);
/* "same within 1 %", "undecided (noise, about 6 more blocks)", "undecided (too noisy)", "not
 * measured (...)" with the reason up to its first colon, "baseline". */
void add_verdict(struct buf *to, const struct row_result *result);
const char *verdict_style(const struct row_result *result);
/* The difference that matters: "1 %", "10 MiB". */
void add_difference(struct buf *to, const struct difference *difference);

#endif
