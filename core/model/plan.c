/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/matrix.h"
#include "core/model/planner.h"

void planner_warn(void *ctx, const struct conf_node *node, const char *text)
{
	struct planner *p = ctx;

	*vec_push(&p->warnings) = arena_strdup(p->arena, text);
	if (node)
		conf_warning(p->diags, node, "%s", text);
	else
		diag_add(
			p->diags, DIAG_WARNING, (struct place){p->d->file, 0, 0}, NULL, "%s", text);
}

/* --- Mistakes that only show in rows --------------------------------------------------------- */

static const char *owner_name(const struct planner *p, int owner)
{
	int n = (int)p->d->n_options;

	return owner < n ? p->d->options[owner].name : p->d->axes[owner - n].name;
}

static void on_clash(void *ctx, const struct clash *clash)
{
	struct planner *p = ctx;
	int n = (int)p->d->n_options;

	for (size_t i = 0; i < p->clashes.n; i++) {
		const struct clash *known = &p->clashes.items[i];

		if (known->first == clash->first && known->second == clash->second &&
			!strcmp(known->what, clash->what) && !strcmp(known->key, clash->key))
			return;
	}
	*vec_push(&p->clashes) = *clash;
	conf_error(p->diags, clash->node,
		"'%s' and '%s' are active together and give %s '%s' "
		"different values",
		owner_name(p, clash->first), owner_name(p, clash->second), clash->what, clash->key);
	if (clash->second < n)
		diag_help(p->diags, "add conflicts: [%s] to '%s', or exclude the rows with both",
			owner_name(p, clash->first), owner_name(p, clash->second));
	else
		diag_help(p->diags, "exclude the rows with both, or let only one of them give it");
}

/* Two names for one thing: the options in which they differ have no effect there. */
static void same_run(struct planner *p, const struct plan_row *a, const struct plan_row *b)
{
	CLEANUP(buf_release) struct buf differ = BUF_INIT;
	const struct conf_node *node = NULL;
	int n = 0;

	for (size_t i = 0; i < p->d->n_options; i++) {
		if (a->levels[i] == b->levels[i])
			continue;
		buf_addf(&differ, "%s%s", n++ ? ", " : "", p->d->options[i].name);
		node = p->d->options[i].node;
	}
	conf_key_error(p->diags, node ? node : p->d->root,
		"'%s' and '%s' are one program with one environment and arguments: %s %s nothing "
		"there",
		a->name, b->name, differ.data, n == 1 ? "changes" : "change");
	diag_help(p->diags,
		"list in workloads.%s.options what reaches that workload; rows that become equal "
		"are merged",
		a->workload->name);
}

/* --- Filling in ------------------------------------------------------------------------------ */

static void name_row(struct planner *p, struct plan_row *row, struct map *interned)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const char *cell = p->cells.items[row->cell].name;
	size_t workload = strlen(row->workload->name);
	const bool *reaches = row->workload->reaches;
	const char *known;

	variant_name(p->d->options, p->d->n_options, row->levels, &text);
	row->variant = arena_strdup(p->arena, text.data);
	row->name = arena_printf(
		p->arena, "%s/%s%s", row->workload->name, row->variant, cell + workload);
	buf_clear(&text);
	for (size_t i = 0; i < p->sets.n; i++) {
		if (!variant_set_has(&p->sets, &p->sets.items[i], reaches, row->levels))
			continue;
		if (!row->label)
			row->label = p->sets.items[i].text;
		buf_addf(&text, "%s%s", text.len ? "\n" : "", p->sets.items[i].text);
	}
	if (!row->label) { /* the baseline, added by itself */
		row->label = p->d->matrix.baseline;
		buf_adds(&text, row->label);
	}
	known = map_get(interned, text.data);
	if (!known) {
		known = arena_strdup(p->arena, text.data);
		map_put(interned, known, (void *)(uintptr_t)known);
	}
	row->sets = known;
}

static void fill_build(struct planner *p, struct plan_build *build, const struct plan_row *row,
	const struct effective *e)
{
	*build = (struct plan_build){
		.key = build->key,
		.name = row->variant,
		.levels = row->levels,
		.picks = e->picks,
		.n_picks = e->n_picks,
		.patches = e->patches,
		.patch_options = e->patch_options,
		.n_patches = e->n_patches,
		.edits = e->edits,
		.edit_options = e->edit_options,
		.n_edits = e->n_edits,
		.defines = e->defines,
		.vars = e->vars,
		.n_vars = e->n_vars,
		.env = e->build_env,
		.features = e->features,
		.n_features = e->n_features,
		.rustflags = e->rustflags,
		.n_rustflags = e->n_rustflags,
		.rustflags_used = p->ids.rustflags_used,
	};
}

/* The build of a row: known by its key, or new. */
static int build_of(struct planner *p, struct map *by_key, struct plan_row *row,
	const struct digest *key, const struct effective *e)
{
	const struct map_entry *entry = map_find(by_key, key->hex);
	struct plan_build *build;

	if (entry)
		return (int)(intptr_t)entry->value;
	map_put(by_key, key->hex, (void *)(intptr_t)p->builds.n);
	build = vec_push(&p->builds);
	build->key = arena_strdup(p->arena, key->hex);
	fill_build(p, build, row, e);
	return (int)p->builds.n - 1;
}

static int fill_row(struct planner *p, struct plan_row *row, struct map *by_key, struct err *err)
{
	struct effective e;
	struct digest key, run;

	effective_make(
		p->d, row->workload, row->levels, row->axis_values, p->arena, on_clash, p, &e);
	if (id_build(&p->ids, &e, &key, err))
		return err_wrap(err, "%s", row->name);
	row->build = build_of(p, by_key, row, &key, &e);
	run = id_run(&p->ids, row->workload, &e, key.hex);
	if (p->ids.missing_env) {
		err_set(err, E_CONFIG, "%s: '{env:%s}': the environment variable is not set",
			row->name, p->ids.missing_env);
		return err_help(err, "export %s before calling assay", p->ids.missing_env);
	}
	row->run_key = arena_strdup(p->arena, run.hex);
	row->env = e.env;
	row->args = e.args;
	row->n_args = e.n_args;
	row->vars = e.vars;
	row->n_vars = e.n_vars;
	return 0;
}

static void check_run_keys(struct planner *p)
{
	AUTOFREE bool *reported = xcalloc(p->d->n_options + 1, sizeof(*reported));

	for (size_t c = 0; c < p->cells.n; c++) {
		const struct plan_cell *cell = &p->cells.items[c];
		struct map seen = MAP_INIT;

		for (size_t i = 0; i < cell->n_rows; i++) {
			struct plan_row *row = &p->rows.items[cell->rows[i]];
			struct plan_row *other = map_get(&seen, row->run_key);
			size_t first = 0;

			if (!other) {
				map_put(&seen, row->run_key, row);
				continue;
			}
			while (other->levels[first] == row->levels[first])
				first++;
			/* One example per option says enough. */
			if (!reported[first])
				same_run(p, other, row);
			reported[first] = true;
		}
		map_release(&seen);
	}
}

static int fill_rows(struct planner *p, struct err *err)
{
	struct map interned = MAP_INIT, by_key = MAP_INIT;
	int rc = 0;

	for (size_t i = 0; i < p->rows.n && !rc; i++) {
		name_row(p, &p->rows.items[i], &interned);
		rc = fill_row(p, &p->rows.items[i], &by_key, err);
	}
	map_release(&interned);
	map_release(&by_key);
	return rc;
}

static void list_rows(struct planner *p)
{
	AUTOFREE size_t *n_rows = xcalloc(p->builds.n + 1, sizeof(*n_rows));
	AUTOFREE int **rows = xcalloc(p->builds.n + 1, sizeof(*rows));

	for (size_t c = 0; c < p->cells.n; c++) {
		struct plan_cell *cell = &p->cells.items[c];
		int *list = arena_array(p->arena, cell->n_rows, sizeof(*list));

		for (size_t i = 0; i < cell->n_rows; i++)
			list[i] = cell->baseline + (int)i;
		cell->rows = list;
	}
	for (size_t i = 0; i < p->rows.n; i++)
		p->builds.items[p->rows.items[i].build].n_rows++;
	for (size_t b = 0; b < p->builds.n; b++)
		p->builds.items[b].rows = rows[b] =
			arena_array(p->arena, p->builds.items[b].n_rows, sizeof(**rows));
	for (size_t i = 0; i < p->rows.n; i++) {
		int build = p->rows.items[i].build;

		rows[build][n_rows[build]++] = (int)i;
	}
}

/* --- Predicates ------------------------------------------------------------------------------ */

static int read_predicates(struct planner *p, const char *where, struct err *err)
{
	const struct conf_texts *excludes = &p->d->matrix.exclude;
	struct predicate_names names;
	struct predicate *parsed;

	descriptor_names(p->d, &p->scratch, &names);
	p->excludes = arena_array(&p->scratch, excludes->n + 1, sizeof(*p->excludes));
	p->matched = arena_array(&p->scratch, excludes->n + 1, sizeof(*p->matched));
	for (size_t i = 0; i < excludes->n; i++) {
		if (predicate_parse(excludes->items[i], &names, &p->scratch, &parsed, err))
			return err_wrap(err, "exclude");
		p->excludes[i] = parsed;
	}
	if (!where)
		return 0;
	if (predicate_parse(where, &names, &p->scratch, &parsed, err)) {
		err->code = E_USAGE; /* typed by the user, not written in the file */
		return err_wrap(err, "--where");
	}
	p->where = parsed;
	return 0;
}

static void index_keys(struct planner *p)
{
	intptr_t n = 0;

	for (size_t i = 0; i < p->d->n_options; i++)
		map_put(&p->keys, p->d->options[i].name, (void *)++n);
	for (size_t i = 0; i < p->d->n_axes; i++)
		map_put(&p->keys, p->d->axes[i].name, (void *)++n);
}

static bool any_rustflags(const struct descriptor *d)
{
	for (size_t i = 0; i < d->n_options; i++) {
		for (int k = 0; k < d->options[i].n_levels; k++) {
			if (d->options[i].levels[k].payload.rustflags.n)
				return true;
		}
	}
	return false;
}

/* --- The plan -------------------------------------------------------------------------------- */

static int no_rows(struct planner *p, struct err *err)
{
	if (p->where) {
		err_set(err, E_USAGE, "no row matches --where '%s'", p->plan->where);
		return err_help(err, "`assay plan` without --where lists the rows");
	}
	return err_set(
		err, E_CONFIG, "%s: the plan is empty: exclude takes all rows out", p->d->file);
}

static int make(struct planner *p, const char *where, struct err *err)
{
	index_keys(p);
	p->baseline = arena_array(&p->scratch, p->d->n_options + 1, 1);
	if (read_predicates(p, where, err) || setexpr_row(p->d->options, p->d->n_options,
						      p->d->matrix.baseline, p->baseline, err))
		return -1;
	variant_sets_make(p->d, p->arena, planner_warn, p, &p->sets);
	if (planner_rows(p, err))
		return -1;
	if (diags_to_err(p->diags, E_CONFIG, err))
		return -1;
	if (!p->rows.n)
		return no_rows(p, err);
	if (fill_rows(p, err))
		return -1;
	list_rows(p);
	if (!p->diags->errors) /* clashes would only show a second time */
		check_run_keys(p);
	return diags_to_err(p->diags, E_CONFIG, err);
}

#define take(p, list) \
	arena_memdup((p)->arena, (p)->list.items, (p)->list.n * sizeof(*(p)->list.items))

static void finish(struct planner *p)
{
	struct plan *plan = p->plan;

	plan->rows = take(p, rows);
	plan->n_rows = p->rows.n;
	plan->cells = take(p, cells);
	plan->n_cells = p->cells.n;
	plan->builds = take(p, builds);
	plan->n_builds = p->builds.n;
	plan->warnings = take(p, warnings);
	plan->n_warnings = p->warnings.n;
	plan->id = arena_strdup(p->arena, id_plan(&p->ids, plan).hex);
}

int plan_make(const struct descriptor *descriptor, const struct plan_facts *facts,
	const char *where, bool force, struct diags *diags, struct plan **ret, struct err *err)
{
	CLEANUP(plan_freep) struct plan *plan = xcalloc(1, sizeof(*plan));
	struct planner p = {
		.d = descriptor,
		.plan = plan,
		.arena = &plan->arena,
		.diags = diags,
		.force = force,
		.ids = {.d = descriptor,
			.facts = facts,
			.arena = &plan->arena,
			.rustflags_used = any_rustflags(descriptor)},
	};
	int rc;

	plan->descriptor = descriptor;
	plan->where = where ? arena_strdup(&plan->arena, where) : NULL;
	rc = make(&p, where, err);
	if (!rc)
		finish(&p);
	vec_release(&p.rows);
	vec_release(&p.cells);
	vec_release(&p.builds);
	vec_release(&p.warnings);
	vec_release(&p.clashes);
	map_release(&p.keys);
	map_release(&p.ids.payloads);
	arena_release(&p.scratch);
	if (!rc)
		*ret = STEAL(plan);
	return rc;
}

void plan_free(struct plan *plan)
{
	struct arena arena;

	if (!plan)
		return;
	arena = plan->arena;
	arena_release(&arena);
	free(plan);
}

/* --- Looking into it ------------------------------------------------------------------------- */

static bool row_is(const struct plan *plan, const struct plan_row *row, const char *name)
{
	size_t workload = strlen(row->workload->name);

	if (!strcmp(row->name, name))
		return true;
	if (!strncmp(name, row->workload->name, workload) && name[workload] == '/')
		return !strcmp(name + workload + 1, row->variant);
	return plan->descriptor->n_workloads == 1 && !strcmp(row->variant, name);
}

int plan_find_row(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n_rows; i++) {
		if (row_is(plan, &plan->rows[i], name))
			return (int)i;
	}
	return -1;
}

json_t *plan_row_options(const struct plan *plan, const struct plan_row *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < plan->descriptor->n_options; i++) {
		const struct option *option = &plan->descriptor->options[i];

		if (row->levels[i])
			json_object_set_new(object, option->name,
				json_string(option->levels[row->levels[i]].name));
	}
	return object;
}

json_t *plan_row_axes(const struct plan *plan, const struct plan_row *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < plan->descriptor->n_axes; i++) {
		if (row->axis_values[i])
			json_object_set_new(object, plan->descriptor->axes[i].name,
				json_string(row->axis_values[i]));
	}
	return object;
}
