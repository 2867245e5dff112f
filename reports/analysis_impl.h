/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the analysis that its files share; for reports/analysis*.c only. */
#ifndef ASSAY_REPORTS_ANALYSIS_IMPL_H
#define ASSAY_REPORTS_ANALYSIS_IMPL_H

#include "reports/analysis.h"

/* Values of one metric in one cell, [row in cell * n_blocks + block]; NaN = not valid. */
struct cell_values {
	double *y;
	double quantum; /* the coarsest resolution of a printed value; 0 = none known */
	bool absolute;  /* plain differences */
	double D;       /* the difference that matters on the scale of d; 0 = there is none */
	double centre;  /* of the baseline's valid values: geometric mean, or mean */
	struct variance_prior prior;
};

/* One row of a cell against the baseline, before it is judged at a level. */
struct pairing {
	double *d;
	size_t n, left_out;
	bool constant; /* both sides have one value throughout */
	double centre; /* of the row's own valid values */
};

/* Fills values->y from the stored values (in order of run_id), then the scale and the prior. */
void cell_values_fill(const struct analysis *analysis, const struct cell_result *cell,
	const struct stored_value *stored, size_t n_stored, const struct difference *difference,
	const char *unit, struct arena *arena, struct cell_values *values);
void pair_up(const struct cell_result *cell, const struct cell_values *values, size_t row_in_cell,
	struct arena *arena, struct pairing *pairing);
/* An interval at a level, never narrower than the resolution of printed values. exact: constant
 * sides need no test. */
struct interval pairing_interval(
	const struct pairing *pairing, const struct cell_values *values, double level, bool exact);
/* A value on the scale of d as an effect: ratio minus 1, or the difference itself. */
double effect_of(const struct cell_values *values, double d);

/* Rows that are one program: fills analysis->aa. */
void find_aa_pairs(struct analysis *analysis);
/* Marks the rows that the filter keeps. */
int filter_rows(struct analysis *analysis, const char *where, struct err *err) MUST_CHECK;
/* The second family: fills analysis->changes. */
int find_changes(struct store *store, struct analysis *analysis, struct err *err) MUST_CHECK;

/* Fills analysis->conditions. */
int find_conditions(struct store *store, struct analysis *analysis, struct err *err) MUST_CHECK;

/*
 * A complete session may lack pairs through failures: as long as at most a tenth failed, what is
 * left is judged, if it is as many as the first of all looks has. A session that goes on is not
 * judged before its one look: that would be peeking.
 */
int64_t analysis_pairs_needed(const struct analysis *analysis, const struct row_result *result);

#endif
