/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What judging a session needs to know of its experiment, as the JSON text that the store keeps
 * with it: a report is made from the store alone, the descriptor may have changed or be gone.
 *
 * {"schema": 1, "name", "title", "baseline",
 *  "options": {NAME: {"title", "levels": [{"name", "env": {K: V|null}, "args": [...]}],
 * "default"}}, "axes": {NAME: [VALUE...]}, "workloads": {NAME: {"metric", "difference":
 * {"relative", "value", "unit"}, "confidence", "blocks": {"min", "max"}, "order": "random"|"fixed",
 * "also": [METRIC...], "guard": {METRIC: difference}, "metrics": {NAME: {"unit", "better",
 * "exact"}}}}} levels[0] is the one that counts as off. Members may be added, never changed.
 */
#ifndef ASSAY_MODEL_EXPERIMENT_JSON_H
#define ASSAY_MODEL_EXPERIMENT_JSON_H

#include <jansson.h>

#include "core/model/descriptor.h"

/* How the rows of a workload are judged. */
struct judgement {
	const char *ref;            /* the metric as written: "phase:synthesis" */
	const char *metric, *scope; /* as samples have it: "wall", "phase:synthesis" */
	const char *unit, *better;  /* of the stored values; filled in by who reads them */
	bool exact;                 /* equal values need no test */
	struct difference difference;
	double confidence;
	int64_t blocks_first_look; /* fewer valid pairs than this: unmeasured */
	int64_t blocks_max;
	bool order_fixed; /* unfit for verdicts */
	const char *const *also;
	size_t n_also;
	const struct guard *guards;
	size_t n_guards;
};

/* New reference. */
json_t *experiment_to_json(const struct descriptor *descriptor);

/*
 * How the rows of a workload are judged; metric: another one than the experiment's, or NULL. Texts
 * go to the arena. What the JSON lacks has the defaults of the descriptor; a member of a wrong type
 * is E_STORE.
 */
int experiment_judgement(const json_t *experiment, const char *workload, const char *metric,
	struct arena *arena, struct judgement *ret, struct err *err) MUST_CHECK;

/* Is it a metric whose author declared it exact (a count that never varies)? */
bool experiment_metric_exact(const json_t *experiment, const char *workload, const char *metric);

/* Environment and arguments that a row's options give its runs: {"env": {...}, "args": [...]}; a
 * new reference. options: {NAME: LEVEL} of the active ones, as stored with the row. */
json_t *experiment_run_part(const json_t *experiment, const json_t *options);

#endif
