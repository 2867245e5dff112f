/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows are one program, and which rows a filter keeps. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/base/vec.h"
#include "core/model/predicate.h"
#include "reports/analysis_impl.h"

/* --- A/A pairs -----------------------------------------------------------------------------------
 */

/* What makes two rows one program, as numbers that are equal where the texts are; 0 = unknown. */
struct identity {
	size_t digest, code, part;
};

static size_t number_of(struct map *numbers, const char *kind, const char *text)
{
	AUTOFREE char *key = NULL;
	size_t number;

	if (!text || !text[0])
		return 0;
	key = xasprintf("%s %s", kind, text);
	number = (size_t)(uintptr_t)map_get(numbers, key);
	if (!number) {
		number = numbers->n + 1;
		map_put(numbers, key, (void *)(uintptr_t)number);
	}
	return number;
}

/* Environment and arguments are compared as text: with rows by the thousand, each once. */
static struct identity identity_of(
	const struct analysis *analysis, const struct stored_row *row, struct map *numbers)
{
	json_t *options = json_loads(row->row.options, 0, NULL);
	json_t *part = experiment_run_part(analysis->experiment, options);
	AUTOFREE char *text = json_dumps(part, JSON_COMPACT | JSON_SORT_KEYS);
	struct identity identity = {
		.digest = number_of(numbers, "digest", row->build.digest),
		.code = number_of(numbers, "code", row->build.code_digest),
		.part = number_of(numbers, "part", text),
	};

	json_decref(part);
	json_decref(options);
	return identity;
}

/* The same artefact, or the same code, when debug paths or build ids make the files differ. */
static bool one_program(const struct identity *a, const struct identity *b)
{
	return a->part == b->part &&
	       ((a->digest && a->digest == b->digest) || (a->code && a->code == b->code));
}

void find_aa_pairs(struct analysis *analysis)
{
	VEC(struct aa_pair) pairs = VEC_INIT;
	struct map numbers = MAP_INIT;
	struct identity *ids = xcalloc(analysis->n_rows + 1, sizeof(*ids));

	for (size_t i = 0; i < analysis->n_rows; i++)
		ids[i] = identity_of(analysis, &analysis->rows[i], &numbers);
	for (size_t c = 0; c < analysis->n_cells; c++) {
		const struct cell_result *cell = &analysis->cells[c];

		for (size_t i = 0; i < cell->n_rows; i++) {
			size_t a = cell->rows[i];

			for (size_t k = i + 1; k < cell->n_rows; k++) {
				size_t b = cell->rows[k];

				if (analysis->results[a].shown && analysis->results[b].shown &&
					one_program(&ids[a], &ids[b]))
					*vec_push(&pairs) = (struct aa_pair){
						&analysis->results[a], &analysis->results[b]};
			}
		}
	}
	map_release(&numbers);
	free(ids);
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
