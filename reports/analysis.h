/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One session of the store, compared: every row against the baseline of its cell, for one metric,
 * and everything else that was measured beside it. All of it is recomputed from raw values; nothing
 * is stored.
 *
 * Family of the verdicts: all rows against their baselines over all cells of the session (m of
 * them), each interval at alpha/m; a filter only hides rows, it never makes the family smaller.
 * Changes of other metrics are a second family, judged by Holm's step-down rule.
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
	size_t cell;                       /* index into analysis.cells */
	size_t place;                      /* its place among the cell's rows, 0 = baseline */
	bool is_baseline;
	bool shown; /* passes the filter, or is the baseline of a row that does */
	struct judgement judgement;
	struct description values; /* valid values of the metric */
	size_t runs;               /* measured runs that ended (last attempt of each block) */
	size_t failed;             /* of them failed, timed out or invalid */
	size_t lost; /* of them lost (assay ended) or discarded (suspend, clock step) */
	const struct stored_run *first_failure; /* NULL = none */
	size_t pairs;                           /* blocks with both partners valid */
	size_t pairs_left_out;    /* blocks that have a run of it, where only one is */
	struct interval i95, i90; /* on the scale of d (core/stats/compare.h) */
	bool absolute;            /* d is a plain difference, not a log ratio */
	enum verdict verdict;
	const char *reason; /* "" or why undecided / unmeasured */
	/* Ratios minus 1; when absolute, differences in the metric's unit. NaN = not measured, low
	 * and high infinite where there is no bound. */
	double effect, low, high;
	/* Difference in the metric's unit: the estimate and its interval, by the baseline's centre.
	 */
	double delta, delta_low, delta_high;
	double detectable; /* smallest effect these pairs could show, on the scale of effect; NaN */
	size_t blocks_needed; /* in all, when undecided by noise; 0 = unknown */
	bool coarse;          /* the printed values' resolution is wider than their scatter */
	bool varies;          /* declared exact, but its values differ */
};

/* Runs that can be compared: one workload with one set of axis values. */
struct cell_result {
	const char *name; /* "prove", "prove/threads=2" */
	const char *workload;
	const char *axes; /* JSON object text */
	size_t *rows;     /* indices into results, baseline first */
	size_t n_rows;
	size_t n_blocks;
	const char *quality; /* flags of the judged values ("simulated"), "" = clean */
	int *runs; /* [row in cell * n_blocks + block] -> index into analysis.runs of the last
		    * attempt that ended, -1 = none */
};

/* What the machine and the collectors did meanwhile; ratios are medians over the valid runs, NaN =
 * not known. */
struct conditions {
	double others;        /* processor time of other processes per second of a run */
	double steal;         /* time stolen by a hypervisor per second of a run */
	double pressure;      /* share of a run in which some task waited for a processor */
	size_t runs;          /* valid measured runs */
	size_t late_runs;     /* of them all lines came at the very end */
	size_t torn_lines;    /* lines that no rule of the log parser could read whole */
	const char *rule_off; /* why a rule of the log parser was switched off, NULL = none was */
};

struct aa_pair {
	const struct row_result *a, *b;
};

/* A metric other than the judged one, for one row against its baseline. */
struct change {
	const struct row_result *result;
	const char *metric, *scope, *unit, *better;
	bool also;  /* asked for by measure.also */
	bool guard; /* measure.guard, with a difference of its own */
	bool absolute;
	size_t pairs;
	double value, baseline_value; /* centre of the valid values, in the metric's unit */
	double effect, low, high;     /* as in struct row_result */
	double difference;            /* the one it was judged by, on the scale of effect */
	enum verdict verdict;
	int moved; /* +1 up, -1 down, 0 = not shown to have moved by the difference that matters */
	const char *reason;
};

struct analysis {
	struct arena arena;
	struct store_session session;
	const char *title; /* of the experiment, "" = none */
	const char *host;
	json_t *experiment; /* what experiment_to_json wrote, owned */
	struct stored_row *rows;
	size_t n_rows;
	struct stored_run *runs;
	size_t n_runs;
	struct row_result *results; /* parallel to rows */
	struct cell_result *cells;
	size_t n_cells;
	size_t comparisons; /* m of the family */
	struct aa_pair *aa; /* same program, env, args, workload (doc/statistics.md) */
	size_t n_aa;
	struct change *changes; /* by cell, row, metric */
	size_t n_changes;
	size_t change_family; /* comparisons of the second family */
	struct conditions conditions;
};

/* where: predicate text filtering rows, or NULL. metric: NULL = the one of the experiment.
 * E_NOTHING when the session has no valid measured run, or none that passes the filter. */
int analyse_session(struct store *store, const struct store_session *session, const char *where,
	const char *metric, struct analysis **ret, struct err *err) MUST_CHECK;
void analysis_free(struct analysis *analysis);
DEFINE_CLEANUP(struct analysis, analysis_free)

/* +1 when lower is better or nothing is said, -1 when higher is better. */
int better_sign(const char *better);

#endif
