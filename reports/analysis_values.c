/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From stored values to pairs and their intervals. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/stats/two_way.h"
#include "reports/analysis_impl.h"

#define PRIOR_ROWS 4

int better_sign(const char *better)
{
	return better && !strcmp(better, "higher") ? -1 : 1;
}

static int by_run(const void *pa, const void *pb)
{
	const struct stored_value *a = pa, *b = pb;

	return a->run_id < b->run_id ? -1 : a->run_id > b->run_id;
}

/* δ in the metric's own unit: an absolute one is given in the base unit of its dimension. */
static double in_unit(const struct difference *difference, const char *unit)
{
	const char *base;
	double factor;

	if (difference->unit && difference->unit[0] && num_unit(unit, &factor, &base) &&
		!strcmp(base, difference->unit))
		return difference->value / factor;
	return difference->value;
}

static double centre_of(const double *y, size_t n, bool absolute)
{
	double sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (isfinite(y[i])) {
			sum += absolute ? y[i] : log(y[i]);
			k++;
		}
	}
	return !k ? NAN : absolute ? sum / (double)k : exp(sum / (double)k);
}

/*
 * Prior of the moderated t: the variance of all rows together (doc/statistics.md), whatever
 * blocks each of them has. With one row beside the baseline the layout's variance is the pair's
 * own: using it twice would be cheating, so there is none.
 */
static struct variance_prior prior_of(
	const struct cell_result *cell, const struct cell_values *values, struct arena *arena)
{
	struct variance_prior prior = {0};
	double *y = arena_array(arena, cell->n_rows * cell->n_blocks + 1, sizeof(*y)), s2;
	size_t rows = 0;

	for (size_t r = 0; r < cell->n_rows; r++) {
		const double *from = &values->y[r * cell->n_blocks];
		size_t valid = 0;

		for (size_t b = 0; b < cell->n_blocks; b++) {
			y[rows * cell->n_blocks + b] = values->absolute ? from[b] : log(from[b]);
			valid += isfinite(from[b]);
		}
		rows += valid >= 2;
	}
	/* One row with a noise of its own would lend it to all the others: no pooling then. Nor of
	 * three rows: each pair makes too much of the pool, and false verdicts came out at 5.9 %
	 * for 5 %. */
	if (rows < PRIOR_ROWS || two_way_unequal(y, rows, cell->n_blocks))
		return prior;
	s2 = two_way_residual_variance(y, rows, cell->n_blocks);
	if (isfinite(s2))
		prior = (struct variance_prior){.d0 = 4, .s02 = 2 * s2};
	return prior;
}

void cell_values_fill(const struct analysis *analysis, const struct cell_result *cell,
	const struct stored_value *stored, size_t n_stored, const struct difference *difference,
	const char *unit, struct arena *arena, struct cell_values *values)
{
	size_t n = cell->n_rows * cell->n_blocks;

	memset(values, 0, sizeof(*values));
	values->y = arena_array(arena, n + 1, sizeof(*values->y));
	values->absolute = !difference->relative;
	for (size_t i = 0; i < n; i++) {
		const struct stored_run *run =
			cell->runs[i] < 0 ? NULL : &analysis->runs[cell->runs[i]];
		struct stored_value key = {.run_id = run ? run->id : 0};
		const struct stored_value *found = NULL;

		values->y[i] = NAN;
		if (run && run->run.status == RUN_OK && n_stored)
			found = bsearch(&key, stored, n_stored, sizeof(*stored), by_run);
		if (!found || !isfinite(found->value))
			continue;
		values->y[i] = found->value;
		if (found->value <= 0) /* has no logarithm */
			values->absolute = true;
		if (found->quantum > values->quantum)
			values->quantum = found->quantum;
	}
	values->centre = centre_of(values->y, cell->n_blocks, values->absolute);
	if (!difference->relative)
		values->D = in_unit(difference, unit);
	else if (!values->absolute)
		values->D = log1p(difference->value);
	else
		values->D = isfinite(values->centre) ? difference->value * fabs(values->centre) : 0;
	values->prior = prior_of(cell, values, arena);
}

static bool same_throughout(const double *y, size_t n)
{
	double first = NAN;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(y[i]))
			continue;
		if (isnan(first))
			first = y[i];
		else if (y[i] != first)
			return false;
	}
	return !isnan(first);
}

void pair_up(const struct cell_result *cell, const struct cell_values *values, size_t row_in_cell,
	struct arena *arena, struct pairing *pairing)
{
	const double *base = values->y, *own = &values->y[row_in_cell * cell->n_blocks];
	const int *runs = &cell->runs[row_in_cell * cell->n_blocks];

	memset(pairing, 0, sizeof(*pairing));
	pairing->d = arena_array(arena, cell->n_blocks + 1, sizeof(*pairing->d));
	for (size_t b = 0; b < cell->n_blocks; b++) {
		if (isfinite(base[b]) && isfinite(own[b]))
			pairing->d[pairing->n++] =
				values->absolute ? own[b] - base[b] : log(own[b]) - log(base[b]);
		/* A row has no run in the blocks of others, and lacks no partner there. */
		else if ((isfinite(base[b]) && runs[b] >= 0) || isfinite(own[b]))
			pairing->left_out++;
	}
	pairing->constant =
		same_throughout(base, cell->n_blocks) && same_throughout(own, cell->n_blocks);
	pairing->centre = centre_of(own, cell->n_blocks, values->absolute);
}

/* What one step of the printed values is worth on the scale of d. */
static double resolution(const struct cell_values *values)
{
	if (!(values->quantum > 0))
		return 0;
	return values->absolute ? values->quantum : log1p(values->quantum / values->centre);
}

struct interval pairing_interval(
	const struct pairing *pairing, const struct cell_values *values, double level, bool exact)
{
	struct interval interval;
	double q = resolution(values);

	if (exact && pairing->constant && pairing->n)
		return (struct interval){
			.estimate = pairing->d[0],
			.low = pairing->d[0],
			.high = pairing->d[0],
			.method = METHOD_EXACT,
			.level = level,
		};
	interval = interval_paired(pairing->d, pairing->n, level, values->prior);
	/* Values printed as 44 s may be anything from 43.5 to 44.5: equal ones are not exact. */
	interval.low = fmin(interval.low, interval.estimate - q);
	interval.high = fmax(interval.high, interval.estimate + q);
	return interval;
}

double effect_of(const struct cell_values *values, double d)
{
	return values->absolute ? d : expm1(d);
}
