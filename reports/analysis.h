/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One session of the store, compared: every row against the baseline of its cell, for one metric.
 * Everything here is recomputed from raw values; nothing of it is stored.
 */
#ifndef ASSAY_REPORTS_ANALYSIS_H
#define ASSAY_REPORTS_ANALYSIS_H

#include "core/model/experiment_json.h"
#include "core/stats/compare.h"
#include "core/stats/describe.h"
#include "core/store/store.h"

struct row_result {
	const struct stored_row *row;
	const struct row_result *baseline; /* itself for a baseline row */
	bool is_baseline;
	struct judgement judgement;
	/* valid values of the metric */
	struct description values;
	size_t runs;               /* measured runs started (last attempts) */
	size_t failed;             /* of them not ok */
	const char *first_failure; /* reason, NULL */
	size_t pairs;              /* blocks with both partners */
	size_t pairs_left_out;
	struct interval i95, i90; /* on the scale of d */
	bool absolute;            /* d is a plain difference, not a log ratio */
	enum verdict verdict;
	const char *reason;       /* "" or why undecided / unmeasured */
	double effect, low, high; /* ratios minus 1, or absolute differences */
	double delta_value;   /* in the metric's unit: effect times the baseline's geometric mean */
	double detectable;    /* smallest difference these pairs could show; NaN = unknown */
	size_t blocks_needed; /* when undecided; 0 = unknown */
};

struct aa_pair {
	const struct stored_row *a, *b;
};

struct analysis {
	struct arena arena;
	struct store_session session;
	struct stored_row *rows;
	size_t n_rows;
	struct stored_run *runs;
	size_t n_runs;
	struct row_result *results; /* parallel to rows */
	size_t comparisons;         /* m of the family */
	struct aa_pair *aa;         /* same program, env, args, workload (FORMATS section 9) */
	size_t n_aa;
};

/* where: predicate text filtering rows, or NULL. metric: NULL = the one of the experiment. */
int analyse_session(struct store *store, const struct store_session *session, const char *where,
	const char *metric, struct analysis **ret, struct err *err) MUST_CHECK;
void analysis_free(struct analysis *analysis);
DEFINE_CLEANUP(struct analysis, analysis_free)

#endif
