/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What else moved: every other metric and phase of the session, as a second family.
 *
 * Holm's step-down rule, by intervals: everything is judged at alpha/M; what is decided leaves, and
 * what remains is judged again at alpha over the number that remains, until nothing more is
 * decided. The chance of any wrong claim in the family stays within alpha.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "reports/analysis_impl.h"

/* Differences of a metric that says nothing itself; relative. */
#define DEFAULT_DIFFERENCE 0.01

struct candidate {
	struct change change;
	struct pairing pairing;
	const struct cell_values *values;
	bool exact, decided;
};

typedef VEC(struct candidate) candidates;

static bool is_ref(const char *ref, const char *metric, const char *scope, struct arena *arena)
{
	const char *ref_metric, *ref_scope;

	metric_ref_split(ref, arena, &ref_metric, &ref_scope);
	return !strcmp(metric, ref_metric) && !strcmp(scope, ref_scope);
}

/* Is it a metric of the program? Counts of our own parsing and of the machine around are not. */
static bool of_interest(const struct stored_metric *metric)
{
	static const char *const ours[] = {"log:torn", "log:repaired", "log:unmatched_ends",
		"log:unmatched_begins", "log:unit_conflicts", "log:singles_dropped", "log:rule_off",
		"log:late_lines"};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (!strcmp(metric->metric, ours[i]))
			return false;
	}
	return strcmp(metric->scope, "system") != 0;
}

static struct difference difference_of(const struct judgement *judgement,
	const struct stored_metric *metric, struct arena *arena, bool *ret_guard, bool *ret_also)
{
	struct difference difference = {.relative = true, .value = DEFAULT_DIFFERENCE, .unit = ""};

	*ret_guard = *ret_also = false;
	for (size_t i = 0; i < judgement->n_also; i++)
		*ret_also |= is_ref(judgement->also[i], metric->metric, metric->scope, arena);
	if (judgement->difference.relative)
		difference = judgement->difference;
	for (size_t i = 0; i < judgement->n_guards; i++) {
		if (is_ref(judgement->guards[i].metric, metric->metric, metric->scope, arena)) {
			*ret_guard = true;
			return judgement->guards[i].difference;
		}
	}
	return difference;
}

static double centre(const struct row_result *result, const struct cell_result *cell,
	const struct cell_values *values)
{
	const double *y = &values->y[result->place * cell->n_blocks];
	double sum = 0;
	size_t n = 0;

	for (size_t b = 0; b < cell->n_blocks; b++) {
		if (isfinite(y[b])) {
			sum += values->absolute ? y[b] : log(y[b]);
			n++;
		}
	}
	return !n ? NAN : values->absolute ? sum / (double)n : exp(sum / (double)n);
}

static void add_cell(struct analysis *analysis, const struct cell_result *cell,
	const struct stored_metric *metric, const struct stored_value *stored, size_t n_stored,
	candidates *to)
{
	struct arena *arena = &analysis->arena;
	const struct judgement *judgement = &analysis->results[cell->rows[0]].judgement;
	struct cell_values *values = arena_alloc(arena, sizeof(*values));
	struct difference difference;
	bool guard, also;

	if (!strcmp(judgement->metric, metric->metric) && !strcmp(judgement->scope, metric->scope))
		return;
	difference = difference_of(judgement, metric, arena, &guard, &also);
	cell_values_fill(
		analysis, cell, stored, n_stored, &difference, metric->unit, arena, values);
	for (size_t r = 1; r < cell->n_rows; r++) {
		const struct row_result *result = &analysis->results[cell->rows[r]];
		struct candidate candidate = {
			.values = values,
			.exact = experiment_metric_exact(
				analysis->experiment, cell->workload, metric->metric),
			.change =
				{
					.result = result,
					.metric = metric->metric,
					.scope = metric->scope,
					.unit = metric->unit ? metric->unit : "",
					.better = metric->better ? metric->better : "lower",
					.also = also,
					.guard = guard,
					.absolute = values->absolute,
					.verdict = VERDICT_UNMEASURED,
					.reason = "",
					.difference = effect_of(values, values->D),
				},
		};

		pair_up(cell, values, r, arena, &candidate.pairing);
		/* A metric that neither side has, or a row that never ran: nothing to say. */
		if (!candidate.pairing.n)
			continue;
		candidate.change.pairs = candidate.pairing.n;
		candidate.change.value = centre(result, cell, values);
		candidate.change.baseline_value = values->centre;
		*vec_push(to) = candidate;
	}
}

static void set_effects(
	struct change *change, const struct cell_values *values, const struct interval *i95)
{
	change->effect = effect_of(values, i95->estimate);
	change->low = effect_of(values, i95->low);
	change->high = effect_of(values, i95->high);
}

/* Decides what can be decided without statistics; true when the rest has to be judged. */
static bool needs_judging(const struct analysis *analysis, struct candidate *candidate)
{
	struct change *change = &candidate->change;
	bool zero = candidate->values->D <= 0;

	change->effect = change->low = change->high = NAN;
	if ((int64_t)change->pairs < analysis_pairs_needed(analysis, change->result)) {
		change->reason = "too few pairs";
		return false;
	}
	if (change->result->judgement.order_fixed) {
		change->reason = "fixed order is unfit for verdicts";
		return false;
	}
	if (zero && candidate->pairing.constant && candidate->pairing.d[0] == 0) {
		change->effect = change->low = change->high = 0;
		change->verdict = VERDICT_SAME;
		return false;
	}
	if (zero) {
		change->reason = "a share of 0 has no size";
		return false;
	}
	return true;
}

/* true when it is decided at this level. */
static bool judge(struct candidate *candidate, double level)
{
	struct change *change = &candidate->change;
	struct interval i95 =
		pairing_interval(&candidate->pairing, candidate->values, level, candidate->exact);
	struct interval i90 = pairing_interval(
		&candidate->pairing, candidate->values, 2 * level, candidate->exact);
	enum doubt doubt;

	set_effects(change, candidate->values, &i95);
	change->verdict = verdict_decide(
		&i95, &i90, candidate->values->D, better_sign(change->better), &doubt);
	change->moved = change->verdict != VERDICT_REGRESSED && change->verdict != VERDICT_IMPROVED
				? 0
			: i95.estimate > 0 ? 1
					   : -1;
	change->reason = doubt == DOUBT_NEAR_DELTA ? "near-\xce\xb4" : "noise";
	if (change->verdict != VERDICT_UNDECIDED)
		change->reason = "";
	return change->verdict != VERDICT_UNDECIDED;
}

static void judge_all(candidates *all, struct analysis *analysis)
{
	size_t left = 0, decided;

	for (size_t i = 0; i < all->n; i++) {
		all->items[i].decided = !needs_judging(analysis, &all->items[i]);
		left += !all->items[i].decided;
	}
	analysis->change_family = left;
	do {
		size_t family = left;

		decided = 0;
		for (size_t i = 0; i < all->n; i++) {
			struct candidate *candidate = &all->items[i];
			double alpha = 1 - candidate->change.result->judgement.confidence;

			if (candidate->decided)
				continue;
			candidate->decided = judge(candidate, alpha / (double)family);
			decided += candidate->decided;
		}
		left -= decided;
	} while (decided && left);
	for (size_t i = 0; i < all->n; i++) {
		struct change *change = &all->items[i].change;

		/* It moved, but nobody said which way is good. */
		if (change->moved && !strcmp(change->better, "none")) {
			change->verdict = VERDICT_UNDECIDED;
			change->reason = "moved; neither way is better";
		}
	}
}

static int by_place(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	const struct row_result *ra = a->change.result, *rb = b->change.result;

	if (ra->cell != rb->cell)
		return ra->cell < rb->cell ? -1 : 1;
	if (ra->place != rb->place)
		return ra->place < rb->place ? -1 : 1;
	if (strcmp(a->change.scope, b->change.scope) != 0) /* the whole run first */
		return !strcmp(a->change.scope, "run")   ? -1
		       : !strcmp(b->change.scope, "run") ? 1
							 : strcmp(a->change.scope, b->change.scope);
	return strcmp(a->change.metric, b->change.metric);
}

int find_changes(struct store *store, struct analysis *analysis, struct err *err)
{
	struct stored_metric *metrics;
	candidates all = VEC_INIT;
	size_t n_metrics;

	if (store_read_metric_names(
		    store, analysis->session.id, &analysis->arena, &metrics, &n_metrics, err) < 0)
		return -1;
	for (size_t i = 0; i < n_metrics; i++) {
		struct stored_value *stored;
		const char *unit, *better;
		size_t n;

		if (!of_interest(&metrics[i]))
			continue;
		if (store_read_metric(store, analysis->session.id, metrics[i].metric,
			    metrics[i].scope, &analysis->arena, &stored, &n, &unit, &better,
			    err) < 0) {
			vec_release(&all);
			return -1;
		}
		for (size_t c = 0; c < analysis->n_cells; c++)
			add_cell(analysis, &analysis->cells[c], &metrics[i], stored, n, &all);
	}
	judge_all(&all, analysis);
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), by_place);
	analysis->n_changes = all.n;
	analysis->changes = arena_array(&analysis->arena, all.n + 1, sizeof(*analysis->changes));
	for (size_t i = 0; i < all.n; i++)
		analysis->changes[i] = all.items[i].change;
	vec_release(&all);
	return 0;
}
