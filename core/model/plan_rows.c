/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets x workloads x axes, minus excludes and --where, streaming: rows left out are never kept. */
#include "config.h"

#include "core/model/planner.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/matrix.h"

/* Combinations to look at before an exclude is believed to match something. */
#define MATCH_BUDGET ((size_t)1 << 20)

/* One workload with one choice of axis values, while its rows are found. */
struct cell {
	struct planner *p;
	const struct workload *workload;
	const bool *reaches; /* NULL = all options */
	const char *const *axis_values;
	size_t first;    /* its baseline's row */
	uint32_t *slots; /* hash of levels -> row index + 1 */
	size_t n_slots;
	bool too_many;
};

/* --- What predicates see --------------------------------------------------------------------- */

struct view {
	const struct cell *cell;
	const uint8_t *levels;
	const bool *settled; /* NULL = all options are */
	struct buf variant;
	int looking_for; /* exclude that is searched for */
};

/* Index of an option or axis, or -1. */
static int key_index(const struct view *view, const char *key)
{
	return (int)(intptr_t)map_get(&view->cell->p->keys, key) - 1;
}

static const char *view_get(void *ctx, const char *key)
{
	struct view *view = ctx;
	const struct descriptor *d = view->cell->p->d;
	int at = key_index(view, key);

	if (at >= (int)d->n_options)
		return view->cell->axis_values[at - (int)d->n_options];
	if (at >= 0)
		return d->options[at].levels[view->levels[at]].name;
	if (!strcmp(key, "workload"))
		return view->cell->workload->name;
	if (strcmp(key, "variant"))
		return NULL;
	buf_clear(&view->variant);
	variant_name(d->options, d->n_options, view->levels, &view->variant);
	return view->variant.data;
}

static bool view_active(void *ctx, const char *name)
{
	struct view *view = ctx;
	int at = key_index(view, name);

	return at >= 0 && view->levels[at];
}

static bool view_in_set(void *ctx, const char *text)
{
	struct view *view = ctx;
	const struct planner *p = view->cell->p;

	for (size_t i = 0; i < p->sets.n; i++) {
		if (!strcmp(p->sets.items[i].plain, text))
			return variant_set_has(
				&p->sets, &p->sets.items[i], view->cell->reaches, view->levels);
	}
	/* The only other name that is let through is the baseline's. */
	for (size_t i = 0; i < p->d->n_options; i++) {
		bool reached = !view->cell->reaches || view->cell->reaches[i];

		if (view->levels[i] != (reached ? p->baseline[i] : 0))
			return false;
	}
	return true;
}

static bool view_known(void *ctx, const char *key)
{
	struct view *view = ctx;
	int at;

	if (!view->settled)
		return true;
	at = key_index(view, key);
	if (at >= 0 && at < (int)view->cell->p->d->n_options)
		return view->settled[at] || (view->cell->reaches && !view->cell->reaches[at]);
	return strcmp(key, "variant") && strcmp(key, "set");
}

static enum truth decide(const struct predicate *predicate, struct view *view)
{
	struct predicate_world world = {.ctx = view,
		.get = view_get,
		.active = view_active,
		.in_set = view_in_set,
		.known = view_known};

	return predicate_decide(predicate, &world);
}

/* --- Rows of a cell -------------------------------------------------------------------------- */

static uint64_t hash_levels(const uint8_t *levels, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ levels[i]) * UINT64_C(0x100000001b3);
	return h ^ (h >> 32);
}

static uint32_t *slot_of(const struct cell *cell, const uint8_t *levels)
{
	const struct planner *p = cell->p;
	size_t mask = cell->n_slots - 1;
	size_t i = (size_t)hash_levels(levels, p->d->n_options) & mask;

	while (cell->slots[i] &&
		memcmp(p->rows.items[cell->slots[i] - 1].levels, levels, p->d->n_options))
		i = (i + 1) & mask;
	return &cell->slots[i];
}

static void grow_slots(struct cell *cell)
{
	const struct planner *p = cell->p;

	free(cell->slots);
	cell->n_slots = cell->n_slots ? cell->n_slots * 2 : 64;
	cell->slots = xcalloc(cell->n_slots, sizeof(*cell->slots));
	for (size_t i = cell->first; i < p->rows.n; i++)
		*slot_of(cell, p->rows.items[i].levels) = (uint32_t)i + 1;
}

static bool add_row(struct cell *cell, const uint8_t *levels)
{
	struct planner *p = cell->p;
	struct plan_row *row;

	if (p->rows.n >= PLAN_ROWS_ASK && !p->force) {
		cell->too_many = true;
		return false;
	}
	row = vec_push(&p->rows);
	row->workload = cell->workload;
	row->levels = arena_memdup(p->arena, levels, p->d->n_options);
	row->axis_values = cell->axis_values;
	row->cell = (int)p->cells.n;
	row->baseline = (int)cell->first;
	if ((p->rows.n - cell->first) * 2 > cell->n_slots)
		grow_slots(cell);
	else
		*slot_of(cell, row->levels) = (uint32_t)p->rows.n;
	return true;
}

/* All excludes are asked, so that each learns whether it matches anything. */
static int excluded_by(struct view *view)
{
	struct planner *p = view->cell->p;
	int by = -1;

	for (size_t i = 0; i < p->d->matrix.exclude.n; i++) {
		if ((by >= 0 && p->matched[i]) || decide(p->excludes[i], view) != TRUTH_TRUE)
			continue;
		p->matched[i] = true;
		if (by < 0)
			by = (int)i;
	}
	return by;
}

static bool wanted(struct view *view)
{
	const struct predicate *where = view->cell->p->where;

	return !where || decide(where, view) == TRUTH_TRUE;
}

static bool consider(struct cell *cell, const uint8_t *levels)
{
	struct view view = {.cell = cell, .levels = levels, .variant = BUF_INIT};
	bool go_on = true;

	if (*slot_of(cell, levels))
		return true;
	if (excluded_by(&view) < 0 && wanted(&view))
		go_on = add_row(cell, levels);
	buf_release(&view.variant);
	return go_on;
}

static bool walk_cut(void *ctx, const uint8_t *levels, const bool *settled)
{
	struct cell *cell = ctx;
	struct planner *p = cell->p;
	struct view view = {
		.cell = cell, .levels = levels, .settled = settled, .variant = BUF_INIT};

	for (size_t i = 0; i < p->d->matrix.exclude.n; i++) {
		if (decide(p->excludes[i], &view) == TRUTH_TRUE)
			return true;
	}
	return p->where && decide(p->where, &view) == TRUTH_FALSE;
}

static bool walk_emit(void *ctx, const uint8_t *levels)
{
	return consider(ctx, levels);
}

static void walk_sets(struct cell *cell)
{
	struct planner *p = cell->p;
	AUTOFREE uint8_t *levels = xcalloc(p->d->n_options + 1, 1);

	for (size_t s = 0; s < p->sets.n && !cell->too_many; s++) {
		const struct variant_set *set = &p->sets.items[s];

		if (set->kind == SET_FULL || set->kind == SET_HALF) {
			struct variant_walk walk = {.options = p->d->options,
				.n_options = p->d->n_options,
				.reaches = cell->reaches,
				.half = set->kind == SET_HALF,
				.cut = walk_cut,
				.emit = walk_emit,
				.ctx = cell};

			variants_walk(&walk);
			continue;
		}
		for (size_t r = 0; r < set->n && !cell->too_many; r++) {
			variant_mask(set->rows + r * p->d->n_options, cell->reaches,
				p->d->n_options, levels);
			consider(cell, levels);
		}
	}
}

/* --- Cells ----------------------------------------------------------------------------------- */

static const char *cell_name(struct cell *cell)
{
	CLEANUP(buf_release) struct buf name = BUF_INIT;
	const struct descriptor *d = cell->p->d;
	char sign = '/';

	buf_adds(&name, cell->workload->name);
	for (size_t i = 0; i < d->n_axes; i++) {
		if (!cell->axis_values[i])
			continue;
		buf_addf(&name, "%c%s=%s", sign, d->axes[i].name, cell->axis_values[i]);
		sign = ',';
	}
	return arena_strdup(cell->p->arena, name.data);
}

static void baseline_excluded(struct cell *cell, int by, size_t others)
{
	struct planner *p = cell->p;
	const struct conf_texts *excludes = &p->d->matrix.exclude;
	const struct conf_node *node =
		excludes->node->kind == CONF_LIST ? excludes->node->items[by] : excludes->node;

	conf_error(p->diags, node, "takes the baseline '%s' out of %s, which keeps %zu other row%s",
		p->d->matrix.baseline, cell_name(cell), others, others == 1 ? "" : "s");
	diag_help(p->diags, "rows are compared with their cell's baseline: exclude the whole cell, "
			    "or choose another matrix.baseline");
}

/* Rows of one cell; nothing is added when none is left. */
static void make_cell(struct cell *cell)
{
	struct planner *p = cell->p;
	AUTOFREE uint8_t *levels = xcalloc(p->d->n_options + 1, 1);
	struct view view = {.cell = cell, .levels = levels, .variant = BUF_INIT};
	bool baseline_wanted;
	size_t others;
	int by;

	cell->first = p->rows.n;
	variant_mask(p->baseline, cell->reaches, p->d->n_options, levels);
	grow_slots(cell);
	by = excluded_by(&view);
	baseline_wanted = wanted(&view);
	buf_release(&view.variant);
	if (add_row(cell, levels))
		walk_sets(cell);
	free(cell->slots);
	cell->slots = NULL;
	cell->n_slots = 0;
	if (cell->too_many)
		return;
	others = p->rows.n - cell->first - 1;
	if (by >= 0 && others)
		baseline_excluded(cell, by, others);
	if (!others && (by >= 0 || !baseline_wanted)) {
		p->rows.n = cell->first;
		return;
	}
	*vec_push(&p->cells) = (struct plan_cell){
		.name = cell_name(cell),
		.workload = cell->workload,
		.baseline = (int)cell->first,
		.n_rows = others + 1,
	};
}

/* The next choice of axis values; false after the last. at has one index per dimension. */
static bool next_values(const struct descriptor *d, size_t *at)
{
	for (size_t i = d->matrix.n_dims; i-- > 0;) {
		if (++at[i] < d->axes[d->matrix.dims[i][0]].n_values)
			return true;
		at[i] = 0;
	}
	return false;
}

static const char *const *axis_values(struct planner *p, const size_t *at)
{
	const struct descriptor *d = p->d;
	const char **values = arena_array(p->arena, d->n_axes + 1, sizeof(*values));

	for (size_t i = 0; i < d->matrix.n_dims; i++) {
		for (size_t k = 0; k < d->matrix.dim_sizes[i]; k++) {
			int axis = d->matrix.dims[i][k];

			values[axis] = d->axes[axis].values[at[i]];
		}
	}
	return values;
}

static const bool *masking(const struct descriptor *d, const struct workload *workload)
{
	for (size_t i = 0; i < d->n_options; i++) {
		if (!workload->reaches[i])
			return workload->reaches;
	}
	return NULL;
}

static size_t as_count(double n)
{
	return n < 0 ? 0 : n > 1e18 ? (size_t)1e18 : (size_t)n;
}

/* --- Excludes that match nothing ------------------------------------------------------------- */

static bool search_cut(void *ctx, const uint8_t *levels, const bool *settled)
{
	struct view *view = ctx;

	view->levels = levels;
	view->settled = settled;
	return decide(view->cell->p->excludes[view->looking_for], view) == TRUTH_FALSE;
}

static bool search_emit(void *ctx, const uint8_t *levels)
{
	struct view *view = ctx;

	view->levels = levels;
	view->settled = NULL;
	if (decide(view->cell->p->excludes[view->looking_for], view) != TRUTH_TRUE)
		return true;
	view->cell->p->matched[view->looking_for] = true;
	return false;
}

/* Branches that another exclude cut may hold what this one matches. */
static void search_match(struct cell *cell, int exclude)
{
	struct planner *p = cell->p;
	struct view view = {.cell = cell, .looking_for = exclude, .variant = BUF_INIT};

	for (size_t s = 0; s < p->sets.n && !p->matched[exclude]; s++) {
		struct variant_walk walk = {.options = p->d->options,
			.n_options = p->d->n_options,
			.reaches = cell->reaches,
			.half = p->sets.items[s].kind == SET_HALF,
			.cut = search_cut,
			.emit = search_emit,
			.ctx = &view,
			.budget = MATCH_BUDGET};

		if (p->sets.items[s].kind != SET_FULL && p->sets.items[s].kind != SET_HALF)
			continue;
		if (!variants_walk(&walk))
			p->matched[exclude] = true; /* found, or too many to be sure */
	}
	buf_release(&view.variant);
}

static void warn_unmatched(struct planner *p)
{
	const struct conf_texts *excludes = &p->d->matrix.exclude;

	for (size_t i = 0; i < excludes->n; i++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		const struct conf_node *node = excludes->node->kind == CONF_LIST
						       ? excludes->node->items[i]
						       : excludes->node;

		if (p->matched[i])
			continue;
		buf_addf(&text, "the exclude '%s' matches no row", excludes->items[i]);
		planner_warn(p, node, text.data);
	}
}

/* --- All cells ------------------------------------------------------------------------------- */

typedef void cell_fn(struct cell *cell, void *ctx);

static bool each_cell(struct planner *p, cell_fn *fn, void *ctx)
{
	for (size_t w = 0; w < p->d->n_workloads; w++) {
		size_t *at = arena_array(&p->scratch, p->d->matrix.n_dims + 1, sizeof(*at));
		struct cell cell = {
			.p = p,
			.workload = &p->d->workloads[w],
			.reaches = masking(p->d, &p->d->workloads[w]),
		};

		do {
			cell.axis_values = axis_values(p, at);
			fn(&cell, ctx);
			if (cell.too_many)
				return false;
		} while (next_values(p->d, at));
	}
	return true;
}

struct counts {
	const struct workload *of; /* the last workload counted */
	double whole, masked;
};

static void make_and_count(struct cell *cell, void *ctx)
{
	struct planner *p = cell->p;
	struct counts *counts = ctx;
	size_t before = p->rows.n;

	make_cell(cell);
	if (cell->too_many)
		return;
	if (!counts->of)
		counts->whole = variant_sets_count(&p->sets, p->baseline, NULL);
	if (counts->of != cell->workload)
		counts->masked = cell->reaches
					 ? variant_sets_count(&p->sets, p->baseline, cell->reaches)
					 : counts->whole;
	counts->of = cell->workload;
	p->plan->excluded += as_count(counts->masked - (double)(p->rows.n - before));
	p->plan->merged += as_count(counts->whole - counts->masked);
}

static void search_unmatched(struct cell *cell, void *ctx)
{
	(void)ctx;
	for (size_t i = 0; i < cell->p->d->matrix.exclude.n; i++) {
		if (!cell->p->matched[i])
			search_match(cell, (int)i);
	}
}

int planner_rows(struct planner *p, struct err *err)
{
	struct counts counts = {0};

	if (!each_cell(p, make_and_count, &counts)) {
		err_set(err, E_USAGE, "the plan has more than %d rows", PLAN_ROWS_ASK);
		return err_help(
			err, "choose smaller sets, add excludes or --where, or give --force");
	}
	each_cell(p, search_unmatched, NULL);
	warn_unmatched(p);
	return 0;
}
