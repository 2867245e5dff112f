/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows are one program, and which rows a filter keeps. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/predicate.h"
#include "reports/analysis_impl.h"

/* --- A/A pairs -----------------------------------------------------------------------------------
 */

static bool equal_digests(const char *a, const char *b)
{
	return a && b && a[0] && !strcmp(a, b);
}

/* The same artefact; or the same code, when debug paths or build ids make the files differ. */
static bool same_program(const struct stored_row *a, const struct stored_row *b)
{
	return equal_digests(a->build.digest, b->build.digest) ||
	       equal_digests(a->build.code_digest, b->build.code_digest);
}

static json_t *run_part(const struct analysis *analysis, const struct stored_row *row)
{
	json_t *options = json_loads(row->row.options, 0, NULL);
	json_t *part = experiment_run_part(analysis->experiment, options);

	json_decref(options);
	return part;
}

void find_aa_pairs(struct analysis *analysis)
{
	VEC(struct aa_pair) pairs = VEC_INIT;

	for (size_t c = 0; c < analysis->n_cells; c++) {
		const struct cell_result *cell = &analysis->cells[c];

		for (size_t i = 0; i < cell->n_rows; i++) {
			const struct row_result *a = &analysis->results[cell->rows[i]];

			for (size_t k = i + 1; k < cell->n_rows; k++) {
				const struct row_result *b = &analysis->results[cell->rows[k]];
				json_t *part_a, *part_b;

				if (!a->shown || !b->shown || !same_program(a->row, b->row))
					continue;
				part_a = run_part(analysis, a->row);
				part_b = run_part(analysis, b->row);
				if (json_equal(part_a, part_b))
					*vec_push(&pairs) = (struct aa_pair){a, b};
				json_decref(part_a);
				json_decref(part_b);
			}
		}
	}
	analysis->n_aa = pairs.n;
	analysis->aa = arena_memdup(&analysis->arena, pairs.items, pairs.n * sizeof(*pairs.items));
	vec_release(&pairs);
}

/* --- The filter ----------------------------------------------------------------------------------
 */

struct filter {
	const struct analysis *analysis;
	const struct row_result *result;
	json_t *options, *axes; /* of the row */
};

/* The names that a report's filter may use: options, axes, and what a row has by itself. A row's
 * status is that of its first run that is not ok; blocks are not filtered, since a verdict on
 * chosen blocks would be none. */
static const char *const row_keys[] = {"workload", "variant", "set", "status", "host", "session"};

static const char *filter_get(void *ctx, const char *key)
{
	const struct filter *filter = ctx;
	const struct row_result *result = filter->result;
	const char *text = json_string_value(json_object_get(filter->axes, key));

	if (text)
		return text;
	if (json_object_get(json_object_get(filter->analysis->experiment, "options"), key)) {
		text = json_string_value(json_object_get(filter->options, key));
		return text ? text : "off";
	}
	if (!strcmp(key, "workload"))
		return result->row->row.workload;
	if (!strcmp(key, "variant"))
		return result->row->row.variant;
	if (!strcmp(key, "set"))
		return result->row->row.label;
	if (!strcmp(key, "host"))
		return filter->analysis->host;
	if (!strcmp(key, "session"))
		return filter->analysis->session.uid;
	if (!strcmp(key, "status") && result->runs)
		return result->first_failure ? run_status_name(result->first_failure->run.status)
					     : "ok";
	return NULL;
}

static bool filter_active(void *ctx, const char *name)
{
	const struct filter *filter = ctx;

	return json_object_get(filter->options, name) != NULL;
}

static bool filter_in_set(void *ctx, const char *set_text)
{
	const struct filter *filter = ctx;

	return !strcmp(filter->result->row->row.label, set_text);
}

/* Names of an experiment's section, then those in more. */
static const char *const *names_of(struct analysis *analysis, const char *const *sections,
	const char *const *more, size_t n_more, size_t *ret_n)
{
	VEC(const char *) names = VEC_INIT;
	const char *const *ret;
	json_t *value;
	const char *key;

	for (size_t i = 0; sections[i]; i++) {
		json_object_foreach(
			json_object_get(analysis->experiment, sections[i]), key, value) *
			vec_push(&names) = key;
	}
	for (size_t i = 0; i < n_more; i++)
		*vec_push(&names) = more[i];
	*ret_n = names.n;
	*vec_push(&names) = NULL;
	ret = arena_memdup(&analysis->arena, names.items, names.n * sizeof(*names.items));
	vec_release(&names);
	return ret;
}

int filter_rows(struct analysis *analysis, const char *where, struct err *err)
{
	const char *const key_sections[] = {"options", "axes", NULL};
	const char *const option_section[] = {"options", NULL};
	struct predicate_names names = {0};
	struct predicate *predicate = NULL;

	names.keys =
		names_of(analysis, key_sections, row_keys, ARRAY_SIZE(row_keys), &names.n_keys);
	names.options = names_of(analysis, option_section, NULL, 0, &names.n_options);
	if (where && predicate_parse(where, &names, &analysis->arena, &predicate, err) < 0) {
		err->code = E_USAGE; /* as for the commands that run */
		return err_wrap(err, "--where");
	}
	for (size_t i = 0; i < analysis->n_rows; i++) {
		struct row_result *result = &analysis->results[i];
		struct filter filter = {.analysis = analysis, .result = result};
		struct predicate_world world = {
			.ctx = &filter,
			.get = filter_get,
			.active = filter_active,
			.in_set = filter_in_set,
		};

		filter.options = json_loads(result->row->row.options, 0, NULL);
		filter.axes = json_loads(result->row->row.axes, 0, NULL);
		if (!predicate || predicate_holds(predicate, &world)) {
			result->shown = true;
			/* A row without what it is compared with says nothing. */
			analysis->results[result->baseline - analysis->results].shown = true;
		}
		json_decref(filter.options);
		json_decref(filter.axes);
	}
	return 0;
}
